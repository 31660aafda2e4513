"""What type checkers and editors read of the functions and results that are made from the table of
transforms: ``python3 -m wavesift._stubs >__init__.pyi``.  tests/test_stubs.py says when that is
due."""

import ctypes

from . import _library as c
from . import _errors, _options, _rows
from ._result import Result, result_name

_HEAD = '''\
# Made by python3 -m wavesift._stubs; not by hand.
import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, type_check_only

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self
from xarray import Dataset

from . import mne as mne
from . import sklearn as sklearn

__version__: str
numerics_version: int

_Path: TypeAlias = str | os.PathLike[str]
_Real: TypeAlias = float | np.floating[Any] | np.integer[Any]
_Flag: TypeAlias = bool | np.bool_
class _Column(Protocol):
    """As of a table of pandas."""

    def __array__(self) -> NDArray[Any]: ...

_Words: TypeAlias = str | _Real | Sequence[Any] | NDArray[Any] | _Column
_Picks: TypeAlias = (
    SupportsIndex | str | Sequence[SupportsIndex | str] | NDArray[Any] | range | slice)
_Error: TypeAlias = _Words | Callable[[float | None, float | None], float]
_Numbers: TypeAlias = ArrayLike | Sequence[Any] | _Path
_Precision: TypeAlias = (
    Literal["f32", "f64"] | type[np.float32] | type[np.float64] | np.dtype[Any])
_Progress: TypeAlias = bool | Callable[[float], object]
_Real_array: TypeAlias = NDArray[np.floating[Any]]
_Complex_array: TypeAlias = NDArray[np.complexfloating[Any, Any]]
_Whole_array: TypeAlias = NDArray[np.int32]

def transforms() -> dict[str, str]: ...
def devices() -> list[dict[str, Any]]: ...
def load(path: _Path, lazy: bool = ...) -> _AnyResult: ...
def icwt(
    result: Result,
    coefficients: ArrayLike | None = ...,
    *,
    bands: _Words | None = ...,
    progress: _Progress | None = ...,
) -> _Real_array: ...
def compare(
    a: Result | _Path, b: Result | _Path, channels: Sequence[str] | None = ...,
    match: bool = ...,
) -> Similarity: ...

class Similarity:
    rho: NDArray[np.float64]
    difference: NDArray[np.float64]
    labels: list[str]
    channel_names: list[str]
    mode_counts: tuple[NDArray[Any], NDArray[Any]]
    matched: list[tuple[list[int], list[int]]] | None
    def quartiles(self) -> NDArray[np.float64]: ...
    def plot(self, **figure: Any) -> Figure: ...

class Result:
    """What all results have; those of a transform have its arrays too."""

    method: str
    title: str
    arrays: dict[str, NDArray[Any]]
    fs: float | None
    options: dict[str, Any]
    device: str | None
    isa: str | None
    channel_names: list[str] | None
    units: list[str] | None
    first_time: float
    epochs: tuple[int, ...]
    has_channels: bool
    axes: dict[str, NDArray[Any]]
    attributes: dict[str, Any]
    events: list[tuple[float, float, str, int | None, float]]
    numerics_version: int
    version: str
    folder: str
    @property
    def provenance(self) -> dict[str, Any]: ...
    @property
    def samples(self) -> int: ...
    @property
    def channels(self) -> int: ...
    @property
    def times(self) -> NDArray[np.float64]: ...
    @property
    def dates(self) -> NDArray[np.datetime64] | None: ...
    @property
    def frequencies(self) -> NDArray[np.float64]: ...
    def __getitem__(self, name: str) -> NDArray[Any]: ...
    def __setitem__(self, name: str, value: ArrayLike) -> None: ...
    def __contains__(self, name: object) -> bool: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        at: TracebackType | None) -> None: ...
    def dims(self, name: str) -> tuple[str, ...]: ...
    def values_along(self, dim: str, n: int) -> NDArray[Any] | list[str]: ...
    def coordinates(self, name: str) -> dict[str, NDArray[Any] | list[str]]: ...
    def close(self) -> None: ...
    def to_numpy(self) -> Self: ...
    def average(self) -> Result: ...
    def to_xarray(self) -> Dataset: ...
    def plot(
        self, channel: SupportsIndex | str | None = ..., epoch: SupportsIndex = ..., *,
        partner: SupportsIndex | str | None = ..., ax: Any = ...,
        channels: _Picks | None = ..., modes: _Picks | None = ...,
        tmin: _Real | None = ..., tmax: _Real | None = ..., vmax: _Real | None = ...,
        **figure: Any) -> Figure: ...
    def save(
        self, path: _Path, *, overwrite: bool = ..., compress: int = ...) -> None: ...

class Plan:
    shape: tuple[int, ...]
    fs: float | None
    options: dict[str, Any]
    arrays: dict[str, Any]
    axes: dict[str, NDArray[Any]]
    seconds: float
    workspace: int
    device: str
    def __init__(
        self, method: str, shape: SupportsIndex | Sequence[SupportsIndex], /,
        fs: _Real | None = ..., *, precision: _Precision = ..., device: str | None = ...,
        threads: SupportsIndex | None = ..., **options: Any) -> None: ...
    def __call__(
        self, x: Any, *, arrays: Sequence[str] | None = ...,
        out: Mapping[str, Any] | None = ..., progress: _Progress | None = ...,
    ) -> _AnyResult: ...
    def describe(self) -> str: ...
    def full_shape(self, name: str) -> tuple[int, ...]: ...
'''

