#!/bin/bash
# try_bare.sh FILE..: installs an sdist, or wheels, in a bare chroot of Debian 12, and runs there
# README's lines of the Python package and its tests.  Of an sdist also what pip says where there is
# no compiler.  TESTS: what pytest is to run, default all of bindings/python/tests.  QUICK=1: an sdist
# is compiled without optimisation, for trials.
#
# scripts/chroot.sh has what it needs, and variables for chroots.
set -euo pipefail
. "$(dirname "$0")/chroot.sh"
[ $# -gt 0 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
box=$work/try
bare "$box"
home=$box/root
mkdir "$home/tests"
cp "$@" "$home"
cp -r "$root/bindings/python/tests" "$root/examples/data/eeg.edf" "$root/pyproject.toml" "$home"
lines >"$home/lines.py"
{
	echo "set -ex; cd /root; unset SOURCE_DATE_EPOCH"
	echo "apt-get install -y -qq --no-install-recommends python3-venv >/dev/null"
	echo "python3 -m venv v; v/bin/pip install -q pytest hypothesis h5py matplotlib"
	case "$*" in
	*.tar.gz*)
		echo "if v/bin/pip install *.tar.gz >none.txt 2>&1; then exit 1; fi"
		echo "grep 'built by a C compiler' none.txt"
		echo "apt-get install -y -qq --no-install-recommends gcc libc6-dev >/dev/null"
		;;
	esac
	quick="--config-settings=cmake.build-type=Debug"
	quick="$quick --config-settings=cmake.define.CMAKE_C_FLAGS_DEBUG=-O0"
	echo "v/bin/pip install ${QUICK:+$quick}" "$(basename -a "$@" | sed 's,^,./,' | tr '\n' ' ')"
	echo "v/bin/python lines.py"
	echo "v/bin/python -m pytest -q -p no:cacheprovider -c pyproject.toml -k 'not ctrl_c'" \
		"${TESTS:-tests}"
} >"$home/try.sh"
put try.sh "$work/try.log" "$box"
tail -3 "$work/try.log"
rm -rf --one-file-system "$box"
