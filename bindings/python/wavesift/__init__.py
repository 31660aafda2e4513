"""Time-frequency analysis of non-stationary signals: the library wavesift on NumPy's arrays.

>>> import wavesift
>>> r = wavesift.iceemdan(x, fs=250)      # x: [time], [channel, time] or [.., channel, time]
>>> r.modes, r.residue, r.frequency

Each transform of the library is a function here, with the options of the command line as keyword
arguments; ``wavesift.transforms()`` names them.  Results have the same bits on every machine.
"""

from . import _functions, _library, _rows
from ._compare import Similarity, compare
from ._context import devices
from ._errors import (ArgumentError, Cancelled, DeviceError, Error, FileError, InternalError,
                      OutOfMemoryError, SignalError, UnsupportedError)
from ._inverse import icwt
from ._load import load
from ._plan import Plan
from ._result import Result, class_of, result_name

__version__ = _library.lib.ws_version().decode()
numerics_version = _library.lib.ws_numerics_version()

__all__ = ["ArgumentError", "Cancelled", "DeviceError", "Error", "FileError", "InternalError",
           "OutOfMemoryError", "Plan", "Result", "SignalError", "Similarity", "UnsupportedError",
           "compare", "devices", "icwt", "load", "numerics_version", "transforms", *_rows.ROWS]


def transforms():
    """The transforms and what each is.

    Returns
    -------
    dict of str to str
        Half a line each, by the names of the functions.

    See Also
    --------
    Plan : Which takes such a name.

    Examples
    --------
    >>> wavesift.transforms()["emd"]
    'empirical mode decomposition'
    """
    return {row.name: row.summary for row in _rows.ROWS.values()}


# What other packages call it.
_ELSEWHERE = {"sift": "emd", "ensemble_sift": "eemd", "complete_ensemble_sift": "iceemdan",
              "hilberthuang": "hht", "frequency_transform": "hht", "superlet": "superlets"}


def _results():
    """EmdResult .. of each transform."""
    return [result_name(name) for name in _rows.ROWS]


def __dir__():
    return sorted({*globals(), *__all__, *_results(), "mne", "sklearn"})


def __getattr__(name):
    """The function of a transform is made when first asked for, so that importing the package takes
    little longer than NumPy; and wavesift.mne and wavesift.sklearn, which need these, imported."""
    if name in _rows.ROWS:
        return globals().setdefault(name, _functions.make(_rows.ROWS[name]))
    if name in _results():
        return class_of(name)
    if name in ("mne", "sklearn"):
        import importlib

        return importlib.import_module(f"wavesift.{name}")
    ours = _ELSEWHERE.get(name, name.lower())
    hint = f": here it is wavesift.{ours}" if ours in _rows.ROWS else ""
    raise AttributeError(f"module 'wavesift' has no attribute {name!r}{hint}")
