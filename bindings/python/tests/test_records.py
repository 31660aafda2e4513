"""Results keep every array and every option, whole, in files of this package and of the program."""

import json
import warnings

import numpy
import pytest

import wavesift
from wavesift import _options

h5py = pytest.importorskip("h5py")

LONG = [float(f) for f in numpy.geomspace(2, 200, 40)]
CYCLES = [float(n) for n in numpy.linspace(3, 12, 29)] + [12.5]

# Of each transform, options of every kind.
GIVEN = [
    ("emd", {}), ("emd", {"sifts": 7}), ("emd", {"stop_rule": "rilling:0.06,0.6,0.04"}),
    ("emd", {"stop_rule": ("s-number", 5), "max_sifts": 40, "check_every": 2, "modes": 4}),
    ("emd", {"reference": "rilling"}), ("emd", {"boundary": "periodic", "spline": "akima"}),
    ("eemd", {"realizations": 4, "pairs": True, "noise": 0.0}),
    ("eemd", {"realizations": 4, "seed": 2**63 - 1, "channel_noise": "independent"}),
    ("ceemdan", {"realizations": 3, "snr": "constant", "noise": 0.1}),
    ("iceemdan", {"realizations": 3, "reference": "colominas"}),
    ("memd", {"noise_channels": 1, "noise_power": 0.1, "seed": 3}),
    ("memd", {"direction_set": "hammersley", "directions": 32, "stop_rule": "fix-h:3"}),
    ("hht", {"parts": ["modes", "spectrum"], "freqs": "1:40:20:lin", "exclude": "outliers"}),
    ("hht", {"decomposition": "eemd", "realizations": 3, "limits": None, "confidence": 0.95,
             "significance": "wu-huang"}),
    ("cwt", {"freqs": LONG, "fs": 1000}),
    ("cwt", {"freqs": LONG[:30], "cycles": CYCLES, "fs": 1000}),
    ("cwt", {"octave_arrays": True, "quantity": "power"}),
    ("cwt", {"wavelet": ("morse", 20, 3.3), "significance": "ar1:0.71", "level": 0.9}),
    ("bands", {"bands": [(a, a + 0.7) for a in LONG[:25]]}),
    ("superlets", {"order": (1, 7.3), "freqs": LONG[:9], "set": "additive"}),
    ("trials", {"baseline": (-0.123456789012345, 0.3), "tmin": -0.5, "freqs": LONG[:9]}),
    ("hhtrials", {"averages": ["total", "evoked"], "freqs": "4:40:12"}),
    ("coherence", {"against": 2, "freqs": LONG[:9]}),
    ("conv", {"mask_expression": "exp(-(x/s)^2/2)*cos(0.10*x/s)" + "+0*x" * 100,
              "scales": "1:4:4", "mask_constants": "w=5", "flip": True}),
]


def made(x, method, given):
    given = dict(given)
    return getattr(wavesift, method)(
        x.reshape(2, 2, 600) if method in ("trials", "hhtrials") else x,
        fs=given.pop("fs", 200), device="cpu", **given)


@pytest.mark.parametrize("method, given", GIVEN, ids=[f"{m} {' '.join(g)}" for m, g in GIVEN])
def test_saved(x, tmp_path, method, given):
    """Every array and every option is the same after save and load, and after once more."""
    r = made(x, method, given)
    r.save(tmp_path / "r.h5")
    once = wavesift.load(tmp_path / "r.h5")
    once.save(tmp_path / "once.h5")
    for again in (once, wavesift.load(tmp_path / "once.h5")):
        assert again.options == r.options
        assert list(map(type, again.options.values())) == list(map(type, r.options.values()))
        assert set(again.arrays) == set(r.arrays) and again.method == method
        for name, array in r.arrays.items():
            assert again[name].tobytes() == numpy.ascontiguousarray(array).tobytes(), name
            assert again[name].dtype == array.dtype
        assert again.provenance == r.provenance


def test_every_transform():
    assert {m for m, _ in GIVEN} == set(wavesift.transforms())


