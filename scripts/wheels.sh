#!/bin/sh
# wheels.sh [TARGET...]: builds Python wheels on any Linux, for Linux, macOS and Windows, in
# build-wheels/dist.  It needs python3 with venv, and PyPI: compiler (zig), CMake and ninja come
# from there.
#
#     TARGET  sdist, x86_64-linux, aarch64-linux, x86_64-musl, x86_64-windows, aarch64-macos,
#             x86_64-macos;
#             x86_64-cli, the program as a package of its own, with the libraries that it needs
#             (scripts/cli_libraries.sh has what that takes); x86_64-cli-debian, the same of this
#             Debian's compiler and libraries, which no older system runs;
#             x86_64-cuda13, the GPU's backend as a package of its own, which needs CUDA 13 and g++;
#             default: sdist, the first six, and the last where it can be built
#
# What can be run here is: the bits of all transforms, and tests of the C library
# (docs/releasing.md); not where NO_TRY is set.  A wheel has the same bytes wherever and whenever it
# is built from a commit, by one version of the compiler (SOURCE_DATE_EPOCH; default: that commit's).
# Zig's C library stubs are those of glibc 2.28, so wheels run on every Linux from 2018 on.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/build-wheels
mkdir -p "$work/dist"
PATH=$PATH:${CUDA_PATH:-/usr/local/cuda}/bin
if [ $# -eq 0 ]; then
	set -- sdist x86_64-linux aarch64-linux x86_64-musl x86_64-windows aarch64-macos x86_64-macos
	if nvcc --version 2>&1 | grep -q 'release 13\.' && [ "$(uname -m)" = x86_64 ]; then
		set -- "$@" x86_64-cuda13
	else
		echo "NOT BUILT: wavesift-cuda13 (it needs CUDA 13's nvcc on x86-64)"
	fi
fi

if [ ! -x "$work/venv/bin/pyproject-build" ]; then
	python3 -m venv "$work/venv"
	"$work/venv/bin/pip" install -q --disable-pip-version-check "pip>=23.1" \
		"scikit-build-core>=0.11" "ziglang>=0.13" "cmake>=3.25" ninja wheel build \
		"auditwheel>=6"
fi
PATH=$work/venv/bin:$PATH
export PATH
# What a user's own build has set is not meant for another machine.
unset CFLAGS LDFLAGS CC CXX ARCHFLAGS || true
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

# compiler NAME ZIG-TARGET [ARGUMENTS]: programs that CMake takes for a compiler and an archiver.
compiler()
{
	mkdir -p "$work/$1"
	zig=$("$work/venv/bin/python" -c 'import ziglang; print(ziglang.__path__[0])')/zig
	printf '#!/bin/sh\nexec "%s" cc -target %s "-ffile-prefix-map=%s/=" "$@" %s\n' \
		"$zig" "$2" "$root" "${3:-}" >"$work/$1/cc"
	for tool in ar ranlib; do
		printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" $tool >"$work/$1/$tool"
	done
	chmod +x "$work/$1/cc" "$work/$1/ar" "$work/$1/ranlib"
}

# toolchain NAME SYSTEM PROCESSOR
toolchain()
{
	cat >"$work/$1/toolchain.cmake" <<-EOF
	set(CMAKE_SYSTEM_NAME $2)
	set(CMAKE_SYSTEM_PROCESSOR $3)
	set(CMAKE_C_COMPILER $work/$1/cc)
	set(CMAKE_AR $work/$1/ar)
	set(CMAKE_RANLIB $work/$1/ranlib)
	set(CMAKE_INSTALL_NAME_TOOL true)
	set(CMAKE_OSX_SYSROOT "")
	set(CMAKE_OSX_DEPLOYMENT_TARGET "")
	set(WAVESIFT_ZIG ON)
	EOF
	# By the linker: a bare system has no strip.  Of macOS it leaves out names of folders, too.
	echo 'set(CMAKE_SHARED_LINKER_FLAGS_INIT -s)' >>"$work/$1/toolchain.cmake"
}

# runner NAME MACHINE: $run is to stand before a program of that target; false where it cannot be
# run, or NO_TRY is set.
runner()
{
	run= exe=
	[ -z "${NO_TRY:-}" ] || return 1
	case $1 in
	*-windows)
		run=$(PATH=$PATH:/usr/lib/wine command -v wine64) ||
			{ echo "NOT RUN: $1 (apt-get install wine64)"; return 1; }
		run="env WINEDEBUG=-all WINEPREFIX=$work/$1/wine $run" exe=.exe
		mkdir -p "$work/$1/wine"
		;;
	*-musl)
		[ -e "/lib/ld-musl-$2.so.1" ] ||
			{ echo "NOT RUN: $1 (apt-get install musl)"; return 1; }
		;;
	*)
		[ "$(uname -m)" != "$2" ] || return 0
		run=$(command -v "qemu-$2-static" || command -v "qemu-$2" || true)
		if [ -z "$run" ] || [ ! -d "/usr/$2-linux-gnu" ]; then
			echo "NOT RUN: $1 (qemu-$2 and a C library for it: scripts/setup.sh --dev)"
			return 1
		fi
		run="$run -L /usr/$2-linux-gnu"
		;;
	esac
}

