#!/usr/bin/env python3
r"""gpu_arrays.py [cupy] [torch]: arrays of CuPy and PyTorch in a GPU's memory go in and come out.

A script of its own, to be run on a machine with a GPU; it prints what it checked and exits with 1
if anything failed, or if a library that was asked for (default: both) is not there.

It needs Python 3.10 or later, NumPy, CuPy, PyTorch, and
    PYTHONPATH=bindings/python              the folder of the package
    WAVESIFT_LIBRARY=BUILD/libwavesift.so   the library, with libwavesift_cuda.so beside it
as in
    cmake -S . -B build && cmake --build build -j --target wavesift wavesift_cuda
    PYTHONPATH=bindings/python WAVESIFT_LIBRARY=$PWD/build/libwavesift.so \
        python3 tests/gpu_arrays.py
"""

import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time
import traceback

import numpy

import wavesift

METHODS = {"emd": {}, "eemd": {"realizations": 8}, "ceemdan": {"realizations": 8},
           "iceemdan": {"realizations": 8}, "memd": {"directions": 16}}
failed = []


def check(what, holds, note=""):
    print(f"{'ok    ' if holds else 'FAILED'}  {what}{f': {note}' if note else ''}", flush=True)
    if not holds:
        failed.append(what)


def told(error, call, *words):
    """The text of the exception that call raises, if it is that error and has these words."""
    try:
        call()
    except error as e:
        return all(w in str(e) for w in words), str(e)
    except Exception as e:  # noqa: BLE001
        return False, f"{type(e).__name__}: {e}"
    return False, "nothing was raised"


def signals(channels, samples, seed=7):
    """Tones, noise and a random walk: many modes."""
    rng = numpy.random.default_rng(seed)
    t = numpy.arange(samples) / 250
    walk = rng.standard_normal((channels, samples)).cumsum(-1) * 0.05
    return walk + numpy.sin(2 * numpy.pi * 9 * t) + rng.standard_normal((channels, samples)) * 0.3


# ---- The two libraries, alike ---------------------------------------------------------------

class CuPy:
    name = "cupy"

    def __init__(self):
        import cupy

        self.lib = cupy
        self.kind = cupy.ndarray
        cupy.zeros(1)       # fails where there is no GPU

    def put(self, x):
        return self.lib.asarray(x)

    def get(self, a):
        return a.get()

    def pointer(self, a):
        return a.data.ptr

    def stream(self):
        """A stream of one's own, current within `with`."""
        return self.lib.cuda.Stream(non_blocking=True)

    def sync(self):
        self.lib.cuda.Device().synchronize()

    def late(self, x):
        """x, but only after much work of the current stream; until then no number."""
        there, source = self.lib.full(x.shape, numpy.nan, x.dtype), self.put(x)
        self.sync()
        a = self.lib.ones((4096, 4096), numpy.float32)
        for _ in range(60):
            a = a @ a * 1e-4
        there[...] = source
        return there

    def empty(self, shape, dtype):
        return self.lib.full(shape, numpy.nan, dtype)


class PyTorch:
    name = "torch"

    def __init__(self):
        import torch

        self.lib = torch
        self.kind = torch.Tensor
        torch.zeros(1, device="cuda")

    def put(self, x):
        return self.lib.as_tensor(numpy.array(x), device="cuda")

    def get(self, a):
        return a.cpu().numpy()

    def pointer(self, a):
        return a.data_ptr()

    def stream(self):
        return self.lib.cuda.stream(self.lib.cuda.Stream())

    def sync(self):
        self.lib.cuda.synchronize()

    def late(self, x):
        source = self.put(x)
        there = self.lib.full_like(source, float("nan"))
        self.sync()
        a = self.lib.ones((4096, 4096), device="cuda")
        for _ in range(60):
            a = a @ a * 1e-4
        there.copy_(source)
        return there

    def empty(self, shape, dtype):
        return self.lib.full(shape, float("nan"), dtype=getattr(self.lib, numpy.dtype(dtype).name),
                             device="cuda")


