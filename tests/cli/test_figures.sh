#!/bin/bash
# Options of figures: page, resolution, title, modes, colours and axis, of --plot and of plot alike.
. "$(dirname "$0")/lib.sh"

# number OFFSET FILE: four bytes of a PNG, most significant first.
number()
{
	od -An -j"$1" -N4 -tu1 "$2" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'
}

# text FILE WORDS: is it text of an SVG?
text() { grep -q "<text .*>$2</text>" "$1"; }
no() { ! "$@"; }

ok "modes" "$ws" emd "$eeg" --to 10 -o emd.h5 -q --plot whole.svg --plot-channels 1-2
that "text is text" text whole.svg 'EMD of eeg.edf'
that "all modes" text whole.svg 'IMF 1'
that "and the residue" text whole.svg residue

# ---- The page
paper=(--size 180x120mm --dpi 300 --title none --plot-modes 2-4)
ok "for a paper" "$ws" plot emd.h5 -o paper.png -q "${paper[@]}"
that "180 mm" test "$(number 16 paper.png)" = 2125
that "120 mm" test "$(number 20 paper.png)" = 1417
that "300 dpi, as the file tells" test "$(number 41 paper.png)" = 11811
ok "the same by the command" "$ws" emd "$eeg" --to 10 -o again.h5 -q --plot again.png "${paper[@]}"
that "the same bytes" cmp paper.png again.png
ok "as SVG" "$ws" plot emd.h5 -o paper.svg -q "${paper[@]}"
that "its width" grep -q 'width="680' paper.svg
that "no title" no text paper.svg 'EMD of eeg.edf'
that "its modes" text paper.svg 'IMF 4'
that "no others" no text paper.svg 'IMF 1'
that "no residue" no text paper.svg residue
ok "a title" "$ws" plot emd.h5 -o titled.svg -q --title 'A < B & C' --plot-modes 3,residue
that "it" text titled.svg 'A &lt; B &amp; C'
that "the residue" text titled.svg residue
ok "spectra of some" "$ws" plot emd.h5 --figure spectra -o some.svg -q --plot-modes 2-3
that "by their numbers" text some.svg 'IMF 3'
that "alone" no text some.svg 'IMF 1'
ok "many channels" "$ws" plot emd.h5 -o many.pdf -q -c '*'
ok "three columns in little width" "$ws" plot emd.h5 -o little.svg -q --size 88mm -c 1-3
that "have a time axis each" test "$(grep -c '<text[^>]*>5</text>' little.svg)" -ge 3
ok "a part of it" "$ws" plot emd.h5 -o part.svg -q --size 88mm -c 1-3 --from 2 --to 9.5
that "with several labels" text part.svg 4
channels=$("$ws" info "$eeg" --json | grep -o '"rate"' | wc -l)
that "eight to a page" test "$(grep -ac '/Type /Page$' many.pdf)" = $(((channels + 7) / 8))

# ---- Colours
ok "power" "$ws" cwt "$eeg" --to 10 -c 1 --freqs 2:40 --quantity power -o p.h5 -q --plot p.svg
that "in decibels" text p.svg 'power (dB re 1 .*)'
ok "linear" "$ws" plot p.h5 -o linear.svg -q --db=off --period
that "no decibels" no text linear.svg 'power (dB.*)'
that "periods" text linear.svg 'period (s)'
that "no frequencies" no text linear.svg 'frequency (Hz)'
ok "periods of spectra" "$ws" plot emd.h5 --figure spectra -o periods.svg -q --period
that "their axis" text periods.svg 'period (s)'
that "has 50 ms" text periods.svg 0.05
ok "magnitudes" "$ws" cwt "$eeg" --to 10 -c 1 --freqs 2:40 -o m.h5 -q --plot m.svg --db
that "decibels of them" text m.svg 'magnitude (dB re 1 .*)'
awk 'BEGIN { print "t,x"; for (i = 0; i < 400; i++)
	print i / 100 "," sin(i) * (i < 150 || i > 170 ? 1e-3 : 1) }' >burst.csv
ok "a burst" "$ws" cwt burst.csv --freqs 5:40 -o b.h5 -q --plot b.svg --overwrite
that "takes decibels" text b.svg 'magnitude (dB re 1 unit)'
ok "not where the user sets colours" "$ws" plot b.h5 -o c.svg -q --clim 0:0.5
that "linear then" text c.svg 'magnitude'

# The share of a PNG's pixels that are dark, in percent.
cat >dark.py <<'END'
import struct, sys, zlib
data, at, packed = open(sys.argv[1], "rb").read(), 8, b""
while at < len(data):
    n, kind = struct.unpack(">I4s", data[at:at + 8])
    if kind == b"IHDR":
        w, h, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        assert (depth, colour) == (8, 2)
    packed += data[at + 8:at + 8 + n] if kind == b"IDAT" else b""
    at += 12 + n
