#!/bin/sh
# Sifting on the GPU: wavesift's kernels against the published method (published.cu), both
# built and run here in turn, f32 and f64; a table with ratios.
#
#     bench/cuda/run.sh BUILD
#
# BUILD is a build folder of the library.  The runners and what they printed,
# cuda.jsonl, are left in BUILD/bench/cuda.  ARCH: nvcc's -arch, "native" where not given.
# wavesift's runner is emd.c or emd.cu beside this script; where it or the library is absent
# or fails, NOT RUN is printed.
set -eu
build=$(cd "${1:?usage: bench/cuda/run.sh BUILD}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
out=$build/bench/cuda
mkdir -p "$out"

compile() {
	nvcc -O3 -arch="${ARCH:-native}" "$@"
}

rm -f "$out/emd" "$out/published"
compile -std=c++17 "$here/published.cu" -lcusparse -o "$out/published"
for source in "$here/emd.c" "$here/emd.cu"; do
	if [ -e "$source" ] && [ -e "$build/libwavesift.so" ]; then
		compile -I"$here/../../include" -I"$here/../../src" "$source" -L"$build" -lwavesift \
			-Xlinker -rpath="$build" -o "$out/emd"
	fi
done

: >"$out/cuda.jsonl"
for shape in "102401 100" "10240 100" "1048576 1" "512 100000"; do
	for type in f32 f64; do
		for runner in published emd; do
			# A runner that fails has said why on standard error; the table says NOT RUN.
			# shellcheck disable=SC2086
			[ ! -x "$out/$runner" ] || "$out/$runner" $shape "$type" >>"$out/cuda.jsonl" || true
		done
	done
done

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || true
python3 "$here/table.py" "$out/cuda.jsonl"
