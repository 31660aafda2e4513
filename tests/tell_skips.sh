#!/bin/bash
# tell_skips.sh COMMAND...: runs a test.  One that passes, but has left out a part (it prints a line
# that begins with SKIPPED, or cmocka's word), exits 77, so that ctest shows it as skipped.
set -o pipefail
out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$@" 2>&1 | tee "$out"
status=${PIPESTATUS[0]}
[ "$status" -eq 0 ] && grep -q -e '^SKIPPED' -e '^\[  SKIPPED \]' "$out" && status=77
exit "$status"
