#!/bin/sh
# The GPU's rows of docs/validation.md, on one GPU.
#
#     bench/cuda/validation.sh BUILD [ROW ...]      all rows where none is named
#
# bits        tests/test_gpu*.c, tests/cli/test_gpu.sh, tests/check_bits.sh cuda
# slow        the first with WAVESIFT_SLOW=1 (some ten times the cases)
# ensembles   Improved CEEMDAN, N = 4096 .. 358 401 x I = 100 .. 500 x S = 10, 20, 50
# long        500 000 and 1 000 000 x 500
# length      one signal, N = 1024 .. 1 048 576, all modes by 10 sifts: GPU beside one core, and the
#             way that each mode goes (Waskito et al. 2011, figures 12 and 13)
# rules       10 240 x 100 and 102 401 x 100: ten sifts beside Rilling's rule (their figure 15)
# joint       multivariate EMD, 32 x 64 and 128 x 256 over N (Wang & Juhasz 2023, figures 13 to 18)
# shares      where the time of a job of it goes, by kernel (their tables 5 and 6; needs ncu)
# voice       20 x 65 536, 8 modes x 1000 sifts, f32 and f64, GPU and one core; the drift of f32
# memcheck racecheck initcheck synccheck
#             compute-sanitizer on small jobs, each within SANITIZER_SECONDS (default 120);
#             racecheck takes some five minutes
#
# BUILD has libwavesift.a, libwavesift_cuda.so, and what the rows run: test_gpu*, bits_digest,
# wavesift.  What is absent prints NOT RUN.  Exit status 1 if a row fails.  The head of the output
# says which card it was, and of which numerics version the tree is.
set -u
build=$(cd "${1:?usage: bench/cuda/validation.sh BUILD [ROW ...]}" && pwd) || exit 2
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=$build/bench/cuda
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
[ $# -gt 0 ] || set -- bits slow ensembles long length rules joint shares voice memcheck racecheck initcheck synccheck

# runner NAME: builds NAME.c of this folder.
runner() {
	[ -e "$build/libwavesift.a" ] && [ -e "$build/libwavesift_cuda.so" ] || return 1
	ln -sf "$build/libwavesift_cuda.so" "$out/"
	cc -O2 -std=gnu17 -I"$root/include" -I"$root/src" "$here/$1.c" "$build/libwavesift.a" \
		-lm -ldl -lpthread -o "$out/$(basename "$1")"
}

# tell WHAT COMMAND..: what it prints, then pass, FAIL or NOT RUN (77).
tell() {
	what=$1
	shift
	status=0
	"$@" || status=$?
	case $status in
	0) echo "$what: pass" ;;
	77) echo "$what: NOT RUN" ;;
	*) echo "$what: FAIL ($status)"; failed=1 ;;
	esac
}

programs() {
	for program in "$build"/test_gpu*; do
		[ -x "$program" ] || continue
		tell "$(basename "$program")" "$program"
	done
}

bits() {
	programs
	export WAVESIFT_SOURCE="$root" WAVESIFT_BUILD="$build"
	[ ! -x "$build/wavesift" ] || tell test_gpu.sh bash "$root/tests/cli/test_gpu.sh"
	[ ! -x "$build/bits_digest" ] || tell check_bits.sh bash "$root/tests/check_bits.sh" cuda
}

ensembles() {
	runner ensemble || { echo "NOT RUN"; return; }
	for n in 4096 10240 51200 102400 204800 358401; do
		for realizations in 100 300 500; do
			for sifts in 10 20 50; do
				tell "$n x $realizations, $sifts sifts" \
					"$out/ensemble" "$n" "$realizations" f32 12 "$sifts"
			done
		done
	done
}

long() {
	runner ensemble || { echo "NOT RUN"; return; }
	for n in 500000 1000000; do
		tell "$n x 500" "$out/ensemble" "$n" 500 f32 12 10
	done
}

# Of a line of JSON, the numbers named, in one line.
pick() {
	"${PYTHON:-python3}" -c '
import json, sys
line = json.loads(sys.stdin.readline())
print(*(f"{k} {line[k]:.4g}" for k in sys.argv[1:] if k in line), sep=", ")' "$@"
}

length() {
	runner emd && runner ../memd/memd || { echo "NOT RUN"; return; }
	for n in 1024 4096 16384 65536 262144 1048576; do
		for device in cuda cpu; do
			echo "$n on $device: $(OMP_NUM_THREADS=1 taskset -c 0 "$out/memd" 1 0 "$n" f32 12 10 \
				"$device" | pick seconds ps)"
		done
		"$out/emd" "$n" 1 f32 10 verbose 2>&1 | grep -v '^{'
	done
}

