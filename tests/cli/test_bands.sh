#!/bin/bash
# wavesift bands: signals and power of bands, files and pictures of them.
. "$(dirname "$0")/lib.sh"
ws=$build/wavesift

ok "help" "$ws" bands --help
that "help has bands" has "4:8,8:13"
fails "no bands" 2 "such as 4:8,8:13" "$ws" bands "$eeg" --bands alpha
fails "upside down" 2 "lower one of each first" "$ws" bands "$eeg" --bands 8:4
fails "beyond the frequencies" 2 "has no part" "$ws" bands "$eeg" --freqs 1:20 --bands 30:40
fails "above half the rate" 2 "above half the sampling rate" "$ws" bands "$eeg" --bands 30:80
fails "no phase" 2 "--quantity phase" "$ws" bands "$eeg" --quantity phase
fails "no inverse" 2 "leave out the reference" "$ws" bands "$eeg" --freqs 4:40 --reference mne
that "nothing was written" test -z "$(ls)"

for end in h5 mat npy csv; do
	ok "signals in .$end" "$ws" bands "$eeg" --to 8 --bands 4:8,8:13 -o a.$end
	ok "power in .$end" "$ws" bands "$eeg" --to 8 --bands 4:8,8:13 --quantity power \
		--decimate 16 -o p.$end
done
ok "drawn" "$ws" bands "$eeg" --to 8 --bands 4:8,8:13 -o b.h5 --plot b.png
that "a picture" test -s b.png
run "$ws" bands "$eeg" --freqs 1:45 -o c.npy --threads 1 -v
that "the plan says how exactly" grep -q "exact but for rounding" "$box/err"
run "$ws" bands "$eeg" --freqs 2,40 -o d.npy -v
that "or how not" grep -q "error up to" "$box/err"
ok "again" "$ws" bands "$eeg" --freqs 1:45 -o e.npy --threads 2 --memory 20M
that "the same" cmp c.npy e.npy
finish
