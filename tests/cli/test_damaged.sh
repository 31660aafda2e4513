#!/bin/bash
# Results with wrong bytes: the program refuses them or succeeds, and only its
# own lines stand on standard error, whatever HDF5 and matio have to say.
. "$(dirname "$0")/lib.sh"

# A linear congruential generator, so that a failure comes again.
seed=1
random()
{
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	number=$(((seed >> 4) % $1))
}

# spoil FILE: 1 to 16 of its bytes become any others.
spoil()
{
	local size count changes=()
	size=$(stat -c %s "$1")
	random 5
	for ((count = 1 << number; count > 0; count--)); do
		random 256
		changes+=("$number")
		random "$size"
		changes+=("$number")
	done
	perl -e 'open F, "+<", shift or die; while (@ARGV) { $byte = shift; seek F, shift, 0; print F chr $byte }' \
		"$1" "${changes[@]}"
}

# told COMMAND...: a proper status, and a line of the program's where it fails.
told()
{
	run "$@"
	case $? in
	0) ;;
	3) [ -n "$err" ] || return 1 ;;
	*) return 1 ;;
	esac
	! grep -qv '^wavesift: ' "$box/err"
}

for whole in deflate0.h5 epochs2.h5 v73_2.mat v5z_2.mat; do
	for ((i = 0; i < 60; i++)); do
		spoilt=${whole/./_spoilt.}
		cp "$root/fuzz/corpus/result/$whole" "$spoilt"
		chmod +w "$spoilt"
		spoil "$spoilt"
		case $((i % 3)) in
		0) set -- info "$spoilt" ;;
		1) set -- compare "$spoilt" "$root/fuzz/corpus/result/$whole" ;;
		2) set -- plot "$spoilt" -o spoilt.svg --overwrite -q ;;
		esac
		cases=$((cases + 1))
		told "$ws" "$@" || failed "$whole spoilt, number $i" "$1"
	done
done
finish
