#!/bin/sh
# Installs what wavesift needs to build and test on Debian 12 (and later, and
# Ubuntu): as root or with sudo; else says what to install and fails.
# With everything there it only looks, and says nothing.
#
#     scripts/setup.sh          what `make demo` and `make test` need
#     scripts/setup.sh --release   what scripts/release.sh, wheels.sh, deb.sh and try_bare.sh need
#     scripts/setup.sh --dev    also clang, Ninja, bindgen, qemu-user, strace, valgrind, sox, time,
#                               Slurm, MPI, and what tests of Python need
set -eu

packages="build-essential cmake pkg-config libhdf5-dev libmatio-dev libsndfile1-dev libedf-dev
	libjansson-dev libzip-dev libcairo2-dev libcmocka-dev librandom123-dev
	nettle-dev zlib1g-dev libseccomp-dev fonts-dejavu-core libmuparser2v5"
if [ "${1:-}" = --dev ]; then
	packages="$packages libfftw3-dev clang ninja-build strace time slurm-wlm munge libopenmpi-dev openmpi-bin qemu-user-static
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross python3-numpy python3-pytest python3-h5py
	python3-venv python3-cffi abigail-tools bindgen valgrind sox"
elif [ "${1:-}" = --release ]; then
	packages="$packages debootstrap dpkg-dev git m4 gperf ccache python3-venv musl wine64
	qemu-user-static libc6-dev-arm64-cross"
fi

if ! command -v dpkg-query >/dev/null; then
	echo "setup: not a Debian system; install what stands for these packages:" $packages >&2
	# What is there decides: let the build say what it misses.
	exit 0
fi

missing=
for p in $packages; do
	state=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)
	[ "$state" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
	as_root=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
	as_root="sudo"
elif command -v sudo >/dev/null && [ -t 0 ]; then
	as_root="sudo"
else
	echo "setup: packages are missing; as root:" >&2
	echo "    apt-get install -y --no-install-recommends$missing" >&2
	exit 1
fi

echo "setup: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
# A machine that is up to date need not ask the network for lists again.
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 || {
	$as_root apt-get update -qq
	$as_root apt-get install -y -qq --no-install-recommends $missing
}
