"""Arrays of CuPy and PyTorch on a real GPU go in and come out: bits, streams, what crosses the link
to the host.  Skipped where there is none; test_device_arrays.py has stand-ins for all three."""

import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time

import gpu_libraries
import numpy
import pytest

import wavesift


def _why_not():
    found = wavesift.devices()
    if any(d["usable"] for d in found):
        return None
    return "no GPU can be used" + (f": {found[0]['why']}" if found else "")


WHY_NOT = _why_not()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=WHY_NOT or "")

FAMILY = {"emd": {}, "eemd": {"realizations": 8}, "ceemdan": {"realizations": 8},
          "iceemdan": {"realizations": 8}, "memd": {"directions": 16}}
# The others, and how far their numbers may be from the CPU's, of the largest, in f64 and f32.
OTHERS = {"cwt": ("cwt", {"freqs": "4:40:24"}, (1e-12, 1e-5)),
          "power": ("cwt", {"freqs": "4:40:24", "quantity": "power"}, (1e-12, 1e-5)),
          "superlets": ("superlets", {"freqs": "4:40:12", "order": "1:5"}, (1e-8, 1e-2)),
          "bands": ("bands", {"bands": [(4, 8), (8, 13)]}, (1e-12, 1e-5)),
          "bands_power": ("bands", {"bands": [(4, 8), (8, 13)], "quantity": "power"},
                          (1e-12, 1e-5)),
          "trials": ("trials", {"freqs": "4:40:12", "averages": "total"}, (1e-12, 1e-5)),
          "coherence": ("coherence", {"freqs": "4:40:12", "against": "all"}, (1e-7, 1e-2)),
          "conv": ("conv", {"mask_formula": "morlet", "scales": "1:64:16", "method": "direct"},
                   (0, 0)),
          "conv_fft": ("conv", {"mask_formula": "morlet", "scales": "1:64:16", "method": "fft"},
                       (1e-12, 1e-5)),
          "hht": ("hht", {"modes": 5, "parts": "modes,instantaneous,spectrum,mode-spectrum,"
                                               "marginal,cycles"}, (0, 0))}


@pytest.fixture(scope="module", params=list(gpu_libraries.LIBRARIES))
def lib(request):
    pytest.importorskip(request.param)
    try:
        return gpu_libraries.LIBRARIES[request.param]()
    except Exception as e:  # noqa: BLE001
        pytest.skip(f"{request.param} has no GPU: {e}")


def signals(channels, samples, seed=7):
    """Tones, noise and a random walk: many modes."""
    rng = numpy.random.default_rng(seed)
    t = numpy.arange(samples) / 250
    walk = rng.standard_normal((channels, samples)).cumsum(-1) * 0.05
    return walk + numpy.sin(2 * numpy.pi * 9 * t) + rng.standard_normal((channels, samples)) * 0.3


def same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and numpy.array_equal(
        a, b, equal_nan=a.dtype.kind in "fc")


# ---- Numbers --------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("method", FAMILY)
def test_family(lib, method, dtype):
    """The CPU's bits, of samples that a stream of one's own has not made yet."""
    x = signals(4, 20_000).astype(dtype)
    call, given = getattr(wavesift, method), {"fs": 250, "modes": 5, **FAMILY[method]}
    host = call(x, device="cpu", **given)
    with lib.stream():
        there = gpu_libraries.late(lib, x)
        r = call(there, **given)
        twice = r.modes + r.modes       # the caller's next work, on its stream
        for name in ("modes", "residue"):
            assert isinstance(r[name], lib.kind)
            assert same(lib.get(r[name]), host[name]), name
        assert same(lib.get(twice), host.modes + host.modes)
    assert same(r.mode_count, host.mode_count)
    assert lib.pointer(r.signal) == lib.pointer(there)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("what", OTHERS)
