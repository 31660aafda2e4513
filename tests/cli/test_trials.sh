#!/bin/bash
# wavesift trials, hhtrials and coherence, and epochs cut around events for every command.
. "$(dirname "$0")/lib.sh"
ws=$build/wavesift

# A recording with events: a table of samples cannot have any, so BrainVision's markers.
brainvision r
cat >r.vmrk <<'END'
Brain Vision Data Exchange Marker File, Version 1.0
[Common Infos]
Codepage=UTF-8
DataFile=r.eeg
[Marker Infos]
Mk1=Stimulus,S  1,20,1,0
Mk2=Stimulus,S  1,300,1,0
Mk3=Stimulus,S  2,500,1,0
Mk4=Stimulus,S  1,700,1,0
Mk5=Stimulus,S  1,990,1,0
END
head -c 4000 /dev/urandom >r.eeg
label=$("$ws" info r.vhdr --json | grep -o 'S *1' | head -1)
that "events are read" test -n "$label"

cut=(--epochs-at '*S*1*' --tmin -0.5 --tmax 1)
notes "two are not" "2 events are left out" \
	"$ws" trials r.vhdr "${cut[@]}" --freqs 5:40 -o a.h5 --plot a.png
that "two epochs are whole" grep -q "2 channels x 2 epochs, 150 samples" <<<"$out"
that "a picture" test -s a.png
for how in ratio db percent z; do
	ok "baseline $how" "$ws" trials r.vhdr "${cut[@]}" --freqs 5:40 --averages total \
		--baseline "-0.4:0:$how" -o b.npy --plot b.png --overwrite -q
done
base=("$ws" trials r.vhdr "${cut[@]}" --freqs 5:40 --overwrite -q)
ok "one thread" "${base[@]}" --threads 1 -o one.npy
ok "several" "${base[@]}" --threads 3 -o all.npy
that "the same" cmp one.npy all.npy
ok "modes of the epochs" "$ws" emd r.vhdr "${cut[@]}" -o modes.npy -q
run "$ws" cwt r.vhdr "${cut[@]}" --freqs 5:40 -o w.h5
that "an axis of epochs" grep -q "epoch 2" <<<"$out"

# ---- Hilbert spectra
run "$ws" hhtrials r.vhdr "${cut[@]}" --freqs 5:40:8 -o g.h5 --plot g.png
that "two epochs are whole" grep -q "2 channels x 2 epochs, 150 samples" <<<"$out"
that "arrays are told" grep -q "total_spectrum  *.channel 2..frequency 8, .*.time 75, " <<<"$out"
that "times are those of the epochs" grep -q "time 75, -0.49.* - 0.98.* s" <<<"$out"
that "a picture" test -s g.png
for how in ratio db percent z; do
	ok "baseline $how" "$ws" hhtrials r.vhdr "${cut[@]}" --freqs 5:40:8 --averages induced \
		--baseline "-0.4:0:$how" -o g.npy --plot g2.png --overwrite -q
done
ok "one thread" "$ws" hhtrials r.vhdr "${cut[@]}" -q --averages total --threads 1 -o g1.npy
ok "several" "$ws" hhtrials r.vhdr "${cut[@]}" -q --averages total --threads 3 -o g3.npy
that "the same" cmp g1.npy g3.npy
ok "in little memory" "$ws" hhtrials r.vhdr "${cut[@]}" -q --averages total --memory 3M -o g2.npy
that "the same" cmp g1.npy g2.npy
fails "one epoch" 2 "two epochs" "$ws" hhtrials r.vhdr
fails "no average" 2 "must be some of total" "$ws" hhtrials r.vhdr "${cut[@]}" --averages itc
fails "no modes of a result" 2 "must be emd" "$ws" hhtrials r.vhdr "${cut[@]}" \
	--decomposition stored
fails "no figure of modes" 2 "figure" "$ws" hhtrials r.vhdr "${cut[@]}" --figure marginal \
	--plot no.png

