#!/bin/bash
# Checksums of results: every byte of their arrays and texts is covered, by whatever reads it.
. "$(dirname "$0")/lib.sh"

sel=(--channels 1-2 --to 4)

# size FILE; damage FILE BYTE COPY: a copy in which that byte has another value.
size()
{
	stat -c %s "$1"
}
damage()
{
	local byte
	cp "$1" "$3"
	byte=$(od -An -tu1 -j "$2" -N 1 "$1")
	printf "\\x$(printf %x $((byte ^ 64)))" | dd of="$3" bs=1 seek="$2" conv=notrunc status=none
}
# at FILE TEXT: where the bytes of a text lie.
at()
{
	LC_ALL=C grep -obUaF -- "$2" "$1" | head -1 | cut -d: -f1
}

ok "modes" "$ws" emd "$eeg" "${sel[@]}" -o emd.h5 -q
ok "packed" "$ws" eemd "$eeg" "${sel[@]}" --realizations 4 -o eemd.h5 -q --compress
ok "in f32" "$ws" iceemdan "$eeg" "${sel[@]}" --realizations 4 -o ice.h5 -q --store f32
ok "coefficients" "$ws" cwt "$eeg" "${sel[@]}" -o cwt.h5 -q
ok "cut by time or frequency" "$ws" cwt "$eeg" --to 60 -o cut.h5 -q --memory 20M
ok "octaves" "$ws" cwt "$eeg" "${sel[@]}" --octave-arrays --quantity power -o oct.h5 -q --compress
ok "spectra" "$ws" hht "$eeg" "${sel[@]}" -o hht.h5 -q
ok "masks" "$ws" conv "$eeg" "${sel[@]}" --mask-formula morlet -o conv.h5 -q
ok "bands" "$ws" bands "$eeg" "${sel[@]}" --bands 4:8,8:13 -o bands.h5 -q --decimate 3
for r in emd eemd ice cwt cut oct hht conv bands; do
	ok "$r: as written" "$ws" info --verify $r.h5
	that "it says so" has "arrays have the checksums"
done
ok "as JSON" "$ws" info --verify emd.h5 --json
that "how many" has '"arrays": 1'

# ---- Damage
n=$(size emd.h5)
missed=0
for k in $(seq 1 60); do
	damage emd.h5 $((n * k / 61)) bad.h5
	# Bytes that nothing uses may change.
	"$ws" info --verify bad.h5 >/dev/null 2>bad.txt && {
		"$ws" emd bad.h5 -o a.npy -q --overwrite 2>/dev/null &&
			"$ws" emd emd.h5 -o b.npy -q --overwrite && cmp -s a.npy b.npy ||
			missed=$((missed + 1))
	}
done
that "no change of an array is missed" test $missed = 0
# hit FILE ARRAY: bad.h5, a copy of which a byte of the array has another value.
hit()
{
	local k n
	n=$(size "$1")
	for k in $(seq 1 60); do
		damage "$1" $((n * (61 - k) / 61)) bad.h5
		"$ws" info --verify bad.h5 2>&1 >/dev/null | grep -q "damaged: piece .* of $2 " && return
	done
	failed "$1" "no byte of $2 was found"
}
hit emd.h5 modes
fails "where modes are" 3 "bad.h5: damaged: piece" "$ws" info --verify bad.h5
fails "drawn" 3 "bad.h5: damaged: piece" "$ws" plot bad.h5 -o no.png
fails "analysed further" 3 "bad.h5: damaged: piece" "$ws" hht bad.h5 -o no.h5
hit cwt.h5 cwt/coefficients
fails "coefficients, drawn" 3 "bad.h5: damaged: piece" "$ws" plot bad.h5 -o no.png
damage emd.h5 "$(at emd.h5 EOG1)" bad.h5
fails "a name" 3 "names of channels have not the checksum" "$ws" info --verify bad.h5
fails "a name, drawn" 3 "names of channels have not the checksum" "$ws" plot bad.h5 -o no.png
damage cwt.h5 "$(at cwt.h5 'Wavelet transform of')" bad.h5
fails "the record" 3 "provenance has not the checksum" "$ws" plot bad.h5 -o no.png

# ---- What has none
ok "another format" "$ws" emd "$eeg" "${sel[@]}" -o x.npy -q
fails "has none" 3 "has no checksums: results" "$ws" info --verify x.npy
fails "nor a recording" 3 "has no checksums: results" "$ws" info --verify "$eeg"

finish
