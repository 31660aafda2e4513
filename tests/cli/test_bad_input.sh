#!/bin/bash
# Every bad input: one line, the right status, no file.
. "$(dirname "$0")/lib.sh"

ok "help" "$ws" --help
ok "version" "$ws" --version
fails "no command" 2 "command" "$ws"
fails "unknown command" 2 "no such command; see" "$ws" decompose x.edf
fails "a command misspelled" 2 "did you mean emd?" "$ws" edm "$eeg"
fails "an option misspelled" 2 "did you mean --channels?" "$ws" emd "$eeg" --chanels Cz
fails "an option that is like none" 2 "no option of emd; see" "$ws" emd "$eeg" --qwertz
fails "help for no command" 2 "did you mean cwt?" "$ws" help cwtt
fails "no input" 2 "needs INPUT" "$ws" emd
fails "two inputs" 2 "--output-dir DIR" "$ws" emd "$eeg" "$eeg"
fails "unknown option" 2 "--frobnicate" "$ws" emd "$eeg" --frobnicate 3
fails "unknown letter" 2 "-z" "$ws" emd "$eeg" -z
fails "option of another command" 2 "--seed" "$ws" emd "$eeg" --seed 1
fails "letter of another command" 2 "-n is no option of emd, only of" "$ws" emd "$eeg" -n 1
fails "ambiguous option" 2 "--ch" "$ws" emd "$eeg" --ch 1
fails "missing value" 2 "--modes" "$ws" emd "$eeg" --modes
fails "value of a flag" 2 "--overwrite" "$ws" emd "$eeg" --overwrite=yes

# Options in the library's words; those in the name of a file stay.
mkdir -p 'a`fs`'
cp "$eeg" 'a`fs`/`fs` `x`.edf'
fails "a file named in backticks" 2 '`fs`/`fs` `x`.edf has no such channel' \
	"$ws" emd 'a`fs`/`fs` `x`.edf' --channels 77
rm -r 'a`fs`'
fails "options of the library" 2 "--sifts and --stop-rule contradict" \
	"$ws" emd "$eeg" --sifts 3 --stop-rule sd

# ---- Values
for bad in 0 -1 x 1.5 '' 99999999999999999999; do
	fails "--modes '$bad'" 2 "--modes" "$ws" emd "$eeg" --modes "$bad"
	fails "--threads '$bad'" 2 "--threads" "$ws" emd "$eeg" --threads "$bad"
done
fails "--fs 0" 2 "--fs" "$ws" emd "$eeg" --fs 0
fails "--fs nan" 2 "--fs" "$ws" emd "$eeg" --fs nan
fails "--noise -1" 2 "--noise" "$ws" eemd "$eeg" --noise -1
fails "--seed -1" 2 "--seed" "$ws" eemd "$eeg" --seed -1
fails "--memory x" 2 "--memory" "$ws" emd "$eeg" --memory x
fails "--memory too small for the samples" 4 "allow more memory (--memory), or fewer samples" \
	"$ws" emd "$eeg" --memory 2000
fails "--memory too small" 4 "may be used: allow more memory (--memory), or fewer modes" \
	"$ws" emd "$eeg" --memory 300000
fails "--memory too small for noise" 4 "or fewer realizations, modes or samples" \
	"$ws" eemd "$eeg" --memory 300000
fails "--spline bezier" 2 "must be not-a-knot, natural, pchip or akima" "$ws" emd "$eeg" --spline bezier
fails "--boundary x" 2 "--boundary" "$ws" emd "$eeg" --boundary x
fails "--reference x" 2 "--reference" "$ws" emd "$eeg" --reference x
# The program's table of references agrees with the library's.
for r in rilling colominas torres libeemd ceemdan-gpu memd memd-gpu; do
	for c in emd eemd ceemdan iceemdan memd; do
		case $r:$c in
		memd:memd | memd-gpu:memd | rilling:emd | rilling:eemd | colominas:ice* | torres:c* | libeemd:[ec]* | ceemdan-gpu:ice*)
			ok "$c --reference $r" "$ws" $c "$eeg" -c Cz --reference $r --dry-run ;;
		*)
			fails "$c --reference $r" 2 "these commands take it" "$ws" $c "$eeg" --reference $r ;;
		esac
	done
