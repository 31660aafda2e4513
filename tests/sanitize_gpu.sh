#!/bin/bash
# sanitize_gpu.sh [TOOL..]: compute-sanitizer over small jobs of every way of a sift, of joint
# sifting, and of the other transforms.  Needs a GPU and CUDA's tools.  TOOL: memcheck, racecheck,
# initcheck, synccheck; all where none is named.  WAVESIFT_BUILD: the folder with the test programs
# (build).
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${WAVESIFT_BUILD:-$root/build}
[ $# -gt 0 ] || set -- memcheck racecheck initcheck synccheck
status=0
for tool in "$@"; do
	for program in test_gpu_ways test_gpu_joint test_gpu_conv test_gpu_conv_calls \
		test_gpu_hht test_gpu_cwt test_gpu_spectra; do
		echo "== $tool $program"
		WAVESIFT_FAST=1 timeout "${SANITIZE_SECONDS:-600}" compute-sanitizer --tool "$tool" \
			--error-exitcode 9 "$build/$program" 2>&1 | tail -12
		[ "${PIPESTATUS[0]}" -eq 0 ] || status=1
	done
done
exit $status
