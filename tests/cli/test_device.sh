#!/bin/bash
# Where the work is done: GPUs named, described, used and missed.  A copy of
# the program has beside it no backend, a broken one, or that of
# tests/fake_backend.c.
. "$(dirname "$0")/lib.sh"

fails "--device nonsense" 2 "device nonsense: must be auto, cpu, cuda" \
	"$ws" emd "$eeg" --device nonsense
fails "--device-memory without a GPU" 2 "means nothing" \
	"$ws" emd "$eeg" --device cpu --device-memory 1G

place=$box/place
mkdir "$place"
cp "$ws" "$place/wavesift"
ws=$place/wavesift
backend=$place/libwavesift_cuda.so

ok "devices without a backend" "$ws" devices
that "devices says why there is no GPU" has "gpu   none: no GPU backend is installed"
fails "cuda without a backend" 5 "no GPU backend is installed" "$ws" emd "$eeg" --device cuda
ok "auto without a backend" "$ws" emd "$eeg" -o none.h5
echo "no library" >"$backend"
fails "a backend that is no library" 5 "cannot be opened" "$ws" emd "$eeg" --device cuda
ok "devices with a broken backend" "$ws" devices
that "devices says that it is broken" has "cannot be opened"

if [ ! -e "$build/fake/libwavesift_cuda.so" ]; then
	echo "SKIPPED  the fake backend is not built"
	finish
fi
cp "$build/fake/libwavesift_cuda.so" "$backend"
export FAKE_FAIL=version
fails "a backend of another version" 5 "of another version" "$ws" emd "$eeg" --device cuda
export FAKE_FAIL=first
ok "devices" "$ws" devices
that "devices says why one is not used" has "not used: it is too old"
that "devices tells the other" has "cuda:1: Fake 1, made of the CPU"
fails "a device that is not usable" 5 "it is too old" "$ws" emd "$eeg" --device cuda:0
export FAKE_FAIL=stop
fails "a device that is lost" 5 "device cuda:0: it was lost" "$ws" emd "$eeg" --device cuda
export FAKE_FAIL=borrow
fails "a device whose memory is taken" 4 "bytes are not free" "$ws" emd "$eeg" --device cuda
unset FAKE_FAIL
FAKE_DEVICES=0 fails "no driver" 5 "there is no driver" "$ws" emd "$eeg" --device cuda
fails "a device past the last" 5 "end at cuda:1" "$ws" emd "$eeg" --device cuda:2
fails "too little of its memory" 4 "may be used" "$ws" emd "$eeg" --device cuda --device-memory 100K

decompose="iceemdan $eeg --to 10 -n 40 --sifts 3"
ok "on the CPU" "$ws" $decompose --device cpu -o cpu.npy
ok "on two devices" "$ws" $decompose --device cuda:0,1 -o gpu.npy
that "the summary names them" has "on cuda:0,1 (Fake 0)"
that "the same bits" cmp -s cpu.npy gpu.npy
ok "as JSON" "$ws" $decompose --device cuda -o gpu.h5 --json
that "provenance has the backend" has '"backend": "cuda"'
that "provenance has the device" has '"device": "cuda:0"'
that "provenance has the model" has '"device_model": "Fake 0"'
ok "a plan" "$ws" $decompose --device cuda:1 --dry-run
that "the plan names the device" has "cuda:1 (Fake 1), f64, 40 realizations at a time"
that "the plan tells its memory" has "on the GPU"
# Channels that are sifted together, enough of them for two.
together="--raw i16,channels=64,order=channel --fs 250 --directions 4096 --modes 1 --sifts 1
	--overwrite"
head -c 128000 "$eeg" >noise.i16
ok "memd on the CPU" "$ws" memd noise.i16 $together --device cpu -o cpu.npy
ok "memd on two devices" "$ws" memd noise.i16 $together --device cuda:0,1 -o gpu.npy
that "both are named" has "on cuda:0,1 (Fake 0)"
that "one fills the result" cmp -s cpu.npy gpu.npy
ok "memd of one tile" "$ws" memd noise.i16 --raw i16,channels=256,order=channel --fs 250 \
	--directions 4096 --modes 1 --device cuda:0,1 --dry-run
that "has one device" has "1 of 256 channels, "
finish
