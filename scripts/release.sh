#!/bin/bash
# release.sh: a release in one command, into build-release/wavesift-VERSION: sources, sdist, wheels,
# Debian packages, the pages, checksums and a list of all that is in them (SPDX).  The version is that
# of the public header.  All is made in clones, and all but the pages twice, there with other folders
# and without what compilers kept; a byte that differs is an error.  At the end CHANGELOG.md gets its
# date, by a commit on this branch, and that commit the tag vVERSION.  docs/releasing.md has what
# follows.
#
#     TRIAL=1    everything but commit and tag
#     URL=..     the project's address, for pyproject.toml, which all others take it from
#     PARTS=..   default "source sdist wheels debs site"
#     TARGETS=.. of scripts/wheels.sh, default all
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/build-release
version=$(sh "$root/scripts/version.sh")
out=$work/wavesift-$version
parts=${PARTS:-source sdist wheels debs site}
fail() { echo "release: $1" >&2; exit 1; }

[ -z "$(git -C "$root" status --porcelain)" ] || fail "there are changes that are not committed"
! git -C "$root" rev-parse -q --verify "v$version" >/dev/null ||
	fail "v$version is there; the next version's number goes into include/wavesift/wavesift.h"
grep -q "^## $version (unreleased)$" "$root/CHANGELOG.md" ||
	fail "CHANGELOG.md has no heading '## $version (unreleased)'"

# The commit of the release, in a clone.
rm -rf --one-file-system "$work/first" "$work/second" "$out"
mkdir -p "$work/first" "$work/second" "$out"
tree=$work/first/tree
git clone -q "$root" "$tree"
sed -i "s/^## $version (unreleased)$/## $version ($(date -u +%F))/" "$tree/CHANGELOG.md"
if [ -n "${URL:-}" ] && ! grep -q '^\[project.urls\]' "$tree/pyproject.toml"; then
	sed -i "s|^\[project.optional-dependencies\]|[project.urls]\nHomepage = \"$URL\"\n\n&|" \
		"$tree/pyproject.toml"
fi
for key in user.name user.email; do
	git -C "$tree" config $key "$(git -C "$root" config $key || git -C "$root" log -1 --format=%an)"
done
git -C "$tree" commit -qam "wavesift $version"
git -C "$tree" tag -a -m "wavesift $version" "v$version"
SOURCE_DATE_EPOCH=$(git -C "$tree" log -1 --format=%ct)
export SOURCE_DATE_EPOCH

all="x86_64-linux aarch64-linux x86_64-musl x86_64-windows aarch64-macos x86_64-macos"
has() { case " $parts " in *" $1 "*) ;; *) false ;; esac; }

# make_parts TREE FOLDER: every part that is the same bytes each time.
make_parts()
{
	mkdir -p "$2"
	! has source || git -C "$1" archive --format=tar --prefix="wavesift-$version/" HEAD | gzip -9n \
		>"$2/wavesift-$version.src.tar.gz"
	# Both have the same tools, which make wheels has here.
	mkdir -p "$root/build-wheels" "$1/build-wheels"
	ln -s "$root/build-wheels/venv" "$1/build-wheels/venv"
	local targets=
	! has sdist || targets=sdist
	! has wheels || targets="$targets ${TARGETS:-$all}"
	[ -z "$targets" ] || "$1/scripts/wheels.sh" $targets >"$2.wheels.log" 2>&1 || {
		tail -30 "$2.wheels.log"
		fail "wheels: $2.wheels.log"
	}
	[ -z "$targets" ] || cp "$1"/build-wheels/dist/* "$2"
	! has debs || WORK=$root/build-deb "$1/scripts/deb.sh" "$2" >"$2.debs.log" 2>&1 || {
		tail -30 "$2.debs.log"
		fail "Debian packages: $2.debs.log"
	}
}

[ -d "$root/build-wheels/venv" ] || "$root/scripts/wheels.sh" tools
make_parts "$tree" "$work/first/made"
again=$work/second/a/tree
mkdir -p "$work/second/a"
git clone -q "$tree" "$again"
ZIG_GLOBAL_CACHE_DIR=$work/second/zig CCACHE_DISABLE=1 NO_TRY=1 make_parts "$again" "$work/second/made"
for side in first second; do
	(cd "$work/$side/made" && sha256sum ./*) >"$work/$side/sums"
done
diff "$work/first/sums" "$work/second/sums" || fail "what is made twice differs"
echo "release: $(wc -l <"$work/first/sums") files, the same bytes twice"
cp "$work/first/made"/* "$out"

if has site; then
	make -C "$tree" site BUILD="$work/site" >"$work/site.log" 2>&1 || { tail "$work/site.log"; exit 1; }
	tar -C "$work/site" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
		-cf - site | gzip -9n >"$out/wavesift-$version.site.tar.gz"
fi
python3 "$tree/scripts/sbom.py" "$out" "$tree" >"$work/spdx.json"
mv "$work/spdx.json" "$out/wavesift-$version.spdx.json"
(cd "$out" && sha256sum * >../SHA256SUMS && mv ../SHA256SUMS .)
ls -l "$out"
for part in source sdist wheels debs site; do
	has $part || echo "NOT MADE: $part"
done
[ -z "${TRIAL:-}" ] || { echo "release: a trial: neither commit nor tag"; exit 0; }
git -C "$root" pull -q --ff-only "$tree" HEAD
git -C "$root" fetch -q "$tree" "refs/tags/v$version:refs/tags/v$version"
echo "release: wavesift $version is committed and tagged; to publish it: docs/releasing.md"