def test_others(lib, what, dtype):
    method, options, limits = OTHERS[what]
    x = signals(6, 20_000).astype(dtype).reshape(2, 3, -1)
    given = {"fs": 250, "precision": "f64" if dtype == "f8" else "f32", **options}
    host = getattr(wavesift, method)(x, device="cpu", **given)
    with lib.stream():
        there = gpu_libraries.late(lib, x)
        r = getattr(wavesift, method)(there, **given)
        assert r.device == "cuda:0"
        if "signal" in r:
            assert lib.pointer(r.signal) == lib.pointer(there)
        timed = [n for n, a in r.about.items() if a.timed and n in host.arrays]
        assert timed and set(r.arrays) >= set(timed)
        got = {n: lib.get(r[n]) for n in r.arrays if isinstance(r[n], lib.kind)}
    # What is counted of modes is the host's.
    small = {n for n in r.arrays if n not in timed} - {"mode_count", "capped"}
    assert set(got) - set(timed) == (small if method == "hht" else set())
    assert set(got) >= set(timed)
    limit = limits[dtype == "f4"]
    for name in r.arrays:
        mine, other = got.get(name, r[name]), host[name]
        assert mine.shape == other.shape and mine.dtype == other.dtype, name
        if name == "capped":            # -1 where it is not known: the residue is not looked at
            assert ((mine == other) | (mine < 0) & (other == 1)).all()
        elif limit == 0 or name not in timed:
            assert same(mine, other), name
        else:
            far = numpy.abs(mine - other).max() / numpy.abs(other).max()
            print(f"{what} {dtype} {name}: {far:.1e} of the largest")
            assert far <= limit, name


def test_chain(lib):
    """A spectrum of modes that were made on the GPU; nothing comes back in between."""
    x = signals(4, 20_000)
    host = wavesift.hht(wavesift.emd(x, fs=250, modes=5, device="cpu"), device="cpu")
    with lib.stream():
        r = wavesift.hht(wavesift.emd(lib.put(x), fs=250, modes=5))
        assert r.device == "cuda:0"
        for name in ("spectrum", "instantaneous_frequency"):
            assert isinstance(r[name], lib.kind) and same(lib.get(r[name]), host[name]), name


def test_forms(lib):
    """However they lie, and of any type."""
    x = signals(4, 5000)
    expected = wavesift.emd(x, device="cpu")

    def check(there, expected=expected):
        assert same(lib.get(wavesift.emd(there).modes), expected.modes)

    part = lib.put(numpy.tile(x, 3))[:, 5000:10000]
    check(part)
    assert lib.pointer(wavesift.emd(part).signal) == lib.pointer(part)
    check(lib.put(numpy.repeat(x, 2, -1))[:, ::2])
    check(lib.put(x.T).T)
    r = wavesift.emd(lib.put(x.reshape(2, 2, 5000)))
    assert tuple(r.modes.shape) == (2, 2) + expected.modes.shape[1:]
    assert same(lib.get(r.modes).reshape(expected.modes.shape), expected.modes)
    one = wavesift.emd(lib.put(x[0]))
    assert same(lib.get(one.modes), expected.modes[0, :int(one.mode_count)])
    for other in (x.astype("f2"), (100 * x).astype("i4")):
        check(lib.put(other), wavesift.emd(other, device="cpu"))
    assert same(lib.get(wavesift.emd(lib.put(x), precision="f32").modes),
                wavesift.emd(x, precision="f32", device="cpu").modes)
    if lib.name == "torch":
        check(lib.put(x).requires_grad_())
        brain = lib.put(x).to(lib.lib.bfloat16)
        check(brain, wavesift.emd(lib.get(brain.float()), device="cpu"))
        pinned = wavesift.emd(lib.lib.from_numpy(x).pin_memory(), device="cpu")
        assert same(pinned.modes, expected.modes)


def test_plans(lib):
    x = signals(4, 5000)
    expected = wavesift.emd(x, device="cpu")
    plan = wavesift.Plan("emd", x.shape, device="cuda")
    room = lib.full(plan.full_shape("modes"), "f8")
    r = plan(lib.put(x), out={"modes": room})
    k = expected.modes.shape[1]
    assert lib.pointer(r.modes) == lib.pointer(room)
    assert same(lib.get(room)[:, :k], expected.modes) and not lib.get(room)[:, k:].any()
    assert same(r.to_numpy().modes, expected.modes)
    noise = numpy.random.default_rng(3).standard_normal((6, 5000))
    given = {"realizations": 6, "noise_file": noise, "modes": 4}
    assert same(lib.get(wavesift.iceemdan(lib.put(x), **given).modes),
                wavesift.iceemdan(x, device="cpu", **given).modes)
    wave = wavesift.Plan("cwt", x.shape, fs=250, freqs="4:40:24", device="cuda")
    room = lib.full(wave.full_shape("coefficients"), "c16")
    r = wave(lib.put(x), out={"coefficients": room})
    assert lib.pointer(r.coefficients) == lib.pointer(room)
    assert numpy.isfinite(lib.get(room)).all()


