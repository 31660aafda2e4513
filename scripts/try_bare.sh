#!/bin/bash
# try_bare.sh FILE..: installs an sdist, or wheels, in a bare chroot of Debian 12, and runs there
# README's lines of the Python package and its tests, with what pyproject.toml's extra test has
# (without pyright, which needs Node).  Of an sdist also what pip says where there is no compiler; of
# the wheel wavesift-cli README's commands, one for each library, and that none of these is the
# system's; of both the tests compare the one with the other.  TESTS: what pytest is to run, default
# all of bindings/python/tests.
# QUICK=1: an sdist is compiled without optimisation, for trials.  ARCH=arm64: the wheel for aarch64.
#
# scripts/chroot.sh has what it needs, and variables for chroots.
set -euo pipefail
. "$(dirname "$0")/chroot.sh"
[ $# -gt 0 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 2; }
box=$work/try
bare "$box"

# The commands of the program in the environment v.
program()
{
	echo "cp eeg.edf recording.edf; PATH=\$PWD/v/bin:\$PATH; wavesift --version"
	sed -n 's,^    build/\(wavesift .*\),\1 --overwrite,p' "$root/README.md"
	# HDF5, zlib and libzip; libsndfile and what it unpacks; tables, JSON, pictures of each kind.
	echo "v/bin/pip install -q numpy scipy"
	echo "wavesift emd eeg.edf --channels Cz -o r.h5; wavesift info r.h5; wavesift plot r.h5 -o r.svg"
	echo "wavesift emd eeg.edf --channels Cz -o r.mat; wavesift info r.mat --json | grep -q options"
	echo "v/bin/python -c 'import numpy as n, scipy.io as s; x = n.random.rand(2, 500)
n.savez_compressed(\"x.npz\", x=x); s.savemat(\"x.mat\", {\"x\": x}, do_compression=True)'"
	echo "for f in x.npz x.mat humpback.ogg; do wavesift info \$f; wavesift cwt \$f --fs 8000 \\
		--to 0.05 --freqs 100:3000 -o o.h5 --overwrite; done"
	echo "wavesift emd eeg.edf --channels Cz -o - | wavesift cwt - --fs 250 --freqs 1:40 --plot r.pdf"
	echo "head -c 20000 r.h5 >cut.h5; wavesift info cut.h5 && exit 1"
	echo "for f in v/bin/wavesift v/libexec/wavesift/wavesift-decode; do ldd \$f; done |
		grep -vE '/lib/wavesift/|linux-vdso|ld-linux|lib(c|m|dl|pthread|rt|resolv)\.so' && exit 1"
	echo "ls -l *.png r.svg r.pdf v/lib/wavesift v/share/doc/wavesift-cli v/share/man/man1/wavesift.1"
}
home=$box/root
cp "$@" "$home"
# What tests read of the repository; the package itself is the installed one.
git -C "$root" archive --prefix=tree/ HEAD bindings/python/{tests,cuda13,README.md} \
	README.md docs examples/data include pyproject.toml | tar -C "$home" -xf -
cp "$root"/examples/data/{eeg.edf,humpback.ogg} "$home"
lines >"$home/lines.py"
(
	echo "set -ex; cd /root; unset SOURCE_DATE_EPOCH"
	echo "apt-get install -y -qq --no-install-recommends python3-venv >/dev/null"
	echo "python3 -m venv v"
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
	case "$*" in *wavesift_cli*)
		program
		echo "export WAVESIFT_PROGRAM=/root/v/bin/wavesift"
		;;
	esac
	case "$*" in *wavesift-[0-9]*) ;; *) exit ;; esac
	echo "apt-get install -y -qq --no-install-recommends libmuparser2v5 >/dev/null" # for expressions
	echo "v/bin/pip install -q $(python3 "$root/scripts/python_needs.py" test |
		sed "s/ pyright//; s/[^ ]*/'&'/g")"
	echo "v/bin/python lines.py"
	echo "cd tree/bindings/python/tests"
	echo "/root/v/bin/python -m pytest -q -rs -p no:cacheprovider -c /root/tree/pyproject.toml" \
		"-k 'not ctrl_c' ${TESTS:-}"
) >"$home/try.sh"
put try.sh "$work/try.log" "$box"
grep '^SKIPPED' "$work/try.log" || true
tail -3 "$work/try.log"
for picture in "$home"/*.png; do
	[ ! -e "$picture" ] || cp "$picture" "$work"
done
rm -rf --one-file-system "$box"
