"""c_api.py: docs/c-api.md, made from the public headers: what each declares, with its comments, under
the headings that the headers have.  With --check it only says whether the page is as they are."""

import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
HEADERS = ("wavesift", "emd", "hht", "cwt", "conv", "checksum", "match")
HEAD = """# The C interface

Made from the headers by `scripts/c_api.py`; do not edit. [The contract](c-contract.md) tells who
owns what, and which threads may do what; [examples/](../examples) has a program of each kind.
"""
FRAME = re.compile(r"^(#ifndef WAVESIFT_|#define WAVESIFT_|#endif|#ifdef __cplusplus|extern \"C\"|"
                   r"#include|#if defined|#else|#define WS_API)")


def body(lines):
    """The lines without include guards and the braces of C++."""
    kept, in_cplusplus = [], False
    for line in lines:
        if line.startswith("#ifdef __cplusplus"):
            in_cplusplus = True
        if not in_cplusplus and not FRAME.match(line):
            kept.append(line)
        if line.startswith("#endif"):
            in_cplusplus = False
    return kept


def page():
    out = [HEAD]
    for name in HEADERS:
        with open(os.path.join(ROOT, "include", "wavesift", name + ".h")) as f:
            text = "\n".join(body(f.read().split("\n")))
        out.append(f"## wavesift/{name}.h\n")
        for part in re.split(r"\n(?=/\* ---- )", text):
            title = re.match(r"/\* ---- (.*?) -+ \*/\n", part)
            if title:
                out.append(f"### {title[1]}\n")
                part = part[title.end():]
            part = re.sub(r"\n{3,}", "\n\n", part).strip("\n")
            if part:
                out.append(f"```c\n{part}\n```\n")
    return "\n".join(out)


def main(arguments):
    path = os.path.join(ROOT, "docs", "c-api.md")
    if arguments == ["--check"]:
        with open(path) as f:
            if f.read() != page():
                print("docs/c-api.md is not what the headers say: python3 scripts/c_api.py")
                return 1
        return 0
    with open(path, "w") as f:
        f.write(page())
    return 0


sys.exit(main(sys.argv[1:]))