def test_figures_of_modes(x, tmp_path, program):
    """Those that only reports had are in files, too, of the program as well."""
    r = wavesift.emd(x, fs=200, stop_rule="cauchy:0.001", max_sifts=5)
    assert r.unfinished.any()
    r.save(tmp_path / "r.h5")
    numpy.save(tmp_path / "x.npy", x)
    program("emd", tmp_path / "x.npy", "--fs", 200, "--stop-rule", "cauchy:0.001", "--max-sifts", 5,
            "-o", tmp_path / "p.h5", "-q")
    for path in ("r.h5", "p.h5"):
        again = wavesift.load(tmp_path / path)
        for name in ("sifts", "unfinished", "residue_share"):
            assert again[name].tobytes() == r[name].tobytes(), name
        assert again.options == r.options


def test_events_stay(x, tmp_path, program):
    """Those of the program's file are in that which load() and save() make of it."""
    numpy.save(tmp_path / "x.npy", x)
    (tmp_path / "e.csv").write_text('onset,duration,label\n0,0.5,"go, left"\n1.25,0,\u00b5\n')
    program("emd", tmp_path / "x.npy", "--fs", 200, "--events", tmp_path / "e.csv", "-q",
            "-o", tmp_path / "p.h5")
    told = [(0.0, 0.5, "go, left", None, 0.0), (1.25, 0.0, "\u00b5", None, 1.25)]
    r = wavesift.load(tmp_path / "p.h5")
    assert r.events == told
    r.save(tmp_path / "r.h5")
    assert wavesift.load(tmp_path / "r.h5", lazy=True).events == told
    program("info", "--verify", tmp_path / "r.h5")
    listed = [json.loads(program("info", "--json", tmp_path / name))["events"]
              for name in ("p.h5", "r.h5")]
    assert listed[0] == listed[1] and len(listed[0]) == 2
    r.events = [(0.0, 0.5, "go", 1, -0.5), (1.0, 0.0, "left")]      # the user's own
    r.save(tmp_path / "s.h5")
    assert wavesift.load(tmp_path / "s.h5").events == [(0.0, 0.5, "go", 1, -0.5),
                                                       (1.0, 0.0, "left", None, 1.0)]
    # Where there are none, a file has none.
    wavesift.emd(x, fs=200).save(tmp_path / "n.h5")
    assert wavesift.load(tmp_path / "n.h5").events == []


def test_icwt_of_many_frequencies():
    """The same comes back as of the same frequencies by their range; it was refused, or wrong."""
    fs, n = 1000, 2000
    x = numpy.random.default_rng(5).standard_normal(n)
    r = wavesift.cwt(x, fs, freqs=numpy.geomspace(2, 200, 40), precision="f64")
    assert r.options["freqs"].count(",") == 39 and len(r.options["freqs"]) > 600
    by_range = wavesift.icwt(wavesift.cwt(x, fs, freqs="2:200:40", precision="f64"))
    assert abs(wavesift.icwt(r) - by_range).max() < 1e-12
    # A number that was cut is a number, too.
    cycles = [3.25] * 29 + [12.5]
    r = wavesift.cwt(x, fs, freqs=LONG[:30], cycles=cycles, precision="f64")
    assert r.options["cycles"] == ",".join(map(str, cycles))
    assert numpy.allclose(r.axes["frequency"], LONG[:30], rtol=1e-12)


def test_icwt_of_files(tmp_path, program):
    """As of the result in hand: of the package's file and of the program's."""
    fs, freqs = 500, numpy.geomspace(3, 150, 30)
    x = numpy.random.default_rng(3).standard_normal((1, 1500))
    cycles = [*numpy.linspace(4.1, 8.9, 29), 12.5]
    numpy.save(tmp_path / "x.npy", x)
    r = wavesift.cwt(x, fs, freqs=freqs, cycles=cycles, precision="f64")
    want = wavesift.icwt(r)
    r.save(tmp_path / "r.h5")
    freqs, cycles = (",".join(repr(float(v)) for v in values) for values in (freqs, cycles))
    program("cwt", tmp_path / "x.npy", "--fs", fs, "--freqs", freqs, "--cycles", cycles,
            "--precision", "f64", "-q", "-o", tmp_path / "p.h5")
    for path in ("r.h5", "p.h5"):
        again = wavesift.load(tmp_path / path)
        assert again.options["cycles"].endswith(",12.5")
        assert again.options == r.options
        assert wavesift.icwt(again).tobytes() == want.tobytes(), path
    program("plot", tmp_path / "r.h5", "-o", tmp_path / "r.png", "-q")


