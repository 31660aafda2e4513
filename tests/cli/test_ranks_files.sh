#!/bin/bash
# The files of several ranks of MPI: all write the result, and each reads its part of the recording.
. "$(dirname "$0")/ranks.sh"

printf '0.25,0.5,0.25\n1,0,-1\n0.5,0,0.5\n' >masks.csv

# ---- All ranks write ----------------------------------------------------------------

# Rows that are long enough to have their places in the file.
sine_csv 20000 4 >long.csv
long=(long.csv --fs 100 --freqs 1:40:12:log)
once 3 "long rows" cwt "${long[@]}"
# But for the facts of how it was made the file has the same bytes: nothing lies as it came.
that "as they lie" test "$(cmp -l one.h5 all.h5 | wc -l)" -lt 2000
once 3 "long rows of one channel" cwt "${long[@]}" -c 2 --quantity power --plot one.svg
mv one.svg all.svg
ok "their figure" "$ws" cwt "${long[@]}" -c 2 --quantity power -o one.h5 --overwrite --plot one.svg -q
that "by ranks is the same" cmp one.svg all.svg
once 2 "long rows in f32" cwt "${long[@]}" --precision f64 --store f32 --quantity magnitude
once 2 "long rows, octaves" cwt "${long[@]}" --octave-arrays
once 2 "long rows, compressed" cwt "${long[@]}" --compress
once 4 "long rows of conv" conv long.csv --masks masks.csv
once 2 "long rows of bands" bands long.csv --fs 100 --bands 1:4,4:8,8:13
once 3 "signal and residue" emd long.csv
once 2 "hht, whose residue rank 0 looks at" hht long.csv --fs 100
# A rank whose disk is full: here one that may not write far into a file.
full()
{
	timeout 120 mpirun --oversubscribe -n 1 "$ws" "$@" : -n 2 \
		bash -c 'ulimit -f 16000; exec "$0" "$@"' "$ws" "$@" 2>"$box/raw"
	local status=$?
	grep '^wavesift: ' "$box/raw" >&2
	return $status
}
fails "the disk of a rank is full" 4 "all.h5: the disk is full" full cwt "${long[@]}" --freqs 1:40:90:log \
	-o all.h5 --overwrite
that "one message" test "$(grep -c '^wavesift: ' "$box/raw")" = 1
that "what was there stays, nothing else is left" test -z "$(ls -A | grep part)"
rm -f long.csv all.svg one.svg

# ---- Each rank reads its part ----------------------------------------------------------

# Of a file in which all channels of a moment lie together, ranks turn a part of the time each.
once 3 "all channels of a moment together" emd "$eeg"
once 3 "in f32, some channels" emd "$eeg" -c Cz,Fz,Pz --precision f32 --from 5 --to 40
once 2 "resampled" cwt "$eeg" --resample 100 --freqs 1:40:9:log
ok "on standard output" team 3 "$ws" emd "$eeg" -c 2-4 --to 8 -o - -q
echo "$out" >all.csv
ok "by one" "$ws" emd "$eeg" -c 2-4 --to 8 -o - -q
that "the same" test "$out" = "$(cat all.csv)"
rm -f all.csv
# [sample][channel] of f64: a gap across the parts of two ranks, one too long, a sample that is not
# finite in the last part, one too large for f32, and samples that are all too small for it.
if command -v python3 >/dev/null; then
moments()
{
	python3 - "$@" <<'END'
import array, math, sys
name, what = sys.argv[1:]
n, channels = 6000, 4
gap = {"gap": range(2990, 3004), "long": range(2000, 4000), "end": range(5500, 5501)}.get(what, ())
def sample(t, c):
    if c == 2 and t in gap:
        return math.nan
    if what == "large" and c == 1 and t == 4500:
        return 1e300
    return (1e-42 if what == "small" and c == 3 else 1.0) * math.sin(0.1 * t * (c + 1))
x = array.array("d", (sample(t, c) for t in range(n) for c in range(channels)))
open(name, "wb").write(x.tobytes())
END
}
raw=(--raw f64,channels=4,order=sample --fs 100)
for what in gap long end large small; do moments $what.raw $what; done
once 2 "a gap across two parts" emd gap.raw "${raw[@]}" --nan interpolate
notes "is told" "interpolated 14 samples in 1 channel (3)" team 2 "$ws" emd gap.raw "${raw[@]}" --nan interpolate \
	-o all.h5 --overwrite
rm -f all.h5 one.h5
fails "a gap" 3 "channel 3 is not a finite number at sample 2991" team 2 "$ws" emd gap.raw "${raw[@]}"
fails "a gap that is too long" 3 "at sample 2001" team 2 "$ws" emd long.raw "${raw[@]}" \
	--nan interpolate
fails "in the last part" 3 "channel 3 is not a finite number at sample 5501" team 3 "$ws" emd end.raw "${raw[@]}"
fails "too large" 3 "channel 2 is 1e+300, more than f32 holds" team 3 "$ws" emd large.raw "${raw[@]}" --precision f32
fails "too small" 3 "channel 4 is not 0, but like all of its samples less than f32 holds" \
	team 3 "$ws" emd small.raw "${raw[@]}" --precision f32
rm -f *.raw
# How much that is: bytes read by three ranks of four; the first takes the file's checksum, too.
# Each would read all 16 MB; together they read 3/4 of them, and once what was turned.
reads()
{
	team 4 bash -c '"$0" "$@"; s=$?
		[ $OMPI_COMM_WORLD_RANK = 0 ] || sed -n "s/^rchar: //p" /proc/$$/io >read.$OMPI_COMM_WORLD_RANK
		exit $s' "$ws" "$@" && echo $(($(cat read.1) + $(cat read.2) + $(cat read.3)))
	rm -f read.[123]
}
moments part.raw none
for ((i = 0; i < 83; i++)); do cat part.raw; done >big.raw
for order in sample channel; do
	bytes=$(reads conv big.raw --raw f64,channels=16,order=$order --fs 1000 --masks masks.csv -o big.h5 --overwrite -q)
	# MPI and what a program is made of are read, too.
	most=$([ $order = sample ] && echo 40000000 || echo 28000000)
	that "order=$order: parts, not all, are read ($bytes bytes)" test "${bytes:-$most}" -lt $most
done
rm -f big.raw part.raw big.h5
else
	echo "SKIPPED  samples that are not finite, and bytes read: no python3"
fi
finish
