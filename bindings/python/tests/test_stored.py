"""Results handed over to hht: their modes are taken."""

import pathlib

import numpy
import pytest

import wavesift


def same(a, b, names):
    for name in names:
        assert a[name].dtype == b[name].dtype and a[name].shape == b[name].shape, name
        assert a[name].tobytes() == b[name].tobytes(), name


@pytest.mark.parametrize("precision", ["f64", "f32"])
@pytest.mark.parametrize("shape", [(600,), (4, 600), (2, 2, 600)])
def test_as_if_decomposed_here(x, shape, precision):
    y = x.ravel()[:numpy.prod(shape)].reshape(shape)
    r = wavesift.emd(y, 200, modes=4, precision=precision)
    ours = wavesift.hht(r)
    whole = wavesift.hht(y, 200, modes=4, precision=precision)
    assert set(ours.arrays) == set(whole.arrays) and ours.options["decomposition"] == "stored"
    # Of modes that are given nobody knows how many there might have been.
    assert not ours.capped.any() and whole.capped.tolist() == r.capped.tolist()
    same(ours, whole, set(whole.arrays) - {"capped"})
    assert ours.dims("modes") == r.dims("modes")
    assert wavesift.hht(r, decomposition="stored", parts="marginal").marginal.tobytes() == \
        whole.marginal.tobytes()


def test_bits_of_the_program(x, tmp_path, program):
    pytest.importorskip("h5py")
    numpy.save(tmp_path / "x.npy", x)
    program("ceemdan", tmp_path / "x.npy", "--fs", 200, "--realizations", 5, "-o",
            tmp_path / "r.h5")
    parts = "modes,spectrum,marginal,cycles,connectivity,holospectrum"
    program("hht", tmp_path / "r.h5", "--parts", parts, "--device", "cpu", "-o",
            tmp_path / "h.h5")
    theirs = wavesift.load(tmp_path / "h.h5")
    for lazy in (False, True):
        with wavesift.load(tmp_path / "r.h5", lazy=lazy) as r:
            ours = wavesift.hht(r, parts=parts, device="cpu")
        same(theirs, ours, theirs.arrays)
        for name in theirs.arrays:
            assert theirs.dims(name) == ours.dims(name)
        assert theirs.channel_names == ours.channel_names and ours.fs == 200
    ours.save(tmp_path / "ours.h5")
    again = wavesift.load(tmp_path / "ours.h5")
    same(again, theirs, theirs.arrays)
    for name in ("phase_locking", "holospectrum"):
        a, b = again.coordinates(name), theirs.coordinates(name)
        assert all(numpy.array_equal(a[k], b[k]) for k in a)


def test_refused(x):
    r = wavesift.emd(x, 200, modes=3)
    for given, words in (({"decomposition": "eemd"}, "has its modes already"),
                         ({"sifts": 5}, "mean nothing beside it"), ({"out": "y.h5"}, "save what")):
        with pytest.raises(ValueError, match=words):
            wavesift.hht(r, **given)
    with pytest.raises(ValueError, match=r"decomposition='stored' takes .* wavesift.hht\(r\)"):
        wavesift.hht(x, decomposition="stored")
    with pytest.raises(ValueError, match="x is a result of emd: cwt takes samples"):
        wavesift.cwt(r)
    with pytest.raises(ValueError, match="without signal, modes and residue"):
        wavesift.hht(wavesift.cwt(x, 200))


def test_axes(x):
    """Partners have the names of channels; modulations and bands are in Hz."""
    r = wavesift.hht(x.reshape(2, 2, 600), 200, modes=3, parts="connectivity,holospectrum")
    assert r.dims("phase_locking") == ("epoch", "channel", "mode", "partner")
    assert r.coordinates("phase_locking")["partner"] == ["ch1", "ch2"]
    assert r.dims("holospectrum")[-2:] == ("frequency", "modulation")
    b = wavesift.bands(x, 200, bands=[(4, 8), (8, 16)])
    assert b.dims("bands") == ("channel", "band", "time")
    assert numpy.allclose(b.axes["band"], numpy.sqrt([32, 128]))
    assert wavesift.cwt(x, 8, freqs=[1, 2, 3]).frequencies.dtype == "f8"
    pytest.importorskip("xarray")
    data = r.to_xarray()
    assert list(data["partner"].values) == ["ch1", "ch2"]
    assert data["modulation"].attrs["units"] == "Hz"
    assert b.to_xarray()["band"].attrs["units"] == "Hz"


def test_bands_of_the_program(x, tmp_path, program):
    pytest.importorskip("h5py")
    numpy.save(tmp_path / "x.npy", x)
    program("bands", tmp_path / "x.npy", "--fs", 200, "--bands", "4:8,8:16", "--precision", "f64",
            "--device", "cpu", "-o", tmp_path / "b.h5")
    ours = wavesift.bands(x, 200, bands=[(4, 8), (8, 16)], device="cpu")
    theirs = wavesift.load(tmp_path / "b.h5")
    assert theirs.method == "bands"
    same(theirs, ours, theirs.arrays)
    assert numpy.array_equal(theirs.axes["band"], ours.axes["band"])
    ours.save(tmp_path / "ours.h5")
    again = wavesift.load(tmp_path / "ours.h5")
    same(again, ours, theirs.arrays)
    assert again.dims("bands") == theirs.dims("bands") == ours.dims("bands")


