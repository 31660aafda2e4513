"""Arrays in a GPU's memory, as CuPy and PyTorch have them, by stand-ins for these and for the GPU's
backend; test_gpu.py does the same with the real ones."""

import os
import sys
import threading
import time

import numpy
import pytest

import gpu_doubles
import wavesift
from wavesift import _context, _plan
from wavesift import _library as c

BUILD = os.path.dirname(os.path.abspath(c.path))
# The CPU's engine in the place of a GPU's; and the same with the GPU's kernels of Hilbert-Huang
# spectra, run as fibers.
FAKE, LANES = (os.path.join(BUILD, folder, "libwavesift_cuda.so") for folder in ("fake", "lanes"))


@pytest.fixture(params=["cupy", "torch"])
def put(request, monkeypatch):
    """put(x): x as that library's array."""
    backend = LANES if request.node.get_closest_marker("lanes") else FAKE
    if not os.path.exists(backend):
        pytest.skip(f"{backend} is missing: build {os.path.basename(os.path.dirname(backend))}"
                    "_backend")
    module = getattr(gpu_doubles, request.param)()
    monkeypatch.setitem(sys.modules, request.param, module)
    monkeypatch.setattr(_context, "_backend", lambda: os.fsencode(backend))
    monkeypatch.setattr(_context, "_contexts", {})
    monkeypatch.setattr(_plan, "_kept", type(_plan._kept)())
    array = {"cupy": gpu_doubles.CupyArray, "torch": gpu_doubles.TorchTensor}[request.param]

    def make(x):
        return array(x)
    make.array = array
    return make


