#!/bin/bash
# A recording is read once, whatever its order; what is wrong late in it leaves nothing;
# memory stays within its bound while reading, work and writing go on side by side.
. "$(dirname "$0")/lib.sh"

# samples COUNT TYPE [SEED]: COUNT numbers as raw little-endian f32 or i16.
samples()
{
	awk -v n="$1" -v seed="${3:-1}" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++)
			printf "%d\n", 12000 * sin(i * 0.31) + 9000 * sin(i * i * 1e-5) + 4000 * rand()
	}' | perl -ne "print pack('$([ "$2" = f32 ] && echo 'f<' || echo 's<')', \$_)"
}

samples 320000 f32 >"$box/channels.f32"
channels=(--raw f32,channels=8,order=channel "$box/channels.f32")
# The same, sample by sample.
perl -e 'binmode STDIN; local $/; my @x = unpack("V*", <STDIN>); my $n = @x / 8;
	for my $k (0 .. $n - 1) { print pack("V8", map { $x[$_ * $n + $k] } 0 .. 7) }' \
	<"$box/channels.f32" >"$box/samples.f32"
interleaved=(--raw f32,channels=8,order=sample "$box/samples.f32")

# ---- One result, whichever way it was read and written

emd=(emd --modes 4 --sifts 5)
ok "all in memory" "$ws" "${emd[@]}" "${channels[@]}" -o whole.npy
for memory in 12M 7M 5500K 4300K 3400K; do
	ok "channels, $memory" "$ws" "${emd[@]}" "${channels[@]}" --memory $memory -o part.npy --overwrite
	that "channels, $memory: the same" cmp whole.npy part.npy
	ok "samples, $memory" "$ws" "${emd[@]}" "${interleaved[@]}" --memory $memory -o part.npy \
		--overwrite
	that "samples, $memory: the same" cmp whole.npy part.npy
done
for ending in mat csv; do
	ok "rows in memory, .$ending" "$ws" "${emd[@]}" "${channels[@]}" -o memory.$ending
	ok "rows in a file, .$ending" "$ws" "${emd[@]}" "${channels[@]}" --memory 4M -o file.$ending
	that "the same rows, .$ending" same_arrays memory.$ending file.$ending
