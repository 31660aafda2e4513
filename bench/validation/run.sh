#!/bin/sh
# run.sh - the rows of docs/validation.md.
#
#     bench/validation/run.sh [ROW ...]      all rows but the scan when none is named
#
# golden-fix10 golden-rilling golden-colominas
# libeemd-emd libeemd-eemd libeemd-ceemdan
# two-tone-golden two-tone-defaults two-tone-scan
# eeg stop-rules check-every precision
# frequency hht-truth hht-significance-emd hht-significance-iceemdan hht-significance-memd
#     hht-significance-locking coherence-levels (need python3 with NumPy, or PYTHON; the last five
#     run on all processors that there are)
# hht-emd hht-cycles hht-holospectrum hht-speed (need Python's emd 0.8.1, too)
# cwt-references cwt-significance cwt-trials cwt-coherence (the same, and the packages that they
# name)
# conv-numpy memd-rules (NumPy)
# cwt-superlets (the same, and the authors' code: SUPERLETS, the folder of its superlet.py)
#
# WAVESIFT_DATA  folder of recordings and golden vectors
# WS_PEERS       folder of peers: libeemd.so, CEEMDAN/ceemdan.m, CEEMDAN/emd.m;
#                what ceemdan.m gave is kept in its folder cache
# BUILD          build folder of the library (default: build)
# SHARE          of hht-significance-*, coherence-levels: so many times the signals (0.05: for a
#                look)
# PREBUILT       BUILD was built elsewhere and has what the rows run: nothing is built
# SAMPLES        of the EEG (default: 10000, minutes of Octave; 30504 is all)
#
# Exit status 1 if a row fails.  A row whose peer or data is absent prints NOT RUN.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
BUILD=${BUILD:-$root/build}
SAMPLES=${SAMPLES:-10000}
WS_PEERS=${WS_PEERS:-}
WAVESIFT_DATA=${WAVESIFT_DATA:-$root/../shared/data}
export WS_PEERS WAVESIFT_DATA

# The settings of ceemdan.m that eeg.c has, too.
noise=0.2 realizations=50 max_sifts=300 snr=1

# build TARGET: of BUILD.
build() {
	[ -z "${PREBUILT:-}" ] || return 0
	[ -f "$BUILD/CMakeCache.txt" ] || cmake -S "$root" -B "$BUILD" >/dev/null
	cmake --build "$BUILD" --target "$1" >/dev/null
}

programs=$BUILD/validation

# compiled NAME: $programs/NAME, of the library as it is now.
compiled() {
	[ -z "${PREBUILT:-}" ] || [ ! -x "$programs/$1" ] || return 0
	build wavesift_static
	mkdir -p "$programs"
	[ ! -x "$programs/$1" ] || [ -n "$(find "$here/$1.c" "$here"/common.[ch] \
		"$BUILD/libwavesift.a" -newer "$programs/$1")" ] || return 0
	${CC:-cc} -std=gnu17 -O2 -I"$root/include" -I"$root/src" "$here/$1.c" "$here/common.c" \
		"$BUILD/libwavesift.a" -pthread -ldl -lm -o "$programs/$1"
}

# The shared library.  Of its target, Ninja takes the name for that of the program.
library() {
	build libwavesift.so 2>/dev/null || build wavesift
}

# in_process SCRIPT ..: a script that calls the library; it has a process for each processor.
in_process() {
	library
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 WAVESIFT_LIBRARY=$BUILD/libwavesift.so \
		PYTHONPATH=$root/bindings/python "${PYTHON:-python3}" "$@"
}

# Runs of ceemdan.m with seeds 1 and 2, made where they are not there yet.
eeg() {
	recording=$WAVESIFT_DATA/eeg/pannon/eegSampleDataCH4.bin
	set --
	for seed in 1 2; do
		[ -f "$WS_PEERS/CEEMDAN/ceemdan.m" ] || continue
		result=$WS_PEERS/cache/ceemdan_${SAMPLES}_nr${realizations}_snr${snr}_seed$seed.f64
		if [ ! -f "$result" ] && command -v octave-cli >/dev/null; then
			mkdir -p "$WS_PEERS/cache"
			octave-cli -q "$here/ceemdan_peer.m" "$WS_PEERS/CEEMDAN" "$recording" "$SAMPLES" \
				"$result" $seed $noise $realizations $max_sifts $snr >/dev/null 2>"$result.log" ||
				{ cat "$result.log" >&2; return 1; }
		fi
		[ ! -f "$result" ] || set -- "$@" "$result"
	done
	compiled eeg && "$programs/eeg" "$SAMPLES" 12 "$@"
}

