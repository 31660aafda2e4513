#!/bin/bash
# The shared library exports exactly the ws_ functions of the public header,
# and its name carries the ABI's number.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
lib=${WAVESIFT_BUILD:-$root/build}/libwavesift.so
exported=$(nm -D --defined-only "$lib" | awk '$2 ~ /[TDBRVW]/ { print $3 }' | sort)
declared=$(tr '\n' ' ' <"$root/include/wavesift/wavesift.h" \
	| grep -oE 'WS_API [^;]*' | grep -oE '\bws_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u)
if [ "$exported" != "$declared" ]; then
	echo "exported (<) and declared (>) differ:"
	diff <(echo "$exported") <(echo "$declared")
	exit 1
fi
soname=$(readelf -d "$lib" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = libwavesift.so.0 ] || { echo "soname is $soname"; exit 1; }
echo "$(echo "$exported" | wc -l) functions"
