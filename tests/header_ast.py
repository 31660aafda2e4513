"""header_ast.py CLANG INCLUDE: what generators of bindings read in the public headers, by clang's
syntax tree, of C and of C++.

Every enumeration with a name has an enumerator of 0 and no two of one value; no function has a
body; every function can be called as by Julia's ccall or Python's ctypes: numbers, enumerations and
pointers, nothing variadic, no struct by value; structs have no bit fields, unions or flexible arrays.
"""

import json
import re
import subprocess
import sys

NUMBERS = {"int", "unsigned int", "double", "float", "size_t", "uint32_t", "uint64_t", "int32_t",
           "int64_t", "char"}


HEADERS = "".join(f"#include <wavesift/{name}.h>\n" for name in ("wavesift", "checksum", "match"))


def tree(clang, include, language):
    out = subprocess.run([clang, "-x", language, "-I", include, "-fsyntax-only", "-Xclang",
                          "-ast-dump=json", "-"], input=HEADERS, capture_output=True, text=True,
                         check=True).stdout
    nodes = []

    def walk(node):
        if node.get("kind") in ("EnumDecl", "FunctionDecl", "RecordDecl", "CXXRecordDecl",
                                "TypedefDecl"):
            nodes.append(node)
        if node.get("kind") in ("TranslationUnitDecl", "LinkageSpecDecl"):
            for inner in node.get("inner", ()):
                walk(inner)

    walk(json.loads(out))
    return nodes


def value_of(constant, last):
    for inner in constant.get("inner", ()):
        if "value" in inner:
            return int(inner["value"])
    return last + 1


def check_enum(node):
    values, last = {}, -1
    for constant in node.get("inner", ()):
        if constant.get("kind") == "EnumConstantDecl":
            last = value_of(constant, last)
            values.setdefault(last, []).append(constant["name"])
    for value, names in values.items():
        if len(names) > 1:
            yield f"{' and '.join(names)} are both {value}"
    if node.get("name") and 0 not in values:
        yield f"{node['name']} has no enumerator of 0"


def callable_type(text):
    bare = re.sub(r"\b(const|enum)\b", "", text).strip()
    return bare.endswith(("*", "]")) or "(*)" in bare or bare in NUMBERS or (
        re.fullmatch(r"ws_(status|type|axis|progress|fact_sink|memory)", bare) is not None)


def check_function(node):
    kinds = [inner.get("kind") for inner in node.get("inner", ())]
    if "CompoundStmt" in kinds:
        yield f"{node['name']} has a body"
    if node.get("variadic"):
        yield f"{node['name']} is variadic"
    result = node["type"]["qualType"].split("(")[0].strip()
    types = [result] if result != "void" else []
    types += [i["type"]["qualType"] for i in node.get("inner", ()) if i["kind"] == "ParmVarDecl"]
    for text in types:
        if not callable_type(text):
            yield f"{node['name']}: {text} cannot be handed over as a number or a pointer"


def check_record(node):
    for field in node.get("inner", ()):
        if field.get("isBitfield") or field.get("kind") == "IndirectFieldDecl":
            yield f"{node.get('name')}.{field.get('name')}: a bit field, or a union without a name"
        if field.get("kind") == "FieldDecl" and field["type"]["qualType"].endswith("[]"):
            yield f"{node.get('name')}.{field['name']}: an array without a length"


def main(clang, include):
    bad, functions = [], set()
    for language in ("c", "c++"):
        for node in tree(clang, include, language):
            if node["kind"] == "EnumDecl":
                if any(c.get("name", "").startswith("WS_") for c in node.get("inner", ())):
                    bad += check_enum(node)
            elif node.get("name", "").startswith("ws_"):
                bad += (check_function if node["kind"] == "FunctionDecl" else check_record)(node)
                if node["kind"] == "FunctionDecl":
                    functions.add(node["name"])
    for line in sorted(set(bad)):
        print("FAIL ", line)
    print(len(functions), "functions")
    return 1 if bad or len(functions) < 50 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