rules() {
	runner emd || { echo "NOT RUN"; return; }
	for shape in "10240 100" "102401 100" "5000 1000"; do
		for rule in 10 rilling; do
			# shellcheck disable=SC2086
			echo "$shape, $rule: $("$out/emd" $shape f32 $rule | pick first_mode_ps all_modes_ps)"
		done
	done
}

joint() {
	runner ../memd/memd || { echo "NOT RUN"; return; }
	for shape in "32 64" "128 256"; do
		for n in 1000 4000 10000 30504 100000; do
			# shellcheck disable=SC2086
			echo "$shape x $n: $("$out/memd" $shape "$n" f32 | pick seconds ps)"
		done
	done
}

# Sums ncu's durations by kernel.
shares() {
	command -v ncu >/dev/null && runner ../memd/memd || { echo "NOT RUN"; return; }
	ncu --metrics gpu__time_duration.sum --csv --launch-count 2000 \
		"$out/memd" 32 64 30504 f32 4 5 2>/dev/null | "${PYTHON:-python3}" -c '
import csv, sys
times = {}
rows = [line for line in sys.stdin if line.startswith("\"")]
for row in csv.DictReader(rows):
    name = row["Kernel Name"].split("(")[0].split("<")[0].removeprefix("void ")
    times[name] = times.get(name, 0.0) + float(row["Metric Value"].replace(",", ""))
total = sum(times.values())
for name, time in sorted(times.items(), key=lambda item: -item[1]):
    print(f"{100 * time / total:5.1f} %  {name}")
sys.exit(0 if times else 1)' || { echo "NOT RUN: ncu gave no times"; }
}

voice() {
	[ -x "$build/wavesift" ] || { echo "NOT RUN: no program"; return; }
	"${PYTHON:-python3}" "$here/voice.py" make "$work/voice.npy" || { failed=1; return; }
	for way in "f32 cuda" "f64 cuda" "f32 cpu"; do
		# shellcheck disable=SC2086
		set -- $way
		start=$(date +%s.%N)
		"$build/wavesift" emd "$work/voice.npy" --fs 44100 --modes 8 --sifts 1000 --precision "$1" \
			--device "$2" --threads 1 -q --overwrite -o "$work/$1_$2.npy" || failed=1
		date +%s.%N | awk -v a="$start" -v way="$way" '{ printf "%s: %.2f s\n", way, $1 - a }'
	done
	tell "f32, GPU and CPU" cmp "$work/f32_cuda.npy" "$work/f32_cpu.npy"
	"${PYTHON:-python3}" "$here/voice.py" drift "$work/f64_cuda.npy" "$work/f32_cuda.npy"
}

# racecheck takes minutes a job: the small ones of test_gpu_ways, of every way and both types.
racecheck() {
	if ! command -v compute-sanitizer >/dev/null || [ ! -x "$build/test_gpu_ways" ]; then
		echo "NOT RUN"
		return
	fi
	tell racecheck env WAVESIFT_FAST=1 compute-sanitizer --tool racecheck --error-exitcode 3 \
		"$build/test_gpu_ways"
}

# sanitize TOOL: rows short, whole, by teams, in relays and by steps; fixed sifts and Rilling's rule.
sanitize() {
	if ! command -v compute-sanitizer >/dev/null || ! runner emd; then
		echo "NOT RUN"
		return
	fi
	for shape in "300 400" "1500 300" "5000 200" "20000 140" "40000 70" "12000 2" "60000 10"; do
		for type in f32 f64; do
			for rule in 3 rilling; do
				# shellcheck disable=SC2086
				tell "$1, $shape, $type, $rule" timeout "${SANITIZER_SECONDS:-120}" \
					compute-sanitizer --tool "$1" --error-exitcode 3 \
					"$out/emd" $shape "$type" "$rule" 12bit
			done
		done
	done
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || true
sed -n 's/^#define \(WSI_NUMERICS_VERSION .*\)/\1/p' "$root/src/math/real.h"
for row; do
	echo "== $row"
	case $row in
	slow)
		export WAVESIFT_SLOW=1
		programs
		unset WAVESIFT_SLOW ;;
	memcheck | initcheck | synccheck) sanitize "$row" ;;
	racecheck) racecheck ;;
	bits) bits ;;
	ensembles) ensembles ;;
	long | length | rules | joint | shares) "$row" ;;
	voice) voice ;;
	*) echo "validation.sh: no row '$row'; see the head of this file" >&2; exit 2 ;;
	esac
done
exit $failed