def test_refused(lib):
    x = signals(4, 5000)
    with pytest.raises(wavesift.ArgumentError, match="leave device"):
        wavesift.emd(lib.put(x), device="cpu")
    bad = x.copy()
    bad[2, 77] = numpy.nan
    with pytest.raises(wavesift.SignalError, match=r"^x\[2, 77\] is not finite"):
        wavesift.emd(lib.put(bad))
    with pytest.raises(wavesift.ArgumentError, match="complex"):
        wavesift.emd(lib.put(x * 1j))
    with pytest.raises(wavesift.UnsupportedError, match="x.cpu"):
        wavesift.coherence(lib.put(x), fs=250, noise_signals=20)
    assert lib.get(wavesift.emd(lib.put(x)).modes).any()


# ---- Streams, threads, signals --------------------------------------------------------------

@pytest.mark.parametrize("what", ["cwt", "power", "superlets", "bands", "bands_power", "conv",
                                  "conv_fft", "hht", "hht_long"])
def test_only_enqueued(lib, what):
    """The call is back while the stream still does what was put into it before; hht that of the
    modes of a result."""
    # Of an awkward length tables of a Hilbert transform are megabytes.
    x = lib.put(signals(6, 1_000_003 if what == "hht_long" else 20_000).astype("f4"))
    if what.startswith("hht"):
        modes = wavesift.emd(x, fs=250, modes=3, sifts=4)

        def call():
            return wavesift.hht(modes, freqs="1:100:64", parts="instantaneous,spectrum,marginal")
    else:
        method, options, _ = OTHERS[what]
        plan = wavesift.Plan(method, x.shape, fs=250, precision="f32", device="cuda", **options)

        def call():
            return plan(x)
    with lib.stream():
        for _ in range(2):          # memory, tables and kernels are there
            first = call()
            lib.sync()
        expected = {n: lib.get(a) for n, a in first.arrays.items() if isinstance(a, lib.kind)}
        assert len(expected) > (10 if what.startswith("hht") else 0)
        del first
        gpu_libraries.busy(lib, 2)
        lib.sync()
        done = gpu_libraries.busy(lib, 150)
        began = time.perf_counter()
        for _ in range(6):          # more plans than are kept would wait
            r = call()
        took, early = time.perf_counter() - began, not done()
        lib.sync()
        waited = time.perf_counter() - began
        for name, a in expected.items():
            assert same(lib.get(r[name]), a), name
    print(f"{lib.name} {what}: six back after {took * 1e3:.2f} ms, work before them done after "
          f"{waited * 1e3:.0f} ms")
    assert early and took < waited / 4


def test_analysis_is_enqueued(lib):
    """Of a signal hht waits for the decomposition, not for what follows of its modes."""
    x = lib.put(signals(16, 500_000))
    plan = wavesift.Plan("hht", x.shape, fs=250, device="cuda", modes=6, sifts=2,
                         frequency_method="nht", parts="modes,spectrum,marginal", time_bin=1.0)
    with lib.stream():
        for _ in range(2):
            first = plan(x)
            lib.sync()
        expected = lib.get(first.spectrum)
        r = plan(x)
        began, done = time.perf_counter(), lib.event()
        early = not done()
        lib.sync()
        early_by = time.perf_counter() - began
        print(f"{lib.name}: hht is back {early_by * 1e3:.1f} ms before the end")
        assert early and same(lib.get(r.spectrum), expected)
        assert isinstance(r.mode_count, numpy.ndarray) and isinstance(r.marginal, lib.kind)


