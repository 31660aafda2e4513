#!/bin/bash
# check_python.sh [FILE...]: the Python binding on this build's library, by pytest; its results
# against the program's.  FILE: those of bindings/python/tests; default: all but test_gpu.py and
# test_typing.py, which are tests of their own.
# Exit 77, with a word, where Python, NumPy or pytest are missing ($PYTHON names another Python).
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
python=
for p in ${PYTHON:-"$build/python/bin/python" python3 /usr/bin/python3}; do
	if "$p" -c 'import numpy, pytest' 2>/dev/null; then
		python=$p
		break
	fi
done
if [ -z "$python" ]; then
	echo "SKIPPED: python3 with numpy and pytest is needed (make python, or scripts/setup.sh --dev)"
	exit 77
fi
if nm -D "$build/libwavesift.so" 2>/dev/null | grep -q __asan_init ||
	nm -D "$build/libwavesift.so" 2>/dev/null | grep -q __tsan_init; then
	echo "SKIPPED: Python cannot open a library that is built with sanitizers"
	exit 77
fi
export PYTHONPATH=$root/bindings/python PYTHONDONTWRITEBYTECODE=1
export WAVESIFT_LIBRARY=$build/libwavesift.so WAVESIFT_PROGRAM=$build/wavesift
cd "$root/bindings/python/tests"
[ $# -gt 0 ] || set -- --ignore=test_gpu.py --ignore=test_typing.py .
exec "$python" -m pytest -q -rs -p no:cacheprovider -c "$root/pyproject.toml" "$@"
