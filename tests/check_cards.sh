#!/bin/bash
# The GPU's backend is built for the cards of this machine, by what nvidia-smi says and nvcc can
# make (cmake/cards.cmake).  It is built for all cards where there are none, or one that nvcc does
# not know, and for releases.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
failures=0
export PATH="$box:$PATH"
printf '#!/bin/sh\nprintf "sm_75\\nsm_80\\nsm_90\\nsm_120\\n"\n' >"$box/nvcc"
chmod +x "$box/nvcc"

# STATUS SAID EXPECTED CMAKE-ARGUMENTS..: nvidia-smi ends with the status, having said that.
expect()
{
	local status=$1 said=$2 expected=$3 got
	shift 3
	printf '#!/bin/sh\nprintf "%s"\nexit %s\n' "$said" "$status" >"$box/nvidia-smi"
	chmod +x "$box/nvidia-smi"
	got=$(cmake -Dnvcc="$box/nvcc" "$@" -P "$root/cmake/cards.cmake" 2>&1 | sed 's/^-- //' | head -1)
	[ "$got" = "$expected" ] && return
	echo "FAIL  \"$said\" $*: \"$got\", not \"$expected\""
	failures=$((failures + 1))
}

expect 0 '9.0\\n' 'CUDA backend for 90-real'
expect 0 '9.0\\n9.0\\n' 'CUDA backend for 90-real'
expect 0 '8.0\\n12.0\\n' 'CUDA backend for 80-real;120-real'
expect 0 '9.0\\n' 'CUDA backend for all cards' -DWAVESIFT_CARDS=all
expect 0 '9.0\\n' 'CUDA backend for 75-real' -DCMAKE_CUDA_ARCHITECTURES=75-real
expect 0 '7.0\\n' 'CUDA backend for all cards'
expect 0 '9.0\\n7.0\\n' 'CUDA backend for all cards'
expect 0 '' 'CUDA backend for all cards'
expect 9 'driver 9.0 not loaded\\n' 'CUDA backend for all cards'
rm "$box/nvidia-smi"
got=$(PATH=/usr/bin:/bin cmake -Dnvcc="$box/nvcc" -P "$root/cmake/cards.cmake" 2>&1 |
	sed 's/^-- //')
case $got in
"CUDA backend for"*) ;;
*) echo "FAIL  without nvidia-smi: $got"; failures=$((failures + 1)) ;;
esac
exit $((failures > 0))