# ---- What is checked ------------------------------------------------------------------------

def bits(lib):
    """Those of the CPU, on a stream that is not the default one and is not done yet."""
    for method, options in METHODS.items():
        for dtype in ("f8", "f4"):
            x = signals(4, 30_000).astype(dtype)
            host = getattr(wavesift, method)(x, fs=250, device="cpu", modes=5, **options)
            with lib.stream():
                there = lib.late(x)
                r = getattr(wavesift, method)(there, fs=250, modes=5, **options)
                twice = r.modes + r.modes       # the caller's next work, on its stream
            same = all(lib.get(r[n]).shape == host[n].shape
                       and lib.get(r[n]).tobytes() == host[n].tobytes()
                       for n in ("modes", "residue"))
            same &= numpy.array_equal(r.mode_count, host.mode_count)
            same &= lib.get(twice).tobytes() == (host.modes + host.modes).tobytes()
            check(f"{lib.name}: {method} {dtype}: the CPU's bits, on a busy stream", same, r.device)
            check(f"{lib.name}: {method} {dtype}: arrays of {lib.name}, x itself",
                  isinstance(r.modes, lib.kind) and isinstance(r.residue, lib.kind)
                  and isinstance(r.mode_count, numpy.ndarray)
                  and lib.pointer(r.signal) == lib.pointer(there))


def forms(lib):
    """However they lie, and of any type."""
    x = signals(4, 5000)
    expected = wavesift.emd(x, device="cpu")

    def same(there, expected=expected):
        r = wavesift.emd(there)
        return lib.get(r.modes).tobytes() == expected.modes.tobytes()

    wide = lib.put(numpy.tile(x, 3))
    part = wide[:, 5000:10000]
    check(f"{lib.name}: part of wider rows", same(part))
    check(f"{lib.name}: of which there is no copy",
          lib.pointer(wavesift.emd(part).signal) == lib.pointer(part))
    check(f"{lib.name}: every other sample", same(lib.put(numpy.repeat(x, 2, -1))[:, ::2]))
    check(f"{lib.name}: time first, transposed", same(lib.put(x.T).T))
    r = wavesift.emd(lib.put(x.reshape(2, 2, 5000)))
    check(f"{lib.name}: epochs", tuple(r.modes.shape) == (2, 2) + expected.modes.shape[1:]
          and lib.get(r.modes).tobytes() == expected.modes.tobytes())
    one = wavesift.emd(lib.put(x[0]))
    k = int(one.mode_count)
    check(f"{lib.name}: one row", lib.get(one.modes).tobytes() == expected.modes[0, :k].tobytes())
    half = x.astype("f2")
    check(f"{lib.name}: f16", same(lib.put(half), wavesift.emd(half, device="cpu")))
    whole = (100 * x).astype("i4")
    check(f"{lib.name}: i32", same(lib.put(whole), wavesift.emd(whole, device="cpu")))
    check(f"{lib.name}: f64 as f32", lib.get(wavesift.emd(lib.put(x), precision="f32").modes)
          .tobytes() == wavesift.emd(x, precision="f32", device="cpu").modes.tobytes())
    if lib.name == "torch":
        grad = lib.put(x).requires_grad_()
        check("torch: with gradients", same(grad))
        check("torch: bfloat16", same(lib.put(x).to(lib.lib.bfloat16), wavesift.emd(
            lib.get(lib.put(x).to(lib.lib.bfloat16).float()), device="cpu")))
        check("torch: a tensor of the host", wavesift.emd(lib.lib.from_numpy(x), device="cpu")
              .modes.tobytes() == expected.modes.tobytes())
        check("torch: pinned memory of the host", wavesift.emd(
            lib.lib.from_numpy(x).pin_memory(), device="cpu").modes.tobytes()
            == expected.modes.tobytes())


