"""What type checkers and editors read of the functions that are made from the table of transforms:
``python3 -m wavesift._stubs >__init__.pyi``.  tests/test_stubs.py says when that is due."""

from . import _library as c
from . import _rows

_HEAD = '''\
# Made by python3 -m wavesift._stubs; not by hand.
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from . import mne as mne
from . import sklearn as sklearn
from ._compare import Similarity as Similarity
from ._compare import compare as compare
from ._context import devices as devices
from ._errors import (
    ArgumentError as ArgumentError, Cancelled as Cancelled, DeviceError as DeviceError,
    Error as Error, FileError as FileError, InternalError as InternalError,
    OutOfMemoryError as OutOfMemoryError, SignalError as SignalError,
    UnsupportedError as UnsupportedError)
from ._load import load as load
from ._inverse import icwt as icwt
from ._plan import Plan as Plan
from ._result import Result as Result

__version__: str
numerics_version: int

def transforms() -> dict[str, str]: ...
'''

_TAIL = '''\
    device: str | None = ...,
    threads: int | None = ...,
    precision: Literal["f32", "f64"] | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | str | os.PathLike[str] | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: bool | Callable[[float], object] | None = ...,
) -> Result: ...
'''


def _type_of(option):
    named = "Literal[" + ", ".join(f'"{n}"' for n in option.choices) + "]"
    return {c.FLAG: "bool", c.INT: "int", c.U64: "int", c.REAL: "float", c.CHOICE: named,
            **dict.fromkeys((c.TEXT, c.RANGE, c.LIST), "str | float | Sequence[Any]"),
            c.ARRAY: "ArrayLike | str | os.PathLike[str]"}[option.kind]


def _wrapped(line):
    """A parameter in lines of 100 columns."""
    if len(line) <= 100:
        return line
    head, _, names = line.partition("Literal[")
    lines, row = [head + "Literal["], "       "
    names, _, rest = names.partition("]")
    for name in names.split(", "):
        if len(row) + len(name) + 2 > 98:
            lines.append(row.rstrip())
            row = "       "
        row += f" {name},"
    return "\n".join([*lines, row.rstrip(","), f"    ]{rest}"])


def text():
    """The file __init__.pyi."""
    parts = [_HEAD]
    for row in _rows.ROWS.values():
        lines = [f"def {row.name}(", "    x: Any,", "    fs: float | None = ...,", "    *,"]
        if row.gathers:
            lines.append("    tmin: float | None = ...,")
        lines += [_wrapped(f"    {o.name}: {_type_of(o)} | None = ...,") for o in row.options]
        parts.append("\n".join(lines) + "\n" + _TAIL)
    return "\n".join(parts)


if __name__ == "__main__":
    print(text(), end="")
