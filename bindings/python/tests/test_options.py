"""Functions follow from the table of transforms: options, their words, and what is said of them."""

import inspect
import re

import numpy
import pytest

import wavesift
from wavesift import _rows


def test_every_row_is_a_function():
    for row in _rows.ROWS.values():
        function = getattr(wavesift, row.name)
        known = inspect.signature(function).parameters
        assert all(o.name in known for o in row.options)
        for o in row.options:
            assert f"\n{o.name} : " in function.__doc__
        assert not re.search(r"--[a-z]", function.__doc__)
        assert row.name in wavesift.__all__ and row.name in wavesift.transforms()


def test_in_force(x):
    r = wavesift.iceemdan(x, realizations=4, noise=0.3, snr="constant", seed=9,
                          stop_rule=("rilling", 0.04, 0.4, 0.04), modes=3)
    assert r.options == {**r.options, "realizations": 4, "noise": 0.3, "snr": "constant",
                         "seed": 9, "modes": 3, "boundary": "mirror",
                         "stop_rule": "rilling:0.04,0.4,0.04"}
    assert wavesift.eemd(x, realizations=2, pairs=True).options["pairs"] is True


def test_ways_to_say_it(x):
    a = wavesift.emd(x, stop_rule="fixed:5")
    for other in (wavesift.emd(x, sifts=5), wavesift.emd(x, sifts=numpy.int16(5)),
                  wavesift.emd(x, stop_rule=("fixed", 5)), wavesift.emd(x, sifts=5.0)):
        assert other.modes.tobytes() == a.modes.tobytes()
    assert wavesift.emd(x, modes=None).modes.tobytes() == wavesift.emd(x).modes.tobytes()
    noiseless = wavesift.eemd(x, noise=0, realizations=2, modes=4)
    assert noiseless.options["noise"] == 0


@pytest.mark.parametrize("given, error, words", [
    ({"max_imf": 3}, TypeError, "here it is modes"),
    ({"boundry": "mirror"}, TypeError, "did you mean 'boundary'"),
    ({"nonsense": 1}, TypeError, "its options are reference, modes"),
    ({"boundary": "round"}, ValueError, "boundary: must be mirror"),
    ({"modes": 0}, ValueError, "modes: a whole number from 1 to 1000"),
    ({"modes": 2.5}, TypeError, "modes: a whole number is needed, not 2.5"),
    ({"modes": "x"}, TypeError, "modes: a whole number"),
    ({"stop_rule": "sd:a"}, ValueError, "stop_rule: its parameters"),
    ({"max_sifts": 9}, ValueError, "max_sifts means nothing where the sifts are fixed; "
     "add stop_rule"),
    ({"fs": 0}, ValueError, "fs: a number"),
    ({"fs": True}, ValueError, "fs: a number of samples a second above 0 is needed, not True"),
    ({"fs": float("nan")}, ValueError, "fs: a number"),
    ({"device": "cuda:99"}, RuntimeError, "."),
    ({"threads": -2}, ValueError, "threads: -2 is not 1 to 4096, nor -1, which is all"),
    ({"arrays": ["imfs"]}, ValueError, "makes no array 'imfs'"),
])
def test_refused(x, given, error, words):
    with pytest.raises(error, match=words):
        wavesift.emd(x, **given)


class Column:
    """As of a table of pandas."""

    def __init__(self, values):
        self.values = numpy.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values


@pytest.mark.parametrize("method, option, given, text", [
    ("cwt", "freqs", Column([4, 8]), "4,8"),
    ("cwt", "freqs", numpy.array(10.0), "10"),
    ("bands", "bands", [(4, 8), (8, 13.5)], "4:8,8:13.5"),
    ("bands", "bands", numpy.array([[4, 8], [8, 13]]), "4:8,8:13"),
    ("hht", "parts", ["modes", "marginal"], "modes,marginal"),
    ("hht", "freqs", (1, 45, 88, "lin"), "1:45:88:lin"),
    ("cwt", "freqs", (4, 40, 5, "lin"), "4:40:5:lin"),
    ("cwt", "freqs", (4, 8, 12.5), "4,8,12.5"),
    ("cwt", "wavelet", ("morse", 20, 3), "morse:20,3"),
    ("superlets", "order", (1, 10), "1:10"),
    ("superlets", "order", (5,), "5"),
])
def test_sequences(method, option, given, text):
    a, b = (wavesift.Plan(method, 600, 200, **{option: value}).options for value in (given, text))
    assert a == b


