"""Results to HDF5, as docs/result-format.md lays them out; needs h5py."""

import contextlib
import os
import tempfile

import numpy

from . import _library as c
from . import _sums
from ._arrays import unit_of
from ._errors import ArgumentError, FileError

# Most elements of a piece that is compressed, and of others, as the program cuts them.
PIECE, LONG_PIECE = 1 << 16, 1 << 26


def h5py():
    try:
        import h5py as module
    except ImportError:
        raise ImportError("results are saved and loaded by h5py: pip install h5py") from None
    return module


def _piece(n, compress):
    """Samples of a piece of n: all pieces alike."""
    pieces = -(-n // (PIECE if compress else LONG_PIECE))
    return -(-n // pieces) if pieces else 1


def _storage(shape, dims, compress):
    """Pieces of one row of time, so that each row is read alone."""
    if not dims[-1].endswith("time") or 0 in shape:
        return {}
    storage = {"chunks": (1,) * (len(shape) - 1) + (_piece(shape[-1], compress),)}
    if compress:
        storage.update(compression="gzip", compression_opts=compress, shuffle=True)
    return storage


def _in_file(result, name):
    """An array as files have it: the axis of channels is always there; several axes of epochs are
    one."""
    array = result.arrays[name]
    dims = result.dims(name)
    if not result.about[name].of_channels:
        return array, dims
    lead = (numpy.prod(result.epochs, dtype=int),) if result.epochs else ()
    inner = tuple(d for d in dims if not d.startswith("epoch") and d != "channel")
    channels = array.shape[len(result.epochs)] if result.has_channels else 1
    shape = lead + (channels,) + (array.shape[-len(inner):] if inner else ())
    return array.reshape(shape), (("epoch",) if lead else ()) + ("channel",) + inner


@contextlib.contextmanager
def _new_file(path, overwrite, compress):
    """An HDF5 file that takes its name when all went well, so that no half of one is seen."""
    if os.path.isdir(path):
        raise FileError(f"{path} is a folder: give the file a name, as in "
                        f"{os.path.join(path, 'x.h5')}")
    if os.path.splitext(path)[1].lower() not in (".h5", ".hdf5"):
        raise ArgumentError(f"{path}: the file is one of HDF5: give it a name that ends in .h5; "
                            "single arrays are yours to save, as by numpy.save(path, r.modes)")
    if not overwrite and os.path.exists(path):
        raise FileError(f"{path} exists; overwrite=True replaces it")
    if not 0 <= compress <= 9:
        raise ArgumentError(f"compress: 0 to 9, not {compress!r}")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileError(f"{folder} is no folder")
    handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=folder)
    os.close(handle)
    try:
        # As the program: attributes of any size, such as thousands of names.
        with h5py().File(temporary, "w", libver="v108") as f:
            yield f
        with open(temporary, "rb") as f:
            os.fsync(f.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def save(result, path, overwrite, compress):
    with _new_file(os.fspath(path), overwrite, compress) as f:
        made, sums = {}, _sums.New()
        for name in _kept(result.about, result.arrays):
            array, dims = _in_file(result, name)
            made[name] = _folder(f, result.folder).create_dataset(
                name, data=array, **_storage(array.shape, dims, compress)), dims
            sums.add(made[name][0], array)
        _finish(f, result, made, sums)


def _kept(about, names):
    """Names of those arrays that files have."""
    return [n for n, a in about.items() if n in names and not a.flags & c.REPORT]


def _folder(f, name):
    return f.require_group(name) if name else f


def _event(onset, duration, label, epoch=None, time=None):
    """As files have it, whose numbers of epochs are from 1; 0: in none."""
    return onset, duration, label, 0 if epoch is None else epoch + 1, onset if time is None else time


def _finish(f, result, made, sums):
    """Writes what stands beside the arrays; made: data set and axes by name."""
    text = h5py().string_dtype()
    names = result.values_along("channel", result.channels)
    units = result.units or [""] * result.channels
    f.attrs["format"] = "wavesift result"
    f.attrs["format_version"] = numpy.int64(1)
    f.attrs["fs"] = float(result.fs or 1.0)
    f.attrs["fs_known"] = numpy.int64(result.fs is not None)
    f.attrs["first_time"] = float(result.first_time)
    for name, default in (("time_origin", 0.0), ("time_unit", 0.0), ("start_time", "")):
        f.attrs[name] = result.attributes.get(name, default)
    if "samples" in result.attributes:
        f.attrs["samples"] = numpy.int64(result.attributes["samples"])
    f.attrs.create("channel_names", numpy.array(names, object), dtype=text)
    f.attrs.create("unit", numpy.array(units, object), dtype=text)

    folder, extents = _folder(f, result.folder), {}
    for data, dims in made.values():
        extents.update(zip(dims, data.shape))
    for dim, n in extents.items():
        values = result.values_along(dim, n)
        if dim in ("channel", "partner"):
            scale = folder.create_dataset(dim, data=numpy.array(values, object), dtype=text)
        else:
            # Numbers are from 1 in files.
            origin = (result.attributes.get("time_origin", 0.0) if dim.endswith("time") else
                      int(values.dtype.kind == "i"))
            scale = folder.create_dataset(dim, data=values + origin)
            sums.add(scale, values + origin)
        if unit_of(dim, result):
            scale.attrs["unit"] = unit_of(dim, result)
        if dim.endswith("time") and result.fs and result.attributes.get("start_time"):
            scale.attrs["units"] = "seconds since " + result.attributes["start_time"]
        scale.make_scale(dim)
        for data, dims in made.values():
            if dim in dims:
                data.dims[dims.index(dim)].attach_scale(scale)
    if result.events:
        kind = numpy.dtype([("onset", "<f8"), ("duration", "<f8"), ("label", text),
                            ("epoch", "<i4"), ("time", "<f8")])
        f.create_dataset("events", data=numpy.array([_event(*e) for e in result.events], kind))
    facts = f.create_group("provenance")
    for key, value in result.provenance.items():
        if isinstance(value, (bool, int, numpy.integer)):
            facts.attrs[key] = numpy.int64(value)
        elif isinstance(value, (float, numpy.floating)):
            facts.attrs[key] = float(value)
        else:
            facts.attrs[key] = str(value)
    sums.write(f)
