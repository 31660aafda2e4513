#!/bin/bash
# Builds HDF5, matio and libsndfile, instrumented, from the sources of this Debian release, so that
# fuzzing sees into them.
#
#     scripts/fuzz_libraries.sh PREFIX
#     PKG_CONFIG_PATH=PREFIX/lib/pkgconfig make fuzz CMAKE_ARGS=-DHDF5_HL=PREFIX/lib/libhdf5_hl.a
#
# Needs clang and deb-src lines in apt's sources; PREFIX/src may have the sources already.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
mkdir -p "$1/src" "$1/build/hdf5" "$1/lib/pkgconfig"
prefix=$(cd "$1" && pwd)
flags="-O1 -g -w -fno-omit-frame-pointer -fsanitize=address,fuzzer-no-link"
jobs=$(nproc)

cd "$prefix/src"
for package in hdf5 libmatio libsndfile; do
	ls -d $package-*/ >/dev/null 2>&1 || apt-get source $package
done

# Its checks of the compiler do not pass with the sanitizers' flags.
cd "$prefix/build/hdf5"
sh "$prefix"/src/hdf5-*/configure CC=clang CFLAGS=-w --prefix="$prefix" --disable-shared \
	--enable-hl --disable-fortran --disable-cxx --disable-tests --disable-tools \
	--enable-build-mode=production --disable-dependency-tracking
for part in src hl; do
	make -j"$jobs" -C $part H5_CFLAGS=-std=c99 CFLAGS="$flags" install
done

common=(-DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=$flags"
	-DCMAKE_INSTALL_PREFIX="$prefix" -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF)
cmake -S "$prefix"/src/libmatio-*/ -B "$prefix/build/matio" "${common[@]}" -DMATIO_SHARED=OFF \
	-DMATIO_MAT73=ON -DMATIO_BUILD_TESTING=OFF -DHDF5_USE_STATIC_LIBRARIES=ON \
	-DHDF5_ROOT="$prefix"
cmake --build "$prefix/build/matio" -j"$jobs" --target matio
cp "$(find "$prefix/build/matio" -name 'libmatio*.a' | head -1)" "$prefix/lib/libmatio.a"
cp "$prefix"/src/libmatio-*/src/matio.h "$prefix/include/"
cp "$(find "$prefix/build/matio" -name matio_pubconf.h | head -1)" "$prefix/include/"

cmake -S "$prefix"/src/libsndfile-*/ -B "$prefix/build/sndfile" "${common[@]}" \
	-DBUILD_PROGRAMS=OFF -DBUILD_EXAMPLES=OFF -DENABLE_CPACK=OFF -DENABLE_MPEG=OFF
cmake --build "$prefix/build/sndfile" -j"$jobs" --target install

describe()
{
	printf 'Name: %s\nDescription: instrumented\nVersion: %s\nCflags: -I%s\nLibs: -L%s %s\n' \
		"$1" "$2" "$prefix/include" "$prefix/lib" "$3" >"$prefix/lib/pkgconfig/$1.pc"
}
describe hdf5-serial 1.10 "-lhdf5 -lz -ldl -lm"
describe matio 1.5 "-lmatio -lhdf5 -lz -ldl -lm"
describe sndfile 1.2 "-lsndfile -lFLAC -lvorbisenc -lvorbis -logg -lopus -lm"