def test_one_line(x):
    with pytest.raises(wavesift.Error) as caught:
        wavesift.emd(x, threads=-2)
    assert "\n" not in str(caught.value) and ".c:" not in str(caught.value)


def test_unfinished(x):
    with pytest.warns(UserWarning, match="cut off by max_sifts"):
        wavesift.emd(x, stop_rule="rilling", max_sifts=2)


def test_noise_of_the_caller(x):
    noise = numpy.random.default_rng(1).standard_normal((4, 600))
    a = wavesift.iceemdan(x, noise_file=noise, realizations=4, modes=3)
    b = wavesift.iceemdan(x, noise_file=-noise, realizations=4, modes=3)
    assert a.modes.tobytes() != b.modes.tobytes()
    assert a.provenance["noise_file"] == "an array"
    assert len(a.provenance["noise_file_sha256"]) == 64
    with pytest.raises(ValueError, match=r"noise_file: \[8, 600\]"):
        wavesift.iceemdan(x, noise_file=noise, realizations=8)
    with pytest.raises(ValueError, match="seed and noise_file contradict"):
        wavesift.iceemdan(x, noise_file=noise, realizations=4, seed=1)


def test_directions_of_the_caller(x):
    turn = numpy.arange(16) * numpy.pi / 8 + 0.1
    circle = numpy.stack([numpy.cos(turn), numpy.sin(turn)], 1)
    r = wavesift.memd(x[:2], direction_set=circle, modes=3)
    assert r.options["directions"] == 16
    again = wavesift.memd(x[:2], direction_set=2 * circle, modes=3)
    assert again.modes.tobytes() == r.modes.tobytes()
    assert wavesift.memd(x[:2], direction_set="hammersley", modes=3).options[
        "direction_set"] == "hammersley"
    with pytest.raises(ValueError, match="vectors of 2 channels"):
        wavesift.memd(x, direction_set=circle)
    for order in ({"direction_set": circle, "directions": 8},
                  {"directions": 8, "direction_set": circle}):
        with pytest.raises(ValueError, match="16 directions, not 8"):
            wavesift.memd(x[:2], **order)


def correlated(x, mask):
    """By its definition in conv.h."""
    n, half = len(x), len(mask) // 2
    wide = numpy.concatenate([numpy.zeros(half), x, numpy.zeros(len(mask))])
    return numpy.array([wide[i:i + len(mask)] @ mask for i in range(n)])


def test_masks_of_the_caller(x, tmp_path):
    rng = numpy.random.default_rng(2)
    masks = [rng.standard_normal(7), rng.standard_normal(4)]
    r = wavesift.conv(x, masks=masks, method="direct")
    assert r.responses.shape == (4, 2, 600) and r.responses.dtype == "f8"
    for i, mask in enumerate(masks):
        assert numpy.allclose(r.responses[1, i], correlated(x[1], mask), atol=1e-13)
    padded = numpy.full((2, 7), numpy.nan)
    padded[0], padded[1, :4] = masks
    numpy.save(tmp_path / "m.npy", padded)
    for same in (padded, padded.tolist(), tmp_path / "m.npy"):
        again = wavesift.conv(x, masks=same, method="direct")
        assert again.responses.tobytes() == r.responses.tobytes()
    wave = masks[0] + 1j * rng.standard_normal(7)
    c = wavesift.conv(x, masks=[wave], method="direct")
    assert c.responses.dtype == "c16"
    assert numpy.allclose(c.responses[2, 0], correlated(x[2], wave.real)
                          + 1j * correlated(x[2], wave.imag), atol=1e-13)
    for bad, words in (([], "rows of numbers"), (["a"], "rows of numbers"),
                       ([[1.0, numpy.inf]], "finite"), (3.0, "rows of numbers")):
        with pytest.raises(ValueError, match=words):
            wavesift.conv(x, masks=bad)
    with pytest.raises(ValueError, match="no masks"):
        wavesift.conv(x)


