#!/bin/bash
# system_libraries.sh PREFIX: the shared libraries of this Debian that the program needs, for the
# wheel wavesift-cli of scripts/wheels.sh x86_64-cli-debian, into PREFIX/wheel, and their licences
# into PREFIX/licences: as scripts/cli_libraries.sh, but built by Debian, with all that Debian's builds of
# them ask for, and for no older system than this one.
set -euo pipefail
rm -rf "$1/wheel" "$1/licences"
mkdir -p "$1/wheel" "$1/licences"
prefix=$(cd "$1" && pwd)
fonts=/usr/share/fonts/truetype/dejavu
cp $fonts/DejaVuSans.ttf $fonts/DejaVuSans-Bold.ttf "$prefix/wheel"

# Those of the C library are the system's own.
for name in hdf5_serial_hl hdf5_serial sndfile zip z nettle jansson seccomp cairo; do
	library=$(gcc -print-file-name=lib$name.so)
	[ -e "$library" ] || { echo "system_libraries: no lib$name.so: scripts/setup.sh" >&2; exit 1; }
	readlink -f "$library"
	ldd "$library" | awk '$3 ~ "^/" { print $3 }'
done | while read -r library; do
	name=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
	case $name in
	libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.*) continue ;;
	esac
	cp -L "$library" "$prefix/wheel/$name"
	readlink -f "$library"
done | sort -u >"$prefix/libraries"

# Who of Debian they are of; it has them in /lib or /usr/lib.
{ cat "$prefix/libraries"; echo "$fonts/DejaVuSans.ttf"; } | sed 'p; s,^/usr,,' |
	xargs dpkg -S 2>/dev/null | cut -d: -f1 | sort -u >"$prefix/packages" || true
while read -r package; do
	mkdir -p "$prefix/licences/$package"
	cp "/usr/share/doc/$package/copyright" "$prefix/licences/$package"
done <"$prefix/packages"
xargs dpkg-query -W -f '${Package}\t${source:Package} ${source:Version}\tcopyright in its folder\n' \
	<"$prefix/packages" | sort -u >"$prefix/licences/LIBRARIES.txt"
mkdir "$prefix/licences/common-licenses"
cp -L /usr/share/common-licenses/{Apache-2.0,GPL-1,GPL-2,GPL-3,LGPL-2,LGPL-2.1,LGPL-3,MPL-1.1} \
	"$prefix/licences/common-licenses"
echo "system_libraries: $(wc -l <"$prefix/libraries") libraries"
