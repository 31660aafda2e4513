#!/bin/bash
# The shared library exports exactly the ws_ functions of the public headers,
# all of today's version, and its name carries the ABI's number.  The GPU's backend exports its entry
# alone, and needs no library of CUDA's to be opened.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
lib=${WAVESIFT_BUILD:-$root/build}/libwavesift.so
versioned=$(nm -D --defined-only --with-symbol-versions "$lib" | awk '$2 ~ /[TDBRVW]/ { print $3 }')
exported=$(echo "$versioned" | sed 's/@@WAVESIFT_0\.1$//' | sort)
declared=$(cat "$root"/include/wavesift/*.h | tr '\n' ' ' | grep -oE 'WS_API [^;]*' | grep -oE '\bws_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u)
if [ "$exported" != "$declared" ]; then
	echo "exported (<) and declared (>) differ:"
	diff <(echo "$exported") <(echo "$declared")
	exit 1
fi
soname=$(readelf -d "$lib" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = libwavesift.so.0.1 ] || { echo "soname is $soname"; exit 1; }
backend=${WAVESIFT_BUILD:-$root/build}/libwavesift_cuda.so
if [ -e "$backend" ]; then
	exported_there=$(nm -D --defined-only "$backend" | awk '{ print $3 }')
	[ "$exported_there" = wsi_backend_entry ] || { echo "the backend exports $exported_there"; exit 1; }
	needed=$(readelf -d "$backend" | grep NEEDED | grep -i 'cu\|nv')
	[ -z "$needed" ] || { echo "the backend needs $needed"; exit 1; }
fi
echo "$(echo "$exported" | wc -l) functions"
