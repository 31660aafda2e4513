#!/bin/sh
# Multivariate EMD on one core: wavesift against its yardstick in NumPy and SciPy
# (direct.py, the same fixed number of sifts) and, on its first 1000 samples, against
# memd.m under Octave (its own stop rule, all modes), in turn; whole processes, with
# ratios and the similarity of the results; wavesift's times are medians of five.
#
#     bench/memd/run.sh WAVESIFT [CHANNELS DIRECTIONS SAMPLES MODES SIFTS]
#
# PYTHON: an interpreter with NumPy and SciPy.  WS_PEERS: a folder with MEMD/memd.m
# (Rehman & Mandic, 10.2009).  RECORDING: an .npy of [channel][sample] to work on.
# What is absent prints NOT RUN.
set -eu
program=$(readlink -f "${1:?usage: bench/memd/run.sh WAVESIFT [CHANNELS DIRECTIONS SAMPLES MODES SIFTS]}")
channels=${2:-8} directions=${3:-64} samples=${4:-10000} modes=${5:-5} sifts=${6:-10}
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

"$python" "$here/recording.py" "$channels" "$samples" "$work/x.npy" "$work/x.mat" "${RECORDING:-}"

# Seconds of a command.
timed() {
	start=$(date +%s.%N)
	"$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
	date +%s.%N | awk -v a="$start" '{ print $1 - a }'
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'; }

# The median of five: they are short, and a machine is seldom quiet.
ours() {
	: >"$work/times"
	for _ in 1 2 3 4 5; do
		# shellcheck disable=SC2086
		timed "$program" memd "$work/x.npy" --reference memd --directions "$directions" --threads 1 \
			--device cpu --overwrite -q -o "$1" "$2" "$3" $4 >>"$work/times" || return 1
	done
	sort -g "$work/times" | sed -n 3p
}

echo "$channels channels x $directions directions x $samples samples, one core, f64"
mine=$(ours "$work/fixed.npy" --sifts "$sifts" "--modes $modes")
if theirs=$(timed "$python" "$here/direct.py" "$work/x.npy" "$work/direct.npy" "$directions" "$modes" "$sifts"); then
	similarity=$("$python" "$here/similarity.py" "$work/fixed.npy" "$work/direct.npy")
	echo "$modes modes x $sifts sifts: wavesift $mine s, NumPy $theirs s: $(ratio "$theirs" "$mine") times; least similarity $similarity"
else
	echo "$modes modes x $sifts sifts: wavesift $mine s, NumPy NOT RUN"
fi

mine=$(ours "$work/rule.npy" --to 1000 "")
memd=${WS_PEERS:-/nonexistent}/MEMD
if [ -e "$memd/memd.m" ] && theirs=$(timed octave-cli --no-gui -q --eval "addpath('$memd');
	load('$work/x.mat'); q = memd(x(1:1000,:), $directions); q = permute(q, [2 1 3]); save('-v6', '$work/memd.mat', 'q');"); then
	similarity=$("$python" "$here/similarity.py" "$work/rule.npy" "$work/memd.mat")
	echo "its own rule, all modes, 1000 samples: wavesift $mine s, memd.m $theirs s: $(ratio "$theirs" "$mine") times; least similarity $similarity"
else
	echo "its own rule, all modes, 1000 samples: wavesift $mine s, memd.m NOT RUN"
fi
