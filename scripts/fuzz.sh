#!/bin/bash
# Runs each fuzz target of a build for some seconds on a copy of its corpus.
#
#     scripts/fuzz.sh BUILD SECONDS [FORMAT...]
#
# A finding stops the run; its input stays in BUILD/findings.
set -euo pipefail
build=$1 seconds=$2
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$build/findings"
[ $# -gt 0 ] || set -- $(cd "$build" && ls | sed -n 's/^fuzz_\([a-z0-9_]*\)$/\1/p')
for format; do
	corpus=$build/corpus/$format
	mkdir -p "$corpus"
	cp -n "$root/fuzz/corpus/$format"/* "$corpus/" 2>/dev/null || true
	echo "fuzz_$format: $seconds s"
	set +e
	"$build/fuzz_$format" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 \
		-print_final_stats=1 -artifact_prefix="$build/findings/$format-" "$corpus" \
		2>&1 | grep -E "^stat::number_of|SUMMARY|ERROR|Test unit" | sort | uniq -c
	status=${PIPESTATUS[0]}
	set -e
	# Files for HDF5 and matio are rehearsed in a child (src/io/rehearse.c): what
	# fails there leaves its input too, but ends no run.
	if [ "$status" -ne 0 ]; then
		echo "fuzz_$format: a finding, see $build/findings" >&2
		exit 1
	fi
done
