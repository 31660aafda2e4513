"""The arrays that plans make and results have, and their axes."""

import functools
from dataclasses import dataclass
from math import prod

import numpy

# Axes of frequencies; of the middles of bands; of frequencies of an amplitude.
IN_HZ = ("frequency", "band", "modulation")
YEAR = 31556952.0       # s: of the calendar's mean year


@dataclass(frozen=True)
class Array:
    """An array that a plan makes: [channel][..], all rows of epochs and channels together."""

    number: int
    name: str
    text: str
    dtype: numpy.dtype
    flags: int
    axes: tuple
    extent: tuple

    @functools.cached_property
    def size(self):
        return prod(self.extent)

    @functools.cached_property
    def of_channels(self):
        """False where all channels share it."""
        return self.axes[0] == "channel"

    @functools.cached_property
    def timed(self):
        """True of samples, or of what runs along their time."""
        return self.axes[-1].endswith("time")

    @functools.cached_property
    def mode_axis(self):
        """Number of the axis of modes, or None."""
        return self.axes.index("mode") if "mode" in self.axes else None


def unit_of(dim, result):
    """What an axis counts in; None: nothing."""
    if dim.endswith("time"):
        return "s" if result.fs else "samples"
    if dim.endswith(IN_HZ) and result.axes.get(dim, numpy.int32()).dtype.kind == "f":
        return "Hz"
    return None
