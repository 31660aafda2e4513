#!/bin/bash
# Data sets that are laid out as BIDS has it.
. "$(dirname "$0")/lib.sh"

# ---- One table of channels: --bads -------------------------------------------------------

recording 0 >two.edf
printf 'name\ttype\tstatus\r\nS1\tEEG\tgood\r\nS2\tEEG\tbad\r\n' >bad.tsv
notes "a bad channel" "two.edf: 1 channel is bad and left out (bad.tsv)" "$ws" emd two.edf --bads bad.tsv
that "leaves the other" has "1 channel (S1)"
fails "all bad" 2 "all 1 channels selected are bad (--bads)" "$ws" emd two.edf --bads bad.tsv -c S2 -o x.h5
printf 'name\tunits\nS1\tuV\n' >none.tsv
ok "no status" "$ws" emd two.edf --bads none.tsv -o none.h5
that "all are good" has "2 channels"
printf 'status\tname\nBad\tXY\n' >strange.tsv
fails "a bad channel that is not there" 3 "channel XY is bad there, and two.edf has none" "$ws" emd two.edf \
	--bads strange.tsv -o x.h5
fails "no table of channels" 3 "needs the columns name and status" "$ws" emd two.edf --bads two.edf -o x.h5
: >empty.tsv
fails "an empty one" 3 "needs the columns name and status" "$ws" emd two.edf --bads empty.tsv -o x.h5
fails "none" 3 "absent.tsv" "$ws" emd two.edf --bads absent.tsv -o x.h5
fails "of a result" 2 "is a result" "$ws" hht none.h5 --bads bad.tsv -o x.h5
ok "it is told of" "$ws" emd two.edf --bads none.tsv -o none.h5 --resume
printf 'name\tstatus\nS1\tbad\n' >none.tsv
notes "what it says now" "1 channel is bad" "$ws" emd two.edf --bads none.tsv -o none.h5 --resume

# ---- A data set ----------------------------------------------------------------------------

mkdir -p set/derivatives/other/sub-01/eeg set/sourcedata
echo '{"Name": "Ten subjects", "BIDSVersion": "1.9.0"}' >set/dataset_description.json
printf 'participant_id\nsub-01\n' >set/participants.tsv
k=0
for s in 01 02 03 04 05; do
	for r in 01 02; do
		for t in rest odd; do
			k=$((k + 1))
			mkdir -p set/sub-$s/ses-a/eeg
			recording $((k * 2000)) >set/sub-$s/ses-a/eeg/sub-${s}_ses-a_task-${t}_run-${r}_eeg.edf
		done
	done
done
eegs=set/sub-01/ses-a/eeg
printf 'name\tstatus\nS1\tgood\nS2\tbad\n' >$eegs/sub-01_ses-a_task-rest_run-01_channels.tsv
printf 'name\tstatus\nS1\tbad\nS2\tgood\n' >set/sub-02/sub-02_task-odd_channels.tsv
printf 'onset\tduration\ttrial_type\n0.25\t0\tgo\n0.5\t0\tstop\n' >set/task-odd_events.tsv
printf 'onset\tduration\ttrial_type\n' >$eegs/sub-01_ses-a_task-odd_run-02_events.tsv
cp two.edf set/derivatives/other/sub-01/eeg/sub-01_task-rest_desc-old_eeg.edf
cp two.edf set/sourcedata/raw_eeg.edf
touch set/sub-03/ses-a/eeg/sub-03_ses-a_task-rest_run-01_meg.fif
# Two are broken.
head -c 900 two.edf >set/sub-04/ses-a/eeg/sub-04_ses-a_task-rest_run-02_eeg.edf
echo words >set/sub-05/ses-a/eeg/sub-05_ses-a_task-odd_run-01_eeg.edf

