#!/bin/bash
# cli_libraries.sh PREFIX: the shared libraries that the wheel wavesift-cli has within it, into
# PREFIX/lib, from the sources of Debian 12, by zig for glibc 2.28 on x86-64.  scripts/wheels.sh
# calls it, with its tools on PATH: CC is the compiler.
#
# Each is made with what the program uses of it and no more: no szip, curl or X11.  PREFIX/licences
# has a folder for each, and LIBRARIES.txt, a line each: name, version, licence.
#
# Needs dpkg-dev, make, m4, gperf, pkg-config and fonts-dejavu-core.
set -euo pipefail
mkdir -p "$1/lib/pkgconfig" "$1/include" "$1/build" "$1/licences"
prefix=$(cd "$1" && pwd)
. "$(dirname "$0")/sources.sh"
for tool in dpkg-source make m4 gperf pkg-config; do
	command -v $tool >/dev/null || {
		echo "cli_libraries: no $tool: apt-get install dpkg-dev make m4 gperf pkg-config" >&2
		exit 1
	}
done
jobs=${JOBS:-$(nproc)}
# HDF5 1.10 has a function without a type.
export CFLAGS="-O2 -w -Wno-implicit-int" CPPFLAGS="-I$prefix/include" LDFLAGS="-L$prefix/lib -s"
export PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
# What configure is made of is older than Debian's patches of it, and not made anew.
export ACLOCAL=: AUTOCONF=: AUTOHEADER=: AUTOMAKE=:

# begin NAME LICENCE FILE..: true if it is still to be made; then its sources are here, and the
# licences, FILE of them, are kept.
begin()
{
	[ ! -e "$prefix/build/$1.made" ] || return 1
	sources "$prefix" bookworm "$1"
	src=$prefix/src/$1
	echo "cli_libraries: $1"
	rm -rf "$prefix/build/$1"
	mkdir -p "$prefix/build/$1" "$prefix/licences/$1"
	cd "$src"
	cp "${@:3}" "$prefix/licences/$1"
	[ ! -e debian/copyright ] || cp debian/copyright "$prefix/licences/$1/debian-copyright"
	local version=$(cat .version)
	[ "$version" != tar ] || version="$(cd "$src" && ls ./*.orig.tar.* | head -1 |
		sed 's/.*_//; s/\.orig.*//') (without Debian's patches)"
	printf '%s\t%s\t%s\n' "$1" "$version" "$2" >"$prefix/build/$1.line"
	cd "$prefix/build/$1"
}

# end: of what begin began.
end() { touch "$prefix/build/${src##*/}.made"; }

# configured ARGUMENT..: by ./configure; libraries find each other beside them, and not in this folder.
configured()
{
	"$src/configure" --prefix="$prefix" --libdir="$prefix/lib" \
		--disable-static --enable-shared --disable-dependency-tracking "$@"
	sed -i 's/^\(hardcode_libdir_flag_spec\|runpath_var\)=.*/\1=/' libtool 2>/dev/null || true
}

# cmade FOLDER ARGUMENT..: by CMake.
cmade()
{
	cmake -G Ninja -S "$src/$1" -B . -DCMAKE_C_COMPILER="$CC" -DCMAKE_BUILD_TYPE=None \
		-DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$prefix" \
		-DBUILD_SHARED_LIBS=ON -DBUILD_TESTING=OFF -DCMAKE_SKIP_RPATH=ON \
		-DCMAKE_POLICY_VERSION_MINIMUM=3.5 "${@:2}"
	ninja -j "$jobs" install
}

if begin zlib Zlib README; then
	"$src/configure" --prefix="$prefix" --libdir="$prefix/lib"
	make -j "$jobs" install
	end
fi
if begin hdf5 BSD-3-Clause COPYING; then
	configured --enable-hl --disable-fortran --disable-cxx --disable-tests --disable-tools \
		--enable-build-mode=production --with-zlib="$prefix" --without-szlib
	for part in src hl; do
		make -j "$jobs" -C $part install
	done
	cp "$prefix/lib/pkgconfig/hdf5.pc" "$prefix/lib/pkgconfig/hdf5-serial.pc" 2>/dev/null ||
		printf 'Name: hdf5-serial\nDescription: HDF5\nVersion: 1.10\nCflags: -I%s\nLibs: -L%s -lhdf5\n' \
			"$prefix/include" "$prefix/lib" >"$prefix/lib/pkgconfig/hdf5-serial.pc"
	end
fi
if begin libogg BSD-3-Clause COPYING; then
	configured
	make -j "$jobs" install
	end
fi
if begin libvorbis BSD-3-Clause COPYING; then
	configured --disable-oggtest --disable-docs --disable-examples
	make -j "$jobs" install
	end
fi
if begin opus BSD-3-Clause COPYING; then
	configured --disable-doc --disable-extra-programs
	make -j "$jobs" install
	end
fi
if begin flac BSD-3-Clause COPYING.Xiph; then
	configured --disable-cpplibs --disable-programs --disable-examples --disable-oggtest \
		--disable-doxygen-docs --disable-xmms-plugin
	make -j "$jobs" -C src/libFLAC install
	make -C include install
	end
