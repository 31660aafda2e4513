#!/bin/bash
# Ctrl-C, SIGTERM and SIGHUP during a long run leave nothing and say so.
. "$(dirname "$0")/lib.sh"

# A script's background jobs begin with SIGINT ignored; these as from a terminal.
heeds=(env --default-signal=INT,HUP)

# stop NAME SIGNAL STATUS: signals a long run once its temporary file is there.
stop()
{
	local name=$1 signal=$2 want=$3 pid guard status tries=0
	cases=$((cases + 1))
	"${heeds[@]}" "$ws" iceemdan "$eeg" -n 100 --sifts 10000 --threads 1 --plot fig.png -o out.h5 \
		>"$box/out" 2>"$box/err" &
	pid=$!
	until [ -n "$(ls -A)" ] || [ $tries = 600 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	sleep 0.5
	kill -"$signal" $pid
	(sleep 60; kill -KILL $pid) >/dev/null 2>&1 &
	guard=$!
	wait $pid
	status=$?
	kill $guard 2>/dev/null
	err=$(cat "$box/err")
	[ $status = "$want" ] || failed "$name" "exit status $status, not $want"
	[ "$(wc -l <"$box/err")" = 1 ] || failed "$name" "standard error is not one line"
	[ -z "$(ls -A)" ] || failed "$name" "left a file: $(ls -A)"
}

# A table takes long to print after it is computed.
stop_printing()
{
	local pid status tries=0
	cases=$((cases + 1))
	"${heeds[@]}" "$ws" emd "$eeg" -o out.csv >"$box/out" 2>"$box/err" &
	pid=$!
	until [ "$(stat -c %s .wavesift-* 2>/dev/null || echo 0)" -gt 1000000 ] || [ $tries = 600 ]; do
		sleep 0.02
		tries=$((tries + 1))
	done
	kill -INT $pid
	wait $pid
	status=$?
	err=$(cat "$box/err")
	[ $status = 130 ] || failed "SIGINT while printing" "exit status $status, not 130"
	[ "$err" = "wavesift: stopped by a signal; nothing was written" ] ||
		failed "SIGINT while printing" "not told"
	[ -z "$(ls -A)" ] || failed "SIGINT while printing" "left a file: $(ls -A)"
}

stop "SIGINT" INT 130
stop_printing
stop "SIGTERM" TERM 143
stop "SIGHUP" HUP 129

# What the parent ignores, as nohup and a script's & do, stays ignored.
ignores()
{
	local name=$1 signal=$2 pid guard
	env --ignore-signal="$signal" "$ws" iceemdan "$eeg" -n 100 --sifts 10000 --threads 1 \
		-o out.h5 >"$box/out" 2>"$box/err" &
	pid=$!
	for _ in $(seq 600); do
		[ -z "$(ls -A)" ] || break
		sleep 0.05
	done
	kill -"$signal" $pid
	sleep 1
	that "$name is ignored" kill -0 $pid
	kill -TERM $pid
	(sleep 60; kill -KILL $pid) >/dev/null 2>&1 &
	guard=$!
	wait $pid
	that "$name is ignored, SIGTERM is not" test $? = 143
	kill $guard 2>/dev/null
}

ignores "SIGINT" INT
ignores "SIGHUP" HUP

# Before anything is written a signal ends the program at once.  (The thread
# sanitizer keeps signals back while the C library waits for input.)
while_reading()
{
	mkfifo "$box/never"
	exec 9<>"$box/never"
	"${heeds[@]}" "$ws" emd - <"$box/never" >/dev/null 2>&1 9>&- &
	pid=$!
	# Again until it dies: the first may come before the program has begun.
	for _ in $(seq 100); do
		sleep 0.1
		kill -INT $pid 2>/dev/null || break
	done
	kill -KILL $pid 2>/dev/null
	wait $pid
	that "SIGINT while reading" test $? = 130
}

if grep -qs '^WAVESIFT_SANITIZE:STRING=thread' "$build/CMakeCache.txt"; then
	echo "SKIPPED  SIGINT while reading: not under the thread sanitizer"
else
	while_reading
fi

# A reader that has seen enough is no failure worth a word.
{ "$ws" emd "$eeg" -c Cz -o - 2>"$box/err"; } | head -1 >"$box/out"
that "head of the result" grep -q '^time_s,Cz.signal' "$box/out"
that "nothing is said of it" test ! -s "$box/err"
that "nothing is left of it" test -z "$(ls -A)"
finish
