#!/bin/bash
# Kills, signals and full disks at any moment: nothing is lost, half-written or left behind.
#
# Of each transform WAVESIFT_SLOW=1 tries 100 kills, 100 signals from 0 ms on and 70 disks; else one
# in ten of emd and one in fifty of the others.  WAVESIFT_KILLED="cwt hht": only these.
. "$(dirname "$0")/lib.sh"

transforms=(${WAVESIFT_KILLED:-emd memd cwt superlets conv hht hhtrials bands coherence trials})
endings=(h5 npy mat csv)
signals=(INT TERM HUP)
# A script's background jobs begin with SIGINT ignored; these as from a terminal.
heeds=(env --default-signal=INT,HUP)

# A recording with events has three files.
cp "$eeg" in.edf
brainvision in
{
	printf 'Brain Vision Data Exchange Marker File, Version 1.0\n[Marker Infos]\n'
	for ((i = 1; i <= 40; i++)); do echo "Mk$i=Stimulus,go,$((i * 400)),1,0"; done
} >in.vmrk
head -c 80000 "$eeg" >in.eeg
sums=$(sha256sum in.*)

# The job of a transform without its output.
set_job()
{
	case $1 in
	emd)       job=(emd in.edf --to 20 --modes 4) ;;
	memd)      job=(memd in.edf --to 4 --modes 2) ;;
	superlets) job=(superlets in.edf --to 20 --freqs 5:40:8) ;;
	hhtrials)  job=(hhtrials in.vhdr --epochs-at '*go' --tmin -1 --tmax 2 --modes 3) ;;
	cwt)       job=(cwt in.edf --to 20 --freqs 5:40:8) ;;
	conv)      job=(conv in.edf --to 20 --mask-formula gabor --scales 2:16:4) ;;
	hht)       job=(hht in.edf --to 8) ;;
	bands)     job=(bands in.edf --to 60) ;;
	coherence) job=(coherence in.edf --to 20 --freqs 5:40:8) ;;
	trials)    job=(trials in.vhdr --epochs-at '*go' --tmin -1 --tmax 2 --freqs 5:40:8) ;;
	*)         failed "$1" "no such job"; finish ;;
	esac
	job+=(--threads 1 -q --overwrite -o)
}

