"""conv's errors of an instrument by functions and values, against responses without them."""

import math

import numpy
import pytest

import wavesift

X = numpy.random.default_rng(5).standard_normal(200)
GIVEN = {"fs": 100, "mask_formula": "gabor", "scales": [2, 3, 5, 8], "method": "direct"}
SCALES = numpy.array([2, 3, 5, 8])
HZ = 5 * 100 / (2 * math.pi * SCALES)


def gain(f, s):
    return 1 / math.sqrt(1 + (f / 9) ** 2) + s / 100


def test_gain_by_function():
    plain = wavesift.conv(X, **GIVEN)
    result = wavesift.conv(X, amplitude_error=gain, **GIVEN)
    want = [gain(f, s) for f, s in zip(HZ, SCALES)]
    assert numpy.allclose(result.responses * numpy.array(want)[:, None], plain.responses,
                          rtol=1e-12, atol=0)
    told = result.options["amplitude_error"]
    assert told.startswith("masks:")
    assert numpy.allclose([float(v) for v in told[6:].split(",")], want, rtol=1e-14)


def test_records_are_recomputed(tmp_path):
    pytest.importorskip("h5py")
    result = wavesift.conv(X, amplitude_error=gain, timing_error=lambda f, s: 1e-3 / s,
                           timing_jitter=lambda f, s: 1e-4 * s, **GIVEN)
    result.save(tmp_path / "x.h5")
    kept = wavesift.load(tmp_path / "x.h5").options
    errors = {k: kept[k] for k in ("amplitude_error", "timing_error", "timing_jitter")}
    assert errors == {k: result.options[k] for k in errors}
    again = wavesift.conv(X, **errors, **GIVEN)
    assert numpy.array_equal(again.responses, result.responses)


def test_values():
    values = [0.5, 0.6, 0.7, 0.8]
    result = wavesift.conv(X, amplitude_error=numpy.array(values), **GIVEN)
    want = wavesift.conv(X, **GIVEN).responses / numpy.array(values)[:, None]
    assert numpy.allclose(result.responses, want, rtol=1e-12, atol=0)
    with pytest.raises(wavesift.Error, match="3 values for 4 masks"):
        wavesift.conv(X, amplitude_error=values[:3], **GIVEN)


def test_function_is_asked_each_time():
    level = [0.5]
    def function(f, s):
        return level[0]
    first = wavesift.conv(X, amplitude_error=function, **GIVEN).responses
    level[0] = 0.25
    assert numpy.allclose(wavesift.conv(X, amplitude_error=function, **GIVEN).responses, 2 * first)


@pytest.mark.parametrize("function, error, words", [
    (lambda f, s: 1 / 0, ZeroDivisionError, "division"),
    (lambda f: 1, TypeError, "argument"),
    (lambda f, s: "much", ValueError, "much"),
    (lambda f, s: math.nan, wavesift.Error, "a gain of nan for mask 0"),
    (lambda f, s: 0 if s == 3 else 1, wavesift.Error, "a gain of 0 for mask 1"),
])
def test_refused(function, error, words):
    with pytest.raises(error, match=words):
        wavesift.conv(X, amplitude_error=function, **GIVEN)


def test_masks_without_frequency():
    asked = []
    wavesift.conv(X, masks=[[1.0, 2.0]], amplitude_error=lambda f, s: asked.append((f, s)) or 1)
    assert set(asked) == {(None, None)}
