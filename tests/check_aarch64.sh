#!/bin/bash
# The same bits on aarch64: the core, built with the cross compiler and run
# under qemu-user, against tests/data/bits.txt, which check_bits.sh holds this machine to.
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

# compile FILE: an object in $work, named after the file's path.  Kernels are as in a release; the
# rest is less optimised, which takes half the time.
compile()
{
	local object=${1#"$root"/} level=-O1
	[[ $object == src/cpu/isa_* ]] && level=-O3
	$cross -std=gnu17 $level -pthread -ffp-contract=off -fno-math-errno -fno-trapping-math \
		-I"$root/include" -I"$root/src" -I"$root/tests" -c "$1" -o "$work/${object//\//_}.o"
}
export -f compile
export root cross work
sources=("$root"/src/{base,math,api,transform,run,algo,ops,cpu}
	"$root"/tests/{bits_digest,helper_core}.c)
# The long ones first.
{
	printf '%s\0' "$root"/src/cpu/isa_{neon,plain}.c
	find "${sources[@]}" -name '*.c' ! -name 'isa_*.c' -print0
} | xargs -0 -P "$(nproc)" -I{} bash -c 'compile "$1"' compile {}
$cross -static -pthread "$work"/*.o -o "$work/digest" -lm 2>"$work/log.txt" || {
	cat "$work/log.txt"
	exit 1
}

# All by the kernels that such a machine takes, every third by the plain ones, which it never does.
declare -A step=([neon]=1 [plain]=3)
for isa in neon plain; do
	"$qemu" "$work/digest" $isa ${step[$isa]} >"$work/$isa.txt" &
done
for isa in neon plain; do
	wait -n
done
for isa in neon plain; do
	awk -v step=${step[$isa]} 'NR == 1 || (NR - 2) % step == 0' "$root/tests/data/bits.txt" \
		>"$work/want.txt"
	if ! diff "$work/want.txt" "$work/$isa.txt" >"$work/diff.txt"; then
		echo "aarch64 ($isa) has other bits than tests/data/bits.txt:"
		head -20 "$work/diff.txt"
		exit 1
	fi
	echo "aarch64 $isa under qemu: the bits of $(($(wc -l <"$work/$isa.txt") - 1)) results"
done
