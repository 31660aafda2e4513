"""Whole commands on a GPU by two builds of the program, in turn, and the ratio of their medians.

    python3 bench/cuda/commands.py WAVESIFT BASE [RUNS]

WAVESIFT, BASE: two programs, each with its libwavesift_cuda.so beside it.  The first run of each is
not counted.  Signals are random walks, and the EEG of examples/data.  Needs NumPy.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

EEG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/data/eeg.edf")
ROWS = (
    ("cwt 2^20 x 100, 1-450 of 1000 Hz", "one", "cwt --fs 1000 --freqs 1:450:100 --quantity power"),
    ("the same, one output for 16 samples", "one",
     "cwt --fs 1000 --freqs 1:450:100 --quantity power --decimate 16"),
    ("cwt 2^20 x 60, 1-200 of 1000 Hz", "one", "cwt --fs 1000 --freqs 1:200:60 --quantity power"),
    ("cwt 32 x 30 504 x 60, 1-45 of 128 Hz", "many",
     "cwt --fs 128 --freqs 1:45:60 --quantity power"),
    ("the same, f64", "many",
     "cwt --fs 128 --freqs 1:45:60 --quantity power --precision f64"),
    ("cwt of the EEG, defaults", None, "cwt"),
    ("hht of the EEG, defaults", None, "hht"),
    ("iceemdan of the EEG, defaults", None, "iceemdan"),
    ("memd of the EEG, defaults", None, "memd"),
)


def signals(folder):
    random = numpy.random.default_rng(1)
    for name, shape in (("one", (1, 1 << 20)), ("many", (32, 30504))):
        walk = numpy.cumsum(random.standard_normal(shape), axis=1)
        numpy.save(os.path.join(folder, name + ".npy"), walk.astype("f4"))


def seconds(program, command, signal, out):
    name, *options = command.split()
    start = time.monotonic()
    subprocess.run([program, name, signal, *options, "--device", "cuda", "-o", out, "--overwrite",
                    "-q"], check=True)
    return time.monotonic() - start


def main(program, base, runs=5):
    with tempfile.TemporaryDirectory() as folder:
        signals(folder)
        for title, signal, command in ROWS:
            path = os.path.join(folder, signal + ".npy") if signal else EEG
            taken = {program: [], base: []}
            for _ in range(1 + int(runs)):
                for which in taken:
                    taken[which].append(seconds(which, command, path,
                                                os.path.join(folder, "out.h5")))
            now, before = (statistics.median(taken[w][1:]) for w in (program, base))
            print(f"{title:40s} {before:7.3f} s by the base, {now:7.3f} s: {now / before:.3f}",
                  flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
