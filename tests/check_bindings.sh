#!/bin/bash
# The public headers as generators of bindings read them: clang's syntax tree (header_ast.py), as
# Julia's Clang.jl does; bindgen, whose Rust is compiled, and its tests of sizes run, where rustc
# is; and Python's cffi, which compiles a module of all of them (API mode) and calls it
# (check_julia.sh: Julia).  What is missing is left out with a word; exit 77 where nothing is there.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
status=0
tried=0
clang=$(command -v clang || command -v clang-14 || true)
if [ -n "$clang" ]; then
	tried=1
	python3 "$root/tests/header_ast.py" "$clang" "$root/include" || status=1
	# It finds what it looks for.
	cp -r "$root/include" "$box/broken"
	sed -i 's/WS_SPACING_DEFAULT = 0/WS_SPACING_DEFAULT = 1/' "$box/broken/wavesift/wavesift.h"
	sed -i 's/^WS_API int ws_plan_modes(const ws_plan \*plan);/static inline int ws_plan_modes(ws_range r) { return (int)r.count; }/' \
		"$box/broken/wavesift/emd.h"
	found=$(python3 "$root/tests/header_ast.py" "$clang" "$box/broken" | grep -c '^FAIL')
	[ "$found" -ge 4 ] || { echo "FAIL  header_ast.py finds $found of 4 faults"; status=1; }
else
	echo "no clang: its syntax tree is left out"
fi
if command -v bindgen >/dev/null; then
	tried=1
	if ! bindgen "$root/include/wavesift/wavesift.h" --allowlist-function 'ws_.*' \
		--allowlist-type 'ws_.*' --allowlist-var 'WS_.*' -o "$box/wavesift.rs" \
		-- "-I$root/include"; then
		echo "FAIL  bindgen"
		status=1
	fi
	declared=$(cat "$root"/include/wavesift/[!cm]*.h "$root"/include/wavesift/c[!h]*.h | tr '\n' ' ' |
		grep -oE 'WS_API [^;]*' | grep -oE '\bws_[a-z0-9_]+ *\(' | tr -d '( ' | sort)
	bound=$(grep -oE 'pub fn ws_[a-z0-9_]+' "$box/wavesift.rs" | sed 's/pub fn //' | sort)
	[ -n "$bound" ] && [ "$declared" = "$bound" ] || {
		echo "FAIL  bindgen binds other functions than are declared:"
		diff <(echo "$declared") <(echo "$bound")
		status=1
	}
	if command -v rustc >/dev/null; then
		(cd "$box" && rustc --test -A warnings wavesift.rs -o layouts && ./layouts >/dev/null) ||
			{ echo "FAIL  what bindgen made does not compile, or its sizes differ"; status=1; }
	fi
	echo "bindgen: $(wc -w <<<"$bound") functions"
else
	echo "no bindgen: it is left out"
fi
if python3 -c 'import cffi' 2>/dev/null && ! grep -q '^WAVESIFT_SANITIZE:STRING=..*' "$build/CMakeCache.txt"; then
	tried=1
	printf '#include <wavesift/%s.h>\n' wavesift checksum match >"$box/all.h"
	${CC:-cc} -E -P -I"$root/include" '-D__attribute__(x)=' -x c "$box/all.h" |
		sed -n '/typedef enum ws_status/,$p' >"$box/cdef.h"
	(cd "$box" && python3 - "$root/include" "$build" <<'PYTHON'
import sys
import cffi
include, build = sys.argv[1:]
ffi = cffi.FFI()
ffi.cdef("typedef size_t max_align_t_unused;" + open("cdef.h").read())
ffi.set_source("_wavesift_cffi", open("all.h").read(), include_dirs=[include],
               library_dirs=[build], libraries=["wavesift"], runtime_library_dirs=[build])
ffi.compile(verbose=False)
sys.path.insert(0, ".")
from _wavesift_cffi import ffi, lib
assert ffi.string(lib.ws_version())
o = ffi.new("ws_cwt_opts *")
lib.ws_cwt_opts_init(o, ffi.sizeof("ws_cwt_opts"))
assert o.size == ffi.sizeof("ws_cwt_opts") and o.tag == lib.WS_TAG_CWT
ctx, plan = ffi.new("ws_ctx **"), ffi.new("ws_plan **")
shape = ffi.new("ws_shape *", dict(size=ffi.sizeof("ws_shape"), channels=1, samples=64, fs=1.0))
assert lib.ws_ctx_create(ctx, ffi.NULL) == lib.WS_OK
assert lib.ws_plan_create(plan, ctx[0], b"cwt", shape, o) == lib.WS_OK
assert lib.ws_plan_find(plan[0], b"coefficients") == lib.WS_CWT_COEFFICIENTS
lib.ws_plan_destroy(plan[0])
lib.ws_ctx_destroy(ctx[0])
# The number of each array has the array's name: WS_CWT_POWER is "power".
named, array = set(), ffi.new("ws_array *", dict(size=ffi.sizeof("ws_array")))
for i in range(100):
    t = lib.ws_transform_at(i)
    if not t:
        break
    transform, family = ffi.string(t.name).decode(), ffi.string(t.family).decode()
    prefix = f"WS_{'EMD' if family == 'emd' else transform.upper()}_"
    n = 0
    while lib.ws_transform_array(t, n, array) == lib.WS_OK:
        name = prefix + ffi.string(array.name).decode().upper()
        assert getattr(lib, name, -1) == n, (name, n)
        named.add(name)
        n += 1
    assert getattr(lib, prefix + "ARRAYS") == n, transform
print("cffi:", len([n for n in dir(lib) if n.startswith("ws_")]), "functions,", len(named), "arrays")
PYTHON
	) || { echo "FAIL  cffi"; status=1; }
else
	echo "no cffi, or a library with sanitizers: cffi is left out"
fi
if [ $tried = 0 ]; then
	echo "SKIPPED: clang, or Python's cffi, is needed (scripts/setup.sh --dev)"
	exit 77
fi
exit $status
