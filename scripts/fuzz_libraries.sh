#!/bin/bash
# Builds HDF5 and libsndfile, instrumented, from the sources of this Debian release, so that
# fuzzing sees into them.
#
#     scripts/fuzz_libraries.sh PREFIX
#     PKG_CONFIG_PATH=PREFIX/lib/pkgconfig make fuzz CMAKE_ARGS=-DHDF5_HL=PREFIX/lib/libhdf5_hl.a
#
# Needs clang and dpkg-dev.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
. "$(dirname "$0")/sources.sh"
mkdir -p "$1/build/hdf5" "$1/lib/pkgconfig"
prefix=$(cd "$1" && pwd)
flags="-O2 -gline-tables-only -w -fno-omit-frame-pointer -fsanitize=address,fuzzer-no-link"
jobs=$(nproc)
# HDF5's build runs programs, which forget what they allocated.
export ASAN_OPTIONS=detect_leaks=0

sources "$prefix" "$(. /etc/os-release && echo "$VERSION_CODENAME")" hdf5 libsndfile
cd "$prefix/src"

# For each file that is opened HDF5 clears a table of half a megabyte: a smaller one does as well.
sed -i 's/^\(#define H5C__HASH_TABLE_LEN  *\)(64 \* 1024)/\1(1024)/' hdf5/src/H5Cpkg.h
grep -q '^#define H5C__HASH_TABLE_LEN  *(1024)' hdf5/src/H5Cpkg.h

# Its checks of the compiler do not pass with the sanitizers' flags.
cd "$prefix/build/hdf5"
sh "$prefix/src/hdf5/configure" CC=clang CFLAGS=-w --prefix="$prefix" --disable-shared \
	--enable-hl --disable-fortran --disable-cxx --disable-tests --disable-tools \
	--enable-build-mode=production --disable-dependency-tracking
for part in src hl; do
	make -j"$jobs" -C $part H5_CFLAGS=-std=c99 CFLAGS="$flags" install
done

common=(-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=None
	"-DCMAKE_C_FLAGS=$flags" -DCMAKE_INSTALL_PREFIX="$prefix" -DBUILD_SHARED_LIBS=OFF
	-DBUILD_TESTING=OFF)
cmake -S "$prefix/src/libsndfile" -B "$prefix/build/sndfile" "${common[@]}" \
	-DBUILD_PROGRAMS=OFF -DBUILD_EXAMPLES=OFF -DENABLE_CPACK=OFF -DENABLE_MPEG=OFF
cmake --build "$prefix/build/sndfile" -j"$jobs" --target install

describe()
{
	printf 'Name: %s\nDescription: instrumented\nVersion: %s\nCflags: -I%s\nLibs: -L%s %s\n' \
		"$1" "$2" "$prefix/include" "$prefix/lib" "$3" >"$prefix/lib/pkgconfig/$1.pc"
}
describe hdf5-serial 1.10 "-lhdf5 -lz -ldl -lm"
describe sndfile 1.2 "-lsndfile -lFLAC -lvorbisenc -lvorbis -logg -lopus -lm"
