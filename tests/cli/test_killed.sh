#!/bin/bash
# Kills, signals and full disks at any moment: nothing is lost, half-written or left behind.
#
# One case in ten here; WAVESIFT_SLOW=1 tries all: 100 kills, 100 signals from 0 ms on, 70 disks.
. "$(dirname "$0")/lib.sh"

share=10
[ -z "${WAVESIFT_SLOW:-}" ] || share=1
# A script's background jobs begin with SIGINT ignored; these as from a terminal.
heeds=(env --default-signal=INT,HUP)

cp "$eeg" in.edf
sum=$(sha256sum <in.edf)
"$ws" emd in.edf --to 20 --modes 4 --threads 1 -q -o whole.h5 2>/dev/null
for ending in npy mat csv; do
	"$ws" emd in.edf --to 20 --modes 4 --threads 1 -q -o whole.$ending 2>/dev/null
done

# What a folder may have after a run that was ended: its output as it was before (old) or as it is
# when all went well, and hidden files of the run.
check_folder()
{
	local name=$1 ending=$2
	that "$name: the input is as it was" test "$(sha256sum <in.edf)" = "$sum"
	if [ "$(cat "box/out.$ending" 2>/dev/null | head -c 3)" != old ]; then
		if [ -e "box/out.$ending" ]; then
			case $ending in
			h5|mat) ok "$name: the result is whole" "$ws" compare "box/out.$ending" whole.h5 ;;
			*) that "$name: the result is whole" cmp "box/out.$ending" "whole.$ending" ;;
			esac
		else
			failed "$name" "the file that was there is gone"
		fi
	fi
	that "$name: no other file" test -z "$(ls -A box | grep -v -e "^out\.$ending$" \
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

job=(emd in.edf --to 20 --modes 4 --threads 1 -q --overwrite -o)
endings=(h5 npy mat csv)
# How long the job takes, ms.
start=$(date +%s%N)
begin h5
"$ws" "${job[@]}" box/out.h5
long=$((($(date +%s%N) - start) / 1000000 + 1))

for i in $(seq 0 $share 99); do
	ending=${endings[$((i / share % 4))]}
	begin "$ending"
	"$ws" "${job[@]}" "box/out.$ending" >/dev/null 2>&1 &
	pid=$!
	sleep "$(awk -v i="$i" -v l="$long" 'BEGIN { print i / 100 * l / 1000 }')"
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	check_folder "kill $i" "$ending"
	next_run "kill $i"
done

signals=(INT TERM HUP)
for i in $(seq 0 $share 99); do
	ending=${endings[$((i / share % 4))]}
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
	129|130|143) [ -z "$err" ] || [ "${err#wavesift: stopped by a signal; }" != "$err" ] ||
		failed "signal $i" "its line is '$err'" ;;
	*) failed "signal $i" "exit status $status" ;;
	esac
	check_folder "signal $i" "$ending"
	that "signal $i: nothing is left" test "$(ls -A box | grep -c part)" = 0
done

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
			failed "disk $i" "not one line"
		fi
		;;
	*) failed "disk $i" "exit status $status" ;;
	esac
	check_folder "disk $i" "$ending"
	that "disk $i: nothing is left" test "$(ls -A box | grep -c part)" = 0
	[ $mounts = no ] || umount box
}

mounts=no
begin h5
if mount_disk 64; then
	umount box
	mounts=yes
else
	echo "no disk can be mounted here: sizes of files are limited instead"
fi
for i in $(seq 0 $share 69); do
	ending=${endings[$((i / share % 4))]}
	full "$i" "$ending" $(($(stat -c %s "whole.$ending") / 1024 * i / 60 + 8))
done
finish