# Is this result whole?  Those of HDF5 and MAT differ in some bytes: when and how fast they were
# made.
is_whole()
{
	case $1 in
	*.mat) same_arrays "$1" "whole.mat" ;;
	*.h5)
		[ "$(stat -c %s "$1")" = "$(stat -c %s "whole.${1##*.}")" ] &&
			[ "$(cmp -l "$1" "whole.${1##*.}" | wc -l)" -le 2000 ]
		;;
	*) cmp -s "$1" "whole.${1##*.}" ;;
	esac
}

# What a folder may have after a run that was ended: its output as it was before (old) or as it is
# when all went well, and hidden files of the run.
check_folder()
{
	local name=$1 ending=$2
	that "$name: the input is as it was" test "$(sha256sum in.*)" = "$sums"
	if [ "$(cat "box/out.$ending" 2>/dev/null | head -c 3)" != old ]; then
		if [ -e "box/out.$ending" ]; then
			that "$name: the result is whole" is_whole "box/out.$ending"
		else
			failed "$name" "the file that was there is gone"
		fi
	fi
	that "$name: no other file" test -z "$(ls -A box | grep -v -e "^out\.$ending\(\.json\)\?$" \
		-e '^\.wavesift-.*\.part$')"
}

# The next run removes what is left.
next_run()
{
	ok "$1: the next run" "$ws" emd in.edf -c Cz --to 2 --modes 1 -q -o box/next.npy
	rm -f box/next.npy
	that "$1: has removed what was left" test "$(ls -A box | grep -c part)" = 0
}

begin()
{
	rm -rf box
	mkdir box
	printf old >"box/out.$1"
}

# How long the job takes, ms.
measure()
{
	local start
	begin h5
	start=$(date +%s%N)
	"$ws" "${job[@]}" box/out.h5
	long=$((($(date +%s%N) - start) / 1000000 + 1))
}

try_kills()
{
	local i pid ending
	for i in $(seq 0 $share 99); do
		ending=${endings[$(((i / share + which) % 4))]}
		begin "$ending"
		"$ws" "${job[@]}" "box/out.$ending" >/dev/null 2>&1 &
		pid=$!
		sleep "$(awk -v i="$i" -v l="$long" 'BEGIN { print i / 100 * l / 1000 }')"
		kill -KILL $pid 2>/dev/null
		wait $pid 2>/dev/null
		check_folder "$transform, kill $i" "$ending"
		next_run "$transform, kill $i"
	done
}

try_signals()
{
	local i pid ending signal status
	for i in $(seq 0 $share 99); do
		ending=${endings[$(((i / share + which) % 4))]}
		signal=${signals[$((i % 3))]}
		begin "$ending"
		"${heeds[@]}" "$ws" "${job[@]}" "box/out.$ending" >/dev/null 2>"$box/err" &
		pid=$!
		# Two thirds of them in the first 40 ms.
		sleep "$(awk -v i="$i" -v l="$long" \
			'BEGIN { print i < 66 ? i * 0.0006 : (i - 60) / 40 * l / 1000 }')"
		kill -$signal $pid 2>/dev/null
		wait $pid 2>/dev/null
		status=$?
		err=$(cat "$box/err")
		cases=$((cases + 1))
		# Before the program is loaded the system ends it, without a word.
		case $status in
		0) ;;
		129|130|143)
			[ -z "$err" ] || [ "${err#wavesift: stopped by a signal; }" != "$err" ] ||
				failed "$transform, signal $i" "its line is '$err'"
			;;
		*) failed "$transform, signal $i" "exit status $status" ;;
		esac
		check_folder "$transform, signal $i" "$ending"
		that "$transform, signal $i: nothing is left" test "$(ls -A box | grep -c part)" = 0
	done
}

# A disk of so many kilobytes; where none can be mounted, a limit on the sizes of files.
mount_disk()
{
	mount -t tmpfs -o size="$1k" wavesift box 2>/dev/null
}

full()
{
	local i=$1 ending=$2 size=$3 status limit=unlimited
	begin "$ending"
	if [ $mounts = yes ]; then
		mount_disk "$size"
		printf old >"box/out.$ending"
	else
		limit=$size
	fi
	err=$( (ulimit -f "$limit"; exec "$ws" "${job[@]}" "box/out.$ending") 2>&1 >/dev/null)
	status=$?
	cases=$((cases + 1))
	case $status in
	0) ;;
	4)
		if [ -z "$err" ] || [ "$(printf '%s\n' "$err" | wc -l)" != 1 ]; then
			failed "$transform, disk $i" "not one line"
		fi
		;;
	*) failed "$transform, disk $i" "exit status $status" ;;
	esac
	check_folder "$transform, disk $i" "$ending"
	that "$transform, disk $i: nothing is left" test "$(ls -A box | grep -c part)" = 0
	[ $mounts = no ] || umount box
}

try_disks()
{
	local i ending
	for i in $(seq 0 $share 69); do
		ending=${endings[$(((i / share + which) % 4))]}
		full "$i" "$ending" $(($(stat -c %s "whole.$ending") / 1024 * i / 60 + 8))
	done
}

mounts=no
begin h5
if mount_disk 64; then
	umount box
	mounts=yes
else
	echo "no disk can be mounted here: sizes of files are limited instead"
fi
for which in "${!transforms[@]}"; do
	transform=${transforms[$which]}
	share=50
	[ "$transform" != emd ] || share=10
	[ -z "${WAVESIFT_SLOW:-}" ] || share=1
	set_job "$transform"
	for ending in "${endings[@]}"; do
		ok "$transform to .$ending" "$ws" "${job[@]}" "whole.$ending"
		"$ws" "${job[@]}" "again.$ending"
		that "again to .$ending" is_whole "again.$ending"
	done
	measure
	try_kills
	try_signals
	try_disks
done
finish
