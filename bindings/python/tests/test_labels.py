"""Containers that know names, rate, units and dates: labels in, labels out."""

import re

import numpy
import pytest

import wavesift


def same(a, b):
    for name in ("modes", "residue", "mode_count"):
        assert a[name].tobytes() == b[name].tobytes() and a[name].shape == b[name].shape, name


@pytest.fixture
def dates():
    first = numpy.datetime64("2020-03-01T12:00", "ns")
    return first + numpy.arange(600) * numpy.timedelta64(5, "ms")


@pytest.fixture
def recording(x, dates):
    """A DataArray [time, sensor] whose coordinates tell all."""
    xarray = pytest.importorskip("xarray")
    return xarray.DataArray(
        x.T, dims=("time", "sensor"), attrs={"units": "uV"},
        coords={"time": dates, "sensor": ["Fz", "Cz", "Pz", "Oz"], "site": "north",
                "depth": ("sensor", [1.0, 2, 3, 4])})


# ---- In ---------------------------------------------------------------------------------------

def test_xarray(x, recording):
    r = wavesift.emd(recording)
    same(r, wavesift.emd(x, fs=200))
    assert r.fs == 200 and r.channel_names == ["Fz", "Cz", "Pz", "Oz"] and r.units == ["uV"] * 4
    assert r.attributes["start_time"] == "2020-03-01T12:00:00"
    one = recording.isel(sensor=2).assign_coords(time=numpy.arange(600) * 5.0)
    one.time.attrs["units"] = "ms"
    r = wavesift.emd(one)
    same(r, wavesift.emd(x[2]))
    assert r.fs == 200 and r.units == ["uV"] and "start_time" not in r.attributes
    assert wavesift.emd(recording, fs=50).fs == 50      # the caller's word counts more
    mixed = recording.assign_coords(unit=("sensor", ["V", "V", "T", "m"]))
    mixed.attrs.clear()
    assert wavesift.emd(mixed).units == ["V", "V", "T", "m"]
    assert wavesift.coherence(mixed, freqs="4:40", against="Pz").options["against"] == 2
    with pytest.raises(ValueError, match=r"x is a Dataset: .* x\['NAME'\]"):
        wavesift.emd(recording.to_dataset(name="a"))
    x = recording.copy()
    x[7, 1] = numpy.nan
    with pytest.raises(wavesift.SignalError, match=r"^x\[1, 7\] \(channel Cz\) is not finite"):
        wavesift.emd(x)


def test_pandas(x, dates):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(x.T, columns=list("abcd"), index=pandas.DatetimeIndex(dates))
    r = wavesift.emd(table)
    same(r, wavesift.emd(x))
    assert r.fs == 200 and r.channel_names == list("abcd")
    zoned = wavesift.emd(table.tz_localize("Asia/Tokyo"))
    assert zoned.attributes["start_time"] == "2020-03-01T03:00:00Z"
    assert (zoned.dates == r.dates - numpy.timedelta64(9, "h")).all()
    assert wavesift.emd(table["b"]).channel_names == ["b"]
    # A column of times; rows that are only counted.
    seconds = pandas.DataFrame(x.T, columns=list("abcd"))
    assert wavesift.emd(seconds).fs is None
    seconds.insert(0, "Time (ms)", numpy.round(numpy.arange(600) * 1000 / 256))
    assert wavesift.emd(seconds).fs == 256 and wavesift.emd(seconds).channel_names == list("abcd")
    whole = table.astype("Float32")
    assert wavesift.emd(whole).channel_names == list("abcd")
    with pytest.raises(ValueError, match="no numbers in the column 'e', but"):
        wavesift.emd(table.assign(e="text"))
    with pytest.raises(ValueError, match="t is of type .* as pandas.to_datetime makes"):
        wavesift.emd(pandas.DataFrame({"t": ["1", "2"], "a": [1.0, 2.0]}))


