"""Results in files, data sets and figures."""

import copy
import importlib.util
import pickle

import numpy
import pytest

import wavesift


@pytest.fixture
def h5py():
    return pytest.importorskip("h5py")


OPTIONS = [
    ("emd", {}, []),
    ("emd", {"precision": "f32"}, ["--precision", "f32"]),
    ("emd", {"reference": "rilling"}, ["--reference", "rilling"]),
    ("eemd", {"realizations": 4, "pairs": True}, ["--realizations", 4, "--pairs"]),
    ("ceemdan", {"realizations": 3, "seed": 5}, ["--realizations", 3, "--seed", 5]),
    ("iceemdan", {"realizations": 3, "channel_noise": "independent"},
     ["--realizations", 3, "--channel-noise", "independent"]),
    ("memd", {"noise_channels": 1}, ["--noise-channels", 1]),
    ("memd", {"direction_set": "hammersley"}, ["--direction-set", "hammersley"]),
]


@pytest.mark.parametrize("method, given, flags", OPTIONS,
                         ids=[" ".join(map(str, [m, *f])) for m, _, f in OPTIONS])
def test_bits_of_the_program(x, tmp_path, h5py, program, method, given, flags):
    """Arrays, axes and facts are those of the program's file; each reads the other's."""
    numpy.save(tmp_path / "x.npy", x)
    program(method, tmp_path / "x.npy", "--fs", 200, *flags, "--device", "cpu", "-o",
            tmp_path / "program.h5")
    ours = getattr(wavesift, method)(x, fs=200, device="cpu", **given)
    ours.save(tmp_path / "ours.h5")
    with h5py.File(tmp_path / "program.h5") as a, h5py.File(tmp_path / "ours.h5") as b:
        assert set(a) == set(b)
        for name in a:
            if name in ("provenance", "checksums"):     # of these test_sums.py
                continue
            assert a[name].dtype == b[name].dtype and a[name].shape == b[name].shape, name
            if name not in ("channel",):
                assert a[name][()].tobytes() == b[name][()].tobytes(), name
            assert [list(d.keys()) for d in a[name].dims] == [list(d.keys()) for d in b[name].dims]
        facts, told = dict(b["provenance"].attrs), dict(a["provenance"].attrs)
        for key in facts.keys() - {"command", "title"}:
            assert told[key] == facts[key], key
        for key in set(a.attrs) - {"channel_names", "text_checksums"}:
            assert numpy.array_equal(a.attrs[key], b.attrs[key]), key
    theirs = wavesift.load(tmp_path / "program.h5")
    assert theirs.modes.tobytes() == ours.modes.tobytes()
    assert theirs.fs == 200 and theirs.method == method
    program("plot", tmp_path / "ours.h5", "-o", tmp_path / "ours.png")
    assert "1.000000" in program("compare", tmp_path / "ours.h5", tmp_path / "program.h5")


@pytest.mark.parametrize("shape", [(600,), (4, 600), (2, 2, 600), (2, 1, 2, 600)])
def test_round_trip(x, tmp_path, h5py, shape):
    y = x.ravel()[:numpy.prod(shape)].reshape(shape)
    r = wavesift.emd(y, fs=100)
    for compress in (0, 4):
        path = tmp_path / f"r{compress}.h5"
        r.save(path, compress=compress)
        again = wavesift.load(path)
        for name, array in again.arrays.items():
            assert array.tobytes() == r[name].tobytes(), name
            assert array.dtype == r[name].dtype
        assert again.fs == 100 and again.method == "emd" and again.options["sifts"] == 10
        again.save(path, overwrite=True)
        assert wavesift.load(path).modes.tobytes() == r.modes.tobytes()