def test_not_finite(lib):
    """Nobody looks at given modes: figures of the channel are no numbers, those of others are."""
    r = wavesift.emd(lib.put(signals(3, 5000)), modes=3)
    r.modes[1, 0, 77] = numpy.nan
    with lib.stream():
        lib.sync()
        spectra = wavesift.hht(r)
        for name in ("mean_frequency", "mode_energy", "marginal", "nonstationarity"):
            a = lib.get(spectra[name])
            assert numpy.isnan(a[1]).all() and numpy.isfinite(a[[0, 2]]).all(), name


def test_threads(lib):
    """Each with a stream and signals of its own."""
    results = {}

    def work(i):
        with lib.stream():
            results[i] = wavesift.iceemdan(lib.put(signals(2, 10_000, i)), realizations=10, modes=4)
            lib.sync()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 8
    for i, r in results.items():
        assert same(lib.get(r.modes), wavesift.iceemdan(
            signals(2, 10_000, i), realizations=10, modes=4, device="cpu").modes)


# Takes seconds on a GPU.
LONG = {"emd": ((8, 400_000), {"sifts": 200_000}),
        "eemd": ((8, 200_000), {"realizations": 2000, "sifts": 1000}),
        "ceemdan": ((8, 200_000), {"realizations": 2000, "sifts": 1000}),
        "iceemdan": ((8, 200_000), {"realizations": 2000, "sifts": 1000}),
        "memd": ((16, 200_000), {"sifts": 100_000}),
        "cwt": ((2, 1 << 20), {"freqs": "0.001:0.4:200", "quantity": "power", "precision": "f32"}),
        "conv": ((2, 2_000_000), {"mask_formula": "morlet", "scales": "1:2000:500",
                                  "method": "direct", "decimate": 32}),
        "hht": ((16, 1 << 19), {"modes": 6, "sifts": 4})}


@pytest.mark.parametrize("method", LONG)
def test_ctrl_c_from_the_start(method):
    """In a process in which nobody has used the GPU yet: while a plan opens it, in the first
    execution, in which kernels come to the device, and in five more."""
    shape, options = LONG[method]
    code = textwrap.dedent(f"""
        import os, random, signal, threading, time, numpy, wavesift
        x = numpy.random.default_rng(0).standard_normal({shape}).cumsum(-1)
        x = x.astype("f4" if "precision" in {options} else "f8")
        threading.Timer(50, lambda: os._exit(9)).start()

        def struck(after, work):
            began = []
            def strike():
                time.sleep(after)
                began.append(time.perf_counter())
                os.kill(os.getpid(), signal.SIGINT)
            striker = threading.Thread(target=strike)
            striker.start()
            try:
                while True:
                    work()
            except KeyboardInterrupt:
                print(time.perf_counter() - began[0])
            striker.join()

        def plan():
            return wavesift.Plan("{method}", x.shape, device="cuda", **{options})

        def await_threads():
            until = time.monotonic() + 5    # a plan that nobody waits for is made to its end
            while any(t.name.startswith("wavesift") for t in threading.enumerate()):
                assert time.monotonic() < until
                time.sleep(0.01)

        struck(0.1, plan)
        run = plan()
        await_threads()
        for i in range(6):
            struck(random.uniform(0.02, 0.5) if i else 0.1, lambda: run(x))
        await_threads()
        assert wavesift.emd(x[0, :100], device="cuda").modes.any()
        os._exit(0)
        """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    waits = [float(w) for w in done.stdout.split()]
    print(f"{method}: Ctrl-C: {', '.join(f'{w:.3f}' for w in waits)} s")
    assert len(waits) == 7 and max(waits) < 0.2


def test_ctrl_c_of_a_busy_stream(lib):
    """Others' work of a second or more is before ours."""
    with lib.stream():
        x = lib.put(signals(2, 10_000))
        wavesift.emd(x, modes=2)
        lib.sync()
        done = gpu_libraries.busy(lib, 600)
        began = []

        def strike():
            time.sleep(0.1)
            began.append((time.perf_counter(), done()))
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=strike)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            wavesift.emd(x, modes=2)
        heard = time.perf_counter() - began[0][0]
        thread.join()
        print(f"{lib.name}: behind others' work: Ctrl-C: {heard:.3f} s")
        assert not began[0][1] and heard < 0.2
        assert lib.get(wavesift.emd(x, modes=2).modes).any()


