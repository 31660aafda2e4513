"""A function for each transform of the table."""

import os

from . import _device, _options, _plan, _signals, _stored, _stream
from ._errors import ArgumentError, UnsupportedError
from ._result import Result

def make(row):
    """The function of a row."""

    def transform(x, fs=None, *, device=None, threads=None, precision=None, arrays=None, out=None,
                  memory=None, overwrite=None, progress=None, channel_names=None, unit=None,
                  **options):
        if isinstance(x, Result):
            if isinstance(out, (str, os.PathLike)):
                raise ArgumentError("out: of a result, save what comes back: .save('y.h5')")
            if channel_names is not None or unit is not None:
                raise ArgumentError("channel_names and unit: a result has its own")
            return _stored.transform(row, x, fs, device=device, threads=threads,
                                     precision=precision, arrays=arrays, out=out,
                                     progress=progress, options=options)
        if isinstance(out, (str, os.PathLike)):
            if arrays is not None:
                raise ArgumentError("arrays: a file has all arrays; leave it out")
            return _stream.transform(row, x, fs, out, device=device, threads=threads,
                                     precision=precision, memory=memory,
                                     overwrite=bool(overwrite), compress=0, progress=progress,
                                     options=options, names=channel_names, unit=unit)
        if memory is not None or overwrite:
            raise ArgumentError("memory and overwrite go with a file: out='x.h5'")
        signal = _signals.take(x, precision, row.gathers, fs)
        if channel_names is not None or unit is not None:
            from . import _labels

            _labels.name(signal, signal.shape, channel_names, unit)
        options = _options.numbered(row, options, signal.channel_names, signal.shape)
        if row.gathers and options.get("tmin") is None:
            options["tmin"] = signal.first_time
        if signal.space:
            device = _device.place(device, signal.space)
        try:
            plan = _plan.plan_of(row, signal.shape, fs if fs is not None else signal.fs,
                                 signal.dtype, device, threads, options)
        except UnsupportedError as e:
            if signal.space:
                raise UnsupportedError(f"x lies in a GPU's memory, and {e}; hand over an array of "
                                       "the host, as by x.get() or x.cpu()") from None
            raise
        return plan(signal, arrays=arrays, out=out, progress=progress)

    transform.__name__ = transform.__qualname__ = row.name
    transform.__module__ = "wavesift"
    from . import _docstrings       # after the package

    _docstrings.give(transform, row)
    return transform