row() {
	case $1 in
	golden-*) compiled golden && "$programs/golden" "${1#golden-}" ;;
	libeemd-*) compiled libeemd && "$programs/libeemd" "${1#libeemd-}" ;;
	two-tone-*) compiled two_tone && "$programs/two_tone" "${1#two-tone-}" ;;
	eeg) eeg ;;
	stop-rules) compiled rules && "$programs/rules" stop ;;
	check-every) compiled rules && "$programs/rules" check-every ;;
	precision) compiled precision && "$programs/precision" ;;
	frequency)
		"${PYTHON:-python3}" -c 'import numpy' 2>/dev/null || { echo "NOT RUN: no NumPy"; return 0; }
		build wavesift_cli
		"${PYTHON:-python3}" "$here/frequency.py" "$BUILD/wavesift" ;;
	hht-significance-*)
		"${PYTHON:-python3}" -c 'import numpy' 2>/dev/null || { echo "NOT RUN: no NumPy"; return 0; }
		in_process "$here/hht_significance.py" "${1#hht-significance-}" ${SHARE:+"$SHARE"} ;;
	coherence-levels)
		"${PYTHON:-python3}" -c 'import numpy' 2>/dev/null || { echo "NOT RUN: no NumPy"; return 0; }
		in_process "$here/coherence_levels.py" ${SHARE:+"$SHARE"} ;;
	hht-*)
		"${PYTHON:-python3}" -c 'import numpy' 2>/dev/null || { echo "NOT RUN: no NumPy"; return 0; }
		build program
		compiled hht && OMP_NUM_THREADS=1 "${PYTHON:-python3}" -W ignore "$here/hht.py" \
			"$programs/hht" "${1#hht-}" "$BUILD/wavesift" ;;
	cwt-references)
		"${PYTHON:-python3}" -c 'import numpy' 2>/dev/null || { echo "NOT RUN: no NumPy"; return 0; }
		compiled cwt && "${PYTHON:-python3}" "$here/cwt_peers.py" "$programs/cwt" ;;
	cwt-significance)
		"${PYTHON:-python3}" -c 'import numpy' 2>/dev/null || { echo "NOT RUN: no NumPy"; return 0; }
		build program
		WS_DATA=$WAVESIFT_DATA "${PYTHON:-python3}" "$here/cwt_significance.py" "$BUILD/wavesift" ;;
	cwt-trials)
		"${PYTHON:-python3}" -c 'import numpy' 2>/dev/null || { echo "NOT RUN: no NumPy"; return 0; }
		build program
		WS_DATA=$WAVESIFT_DATA "${PYTHON:-python3}" "$here/cwt_trials.py" "$BUILD/wavesift" ;;
	cwt-coherence)
		"${PYTHON:-python3}" -c 'import numpy' 2>/dev/null || { echo "NOT RUN: no NumPy"; return 0; }
		build program
		WS_DATA=$WAVESIFT_DATA "${PYTHON:-python3}" "$here/cwt_coherence.py" "$BUILD/wavesift" ;;
	cwt-superlets)
		"${PYTHON:-python3}" -c 'import numpy' 2>/dev/null || { echo "NOT RUN: no NumPy"; return 0; }
		build program
		WS_DATA=$WAVESIFT_DATA "${PYTHON:-python3}" "$here/cwt_superlets.py" "$BUILD/wavesift" ;;
	memd-rules)
		"${PYTHON:-python3}" -c 'import numpy' 2>/dev/null || { echo "NOT RUN: no NumPy"; return 0; }
		build program
		"${PYTHON:-python3}" "$here/memd_rules.py" "$BUILD/wavesift" ;;
	conv-numpy)
		"${PYTHON:-python3}" -c 'import numpy' 2>/dev/null || { echo "NOT RUN: no NumPy"; return 0; }
		in_process "$here/conv_numpy.py" ;;
	*) echo "run.sh: no row '$1'; see the head of this file" >&2; return 2 ;;
	esac
}

# Every row but these reads data.
has_data() {
	case $1 in two-tone-defaults | two-tone-scan | precision | hht-* | conv-* | memd-* | \
		coherence-levels) return 0 ;; esac
	[ -d "$WAVESIFT_DATA/golden" ]
}

[ $# -gt 0 ] || set -- golden-fix10 golden-rilling golden-colominas libeemd-emd libeemd-eemd \
	libeemd-ceemdan two-tone-golden two-tone-defaults eeg stop-rules check-every frequency \
	cwt-references cwt-significance cwt-trials cwt-coherence cwt-superlets hht-emd \
	hht-cycles hht-holospectrum hht-truth conv-numpy memd-rules
failed=0
for name; do
	echo "== $name"
	if has_data "$name"; then
		row "$name" || failed=1
	else
		echo "NOT RUN: no golden vectors under WAVESIFT_DATA"
	fi
done
exit $failed