def test_ctrl_c(lib):
    """From the first call of a plan on, which has its memory allocated."""
    x = lib.put(signals(8, 200_000))
    plan = wavesift.Plan("iceemdan", (8, 200_000), device="cuda", realizations=2000, sifts=1000)
    waits = []
    for i in range(10):
        began = []

        def strike(i=i, began=began):
            time.sleep(0.1 + 0.03 * i)
            began.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=strike)
        thread.start()
        try:
            plan(x)
        except KeyboardInterrupt:
            waits.append(time.perf_counter() - began[0])
        thread.join()
    print(f"{lib.name}: Ctrl-C: {', '.join(f'{w:.3f}' for w in waits)} s\n{plan.describe()}")
    assert len(waits) == 10 and max(waits) < 0.2
    assert not [t for t in threading.enumerate() if t.name == "wavesift"]
    assert lib.get(wavesift.emd(x, modes=2).modes).any()


def test_second_gpu(lib):
    if len([d for d in wavesift.devices() if d["usable"]]) < 2:
        pytest.skip("one GPU only")
    x = signals(2, 5000)
    r = wavesift.emd(lib.second_gpu(x))
    assert r.device == "cuda:1" and same(lib.get(r.modes), wavesift.emd(x, device="cpu").modes)


# ---- What crosses the link ------------------------------------------------------------------

CROSSING = {"emd": ("emd", {"modes": 3, "sifts": 4}),
            "cwt": ("cwt", {"freqs": "4:40:4"}),
            "conv": ("conv", {"mask_formula": "morlet", "scales": "1:9:4", "method": "direct"}),
            "conv_fft": ("conv", {"mask_formula": "morlet", "scales": "1:64:4", "method": "fft"}),
            "hht": ("hht", {"modes": 3, "sifts": 4}),
            "hht_given": ("hht", {})}


@pytest.mark.parametrize("what", CROSSING)
def test_crossing(lib, what):
    """Of 64 MB of samples less than 1 MB goes between host and GPU, as CUPTI counts it in this
    process, by PyTorch's profiler."""
    torch = pytest.importorskip("torch", reason="PyTorch's profiler is needed, which counts copies")
    method, options = CROSSING[what]
    x = lib.put(signals(8, 1_000_000))
    if what == "hht_given":
        modes = wavesift.emd(x, fs=250, modes=3, sifts=4)

        def call():
            wavesift.hht(modes)
    else:
        plan = wavesift.Plan(method, (8, 1_000_000), fs=250, device="cuda", **options)

        def call():
            plan(x)
    call()
    lib.sync()
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    for _ in range(2):      # the first time the profiler takes memory of its own
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with torch.profiler.profile(activities=activities) as profile:
            call()
            lib.sync()
            torch.ones(1, device="cuda").add_(1)    # something that the profiler must see
            torch.cuda.synchronize()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    crossed, copies, kernels = _counted(profile)
    print(f"{lib.name} {what}: {crossed} bytes in {copies} copies, {kernels} kernels; the host's "
          f"memory grew by {grown >> 10} KiB")
    assert kernels > 1
    assert crossed < 1 << 20
    assert grown < 32 << 20


def _counted(profile):
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".json") as f:
        profile.export_chrome_trace(f.name)
        with open(f.name) as text:
            events = json.load(text)["traceEvents"]
    copies = [e for e in events if e.get("cat") == "gpu_memcpy"
              and ("HtoD" in e["name"] or "DtoH" in e["name"])]
    return (sum(int(e["args"].get("bytes", 0)) for e in copies), len(copies),
            sum(e.get("cat") == "kernel" for e in events))


# ---- At last, since the child has what this process used ------------------------------------

def test_fork():
    """After the GPU was used, a child says what to do, and the CPU serves it."""
    x = signals(1, 2000)
    wavesift.emd(x, device="cuda")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        text = "nothing was raised"
        try:
            wavesift.emd(x, device="cuda")
        except wavesift.DeviceError as e:
            text = str(e)
        except BaseException as e:  # noqa: BLE001
            text = repr(e)
        try:
            text += f" | auto: {wavesift.emd(x).device}"
        finally:
            os.write(write, text.encode())
            os._exit(0)
    os.waitpid(child, 0)
    text = os.read(read, 4096).decode()
    assert "spawn" in text and text.endswith("auto: cpu"), text
