#!/bin/bash -eu
# Builds the fuzz targets as OSS-Fuzz asks: its compilers, flags and engine come from the
# environment, the targets, their corpora and the libraries that they need go to $OUT.
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ -e "$source/CMakeLists.txt" ] || source=$PWD
build=${WORK:-/tmp}/wavesift
cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="$CC" \
	-DCMAKE_CXX_COMPILER="$CXX" -DWAVESIFT_FUZZ=ON "-DWAVESIFT_FUZZ_ENGINE=$LIB_FUZZING_ENGINE"
cmake --build "$build" -j "$(nproc)" --target fuzz_targets
mkdir -p "$OUT/lib"
for target in "$build"/fuzz_*; do
	[ -f "$target" ] && [ -x "$target" ] || continue
	name=$(basename "$target")
	cp "$target" "$OUT/$name"
	corpus=$source/fuzz/corpus/${name#fuzz_}
	[ ! -d "$corpus" ] || (cd "$corpus" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
	# A target's libraries are not where it will run.
	ldd "$target" | awk '/=> \// { print $3 }' | grep -vE '/lib(c|m|dl|pthread|rt|gcc_s)\.so|/ld-' |
		xargs -r cp -L -n -t "$OUT/lib"
	printf '[libfuzzer]\nmax_len = 65536\nrss_limit_mb = 2048\ntimeout = 15\n' >"$OUT/$name.options"
	printf '[asan]\nallocator_may_return_null=1\nmax_allocation_size_mb=128\ndetect_leaks=0\n' \
		>>"$OUT/$name.options"
done
