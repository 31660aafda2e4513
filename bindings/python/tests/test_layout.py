"""Mirrors of structs and numbers of enums are those of the C headers, as a compiler sees them."""

import os
import shutil
import subprocess

import pytest

from wavesift import _errors
from wavesift import _library as c

INCLUDE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "include")
# Fields that are keywords of C or Python would need another name; so far none is.
ENUMS = {
    **{f"WS_{n}": i for i, n in enumerate(("F64", "F32", "C128", "C64", "I32"))},
    **{f"WS_AXIS_{(n or 'none').upper()}": i for i, n in enumerate(c.AXES)},
    **{f"WS_ARRAY_{n}": getattr(c, n) for n in ("SIGNAL", "OPTIONAL", "COUNT", "REPORT", "MAIN")},
    **{f"WS_OPTION_{n}": getattr(c, n) for n in ("FLAG", "INT", "U64", "REAL", "CHOICE", "TEXT",
                                                 "ARRAY", "RANGE", "LIST")},
    "WS_MEMORY_HOST": c.HOST, "WS_MEMORY_DEVICE": c.DEVICE, "WS_MOST_AXES": c.MOST_AXES,
    "WS_E_CANCELLED": -9, "WS_E_FORMAT": -6, "WS_E_EXISTS": -8, "WS_E_NOMEM": -2,
}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Sizes, offsets and values, by name."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if not compiler:
        pytest.skip("no C compiler")
    if not os.path.exists(os.path.join(INCLUDE, "wavesift", "wavesift.h")):
        pytest.skip("no headers beside the tests")
    lines = []
    for mirror in c.MIRRORS:
        name = mirror._header_
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for field, *_ in mirror._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
            lines.append(f'printf("{name}.{field}:size %zu\\n", sizeof((({name} *)0)->{field}));')
    for name in ENUMS:
        lines.append(f'printf("{name} %d\\n", (int){name});')
    folder = tmp_path_factory.mktemp("layout")
    source = folder / "layout.c"
    source.write_text("#include <stdio.h>\n#include <stddef.h>\n#include <wavesift/wavesift.h>\n"
                      "int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n")
    subprocess.run([compiler, f"-I{INCLUDE}", str(source), "-o", str(folder / "layout")],
                   check=True)
    output = subprocess.run([str(folder / "layout")], check=True, capture_output=True, text=True)
    return {k: int(v) for k, v in (line.split() for line in output.stdout.splitlines())}


@pytest.mark.parametrize("mirror", c.MIRRORS, ids=lambda m: m._header_)
def test_struct(told, mirror):
    import ctypes

    name = mirror._header_
    for field, *_ in mirror._fields_:
        ours = getattr(mirror, field)
        assert (ours.offset, ours.size) == (told[f"{name}.{field}"], told[f"{name}.{field}:size"])
    assert ctypes.sizeof(mirror) == told[name], f"{name} has fields that the mirror lacks"


@pytest.mark.parametrize("name", ENUMS)
def test_value(told, name):
    assert told[name] == ENUMS[name]


def test_errors_of_status(told):
    assert _errors.of(told["WS_E_CANCELLED"]) is _errors.Cancelled
    assert issubclass(_errors.of(told["WS_E_NOMEM"]), MemoryError)
