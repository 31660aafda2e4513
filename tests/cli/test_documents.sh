#!/bin/bash
# The man page and the completions know every command and option.
. "$(dirname "$0")/lib.sh"

man=$build/wavesift.1
options=$(for c in info devices emd eemd ceemdan iceemdan memd plot compare; do
	"$ws" $c --help
done | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -e '--[a-z-]+' | sort -u)
that "there are options" test "$(echo "$options" | wc -l)" -gt 30
for o in $options; do
	that "man page has $o" grep -qF -- "$(printf '%s' "$o" | sed 's/-/\\-/g')" "$man"
	that "bash completion has $o" grep -q -e "$o" "$build/wavesift.bash"
	that "zsh completion has $o" grep -q -e "'$o" "$build/_wavesift"
done
# Where commands differ in an option the man page says which.
that "man page tells whose values" grep -qzP 'One of torres, libeemd\.\n\(ceemdan\)' "$man"
that "man page tells whose text" grep -qzP 'Default: fixed:10\.\n\(emd, eemd\)' "$man"
# What a command's help offers it takes; what is another's it does not show.
for c in emd eemd ceemdan iceemdan memd; do
	ok "help of $c" "$ws" $c --help
	that "$c: no other endings" test -z "$(printf '%s' "$out" | grep 'figures: .png')"
	for r in $(printf '%s' "$out" | sed -n '/--reference/,/--modes/p' | grep ' | ' | tr '|' ' '); do
		ok "$c --help, $r" "$ws" $c "$eeg" -c Cz --dry-run --reference "$r"
	done
	"$ws" $c --help >"$c.help"
	for r in fixed rilling s-number sd cauchy tolerance energy fix-h; do
		if sed -n '/--stop-rule/,/--max-sifts/p' "$c.help" | grep -q "$r:[A-Z]"; then
			ok "$c --help, $r" "$ws" $c "$eeg" -c Cz,Fz --dry-run --stop-rule "$r"
		else
			fails "$c --help without $r" 2 "these commands take it" "$ws" $c "$eeg" -c Cz --dry-run --stop-rule "$r"
		fi
	done
done
ok "help of plot" "$ws" plot --help
that "plot: no endings of results" test -z "$(printf '%s' "$out" | grep -E 'STEM_COMMAND|\.npy')"

# The examples of help follow one upon the other.
cp "$eeg" night.edf
wavesift()
{
	"$ws" "$@"
}
ok "a result that is no modes" "$ws" cwt night.edf --freqs 4,8,12 --quantity power -q
examples=$(for c in iceemdan plot; do "$ws" $c --help | grep -E '^  wavesift .*night'; done)
while read -r words; do
	ok "example: $words" $words
done <<<"$examples"
that "there are examples" test -s night.pdf -a -s detail.png -a -s cz.png

if command -v man >/dev/null; then
	warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -l "$man" 2>&1 >/dev/null)
	that "the man page is sound" test -z "$warnings"
fi

# Texts of the library name options in backticks.
that "documents name options by their dashes" test -z "$(
	{ cat "$man" "$build/_wavesift"; for c in emd conv cwt bands coherence hht memd plot; do "$ws" $c --help; done; } |
		grep '`')"

that "bash takes its completion" bash -n "$build/wavesift.bash"
complete_words()
{
	(
		. "$build/wavesift.bash"
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_wavesift
		echo "${COMPREPLY[*]}"
	)
}
that "completes commands" test "$(complete_words wavesift ice)" = iceemdan
that "completes options" test "$(complete_words wavesift emd --spl)" = --spline
that "completes only a command's options" test -z "$(complete_words wavesift emd --realiz)"
that "completes only a command's values" test "$(complete_words wavesift memd --reference lib)" = ""
that "completes values" test "$(complete_words wavesift emd --spline aki)" = akima
finish
