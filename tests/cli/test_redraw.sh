#!/bin/bash
# wavesift plot of results that are no modes: the picture that the command of the transform drew.
. "$(dirname "$0")/lib.sh"

# same NAME COMMAND..: what plot draws of the result has the bytes of the figure of --plot.
same()
{
	local name=$1
	shift
	ok "$name" "$@" -o "$name.h5" --plot "$name.png" -q
	ok "plot $name" "$ws" plot "$name.h5" -o "$name-again.png" -q
	that "$name: the same picture" cmp "$name.png" "$name-again.png"
}

# ---- Wavelets
same complex "$ws" cwt "$eeg" -c 1-3 --to 60 --freqs 1:40
same power "$ws" cwt "$eeg" --to 60 --freqs 1:40 --quantity power --decimate 7
same phase "$ws" cwt "$eeg" -c 1-3 --to 60 --freqs 1:40 --quantity phase --decimate 3 --compress
same magnitude "$ws" cwt "$eeg" --quantity magnitude --precision f64 --channels Cz,Fz --from 3.3 \
	--to 20.7
same octaves "$ws" cwt "$eeg" -c 1-2 --to 120 --octave-arrays --decimate 2
same noise "$ws" cwt "$root/examples/data/sunspots.csv" --quantity power --significance ar1
same years "$ws" cwt "$root/examples/data/sunspots.csv" --freqs 0.01/y:0.5/y
same superlets "$ws" superlets "$eeg" --to 60 --freqs 2:40 --decimate 10
same coherence "$ws" coherence "$eeg" --to 60 --against Cz --freqs 4:20 --decimate 32

same masks "$ws" conv "$eeg" -c 1-2 --to 10 --mask-formula gabor --scales 2:40:20
same expression "$ws" conv "$eeg" -c 1 --to 10 --mask-expression 'cos(5*x/s)*exp(-(x/s)^2/2)/s' \
	--scales 1:40:20 --decimate 5
ok "a part of them" "$ws" plot masks.h5 -o masks-part.svg --from 3 --to 5 -q
that "by scale" grep -q '>scale (samples)<' masks-part.svg
printf 'a,b\n1,1\n-1,0\n' >masks.csv
ok "masks of a file" "$ws" conv "$eeg" -c 1 --to 4 --masks masks.csv -o file.h5 -q
fails "have no scales" 3 "those of its own command" "$ws" plot file.h5 -o no.png

# ---- Bands of frequencies, and Hilbert-Huang spectra
same bands "$ws" bands "$eeg" --bands 4:8,8:13 --channels 1-4
same variance "$ws" bands "$eeg" --bands 4:8,8:13 --channels Cz --quantity power --precision f64
same spectrum "$ws" hht "$eeg" --channels 1-3 --to 30 --quantity amplitude --parts spectrum
ok "parts of all figures" "$ws" hht "$eeg" --channels 1-2 --to 5 -o hht.h5 -q \
	--parts modes,spectrum,marginal,connectivity,holospectrum --noise-signals 50
for figure in hilbert marginal significance connectivity holospectrum; do
	ok "$figure" "$ws" hht "$eeg" --channels 1-2 --to 5 -o x.h5 --figure $figure \
		--plot $figure.png --parts modes,spectrum,marginal,connectivity,holospectrum \
		--noise-signals 50 -q --overwrite
	ok "plot $figure" "$ws" plot hht.h5 --figure $figure -o $figure-again.png -q
	that "the same $figure" cmp $figure.png $figure-again.png
done
ok "modes are what it draws else" "$ws" plot hht.h5 -o modes.png -q
that "another picture" test "$(cmp -s modes.png hilbert.png; echo $?)" = 1
fails "a part that it has not" 2 "has not the arrays" "$ws" plot spectrum.h5 \
	--figure marginal -o no.png
fails "a figure of another" 2 "is a result of cwt" "$ws" plot power.h5 \
	--figure marginal -o no.png
fails "a part of the time" 2 "is of all times" "$ws" plot hht.h5 --figure marginal --to 3 \
	-o no.png
ok "a decomposition" "$ws" emd "$eeg" --channels 1 -o emd.h5 -q
fails "has no such figure" 2 "is no .h5 result" "$ws" plot emd.h5 --figure hilbert -o no.png
ok "decimated bands" "$ws" bands "$eeg" --channels 1 --decimate 4 -o few.h5 -q
fails "are no rows" 2 "few.h5: bands of bands is no rows" "$ws" plot few.h5 -o no.png

# ---- Channels, times, epochs
ok "by --plot-channels" "$ws" cwt "$eeg" --freqs 4:20 -o c.h5 --plot two.png --plot-channels O1,Fz \
	-q
ok "by name" "$ws" plot c.h5 --channels 'Fz,O1' -o two-again.png -q
that "the same picture" cmp two.png two-again.png
ok "a part of the time" "$ws" plot c.h5 -o part.svg --from 10 --to 20 -q
that "its axis" grep -q '>time (s)<\|<svg' part.svg
ok "a part of octaves" "$ws" plot octaves.h5 -o octaves-part.png --from 100.3 --to 101 -q
# Away from the ends no value depends on what is cut off: a part of the whole is the part alone.
ok "a tenth" "$ws" plot c.h5 -o tenth.png --from 0 --to 24 -q
that "is another picture" test "$(cmp -s tenth.png two.png; echo $?)" = 1
fails "no such channel" 2 "--channels Qz" "$ws" plot c.h5 --channels Qz -o no.png
fails "too late" 2 "ends at" "$ws" plot c.h5 --from 1000 -o no.png
fails "no epochs" 2 "has no epochs" "$ws" plot c.h5 --epochs 1 -o no.png
fails "no memory" 4 "--memory" "$ws" plot c.h5 --memory 500K -o no.png
ok "all pairs" "$ws" coherence "$eeg" --to 20 --against all --freqs 8:12 --decimate 64 -o all.h5 -q
fails "all pairs cannot be drawn" 2 "all pairs" "$ws" plot all.h5 -o no.png
fails "no modes" 3 "not a result of modes" "$ws" plot c.h5 --figure spectra -o no.png
fails "compare" 3 "not a result of modes" "$ws" compare c.h5 c.h5
fails "the input" 2 "c.h5" "$ws" plot c.h5 -o c.h5 --overwrite
fails "is there" 2 "exists already" "$ws" plot c.h5 -o two.png
ok "replaced" "$ws" plot c.h5 -o two.png --overwrite -q
head -c 400000 c.h5 >cut.h5
fails "cut off" 3 "cut.h5: damaged" "$ws" plot cut.h5 -o no.png
finish
