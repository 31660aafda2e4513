#!/bin/sh
# try_wheel.sh PYTHON...: installs this machine's wheel of build-wheels/dist into a new virtual
# environment of each Python, runs README's lines of bindings/python there, and, where pytest can
# be had, the tests of the package on the wheel's own library.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
wheel=$(ls "$root"/build-wheels/dist/wavesift-*"$(uname -m)".whl)
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
sed -n '/^```python$/,/^```$/p' "$root/bindings/python/README.md" | grep -v '^```' >"$lines"
unset PYTHONPATH WAVESIFT_LIBRARY WAVESIFT_PROGRAM || true

for python; do
	venv=$(mktemp -d)
	name=$("$python" -c 'import sys; print(sys.version.split()[0], sys.implementation.name,
		"free-threaded" if not getattr(sys, "_is_gil_enabled", lambda: True)() else "")')
	"$python" -m venv "$venv"
	"$venv/bin/pip" install -q --disable-pip-version-check "$wheel"
	(cd "$venv" && bin/python "$lines" >lines.txt) || { echo "$name: FAILED"; exit 1; }
	echo "$name: $(head -c 60 "$venv/lines.txt" | head -1)"
	# Of a Python that is new, not all have wheels.
	for package in pytest hypothesis h5py matplotlib; do
		"$venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: "$package" \
			2>/dev/null || echo "NOT THERE: $package for $name"
	done
	if "$venv/bin/python" -c 'import pytest' 2>/dev/null; then
		(cd "$venv" && bin/python -m pytest -q -p no:cacheprovider -c "$root/pyproject.toml" \
			-k "not ctrl_c" "$root/bindings/python/tests") >"$venv/tests.txt" 2>&1 || {
			cat "$venv/tests.txt"
			exit 1
		}
		echo "$name: $(tail -1 "$venv/tests.txt")"
	else
		echo "NOT RUN: the tests with $name"
	fi
	rm -rf "$venv"
done