done
fails "--precision f16" 2 "--precision" "$ws" emd "$eeg" --precision f16
fails "--stop-rule x" 2 "--stop-rule" "$ws" emd "$eeg" --stop-rule x
fails "--stop-rule with a bad parameter" 2 "--stop-rule" "$ws" emd "$eeg" --stop-rule sd:x
fails "--stop-rule with too many" 2 "more parameters" "$ws" emd "$eeg" --stop-rule sd:1,2
fails "--stop-rule and --sifts" 2 "contradict" "$ws" emd "$eeg" --sifts 5 --stop-rule rilling
fails "--max-sifts with fixed sifts" 2 "--max-sifts" "$ws" emd "$eeg" --max-sifts 5
fails "odd pairs" 2 "even" "$ws" eemd "$eeg" --pairs --realizations 5
fails "--plot-channels without --plot" 2 "--plot" "$ws" emd "$eeg" --plot-channels 1
fails "--compress of a .csv" 2 "only .h5 and .mat" "$ws" emd "$eeg" --compress -o x.csv
fails "--compress of standard output" 2 "only .h5 and .mat" "$ws" emd "$eeg" --compress -o -
fails "--quiet and --verbose" 2 "contradict" "$ws" emd "$eeg" -q -v
fails "--sums f64 of f64" 2 "--sums means nothing where" "$ws" conv "$eeg" --mask-formula morlet \
	--sums f64
fails "--sparse-cells alone" 2 "--sparse-cells means nothing without sparse among --parts" \
	"$ws" hht "$eeg" -c Cz --sparse-cells 3
fails "--strict with fixed sifts" 2 "--strict means nothing" "$ws" emd "$eeg" -c Cz --strict
fails "--variable of an EDF" 2 "has no arrays" "$ws" emd "$eeg" --variable x
fails "--variable of an EDF, info" 2 "has no arrays" "$ws" info "$eeg" --variable x
fails "--json with -o -" 2 "standard output" "$ws" emd "$eeg" --json -o -

# ---- Selection
fails "unknown channel" 2 "no such channel" "$ws" emd "$eeg" --channels Foo
fails "a channel misspelled" 2 "did you mean Cz?" "$ws" emd "$eeg" --channels Czz
fails "channel 0" 2 "--channels" "$ws" emd "$eeg" --channels 0
fails "channel past the last" 2 "it has 8" "$ws" emd "$eeg" --channels 9
fails "reversed range" 2 "--channels" "$ws" emd "$eeg" --channels 4-2
fails "empty item" 2 "empty" "$ws" emd "$eeg" --channels Cz,,Pz
fails "pattern without match" 2 "--channels" "$ws" emd "$eeg" --channels 'X*'
fails "from after to" 2 "before" "$ws" emd "$eeg" --from 5 --to 3
fails "from is to" 2 "before" "$ws" emd "$eeg" --from 5 --to 5
fails "from past the end" 2 "ends at" "$ws" emd "$eeg" --from 1000
fails "to past the end" 2 "ends at" "$ws" emd "$eeg" --to 1000
fails "negative from" 2 "--from" "$ws" emd "$eeg" --from -1
fails "no sample between" 2 "no sample" "$ws" emd "$eeg" --from 1.001 --to 1.002
fails "epochs of a continuous recording" 2 "continuous" "$ws" emd "$eeg" --epochs 1

