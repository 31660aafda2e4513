"""header_julia.py CLANG INCLUDE LIBRARY: a Julia script, of clang's syntax tree of the public
headers, which has each enumerator and struct, binds each function by ccall, and analyses a signal
by them.  Its structs must have the sizes and the offsets that a C compiler gives theirs.
tests/check_julia.sh runs it.
"""

import os
import re
import subprocess
import sys
import tempfile

from header_ast import HEADERS, tree, value_of

TYPES = {"void": "Cvoid", "int": "Cint", "unsigned int": "Cuint", "double": "Cdouble",
         "float": "Cfloat", "size_t": "Csize_t", "uint32_t": "UInt32", "uint64_t": "UInt64",
         "int32_t": "Int32", "int64_t": "Int64", "char": "Cchar"}

# A tone of 12 Hz, its power at 3, 6, 12 and 24 Hz, as a caller has it.
CALLS = """
function zeroed(T; fields...)
	r = Ref{T}()
	GC.@preserve r begin
		p = Ptr{UInt8}(Base.unsafe_convert(Ptr{T}, r))
		ccall(:memset, Ptr{Cvoid}, (Ptr{Cvoid}, Cint, Csize_t), p, 0, sizeof(T))
		for (name, value) in fields
			i = Base.fieldindex(T, name)
			unsafe_store!(Ptr{fieldtype(T, i)}(p + fieldoffset(T, i)), value)
		end
	end
	r
end
ok(status) = status == WS_OK || error(unsafe_string(ws_error_detail()))

const heard, keys = Ref(-1.0), String[]
progress(user::Ptr{Cvoid}, done::Cdouble) = (heard[] = done; Cint(0))
function sink(user::Ptr{Cvoid}, fact::Ptr{ws_fact})
	push!(keys, unsafe_string(unsafe_load(fact).key))
	nothing
end

ctx, plan = Ref{Ptr{Cvoid}}(C_NULL), Ref{Ptr{Cvoid}}(C_NULL)
ok(ws_ctx_create(ctx, C_NULL))
f = [3.0, 6.0, 12.0, 24.0]
opts = Ref{ws_cwt_opts}()
ws_cwt_opts_init(opts, sizeof(ws_cwt_opts))
@assert opts[].size == sizeof(ws_cwt_opts) && opts[].tag == WS_TAG_CWT
opts = zeroed(ws_cwt_opts; size = sizeof(ws_cwt_opts), tag = WS_TAG_CWT, frequencies = pointer(f),
              frequency_count = 4, quantity = WS_QUANTITY_POWER)
shape = zeroed(ws_shape; size = sizeof(ws_shape), channels = 1, samples = 400, fs = 100.0)
ok(ws_plan_create(plan, ctx[], "cwt", shape, opts))
gapless = ntuple(i -> 0, fieldcount(fieldtype(ws_buffer, :stride)))
arrays = [ws_buffer(C_NULL, gapless) for i in 1:ws_plan_arrays(plan[])]
power = zeros(400, 4)
arrays[ws_plan_find(plan[], "power") + 1] = ws_buffer(pointer(power), gapless)
x = [cos(2pi * 12 * n / 100) for n in 0:399]
room = zeros(UInt8, ws_plan_workspace(plan[]) + 64)
io = zeroed(ws_io; size = sizeof(ws_io), x = pointer(x), arrays = pointer(arrays),
            n_arrays = length(arrays), progress = @cfunction(progress, Cint, (Ptr{Cvoid}, Cdouble)))
ok(ws_execute(plan[], io, pointer(room) + (-UInt(pointer(room)) & 63)))
@assert heard[] >= 0 && argmax(power[200, :]) == 3 && abs(power[200, 3] - 1) < 1e-3
ok(ws_options_facts(ws_transform_find("cwt"), ws_plan_options(plan[]), C_NULL,
                    @cfunction(sink, Cvoid, (Ptr{Cvoid}, Ptr{ws_fact})), C_NULL))
@assert "freqs" in keys && "quantity" in keys
ws_plan_destroy(plan[])
@assert ws_plan_create(plan, ctx[], "none", shape, C_NULL) == WS_E_ARG
@assert occursin("none", unsafe_string(ws_error_detail()))
ws_ctx_destroy(ctx[])
"""


