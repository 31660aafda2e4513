#!/bin/bash
# What follows from a row alone: the transform of docs/adding-a-transform.md, which only this build
# of the program has.
. "$(dirname "$0")/lib.sh"
ws=$build/wavesift_rms

# ---- The page shows the code that is tested
code=$(cat "$root/tests/moving_rms.h" "$root/tests/moving_rms.c")
blocks=0
block=
inside=
while IFS= read -r line; do
	case $inside$line in
	'```c') inside=1 block= ;;
	'1```')
		inside=
		blocks=$((blocks + 1))
		that "block $blocks of the page is in the code" test "${code/"$block"/}" != "$code"
		;;
	1*) block+=$line$'\n' ;;
	esac
done <"$root/docs/adding-a-transform.md"
that "the page has code" test "$blocks" -ge 8
that "the row is short" test "$(wc -l <"$root/tests/moving_rms.c")" -lt 150
that "nothing else knows of it" test -z "$(grep -rlE 'moving_rms|wavesift_rms|"rms"' "$root/src" \
	"$root/cli" "$root/include")"

# ---- Command, help, completion
ok "help of the program" "$ws" --help
that "it has the command" eval "[[ \$out =~ rms\ +how\ strong\ a\ signal\ is,\ moment\ by\ moment ]]"
that "under its heading" has "Analyse"
ok "help" "$ws" rms --help
that "help has the option" has "      --window S"
that "under the transform's title" has "Moving RMS"
that "help has the choices" has "shrink | zero"
that "help has the example" has "wavesift rms night.edf --window 0.5"
that "help has no option of others" test -z "$(printf '%s' "$out" | grep -e --sifts)"
fails "not of the program that is installed" 2 "no such command" "$build/wavesift" rms "$eeg"
# Every option of the library's own transforms has a heading, and every name of headings.c is one.
headings=$root/cli/headings.c
commands=$("$build/wavesift" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
that "transforms are found" test "$(wc -w <<<"$commands")" -ge 13
for command in $commands; do "$build/wavesift" "$command" --help; done >help.all
unknown=$(sed -n '/^[A-Z][a-z ]*$/p' help.all | sort -u | while read -r heading; do
	grep -qF "\"$heading\"" "$headings" "$root"/cli/options.[ch] || [ "$heading" = Examples ] ||
		echo "$heading"
done)
that "every option has a heading ($unknown)" test -z "$unknown"
unknown=$(sed -n 's/.*" \(\([a-z-]* \)*\)".*/\1/p' "$headings" | tr ' ' '\n' | sort -u |
	while read -r name; do
		[ -z "$name" ] || grep -qE -e "--$name( |$)" help.all || echo "$name"
	done)
that "every name is an option ($unknown)" test -z "$unknown"
rm help.all
"$build/docgen_rms" wavesift.1 >rms.1
that "man page has the command" grep -q 'rms.fR .fIINPUT' rms.1
that "man page has the option" grep -qF '\-\-window' rms.1
"$build/docgen_rms" _wavesift >rms.zsh
that "zsh completes it" grep -q -e "'--edge\[.*:edge:(shrink zero)'" rms.zsh
"$build/docgen_rms" wavesift.bash >rms.bash
complete_words()
{
	(
		. ./rms.bash
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_wavesift
		echo "${COMPREPLY[*]}"
	)
}
that "bash completes the command" test "$(complete_words wavesift rm)" = rms
that "bash completes the option" test "$(complete_words wavesift rms --win)" = --window
that "bash completes the choice" test "$(complete_words wavesift rms --edge z)" = zero
rm rms.*

# ---- Mistakes
fails "a value that is none" 2 "--window 0: a number above 0 is needed" "$ws" rms "$eeg" --window 0
fails "a choice that is none" 2 "--edge x: must be shrink or zero" "$ws" rms "$eeg" --edge x
fails "an option of others" 2 "--sifts is no option of rms, only of other commands" \
	"$ws" rms "$eeg" --sifts 3
fails "its option for others" 2 "--window is no option of emd, only of other commands" \
	"$ws" emd "$eeg" --window 3
fails "what its plan refuses" 2 "window: 1000 s are 128000 samples" "$ws" rms "$eeg" --window 1000
fails "--strict" 2 "--strict is no option of rms" "$ws" rms "$eeg" --strict
fails "spectra" 2 "--figure is no option of rms" "$ws" rms "$eeg" --plot x.png --figure spectra

# ---- Planning
ok "dry run" "$ws" rms "$eeg" --window 0.5 --dry-run
that "it tells the plan" has "rms, 65 samples a window"
that "and the output" has "eeg_rms.h5 (not written"
ok "dry run, JSON" "$ws" rms "$eeg" --dry-run --json
that "it has the memory" has '"memory"'

# ---- Results; the numbers by another way
sel=(--channels Cz,Pz --from 10 --to 14)
ok "csv" "$ws" rms "$eeg" "${sel[@]}" --window 0.1 -o x.csv
right()
{
	awk -F, -v zero="$1" 'NR > 1 { t[NR - 1] = $2; got[NR - 1] = $3 } END {
		n = NR - 1
		for (i = 1; i <= n; i++) {
			s = m = 0
			for (k = i - 6; k <= i + 6; k++) if (k >= 1 && k <= n) { s += t[k] ^ 2; m++ }
			want = sqrt(s / (zero ? 13 : m))
			if (want - got[i] > 1e-9 || got[i] - want > 1e-9) bad = 1
		}
		exit bad || n != 512 }' "$2"
}
that "the head names the columns" grep -q '^time_s,Cz.signal,Cz.rms,Pz.signal,Pz.rms$' x.csv
that "its numbers" right 0 x.csv
ok "zeros beyond the ends" "$ws" rms "$eeg" "${sel[@]}" --edge zero -o zero.csv
that "their numbers" right 1 zero.csv
ok "to the default name" "$ws" rms "$eeg" "${sel[@]}"
that "the summary tells the array" has "rms     [channel 2][time 512] f64, root of the mean square"
that "and the time" has "time "
for ending in npy mat; do
	ok ".$ending" "$ws" rms "$eeg" "${sel[@]}" -o x.$ending