_TAIL = '''\
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
'''


def _type_of(option):
    named = "Literal[" + ", ".join(f'"{n}"' for n in option.choices) + "]"
    words = ("SupportsIndex | str" if option.of_channel else
             "_Error" if option.name in _options.ERRORS else "_Words")
    return {c.FLAG: "_Flag", c.INT: "SupportsIndex", c.U64: "SupportsIndex", c.REAL: "_Real",
            c.CHOICE: named, **dict.fromkeys((c.TEXT, c.RANGE, c.LIST), words),
            c.ARRAY: "_Numbers"}[option.kind]


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


def _arrays(row):
    """Names and types of the arrays of a transform.  Those of octaves, of which there are as many
    as there are octaves, are had as r["power_1"] alone."""
    made, a = {}, c.sized(c.Array)
    while not c.lib.ws_transform_array(ctypes.byref(row.transform), len(made), ctypes.byref(a)):
        name = a.name.decode()
        made[name] = {"c": "_Complex_array", "i": "_Whole_array"}.get(c.TYPES[a.type].kind,
                                                                      "_Real_array")
    if row.name == "conv":      # complex where its masks are
        made["responses"] = "NDArray[Any]"
    return {n: t for n, t in made.items() if not hasattr(Result, n) and n != "method"}


def _class(name, arrays, base="Result"):
    return "\n".join([f"class {name}({base}):", *(f"    {n}: {t}" for n, t in arrays.items())])


def _function(row):
    lines = [f"def {row.name}(", "    x: Any,", "    fs: _Real | None = ...,", "    *,"]
    if row.gathers:
        lines.append("    tmin: _Real | None = ...,")
    lines += [_wrapped(f"    {o.name}: {_type_of(o)} | None = ...,") for o in row.options]
    return "\n".join(lines) + "\n" + _TAIL + f") -> {result_name(row.name)}: ..."


def text():
    """The file __init__.pyi."""
    rows = _rows.ROWS.values()
    every = {}
    for row in rows:
        for name, kind in _arrays(row).items():
            every[name] = kind if every.get(name, kind) == kind else "NDArray[Any]"
    failures = [f"class {e.__name__}({', '.join(b.__name__ for b in e.__bases__)}): ..."
                for e in vars(_errors).values()
                if isinstance(e, type) and issubclass(e, _errors.Error)]
    parts = [_HEAD.rstrip("\n"), "\n".join(failures)]
    parts += [_class(result_name(row.name), _arrays(row)) for row in rows]
    parts.append("@type_check_only\n" + _class("_AnyResult", every))
    return "\n\n".join(parts + [_function(row) for row in rows]) + "\n"


if __name__ == "__main__":
    print(text(), end="")
