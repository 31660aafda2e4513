"""Samples as callers have them: NumPy and DLPack arrays, those of a GPU, MNE's objects."""

import os
import sys
import warnings
from dataclasses import dataclass

import numpy

from . import _device
from ._errors import ArgumentError, SignalError, told

# Types of MNE's channels that are signals of a body.
_DATA_CHANNELS = {"mag", "grad", "eeg", "seeg", "ecog", "dbs", "csd", "hbo", "hbr",
                  "fnirs_cw_amplitude", "fnirs_od", "fnirs_fd_ac_amplitude", "fnirs_fd_phase"}

# What MNE's samples of a type count.
UNITS = {**dict.fromkeys(("eeg", "seeg", "ecog", "dbs", "eog", "ecg", "emg"), "V"), "mag": "T",
         "grad": "T/m"}


@dataclass
class Signal:
    """x[row][time], rows without gaps in time; of transforms that gather epochs a row has those of
    a channel, one after the other.  shape: of the caller's array; space: of arrays in a GPU's
    memory; first_time: where the samples know it; start_time: their date, text, or of months
    time_unit, a year, and time_origin; labels: names of the axes and coordinates that they had;
    signal: where x holds more than the samples."""

    x: numpy.ndarray
    shape: tuple
    dtype: numpy.dtype
    space: object = None
    fs: float = None
    channel_names: list = None
    units: list = None
    first_time: float = None
    start_time: str = None
    time_unit: float = None
    time_origin: float = None
    labels: tuple = None
    signal: numpy.ndarray = None


def attributes(signal, samples):
    """What files say of a recording beside its arrays."""
    known = {name: getattr(signal, name) for name in ("start_time", "time_unit", "time_origin")}
    return {"samples": samples, **{name: value for name, value in known.items() if value}}


class TimeLast(numpy.ndarray):
    """Samples of which it is known that time is their last axis, however short it is."""


def _is_mne(x):
    return (callable(getattr(x, "get_data", None)) and hasattr(x, "ch_names")
            and hasattr(x, "info"))


def _refuse_pauses(inst):
    """Raw that was interrupted is not analysed across its pauses."""
    mne = sys.modules.get("mne")
    if not mne or not isinstance(inst, mne.io.BaseRaw) or not len(inst.annotations):
        return
    from . import _mne
    found = _mne.pieces(inst, _mne.SKIP)
    if found != [(0, inst.n_times)]:
        fs = inst.info["sfreq"]
        listed = ", ".join(f"{a / fs:.6g} to {b / fs:.6g} s" for a, b in found[:4])
        raise SignalError(
            f"x was interrupted, as its annotations say: {len(found)} pieces, {listed}"
            f"{', ..' if len(found) > 4 else ''}; take one, as by x.copy().crop(tmin, tmax, "
            "include_tmax=False), or wavesift.mne.decompose, which keeps them apart; "
            "x.get_data() takes all as one")


def _from_mne(inst):
    """Channels of data that are not marked bad; of none, all."""
    _refuse_pauses(inst)
    if hasattr(inst, "freqs"):
        raise ArgumentError(f"x is a {type(inst).__name__}: samples are needed, of Raw, Epochs or "
                            "Evoked")
    kinds = inst.get_channel_types()
    bads = set(inst.info["bads"])
    picks = [i for i, (name, kind) in enumerate(zip(inst.ch_names, kinds))
             if kind in _DATA_CHANNELS and name not in bads]
    if not picks:
        raise SignalError("none of the channels is a good channel of data: pick some first, "
                          "as by inst.pick(['EOG'])" if len(kinds) else "there is no channel")
    data = inst.get_data(picks=picks)
    return data, {"fs": float(inst.info["sfreq"]),
                  "units": [UNITS.get(kinds[i], "") for i in picks],
                  "channel_names": [inst.ch_names[i] for i in picks],
                  "first_time": float(inst.times[0])}


def _to_numpy(x):
    """x as a NumPy array, without a copy where that is possible."""
    if isinstance(x, numpy.ma.MaskedArray):
        if numpy.ma.is_masked(x):
            raise SignalError("x has masked samples; interpolate them first")
        return x.data
    if not isinstance(x, numpy.ndarray) and hasattr(x, "__dlpack__"):
        try:
            return numpy.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError):
            pass
    if isinstance(x, (str, bytes, os.PathLike)):
        raise ArgumentError("x is the name of a file: read it first, as by mne.io.read_raw(x), "
                            "soundfile.read(x) or numpy.load(x); results by wavesift.load(x)")
    try:
        a = numpy.asarray(x)        # without a class of its own
    except ValueError:
        if isinstance(x, (list, tuple)):
            raise ArgumentError("x has rows of unequal lengths: all channels have as many "
                                "samples; hand such ones over one at a time") from None
        raise
    except TypeError as e:
        raise ArgumentError(f"x is a {type(x).__name__}: an array of numbers is needed ({e})"
                            ) from None
    if a.dtype == object and a.ndim == 0:
        raise ArgumentError(f"x is {'None' if x is None else 'a ' + type(x).__name__}: an array "
                            "of numbers is needed")
    return a