fi
if begin mpg123 LGPL-2.1-only COPYING; then
	configured
	make -j "$jobs" src/libmpg123/libmpg123.la
	make install-libLTLIBRARIES install-includeHEADERS install-nodist_includeHEADERS \
		install-pkgconfigDATA lib_LTLIBRARIES=src/libmpg123/libmpg123.la
	end
fi
if begin lame LGPL-2.0-or-later COPYING LICENSE; then
	configured --disable-frontend --disable-gtktest
	make -j "$jobs" install
	end
fi
if begin libsndfile LGPL-2.1-or-later COPYING; then
	cmade . -DBUILD_PROGRAMS=OFF -DBUILD_EXAMPLES=OFF -DENABLE_CPACK=OFF -DENABLE_MPEG=ON \
		-DENABLE_EXTERNAL_LIBS=ON
	end
fi
if begin libzip BSD-3-Clause LICENSE; then
	options=
	for part in COMMONCRYPTO GNUTLS MBEDTLS OPENSSL WINDOWS_CRYPTO BZIP2 LZMA ZSTD; do
		options="$options -DENABLE_$part=OFF"
	done
	cmade . $options -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF
	end
fi
if begin nettle LGPL-3.0-or-later COPYING.LESSERv3 COPYINGv3; then
	configured --disable-public-key --disable-documentation --disable-openssl --enable-fat
	make -j "$jobs" install-headers install-pkgconfig install-shared-nettle
	end
fi
if begin jansson MIT LICENSE; then
	cmade . -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF \
		-DJANSSON_BUILD_SHARED_LIBS=ON
	end
fi
if begin libseccomp LGPL-2.1-only LICENSE; then
	configured --disable-python
	make -j "$jobs" -C include install
	make -j "$jobs" -C src install
	make install-pkgconfDATA
	end
fi
if begin expat MIT expat/COPYING; then
	# Debian's patches compare it.
	sed -i 's/^#cmakedefine XML_DTD$/& 1/' "$src/expat/expat_config.h.cmake"
	cmade expat -DEXPAT_BUILD_DOCS=OFF -DEXPAT_BUILD_EXAMPLES=OFF -DEXPAT_BUILD_TESTS=OFF \
		-DEXPAT_BUILD_TOOLS=OFF
	end
fi
if begin libpng1.6 libpng-2.0 LICENSE; then
	cmade . -DPNG_STATIC=OFF -DPNG_TESTS=OFF -DPNG_EXECUTABLES=OFF
	end
fi
if begin freetype FTL LICENSE.TXT docs/FTL.TXT; then
	cmade . -DFT_DISABLE_HARFBUZZ=ON -DFT_DISABLE_BROTLI=ON -DFT_DISABLE_BZIP2=ON \
		-DFT_DISABLE_PNG=ON -DFT_REQUIRE_ZLIB=ON
	end
fi
if begin fontconfig MIT COPYING; then
	configured --disable-docs --sysconfdir=/etc --localstatedir=/var \
		--with-default-fonts=/usr/share/fonts --with-cache-dir=/var/cache/fontconfig
	# Its own configuration is not ours to install.
	make -j "$jobs" -C fontconfig install
	for part in fc-case fc-lang; do
		make -j "$jobs" -C $part
	done
	make -j "$jobs" -C src install
	make install-pkgconfigDATA
	end
fi
if begin pixman MIT COPYING; then
	configured --disable-gtk --disable-libpng
	make -j "$jobs" -C pixman install
	make install-pkgconfigDATA
	end
fi
if begin cairo MPL-1.1 COPYING COPYING-MPL-1.1 COPYING-LGPL-2.1; then
	configured --disable-xlib --disable-xcb --disable-gl --disable-egl --disable-ps --disable-script \
		--disable-interpreter --disable-trace --disable-gobject --disable-gtk-doc \
		--disable-symbol-lookup --disable-valgrind --enable-png --enable-ft --enable-fc \
		--enable-pdf --enable-svg ax_cv_c_float_words_bigendian=no
	make -j "$jobs" -C src install
	end
fi

# The font of figures.
mkdir -p "$prefix/licences/fonts-dejavu"
cp /usr/share/doc/fonts-dejavu-core/copyright "$prefix/licences/fonts-dejavu/debian-copyright"
printf 'fonts-dejavu\t%s\tBitstream-Vera\n' \
	"$(dpkg-query -W -f '${Version}' fonts-dejavu-core)" >"$prefix/build/fonts-dejavu.line"
cat "$prefix"/build/*.line >"$prefix/licences/LIBRARIES.txt"

# What the wheel takes, under the names that are asked for.
rm -rf "$prefix/wheel"
mkdir "$prefix/wheel"
cp /usr/share/fonts/truetype/dejavu/DejaVuSans{,-Bold}.ttf "$prefix/wheel"
for library in "$prefix"/lib/*.so; do
	name=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
	cp -L "$library" "$prefix/wheel/$name"
done
