r"""Short epochs beside one signal as long, on one core: ns a sample and sift, or a coefficient.

    PYTHONPATH=bindings/python WAVESIFT_LIBRARY=BUILD/libwavesift.so python3 \
        bench/python/epochs.py [--rounds=N] [--base=OTHER/libwavesift.so]
        [--base-python=OTHER/bindings/python] [WORD ..]

Each call is one from Python, results into new arrays, as people type it; figures are medians of the
processor's time.  With --base runs of two libraries alternate, each in a process of its own, and
the last column is the median of the ratios of neighbouring runs, this library's time over the
other's; --base-python is the package of a library too old for this one.  Beside MNE where it is
installed.  Words: only rows whose name has one of them.
"""
import os
import statistics
import subprocess
import sys
import time

import numpy

ROUNDS = next((int(w[9:]) for w in sys.argv[1:] if w.startswith("--rounds=")), 7)
BASE = next((w[7:] for w in sys.argv[1:] if w.startswith("--base=")), None)
BASE_PYTHON = next((w[14:] for w in sys.argv[1:] if w.startswith("--base-python=")), None)
WORDS = [w for w in sys.argv[1:] if not w.startswith("--")]

FS, EPOCHS, CHANNELS, SAMPLES = 250.0, 40, 32, 1000
FREQS = tuple(numpy.geomspace(8, 44, 40))
ONE = {"threads": 1, "device": "cpu"}


def signal(*shape):
    """EEG-like: noise whose power falls with frequency, and a rhythm of 10 Hz."""
    x = numpy.fft.rfft(numpy.random.default_rng(1).standard_normal(shape))
    x /= numpy.sqrt(1 + numpy.arange(x.shape[-1]) * shape[-1] / SAMPLES)
    x[..., 10 * shape[-1] // int(FS)] *= 20
    return numpy.fft.irfft(x, shape[-1])


def emd(x, **options):
    import wavesift

    return lambda: float(wavesift.emd(x, FS, sifts=10, **options, **ONE).sifts.sum()) * x.shape[-1]


def cwt(x, name="cwt", array="coefficients", again=False, **options):
    """A coefficient of each sample and frequency, kept or not.  again: into the same memory."""
    import wavesift

    made = {}

    def work():
        r = getattr(wavesift, name)(x, FS, freqs=FREQS, out=made, **options, **ONE)
        if again:
            made[array] = r[array]
        return x.size * len(FREQS)
    return work


def averages(x, name, **options):
    """A coefficient of each epoch, or of each pair of channels."""
    import wavesift

    def work():
        getattr(wavesift, name)(x, FS, freqs=FREQS, **options, **ONE)
        return x.size * len(FREQS)
    return work


def tfr(x, output, decim=1, of_mne=False):
    freqs = numpy.array(FREQS)

    def work():
        if of_mne:
            from mne.time_frequency import tfr_array_morlet as call
        else:
            from wavesift.mne import tfr_array_wavesift as call
        call(x, FS, freqs, n_cycles=7.0, decim=decim, output=output, n_jobs=1)
        return x.size * len(FREQS)
    return work


def works():
    """Name of each row, and the call, which returns how many things it made."""
    x = signal(EPOCHS, CHANNELS, SAMPLES)
    long = signal(1, EPOCHS * CHANNELS * SAMPLES)
    few = signal(20_000, 300)[:4000]
    x32, long32 = x.astype("f4"), long.astype("f4")
    rows = {
        "emd 8 modes, epochs": emd(x, modes=8),
        "emd 8 modes, long": emd(long, modes=8),
        "emd 4 modes, rows of 300": emd(few, modes=4),
        "emd 4 modes, long": emd(long, modes=4),
    }
    for kind, epochs, whole in (("f32", x32, long32), ("f64", x, long)):
        rows |= {
            f"cwt {kind}, epochs": cwt(epochs),
            f"cwt {kind}, long": cwt(whole),
            f"cwt {kind}, epochs, into touched memory": cwt(epochs, again=True),
            f"cwt {kind}, long, into touched memory": cwt(whole, again=True),
            f"cwt {kind}, power by 4, epochs": cwt(epochs, quantity="power", decimate=4,
                                                   array="power"),
            f"cwt {kind}, power by 4, long": cwt(whole, quantity="power", decimate=4,
                                                 array="power"),
            f"trials {kind}": averages(epochs, "trials"),
            f"coherence {kind}, 8 channels": averages(epochs[:, :8], "coherence"),
            f"superlets {kind}, epochs": cwt(epochs[:8], "superlets", "power"),
        }
    rows |= {
        "cwt --reference mne, epochs": cwt(x, reference="mne"),
        "cwt --reference mne, long": cwt(long, reference="mne"),
    }
    for output, decim in (("complex", 1), ("power", 4), ("avg_power", 1), ("avg_power_itc", 1)):
        name = f"{output}" + (f" by {decim}" if decim > 1 else "")
        rows[f"tfr_array {name}, wavesift"] = tfr(x, output, decim)
        rows[f"tfr_array {name}, MNE"] = tfr(x, output, decim, True)
    return {k: v for k, v in rows.items() if not WORDS or any(w in k for w in WORDS)}


def serve():
    """Runs the rows that are named on standard input, and answers with ns a thing."""
    rows = works()
    print(*rows, sep="\n", flush=True)
    print(flush=True)
    for line in sys.stdin:
        work = rows[line.rstrip("\n")]
        try:
            began = time.process_time()
            made = work()
            print((time.process_time() - began) * 1e9 / made, flush=True)
        except ImportError:
            print("nan", flush=True)


class Library:
    def __init__(self, path):
        env = dict(os.environ, WAVESIFT_LIBRARY=path) if path else None
        if path and BASE_PYTHON:
            env["PYTHONPATH"] = BASE_PYTHON
        self.of = subprocess.Popen([sys.executable, __file__, "serve", *WORDS], env=env, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.rows = list(iter(lambda: self.of.stdout.readline().rstrip("\n"), ""))

    def run(self, row):
        print(row, file=self.of.stdin, flush=True)
        return float(self.of.stdout.readline())


def main():
    ours, *other = [Library(p) for p in ([None, BASE] if BASE else [None])]
    print(f"| ns, {EPOCHS} epochs x {CHANNELS} channels x {SAMPLES}, one core | this | "
          + ("base | ratio |" if other else ""))
    for row in ours.rows:
        runs = [[each.run(row) for each in (ours, *other)] for _ in range(1 + ROUNDS)][1:]
        told = [statistics.median(r[k] for r in runs) for k in range(1 + len(other))]
        if told[0] != told[0]:
            print(f"| {row} | NOT RUN |", flush=True)
            continue
        ratio = [f"{statistics.median(r[0] / r[1] for r in runs):.3f}"] if other else []
        print(f"| {row} | " + " | ".join([f"{t:.2f}" for t in told] + ratio) + " |", flush=True)


if __name__ == "__main__":
    if WORDS[:1] == ["serve"]:
        WORDS = WORDS[1:]
        serve()
    else:
        main()