to=set/derivatives/wavesift
runs "a data set" 7 "$ws" emd set --output-dir $to --resume --jobs 2
that "18 results" test "$(find $to -name '*_eeg.h5' | wc -l)" = 18
that "by the names of derivatives" test -s $to/sub-03/ses-a/eeg/sub-03_ses-a_task-odd_run-02_desc-emd_eeg.h5
that "one failure" says "sub-04_ses-a_task-rest_run-02_eeg.edf: "
that "the other" says "sub-05_ses-a_task-odd_run-01_eeg.edf: "
that "two in all" says "2 of 20 recordings failed"
that "what is not read" says "1 recording is left out, of formats that wavesift does not read"
that "its description" grep -q '"DatasetType":"derivative","GeneratedBy":\[{"Name":"wavesift"' \
	$to/dataset_description.json
that "names the data set" grep -q '"Name":"Ten subjects: emd"' $to/dataset_description.json
that "bad channels are told" test "$(count '1 channel is bad' "$box/err")" = 3
record=$to/wavesift_emd.jsonl
that "the table of a recording" test "$(count 'run-01_channels.tsv"' $record)" = 1
that "the table of a subject's task" test "$(count 'sub-02_task-odd_channels.tsv and task' "$box/err")" = 2
that "events of a task" test "$(count 'task-odd_events.tsv beside it' "$box/err")" = 8
that "but not of a table without rows" test "$(count 'run-02_events.tsv' $record)" = 0

# One changes; and one table does.
recording 77777 >set/sub-02/ses-a/eeg/sub-02_ses-a_task-rest_run-01_eeg.edf
runs "again" 7 "$ws" emd set --output-dir $to --resume
that "makes one result" test "$(count '"status":"done"' $record)" = 19
that "tries the broken again" says "2 of 20 recordings failed"
printf 'name\tstatus\nS1\tgood\nS2\tgood\n' >$eegs/sub-01_ses-a_task-rest_run-01_channels.tsv
runs "a channel that is good now" 7 "$ws" emd set --output-dir $to --resume
that "makes one, too" test "$(count '"status":"done"' $record)" = 20
mv set moved
runs "moved as a whole" 7 "$ws" emd moved --output-dir moved/derivatives/wavesift --resume
that "is finished but for inherited tables" test "$(count 'finished before' moved/derivatives/wavesift/wavesift_emd.jsonl)" -ge 40
mv moved set

# ---- Parts of it ---------------------------------------------------------------------------

part()
{
	local name=$1 n=$2
	shift 2
	cases=$((cases + 1))
	run "$ws" emd set --dry-run --output-dir parts "$@"
	[ "$(printf '%s\n' "$out" | grep -c '^emd of ')" = "$n" ] || failed "$name" "not $n recordings"
}
part "a subject" 4 --subject 01
part "two, by what stands before" 8 --subject sub-01,sub-02
part "a pattern" 12 --subject '0[123]'
part "a session" 18 --session a
part "a task" 4 --task rest --run 1 --subject 01,02,03,04
part "an index with zeros" 2 --run 02 --subject 03
fails "none such" 2 "--subject 09: no recording" "$ws" emd set --output-dir parts --dry-run --subject 01,09
fails "no data set" 2 "no input is the root of a BIDS" "$ws" emd two.edf --output-dir parts --dry-run --task rest
fails "nothing left" 3 "has no such recording" "$ws" emd set --output-dir parts --dry-run --task none
fails "alone" 2 "--task needs --output-dir" "$ws" emd two.edf --task rest

# By shares: the same arrays.
for i in 1 2 3; do run "$ws" emd set --output-dir shares --shard $i/3 -o .npy; done
run "$ws" emd set --output-dir whole -o .npy
that "shares are all" test "$(cd shares; find . -name '*.npy' | sort)" = "$(cd whole; find . -name '*.npy' | sort)"
for f in $(cd whole; find . -name '*.npy'); do
	that "arrays of $f" cmp whole/$f shares/$f
done
finish
