"""One array an octave: its own axes, the numbers of the whole transform, files, figures."""

import numpy
import pytest

import wavesift

FS = 250


@pytest.fixture(scope="module")
def x():
    return numpy.random.default_rng(3).standard_normal((2, 5001))


def test_arrays(x, tmp_path):
    pytest.importorskip("h5py")
    given = {"fs": FS, "freqs": "2:100", "precision": "f64", "quantity": "power"}
    whole, r = wavesift.cwt(x, **given), wavesift.cwt(x, octave_arrays=True, **given)
    assert "power" not in r and "power_6" in r and "power_7" not in r
    assert numpy.array_equal(r.frequencies, whole.frequencies)
    r.save(tmp_path / "ours.h5")
    on_disk = wavesift.cwt(x, octave_arrays=True, out=tmp_path / "run.h5", memory="4M", **given)
    for octave in (r, wavesift.load(tmp_path / "ours.h5"), on_disk):
        for k in range(1, 7):
            assert octave.dims(f"power_{k}") == ("channel", f"power_{k}_frequency", f"power_{k}_time")
            times, f = octave.axes[f"power_{k}_time"], octave.axes[f"power_{k}_frequency"]
            step = round(times[1] * FS)
            assert step == 2 ** (k - 1)
            assert numpy.allclose(times, numpy.arange(len(times)) * step / FS, rtol=1e-12)
            rows = numpy.isin(whole.frequencies, f)
            want = whole.power[:, rows]
            error = numpy.abs(octave[f"power_{k}"][:] - want[..., ::step]).max(-1)
            assert (error < 1e-12 * want.max(-1)).all()
    on_disk.close()


def test_later(tmp_path):
    """Axes of their own begin where the samples do, in files too."""
    pytest.importorskip("h5py")
    xarray = pytest.importorskip("xarray")
    da = xarray.DataArray(numpy.sin(numpy.arange(600)), dims="time",
                          coords={"time": 3 + numpy.arange(600) / FS})
    r = wavesift.cwt(da, octave_arrays=True, freqs="20:80", quantity="power")
    r.save(tmp_path / "later.h5")
    for one in (r, wavesift.load(tmp_path / "later.h5")):
        assert one.coordinates("power_2")["power_2_time"][0] == 3
    dated = da.assign_coords(time=numpy.datetime64("2020-01-01") + numpy.arange(600) * numpy.timedelta64(5, "ms"))
    power = wavesift.cwt(dated, octave_arrays=True, freqs="20:80", quantity="power").to_xarray()
    assert power.power_2.power_2_time[1].values == numpy.datetime64("2020-01-01T00:00:00.010")


def test_figure(x):
    plt = pytest.importorskip("matplotlib.pyplot")
    r = wavesift.cwt(x, fs=FS, octave_arrays=True, freqs="2:100")
    figure = r.plot(channel=1)
    low, high = figure.axes[0].get_ylim()
    assert low == 2 and 97 < high <= 100
    plt.close(figure)


def test_refused(x):
    with pytest.raises(ValueError, match="those of octaves have fewer"):
        wavesift.icwt(wavesift.cwt(x, fs=FS, octave_arrays=True))