def plans(lib):
    x = signals(4, 5000)
    expected = wavesift.emd(x, device="cpu")
    plan = wavesift.Plan("emd", x.shape, device="cuda")
    room = lib.empty(plan.full_shape("modes"), "f8")
    r = plan(lib.put(x), out={"modes": room})
    k = expected.modes.shape[1]
    check(f"{lib.name}: out=", lib.pointer(r.modes) == lib.pointer(room)
          and lib.get(room)[:, :k].tobytes() == expected.modes.tobytes()
          and not lib.get(room)[:, k:].any())
    noise = numpy.random.default_rng(3).standard_normal((6, 5000))
    given = {"realizations": 6, "noise_file": noise, "modes": 4}
    check(f"{lib.name}: noise of the caller's", lib.get(wavesift.iceemdan(
        lib.put(x), **given).modes).tobytes()
        == wavesift.iceemdan(x, device="cpu", **given).modes.tobytes())
    host = r.to_numpy()
    check(f"{lib.name}: to_numpy()", isinstance(host.modes, numpy.ndarray)
          and host.modes.tobytes() == expected.modes.tobytes())


def refusals(lib):
    x = signals(4, 5000)
    check(f"{lib.name}: device='cpu' is refused", *told(
        wavesift.ArgumentError, lambda: wavesift.emd(lib.put(x), device="cpu"), "leave device"))
    bad = x.copy()
    bad[2, 77] = numpy.nan
    check(f"{lib.name}: a sample that is not finite", *told(
        wavesift.SignalError, lambda: wavesift.emd(lib.put(bad)), "channel 3, sample 78"))
    check(f"{lib.name}: complex samples", *told(
        wavesift.ArgumentError, lambda: wavesift.emd(lib.put(x * 1j)), "complex"))
    check(f"{lib.name}: after failures, it works", lib.get(wavesift.emd(lib.put(x)).modes).any())
    for name, options in (("cwt", {"freqs": "4:40:9"}), ("hht", {}),
                          ("conv", {"mask_formula": "morlet", "scales": "1:4:4"})):
        try:
            r = getattr(wavesift, name)(lib.put(x), fs=250, **options)
        except wavesift.UnsupportedError as e:
            check(f"{lib.name}: {name} says that it cannot", "x.cpu()" in str(e), str(e))
            continue
        host = getattr(wavesift, name)(x, fs=250, device="cpu", **options)
        for key, a in r.arrays.items():
            if isinstance(a, lib.kind):
                mine, other = lib.get(a), host[key]
                close = numpy.allclose(mine, other, rtol=1e-10, atol=1e-12 * abs(other).max(),
                                       equal_nan=True)
                check(f"{lib.name}: {name}: {key} is the CPU's to rounding", close)


def several_threads(lib):
    """Each with a stream and signals of its own."""
    results = {}

    def work(i):
        with lib.stream():
            results[i] = wavesift.iceemdan(lib.put(signals(2, 20_000, i)), realizations=10, modes=4)
            lib.sync()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    same = len(results) == 8 and all(
        lib.get(r.modes).tobytes() == wavesift.iceemdan(
            signals(2, 20_000, i), realizations=10, modes=4, device="cpu").modes.tobytes()
        for i, r in results.items())
    check(f"{lib.name}: eight threads at once", same)


def interrupt(lib):
    """Ctrl-C while the GPU works."""
    x = lib.put(signals(8, 200_000))
    plan = wavesift.Plan("iceemdan", (8, 200_000), device="cuda", realizations=2000, sifts=1000)
    waits = []
    for i in range(10):
        began = []

        def strike(i=i, began=began):
            time.sleep(0.15 + 0.05 * i)
            began.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=strike)
        thread.start()
        try:
            plan(x)
        except KeyboardInterrupt:
            waits.append(time.perf_counter() - began[0])
        thread.join()
    check(f"{lib.name}: Ctrl-C, ten times", len(waits) == 10 and max(waits) < 0.2,
          f"{len(waits)} stopped, at most {max(waits, default=0):.3f} s, leave "
          f"{[t.name for t in threading.enumerate() if t.name == 'wavesift']}")
    check(f"{lib.name}: and works on", lib.get(wavesift.emd(x, modes=2).modes).any())


