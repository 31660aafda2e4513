"""The inverse wavelet transform of coefficients in hand, such as edited ones."""

import ctypes
import math

import numpy

from . import _call, _device, _plan, _rows
from . import _library as c
from ._errors import ArgumentError, Cancelled
from ._result import Result

# Of cwt, and not of what its coefficients are made into.
_OF_OUTPUT = ("quantity", "decimate", "significance", "level")


def icwt(result, coefficients=None, *, bands=None, progress=None):
    """The signal that wavelet coefficients stand for: the inverse of wavesift.cwt.

    Within the band of the result's frequencies the signal comes back exactly, but for its mean;
    what lies outside of them is lost.  To split a signal into bands, wavesift.bands is the shorter
    way: it gives the same numbers without coefficients in between.

    Parameters
    ----------
    result : Result
        Of wavesift.cwt, with coefficients at every sample, or of wavesift.load; with any padding
        but zeros, and a wavelet that has an inverse (no odd DOG wavelets; the references mne, pywt
        and deng have none).
    coefficients : array_like, optional
        Instead of result.coefficients, [.., channel, frequency, time] or with fewer axes as there:
        those that were edited.
    bands : str or sequence, optional
        As of wavesift.bands: "4:8,8:13".  Default: one band, of all frequencies.
    progress : bool or callable, optional
        As of wavesift.cwt.

    Returns
    -------
    numpy.ndarray
        [.., channel, time] as the signal was; with bands [.., channel, band, time].

    Raises
    ------
    ArgumentError
        The result has no coefficients at every sample, or its wavelets no inverse.

    See Also
    --------
    cwt : Which gives the coefficients.
    bands : Signals of bands without coefficients in between.

    Examples
    --------
    >>> r = wavesift.cwt(x, fs=250, freqs="1:100:120")
    >>> w = r.coefficients.copy()
    >>> w[..., (r.frequencies > 48) & (r.frequencies < 52), :] = 0
    >>> y = wavesift.icwt(r, w)         # without what the mains hum
    """
    if not isinstance(result, Result):
        raise ArgumentError("icwt takes a result of cwt, which knows its wavelets and frequencies, "
                            f"not {type(result).__name__}; edited coefficients w as "
                            "icwt(result, w)")
    if result.method != "cwt" or "frequency" not in result.axes:
        raise ArgumentError(f"icwt takes a result of cwt, not of {result.method}")
    given = result.arrays.get("coefficients")
    if given is None and "coefficients_1" in result.arrays:
        raise ArgumentError("icwt needs coefficients at every sample, and those of octaves have "
                            "fewer: leave out octave_arrays")
    if given is None:
        raise ArgumentError("icwt needs coefficients: make them by cwt(.., quantity='complex')")
    w = _device.to_numpy(given if coefficients is None else coefficients)
    w = numpy.asarray(w)
    if w.shape != tuple(given.shape):
        raise ArgumentError(f"coefficients: {list(given.shape)} are needed, as the result has "
                            f"them, not {list(w.shape)}")
    w = numpy.ascontiguousarray(w, "c8" if w.dtype.itemsize <= 8 and w.dtype.kind in "fc"
                                else "c16")
    lead, samples = w.shape[:-2], w.shape[-1]
    plan = _plan_of(result, samples, w.dtype, bands)
    count = plan.full_shape("bands")[-2]
    rows = w.reshape(-1, *w.shape[-2:])
    made = numpy.empty((len(rows), count, samples), plan.dtype)

    def execute(progress):
        for i, row in enumerate(rows):
            if progress(None, i / len(rows)):
                raise Cancelled("cancelled")
            c.check(c.lib.ws_cwt_inverse(plan.handle, row.ctypes.data, made[i].ctypes.data))

    report = _call.reporter(progress, "Inverse wavelet transform")
    try:
        _call.Call(execute, report).run()
    finally:
        if report:
            report.close()
    return made.reshape(lead + ((samples,) if bands is None else (count, samples)))


def _plan_of(result, samples, dtype, bands):
    """A plan of bands with the wavelets of the result."""
    known = {o.name for o in _rows.ROWS["bands"].options}
    options = {k: v for k, v in result.options.items() if v and k in known
               and k not in _OF_OUTPUT}
    made = {"fs": result.fs, "precision": "f64" if dtype == "c16" else "f32", "device": "cpu"}
    # The library reads as many rows as the plan has frequencies.
    ours = _plan.Plan("cwt", samples, **made, **options).axes["frequency"]
    theirs = result.axes["frequency"]
    if len(ours) != len(theirs) or not all(math.isclose(a, b, rel_tol=1e-9)
                                           for a, b in zip(ours, theirs)):
        raise ArgumentError("the result's options do not tell its frequencies: it was cut, or made "
                            "at another length; transform the samples again")
    return _plan.Plan("bands", samples, **made, bands=bands, **options)