def _check_kind(x, dtype):
    if dtype.kind == "c":
        raise ArgumentError("x is complex: real samples are needed; take x.real and x.imag as "
                            "two channels")
    if dtype.kind not in "fiub":
        more = ", as x.astype(float) makes of them" if dtype == object else ""
        raise ArgumentError(f"x has elements of type {dtype}: numbers are needed{more}")
    if len(x.shape) == 0:
        raise ArgumentError("x is a single number: [time], [channel, time] or [.., channel, time] "
                            "is needed")
    if 0 in x.shape:
        raise ArgumentError(f"x of shape {tuple(x.shape)} has no sample")


_F32, _F64 = numpy.dtype("f4"), numpy.dtype("f8")
_PRECISIONS = {"f32": _F32, "float32": _F32, "single": _F32,
               "f64": _F64, "float64": _F64, "double": _F64}


def precision_of(dtype, precision):
    """The type that samples are transformed in: 'f32' or 'f64' as asked, else after their own."""
    if precision is not None:
        try:
            return _PRECISIONS[precision if isinstance(precision, str)
                               else numpy.dtype(precision).name]
        except (KeyError, TypeError):
            raise ArgumentError(f"precision: must be f32 or f64, not {told(precision)}"
                                ) from None
    return _F32 if dtype.kind == "f" and dtype.itemsize <= 4 else _F64


def rows_of(x, dtype, gathers=False):
    """x as [row][time] of dtype, rows alike far apart and without gaps in time; gathers: with all
    epochs of a channel as one row.  A copy only where x is not so."""
    if gathers and x.ndim > 2:
        x = numpy.moveaxis(x, -2, 0)
        if x.dtype != dtype:
            x = x.astype(dtype, order="C")
        x = x.reshape(len(x), -1)
    if x.dtype != dtype:
        x = x.astype(dtype, order="C")
    elif x.strides[-1] != dtype.itemsize and x.shape[-1] > 1 or not x.flags.aligned:
        x = numpy.ascontiguousarray(x)
    if x.ndim == 1:
        rows = x[None]
    else:
        rows = x.reshape(-1, x.shape[-1])
    if rows.shape[0] > 1 and (rows.strides[0] < rows.shape[1] * dtype.itemsize
                              or rows.strides[0] % dtype.itemsize):
        rows = numpy.ascontiguousarray(rows)
    return rows


def _check_small(x, dtype):
    """Refuses a signal of which f32 leaves nothing in full."""
    tiny = numpy.finfo(dtype).tiny
    largest = numpy.maximum(x.max(axis=-1), -x.min(axis=-1))
    for row in numpy.argwhere((largest > 0) & (largest < tiny)):
        if (x[tuple(row)].astype(dtype) != x[tuple(row)]).any():
            raise ArgumentError(f"x is not 0, but no more than {largest[tuple(row)]:g} in row "
                                f"{', '.join(str(i) for i in row) or 0}, less than f32 holds; use "
                                "precision 'f64'")


def labelled(x, fs=None):
    """The samples of x, and what an object of MNE, or a container of xarray, pandas or polars knows
    of them; fs: what the caller says, so that times may be uneven."""
    if type(x) is numpy.ndarray:
        return x, {}
    if _is_mne(x):
        return _from_mne(x)
    packages = {base.__module__.partition(".")[0] for base in type(x).__mro__}
    if packages.isdisjoint(("xarray", "pandas", "polars")):
        return x, {}
    from . import _labels

    return _labels.take(x, fs is None)


def take(x, precision=None, gathers=False, fs=None):
    """Anything that holds samples as a Signal; gathers: as transforms want it that do; fs: as of
    labelled()."""
    x, known = labelled(x, fs)
    sure = bool(known) or isinstance(x, TimeLast)
    space = _device.of(x)
    x = space.plain(x) if space else _to_numpy(x)
    given = space.dtype(x) if space else x.dtype
    _check_kind(x, given)
    if not sure and x.ndim > 1 and x.shape[-1] < x.shape[-2] and x.shape[-1] < 64:
        n = x.shape[-1]
        warnings.warn(f"x has {n} sample{'s' * (n > 1)} in each of {x.shape[-2]} channels: time "
                      "is the last axis; hand over x.T if it is the other way round", stacklevel=4)
    dtype = precision_of(given, precision)
    if not space and dtype.itemsize < given.itemsize:
        _check_small(x, dtype)
    rows = (_device.rows_of(space, x, dtype, gathers) if space else rows_of(x, dtype, gathers))
    return Signal(rows, tuple(x.shape), dtype, space, **known)
