#!/bin/bash
# docs/tutorial.md: its commands run as they stand there, and give what it says.
. "$(dirname "$0")/lib.sh"
page=$root/docs/tutorial.md
ln -s "$root/examples" examples

n=0
while read -r command; do
	n=$((n + 1))
	ok "$command" bash -c "\"$ws\" $command"
done < <(sed -n 's/^    wavesift //p' "$page")
that "there are six" test $n = 6
for picture in $(grep -o 'images/tutorial/[a-z]*\.png' "$page"); do
	that "$picture is made" test -s "$(basename "$picture")"
	that "$picture is there" test -s "$root/docs/$picture"
done
that "the report is a page" grep -q "</html>" clean.html
that "the cleaned recording has its header" cmp <(head -c 2304 "$eeg") <(head -c 2304 clean.edf)
that "it is an EDF" "$ws" info clean.edf
"$ws" emd "$eeg" -c Pz --from 60 -q -o pz.h5
ok "another channel is as before" "$ws" reconstruct pz.h5 clean.edf --drop none -q -o same.edf
finish
