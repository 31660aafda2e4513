"""header_julia.py CLANG INCLUDE LIBRARY: a Julia script, of clang's syntax tree of the public
headers, which binds each function by ccall and calls some.  tests/check_bindings.sh runs it if
Julia is there.
"""

import re
import sys

from header_ast import tree

TYPES = {"void": "Cvoid", "int": "Cint", "unsigned int": "Cuint", "double": "Cdouble",
         "float": "Cfloat", "size_t": "Csize_t", "uint32_t": "UInt32", "uint64_t": "UInt64",
         "int32_t": "Int32", "int64_t": "Int64", "char": "Cchar"}

# A plan of the defaults, as a caller makes one.  ws_cwt_opts and ws_shape are looked at no further
# than their first fields: ws_NAME_opts_init() fills the one, a shape is words of 8 bytes.
CALLS = """
@assert unsafe_string(ws_version()) != ""
ctx, plan = Ref{Ptr{Cvoid}}(C_NULL), Ref{Ptr{Cvoid}}(C_NULL)
@assert ws_ctx_create(ctx, C_NULL) == 0
opts = zeros(UInt64, 64)
ws_cwt_opts_init(opts, sizeof(opts))
@assert opts[1] == sizeof(opts)
shape = UInt64[48, 1, 64, 0, 0, 0]   # size, channels, samples, type, recording_channels, fs
@assert ws_plan_create(plan, ctx[], "cwt", shape, opts) == 0
@assert ws_plan_find(plan[], "coefficients") >= 0
ws_plan_destroy(plan[])
@assert ws_plan_create(plan, ctx[], "none", shape, C_NULL) != 0
@assert occursin("none", unsafe_string(ws_error_detail()))
ws_ctx_destroy(ctx[])
"""


def julia(text):
    bare = re.sub(r"\b(const|enum|struct)\b", "", text).strip()
    if bare.replace(" ", "") == "char*":
        return "Cstring"
    if bare.endswith(("*", "]")) or "(*)" in bare:
        return "Ptr{Cvoid}"
    return TYPES.get(bare, "Cint")   # an enumeration


def main(clang, include, library):
    print(f'using Libdl\nconst lib = dlopen("{library}")')
    done = set()
    for node in tree(clang, include, "c"):
        name = node.get("name", "")
        if node["kind"] != "FunctionDecl" or not name.startswith("ws_") or name in done:
            continue
        done.add(name)
        types = [julia(i["type"]["qualType"]) for i in node.get("inner", ())
                 if i["kind"] == "ParmVarDecl"]
        names = [f"a{i}" for i in range(len(types))]
        tuple_of = "(" + "".join(t + ", " for t in types) + ")"
        result = julia(node["type"]["qualType"].split("(")[0])
        print(f"{name}({', '.join(names)}) = ccall(dlsym(lib, :{name}), {result}, "
              f"{', '.join([tuple_of] + names)})")
        print(f"@assert dlsym(lib, :{name}) != C_NULL")
    print(CALLS, end="")
    print(f'println("julia: {len(done)} functions")')


if __name__ == "__main__":
    main(*sys.argv[1:])
