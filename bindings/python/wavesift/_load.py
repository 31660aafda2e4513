"""Results from HDF5, as docs/result-format.md lays them out, by h5py; others are _formats.py's."""

import contextlib
import os

import numpy

from . import _files, _formats, _sums
from ._arrays import IN_HZ
from ._errors import FileError
from ._formats import plain as _plain


def _events(f):
    if "events" not in f:
        return []
    events = f["events"][()]
    placed = "time" in events.dtype.names
    return [(float(e["onset"]), float(e["duration"]), _plain(e["label"]),
             int(e["epoch"]) - 1 if placed and e["epoch"] else None, float(e["time" if placed else "onset"]))
            for e in events]


def load(path, lazy=False):
    """Reads a result, of this package or of the program, from a file.

    Parameters
    ----------
    path : str or os.PathLike
        Of HDF5; or, as the program writes them, ``.npy``, beside which its ``.npy.json`` stands,
        or ``.mat``, which needs SciPy.
    lazy : bool
        Arrays are data sets of h5py, which read what is asked of them, as by ``r.modes[0]``,
        while the file is open: ``r.close()`` closes it.  That of NumPy is mapped into memory.

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
    if not os.path.exists(path):
        raise FileError(f"{path}: there is no such file")
    other = _formats.LOADERS.get(os.path.splitext(os.fspath(path))[1].lower())
    if other:
        return other(os.fspath(path), lazy)
    h5py = _files.h5py()
    try:
        f = h5py.File(os.fspath(path), "r")
    except OSError as e:
        if os.path.isfile(path) and not h5py.is_hdf5(os.fspath(path)):
            raise FileError(f"{path} is no result of wavesift, for it is no HDF5; recordings are "
                            "read by other packages, as by mne.io.read_raw") from None
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
                    values = data[()] - (origin if label.endswith("time") else 0)
                    # Whole numbers of Hz are no numbers of frequencies; in files these are from 1.
                    axes[label] = (values.astype(float) if label.endswith(IN_HZ) else
                                   values - 1 if values.dtype.kind == "i" else values)
                continue
            dims = tuple((d.keys() or [""])[0] for d in data.dims)
            arrays[name] = data if lazy else data[()]
            about[name] = _formats.about(len(about), name, data, dims)
    facts = {k: _plain(v) for k, v in f["provenance"].attrs.items()} if "provenance" in f else {}
    epochs = next(((len(g["epoch"]),) for g in folders if "epoch" in g), ())
    told = {k: _plain(v) for k, v in f.attrs.items() if k not in ("channel_names", "unit")}
    told["channel_names"] = [_plain(n) for n in f.attrs["channel_names"]]
    told["units"] = [_plain(u) for u in f.attrs["unit"]]
    return _formats.result(told, facts, arrays, about, axes, epochs, _events(f), f)
