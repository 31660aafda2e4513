#!/bin/bash
# Programs that were compiled with an older or newer public header run with this library, and
# get the results of those compiled with today's; a field that the library does not know is
# refused by the name of its struct.  The programs are made of caller.c.
set -u
build=${WAVESIFT_BUILD:-$(cd "$(dirname "$0")/.." && pwd)/build}
failures=0

fail()
{
	echo "FAIL  $1"
	failures=$((failures + 1))
}

today=$("$build/caller_today") || fail "today's caller: $today"
for header in older newer; do
	result=$("$build/caller_$header") && [ "$result" = "$today" ] ||
		fail "a caller with an $header header: $result, not $today"
done
# Some are the library's to fill.
structs=$(sed -n '/uint64_t later;/{n;s/^} \(ws_[a-z_]*\);$/\1/p}' \
	"$build"/newer_header/wavesift/*.h |
	grep -v -e ws_device -e ws_mode_figures -e ws_array -e ws_channel_result -e ws_slab -e ws_fact)
[ -n "$structs" ] || fail "no structs are found"
for name in $structs; do
	why=$("$build/caller_newer" "$name") && fail "$name: a field of the future is passed over"
	[[ $why == "$name: byte "*" is not 0"* ]] || fail "$name: '$why'"
done
why=$("$build/caller_newer" within) && fail "within: a field of the future is passed over"
[[ $why == "ws_emd_opts"* ]] || fail "within: '$why'"
why=$("$build/caller_newer" array) && fail "array: one of the future is passed over"
[[ $why == "ws_execute: array "*" has data, but eemd makes "* ]] || fail "array: '$why'"
echo "structs:" $structs
exit $((failures > 0))