done
# Each file is read as a recording: its rms is the signal that comes out again.
cut -d, -f3,5 x.csv | tail -n +2 >want
for file in eeg_rms.h5 x.mat x.npy; do
	how=(ok "read $file") from=(--variable rms)
	[ $file = x.npy ] && how=(notes "read $file" "is a result") from=()
	"${how[@]}" "$ws" rms $file "${from[@]}" --fs 128 -o - -c 1,2
	printf '%s\n' "$out" | cut -d, -f2,4 | tail -n +2 >got
	that "$file holds the same" cmp want got
done
ok "json" "$ws" rms "$eeg" "${sel[@]}" --window 0.25 -o j.h5 --json
that "json has the arrays" has '"name": "peak"'
that "json has the option" has '"window": 0.25'
that "json has the title" has '"title": "Moving RMS of eeg.edf"'
that "the file has the option" grep -q window j.h5
ok "f32" "$ws" rms "$eeg" "${sel[@]}" --precision f32 -o s.npy
that "f32 takes about half" test "$(wc -c <s.npy)" -lt "$(($(wc -c <x.npy) * 6 / 10))"

{
	printf '\223NUMPY\001\000v\000%-117s\n' \
		"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 512), }"
	"$ws" rms "$eeg" "${sel[@]}" --window 0.01 -o whole.npy -q
	tail -c $((2 * 512 * 8)) whole.npy
	tail -c $((2 * 512 * 8)) whole.npy
} >epochs.npy
ok "epochs" "$ws" rms epochs.npy --fs 128 -o e.npy
that "the summary has them" has "rms     [epoch 2][channel 2][time 512] f64"
ok "the second epoch" "$ws" rms epochs.npy --fs 128 --epochs 2 -o e2.npy --plot e2.png
that "epochs are what they are by themselves" cmp <(tail -c +129 e2.npy) \
	<(tail -c $((2 * 512 * 8)) e.npy)
fails "a result without modes" 3 "not a result of modes" "$ws" plot j.h5 -o j.png

# ---- The figure of its rows
for ending in png svg pdf; do
	ok "figure, .$ending" "$ws" rms "$eeg" "${sel[@]}" -o f.h5 --overwrite --plot f.$ending
	that "it is there, .$ending" test -s f.$ending
done
# All words of these two are the same; one window has 17 samples, the other 15.
"$ws" rms "$eeg" "${sel[@]}" -o f.h5 --overwrite --plot 17.svg --window 0.125 -q
"$ws" rms "$eeg" "${sel[@]}" -o f.h5 --overwrite --plot 15.svg --window 0.12499999 -q
that "it shows the rows" test "$(cmp -s 17.svg 15.svg; echo $?)" = 1

# ---- Any threads, any size
ok "one thread" "$ws" rms "$eeg" -o 1.npy --threads 1
ok "four threads" "$ws" rms "$eeg" -o 4.npy --threads 4
that "the same bits" cmp 1.npy 4.npy
ok "in blocks" "$ws" rms "$eeg" -o small.npy --memory 3M
that "the same bits, in blocks" cmp 1.npy small.npy
run "$ws" rms "$eeg" -o v.npy --memory 3M -v
that "they are blocks" grep -qE 'blocks +[2-9] of' "$box/err"
finish
