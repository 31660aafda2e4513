"""wavesift.icwt: from coefficients back to the signal."""

import numpy
import pytest

import wavesift

FADE = numpy.exp(-((numpy.arange(4000) / 250 - 8) / 1.2) ** 2 / 2)


@pytest.fixture
def tones():
    """Two channels of tones that come and go, 4000 samples at 250 Hz."""
    t = numpy.arange(4000) / 250
    return numpy.array([FADE * numpy.sin(2 * numpy.pi * 10 * t),
                        FADE * (numpy.cos(2 * numpy.pi * 25 * t) + numpy.sin(12 * numpy.pi * t))])


@pytest.mark.parametrize("options, limit", [
    ({"freqs": "2:60:80"}, 1e-7), ({"freqs": "2:60:80", "padding": "periodic"}, 1e-7), ({}, 1e-7),
    ({"freqs": "2:60:120", "wavelet": "morse:20,3", "norm": "l2"}, 1e-7),
    # Its wavelets stand further apart than they are wide.
    ({"reference": "ssqueezepy"}, 1e-3)])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_round_trip(tones, options, dtype, limit):
    x = tones.astype(dtype)
    limit = max(limit, 1e-5 if dtype == "f4" else 0)
    r = wavesift.cwt(x, fs=250, **options)
    y = wavesift.icwt(r)
    assert y.shape == x.shape and y.dtype == x.dtype
    assert numpy.abs(y - x).max() < limit


def test_bands(tones):
    """Those of wavesift.bands; epochs and one row alone."""
    given = {"fs": 250, "freqs": "2:60:80"}
    x = numpy.stack([tones, tones[::-1]])
    r = wavesift.cwt(x, **given)
    y = wavesift.icwt(r, bands=[(4, 16), (16, 50)])
    assert y.shape == (2, 2, 2, 4000)
    expected = wavesift.bands(x, bands=[(4, 16), (16, 50)], **given).bands
    assert numpy.abs(y - expected).max() < 1e-7
    one = wavesift.icwt(wavesift.cwt(x[0, 0], **given))
    assert one.shape == (4000,) and numpy.abs(one - x[0, 0]).max() < 1e-7


def test_edited(tones):
    """Without the coefficients of a tone the other is left."""
    r = wavesift.cwt(tones, fs=250, freqs="2:60:120")
    w = r.coefficients.copy()
    w[..., r.frequencies > 14, :] = 0
    left = wavesift.icwt(r, w)[1]
    t = numpy.arange(4000) / 250
    assert numpy.abs(left - FADE * numpy.sin(12 * numpy.pi * t)).max() < 0.02


def test_of_a_file(tones, tmp_path):
    pytest.importorskip("h5py")
    r = wavesift.cwt(tones, fs=250, freqs="2:60:80")
    r.save(tmp_path / "w.h5")
    again = wavesift.icwt(wavesift.load(tmp_path / "w.h5"))
    assert again.tobytes() == wavesift.icwt(r).tobytes()


def test_refused(tones):
    r = wavesift.cwt(tones, fs=250, freqs="2:60:80")
    with pytest.raises(ValueError, match="takes a result of cwt, not of emd"):
        wavesift.icwt(wavesift.emd(tones))
    with pytest.raises(ValueError, match=r"takes a result of cwt.* not ndarray.* icwt\(result, w"):
        wavesift.icwt(r.coefficients)
    with pytest.raises(ValueError, match="quantity='complex'"):
        wavesift.icwt(wavesift.cwt(tones, fs=250, freqs="2:60:80", quantity="power"))
    with pytest.raises(ValueError, match=r"\[2, 80, 4000\] are needed"):
        wavesift.icwt(r, r.coefficients[:, :40])
    with pytest.raises(ValueError, match="padding"):
        wavesift.icwt(wavesift.cwt(tones, fs=250, reference="tc"))
    r.axes["frequency"] = r.axes["frequency"] * 1.01
    with pytest.raises(ValueError, match="do not tell its frequencies"):
        wavesift.icwt(r)
    with pytest.raises(ValueError, match="inverse"):
        wavesift.icwt(wavesift.cwt(tones, fs=250, reference="mne", freqs="4:40:20"))