def test_months(x, tmp_path):
    pandas = pytest.importorskip("pandas")
    for frequency, months in (("MS", 1), ("ME", 1), ("YS", 12), ("QS", 3)):
        index = pandas.date_range("1900-01-01", periods=600, freq=frequency, unit="s")
        r = wavesift.emd(pandas.Series(x[0], index))
        assert abs(r.fs * 31556952 * months - 12) < 1e-9
        assert (r.dates == index.values.astype("M8[M]")).all()
    spans = pandas.Series(x[0], pandas.period_range("1900-01", periods=600, freq="M"))
    assert (wavesift.emd(spans).dates == spans.index.to_timestamp().values).all()
    r = wavesift.hht(wavesift.emd(spans), time_bin=31556952)
    r.save(tmp_path / "months.h5")
    assert (wavesift.load(tmp_path / "months.h5").dates == r.dates).all() and len(r.dates) == 600
    with pytest.raises(wavesift.SignalError, match=r"not sampled evenly: time\[7\]"):
        wavesift.emd(pandas.Series(x[0], index).drop(index[7]))


def test_polars(x, dates):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"when": dates, **dict(zip("abcd", x))})
    r = wavesift.emd(table)
    same(r, wavesift.emd(x))
    assert r.fs == 200 and r.channel_names == list("abcd")
    assert r.attributes["start_time"] == "2020-03-01T12:00:00"
    same(wavesift.emd(table["b"]), wavesift.emd(x[1]))
    with pytest.raises(ValueError, match="x.collect()"):
        wavesift.emd(table.lazy())
    with pytest.raises(ValueError, match="no numbers in the column 'e', but String"):
        wavesift.emd(table.with_columns(polars.lit("text").alias("e")))


def test_uneven(recording):
    gap = recording.drop_isel(time=[100, 101])
    with pytest.raises(wavesift.SignalError, match=re.escape(
            "x is not sampled evenly: time[100] comes 0.015 s after the one before, and others "
            "0.005 s; interpolate it to even times first, or say fs=")):
        wavesift.emd(gap)
    assert wavesift.emd(gap, fs=200).fs == 200
    plan = wavesift.Plan("emd", (4, 598), fs=200)
    assert plan(gap).channel_names == ["Fz", "Cz", "Pz", "Oz"]
    back = recording.isel(time=slice(None, None, -1))
    with pytest.raises(wavesift.SignalError, match="x runs backwards: time goes from"):
        wavesift.emd(back)
    lost = recording.assign_coords(time=numpy.where(numpy.arange(600) == 3, numpy.datetime64("NaT"),
                                                    recording.time))
    with pytest.raises(wavesift.SignalError, match=r"time\[3\] is no date"):
        wavesift.emd(lost)


def test_given_names(x, tmp_path):
    pytest.importorskip("h5py")
    r = wavesift.emd(x, channel_names=list("abcd"), unit="mV")
    assert r.channel_names == list("abcd") and r.units == ["mV"] * 4
    r.save(tmp_path / "r.h5")
    r = wavesift.emd(x, out=tmp_path / "s.h5", channel_names=list("abcd"), unit=list("VVTT"))
    assert r.units == list("VVTT") == wavesift.load(tmp_path / "s.h5").units
    assert wavesift.load(tmp_path / "r.h5").units == ["mV"] * 4
    assert wavesift.coherence(x, 200, freqs="4:40", channel_names=list("abcd"),
                              against="c").options["against"] == 2
    told = wavesift.emd(x, channel_names=numpy.array(list("abcd"))).channel_names
    assert {type(n) for n in told} == {str}
    for given in ({"channel_names": ["a"]}, {"unit": ["V"]}, {"channel_names": [1, 2, 3, 4]},
                  {"unit": 3}):
        with pytest.raises(ValueError, match="text for each of 4 channels is needed"):
            wavesift.emd(x, **given)
    with pytest.raises(ValueError, match="a result has its own"):
        wavesift.hht(r.to_numpy(), unit="V")


def test_into_a_file(recording, tmp_path):
    pytest.importorskip("h5py")
    with wavesift.emd(recording, out=tmp_path / "r.h5") as r:
        assert r.fs == 200 and r.channel_names[2] == "Pz" and r.units == ["uV"] * 4
        assert r.attributes["start_time"] == "2020-03-01T12:00:00"
        assert r.modes[()].tobytes() == wavesift.emd(recording).modes.tobytes()