@pytest.mark.skipif("cwt" not in wavesift.transforms(), reason="no wavelets in this library")
@pytest.mark.parametrize("decimate", [1, 4])
def test_round_trip_of_wavelets(x, tmp_path, h5py, decimate):
    """Complex arrays, arrays without channels, times of their own."""
    r = wavesift.cwt(x.reshape(2, 2, 600), fs=200, freqs=[40, 20, 10.5], decimate=decimate)
    assert r.coefficients.shape == (2, 2, 3, 600 // decimate) and r.scale.shape == (3,)
    assert numpy.allclose(r.times, numpy.arange(600 // decimate) * decimate / 200)
    r.save(tmp_path / "r.h5")
    again = wavesift.load(tmp_path / "r.h5")
    assert list(again.frequencies) == [40, 20, 10.5]
    assert numpy.array_equal(again.times, r.times)
    for name in r.arrays:
        assert again[name].dtype == r[name].dtype and again.dims(name) == r.dims(name)
        assert again[name].tobytes() == r[name].tobytes(), name
    one = wavesift.cwt(x[1], fs=200, freqs=[40, 20, 10.5], decimate=decimate)
    assert one.coefficients.tobytes() == r.coefficients[0, 1].tobytes()


def test_save_refused(x, tmp_path, h5py):
    r = wavesift.emd(x)
    r.save(tmp_path / "r.h5")
    with pytest.raises(OSError, match="exists; overwrite=True"):
        r.save(tmp_path / "r.h5")
    with pytest.raises(OSError, match="is no folder"):
        r.save(tmp_path / "nowhere" / "r.h5")
    (tmp_path / "r.h5").unlink()
    with pytest.raises(OSError, match="is a folder: give the file a name"):
        r.save(tmp_path, overwrite=True)
    r.save(tmp_path / "r.h5")
    assert [p.name for p in tmp_path.iterdir()] == ["r.h5"]


def test_other_formats_refused(x, tmp_path, h5py):
    """The program writes other formats by the name; nobody shall find HDF5 in them."""
    for name in ("r.npy", "r.MAT", "r.csv", "r.txt", "r"):
        with pytest.raises(wavesift.ArgumentError, match="ends in .h5"):
            wavesift.emd(x).save(tmp_path / name)
    with pytest.raises(wavesift.ArgumentError, match="ends in .h5"):
        wavesift.emd(x, out=tmp_path / "r.npy")
    assert not list(tmp_path.iterdir())


def test_load_refused(tmp_path, h5py):
    (tmp_path / "text.h5").write_text("no file of HDF5")
    with h5py.File(tmp_path / "other.h5", "w") as f:
        f["x"] = 1
    with h5py.File(tmp_path / "damaged.h5", "w") as f:
        f.attrs["format"] = "wavesift result"
    for name in ("text.h5", "other.h5", "damaged.h5", "missing.h5"):
        with pytest.raises(wavesift.FileError, match=name):
            wavesift.load(tmp_path / name)
    with pytest.raises(wavesift.FileError, match="no HDF5; recordings are read by other packages"):
        wavesift.load(tmp_path / "text.h5")


def test_pickle(x):
    r = wavesift.emd(x, fs=200)
    again = pickle.loads(pickle.dumps(r))
    assert again.modes.tobytes() == r.modes.tobytes() and again.options == r.options
    assert copy.deepcopy(r).provenance == r.provenance


def test_names(x):
    r = wavesift.emd(x, fs=200)
    assert "modes" in r and "imfs" not in r
    with pytest.raises(KeyError, match="here it is 'modes'"):
        r["imfs"]
    with pytest.raises(TypeError, match="not unpacked: its arrays have names, r.signal, r.modes"):
        modes, residue = r
    with pytest.raises(AttributeError, match="here it is 'modes'"):
        r.imfs
    with pytest.raises(AttributeError, match="but signal, modes"):
        r.nothing
    assert "modes" in repr(r) and "modes" in dir(r)
    assert r.dims("modes") == ("channel", "mode", "time")
    assert r.times[1] == 1 / 200


def test_xarray(x):
    pytest.importorskip("xarray")
    r = wavesift.emd(x.reshape(2, 2, 600), fs=200)
    data = r.to_xarray()
    assert data["modes"].dims == ("epoch", "channel", "mode", "time")
    assert data["modes"].values.tobytes() == r.modes.tobytes()
    assert data["time"].values[-1] == 599 / 200 and data["time"].attrs["units"] == "s"
    assert list(data["channel"].values) == ["ch1", "ch2"]


def test_plot(x, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    r = wavesift.emd(x.reshape(2, 2, 600), fs=200)
    figure = r.plot(channel=1, epoch=1)
    with pytest.raises(wavesift.ArgumentError, match="epoch 2: there are 2"):
        r.plot(0, 2)
    with pytest.raises(wavesift.ArgumentError, match="epoch 3: there is 1"):
        wavesift.emd(x[0]).plot(0, 3)
    count = int(r.mode_count[1, 1])
    assert len(figure.axes) == count + 2
    lines = [axes.get_lines()[0].get_ydata() for axes in figure.axes]
    assert numpy.array_equal(lines[1], r.modes[1, 1, 0])
    assert figure.axes[-1].get_xlabel() == "time (s)"
    assert figure.axes[1].get_ylabel().startswith("IMF 1\n")
    with pytest.raises(ValueError, match="there are 2"):
        r.plot(channel=7)
    with pytest.raises(ValueError, match="channel: a whole number is needed, not 1.0"):
        r.plot(1.0)
    with pytest.raises(ValueError, match="'Cz': there are ch1, ch2"):
        r.plot("Cz")
    matplotlib.pyplot.close("all")


# ---- Edited results -----------------------------------------------------------------------------

def test_edited(x, tmp_path):
    """What is assigned is what r has, and what is saved and taken further."""
    r = wavesift.emd(x, fs=200, modes=3)
    before, other = r.modes.copy(), copy.copy(r)
    r.modes = r.modes * 0
    assert not r.modes.any() and r["modes"] is r.arrays["modes"] is r.modes
    assert numpy.array_equal(other.modes, before) and "edited" not in other.provenance
    r["residue"] = r.residue.astype("f4")
    assert r.residue.dtype == "f8" and r.provenance["edited"] == "modes, residue"
    r.save(tmp_path / "r.h5")
    again = wavesift.load(tmp_path / "r.h5")
    assert not again.modes.any() and numpy.array_equal(again.residue, r.residue)
    assert again.provenance["edited"] == "modes, residue"
    assert not pickle.loads(pickle.dumps(r)).modes.any()
    if importlib.util.find_spec("xarray"):
        assert not r.to_xarray()["modes"].any()
    made = wavesift.hht(r, freqs="1:50:10")
    assert not made.spectrum.any() and made.provenance["edited"] == "modes, residue"
    assert wavesift.hht(other, freqs="1:50:10").spectrum.any()


def test_edited_of_a_file(x, tmp_path):
    wavesift.emd(x, fs=200, modes=3).save(tmp_path / "r.h5")
    with wavesift.load(tmp_path / "r.h5", lazy=True) as r:
        r.modes = r.modes[()] * 2
        r.save(tmp_path / "twice.h5")
        assert numpy.array_equal(wavesift.load(tmp_path / "twice.h5").modes, r.modes)


@pytest.mark.parametrize("value, words", [
    (numpy.zeros((4, 2, 600)), r"modes: \[4, 3, 600\] of float64 are needed, not \[4, 2, 600\]"),
    (numpy.zeros((4, 3, 600), complex), "not .* of complex128"), (None, "of object")])
def test_no_edit(x, value, words):
    r = wavesift.emd(x, fs=200, modes=3)
    with pytest.raises(wavesift.ArgumentError, match=words):
        r.modes = value
    assert "edited" not in r.provenance


def test_assigned_to_no_array(x):
    r = wavesift.emd(x, fs=200, modes=3)
    with pytest.raises(AttributeError, match="here it is 'modes'; nothing else can be assigned"):
        r.imfs = r.modes
    with pytest.raises(AttributeError, match="no 'mode', but signal, modes"):
        r.mode = 0
    with pytest.raises(KeyError):
        r["mode"] = 0
    with pytest.raises(AttributeError):
        r.times = numpy.arange(600)
    r.channel_names, r.units = list("abcd"), ["V"] * 4      # what it has besides
    assert r.coordinates("modes")["channel"] == list("abcd")