# ---- Files
mkdir folder
: >empty.edf
head -c 1000 /dev/zero | tr '\0' 'x' >noise.xyz
printf 'hello world\nthis is no data\n' >text.csv
printf 'a,b\n1,2\n3\n' >ragged.csv
head -c 300 "$eeg" >cut.edf
small_edf 100 50 100 >mixed.edf
sine_csv 300 2 | sed '150s/^[^,]*/nan/' >nan.csv
sine_csv 300 2 | sed '100,200s/^[^,]*/nan/' >long.csv
sine_csv 300 2 | sed '2s/^[^,]*/nan/' >first.csv
printf 'a\n' >headonly.csv
for c in info emd iceemdan plot; do
	fails "$c: missing file" 3 "nofile.edf" "$ws" "$c" nofile.edf
	[ "$c" = info ] || fails "$c: directory" 3 "folder" "$ws" "$c" folder
	fails "$c: empty file" 3 "empty.edf" "$ws" "$c" empty.edf
	fails "$c: unknown format" 3 "noise.xyz" "$ws" "$c" noise.xyz
	fails "$c: cut header" 3 "cut.edf" "$ws" "$c" cut.edf
done
fails "text that is no data" 3 "text.csv" "$ws" emd text.csv
fails "ragged lines" 3 "ragged.csv" "$ws" emd ragged.csv
fails "a head without lines" 3 "headonly.csv" "$ws" emd headonly.csv
fails "differing rates" 3 "such as --channels 1,3" "$ws" emd mixed.edf
fails "not finite" 3 "channel ch1 is not a finite number at sample 149" "$ws" emd nan.csv
fails "not finite, where" 3 "(1.48 s)" "$ws" emd nan.csv --fs 100
sine_csv 300 2 | sed '8s/^[^,]*/-1e40/' >large.csv
sine_csv 300 2 | sed '8s/^[^,]*/1e160/' >w.csv
sine_csv 300 2 >fine.csv
fails "too large for f32" 3 "large.csv: channel ch1 is -1e+40, more than f32 holds, at sample 7; use --precision f64" \
	"$ws" emd large.csv --precision f32
fails "too large for f32, with gaps mended" 3 "channel ch1 is -1e+40" "$ws" emd large.csv --nan interpolate \
	--precision f32
awk 'BEGIN { for (t = 0; t < 300; t++) print 1e-42 * sin(t / 3) "," (t == 250) * 1e-30 }' >small.csv
fails "too small for f32" 3 "small.csv: channel 1 is not 0, but like all of its samples less than f32 holds, at sample 2 (0.01 s); use --precision f64" \
	"$ws" cwt small.csv --fs 100 --precision f32 -o small.h5
fails "in order of samples, too" 3 "channel 1 is not 0" "$ws" emd small.csv --precision f32 -c 2,1
ok "f64 holds it" "$ws" cwt small.csv --fs 100 --precision f64 -o small64.h5
ok "one sample is enough" "$ws" emd small.csv --precision f32 -c 2 -o small32.h5
fails "noise that is too large" 3 "w.csv: realization 1 is 1e+160, more than the type holds, at column 7; scale" \
	"$ws" eemd fine.csv --noise-file w.csv --precision f32
printf 't,x\n0,1\n1,2\n2,3\n9,4\n10,5\n' >jump.csv
fails "a gap in the times" 3 "jump.csv: was interrupted: it has 2 segments, 1 (0 to 3 s), 2 (9 to 11 s)" "$ws" emd jump.csv
fails "gap too long" 3 "too long" "$ws" emd long.csv --nan interpolate
fails "gap at the beginning" 3 "beginning" "$ws" emd first.csv --nan interpolate
fails "noise of another length" 3 "nan.csv" "$ws" eemd "$eeg" --noise-file nan.csv
fails "noise that is not there" 3 "W.npy" "$ws" eemd "$eeg" --noise-file W.npy
fails "compare with nothing" 3 "no.h5" "$ws" compare no.h5 no.h5

