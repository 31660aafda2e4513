"""What a figure is of: channel, epoch, the other channel of a pair, modes, a part of the time."""

import math
import numbers
import operator

import numpy

from ._errors import ArgumentError, told

INK, MODE, RESIDUE, FAINT = "#24292f", "#2a6a9e", "#c8643c", "#6a737d"


def _number(name, value):
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name}: a whole number is needed, not {told(value)}") from None


def real(name, value):
    """A number that is finite; None stays."""
    if value is None or isinstance(value, numbers.Real) and not isinstance(value, bool) and (
            math.isfinite(value)):
        return value
    raise ArgumentError(f"{name}: a number is needed, not {told(value)}")


def between(low, high, unit=""):
    """What lies from low to high, in words; None: without an end."""
    return (f"from {low:g} to {high:g}{unit}" if None not in (low, high) else
            f"from {low:g}{unit} on" if high is None else f"up to {high:g}{unit}")


def place(result, channel, epoch):
    """Index of a channel, before the axes of the array itself; and its name."""
    index, epoch = (), _number("epoch", epoch)
    channel = _against(result) if channel is None else channel
    n = math.prod(result.epochs)
    if not -n <= epoch < n:
        raise ArgumentError(f"epoch {epoch}: there {'are' if n > 1 else 'is'} {n}, from 0 on")
    if result.epochs:
        index = numpy.unravel_index(epoch % n, result.epochs)
    name = ""
    if result.has_channels:
        channel, name = channel_of(result, "channel", channel)
        index += (channel,)
    return index, name, (result.units[channel] if result.units and result.has_channels else "")


def channel_of(result, word, channel):
    """Number and name of a channel that is given by either."""
    n = result.channels
    names = result.values_along("channel", n)
    if isinstance(channel, str):
        if channel not in names:
            raise ArgumentError(f"{word} {channel!r}: there are {', '.join(names)}")
        channel = names.index(channel)
    channel = _number(word, channel)
    if not -n <= channel < n:
        raise ArgumentError(f"{word} {channel}: there are {n}, from 0 ({names[0]}) on")
    channel %= n
    return channel, names[channel]


def _against(result):
    """The channel that is drawn where none is asked for: not the one that coherence is with, which
    tells nothing."""
    return 1 if result.options.get("against") == 0 and result.channels > 1 else 0


def _partner(result, index, partner):
    """Number and name of the other channel of a pair."""
    own = index[-1]
    return channel_of(result, "partner", (1 if own == 0 else 0) if partner is None else partner)


def with_partner(result, name, index, partner):
    """Where the other channel of a pair stands, and both names."""
    if partner is not None and "coherence_pairs" not in result:
        raise ArgumentError("partner: of coherence of all pairs alone (against='all')")
    if "coherence_pairs" in result:
        other, theirs = _partner(result, index, partner)
        return index + (other,), f"{name} with {theirs}"
    against = result.options.get("against")
    if "coherence" in result and against is not None:
        return index, f"{name} with {channel_of(result, 'against', against)[1]}"
    return index, name


def modes_of(result, modes):
    """Numbers of modes, and "signal" and "residue", of what is given by numbers or names."""
    n = result.modes.shape[-2]
    names = {f"IMF {k + 1}": k for k in range(n)}
    made = []
    modes = range(n)[modes] if isinstance(modes, slice) else modes
    for m in modes if hasattr(modes, "__iter__") and not isinstance(modes, str) else [modes]:
        m = names.get(m, m) if isinstance(m, str) else m
        if not (m in ("signal", "residue") if isinstance(m, str)
                else -n <= _number("modes", m) < n):
            raise ArgumentError(f"modes: {m!r}: must be 0 (IMF 1) to {n - 1} (IMF {n}), 'signal' "
                                "or 'residue'")
        made.append(m if isinstance(m, str) else m % n)
    return made


def part(times, tmin, tmax):
    """The slice of the times from tmin to tmax, both in it."""
    first = 0 if tmin is None else int(numpy.searchsorted(times, tmin - 1e-9))
    last = len(times) if tmax is None else int(numpy.searchsorted(times, tmax + 1e-9, "right"))
    if last <= first:
        raise ArgumentError(f"tmin, tmax: no sample is {between(tmin, tmax)}: there are "
                            f"{times[0]:g} to {times[-1]:g}")
    return slice(first, last)
