#!/bin/bash
# docs/gallery.md: its commands run, and make the pictures that it shows.
. "$(dirname "$0")/lib.sh"
page=$root/docs/gallery.md

ok "the commands" sh "$root/scripts/gallery.sh" "$ws" gallery
that "there are some" test "$(grep -c '^wavesift' <<<"$out")" -ge 6
[ -e "$data/eeg/eeglab/eeglab_data.set" ] || absent=average.png
for picture in $(grep -o 'images/gallery/[a-z_]*\.png' "$page" | sort -u); do
	[ "${picture##*/}" = "${absent:-}" ] || that "$picture is made" test -s "gallery/$picture"
	that "$picture is shown" grep -q "($picture)" "$page"
	that "$picture is there" test -s "$root/docs/$picture"
done
for picture in gallery/images/gallery/*.png; do
	that "$picture is of the page" grep -q "(images/gallery/$(basename "$picture"))" "$page"
done

# ---- What these figures refuse
fails "of another transform" 2 "must be scalogram or wavelets" "$ws" cwt "$eeg" --plot a.png \
	--figure marginal
fails "without its array" 2 "needs marginal among --parts" "$ws" hht "$eeg" --plot a.png \
	--figure marginal --parts spectrum
ok "of a stored result" "$ws" plot gallery/temperature_noise.h5 --figure significance \
	-o stored.png -q
that "the same" cmp stored.png gallery/images/gallery/temperature_significance.png
fails "of noise that it does not have" 2 "has not the arrays" "$ws" plot gallery/alpha.h5 \
	--figure significance -o a.png
fails "of what it does not have" 2 "has not the arrays" "$ws" plot gallery/alpha.h5 \
	--figure connectivity -o a.png
printf '1\n2\n3\n' >short.csv
ok "nothing oscillates" "$ws" hht short.csv -o short.h5 -q
# The result is whole; only the figure fails.
run "$ws" hht short.csv -o b.h5 --plot a.png --figure significance --significance wu-huang
that "the figure is refused" grep -q "no mode that oscillates" "$box/err"
that "the result is whole" test -s b.h5

# A channel that does nothing is no reason to draw none of the others.
awk 'BEGIN { print "wave,flat"; for (i = 0; i < 400; i++) printf "%.9f,1\n", sin(i) + sin(i / 9) }' \
	>flat.csv
ok "a flat channel's significance" "$ws" hht flat.csv -o flat.h5 --plot flat.png \
	--figure significance --noise-signals 50 -q
ok "its marginal spectrum" "$ws" hht flat.csv -o flat.h5 --overwrite --plot flat2.png \
	--figure marginal -q
run "$ws" hht flat.csv --channels flat -o flat3.h5 --plot a.png --figure marginal
that "which alone is refused" grep -q "channel flat has no power" "$box/err"
ok "its connectivity" "$ws" hht flat.csv -o flat.h5 --overwrite --plot flat4.png \
	--figure connectivity -q

fails "without its array" 2 "needs connectivity among --parts" "$ws" hht "$eeg" --plot a.png \
	--figure connectivity --parts spectrum
ok "matrices of chosen channels" "$ws" hht "$eeg" --to 8 --plot m.svg --figure connectivity \
	--plot-channels Cz,O1 --modes 3 -q -o m.h5
ok "matrices of one" "$ws" hht "$eeg" --to 8 --channels Cz --plot m1.png --figure connectivity \
	--modes 3 -q -o m1.h5

fails "without its array" 2 "needs holospectrum among --parts" "$ws" hht "$eeg" --plot a.png \
	--figure holospectrum --parts spectrum
ok "holospectra" "$ws" hht "$eeg" --to 4 --plot holo.svg --figure holospectrum --modes 3 -q \
	-o holo.h5 --plot-channels Cz,O1 --freqs 0:40:30:lin --modulation-freqs 0:10:20:lin
that "its axes" grep -q svg holo.svg
run "$ws" hht short.csv -o d.h5 --plot a.png --figure holospectrum
that "the figure of nothing is refused" grep -q "nothing to draw" "$box/err"

# ---- A channel's picture is the same, whichever others there are
# One in uV and one in mV; its samples are two's complement.
small_edf 256 256 >silent.edf
{
	head -c 456 silent.edf
	pad mV 8
	tail -c +465 silent.edf | head -c $((768 - 464))
	printf '%b' "$(awk 'BEGIN { for (c = 0; c < 2; c++) for (i = 0; i < 256; i++) {
		v = int(9000 * sin(i * (0.3 + c / 9)) + 5000 * sin(i / 15)); v += v < 0 ? 65536 : 0
		printf "\\0%03o\\0%03o", v % 256, int(v / 256) } }')"
} >units.edf
for figure in hilbert marginal significance holospectrum; do
	ok "$figure alone" "$ws" hht units.edf --noise-signals 50 --channels S2 --figure $figure \
		-q -o u.h5 --overwrite --plot alone.svg
	ok "$figure of two" "$ws" hht units.edf --noise-signals 50 --figure $figure -q \
		-o u.h5 --overwrite --plot of_two.svg --plot-channels S2
	that "$figure is the same" cmp alone.svg of_two.svg
	rm -f alone.svg of_two.svg
done

# ---- Other units, other scales
for quantity in density power energy amplitude; do
	ok "$quantity" "$ws" hht "$eeg" --to 4 --channels Cz -o c.h5 --plot c.png --overwrite \
		--quantity "$quantity" -q
	ok "marginal $quantity" "$ws" hht "$eeg" --to 4 --channels Cz -o c.h5 --plot c.svg \
		--overwrite --quantity "$quantity" --figure marginal --freqs 0:40:80:lin -q
done
that "its unit" grep -q svg c.svg
ok "f32" "$ws" hht "$eeg" --to 4 --precision f32 -o c.h5 --plot c.pdf --figure marginal \
	--overwrite -q
ok "given modes" "$ws" hht "$eeg" --to 4 --decomposition none -o c.h5 --plot c.png --overwrite -q
finish
