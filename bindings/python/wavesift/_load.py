"""Results from HDF5, as docs/result-format.md lays them out; needs h5py."""

import contextlib
import os

import numpy

from . import _files, _options, _sums
from . import _library as c
from ._arrays import IN_HZ, Array
from ._errors import FileError
from ._result import Result
from ._rows import ROWS


def _plain(value):
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, numpy.generic) else value


def _events(f):
    if "events" not in f:
        return []
    events = f["events"][()]
    placed = "time" in events.dtype.names
    return [(float(e["onset"]), float(e["duration"]), _plain(e["label"]),
             int(e["epoch"]) - 1 if placed and e["epoch"] else None, float(e["time" if placed else "onset"]))
            for e in events]


def load(path, lazy=False):
    """Reads a result, of this package or of the program, from HDF5.

    Parameters
    ----------
    path : str or os.PathLike
        Of the file.
    lazy : bool
        Arrays are data sets of h5py, which read what is asked of them, as by ``r.modes[0]``,
        while the file is open: ``r.close()`` closes it.

    Returns
    -------
    Result
        With channels as an axis always, and an axis of epochs where the file has one.

    Raises
    ------
    FileError
        There is no such file, or it is no result of wavesift, or damaged.

    See Also
    --------
    Result.save : Writes such a file.

    Examples
    --------
    >>> with wavesift.load("x.h5", lazy=True) as r:
    ...     first = r.modes[0, 0]
    """
    h5py = _files.h5py()
    if not os.path.exists(path):
        raise FileError(f"{path}: there is no such file")
    try:
        f = h5py.File(os.fspath(path), "r")
    except OSError as e:
        raise FileError(f"{path}: {e}") from None
    with contextlib.ExitStack() as stack:
        stack.enter_context(f)
        if _plain(f.attrs.get("format", "")) != "wavesift result":
            raise FileError(f"{path} is no result of wavesift")
        try:
            result = _read(h5py, f, path, lazy)
        except (KeyError, AttributeError, TypeError) as e:
            raise FileError(f"{path} is a damaged result of wavesift: {e}") from None
        if lazy:
            result.close = stack.pop_all().close
        return result


def _read(h5py, f, path, lazy):
    _sums.check_texts(f, path)
    sums = f[_sums.NAME][()] if _sums.NAME in f else None
    origin = float(f.attrs.get("time_origin", 0.0)) + float(f.attrs.get("first_time", 0.0))
    about, arrays, axes, folders = {}, {}, {}, [f, *(g for g in f.values() if isinstance(
        g, h5py.Group) and g.name != "/provenance")]
    for folder in folders:
        for name, data in folder.items():
            # Dates of months follow from the times.
            if (not isinstance(data, h5py.Dataset) or name in ("events", _sums.NAME)
                    or "calendar" in data.attrs):
                continue
            if sums is not None and _sums.has(data):
                data = _sums.checked(data, sums, path)
            if h5py.h5ds.is_scale(data.id):
                label = _plain(data.attrs.get("NAME", name))
                plain = label == "time" and numpy.allclose(
                    data[()] - origin, numpy.arange(len(data)) / float(f.attrs["fs"]))
                if label not in ("channel", "partner", "mode", "epoch") and not plain:
                    values = data[()] - (origin if label.startswith("time") else 0)
                    # Whole numbers of Hz are no numbers of frequencies; in files these are from 1.
                    axes[label] = (values.astype(float) if label.startswith(IN_HZ) else
                                   values - 1 if values.dtype.kind == "i" else values)
                continue
            dims = tuple((d.keys() or [""])[0] for d in data.dims)
            arrays[name] = data if lazy else data[()]
            flags = (c.SIGNAL if name == "signal" else c.COUNT if name == "mode_count" else 0)
            about[name] = Array(len(about), name, "", data.dtype, flags,
                                tuple(d for d in dims if d != "epoch"),
                                data.shape[dims.count("epoch"):])
    facts = {k: _plain(v) for k, v in f["provenance"].attrs.items()} if "provenance" in f else {}
    epochs = next(((len(g["epoch"]),) for g in folders if "epoch" in g), ())
    attributes = {k: _plain(f.attrs[k])
                  for k in ("samples", "time_origin", "time_unit", "start_time") if k in f.attrs}
    method = _method_of(facts, f)
    return Result(method, facts.get("title", method), arrays, about,
                  fs=float(f.attrs["fs"]) if f.attrs.get("fs_known", 1) else None,
                  options=_options_of(method, facts), device=facts.get("backend"),
                  isa=facts.get("isa"), channel_names=[_plain(n) for n in f.attrs["channel_names"]],
                  units=[_plain(u) for u in f.attrs["unit"]],
                  first_time=float(f.attrs.get("first_time", 0.0)), epochs=epochs, axes=axes,
                  provenance=facts, numerics_version=facts.get("numerics_version", 0),
                  version=facts.get("version"), attributes=attributes, events=_events(f))


def _method_of(facts, f):
    """Name of the transform; in older files "method", which an option of that name hides."""
    told = facts.get("transform") or facts.get("method", "")
    return told if told in ROWS else next((n for n, row in ROWS.items()
                                           if row.folder and row.folder in f), told)


def _options_of(method, facts):
    return _options.recorded(ROWS[method].options, facts) if method in ROWS else {}
