#!/bin/bash
# deb.sh [OUT]: Debian packages of this tree, built in a clean chroot of Debian 12, looked at by
# lintian, and tried in another bare one: installed, and README's commands run.  OUT: where they are
# to lie, default build-deb/dist.
#
#     MAINTAINER   "NAME <ADDRESS>" for the packages; default: LICENSE's name, the last commit's address
#     NO_TRY=1     leaves the last out
#     DEB_BUILD_OPTIONS   more for dpkg-buildpackage: noopt compiles in a tenth of the time, for trials
#
# scripts/chroot.sh has what it needs, and variables for chroots.
set -euo pipefail
. "$(dirname "$0")/chroot.sh"
out=${1:-$root/build-deb/dist}
version=$(sh "$root/scripts/version.sh")
mkdir -p "$out"

# The sources as git knows them, and debian/ filled in, in the folder $1.
unpack()
{
	rm -rf --one-file-system "$1"
	mkdir -p "$1/tree"
	git -C "$root" ls-files -z >"$1/files"
	tar -C "$root" --exclude=packaging/debian --null -T "$1/files" --sort=name --format=gnu \
		--mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw \
		--transform "s,^,wavesift-$version/,S" -cf - | gzip -9n >"$1/wavesift_$version.orig.tar.gz"
	tar -C "$1/tree" --strip-components=1 -xzf "$1/wavesift_$version.orig.tar.gz"
	cp -r "$root/packaging/debian" "$1/tree/debian"
	local who=$(sed -n 's/^Copyright (c) [0-9]*, //p' "$root/LICENSE")
	local maintainer=${MAINTAINER:-$who <$(git -C "$root" log -1 --format=%ae)>}
	local home=$(sed -n 's/^Homepage = "\(.*\)"/\1/p' "$root/pyproject.toml")
	sed -i "s|@MAINTAINER@|$maintainer|; s|^@HOMEPAGE@|${home:+Homepage: $home}|" \
		"$1/tree/debian/control"
	[ -n "$home" ] || sed -i '0,/^$/{/^$/d}' "$1/tree/debian/control"
	printf '%s\n' "wavesift ($version-1) unstable; urgency=medium" "" \
		"  * Release $version; CHANGELOG.md has what changed." "" \
		" -- $maintainer  $(LC_ALL=C date -uRd "@$SOURCE_DATE_EPOCH")" >"$1/tree/debian/changelog"
	local licence
	for licence in LICENSE examples/data/LICENSE.eeg; do
		sed '1,/^Copyright/d; s/^$/./; s/^/ /' "$root/$licence" | sed '1d' >"$1/text"
		sed -i -e "/^@${licence##*/}@/{r $1/text" -e 'd}' "$1/tree/debian/copyright"
	done
}

builder=$work/builder
if [ ! -e "$builder/made" ]; then
	bare "$builder"
	inside "$builder" apt-get install -y -qq --no-install-recommends build-essential ccache fakeroot lintian \
		>"$work/builder.log" 2>&1 || { tail "$work/builder.log"; exit 1; }
	touch "$builder/made"
fi
unpack "$builder/build"
mv "$builder/build/tree" "$builder/build/wavesift-$version"
inside "$builder" env CMAKE_C_COMPILER_LAUNCHER=ccache sh -c "cd /build/wavesift-$version && apt-get build-dep -y -qq --no-install-recommends ./ &&
	DEB_BUILD_OPTIONS='noautodbgsym parallel=$(nproc) ${DEB_BUILD_OPTIONS:-}' dpkg-buildpackage -us -uc --no-sign" \
	>"$work/build.log" 2>&1 || {
	tail -40 "$work/build.log"
	echo "deb: the build failed; all of it: $work/build.log" >&2
	exit 1
}
inside "$builder" sh -c "cd /build && lintian --allow-root --fail-on error *.changes" \
	>"$work/lintian.txt" 2>&1 || { cat "$work/lintian.txt"; exit 1; }
grep '^[EW]:' "$work/lintian.txt" || echo "lintian: no error, no warning"
rm -f "$out"/*.deb "$out"/*.dsc "$out"/*.orig.tar.gz "$out"/*.debian.tar.xz
cp "$builder/build"/*.deb "$builder/build"/*.dsc "$builder/build"/*.tar.* "$out"
[ -z "${NO_TRY:-}" ] || exit 0

# A stranger's machine: the commands of make demo, those of README and of the Python package, and a
# program of C, with what is installed.
bare "$work/stranger"
home=$work/stranger/root
cp "$out"/*.deb "$home"
{
	echo "set -ex; cd /root; mkdir demo"
	echo "apt-get install -y -qq --no-install-recommends ./*.deb gcc libc6-dev pkg-config"
	echo "cp /usr/share/doc/wavesift/examples/data/eeg.edf recording.edf"
	make -s -n -C "$root" demo BUILD=BUILD DEMO=recording.edf |
		awk '/^BUILD\/wavesift / { on = 1 } on { sub("^BUILD/", ""); print } !/\\$/ { on = 0 }'
	sed -n 's,^    build/\(wavesift .*\),\1 --overwrite,p' "$root/README.md"
	echo "python3 lines.py"
	echo "cc /usr/share/doc/libwavesift-dev/examples/decompose.c \$(pkg-config --cflags --libs wavesift) -lm"
	echo "./a.out; ls demo *.png; grep -q Debian /etc/issue"
} >"$home/try.sh"
lines >"$home/lines.py"
put try.sh "$work/try.log" "$work/stranger"
cp -r "$home/demo" "$home"/*.png "$work/" 
rm -rf --one-file-system "$work/stranger"
ls -l "$out"
