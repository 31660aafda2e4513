"""Samples as callers have them: NumPy and DLPack arrays, MNE's Raw, Epochs and Evoked."""

import warnings
from dataclasses import dataclass, field

import numpy

from ._errors import ArgumentError, SignalError, UnsupportedError

# DLPack's numbers of memory that the host can read: its own, and pinned.
_HOST_MEMORY = (1, 3)

# Types of MNE's channels that are signals of a body.
_DATA_CHANNELS = {"mag", "grad", "eeg", "seeg", "ecog", "dbs", "csd", "hbo", "hbr",
                  "fnirs_cw_amplitude", "fnirs_od", "fnirs_fd_ac_amplitude", "fnirs_fd_phase"}


@dataclass
class Signal:
    """x[row][time], rows without gaps in time; leading: the axes of the caller before time."""

    x: numpy.ndarray
    leading: tuple
    fs: float = None
    channel_names: list = None
    units: list = None
    first_time: float = 0.0
    details: dict = field(default_factory=dict)

    @property
    def channels(self):
        """Of one epoch."""
        return self.leading[-1] if self.leading else 1


def _is_mne(x):
    return (callable(getattr(x, "get_data", None)) and hasattr(x, "ch_names")
            and hasattr(x, "info"))


def _from_mne(inst):
    """Channels of data that are not marked bad; of none, all."""
    kinds = inst.get_channel_types()
    bads = set(inst.info["bads"])
    picks = [i for i, (name, kind) in enumerate(zip(inst.ch_names, kinds))
             if kind in _DATA_CHANNELS and name not in bads]
    if not picks:
        raise SignalError("none of the channels is a good channel of data: pick some first, "
                          "as by inst.pick(['EOG'])" if len(kinds) else "there is no channel")
    data = inst.get_data(picks=picks)
    units = ["V" if kinds[i] in ("eeg", "seeg", "ecog", "dbs") else
             "T" if kinds[i] == "mag" else "T/m" if kinds[i] == "grad" else "" for i in picks]
    return data, {"fs": float(inst.info["sfreq"]), "units": units,
                  "channel_names": [inst.ch_names[i] for i in picks],
                  "first_time": float(inst.times[0])}


def device_of(x):
    """'cuda:0' where x is an array in a GPU's memory; None: the host's."""
    if getattr(x, "__cuda_array_interface__", None) is not None:
        device = getattr(x, "device", 0)
        return f"cuda:{getattr(device, 'index', None) or getattr(device, 'id', None) or 0}"
    where = getattr(x, "__dlpack_device__", None)
    if where is None or isinstance(x, numpy.ndarray):
        return None
    kind, number = where()
    return None if int(kind) in _HOST_MEMORY else f"device {int(kind)}:{number} (DLPack)"


def _to_numpy(x):
    """x as a NumPy array, without a copy where that is possible."""
    where = device_of(x)
    if where:
        raise UnsupportedError(f"x lies in the memory of {where}: arrays of a GPU are not taken "
                               "yet; hand over one of the host, as by x.cpu() or x.get()")
    if isinstance(x, numpy.ma.MaskedArray):
        if numpy.ma.is_masked(x):
            raise SignalError("x has masked samples; interpolate them first")
        return x.data
    if hasattr(x, "iloc"):
        raise ArgumentError("x is a table of pandas, whose rows are times: hand over "
                            "x.to_numpy().T, with one row for each channel")
    if not isinstance(x, numpy.ndarray) and hasattr(x, "__dlpack__"):
        try:
            return numpy.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError):
            pass
    return numpy.asarray(x)


def _check_kind(x):
    if x.dtype.kind == "c":
        raise ArgumentError("x is complex: real samples are needed; take x.real and x.imag as "
                            "two channels")
    if x.dtype.kind not in "fiub":
        raise ArgumentError(f"x has elements of type {x.dtype}: numbers are needed")
    if x.ndim == 0:
        raise ArgumentError("x is a single number: [time], [channel, time] or [.., channel, time] "
                            "is needed")
    if x.size == 0:
        raise ArgumentError(f"x of shape {x.shape} has no sample")


def precision_of(x, precision):
    """The type that x is transformed in: 'f32' or 'f64' as asked, else after x's own."""
    names = {"f32": "f4", "float32": "f4", "single": "f4", "f64": "f8", "float64": "f8",
             "double": "f8"}
    if precision is not None:
        try:
            return numpy.dtype(names[precision if isinstance(precision, str)
                                     else numpy.dtype(precision).name])
        except (KeyError, TypeError):
            raise ArgumentError(f"precision: must be f32 or f64, not {precision!r}") from None
    return numpy.dtype("f4" if x.dtype.kind == "f" and x.dtype.itemsize <= 4 else "f8")


def rows_of(x, dtype):
    """x as [row][time] of dtype, rows alike far apart and without gaps in time; a copy only where
    x is not so."""
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


def take(x, precision=None):
    """Anything that holds samples as a Signal."""
    known = {}
    if _is_mne(x):
        x, known = _from_mne(x)
    x = _to_numpy(x)
    _check_kind(x)
    if x.ndim > 1 and x.shape[-1] < x.shape[-2] and x.shape[-1] < 64:
        warnings.warn(f"x has {x.shape[-1]} samples in each of {x.shape[-2]} channels: time is "
                      "the last axis; hand over x.T if it is the other way round", stacklevel=4)
    return Signal(rows_of(x, precision_of(x, precision)), x.shape[:-1], **known)
