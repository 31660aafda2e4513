#!/bin/bash
# check_sdist.sh: the Python package as a stranger gets it: an sdist of the tree, built with the
# system's C compiler, installed in a new virtual environment, and tested there by the tests and the
# lines of README that it brings along.  Compiled without optimisation, which takes half the time
# and has the same bits.
# Exit 77, with a word, where there is no venv, or no PyPI.
set -euo pipefail
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
unset PYTHONPATH WAVESIFT_LIBRARY WAVESIFT_PROGRAM || true
export PYTHONDONTWRITEBYTECODE=1
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
python=$build/python/bin/python
[ -x "$python" ] || python=python3
if ! "$python" -m venv "$box/venv" 2>/dev/null; then
	echo "SKIPPED: python3 with venv is needed (scripts/setup.sh --dev)"
	exit 77
fi
pip() { "$box/venv/bin/pip" -q --disable-pip-version-check "$@"; }
if ! pip install build pytest hypothesis 2>"$box/pip.txt"; then
	echo "SKIPPED: no PyPI: $(tail -1 "$box/pip.txt")"
	exit 77
fi

"$box/venv/bin/python" -m build --sdist -o "$box" "$root" >"$box/sdist.log" || {
	cat "$box/sdist.log"
	exit 1
}
sdist=$(echo "$box"/wavesift-*.tar.gz)
pip install "$sdist" -C cmake.build-type=Debug -C cmake.define.CMAKE_C_FLAGS_DEBUG=-O0
tar xzf "$sdist" -C "$box"
cd "$(echo "$box"/wavesift-*/bindings/python)"
if [ -e cuda13 ] || [ -e ../../src/io ]; then
	echo "the sdist holds what the package does not need"
	exit 1
fi

sed -n '/^```python$/,/^```$/p' README.md | grep -v '^```' >"$box/lines.py"
(cd "$box" && venv/bin/python lines.py >/dev/null)
cd tests
# Quick ones that need NumPy alone.
"$box/venv/bin/python" -m pytest -q -p no:cacheprovider -c ../../../pyproject.toml \
	test_inverse.py test_numbers.py test_options.py test_scales.py
# The library is the installed one, and the licence came along.
"$box/venv/bin/python" - <<'END'
import importlib.metadata
import wavesift
from wavesift import _library
files = [str(f) for f in importlib.metadata.files("wavesift")]
assert [f for f in files if f.endswith("LICENSE")], files
assert importlib.metadata.version("wavesift") == wavesift.__version__
assert "site-packages" in _library.lib._name, _library.lib._name
END
