#!/bin/bash
# The program on a GPU: what it writes are the bits of the CPU, but for wavelets (test_gpu_spectra).
. "$(dirname "$0")/lib.sh"
"$ws" devices --json >"$box/devices"
if ! grep -q '"usable": true' "$box/devices"; then
	echo "SKIPPED  no GPU: $("$ws" devices | grep '^gpu')"
	exit 77
fi
"$ws" devices | grep -A1 '^gpu'

# same NAME ARGUMENTS...: the same data sets from the CPU and the GPU.
same()
{
	local name=$1
	shift
	ok "$name on the CPU" "$ws" "$@" --device cpu -o cpu.npy --overwrite
	ok "$name on the GPU" "$ws" "$@" --device cuda -o gpu.npy --overwrite
	that "$name names the GPU" has " on cuda:"
	that "$name has the same bits" cmp cpu.npy gpu.npy
}

for precision in f64 f32; do
	for method in emd eemd ceemdan iceemdan; do
		same "$method in $precision" $method "$eeg" --to 60 --modes 12 --precision $precision
	done
done
for precision in f64 f32; do
	same "conv in $precision" conv "$eeg" --to 20 --precision $precision \
		--mask-formula morlet --scales 1:40:12 --method direct
done
for what in "superlets --order 1:3" "bands --bands 4:8,8:13" "coherence --against 1"; do
	ok "$what on the GPU" "$ws" $what "$eeg" --freqs 4:30 --to 20 --device cuda -o gpu.h5 \
		--overwrite
	that "$what names the GPU" has " on cuda:"
done
same "the demo" iceemdan "$eeg" --channels Cz --from 10 --to 40
little="eemd $eeg --channels Cz -n 500 --sifts 2 --modes 2 --overwrite"
ok "little memory: the CPU" "$ws" $little --device cpu -o cpu.npy
ok "little memory: the GPU" "$ws" $little --device cuda --device-memory 300M -o gpu.npy
that "little memory has the same bits" cmp cpu.npy gpu.npy
# Several GPUs share the samples of channels that are sifted together, if there are enough.
gpus=$("$ws" devices --json | grep -c '"usable": true')
all=cuda:$(seq -s, 0 $((gpus - 1)))
shared()
{
	local name="memd shared, $*"
	set -- memd "$eeg" --directions 2400 --overwrite "$@"
	noted "$name: one GPU" "$ws" "$@" --device cuda:0 -o one.npy
	noted "$name: $gpus GPUs" "$ws" "$@" --device $all -o all.npy
	that "$name: they share it" has " on $all"
	that "$name: the same bits" cmp one.npy all.npy
}
if [ "$gpus" -gt 1 ]; then
	shared --modes 5
	shared --modes 3 --precision f64
	shared --modes 3 --sifts 7 --boundary periodic
	shared --modes 3 --stop-rule cauchy --noise-channels 3
	shared --modes 2 --sifts 13 --reference memd
	shared --modes 2 --stop-rule fix-h:5 --max-sifts 30 --precision f64
fi
# Work that was stopped goes on elsewhere, to the same bits.
kept="iceemdan $eeg --realizations 40 --sifts 5 --to 40 -q"
ok "kept: uninterrupted" "$ws" $kept --device cpu -o whole.h5
for places in "cpu cuda" "cuda cpu" "cuda cuda:$((gpus - 1))"; do
	set -- $places
	run "$ws" $kept --device $1 -o kept.h5 --checkpoint 1us --max-time 1us
	that "kept from $1: stopped" test $? = 75
	ok "kept from $1 to $2" "$ws" $kept --device $2 -o kept.h5 --resume
	that "kept from $1 to $2: the same bits" "$build/same_result" whole.h5 kept.h5
	rm -rf kept.h5*
done
wavelets="cwt $eeg --freqs 4:40:8 -q"
run "$ws" $wavelets --device cuda -o kept.h5 --checkpoint 1us --max-time 1us
that "wavelets kept from a GPU: stopped" test $? = 75
fails "are not mixed with the CPU's" 2 "was begun on another device" \
	"$ws" $wavelets --device cpu -o kept.h5 --resume
ok "wavelets kept from a GPU go on" "$ws" $wavelets --device cuda -o kept.h5 --resume
noted "auto" "$ws" iceemdan "$eeg" -n 3000
that "auto takes the GPU" has " on cuda:"
fails "too little memory" 4 "may be used" "$ws" eemd "$eeg" --device cuda --device-memory 1M
finish
