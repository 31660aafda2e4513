#!/bin/bash
# What is installed suffices: a program finds header and library by pkg-config
# and by CMake, shared and static, and the documents are in their places.
set -euo pipefail
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
if grep -q '^WAVESIFT_SANITIZE:STRING=..*' "$build/CMakeCache.txt"; then
	echo "SKIPPED  a sanitized library needs its runtime"
	exit 77
fi
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
cmake --install "$build" --prefix "$box/usr" >/dev/null
for file in bin/wavesift share/man/man1/wavesift.1 share/doc/wavesift/LICENSE \
	share/bash-completion/completions/wavesift share/zsh/site-functions/_wavesift; do
	[ -s "$box/usr/$file" ] || { echo "$file is not installed"; exit 1; }
done
"$box/usr/bin/wavesift" --version

lib=$(dirname "$(find "$box/usr" -name libwavesift.so)")
if [ -e "$build/libwavesift_cuda.so" ]; then
	# Found from where the program is, and why it has no GPU is another matter.
	"$box/usr/bin/wavesift" devices >"$box/devices"
	if grep "no GPU backend is installed" "$box/devices"; then
		exit 1
	fi
fi
if [ -e "$build/libwavesift_mpi.so" ]; then
	# Found likewise; there is nobody to work with.
	if OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		"$box/usr/bin/wavesift" emd none.edf 2>"$box/ranks"; then
		exit 1
	fi
	if ! grep "cannot work together" "$box/ranks" | grep -v "is not beside this program"; then
		cat "$box/ranks"
		exit 1
	fi
fi
cp "$root/examples/decompose.c" "$box/user.c"
export PKG_CONFIG_PATH=$lib/pkgconfig
cc "$box/user.c" $(pkg-config --cflags --libs wavesift) -lm -o "$box/shared"
LD_LIBRARY_PATH=$lib "$box/shared" | grep "^mode 1"
rm "$lib"/libwavesift.so*.*
mv "$lib/libwavesift.so" "$box/hidden"
cc "$box/user.c" $(pkg-config --static --cflags --libs wavesift) -lm -o "$box/static"
"$box/static" >/dev/null

cmake --install "$build" --prefix "$box/usr" >/dev/null
cat >"$box/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(wavesift 0.1 REQUIRED)
add_executable(with_shared user.c)
target_link_libraries(with_shared wavesift::wavesift m)
add_executable(with_static user.c)
target_link_libraries(with_static wavesift::wavesift_static m)
END
cmake -S "$box" -B "$box/build" -DCMAKE_PREFIX_PATH="$box/usr" >/dev/null
cmake --build "$box/build" >/dev/null
"$box/build/with_shared" >/dev/null
"$box/build/with_static" >/dev/null
echo "installed and used"
