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
if command -v man >/dev/null; then
	warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -l "$man" 2>&1 >/dev/null)
	that "the man page is sound" test -z "$warnings"
fi

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
that "completes values" test "$(complete_words wavesift emd --spline aki)" = akima
finish
