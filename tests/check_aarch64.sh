#!/bin/bash
# The same bits on aarch64: the core, built with the cross compiler and run
# under qemu-user, against the instruction sets of this machine.
# Exit 77, with a word, where compiler or emulator are missing.
set -eu
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cross=aarch64-linux-gnu-gcc
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
if [ -z "$qemu" ] || ! echo '#include <stdlib.h>' | $cross -E - >/dev/null 2>&1; then
	echo "SKIPPED: $cross, its C library and qemu-aarch64 are needed (scripts/setup.sh --dev)"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags="-std=gnu17 -O2 -pthread -ffp-contract=off -fno-math-errno -fno-trapping-math
	-I$root/include -I$root/src -I$root/tests"
sources=$(ls "$root"/src/{base,math,api,transform,run,algo,ops,ops/ref,cpu}/*.c 2>/dev/null |
	grep -v '/cpu/isa_\(avx2\|avx512\)\.c$')
tests="$root/tests/bits_digest.c $root/tests/helper_core.c"
$cross $flags -static $sources $tests -o "$work/digest-aarch64" -lm 2>"$work/log.txt" || {
	cat "$work/log.txt"
	exit 1
}

native_sources=$(ls "$root"/src/{base,math,api,transform,run,algo,ops,ops/ref,cpu}/*.c 2>/dev/null |
	grep -v '/cpu/isa_[a-z0-9]*\.c$')
for isa in plain avx2 avx512; do
	case $isa in
	plain) options= ;;
	avx2) options="-mavx2 -mfma -mbmi -mbmi2 -mlzcnt -mpopcnt" ;;
	avx512) options="-mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx2 -mfma -mbmi -mbmi2 -mlzcnt
		-mpopcnt" ;;
	esac
	[ "$(uname -m)" = x86_64 ] || continue
	cc $flags $options -c "$root/src/cpu/isa_$isa.c" -o "$work/isa_$isa.o"
done
if [ "$(uname -m)" != x86_64 ]; then
	echo "SKIPPED: made to compare with an x86-64 machine"
	exit 77
fi
cc $flags $native_sources "$work"/isa_*.o $tests -o "$work/digest" -lm

"$work/digest" >"$work/native.txt"
lines=$(wc -l <"$work/native.txt")
for isa in neon plain; do
	"$qemu" "$work/digest-aarch64" $isa >"$work/$isa.txt"
	if ! diff "$work/native.txt" "$work/$isa.txt" >"$work/diff.txt"; then
		echo "aarch64 ($isa) and this machine differ:"
		head -20 "$work/diff.txt"
		exit 1
	fi
	echo "aarch64 $isa under qemu: the bits of this machine in $lines configurations"
done
