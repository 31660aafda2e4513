#!/bin/sh
# Convolution with many masks on one core beside PyWavelets, twice in turn:
#
#     bench/conv/run.sh BUILD [SAMPLES SCALES]
#
# PYTHON: an interpreter with NumPy and PyWavelets; without them they print NOT RUN.
set -eu
build=${1:?usage: bench/conv/run.sh BUILD [SAMPLES SCALES]}
shift
here=$(dirname "$0")
for _ in 1 2; do
	"$build/bench/conv" "$@"
	"${PYTHON:-python3}" "$here/peers.py" "$@"
done
