#!/bin/bash
# check_bits.sh [cuda]: results have the bits of data/bits.txt, by the plain kernels and the best
# there are, or by the GPU.  `make bits` makes the file anew, for a new numerics version.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
result=$(mktemp)
trap 'rm -f "$result"' EXIT
kernels=(plain "")
[ $# -gt 0 ] && kernels=("$@")
for by in "${kernels[@]}"; do
	"$build/bits_digest" $by >"$result"
	status=$?
	if [ $status -ne 0 ]; then
		cat "$result"
		exit $status
	fi
	if ! differences=$(diff "$root/tests/data/bits.txt" "$result"); then
		echo "${by:-the best kernels}: $(grep -c '^>' <<<"$differences") lines with other bits than" \
			"tests/data/bits.txt.  If they are meant to, raise WSI_NUMERICS_VERSION" \
			"(src/math/real.h) and run make bits."
		head -20 <<<"$differences"
		exit 1
	fi
	echo "${by:-best}: the bits of $(($(wc -l <"$result") - 1)) results"
done