# ---- Coherence
ok "coherence" "$ws" coherence r.vhdr "${cut[@]}" --freqs 5:40 --against 2 -q -o c.h5 --plot c.png
that "its picture" test -s c.png
# Of two channels there is one panel: that of the other.
ok "one panel" "$ws" cwt r.vhdr -c 1 --freqs 5:40 -q -o panel.npy --plot panel.png
that "coherence has one, too" test "$(height c.png)" = "$(height panel.png)"
ok "its wavelets" "$ws" coherence r.vhdr "${cut[@]}" --freqs 5:40 -q -o cw.h5 --plot cw.png \
	--figure wavelets
that "a picture of them" test -s cw.png
ok "of all pairs" "$ws" coherence r.vhdr "${cut[@]}" --freqs 5:40 --against all -q -o ca.h5 \
	--plot ca.png --figure wavelets
ok "those of trials" "$ws" trials r.vhdr "${cut[@]}" --freqs 5:40 -q -o tw.h5 --plot tw.png \
	--figure wavelets
that "the same height" test "$(height tw.png)" = "$(height cw.png)"
ok "one thread" "$ws" coherence r.vhdr "${cut[@]}" --freqs 5:40 -q --threads 1 -o c1.npy
ok "several" "$ws" coherence r.vhdr "${cut[@]}" --freqs 5:40 -q --threads 3 -o c3.npy
that "the same" cmp c1.npy c3.npy
fails "no such channel" 2 "no channel 3" "$ws" coherence r.vhdr "${cut[@]}" --against 3
ok "by name" "$ws" coherence r.vhdr "${cut[@]}" --freqs 5:40 --against B -q -o n.npy
ok "by number" "$ws" coherence r.vhdr "${cut[@]}" --freqs 5:40 --against 2 -q -o n2.npy
that "the same" cmp n.npy n2.npy
fails "no such name" 2 "did you mean B?" "$ws" coherence r.vhdr "${cut[@]}" \
	--against Bx
fails "nothing to compare" 2 "select two or more" "$ws" coherence r.vhdr "${cut[@]}" -c 1
fails "no number" 2 "or all" "$ws" coherence r.vhdr "${cut[@]}" --against 0
run "$ws" coherence r.vhdr "${cut[@]}" --freqs 5:40 --against all -o p.h5
that "it is told" grep -q "coherence_pairs  *.channel 2..partner 2" <<<"$out"
fails "pairs are not drawn" 2 "choose the channel to compare with" "$ws" coherence r.vhdr \
	"${cut[@]}" --freqs 5:40 --against all -o no.h5 --plot no.png
ok "without epochs" "$ws" coherence r.vhdr --freqs 5:40 -q --threads 1 -o m1.npy --plot m.png
that "its picture" test -s m.png
ok "in parts" "$ws" coherence r.vhdr --freqs 5:40 -q --threads 3 --memory 2M -o m3.npy
that "the same" cmp m1.npy m3.npy
ok "other means" "$ws" coherence r.vhdr --freqs 5:40 --smooth-time 2 --smooth-octaves 1 -q -o m4.npy
that "not the same" test -n "$(cmp m1.npy m4.npy)"
fails "unsorted" 2 "rise or fall" "$ws" coherence r.vhdr --freqs 5,40,10

fails "no such event" 2 "it has" "$ws" trials r.vhdr --epochs-at Q --freqs 5:40
fails "none whole" 2 "choose --tmin" "$ws" trials r.vhdr --epochs-at '*S*2*' --tmax 50 --freqs 5:40
fails "an event misspelled" 2 "did you mean" "$ws" trials r.vhdr --freqs 5:40 \
	--epochs-at "Stimulus/$label"x
fails "from 0 on" 2 "--tmin 1 --tmax 0:" "$ws" trials r.vhdr --epochs-at '*' --tmin 1 --tmax 0
fails "a baseline before the epochs" 2 "reaches beyond the epochs" "$ws" trials r.vhdr \
	"${cut[@]}" --freqs 5:40 --baseline -9:0