def crossing(torch):
    """Bytes between host and GPU during a decomposition of 64 MB, as PyTorch's profiler counts
    them in this process."""
    lib = PyTorch()
    x = lib.put(signals(8, 1_000_000))
    run = wavesift.Plan("emd", (8, 1_000_000), device="cuda", modes=3, sifts=4)
    run(x)
    lib.sync()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        r = run(x)
        lib.sync()
        _ = r.modes[0, 0, :1] + 1       # something that the profiler must see
        lib.sync()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    with tempfile.NamedTemporaryFile(suffix=".json") as f:
        profile.export_chrome_trace(f.name)
        with open(f.name) as text:
            events = json.load(text)["traceEvents"]
    kernels = sum(e.get("cat") == "kernel" for e in events)
    copies = [e for e in events if e.get("cat") == "gpu_memcpy"]
    crossed = sum(int(e["args"].get("bytes", 0)) for e in copies
                  if "HtoD" in e["name"] or "DtoH" in e["name"])
    check("what the profiler sees of the GPU's work", kernels > 1, f"{kernels} kernels")
    check("less than 1 MB of 64 MB crosses", crossed < 1 << 20,
          f"{crossed} bytes in {len(copies)} copies, those within the GPU among them")
    check("the host's memory does not grow by the samples", grown * 1024 < x.numel() * 8,
          f"{grown} KiB")


def times(lib):
    """For people: the same work with arrays of the host and of the GPU."""
    x = signals(8, 1_000_000).astype("f4")
    plan = wavesift.Plan("emd", x.shape, device="cuda", precision="f32", modes=8)
    there, figures = lib.put(x), ["sifts"]
    for name, samples in (("host", x), (lib.name, there)):
        took = []
        for _ in range(5):
            lib.sync()
            began = time.perf_counter()
            plan(samples, arrays=figures)
            lib.sync()
            took.append(time.perf_counter() - began)
        print(f"        emd 8 x 1 M f32, arrays of {name}: {min(took[1:]) * 1e3:.1f} ms")
    small = lib.put(signals(1, 100).astype("f4"))
    wavesift.emd(small)
    began = time.perf_counter()
    for _ in range(100):
        wavesift.emd(small)
    print(f"        emd 100 samples, a call: {(time.perf_counter() - began) * 10:.3f} ms")


def second_gpu(lib):
    if len([d for d in wavesift.devices() if d["usable"]]) < 2:
        print("NOT RUN  the second GPU: there is one")
        return
    x = signals(2, 5000)
    if lib.name == "cupy":
        with lib.lib.cuda.Device(1):
            there = lib.put(x)
    else:
        there = lib.lib.as_tensor(x, device="cuda:1")
    r = wavesift.emd(there)
    check(f"{lib.name}: the second GPU", r.device == "cuda:1" and lib.get(r.modes).tobytes()
          == wavesift.emd(x, device="cpu").modes.tobytes())


def forked():
    """After the GPU was used, a child says what to do, and the CPU serves it."""
    x = signals(1, 2000)
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
    check("fork after a GPU was used", "spawn" in text and text.endswith("auto: cpu"), text)


def main(names):
    print(f"wavesift {wavesift.__version__}, Python {sys.version.split()[0]}, NumPy "
          f"{numpy.__version__}")
    for device in wavesift.devices():
        print(device)
    for name in names or ["cupy", "torch"]:
        try:
            lib = {"cupy": CuPy, "torch": PyTorch}[name]()
        except Exception as e:  # noqa: BLE001
            check(f"{name} is there, with a GPU", False, repr(e))
            continue
        print(f"{name} {lib.lib.__version__}")
        steps = [bits, forms, plans, refusals, several_threads, interrupt, second_gpu, times]
        if name == "torch":
            steps.append(lambda lib: crossing(lib.lib))
        for step in steps:
            try:
                step(lib)
            except Exception:  # noqa: BLE001
                traceback.print_exc()
                check(f"{name}: {step.__name__} ran to its end", False)
    forked()
    print(f"{len(failed)} failed" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
