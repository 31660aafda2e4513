"""Means over epochs of modes and bands, as the program's --average makes them."""

import copy
from math import prod, sqrt

import numpy

from ._arrays import Array
from ._errors import ArgumentError

INTERVAL = "_interval"
# Student's t at 0.975 of so few degrees of freedom; of more its expansion, to 1e-4.
_FEW = (12.7062047362, 4.3026527297, 3.1824463053, 2.7764451052)


def _half_interval(n):
    """Of the 95 % interval of a mean of n, in standard errors."""
    v = 1 / (n - 1)
    return _FEW[n - 2] if n < 6 else (
        1.9599639845 + v * (2.3722712 + v * (2.8224986 + v * (2.5558497 + v * 1.5895341))))


def _is_rows(about):
    return about.timed and about.of_channels and about.dtype.kind == "f" and len(about.axes) <= 3


def _small(values, about, counts):
    """Of epochs that have them: medians, and of whole numbers the largest."""
    values = values.astype(float)
    if about.axes[-1] == "mode":
        values[numpy.arange(values.shape[-1]) >= counts[..., None]] = numpy.nan
    if about.dtype.kind == "i":
        return numpy.where(numpy.isnan(values), 0, values).max(0).astype(about.dtype)
    return _over(numpy.nanmedian, values)


def _over(function, values):
    """NaN where no epoch has a value."""
    out = numpy.full(values.shape[1:], numpy.nan)
    some = ~numpy.isnan(values).all(0)
    out[some] = function(values[:, some], axis=0)
    return out


def average(result):
    n, lead = prod(result.epochs), len(result.epochs)
    if n < 2:
        raise ArgumentError("average needs two epochs or more: x [epoch, channel, time]")
    timed = [name for name, a in result.about.items() if a.timed and name in result.arrays]
    if not timed or not all(_is_rows(result.about[name]) for name in timed):
        raise ArgumentError(f"average is of modes and bands, not of {result.method}: trials and "
                            "hhtrials average spectra")
    arrays, about = {}, {}

    def add(name, values, like, dtype, text):
        arrays[name] = values.astype(dtype)
        about[name] = Array(len(about), name, text, numpy.dtype(dtype), 0 if name.endswith(INTERVAL)
                            else like.flags, like.axes, values.shape)

    given = {name: a.reshape(n, *a.shape[lead:]) if result.about[name].of_channels else a
             for name, a in result.arrays.items()}
    counts = given.get("mode_count")
    for name, values in given.items():
        a = result.about[name]
        if not a.of_channels:
            arrays[name], about[name] = values, a
        elif a.timed:
            add(name, values.mean(0, dtype=float), a, a.dtype, a.text)
        else:
            add(name, _small(values, a, counts), a, a.dtype, a.text)
    for name in timed:
        half = given[name].std(0, ddof=1, dtype=float) * (_half_interval(n) / sqrt(n))
        add(name + INTERVAL, half, result.about[name], result.about[name].dtype,
            "half of the mean's 95 % interval")
    if "frequency" in given and counts is not None:
        f, like = given["frequency"].copy(), result.about["frequency"]
        f[numpy.arange(f.shape[-1]) >= counts[..., None]] = numpy.nan
        add("frequency_low", _over(numpy.nanmin, f), like, "f8", "lowest of an epoch, Hz")
        add("frequency_high", _over(numpy.nanmax, f), like, "f8", "highest of an epoch, Hz")
        add("mode_epochs", (~numpy.isnan(f)).sum(0), like, "i4", "epochs that have the mode")
    mean = copy.copy(result)
    mean.arrays, mean.about, mean.epochs, mean.events = arrays, about, (), []
    mean._facts = {**result._facts, "epochs_averaged": n, "average": 1}
    mean._line = ", ".join(filter(None, [result._line, f"mean of {n} epochs and its 95 % interval"]))
    told = result._told
    mean._told = told and {**told, "epochs_averaged": n, "average": 1, "options": mean._line}
    return mean