fails "a baseline behind them" 2 "reaches beyond the epochs" "$ws" hhtrials r.vhdr \
	"${cut[@]}" --freqs 5:40 --baseline 0:9
fails "no sample" 2 "a sample at least" "$ws" trials r.vhdr --epochs-at '*' --tmin 1 --tmax 0.5
# Three epochs of 100 samples, in an array that cannot tell their times.
{
	printf "\x93NUMPY\x01\x00\x76\x00%-117s\n" \
		"{'descr': '<i2', 'fortran_order': False, 'shape': (3, 2, 100), }"
	head -c 1200 /dev/urandom
} >epochs.npy
run "$ws" hhtrials epochs.npy --fs 100 --tmin -0.4 -f 5:40 --time-bin 0.02 --baseline -0.4:0 \
	-o e.h5 --plot e.png
that "epochs begin when they are said to" grep -q "time 50, -0.39.* - 0.58.* s" <<<"$out"
fails "a baseline without it" 2 "reaches beyond" "$ws" hhtrials epochs.npy --fs 100 -f 5:40 \
	--baseline -0.4:0
fails "no end of such epochs" 2 "--epochs-at" "$ws" trials epochs.npy --fs 100 --tmax 0.5
fails "times alone" 2 "--epochs-at" "$ws" emd r.vhdr --tmin 0
fails "one epoch" 2 "two epochs" "$ws" trials r.vhdr --freqs 5:40
fails "no events" 2 "has no events" "$ws" trials "$eeg" --epochs-at x --freqs 5:40
fails "a baseline elsewhere" 2 "too few samples" "$ws" trials r.vhdr "${cut[@]}" --freqs 5:40 \
	--baseline 2:3
fails "no baseline" 2 "-0.5:0" "$ws" trials r.vhdr "${cut[@]}" --baseline now
fails "no average" 2 "must be some of total" "$ws" trials r.vhdr "${cut[@]}" --averages mean

# ---- Drawn again from what is stored
for result in a g; do
	ok "plot $result.h5" "$ws" plot $result.h5 -o again.png --overwrite -q
	that "as --plot drew it" cmp $result.png again.png
done
ok "a baseline" "$ws" trials r.vhdr "${cut[@]}" --freqs 5:40 --averages induced \
	--baseline -0.4:0:db -o db.h5 --plot db.png -q
ok "plot db.h5" "$ws" plot db.h5 -o again.png --overwrite -q
that "the changes that --plot drew" cmp db.png again.png
ok "events" "$ws" cwt r.vhdr --freqs 5:40 --from 2.5 --to 8.2 -o events.h5 --plot events.png -q
ok "plot events.h5" "$ws" plot events.h5 -o again.png --overwrite -q
that "with its events" cmp events.png again.png
ok "plot w.h5" "$ws" plot w.h5 -o first.png -q
ok "its first epoch" "$ws" plot w.h5 --epochs 2 -o again.png --overwrite -q
that "is the default" cmp first.png again.png
ok "its second epoch" "$ws" plot w.h5 --epochs 3 -o again.png --overwrite -q
that "is another" test "$(cmp -s first.png again.png; echo $?)" = 1
fails "no such epoch" 2 "--epochs 9" "$ws" plot w.h5 --epochs 9 -o no.png
# ---- A channel of triggers
awk 'BEGIN { for (i = 0; i < 1000; i++) printf "%d,%d\n", i % 7, i % 100 == 50 ? 259 : 256 }' |
	sed '1i x,stim' >stim.csv
run "$ws" info stim.csv --fs 100 --events-from stim --json
that "a channel of triggers has events" test "$(grep -c '"label": "3"' "$box/out")" = 10
that "where it rests is told" \
	test "${err#*note: stim.csv: its trigger channel stim rests at 256}" != "$err"
run "$ws" cwt stim.csv --fs 100 --events-from 2 --epochs-at 3 --tmin -0.2 --tmax 0.2 \
	-o stim.h5 --json
that "ten epochs of the other channel are cut at them" \
	test "$(grep -A1 '"extents"' "$box/out" | head -2 | tail -1 | tr -d ' ,')" = 10