class Names:
    """What the headers declare, and the Julia type of a C one."""

    def __init__(self, nodes):
        def named(kind, test=lambda node: True):
            return {n["name"]: n for n in nodes
                    if n["kind"] == kind and n.get("name", "").startswith("ws_") and test(n)}
        self.enums = named("EnumDecl")
        self.records = named("RecordDecl", lambda n: n.get("completeDefinition"))
        self.functions = named("FunctionDecl")
        self.callbacks = named("TypedefDecl", lambda n: "(*)" in n["type"]["qualType"])

    def julia(self, text):
        bare = re.sub(r"\b(const|enum|struct)\b", "", text).strip()
        array = re.fullmatch(r"(.*)\[(\d+)\]", bare)
        if array:
            return f"NTuple{{{array[2]}, {self.julia(array[1])}}}"
        if bare.replace(" ", "") == "char*":
            return "Cstring"
        if bare.endswith("*") or "(*)" in bare or bare in self.callbacks:
            return "Ptr{Cvoid}"
        if bare in self.enums:
            return "Cint"
        return bare if bare in self.records else TYPES[bare]


def fields_of(record):
    return [f for f in record["inner"] if f["kind"] == "FieldDecl"]


def layouts(clang, include, records):
    """[size, offset of each field] of each."""
    lines = [HEADERS, "#include <stdio.h>\nint main(void)\n{\n"]
    for name, record in records.items():
        sizes = [f"sizeof({name})"] + [f"offsetof({name}, {f['name']})" for f in fields_of(record)]
        lines += [f'printf("%zu ", {size});\n' for size in sizes] + ['puts("");\n']
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "layouts")
        subprocess.run([clang, "-x", "c", "-I", include, "-", "-o", program], check=True, text=True,
                       input="".join(lines + ["return 0;\n}\n"]))
        out = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return dict(zip(records, ([int(n) for n in line.split()] for line in out.splitlines())))


def struct(names, name, record, layout):
    lines = [f"struct {name}"]
    lines += [f"\t{f['name']}::{names.julia(f['type']['qualType'])}" for f in fields_of(record)]
    size, *offsets = layout
    return "\n".join(lines + ["end", f"@assert sizeof({name}) == {size} && "
                              f"[fieldoffset({name}, i) for i in 1:{len(offsets)}] == {offsets}"])


def function(names, name, node):
    types = [names.julia(i["type"]["qualType"]) for i in node.get("inner", ())
             if i["kind"] == "ParmVarDecl"]
    arguments = [f"a{i}" for i in range(len(types))]
    result = names.julia(node["type"]["qualType"].split("(")[0])
    of = "(" + "".join(t + ", " for t in types) + ")"
    call = ", ".join([f"dlsym(lib, :{name})", result, of, *arguments])
    return f"{name}({', '.join(arguments)}) = ccall({call})\n@assert dlsym(lib, :{name}) != C_NULL"


def main(clang, include, library):
    nodes = tree(clang, include, "c")
    names = Names(nodes)
    print(f'using Libdl\nconst lib = dlopen("{library}")')
    for node in nodes:
        last = -1
        for c in node.get("inner", ()) if node["kind"] == "EnumDecl" else ():
            last = value_of(c, last)
            if c["name"].startswith("WS_"):
                print(f"const {c['name']} = {last}")
    sizes = layouts(clang, include, names.records)
    for name, record in names.records.items():
        print(struct(names, name, record, sizes[name]))
    for name, node in names.functions.items():
        print(function(names, name, node))
    print(CALLS, end="")
    print(f'println("julia: {len(names.functions)} functions, {len(names.records)} structs")')


if __name__ == "__main__":
    main(*sys.argv[1:])
