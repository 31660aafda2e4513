#!/bin/bash
# src/math compiles for the GPU as it stands, and gives the same bits there
# where there is one.  What is written for some architectures alone compiles for the oldest too.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
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

# One source for each that asks for __CUDA_ARCH__; hardly optimised, which is soon done.
quickly=(-Xcicc -O0)
nvcc --help | grep -e --Ofast-compile >/dev/null && quickly=(--Ofast-compile=max)
sources=(conv/direct_tensor cwt/fold cwt/tiles_f64 emd/joint_f64 emd/sift_f64 hht/hht)
options=(-std=c++17 -arch=compute_75 --fmad=false -I"$root/include" -I"$root/src"
	-isystem "$build/random123")
seen=
for source in "${sources[@]}"; do
	file=$root/src/cuda/$source.cu
	nvcc "${options[@]}" -ptx "${quickly[@]}" "$file" -o /dev/null || exit 1
	seen+=$(nvcc "${options[@]}" -M "$file")
done
status=0
for file in $(grep -rl __CUDA_ARCH__ "$root/src/cuda"); do
	[[ "$seen" == *"${file#"$root"/}"* ]] && continue
	echo "FAIL  $file asks for __CUDA_ARCH__, and no source of this check includes it"
	status=1
done
[ $status -eq 0 ] && echo "${#sources[@]} sources compile for compute capability 7.5"
nvidia-smi -L >/dev/null 2>&1 || exit $status
"$program" && exit $status