# ---- Out --------------------------------------------------------------------------------------

def test_coordinates_come_back(recording):
    r = wavesift.emd(recording, modes=3)
    for data in (r.to_xarray(), wavesift.hht(r, freqs="4:40:12").to_xarray()):
        assert data.modes.dims == ("sensor", "mode", "time")
        for name in ("time", "sensor", "depth", "site"):
            assert data[name].equals(recording[name]), name
        total = data.modes.sum("mode") + data.residue
        assert numpy.allclose(total.transpose(*recording.dims), recording, atol=1e-12)
    data = wavesift.cwt(recording, freqs="4:40:6", quantity="power", decimate=4).to_xarray()
    assert (data.time.values == recording.time.values[::4]).all()
    assert data.power.sel(sensor="Pz", time="2020-03-01T12:00:01").shape[0] == 6


def test_epochs_come_back(x):
    xarray = pytest.importorskip("xarray")
    epochs = xarray.DataArray(numpy.stack([x, 2 * x, x[:, ::-1]]), dims=("trial", "channel", "t"),
                              coords={"trial": list("uvw"), "t": numpy.arange(600) / 200 - 1})
    data = wavesift.emd(epochs, modes=2).to_xarray()
    assert data.modes.dims == ("trial", "channel", "mode", "t")
    assert data.trial.equals(epochs.trial) and data.t.equals(epochs.t)
    r = wavesift.trials(epochs, freqs="4:40:6", baseline=(-0.8, -0.2, "db"))
    assert r.times[0] == -1 and r.to_xarray().total_power.dims == ("channel", "frequency", "t")
    swapped = epochs.transpose("channel", "t", "trial")
    same(wavesift.emd(swapped, modes=2), wavesift.emd(epochs, modes=2))


def test_tables_come_back(x, dates):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    index = pandas.DatetimeIndex(dates, name="when")
    data = wavesift.emd(pandas.DataFrame(x.T, index, list("abcd"))).to_xarray()
    assert data.modes.dims == ("channel", "mode", "when")
    assert list(data.channel.values) == list("abcd")
    assert (data.when.values == dates).all()


def test_dask(recording, monkeypatch):
    """Chunks of a DataArray, each by a plan that its worker keeps."""
    pytest.importorskip("dask")
    xarray = pytest.importorskip("xarray")
    from wavesift import _plan

    made = []
    monkeypatch.setattr(_plan.Plan, "_create", lambda self, create=_plan.Plan._create: (
        made.append(self.shape), create(self))[1])

    def bands(x):
        return wavesift.bands(x, fs=200, bands=[(4, 8), (8, 14)], threads=1).bands

    chunked = recording.transpose("sensor", "time").chunk(sensor=1)
    lazy = xarray.apply_ufunc(bands, chunked, input_core_dims=[["time"]],
                              output_core_dims=[["band", "time"]], dask="parallelized",
                              output_dtypes=[float],
                              dask_gufunc_kwargs={"output_sizes": {"band": 2}})
    assert not made or made == [(1, 1)]         # of what dask asks first
    done = lazy.compute(scheduler="synchronous")
    assert done.dims == ("sensor", "band", "time")
    assert numpy.array_equal(done, wavesift.bands(recording, bands=[(4, 8), (8, 14)]).bands)
    assert [shape for shape in made if shape == (1, 600)] == [(1, 600)]


def test_html(x):
    r = wavesift.emd(x, fs=200, channel_names=["<a>", "b", "c", "d"])
    text = r._repr_html_()
    assert "<td>modes</td>" in text and "oscillations, fastest first" in text and "200" in text
    assert "&lt;a&gt;" in text and "<a>" not in text and "sifts" in text
    plan = wavesift.Plan("cwt", (4, 600), fs=200)
    assert "<td>coefficients</td>" in plan._repr_html_() and "morlet" in plan._repr_html_()
