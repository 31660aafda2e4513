#!/bin/bash
# src/math compiles for the GPU as it stands, and gives the same bits there
# where there is one.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
if ! command -v nvcc >/dev/null; then
	echo "SKIPPED: there is no nvcc"
	exit 77
fi
program=$(mktemp)
trap 'rm -f "$program"' EXIT
nvcc -std=c++17 -O2 -gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=sm_90 \
	--fmad=false -Xcompiler -ffp-contract=off -I"$root/include" -I"$root/src" \
	"$root/tests/math_cuda.cu" -o "$program" || exit 1
echo "src/math compiles for the GPU"
nvidia-smi -L >/dev/null 2>&1 || exit 0
"$program"
