#!/bin/bash
# build.sh: all of the tree, of which each output takes its files.
set -euo pipefail
# conda-forge's HDF5 has no file for pkg-config.
mkdir -p pc
printf 'Name: hdf5-serial\nDescription: HDF5\nVersion: 1\nCflags: -I%s/include\nLibs: -L%s/lib -lhdf5\n' \
	"$PREFIX" "$PREFIX" >pc/hdf5-serial.pc
export PKG_CONFIG_PATH=$PWD/pc:$PREFIX/lib/pkgconfig
cmake -G Ninja -S . -B build $CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_LIBDIR=lib \
	-DWAVESIFT_CUDA="${WAVESIFT_CUDA:-OFF}" -DWAVESIFT_CARDS=all -DWAVESIFT_MPI=OFF
cmake --build build --target libwavesift.so wavesift_static program documents
cmake --install build
