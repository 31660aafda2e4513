r"""The Python package: what a call costs beyond the library's own work, and beside PyEMD and emd.

    PYTHONPATH=bindings/python WAVESIFT_LIBRARY=BUILD/libwavesift.so python3 bench/python/speed.py \
        [--quick] [--rounds=N] [overhead] [large] [memory] [pyemd] [emd]

Runs of all sides alternate in this one process, and figures are minima.  Ratios beside the library
are medians over pairs of neighbouring runs, and processor time stands there too, which other
programs disturb less.  Beside other packages both sides have one thread; then all, where the peer
can: its ensembles, by processes.  A package that is not there prints NOT RUN.
--quick: less work.  --rounds=N: of each peer's work, at least; default 3.  Words: these parts
alone.
"""
import ctypes
import importlib.metadata
import os
import resource
import statistics
import sys
import time
import warnings

import numpy

import wavesift
from wavesift import _library as c

QUICK = "--quick" in sys.argv
ROUNDS = next((int(w[9:]) for w in sys.argv[1:] if w.startswith("--rounds=")), 3)
# Other programs disturb the processor's time less.
CLOCKS = "processor time", "by the clock"


def clock(work):
    """Seconds of the processor, and by the clock."""
    began = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - began[0], time.perf_counter() - began[1]


def rounds(works, seconds, least=3):
    """Of each clock: least seconds of each work, and the median of the last's seconds over its."""
    times, end = [], time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        times.append([clock(work) for work in works])
    return [[(min(t[k][by] for t in times),
              statistics.median(t[-1][by] / t[k][by] for t in times))
             for k in range(len(works))] for by in range(len(CLOCKS))]


# ---- Beyond the library's own work --------------------------------------------------------------

def own_work(plan, x, made):
    """ws_execute alone, on arrays that are there."""
    buffers = (c.Buffer * plan._count)()
    for name, array in made.items():
        buffers[plan.arrays[name].number].data = array.ctypes.data
    room = numpy.empty(plan.workspace + 64, numpy.uint8)
    workspace = room.ctypes.data + -room.ctypes.data % 64
    io = c.sized(c.Io, x=x.ctypes.data, arrays=buffers, n_arrays=len(buffers))

    def run(kept=(buffers, room, made)):
        c.check(c.lib.ws_execute(plan.handle, ctypes.byref(io), workspace))
    return run


def overhead():
    x = numpy.random.default_rng(0).standard_normal(100)
    plan = wavesift.Plan("emd", x.shape, device="cpu")
    made = plan._room(plan._wanted(None, None, None), {}, None)
    own, times = own_work(plan, x[None], made), 100
    for name, call in (("wavesift.emd(x)", lambda: wavesift.emd(x, device="cpu")),
                       ("plan(x)", lambda: plan(x))):
        told = rounds((lambda: [own() for _ in range(times)],
                       lambda: [call() for _ in range(times)]), 1.0 if QUICK else 5.0)
        for clocked, ((ours, _), (theirs, _)) in zip(CLOCKS, told):
            print(f"| {name}, 100 samples, {clocked} | {ours / times * 1e3:.3f} ms | "
                  f"{theirs / times * 1e3:.3f} ms | {(theirs - ours) / times * 1e3:.3f} ms more |",
                  flush=True)


def large():
    shape = (8, 1_000_000) if QUICK else (64, 1_000_000)
    x = numpy.random.default_rng(0).standard_normal(shape)
    plan = wavesift.Plan("emd", shape, device="cpu", modes=2)
    made = {n: numpy.zeros(plan.full_shape(n), plan.arrays[n].dtype)
            for n in ("modes", "residue", "mode_count")}
    own = own_work(plan, x, made)
    told = rounds((own, lambda: plan(x, arrays=["modes"], out=made)), 0, 3 if QUICK else 5)
    for clocked, ((ours, ratio), (theirs, _)) in zip(CLOCKS, told):
        print(f"| plan(x, out=..), {shape[0]} x 1 M f64, 2 modes, {clocked} | {ours:.3f} s | "
              f"{theirs:.3f} s | {100 * (theirs / ours - 1):+.1f} %, median "
              f"{100 * (ratio - 1):+.1f} % |", flush=True)