@pytest.mark.parametrize("method", ["emd", "eemd", "ceemdan", "iceemdan", "memd"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_bits(x, put, method, dtype):
    given = {} if method in ("emd", "memd") else {"realizations": 4}
    x = x.astype(dtype)
    host = getattr(wavesift, method)(x, fs=200, device="cpu", modes=4, **given)
    r = getattr(wavesift, method)(put(x), fs=200, modes=4, **given)
    assert r.device == "cuda:0"
    assert isinstance(r.modes, put.array) and isinstance(r.residue, put.array)
    assert isinstance(r.mode_count, numpy.ndarray) and r.signal.a is not None
    for name in ("modes", "residue"):
        assert r[name].a.shape == host[name].shape
        assert r[name].a.tobytes() == host[name].tobytes()
    assert numpy.array_equal(r.mode_count, host.mode_count)
    assert "frequency" not in r


def test_no_copy(x, put, monkeypatch):
    """The library is told the caller's own memory and stream."""
    told = []
    execute = c.lib.ws_execute

    def spy(plan, io, workspace):
        told.append((io._obj.x, io._obj.x_stride, io._obj.memory, io._obj.cuda_stream))
        return execute(plan, io, workspace)

    monkeypatch.setattr(c.lib, "ws_execute", spy)
    wide = numpy.zeros((4, 700))
    wide[:, 50:650] = x
    part = wide[:, 50:650]
    r = wavesift.emd(put(part))
    assert told == [(part.ctypes.data, 5600, c.DEVICE, gpu_doubles.STREAM)]
    assert r.signal.a.base is not None
    assert r.modes.a.tobytes() == wavesift.emd(x, device="cpu").modes.tobytes()


def test_threads_of_calls(x, put, monkeypatch):
    """What waits for a GPU is a thread's of its own, so that Ctrl-C is heard, however short it is
    expected to be: it may be the first, which brings kernels there."""
    told = []
    execute = c.lib.ws_execute
    monkeypatch.setattr(c.lib, "ws_execute", lambda *a: (
        told.append(threading.current_thread() is threading.main_thread()), execute(*a))[1])
    for given, device in ((x, "cuda"), (put(x), "cuda"), (x, "cpu")):
        plan = wavesift.Plan("emd", x.shape, device=device)
        plan.seconds = 0.0
        assert plan(given).mode_count.any()
    assert told == [False, False, True]


def test_ctrl_c_while_the_stream_is_busy(x, put, monkeypatch):
    """Before the library has anything to do; then it waits for the stream as long as it takes."""
    from test_calls import _interrupt, _soon

    told = []
    execute = c.lib.ws_execute
    monkeypatch.setattr(c.lib, "ws_execute", lambda *a: (told.append(a), execute(*a))[1])
    monkeypatch.setattr(gpu_doubles, "idle", lambda: False)
    assert _interrupt(lambda: wavesift.emd(put(x))) < _soon()
    assert not told
    end = time.monotonic() + 0.5
    monkeypatch.setattr(gpu_doubles, "idle", lambda: time.monotonic() > end)
    assert wavesift.emd(put(x)).modes.a.any()
    assert time.monotonic() > end and len(told) == 1


def test_forms(x, put):
    expected = wavesift.emd(x, device="cpu").modes
    for form in (numpy.asfortranarray(x), numpy.repeat(x, 2, axis=-1)[:, ::2],
                 x[::-1, ::-1].copy()[::-1, ::-1]):
        assert wavesift.emd(put(form)).modes.a.tobytes() == expected.tobytes()
    epochs = wavesift.emd(put(x.reshape(2, 2, 600)))
    assert epochs.modes.shape == (2, 2) + expected.shape[1:]
    assert epochs.modes.a.tobytes() == expected.tobytes()
    one = wavesift.emd(put(x[0]))
    assert one.modes.ndim == 2 and one.residue.shape == (600,)
    half = wavesift.emd(put(x.astype("f2")))
    assert half.modes.a.tobytes() == wavesift.emd(x.astype("f2"), device="cpu").modes.tobytes()
    whole = wavesift.emd(put((9 * x).astype("i4")))
    assert whole.modes.a.tobytes() == wavesift.emd((9 * x).astype("i4"),
                                                   device="cpu").modes.tobytes()


def test_gathered(x, put):
    """Epochs of a channel lie together, without a copy where they did so before."""
    from wavesift import _signals

    epochs = x.reshape(2, 2, 600)
    rows = _signals.take(put(epochs), None, True).x.a
    assert rows.shape == (2, 1200) and numpy.array_equal(rows[1], epochs[:, 1].ravel())
    by_channel = x.reshape(2, 2, 600)
    rows = _signals.take(put(by_channel.transpose(1, 0, 2)), None, True).x.a
    assert numpy.shares_memory(rows, x) and numpy.array_equal(rows[1], by_channel[1].ravel())


@pytest.mark.lanes
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_spectra(x, put, dtype):
    """All arrays are there, but for the numbers of modes that a decomposition found; of a result's
    modes these, too."""
    x = x.astype(dtype)[:2]
    given = {"fs": 200, "modes": 3, "freqs": "1:90:20",
             "parts": "modes,instantaneous,spectrum,marginal,cycles"}
    host = wavesift.hht(x, device="cpu", **given)
    r = wavesift.hht(put(x), **given)
    assert r.device == "cuda:0" and set(r.arrays) == set(host.arrays)
    timed = {n for n, a in r.about.items() if a.timed and n in r.arrays}
    assert timed == {"signal", "modes", "residue", "amplitude", "phase", "cycle", "power",
                     "instantaneous_frequency", "spectrum"}


    def check(r, host, here):
        for name in r.arrays:
            assert isinstance(r[name], numpy.ndarray) == (name in here), name
            got = r[name] if name in here else r[name].a
            assert got.dtype == host[name].dtype
            if name == "capped":        # residues in a GPU's memory are not looked at
                assert got.tolist() in ([0, 0], [-1, -1])
                continue
            assert numpy.array_equal(got, host[name], equal_nan=got.dtype.kind == "f"), name

    check(r, host, {"mode_count", "capped"})
    assert r.mean_frequency.a.any() and r.marginal.a.any()
    given = {k: v for k, v in given.items() if k not in ("fs", "modes")}
    modes = wavesift.emd(x, fs=200, modes=3, device="cpu")
    host = wavesift.hht(modes, device="cpu", **given)
    found = wavesift.emd(put(x), fs=200, modes=3)
    plans = []
    for times in range(2):
        again = wavesift.hht(found, **given)
        check(again, host, {"capped"})
        plans.append(dict(_plan._kept))
    assert plans[0] == plans[1]         # its plan is kept
    assert again.to_numpy().mode_count.tolist() == modes.mode_count.tolist()
    plan = next(p for k, p in plans[1].items() if "hht" in k and p._has_modes)
    room = put(numpy.full(plan.full_shape("mean_frequency"), numpy.nan))
    filled = wavesift.hht(found, out={"mean_frequency": room}, **given).mean_frequency
    assert numpy.shares_memory(filled.a, room.a)
    assert numpy.array_equal(room.a, host.mean_frequency)


def test_plan_and_out(x, put):
    plan = wavesift.Plan("emd", x.shape, device="cuda")
    room = put(numpy.full(plan.full_shape("modes"), numpy.nan))
    r = plan(put(x), out={"modes": room})
    assert numpy.shares_memory(r.modes.a, room.a) and not numpy.isnan(room.a).any()
    assert r.modes.a.tobytes() == wavesift.emd(x, device="cpu").modes.tobytes()
    with pytest.raises(ValueError, match="in the memory of cuda:0 is needed"):
        plan(put(x), out={"modes": room.a})
    with pytest.raises(ValueError, match="gaps"):
        plan(put(x), out={"residue": put(numpy.empty((600, 4)).T)})


def test_noise_of_the_caller(x, put):
    noise = numpy.random.default_rng(1).standard_normal((4, 600))
    given = {"noise_file": noise, "realizations": 4, "modes": 3}
    r = wavesift.iceemdan(put(x), **given)
    assert r.modes.a.tobytes() == wavesift.iceemdan(x, device="cpu", **given).modes.tobytes()


def test_to_host(x, put, tmp_path):
    r = wavesift.emd(put(x), fs=200)
    host = r.to_numpy()
    assert isinstance(host.modes, numpy.ndarray) and host.to_numpy() is host
    assert "modes" in repr(r)
    pytest.importorskip("h5py")
    r.save(tmp_path / "r.h5")
    assert wavesift.load(tmp_path / "r.h5").modes.tobytes() == host.modes.tobytes()
    pytest.importorskip("xarray")
    assert r.to_xarray()["modes"].values.tobytes() == host.modes.tobytes()


def test_refused(x, put):
    with pytest.raises(ValueError, match="x lies in the memory of cuda:0; leave device out"):
        wavesift.emd(put(x), device="cpu")
    with pytest.raises(ValueError, match="leave device out"):
        wavesift.emd(put(x), device="cuda:1")
    with pytest.raises(NotImplementedError, match="for the CPU"):
        wavesift.coherence(put(x), fs=200, noise_signals=20)
    with pytest.raises(NotImplementedError, match="leave them out"):
        wavesift.emd(put(x), arrays=["frequency"])
    with pytest.raises(ValueError, match="complex"):
        wavesift.emd(put(x * 1j))
    bad = x.copy()
    bad[2, 77] = numpy.nan
    with pytest.raises(wavesift.SignalError, match=r"^x\[2, 77\] is not finite"):
        wavesift.emd(put(bad))
    plan = wavesift.Plan("emd", x.shape, device="cpu")
    with pytest.raises(NotImplementedError, match="works on cpu"):
        plan(put(x))
