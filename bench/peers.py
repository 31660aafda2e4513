"""wavesift beside the Python packages EMD-signal (PyEMD) and emd (Quinn et al.):
f64, one core, S = 10, the same white noise, runs alternating; ratios are
medians over pairs of neighbouring runs.  A package that is not there prints
NOT RUN.

    python3 bench/peers.py BUILD/bench      writes BUILD/bench/peers_python.json

Sifts are counted alike on both sides, as passes over a signal that build and
subtract an envelope mean, those of the noise included: theirs by wrapping the
function that makes the envelopes of one pass.
"""
import ctypes
import importlib
import importlib.metadata
import json
import os
import statistics
import sys
import time
import warnings

PATIENCE = 20.0  # seconds of pairs; three pairs at least
EMD, ICEEMDAN = 1, 4


class Ours:
    def __init__(self, lib, method, n, realizations):
        self.lib, self.n = lib, n
        self.handle = lib.ours_open(method, n, realizations)
        self.sifts = lib.ours_sifts(self.handle)

    def signal(self, numpy):
        x = numpy.empty(self.n)
        self.lib.ours_signal(self.handle, self.n, x.ctypes.data)
        return x

    def run(self):
        return self.lib.ours_run(self.handle)


def load_ours(folder):
    lib = ctypes.CDLL(os.path.join(folder, "ours.so"))
    lib.ours_open.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
    lib.ours_open.restype = ctypes.c_void_p
    lib.ours_signal.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    lib.ours_sifts.argtypes = lib.ours_run.argtypes = [ctypes.c_void_p]
    lib.ours_sifts.restype = lib.ours_run.restype = ctypes.c_double
    return lib


class Counter:
    """Counts the calls of owner.name; `each` of them are one sift."""

    def __init__(self, owner, name, each=1):
        self.calls, self.each = 0, each
        inner = getattr(owner, name)

        def counted(*args, **kwargs):
            self.calls += 1
            return inner(*args, **kwargs)
        setattr(owner, name, counted)

    def take(self):
        calls, self.calls = self.calls, 0
        return calls / self.each


def pyemd(_):
    from PyEMD import CEEMDAN, EMD as PyEMD_EMD
    counter = Counter(PyEMD_EMD, "extract_max_min_spline")

    def run_emd(x, realizations):
        PyEMD_EMD(FIXE=10).emd(x)

    def run_ceemdan(x, realizations):
        c = CEEMDAN(trials=realizations, epsilon=0.2, ext_EMD=PyEMD_EMD(FIXE=10), parallel=False)
        c.noise_seed(1)
        c.ceemdan(x)
    return counter, run_emd, run_ceemdan


def quinn(module):
    sift = importlib.import_module("emd.sift")
    counter = Counter(sift, "interp_envelope")
    opts = {"stop_method": "fixed", "max_iters": 10}

    def run_emd(x, realizations):
        sift.sift(x, imf_opts=opts)

    def run_iceemdan(x, realizations):
        # No more modes than every noise has: the package indexes them blindly.
        sift.complete_ensemble_sift(x, nensembles=realizations, noise_seed=1, max_imfs=8,
                                    imf_opts=opts)
    return counter, run_emd, run_iceemdan


PEERS = [("EMD-signal", "PyEMD", pyemd, "ceemdan"), ("emd", "emd", quinn, "iceemdan")]
WORK = [("emd", EMD, 100000, 1), ("iceemdan", ICEEMDAN, 10000, 10)]


def compare(numpy, lib, package, version, counter, theirs, run, work):
    name, method, n, realizations = work
    ours = Ours(lib, method, n, realizations)
    x = ours.signal(numpy)
    our_ns, their_ns, ratios = [], [], []
    until = time.monotonic() + PATIENCE
    while len(ratios) < 3 or (len(ratios) < 9 and time.monotonic() < until):
        a = ours.run() * 1e9 / (n * ours.sifts)
        counter.take()
        t0 = time.thread_time()
        run(x, realizations)
        seconds = time.thread_time() - t0
        sifts = counter.take()
        b = seconds * 1e9 / (n * sifts)
        our_ns.append(a)
        their_ns.append(b)
        ratios.append(b / a)
    row = {"peer": f"{package} {version}", "theirs": theirs, "ours": name, "samples": n,
           "realizations": realizations, "their_ns": statistics.median(their_ns),
           "our_ns": statistics.median(our_ns), "ratio": statistics.median(ratios),
           "their_sifts": sifts, "our_sifts": ours.sifts, "pairs": len(ratios)}
    print(f"{row['peer']:18} {theirs} {n} x {realizations}: {row['their_ns']:.1f} ns per sample "
          f"per sift ({sifts:.0f} sifts), wavesift {row['our_ns']:.2f}: {row['ratio']:.0f} x",
          flush=True)
    return row


def main():
    folder = sys.argv[1]
    rows = []
    for package, module, prepare, theirs in PEERS:
        try:
            numpy = importlib.import_module("numpy")
            imported = importlib.import_module(module)
        except ImportError as error:
            print(f"{package:18} NOT RUN: {error}")
            continue
        version = importlib.metadata.version(package)
        counter, run_emd, run_ensemble = prepare(imported)
        lib = load_ours(folder)
        for work, run in zip(WORK, (run_emd, run_ensemble)):
            name = "emd" if work[0] == "emd" else theirs
            rows.append(compare(numpy, lib, package, version, counter, name, run, work))
    with open(os.path.join(folder, "peers_python.json"), "w") as f:
        json.dump({"program": "peers_python", "rows": rows}, f, indent=1)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main()
