"""Samples in any form give the bits that plain rows give, and what is no signal is refused."""

import pathlib
import warnings

import numpy
import pytest

import wavesift

ARRAYS = ("modes", "residue", "mode_count")


def same(a, b):
    for name in ARRAYS:
        assert a[name].shape == b[name].shape
        assert a[name].tobytes() == b[name].tobytes(), name


def forms():
    """The same samples lying otherwise."""
    def strided(x):
        wide = numpy.zeros((x.shape[0] * 2, x.shape[1] + 13))
        wide[::2, 5:5 + x.shape[1]] = x
        return wide[::2, 5:5 + x.shape[1]]

    def every_third(x):
        wide = numpy.zeros((x.shape[0], x.shape[1] * 3))
        wide[:, ::3] = x
        return wide[:, ::3]

    def read_only(x):
        x = x.copy()
        x.flags.writeable = False
        return x

    class Dlpack:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self, **keywords):
            return self.x.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    return {"strided": strided, "every_third": every_third, "read_only": read_only,
            "fortran": numpy.asfortranarray,
            "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
            "big_endian": lambda x: x.astype(">f8"), "list": lambda x: x.tolist(),
            "masked": numpy.ma.masked_array, "dlpack": Dlpack,
            "unaligned": lambda x: numpy.frombuffer(b"0" + x.tobytes(), numpy.uint8)[1:]
            .view(numpy.float64).reshape(x.shape)}


@pytest.mark.parametrize("form", forms())
def test_forms(x, form):
    same(wavesift.emd(forms()[form](x)), wavesift.emd(x))


def test_channels_and_epochs(x):
    whole = wavesift.emd(x)
    assert whole.modes.shape[:1] + whole.modes.shape[2:] == x.shape
    for i, row in enumerate(x):
        one = wavesift.emd(row)
        k = int(one.mode_count)
        assert one.modes.shape == (k, 600) and one.residue.shape == (600,)
        assert one.modes.tobytes() == whole.modes[i, :k].tobytes()
        assert not whole.modes[i, k:].any()
    epochs = wavesift.emd(x.reshape(2, 1, 2, 600))
    assert epochs.modes.shape == (2, 1, 2, whole.modes.shape[1], 600)
    assert epochs.modes.tobytes() == whole.modes.tobytes()


def test_epochs_of_memd(x):
    """Each epoch is decomposed by itself."""
    both = wavesift.memd(x.reshape(2, 2, 600), modes=3)
    for i in range(2):
        one = wavesift.memd(x[2 * i:2 * i + 2], modes=3)
        assert one.modes.tobytes() == both.modes[i, :, :one.modes.shape[1]].tobytes()


def test_broadcast(x):
    copies = numpy.broadcast_to(x[0], (3, 600))
    same(wavesift.emd(copies), wavesift.emd(numpy.array(copies)))


@pytest.mark.parametrize("dtype, made", [("f4", "f4"), ("f2", "f4"), ("i2", "f8"), ("u1", "f8"),
                                         ("f8", "f8"), ("?", "f8"), ("g", "f8")])
def test_precision(x, dtype, made):
    numbers = (x * 20).astype(dtype)
    r = wavesift.emd(numbers)
    assert r.modes.dtype == made
    same(r, wavesift.emd(numbers.astype(made)))


def test_precision_asked(x):
    same(wavesift.emd(x, precision="f32"), wavesift.emd(x.astype("f4")))
    with pytest.raises(ValueError, match="f32 or f64"):
        wavesift.emd(x, precision="f16")


def test_no_copy(x):
    r = wavesift.emd(x)
    assert numpy.shares_memory(r.signal, x)


LAYOUTS = {"emd": {}, "memd": {"directions": 8, "modes": 2, "threads": 1},
           "iceemdan": {"realizations": 2, "threads": 1},
           "conv": {"mask_formula": "morlet", "scales": "1:8:4", "method": "direct"},
           "cwt": {"freqs": "0.02:0.3:6"}}


@pytest.mark.parametrize("method", LAYOUTS)
def test_any_layout(x, method):
    hypothesis = pytest.importorskip("hypothesis")
    from hypothesis import strategies as st

    call = getattr(wavesift, method)

    @hypothesis.settings(max_examples=40, deadline=None)
    @hypothesis.given(st.data())
    def layouts(data):
        """Any slices and order of axes, of either precision, writeable or not, give what a
        contiguous copy gives."""
        block = numpy.tile(x[:, None, :120], (1, 3, 1)) * [[1], [2], [3]]
        block = block.astype(data.draw(st.sampled_from(["f4", "f8"])))
        axes = data.draw(st.permutations(range(3)))
        y = numpy.array(block.transpose(axes), order=data.draw(st.sampled_from("CF")))
        y = y.transpose(numpy.argsort(axes))
        cut = [data.draw(st.sampled_from([slice(None), slice(None, None, -1), slice(None, None, 2),
                                          slice(1, None)])) for _ in range(3)]
        y = y[tuple(cut)]
        y.flags.writeable = data.draw(st.booleans())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mine = call(y, device="cpu", **LAYOUTS[method])
            plain = call(numpy.array(y, order="C"), device="cpu", **LAYOUTS[method])
        for name in mine.arrays:
            assert mine[name].shape == plain[name].shape
            assert mine[name].tobytes() == plain[name].tobytes(), name

    layouts()


class OnGpu:
    __cuda_array_interface__ = {"shape": (10,), "version": 3}


