# kept.sh - work whose blocks are kept, with what it makes when nobody stops it; sourced by
# tests/cli/test_checkpoint*.sh after lib.sh.
#
#     job, whole.h5     eight blocks of a channel
#     cut, cut.h5       parts of a channel
#     many_kept         batch, all/: three recordings
#     checked NAME WHICH        results of the batch in out/ are those of all/; WHICH: any, all
cp "$eeg" in.edf
job=(iceemdan in.edf --to 20 --realizations 20 --threads 1 -q --checkpoint 50ms)
cut=(cwt in.edf -c Cz --freqs 1:40:200 --quantity power --threads 1 -q --checkpoint 2ms)
ok "uninterrupted" "$ws" "${job[@]}" -o whole.h5
ok "a channel" "$ws" "${cut[@]}" -o cut.h5

many_kept()
{
	local i
	mkdir many
	for i in 1 2 3; do
		cp -p in.edf many/r$i.edf
	done
	batch=(iceemdan many --to 20 --realizations 20 -q --checkpoint 50ms --jobs 2 --output-dir)
	ok "many" "$ws" "${batch[@]}" all
}

checked()
{
	local i made
	for i in 1 2 3; do
		made=out/r${i}_iceemdan.h5
		[ -e "$made" ] || [ $2 = any ] || failed "$1" "no result of r$i"
		[ ! -e "$made" ] || same "$1: r$i" all/r${i}_iceemdan.h5 "$made"
	done
}
