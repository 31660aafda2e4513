#!/bin/bash
# docs/validation.md is what bench/validation/results.json says, no row older than its numbers; and
# the rows that need nobody else's code hold on this build.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
command -v python3 >/dev/null || { echo "SKIPPED: check_validation.sh: no python3"; exit 0; }
python3 "$root/bench/validation/validate.py" --check || exit 1
failed=0
for row in two-tone-defaults; do
	BUILD=$build "$root/bench/validation/run.sh" "$row" || failed=1
done
exit $failed