fails "no such channel" 2 "no such channel" "$ws" info stim.csv --events-from stimulus
# ---- Levels of coherence
run "$ws" coherence r.vhdr "${cut[@]}" --freqs 5:40 -o level.h5 --plot level.png
that "a level over epochs" \
	grep -q "level   0.95, at one time and frequency, of 2 independent" <<<"$out"
that "the number of epochs" grep -q ", 2 epochs$" <<<"$out"
notes "epochs overlap" "of 2 only 1 are apart" \
	"$ws" coherence r.vhdr --epochs-at '*S*1*' --tmin -0.1 --tmax 4.05 --freqs 20:40 \
	-o overlap.h5
run "$ws" coherence r.vhdr --freqs 10:40 -o none.h5
that "no level is claimed over time" grep -q "no level is claimed" <<<"$out"
run "$ws" coherence r.vhdr --freqs 10:40 --noise-signals 20 -o time.h5 --plot time.png --clim 0:0.9
that "a level over time" grep -q "by 20 pairs of signals (the channels, phases at random)" <<<"$out"
run "$ws" coherence r.vhdr --freqs 10:40 --noise-signals 20 --threads 1 --memory 40M \
	-o again.h5 --json
that "for programs" grep -q '"coherence_level": \[' <<<"$out"
run "$ws" plot time.h5 --clim 0:0.9 -o again.png --overwrite
that "the figure again" cmp time.png again.png
fails "clim" 2 "such as 0:0.6" "$ws" coherence r.vhdr --freqs 10:40 -o x.h5 --plot x.png --clim 1
fails "clim without a figure" 2 "needs --plot" \
	"$ws" coherence r.vhdr --freqs 10:40 -o x.h5 --clim 0:1
fails "phases over epochs" 2 "without epochs" \
	"$ws" coherence r.vhdr "${cut[@]}" --freqs 10:40 -o x.h5 --noise-signals 50 --significance phase
fails "shuffled without epochs" 2 "shuffle is of epochs" \
	"$ws" coherence r.vhdr --freqs 10:40 -o x.h5 --noise-signals 50 --significance shuffle
fails "clusters in parts" 4 "fewer frequencies" \
	"$ws" coherence r.vhdr --freqs 10:40 -o x.h5 --noise-signals 20 --clusters --memory 1M
# The same response in both channels at 0.5 s, and from 1.4 to 1.8 s a phase that both have.
awk 'BEGIN { srand(3); for (e = 0; e < 12; e++) { phase = 6.28 * rand(); for (i = 0; i < 256; i++) {
	t = i / 100; v = 9 * exp(-50 * (t - 0.5) ^ 2) * cos(63 * t)
	b = 5 * exp(-30 * (t - 1.6) ^ 2) * cos(126 * t + phase)
	print v + b + rand() + rand(), v + b + rand() + rand(), e + 1 } } }' |
	awk '{ print (NR - 1) / 100 "," $1 "," $2 "," ($3 != last); last = $3 }' >both.csv
both=(both.csv --fs 100 --channels 2,3 --events-from 4 --epochs-at 1 --tmin 0 --tmax 2.55)
run "$ws" coherence "${both[@]}" --freqs 8:30 --noise-signals 39 --clusters -o both.h5 --plot both.png
that "shuffled epochs are told" grep -q "by 39 pairs of signals (epochs of one channel shuffled" <<<"$out"
that "one cluster is told, where it is" grep -q "p 0.025, coherence of .* Hz, 1[.].* s to [12][.]" <<<"$out"
that "none of the response" bash -c '! grep -q "p 0.0.* Hz, 0[.]" <<<"$1"' _ "$out"
run "$ws" plot both.h5 -o both-again.png --overwrite
that "both lines again" cmp both.png both-again.png
run "$ws" coherence "${both[@]}" --freqs 8:30 --noise-signals 39 --clusters --against all \
	-o all.h5 --json --threads 1 --overwrite
that "of all pairs, for programs" grep -A3 '"of": "coherence"' <<<"$out"
finish
