#!/bin/bash
# Every example of examples/ runs and says what it should, and fits on a page of 80 lines.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
failures=0

fail()
{
	echo "FAIL  $1"
	failures=$((failures + 1))
}

# The calls of CUDA's runtime that examples make, where its header is not there.
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
cat >"$box/cuda_runtime.h" <<'HEADER'
#include <stddef.h>
typedef enum cudaError { cudaSuccess } cudaError_t;
typedef struct CUstream_st *cudaStream_t;
enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost };
cudaError_t cudaStreamCreate(cudaStream_t *), cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamDestroy(cudaStream_t), cudaMalloc(void **, size_t), cudaFree(void *);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, int, cudaStream_t);
HEADER

# One line that each prints, as a pattern.
declare -A says=(
	[coherence]='^channels 0 and 1 at 12 Hz: coherence 1\.00, 20 ms late$'
	[decompose]="^mode 1: 0\.2[0-9]* cycles per sample"
	[device]='^power of channel 0 in the middle '
	[hilbert]='^mode 0: 30\.0 Hz on average; at 2 s 35\.0 Hz of amplitude 1\.00$'
	[masks]='^sample 50: mean of five 100\.6, slope 2\.0$'
	[stream]='^[1-9][0-9]* blocks in [0-9]* MiB; power of the last channel'
	[trials]='^10 Hz, 0\.2 s after the event: evoked 100 %, induced 0 %, coherence 1\.00$'
	[wavelets]='^5 s: 25\.1 Hz$'
)
for source in "$root"/examples/*.c; do
	name=$(basename "$source" .c)
	[ -n "${says[$name]:-}" ] || { fail "$name: this test does not know what it says"; continue; }
	[ "$(wc -l <"$source")" -le 80 ] || fail "$name: more than 80 lines"
	if [ "$name" = device ] && ! { [ -x "$build/examples/device" ] && nvidia-smi -L >/dev/null 2>&1; }; then
		${CC:-cc} -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$root/include" -I"$box" "$source" ||
			fail "$name: it does not compile"
		continue
	fi
	out=$("$build/examples/$name" 2>&1) || fail "$name: exit status $?: $out"
	grep -qE "${says[$name]}" <<<"$out" || fail "$name: it says: $out"
done
exit $((failures > 0))
