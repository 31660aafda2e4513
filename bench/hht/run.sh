#!/bin/sh
# Hilbert-Huang spectra on a GPU: the analysis of modes in its memory beside a round trip of cuFFT
# (analysis.cu), and the audio case of Waskito et al. 2011 on CPU and GPU (audio.c):
#
#     bench/hht/run.sh BUILD
#
# BUILD is a build folder of the library and its GPU backend (make).  ARCH: nvcc's -arch, "native"
# where not given.  What is absent prints NOT RUN.
set -eu
build=$(cd "${1:?usage: bench/hht/run.sh BUILD}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
out=$build/bench/hht
mkdir -p "$out"
if ! command -v nvcc >/dev/null || [ ! -e "$build/libwavesift_cuda.so" ]; then
	echo "NOT RUN: no nvcc, or $build has no libwavesift_cuda.so"
	exit 0
fi
nvcc -O2 -arch="${ARCH:-native}" -std=c++17 -I"$here/../../include" -I"$here/.." "$here/analysis.cu" \
	"$build/libwavesift.a" -lcufft -lm -lpthread -ldl -o "$out/analysis"
cc -O2 -std=gnu17 -I"$here/../../include" -I"$here/.." "$here/audio.c" "$build/libwavesift.a" -lm -lpthread \
	-ldl -o "$out/audio"
ln -sf "$build/libwavesift_cuda.so" "$out/" # the backend is looked for beside the program
python3 "$here/../cuda/voice.py" make "$out/voice1.npy" 1 65536
python3 "$here/../cuda/voice.py" make "$out/voice20.npy" 20 65536
"$out/analysis"
"$out/audio" "$out/voice1.npy"
"$out/audio" "$out/voice20.npy"
