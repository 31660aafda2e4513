"""What a user writes: strict type checkers are content with it (test_typing.py)."""

from fractions import Fraction

import numpy as np

import wavesift
from wavesift.sklearn import ModeFeatures

x = np.random.default_rng(0).standard_normal((4, 1000))
r = wavesift.emd(x, fs=np.float32(250), modes=np.int64(3), threads=-1, precision=np.float32)
modes: "np.ndarray[tuple[int, ...], np.dtype[np.floating]]" = r.modes * 2.0
r.modes = r.modes * np.float64(2)
r["residue"] = x
count: int = int(r.mode_count.max())
figure = r.plot(modes=slice(0, 2), channels=range(2))
w = wavesift.cwt(x, 250, freqs=np.arange(4, 40), cycles=[3, 5.5], quantity="complex")
power = np.abs(w.coefficients) ** 2
back = wavesift.icwt(w, w.coefficients * 2, bands=[(4, 8)])
s = wavesift.conv(x, masks=[[1, 2], np.ones(3)], scales=[1, Fraction(3, 2)],
                  amplitude_error=lambda f, s: 0.5)
wavesift.coherence(x, against=np.int32(1), freqs=(4, 8, 12.5)).coherence.mean()
loaded = wavesift.load("x.h5")
with loaded as also:
    print(also.modes.shape, also.spectrum.shape, also.units, also["power_1"])
similar = wavesift.compare(r, "x.h5", channels=["Cz"])
similar.rho.mean().is_integer()
plan = wavesift.Plan("emd", x.shape, fs=250, modes=3)
plan(x, progress=lambda done: done > 0.5).modes.sum()
features = ModeFeatures("emd", fs=250).fit(x).transform(x).mean()


class Column:
    """As of a table of pandas."""

    def __array__(self) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
        return np.arange(4.0, 8.0)


wavesift.cwt(x, 250, freqs=Column())


def median(result: wavesift.EmdResult) -> float:
    return float(np.median(result.frequency))