class OnGpuByDlpack:
    def __dlpack__(self):
        raise AssertionError("not to be touched")

    def __dlpack_device__(self):
        return 2, 0


@pytest.mark.parametrize("bad, error, words", [
    (numpy.ones((2, 9)) * 1j, ValueError, "complex"),
    (numpy.array(["a", "b"]), ValueError, "type <U1"),
    (numpy.array([1, None], object), ValueError, r"type object: numbers .* x.astype\(float\)"),
    ("eeg.edf", ValueError, "name of a file: read it first"),
    (pathlib.Path("eeg.h5"), ValueError, r"wavesift.load\(x\)"),
    ([[1.0, 2.0, 3.0], [4.0]], ValueError, "unequal lengths"),
    (None, ValueError, "x is None"),
    ({"a": 1}, ValueError, "x is a dict"),
    (numpy.float64(3), ValueError, "single number"),
    (numpy.empty((3, 0)), ValueError, "no sample"),
    (numpy.ma.masked_less(numpy.arange(9.0), 3), ValueError, "masked"),
    (OnGpu(), NotImplementedError, "memory of a GPU as an array of test_signals"),
    (OnGpuByDlpack(), NotImplementedError, r"memory of device 2:0 \(DLPack\)"),
])
def test_refused(bad, error, words):
    with pytest.raises(error, match=words):
        wavesift.emd(bad)


@pytest.mark.parametrize("given, error, words", [
    ({"fs": "250 Hz"}, ValueError, "fs: a number of samples a second .* '250 Hz'"),
    ({"fs": [250]}, ValueError, r"fs: a number of samples a second .* \[250\]"),
    ({"fs": numpy.arange(600) / 200}, ValueError,
     r"fs: .* not an array \[600\]; of times t it is 1 / \(t\[1\] - t\[0\]\)$"),
    ({"threads": 10 ** 12}, ValueError, "threads: 1000000000000 is not 1 to 4096"),
    ({"arrays": 5}, ValueError, "arrays: names in a list are needed, not 5"),
    ({"modes": True}, TypeError, "modes: a whole number is needed, not True"),
    ({"modes": numpy.arange(1000)}, TypeError, r"modes: .* not an array \[1000\]$"),
    ({"spline": 3}, TypeError, "spline: one of not-a-knot, natural, pchip, akima is needed"),
    ({"threads": 1.5}, TypeError, "threads: a whole number is needed, not 1.5"),
    ({"arrays": "frequency"}, ValueError, r"names in a list are needed, as \['frequency'\]"),
    ({"out": numpy.zeros((4, 16, 600))}, ValueError, "out: arrays by name.* not ndarray"),
    ({"out": []}, ValueError, "out: arrays by name.* not list"),
])
def test_refused_arguments(x, given, error, words):
    with pytest.raises(error, match=words):
        wavesift.emd(x, **given)


def test_frequencies_without_a_rate(x):
    with pytest.raises(ValueError, match="above half .* 0.5 Hz; the rate is 1 Hz where no fs"):
        wavesift.cwt(x, freqs="4:40:12")


@pytest.mark.parametrize("value", [numpy.nan, numpy.inf])
def test_not_finite(x, value):
    """The place is told as Python counts it, in the axes of x."""
    x[2, 77] = value
    with pytest.raises(wavesift.SignalError, match=r"^x\[2, 77\] is not finite: mend"):
        wavesift.emd(x)
    with pytest.raises(wavesift.SignalError, match=r"^x\[77\] is not finite"):
        wavesift.cwt(x[2])
    for method in ("emd", "memd", "hht"):
        with pytest.raises(wavesift.SignalError, match=r"^x\[1, 0, 77\] is not finite"):
            getattr(wavesift, method)(x.reshape(2, 2, 600))


def test_not_finite_in_a_file(x, tmp_path):
    pytest.importorskip("h5py")
    x[2, 77] = numpy.nan
    with pytest.raises(wavesift.SignalError, match=r"^x\[1, 0, 77\] is not finite"):
        wavesift.emd(x.reshape(2, 2, 600), out=tmp_path / "r.h5")
    with pytest.raises(wavesift.SignalError, match=r"^x\[1, 0, 77\] is not finite"):
        wavesift.trials(x.reshape(2, 2, 600), out=tmp_path / "r.h5")


def test_wrong_axis(x):
    with pytest.warns(UserWarning, match="time is the last axis"):
        wavesift.emd(x.T.copy())
    with pytest.warns(UserWarning, match="x has 1 sample in each of 600 channels"):
        wavesift.emd(x[0][:, None])


def test_torch(x):
    torch = pytest.importorskip("torch")
    same(wavesift.emd(torch.from_numpy(x)), wavesift.emd(x))


def test_what_f32_does_not_hold(x):
    small = 1e-42 * x
    with pytest.raises(wavesift.ArgumentError, match="less than f32 holds; use precision 'f64'"):
        wavesift.cwt(small, 100, precision="f32")
    with pytest.raises(wavesift.ArgumentError, match="in row 1, 0,"):
        wavesift.cwt(numpy.stack([x, small])[:, :1], 100, precision="f32")
    assert abs(wavesift.cwt(small, 100).coefficients).max() > 1e-43
    # Zeros, f32's own numbers, and a signal of which something is left.
    wavesift.cwt(0 * x, 100, precision="f32")
    wavesift.cwt(small.astype("f4").astype("f8"), 100, precision="f32")
    mixed = small.copy()
    mixed[..., 5] = 1
    wavesift.cwt(mixed, 100, precision="f32")