# tests NAME MACHINE: the tests of the core that need no file and no GPU, built as the wheel.
tests()
{
	runner "$1" "$2" || return 0
	if ! bash -c '. "$0/scripts/sources.sh" && sources "$1" bookworm cmocka' "$root" "$work/cmocka" \
		>"$work/cmocka.log" 2>&1; then
		echo "NOT RUN: the tests of $1 (no sources of cmocka: $work/cmocka.log)"
		return
	fi
	{
		cmake "$work/$1/build" "-DWAVESIFT_CMOCKA=$work/cmocka/src/cmocka"
		cmake --build "$work/$1/build" --target core_tests
	} >"$work/$1/tests.log" 2>&1 || { tail -30 "$work/$1/tests.log"; exit 1; }
	n=0
	for program in "$work/$1"/build/core_*"$exe"; do
		[ -x "$program" ] || continue
		$run "$program" >"$work/$1/test.txt" 2>&1 || {
			cat "$work/$1/test.txt"
			echo "wheels: $1: ${program##*/} fails" >&2
			exit 1
		}
		n=$((n + 1))
	done
	echo "$1: $n test programs pass"
}

# bits NAME MACHINE: what the wheel's objects compute has the bits of tests/data/bits.txt.
bits()
{
	runner "$1" "$2" || return 0
	cmake --build "$work/$1/build" --target bits_digest >"$work/$1/bits.log" || {
		cat "$work/$1/bits.log"
		exit 1
	}
	$run "$work/$1/build/bits_digest$exe" | tr -d '\r' >"$work/$1/bits.txt"
	if ! diff "$root/tests/data/bits.txt" "$work/$1/bits.txt" >"$work/$1/bits.diff"; then
		head -20 "$work/$1/bits.diff"
		echo "wheels: $1 has other bits than tests/data/bits.txt" >&2
		exit 1
	fi
	echo "$1: the bits of $(($(wc -l <"$work/$1/bits.txt") - 1)) results"
}

# wheel NAME PLATFORM-TAG [PACKAGE FOLDER]: into dist; PACKAGE is wavesift, FOLDER the root.
wheel()
{
	rm -rf "$work/$1/wheel"
	"$work/venv/bin/pip" wheel "$root${4:+/$4}" -q --disable-pip-version-check --no-deps \
		--no-build-isolation -w "$work/$1/wheel" -C "build-dir=$work/$1/build" \
		-C "cmake.define.CMAKE_TOOLCHAIN_FILE=$work/$1/toolchain.cmake" \
		${WHEEL_ARGS:-}
	rm -f "$work/dist/${3:-wavesift}"-*-py3-none-"$2".whl
	"$work/venv/bin/wheel" tags --remove --platform-tag "$2" "$work/$1"/wheel/*.whl >/dev/null
	mv "$work/$1"/wheel/*.whl "$work/dist/"
}

# old_enough PACKAGE MACHINE [GLIBC]: its wheel runs on manylinux_2_GLIBC, default 28, for which it
# is marked.
old_enough()
{
	told=$(auditwheel show "$work/dist/$1"-*_2_"${3:-28}_$2".whl)
	needs=$(echo "$told" | tr '\n' ' ' | sed -n "s/.*manylinux_2_\([0-9]*\)_$2\".*/\1/p")
	[ "${needs:-99}" -le "${3:-28}" ] || {
		echo "$told"
		echo "wheels: the wheel of $1 needs a newer system than manylinux_2_${3:-28}" >&2
		exit 1
	}
}