def memory():
    """What a call takes beside x, its results and the plan's workspace: a copy of x would be all of
    it."""
    shape = (8, 1_000_000) if QUICK else (64, 1_000_000)
    x = numpy.random.default_rng(0).standard_normal(shape)
    plan = wavesift.Plan("emd", shape, device="cpu", modes=2, sifts=1)
    made = {n: numpy.ones(plan.full_shape(n), plan.arrays[n].dtype)
            for n in ("modes", "residue", "mode_count")}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    plan(x, arrays=["modes"], out=made)
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    print(f"\nplan(x, out=..), {shape[0]} x 1 M f64, {x.nbytes / 1e6:.0f} MB: the peak of memory "
          f"grows by {grown / 1e6:.1f} MB, of which workspace {plan.workspace / 1e6:.1f} MB")


# ---- Beside other packages ----------------------------------------------------------------------

def pyemd():
    import PyEMD

    def one(x):
        emd = PyEMD.EMD(FIXE=10)
        return [emd.emd(row) for row in x]

    def ensemble(x, n, processes):
        many = {"parallel": True, "processes": processes} if processes > 1 else {"parallel": False}
        e = PyEMD.EEMD(trials=n, noise_width=0.2, ext_EMD=PyEMD.EMD(FIXE=10), **many)
        e.noise_seed(1)
        return [e.eemd(row) for row in x]
    return "PyEMD", importlib.metadata.version("EMD-signal"), one, ensemble


def emd():
    from emd import sift

    options = {"stop_method": "fixed", "max_iters": 10}

    def one(x):
        return [sift.sift(row, imf_opts=options) for row in x]

    def ensemble(x, n, processes):
        return [sift.ensemble_sift(row, nensembles=n, ensemble_noise=0.2, imf_opts=options,
                                   nprocesses=processes) for row in x]
    return "emd", importlib.metadata.version("emd"), one, ensemble


def peers(packages):
    rng = numpy.random.default_rng(1)
    scale = 10 if QUICK else 1
    x = rng.standard_normal((1, 100_000 // scale))
    many = rng.standard_normal((16, 10_000 // scale))
    short = rng.standard_normal((1, 10_000 // scale))
    trials = 20
    # What it is, the peer's with so many processes, those that it can have, ours with threads.
    works = [(f"emd, {x.shape[1]} samples", lambda one, ens, p: one(x), False,
              lambda t: wavesift.emd(x, sifts=10, threads=t, device="cpu")),
             (f"emd, 16 channels x {many.shape[1]}", lambda one, ens, p: one(many), False,
              lambda t: wavesift.emd(many, sifts=10, threads=t, device="cpu")),
             (f"eemd, {short.shape[1]} samples x {trials}",
              lambda one, ens, p: ens(short, trials, p), True,
              lambda t: wavesift.eemd(short, sifts=10, realizations=trials, threads=t,
                                      device="cpu"))]
    counts = list(dict.fromkeys((1, len(os.sched_getaffinity(0)))))
    for package in packages:
        try:
            name, version, one, ensemble = package()
        except ImportError as e:
            print(f"| {package.__name__} NOT RUN: {e} | | | |")
            continue
        for what, theirs, shared, ours in works:
            runs = [(f"{t} thread{'s' * (t > 1)}", lambda t=t: ours(t), t) for t in counts]
            peer = {t: lambda p=t: theirs(one, ensemble, p) for t in (counts if shared else [1])}
            _, told = rounds([run for _, run, _ in runs] + list(peer.values()),
                             1.0 if QUICK else 2.0, ROUNDS)
            slow = {t: told[len(runs) + k][0] for k, t in enumerate(peer)}
            for (threads, _, t), (fast, _) in zip(runs, told):
                b = slow.get(t, slow[1])
                print(f"| {what}, {threads}, {name} {version}"
                      f"{f' with {t} processes' if shared and t > 1 else ''} | {fast * 1e3:.1f} ms "
                      f"| {b * 1e3:.1f} ms | {b / fast:.0f} times |", flush=True)


def main():
    warnings.simplefilter("ignore")
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    asked = words or ["memory", "overhead", "large", "pyemd", "emd"]
    print(f"wavesift {wavesift.__version__}, NumPy {numpy.__version__}, Python "
          f"{sys.version.split()[0]}, {len(os.sched_getaffinity(0))} processors, load average "
          f"{os.getloadavg()[0]:.1f}")
    if "memory" in asked:
        memory()
    if "overhead" in asked or "large" in asked:
        print("\n| | the library alone | the package | |\n|---|---|---|---|")
    if "overhead" in asked:
        overhead()
    if "large" in asked:
        large()
    packages = [p for word in asked for p in (pyemd, emd) if p.__name__ == word]
    if packages:
        print("\n| | wavesift | peer | ratio |\n|---|---|---|---|")
        peers(packages)
    print(f"\nload average at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