def test_masks_of_the_program(x, tmp_path, program):
    h5py = pytest.importorskip("h5py")
    numpy.save(tmp_path / "x.npy", x)
    rows = numpy.random.default_rng(2).standard_normal((3, 9))
    rows[1, 5:] = numpy.nan
    numpy.save(tmp_path / "m.npy", rows)
    program("conv", tmp_path / "x.npy", "--masks", tmp_path / "m.npy", "--method", "direct", "-o",
            tmp_path / "r.h5")
    ours = wavesift.conv(x, masks=rows, method="direct")
    with h5py.File(tmp_path / "r.h5") as f:
        assert f["conv/responses"][()].tobytes() == ours.responses.tobytes()
    theirs = wavesift.load(tmp_path / "r.h5")
    assert theirs.method == "conv" and theirs.responses.tobytes() == ours.responses.tobytes()


@pytest.mark.parametrize("method, key, words", [
    ("emd", "thread", "did you mean 'threads'"),
    ("emd", "Device", "did you mean 'device'"),
    ("emd", "dtype", "here it is precision"),
    ("emd", "T", r"here it is fs=1 / \(T\[1\] - T\[0\]\)"),
    ("emd", "max_iters", "here it is max_sifts"),
    ("emd", "seed", "seed is an option of eemd, ceemdan, iceemdan, memd"),
    ("emd", "trials", "realizations is an option of eemd, ceemdan"),
    ("emd", "realisations", "did you mean 'realizations', of eemd, ceemdan"),
    ("cwt", "fmin", "here it is freqs"),
    ("cwt", "w0", "here it is cycles"),
    ("emd", "zzz", "its options are reference, modes, .*; and device, threads"),
])
def test_words_of_others(x, method, key, words):
    with pytest.raises(TypeError, match=rf"{method}\(\) has no option '{key}'.*{words}"):
        getattr(wavesift, method)(x, **{key: 1})


def test_hints_are_of_options():
    """What stands for another package's word is an option of some function."""
    from wavesift import _options

    known = {"fs", *_options.SHARED, *_options._rows_of_options()}
    for theirs, ours in _options._ELSEWHERE.items():
        assert ours.partition("=")[0] in known, theirs
        assert theirs not in known, theirs


def test_names_of_others():
    with pytest.raises(AttributeError, match="'CEEMDAN': here it is wavesift.ceemdan"):
        wavesift.CEEMDAN
    with pytest.raises(AttributeError, match="'sift': here it is wavesift.emd"):
        wavesift.sift
    with pytest.raises(AttributeError, match="no attribute 'nonsense'$"):
        wavesift.nonsense


def test_plan(x):
    plan = wavesift.Plan("emd", x.shape, fs=200, modes=4)
    r = plan(x)
    assert r.modes.tobytes() == wavesift.emd(x, modes=4).modes.tobytes()
    assert r.fs == 200 and plan.full_shape("modes") == (4, 4, 600)
    assert plan.seconds > 0 and "emd" in plan.describe()
    with pytest.raises(ValueError, match=r"x is \[4, 500\], but the plan is for \[4, 600\]"):
        plan(x[:, :500])
    with pytest.raises(ValueError, match="must be one of emd"):
        wavesift.Plan("edm", 10)
    for shape in (100.5, (2.7, 100), "123", x):
        with pytest.raises(ValueError, match="shape: whole numbers are needed, not .{,30}$"):
            wavesift.Plan("emd", shape)
    with pytest.raises(TypeError, match="a plan takes out when it is run"):
        wavesift.Plan("emd", 10, out={})


def test_out(x):
    plan = wavesift.Plan("emd", x.shape)
    room = numpy.full(plan.full_shape("modes"), numpy.nan)
    r = plan(x, out={"modes": room})
    assert numpy.shares_memory(r.modes, room)
    assert r.modes.tobytes() == wavesift.emd(x).modes.tobytes()
    assert not room[:, r.modes.shape[1]:].any()
    room.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        plan(x, out={"modes": room})
    with pytest.raises(ValueError, match=r"out\['residue'\]: an array \[4, 600\] of float64"):
        plan(x, out={"residue": numpy.empty((4, 600), "f4")})
    with pytest.raises(ValueError, match="gaps"):
        plan(x, out={"residue": numpy.empty((600, 4)).T})


def test_arrays(x):
    r = wavesift.emd(x, fs=200, arrays=["band_low"])
    assert set(r.arrays) == {"signal", "modes", "residue", "mode_count", "band_low"}
    assert r.band_low.tobytes() == wavesift.emd(x, fs=200).band_low.tobytes()