@pytest.mark.parametrize("given, rows", [({}, 3), ({"quantity": "power"}, 2), ({"decimate": 4}, 3)])
def test_figure_of_bands(x, given, rows):
    plt = pytest.importorskip("matplotlib.pyplot")
    r = wavesift.bands(x, 200, bands=[(4, 8), (8, 16)], **given)
    figure = r.plot(channel=1)
    assert len(figure.axes) == rows and figure.axes[-1].get_xlabel() == "time (s)"
    assert figure.axes[-1].get_ylabel() == "8\u201316\nHz"
    array = r["power" if "quantity" in given else "bands"]
    assert numpy.array_equal(figure.axes[-1].get_lines()[0].get_ydata(), array[1, 1])
    plt.close(figure)


def test_directions_of_hht(x):
    turn = numpy.arange(16) * numpy.pi / 8 + 0.1
    circle = numpy.stack([numpy.cos(turn), numpy.sin(turn)], 1)
    r = wavesift.hht(x[:2], 200, decomposition="memd", direction_set=circle, modes=3)
    assert r.modes.tobytes() == wavesift.memd(x[:2], 200, direction_set=circle,
                                              modes=3).modes.tobytes()


def test_dates_of_months(tmp_path, program):
    """Exact days in the file, which time, of months of one length, has not."""
    h5py = pytest.importorskip("h5py")
    months = numpy.arange("1959-11", "1965-01", dtype="M8[M]")
    lines = ["month,v", *(f"{m},{numpy.sin(i / 3):.5f}" for i, m in enumerate(months))]
    (tmp_path / "m.csv").write_text("\n".join(lines) + "\n")
    program("emd", tmp_path / "m.csv", "-o", tmp_path / "m.h5", "-q")
    with h5py.File(tmp_path / "m.h5") as f:
        assert f["date"].attrs["units"] == "days since 1970-01-01"
        assert f["date"].dims[0].keys() == ["time"]
        days = numpy.datetime64("1970-01-01") + f["date"][()].astype("m8[D]")
    assert (days == months.astype("M8[D]")).all()
    assert "date" not in wavesift.load(tmp_path / "m.h5").arrays


EEG = pathlib.Path(__file__).parents[3] / "examples/data/eeg.edf"


@pytest.mark.parametrize("command", [("emd", "--epochs", "2-3"), ("hht",),
                                     ("cwt", "--freqs", "4:30:6", "--decimate", "5")])
@pytest.mark.parametrize("ending", ["npy", "mat"])
def test_results_of_other_files(tmp_path, program, command, ending):
    """The same result as from HDF5, by name."""
    pytest.importorskip("h5py")
    pytest.importorskip("scipy")
    name, *options = command
    source = EEG
    if "--epochs" in options:
        source = tmp_path / "epochs.npy"
        numpy.save(source, numpy.random.default_rng(3).normal(size=(3, 2, 300)))
    else:
        options += ["-c", "Cz,Fz", "--from", "2", "--to", "6"]
    for end in ("h5", ending):
        program(name, source, *options, "-o", tmp_path / f"r.{end}", "-q")
    known = wavesift.load(tmp_path / "r.h5")
    r = wavesift.load(tmp_path / f"r.{ending}", lazy=True)
    assert type(r) is type(known) and r.options == known.options and r.events == known.events
    assert (r.times == known.times).all() and r.channel_names == known.channel_names
    assert (r.fs, r.units, r.epochs) == (known.fs, known.units, known.epochs)
    assert ending == "npy" or set(r.arrays) == set(known.arrays)
    for array in r.arrays:
        assert r.dims(array) == known.dims(array) and r[array].dtype == known[array].dtype
        assert numpy.array_equal(r[array], known[array], equal_nan=known[array].dtype.kind == "f")
    for dim in known.axes:
        assert dim not in r.axes or numpy.array_equal(r.axes[dim], known.axes[dim])


@pytest.mark.parametrize("ending", ["h5", "npy", "mat"])
def test_dates(tmp_path, program, ending):
    """The clock at each sample, of every file; months by their first days."""
    for module in ("h5py", "scipy"):
        pytest.importorskip(module)
    months = numpy.arange("1959-11", "1965-01", dtype="M8[M]")
    hours = numpy.datetime64("2020-02-28T12:00") + numpy.arange(99).astype("m8[h]")
    for name, moments in (("m", months), ("h", hours)):
        lines = ["date,v", *(f"{m},{numpy.sin(i / 3):.5f}" for i, m in enumerate(moments))]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
        program("emd", tmp_path / f"{name}.csv", "-o", tmp_path / f"{name}.{ending}", "-q")
        assert (wavesift.load(tmp_path / f"{name}.{ending}").dates == moments).all()
    assert wavesift.emd(numpy.random.default_rng(1).normal(size=50)).dates is None


def test_files_of_others(tmp_path):
    numpy.save(tmp_path / "x.npy", numpy.zeros(50))
    with pytest.raises(wavesift.FileError, match="there is no .*x.npy.json"):
        wavesift.load(tmp_path / "x.npy")
    (tmp_path / "x.npy.json").write_text('{"format": "wavesift result", "shape": [49]}')
    with pytest.raises(wavesift.FileError, match="tells of another file"):
        wavesift.load(tmp_path / "x.npy")
    scipy = pytest.importorskip("scipy.io")
    scipy.savemat(tmp_path / "x.mat", {"x": numpy.zeros(5)})
    with pytest.raises(wavesift.FileError, match="no result of wavesift"):
        wavesift.load(tmp_path / "x.mat")