# ---- Outputs
echo keep >there.h5
echo keep >there.png
fails "output exists" 2 "--overwrite" "$ws" emd "$eeg" -c Cz -o there.h5
fails "figure exists" 2 "--overwrite" "$ws" emd "$eeg" -c Cz --plot there.png
that "both are kept" grep -q keep there.h5 there.png
ln -s nowhere.h5 dangling.h5
fails "output is a link to nothing" 2 "a link to nothing" "$ws" emd "$eeg" -c Cz -o dangling.h5
ln -s nowhere.png dangling.png
fails "figure is a link to nothing" 2 "--overwrite" "$ws" emd "$eeg" -c Cz --plot dangling.png
ok "dry run, output exists" "$ws" emd "$eeg" -c Cz -o there.h5 --plot there.png --dry-run
that "it tells the size" grep -q '^result  there.h5 (not written: --dry-run), about .* MiB' "$box/out"
for ending in csv npy; do
	"$ws" emd "$eeg" -c Cz,Pz -o size.$ending -q
	ok "the size of .$ending" "$ws" emd "$eeg" -c Cz,Pz -o size.$ending --dry-run --json
	that "is within a third" awk -v truth="$(wc -c <size.$ending)" -F'[:,]' '/result_bytes/ {
		exit !($2 < 1.33 * truth && $2 > 0.75 * truth) }' "$box/out"
done
that "both are kept still" grep -q keep there.h5 there.png
fails "dry run, unknown ending" 2 ".h5" "$ws" emd "$eeg" -c Cz -o out.docx --dry-run
fails "dry run, no such folder" 4 "no/where" "$ws" emd "$eeg" -c Cz -o no/where.h5 --dry-run
fails "dry run, no such folder of a figure" 4 "no/where" \
	"$ws" emd "$eeg" -c Cz --plot no/where.png --dry-run
fails "dry run, unknown channel of a figure" 2 "--plot-channels Pz" \
	"$ws" emd "$eeg" -c Cz --plot out.png --plot-channels Pz --dry-run
fails "folder that is a file" 4 "folder" "$ws" emd "$eeg" -c Cz -o there.h5/x.h5 --dry-run
fails "unknown ending" 2 ".h5" "$ws" emd "$eeg" -c Cz -o out.docx
sine_csv 40 257 >wide.csv
fails "more channels than a figure holds" 2 "257 channels do not fit" "$ws" emd wide.csv \
	--plot out.png --plot-channels 1-257
fails "dry run, more channels" 2 "257 channels do not fit" "$ws" emd wide.csv --plot out.png \
	--plot-channels 1-257 --dry-run
fails "spectra of few samples" 2 "spectra need rows of 16" "$ws" emd wide.csv --to 15 \
	--plot out.png --figure spectra
fails "an EDF on standard input" 3 "only CSV and TSV can be read from there" \
	bash -c '"$0" emd - <"$1"' "$ws" "$eeg"
fails "unknown ending of a figure" 2 ".png" "$ws" emd "$eeg" -c Cz --plot out.gif
fails "no such folder" 4 "no/where" "$ws" emd "$eeg" -c Cz -o no/where.h5
fails "no such folder of a figure" 4 "no/where" "$ws" emd "$eeg" -c Cz --plot no/where.png
if [ "$(id -u)" -ne 0 ]; then
	mkdir locked && chmod 555 locked
	fails "folder not writable" 4 "locked" "$ws" emd "$eeg" -c Cz -o locked/x.h5
fi
fails "folder that takes no files" 4 "/proc" "$ws" emd "$eeg" -c Cz -o /proc/x.h5
cp "$eeg" copy.edf
fails "input as output" 2 "is an input" "$ws" emd copy.edf -o copy.edf --overwrite
ln copy.edf link.h5
fails "input as output by another name" 2 "is an input" "$ws" emd copy.edf -o link.h5 --overwrite
fails "input as figure" 2 "is an input" "$ws" emd copy.edf --plot ./copy.edf --overwrite
that "the input is whole" cmp copy.edf "$eeg"

# ---- A full disk: files may not grow past 64 KiB
limited()
{
	(ulimit -f 64 && exec "$@")
}
for ending in h5 npy mat csv; do
	fails "disk full, .$ending" 4 "disk is full" limited "$ws" emd "$eeg" -c Cz --to 30 -o out.$ending
done
fails "disk full, figure" 4 "disk is full" limited "$ws" emd "$eeg" -c Cz --to 30 -o - --plot out.png
fails_stdout()
{
	"$@" >/dev/full
}
fails "standard output full" 4 "disk is full" fails_stdout "$ws" emd "$eeg" -c Cz --to 30 -o -
fails "standard output full, help" 4 "standard output" fails_stdout "$ws" --help
finish