def test_arrays_given(x, tmp_path):
    """Of an array that was given, the record has where it came from."""
    noise = numpy.random.default_rng(1).standard_normal((4, 600))
    numpy.save(tmp_path / "w.npy", noise)
    for given, told in ((noise, "an array"), (tmp_path / "w.npy", str(tmp_path / "w.npy"))):
        r = wavesift.eemd(x, realizations=4, noise_file=given)
        assert r.options["noise_file"] == told
        r.save(tmp_path / "r.h5", overwrite=True)
        assert wavesift.load(tmp_path / "r.h5").options == r.options
        assert len(r.provenance["noise_file_sha256"]) == 64


def test_thousands_of_channels(tmp_path):
    """Names of more channels than an attribute of HDF5's oldest format holds."""
    names = [f"channel number {i}" for i in range(6000)]
    r = wavesift.emd(numpy.zeros((6000, 8)), fs=1)
    r.channel_names = names
    r.save(tmp_path / "r.h5")
    assert wavesift.load(tmp_path / "r.h5").channel_names == names


def test_keys_are_apart():
    """No option has the name of another fact."""
    from wavesift._rows import ROWS

    others = {"title", "options", "command", "transform", "input", "input_format", "input_sha256",
              "epochs", "epochs_at", "tmin", "tmax", "nan", "version", "numerics_version",
              "backend", "device", "device_model", "isa", "threads", "precision", "interpolated",
              "seconds"}
    for row in ROWS.values():
        keys = {o.flag_name.replace("-", "_") for o in row.options}
        assert not keys & others
        assert _options.recorded(row.options, {}).keys() == {o.name for o in row.options}


MORE = "all that there are by default, and the residue oscillates still; modes=K asks for more"


def test_most_modes(tmp_path):
    """That the default number of modes was met is told, to who has not asked for it: by every
    method and way to make modes."""
    few = {"realizations": 3, "noise": 2.0}
    x = numpy.array([[1], [2], [8]]) * numpy.sin(numpy.arange(16.0) ** 2 * 0.9 / 16)
    with pytest.warns(UserWarning, match=f"3 of 3 signals: 4 modes are {MORE}"):
        r = wavesift.ceemdan(x, fs=1, **few)
    assert r.capped.tolist() == [1, 1, 1]
    with pytest.warns(UserWarning, match=f"3 of 3 signals: 4 modes are {MORE}"):
        with wavesift.ceemdan(x, fs=1, **few, out=str(tmp_path / "x.h5")) as stored:
            assert stored.capped[:].tolist() == [1, 1, 1]
    with pytest.warns(UserWarning, match=f"3 of 3 signals: 4 modes are {MORE}"):
        r = wavesift.hht(x, 1, decomposition="ceemdan", freqs="0.1:0.4:4", **few)
    assert r.capped.tolist() == [1, 1, 1]
    with pytest.warns(UserWarning, match=f"9 decompositions: 4 modes are {MORE}"):
        r = wavesift.hhtrials(numpy.stack([x] * 3), 1, decomposition="ceemdan", averages="total",
                              freqs="0.1:0.4:4", **few)
    assert r.capped.tolist() == [3, 3, 3]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wavesift.ceemdan(x, fs=1, modes=4, **few).capped.tolist() == [1, 1, 1]
        r = wavesift.emd(x, fs=1)
        assert not r.capped.any() and not wavesift.hht(r).capped.any()
        wavesift.ceemdan(numpy.zeros((2, 16)), fs=1, **few)