# program_wheel NAME GLIBC ARGUMENTS: the wheel wavesift-cli, with the libraries of NAME/libraries.
program_wheel()
{
	WHEEL_ARGS="$3 -C cmake.define.WAVESIFT_LIBRARIES=$work/$1/libraries"
	wheel "$1" "manylinux_2_$2_x86_64" wavesift_cli bindings/cli
	WHEEL_ARGS=
	old_enough wavesift_cli x86_64 "$2"
	bits "$1" x86_64
}

for target; do
	case $target in
	x86_64-linux | aarch64-linux)
		machine=${target%-linux}
		compiler "$target" "$machine-linux-gnu.2.28"
		toolchain "$target" Linux "$machine"
		wheel "$target" "manylinux_2_28_$machine"
		old_enough wavesift "$machine"
		bits "$target" "$machine"
		;;
	x86_64-musl)
		compiler "$target" x86_64-linux-musl
		toolchain "$target" Linux x86_64
		# Programs of tests then ask for musl's loader.
		echo 'set(CMAKE_EXE_LINKER_FLAGS_INIT -dynamic)' >>"$work/$target/toolchain.cmake"
		wheel "$target" musllinux_1_2_x86_64
		bits "$target" x86_64
		tests "$target" x86_64
		;;
	x86_64-windows)
		compiler "$target" x86_64-windows-gnu
		toolchain "$target" Windows x86_64
		wheel "$target" win_amd64
		bits "$target" x86_64
		tests "$target" x86_64
		;;
	aarch64-macos | x86_64-macos)
		machine=$(echo "${target%-macos}" | sed s/aarch64/arm64/)
		compiler "$target" "${target%-macos}-macos.11.0"
		toolchain "$target" Darwin "$machine"
		wheel "$target" "macosx_11_0_$machine"
		;;
	tools) ;;
	sdist)
		rm -f "$work"/dist/*.tar.gz
		"$work/venv/bin/python" -m build -q --sdist --no-isolation -o "$work/dist" "$root"
		;;
	x86_64-cli)
		libraries=$work/$target/libraries
		compiler "$target/libraries" x86_64-linux-gnu.2.28 \
			"-fno-sanitize=undefined '-Wl,-rpath,\$ORIGIN' -Wl,--undefined-version"
		CC=$libraries/cc AR=$libraries/ar RANLIB=$libraries/ranlib \
			"$root/scripts/cli_libraries.sh" "$libraries" >"$libraries/log" 2>&1 || {
			tail -30 "$libraries/log"
			echo "wheels: the libraries of $target; all of it: $libraries/log" >&2
			exit 1
		}
		compiler "$target" x86_64-linux-gnu.2.28
		toolchain "$target" Linux x86_64
		# What it has built runs here.
		printf '%s\n' 'set(CMAKE_EXE_LINKER_FLAGS_INIT -s)' 'set(CMAKE_CROSSCOMPILING_EMULATOR env)' \
			>>"$work/$target/toolchain.cmake"
		PKG_CONFIG_LIBDIR=$libraries/lib/pkgconfig
		export PKG_CONFIG_LIBDIR
		program_wheel "$target" 28 "-C cmake.define.HDF5_HL=$libraries/lib/libhdf5_hl.so"
		unset PKG_CONFIG_LIBDIR
		;;
	x86_64-cli-debian)
		mkdir -p "$work/$target/libraries"
		"$root/scripts/system_libraries.sh" "$work/$target/libraries"
		# A library of Debian's finds others by the program's path.
		echo 'set(CMAKE_EXE_LINKER_FLAGS_INIT "-s -Wl,--disable-new-dtags")' \
			>"$work/$target/toolchain.cmake"
		program_wheel "$target" 36 ""
		;;
	x86_64-cuda13)
		compiler "$target" x86_64-linux-gnu.2.28
		toolchain "$target" Linux x86_64
		wheel "$target" manylinux_2_28_x86_64 wavesift_cuda13 bindings/python/cuda13
		old_enough wavesift_cuda13 x86_64
		;;
	*)
		echo "wheels: $target: must be sdist, x86_64-linux, aarch64-linux, x86_64-musl," \
			"x86_64-windows, aarch64-macos, x86_64-macos, x86_64-cli, x86_64-cli-debian or" \
			"x86_64-cuda13" >&2
		exit 2
		;;
	esac
done
ls -l "$work/dist"
