"""What results of all files have; those of NumPy's and MATLAB's, as docs/result-format.md lays them
out."""

import json
import os

import numpy

from . import _library as c
from . import _options
from ._arrays import IN_HZ, Array
from ._errors import FileError
from ._result import Result
from ._rows import ROWS


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, numpy.generic) else value


def about(number, name, data, dims):
    flags = (c.SIGNAL if name == "signal" else c.COUNT if name == "mode_count" else 0)
    return Array(number, name, "", data.dtype, flags, tuple(d for d in dims if d != "epoch"),
                 data.shape[dims.count("epoch"):])


def _method_of(facts, folders):
    """Name of the transform; in older files "method", which an option of that name hides."""
    told = facts.get("transform") or facts.get("method", "")
    return told if told in ROWS else next((n for n, row in ROWS.items()
                                           if row.folder and row.folder in folders), told)


def result(told, facts, arrays, described, axes, epochs, events, folders=()):
    """told: what stands beside the arrays, by name; folders: that a file has."""
    method = _method_of(facts, folders)
    attributes = {k: told[k] for k in ("samples", "time_origin", "time_unit", "start_time")
                  if k in told}
    options = _options.recorded(ROWS[method].options, facts) if method in ROWS else {}
    return Result(method, facts.get("title", method), arrays, described,
                  fs=float(told["fs"]) if told.get("fs_known", 1) else None, options=options,
                  device=facts.get("backend"), isa=facts.get("isa"),
                  channel_names=told["channel_names"], units=told["units"],
                  first_time=float(told.get("first_time", 0.0)), epochs=epochs, axes=axes,
                  provenance=facts, numerics_version=int(facts.get("numerics_version", 0)),
                  version=facts.get("version"), attributes=attributes, events=events)


def _result(told, arrays, dims):
    """Of a file that has the axes of its arrays in dims."""
    origin, axes = told["time_origin"] + told["first_time"], {}
    for name, values in told["axes"].items():
        values = numpy.asarray(values)
        axes[name] = (values - origin if name.endswith("time") else
                      values.astype(float) if name.endswith(IN_HZ) else values)
    events = [(float(e["onset"]), float(e["duration"]), e["label"],
               int(e["epoch"]) - 1 if e["epoch"] else None, float(e["time"])) for e in told["events"]]
    described = {}
    for name, data in arrays.items():
        described[name] = about(len(described), name, data, dims[name])
    epochs = (len(axes.pop("epoch")),) if "epoch" in axes else ()
    return result(told, told["provenance"], arrays, described, axes, epochs, events)


# Figures that are whole numbers.
_WHOLE = ("mode_count", "sifts", "unfinished", "capped", "negative", "outliers", "cycle_count")


# ---- NumPy's --------------------------------------------------------------------------------


def _npy(path, lazy):
    beside = path + ".json"
    if not os.path.exists(beside):
        raise FileError(f"{path} is no result of wavesift: there is no {beside}")
    try:
        with open(beside, encoding="utf-8") as f:
            told = json.load(f)
        data = numpy.load(path, mmap_mode="r" if lazy else None)
        if told["format"] != "wavesift result" or list(data.shape) != told["shape"]:
            raise FileError(f"{beside} tells of another file than {path}")
        name, dims = told["array"], told["dimensions"]
        arrays, axes = {name: data}, {name: dims}
        # The residue is the last mode.
        if name == "modes":
            arrays = {name: data[..., :-1, :], "residue": data[..., -1, :]}
            axes["residue"] = [d for d in dims if d != "mode"]
        lead = [d for d in dims if d in ("epoch", "channel")]
        rows = data.shape[:len(lead)]
        for kind, more in (("of_channels", []), ("of_modes", ["mode"])):
            for figure, values in told[kind].items():
                values = numpy.array(values, "i4" if figure in _WHOLE else float)   # null: NaN
                arrays[figure] = values.reshape(rows + (-1,) * len(more))
                axes[figure] = lead + more
        return _result(told, arrays, axes)
    except (KeyError, TypeError, AttributeError, ValueError) as e:
        raise FileError(f"{path} is a damaged result of wavesift: {e}") from None


# ---- MATLAB's -------------------------------------------------------------------------------


def _unpacked(value):
    """Text, numbers and lists of a cell or a field."""
    if not isinstance(value, numpy.ndarray):
        return plain(value)
    if value.dtype.kind == "U":
        return str(value.flat[0]) if value.size else ""
    if value.dtype.kind == "O":
        return [_unpacked(v) for v in value.flat]
    return plain(value.flat[0]) if value.size == 1 else value.ravel()


def _struct(m, name):
    if name not in m:
        return {}
    return {field: _unpacked(m[name][0, 0][field]) for field in m[name].dtype.names}


def _mat(path, lazy):
    try:
        from scipy.io import loadmat
    except ImportError:
        raise ImportError("results in .mat are loaded by SciPy: pip install scipy") from None
    try:
        m = loadmat(path)
    except NotImplementedError:
        raise FileError(f"{path} is of version 7.3, as arrays beyond 2 GiB need: let the program "
                        "write .h5 instead") from None
    except (OSError, ValueError) as e:
        raise FileError(f"{path}: {e}") from None
    if "dimensions" not in m or "provenance" not in m:
        raise FileError(f"{path} is no result of wavesift, or of an older version")
    try:
        dims = {name: axes.split(",") for name, axes in _struct(m, "dimensions").items()}
        arrays = {name: m[name].reshape(-1) if len(axes) == 1 else
                  m[name].reshape(m[name].shape + (1,) * (len(axes) - m[name].ndim))
                  for name, axes in dims.items()}
        told = {name: _unpacked(m[name]) for name in (
            "fs", "fs_known", "samples", "first_time", "time_origin", "time_unit", "start_time")}
        told["samples"] = int(told["samples"])
        told.update({name: _unpacked(m[name].astype(object)) for name in ("channel_names", "units")})
        told["provenance"] = _struct(m, "provenance")
        events = {field: numpy.atleast_1d(values) if field != "label" else values
                  for field, values in _struct(m, "events").items()}
        told["events"] = [dict(zip(events, each)) for each in zip(*events.values())]
        known = {d for axes in dims.values() for d in axes}
        told["axes"] = {name: m[name].ravel() for name in known if name in m}
        return _result(told, arrays, dims)
    except (KeyError, TypeError, AttributeError, ValueError) as e:
        raise FileError(f"{path} is a damaged result of wavesift: {e}") from None


LOADERS = {".npy": _npy, ".mat": _mat}
