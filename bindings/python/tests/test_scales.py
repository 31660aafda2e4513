"""conv's scales as exact ratios, against Python's own rational numbers."""

from fractions import Fraction

import numpy
import pytest

import wavesift

X = numpy.random.default_rng(5).standard_normal(200)
RATIOS = [Fraction(1), Fraction(3, 2), Fraction(7, 3), Fraction(29, 10)]


def masks(scales):
    """Of each scale, the mask, 2 floor(8 s) + 1 taps by exact arithmetic."""
    for s in map(Fraction, scales):
        half = 8 * s.numerator // s.denominator
        t = numpy.array([float(Fraction(x) / s) for x in range(-half, half + 1)])
        yield numpy.exp(-t * t / 2) * numpy.cos(5 * t) / numpy.sqrt(float(s))


@pytest.mark.parametrize("given", [
    RATIOS, tuple(RATIOS), [1, Fraction(3, 2), 7 / 3, 2.9], numpy.array([1, 1.5, 7 / 3, 2.9]),
    "1,3/2,7/3,2.9", ["1", "3/2", "7/3", "29/10"],
    [numpy.int32(1), numpy.float64(1.5), 7 / 3, 2.9]])
def test_list_is_exact(given):
    result = wavesift.conv(X, mask_formula="morlet", scales=given, method="direct")
    want = [numpy.correlate(X, m, "full")[len(m) // 2:][:200] for m in masks(RATIOS)]
    assert numpy.allclose(result.responses, want, rtol=0, atol=1e-12)
    assert [Fraction(s) for s in result.options["scales"].split(",")] == RATIOS


@pytest.mark.parametrize("given", ["1:3:5", (1, 3, 5, "lin"), [1, 1.5, 2, 2.5, 3]])
def test_range(given):
    result = wavesift.conv(X, mask_formula="morlet", scales=given)
    assert result.responses.shape == (5, 200)


@pytest.mark.parametrize("scale", [3, Fraction(7, 3), 0.1, 1e-5, numpy.float32(0.1), 1 / 97])
def test_one(scale):
    result = wavesift.conv(X, mask_formula="morlet", scales=scale)
    assert float(Fraction(result.options["scales"])) == float(scale)


@pytest.mark.parametrize("bad", [[1, 1e-20], [float("nan")], [float("inf")], [0], [-1.5], [True],
                                 [1, None], [Fraction(1, 2**47)], [1, 1e300]])
def test_refused(bad):
    with pytest.raises(wavesift.Error, match="^scales: .*no ratio above 0"):
        wavesift.conv(X, mask_formula="morlet", scales=bad)


def test_file(tmp_path):
    pytest.importorskip("h5py")
    given = [Fraction(k, 97) for k in range(1, 300)]
    result = wavesift.conv(X, mask_formula="morlet", scales=given)
    result.save(tmp_path / "x.h5")
    read = wavesift.load(tmp_path / "x.h5")
    assert read.options["scales"] == result.options["scales"] == ",".join(map(str, given))
    again = wavesift.conv(X, mask_formula="morlet", scales=read.options["scales"])
    assert numpy.array_equal(again.responses, result.responses)