rows, above, dark = zlib.decompress(packed), bytes(3 * w), 0
for y in range(h):
    how, *row = rows[y * (3 * w + 1):(y + 1) * (3 * w + 1)]
    for i in range(3 * w):
        a, b, c = (row[i - 3], above[i], above[i - 3]) if i > 2 else (0, above[i], 0)
        near = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        row[i] = row[i] + (0, a, b, (a + b) // 2, near)[how] & 255
    dark += sum(sum(row[i:i + 3]) < 200 for i in range(0, 3 * w, 3))
    above = row
print(100 * dark // (w * h))
END
# A random walk has most of its power in a few cells: these are not to take all colours, nor others none.
awk 'BEGIN { print "x"; for (i = 0; i < 4000; i++) { s = (s * 1103515245 + 12345) % 2147483648
	x += s / 1073741824 - 1; print x } }' >walk.csv
ok "a random walk" "$ws" hht walk.csv --fs 100 -o walk.h5 -q --plot walk.png --size 90x60mm --dpi 96
if command -v python3 >/dev/null; then
	that "is not black" test "$(python3 dark.py walk.png)" -lt 15
fi
# The ends of the recording are veiled up to a white line, at either end.
ok "masks' responses" "$ws" conv "$eeg" --to 10 -c Cz --mask-formula morlet --scales 1:100:10 -o cone.h5 -q \
	--plot cone.svg
that "veiled where the ends reach" test "$(grep -c '<path[^>]*fill:none[^>]*stroke:rgb(100%,100%,100%)' cone.svg)" = 2

# ---- Words that read without a caption
printf 'onset\tduration\tlabel\n2\t0\tgo\n4\t0\tgo\n6\t0\tgo\n' >go.tsv
ok "epochs" "$ws" trials "$eeg" --events go.tsv --epochs-at go --tmin -0.5 --tmax 0.5 -c 1-4 \
	--freqs 8:20 -o go.h5 -q --plot go.svg
that "what their moment 0 is" text go.svg go
that "how many channels are drawn" text go.svg '.*, 3 epochs, 3 of 4 channels'
ok "again" "$ws" plot go.h5 -o go2.svg -q -c 1
that "its moment" text go2.svg go
awk 'BEGIN { print "year,T (degC)"; for (i = 0; i < 60; i++) print 1990 + i / 12 "," sin(i) }' >t.csv
ok "months" "$ws" cwt t.csv --freqs 0.5/y:3/y -o t.h5 -q --plot t.svg
that "frequencies in the unit of the axis" text t.svg '.*freqs 0.5:3 /year'
that "the unit of a column" text t.svg 'magnitude (°C)'
ok "two years of them" "$ws" plot t.h5 -o t2.svg -q --from 1991y --to 1993y
that "in dates" text t2.svg 1991-07
ok "masks" "$ws" conv t.csv --mask-formula morlet --scales 1:8:8 -o masks.h5 -q --plot masks.svg \
	--figure masks
that "called so" text masks.svg 'Masks of t.csv'
that "options in words" text masks.svg 'mask formula morlet:5, scales 1:8:8'

# height FILE WORDS: of its baseline; at FILE WORDS: how far to the right, in whole pixels
at() { sed -n "s/.*matrix([^)]* \([0-9]*\)[0-9.]* [0-9.]*)\".*>$2<.*/\1/p" "$1" | head -n 1; }
height() { sed -n "s/.*matrix([^)]* \([0-9.]*\))\".*>$2<.*/\1/p" "$1"; }
ok "a narrow chart" "$ws" hht t.csv -o h.h5 -q --plot narrow.svg --figure marginal --size 80x80mm
that "its legend has lines" test "$(height narrow.svg Welch)" != \
	"$(height narrow.svg 'of a mode (number)')"
ok "periods of a marginal spectrum" "$ws" plot h.h5 -o periods.svg -q --figure marginal --period --overwrite
that "in years" text periods.svg 'period (years)'
that "from the longest" test "$(at periods.svg 2)" -lt "$(at periods.svg 0.5)"

# ---- What cannot be
for size in 3 x 180x 180x120x3 180km 9e9; do
	fails "--size $size" 2 "--size $size: the width of a page" "$ws" plot emd.h5 -o x.png --size $size
done
for modes in 0 2-x 4-2 '' 1,,2 999; do
	fails "--plot-modes '$modes'" 2 "numbers of modes are needed" \
		"$ws" plot emd.h5 -o x.png --plot-modes "$modes"
done
fails "no such mode" 2 "none of them is there" "$ws" plot emd.h5 -o x.png --plot-modes 99
fails "before any work" 2 "--size 3" "$ws" emd "$eeg" -o x.h5 --plot x.png --size 3
fails "no figure to mark" 2 "--events-shown needs --plot" "$ws" emd "$eeg" --events-shown go
fails "no figure" 2 "--size needs --plot" "$ws" emd "$eeg" --size 180mm
fails "--db=3" 2 "no value, or off" "$ws" plot p.h5 -o x.png --db=3
fails "modes have no colours" 2 "--plot-smooth means nothing for this figure" "$ws" plot h.h5 -o x.png \
	--plot-smooth 1
fails "--dpi 5" 2 "dpi" "$ws" plot p.h5 -o x.png --dpi 5

finish
