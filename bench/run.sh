#!/bin/sh
# Runs all benchmarks of a build folder, writes its bench/*.json and refreshes
# docs/performance.md from them:
#
#     WS_PEERS=DIR bench/run.sh BUILD
#
# DIR/libeemd.so is libeemd, built by the user. The Python peers come from PyPI into
# BUILD/venv where pip can get them. What is absent prints NOT RUN. WAVESIFT_BASE, another build's
# program, is compared with in turn by commands.py, which also wants 5 GB of disk.
set -eu
build=${1:?usage: bench/run.sh BUILD}
here=$(dirname "$0")
out=$build/bench

"$out/slots" "$out"
"$out/emd" "$out"
"$out/peers" "$out"

python=$build/venv/bin/python
if [ ! -x "$python" ]; then
	python3 -m venv "$build/venv" >/dev/null 2>&1 || python=python3
fi
if ! "$python" -c 'import PyEMD, emd' >/dev/null 2>&1; then
	timeout 180 "$python" -m pip install --quiet EMD-signal emd >"$build/venv.log" 2>&1 || true
fi
"$python" "$here/peers.py" "$out"
"$python" "$here/commands.py" "$out"

if "$python" -c 'import numpy' >/dev/null 2>&1; then
	WAVESIFT_LIBRARY=$build/libwavesift.so PYTHONPATH=$here/../bindings/python OMP_NUM_THREADS=1 \
		WAVESIFT_DATA=${WAVESIFT_DATA:-$here/../../shared/data} \
		"$python" -W ignore "$here/boundaries/boundaries.py" | tee "$out/boundaries.txt"
else
	echo "boundary rules: NOT RUN: no NumPy"
fi

"$python" "$here/report.py" "$out" "$here/../docs/performance.md"
