#!/bin/sh
# Sifting on the GPU: wavesift's kernels against the published method (published.cu), both
# built and run here in turn, f32 and f64; a table with ratios.
#
#     bench/cuda/run.sh BUILD
#
# BUILD is a build folder of the library and its GPU backend (make).  The runners and what
# they printed, cuda.jsonl, are left in BUILD/bench/cuda.  ARCH: nvcc's -arch for the
# published method, "native" where not given.  What is absent or fails prints NOT RUN.
# ensemble.c is Improved CEEMDAN with everything counted; libeemd.c the same beside libeemd on all
# processors, from $WS_PEERS/libeemd.so (bench/README.md); ../memd/memd.c is multivariate EMD.
set -eu
build=$(cd "${1:?usage: bench/cuda/run.sh BUILD}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
out=$build/bench/cuda
mkdir -p "$out"

rm -f "$out/emd" "$out/ensemble" "$out/libeemd" "$out/memd" "$out/published"
nvcc -O3 -arch="${ARCH:-native}" -std=c++17 "$here/published.cu" -lcusparse -o "$out/published"
if [ -e "$build/libwavesift.a" ] && [ -e "$build/libwavesift_cuda.so" ]; then
	for runner in emd ensemble libeemd ../memd/memd; do
		cc -O2 -std=gnu17 -I"$here/../../include" -I"$here/../../src" "$here/$runner.c" \
			"$build/libwavesift.a" -lm -ldl -lpthread -o "$out/$(basename $runner)"
	done
	ln -sf "$build/libwavesift_cuda.so" "$out/" # the backend is looked for beside the program
fi

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

if [ -x "$out/ensemble" ]; then
	for shape in "102401 500 f32" "102401 500 f64" "30504 100 f32 12 10 1" "30504 100 f32 12 10 32"; do
		# shellcheck disable=SC2086
		"$out/ensemble" $shape || true
	done
	"$out/libeemd" 102400 100 || true
	for shape in "32 64 30504 f32" "32 64 30504 f32 1" "32 64 30504 f64" "64 128 20000 f32" "128 256 10000 f32"; do
		# shellcheck disable=SC2086
		"$out/memd" $shape || true
	done
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || true
python3 "$here/table.py" "$out/cuda.jsonl"