done
hash=$(sha256sum "$box/samples.f32" | cut -c1-64)
ok "json of a file that is turned" "$ws" "${emd[@]}" "${interleaved[@]}" --memory 4M --json -o j.h5
that "its hash" has "$hash"
ok "json of some channels" "$ws" "${emd[@]}" "${interleaved[@]}" -c 3,2 --from 5000 --json -o k.h5
that "its hash, too" has "$hash"
rm -f ./*

# ---- The dry run says how

ok "dry run, channels" "$ws" "${emd[@]}" "${channels[@]}" --dry-run --memory 6M
that "in order" has "input   read once, in its order"
that "beside the work" has "read and written beside the work"
ok "dry run, one slot" "$ws" "${emd[@]}" "${channels[@]}" --dry-run --memory 3400K
that "between the work" has "read and written between the work"
ok "dry run, samples" "$ws" "${emd[@]}" "${interleaved[@]}" --dry-run
that "turned in memory" has "read once, turned in memory"
ok "dry run, samples, little memory" "$ws" "${emd[@]}" "${interleaved[@]}" --dry-run --memory 4M
that "turned by way of the disk" has "turned through a temporary file beside the result"

# ---- What is wrong late leaves nothing

# with_nan FILE BYTE: a copy whose value there is not a number.
with_nan()
{
	cp "$1" "$box/nan.f32"
	printf '\000\000\300\177' | dd of="$box/nan.f32" bs=1 seek="$2" conv=notrunc status=none
}

with_nan "$box/channels.f32" $((4 * (7 * 40000 + 39000)))
for ending in h5 npy mat csv; do
	fails "late, .$ending" 3 "channel 8 is not a finite number at sample 39001; --nan interpolate" \
		"$ws" "${emd[@]}" --raw f32,channels=8,order=channel "$box/nan.f32" --memory 4M -o out.$ending
done
fails "late, to standard output" 3 "channel 8 is not a finite number" \
	"$ws" "${emd[@]}" --raw f32,channels=8,order=channel "$box/nan.f32" -o -
that "nothing was printed" test -z "$out"
notes "mended" "interpolated 1 sample in 1 channel (8)" "$ws" "${emd[@]}" \
	--raw f32,channels=8,order=channel "$box/nan.f32" --nan interpolate --memory 4M -o mended.npy
with_nan "$box/samples.f32" $((4 * (39000 * 8 + 7)))
fails "late, interleaved" 3 "channel 8 is not a finite number at sample 39001; --nan interpolate" \
	"$ws" "${emd[@]}" --raw f32,channels=8,order=sample "$box/nan.f32" --memory 4M -o out.h5
run "$ws" "${emd[@]}" --raw f32,channels=8,order=sample "$box/nan.f32" --nan interpolate --memory 4M \
	-o turned.npy
that "mended by way of the disk" cmp mended.npy turned.npy
rm -f ./*

# ---- A full disk is told once, also by who writes behind the program's back

limited()
{
	(ulimit -f "$1" && shift && exec "$@")
}
for kilobytes in 64 1500 4000; do
	fails "disk full after $kilobytes KiB" 4 "disk is full" limited $kilobytes \
		"$ws" "${emd[@]}" "${channels[@]}" --memory 4M -o out.h5
	fails "disk full after $kilobytes KiB, NPY" 4 "disk is full" limited $kilobytes \
		"$ws" "${emd[@]}" "${channels[@]}" --memory 4M -o out.npy
done
fails "disk full while turning" 4 "disk is full" limited 500 \
	"$ws" "${emd[@]}" "${interleaved[@]}" --memory 4M -o out.h5

# ---- Memory

# peak NAME KILOBYTES COMMAND...: of memory that the command takes beyond --version.
peak()
{
	local name=$1 most=$2 base used
	shift 2
	/usr/bin/time -f %M -o "$box/base" "$ws" --version >/dev/null
	base=$(tail -1 "$box/base")
	cases=$((cases + 1))
	/usr/bin/time -f %M -o "$box/used" "$@" >"$box/out" 2>"$box/err" || failed "$name" "it failed"
	used=$(tail -1 "$box/used")
	[ $((used - base)) -le "$most" ] || failed "$name" "$((used - base)) KiB, more than $most"
}

if [ ! -x /usr/bin/time ]; then
	echo "SKIPPED  memory: no /usr/bin/time"
elif grep -qs '^WAVESIFT_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then
	echo "SKIPPED  memory: not with a sanitizer"
else
	cat "$box/channels.f32" "$box/channels.f32" "$box/channels.f32" "$box/channels.f32" \
		>"$box/long.f32"
	long=(emd --modes 6 --sifts 2 "$box/long.f32" --memory 40M -o out.h5 --overwrite)
	# Libraries and what HDF5 keeps take a little as well.
	peak "in order" $((48 << 10)) "$ws" "${long[@]}" --raw f32,channels=8,order=channel
	peak "turned" $((48 << 10)) "$ws" "${long[@]}" --raw f32,channels=8,order=sample
	rm -f out.h5
fi

# ---- Each byte is read once

# reads NAME FILE COMMAND...: the command reads FILE once, but for its head.  (Leaks
# cannot be looked for under strace.)
reads()
{
	local name=$1 file=$2 bytes size
	shift 2
	cases=$((cases + 1))
	size=$(stat -c %s "$file")
	ASAN_OPTIONS=detect_leaks=0 strace -f -y -e trace=read,pread64,readv,preadv,mmap \
		-o "$box/trace" "$@" >"$box/out" 2>"$box/err" ||
		failed "$name" "it failed"
	grep -q "mmap(.*<$file>" "$box/trace" && failed "$name" "it is mapped"
	# A call that another thread's came into stands on two lines, the second without the file.
	bytes=$(awk -v file="<$file>" '
		/<unfinished/ { if (index($0, file)) begun[$1] = 1; next }
		/ resumed>/ { if (begun[$1]) sum += $NF; delete begun[$1]; next }
		index($0, file) { sum += $NF }
		END { print sum + 0 }' "$box/trace")
	[ "$bytes" -ge "$size" ] || failed "$name" "$bytes bytes read of $size"
	[ "$bytes" -le $((size + 16384)) ] || failed "$name" "$bytes bytes read of $size"
}

if ! strace -o /dev/null true 2>/dev/null; then
	echo "SKIPPED  one read: no strace (scripts/setup.sh --dev has it)"
else
	for memory in 64M 4M; do
		reads "channels in $memory" "$box/channels.f32" \
			"$ws" "${emd[@]}" "${channels[@]}" --memory $memory -o out.h5 --overwrite
		reads "samples in $memory" "$box/samples.f32" \
			"$ws" "${emd[@]}" "${interleaved[@]}" --memory $memory -o out.h5 --overwrite
		reads "some channels and samples in $memory" "$box/channels.f32" \
			"$ws" "${emd[@]}" "${channels[@]}" -c 2,5 --from 100 --to 30000 --memory $memory \
			-o out.h5 --overwrite
		reads "some of them, interleaved, in $memory" "$box/samples.f32" \
			"$ws" "${emd[@]}" "${interleaved[@]}" -c 5,2 --from 100 --to 30000 --memory $memory \
			-o out.h5 --overwrite
	done
	ok "an array" "$ws" "${emd[@]}" "${channels[@]}" -c 1 -o array.npy
	cp array.npy "$box/array.npy"
	reads "NPY" "$box/array.npy" "$ws" emd "$box/array.npy" --modes 2 -o out.h5 --overwrite
	cp "$eeg" "$box/eeg.edf"
	reads "EDF" "$box/eeg.edf" "$ws" emd "$box/eeg.edf" --modes 2 -o out.h5 --overwrite
	sine_csv 30000 2 >"$box/table.csv"
	reads "CSV" "$box/table.csv" "$ws" emd "$box/table.csv" --modes 2 -o out.h5 --overwrite
	# What is known is not written twice: rows of an array go where they belong.
	for ending in npy mat; do
		ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=openat -o "$box/trace" \
			"$ws" "${emd[@]}" "${channels[@]}" -o known.$ending >/dev/null
		that "no spool, .$ending" test "$(grep -c O_TMPFILE "$box/trace")" = 0
	done
fi

# Very many channels: lists of JSON are printed element by element (sanitizers map more than they
# use).
put_channels()
{
	printf '\223NUMPY\001\000v\000%-117s\n' \
		"{'descr': '<f4', 'fortran_order': False, 'shape': ($1, 2), }"
	head -c $(($1 * 8)) /dev/zero
}
limited_memory()
{
	local most=$1
	shift
	if grep -qs '^WAVESIFT_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then
		"$@"
	else
		(ulimit -v "$most" && exec "$@")
	fi
}
put_channels 262143 >"$box/many.npy"
noted "a quarter of a million channels, as JSON" limited_memory 190000 "$ws" info --json "$box/many.npy"
that "all of them" test "$(grep -c '"samples": 2' "$box/out")" = 262143
put_channels 200000 >"$box/many.npy"
fails "lists of channels are counted" 4 "its 200000 channels take" "$ws" emd "$box/many.npy" -q \
	--memory 32M -o many.npy
put_channels 20000 >"$box/many.npy"
ok "modes of many channels, as JSON" limited_memory 100000 "$ws" emd "$box/many.npy" --json -q \
	--modes 1 --sifts 1 --memory 32M --threads 1 -o many.npy
that "all of them" test "$(grep -c '"residue_share"' "$box/out")" = 20000
if command -v python3 >/dev/null; then
	that "which is JSON" python3 -m json.tool "$box/out" /dev/null
else
	echo "SKIPPED  whether it is JSON: no python3"
fi
finish
