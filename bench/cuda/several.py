"""Whole commands on one GPU and on several: what a command takes, what its work takes, and whether
the results are equal.

    python3 bench/cuda/several.py WAVESIFT [DEVICES ..]

DEVICES: cuda:0, cuda:0,1 and so on; by default one to four GPUs.  The better of two runs counts.
Signals are random walks with noise.  Needs NumPy.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy

SAMPLES = 102401
ROWS = (
    ("one channel, 2000 realizations, f64", 1, "iceemdan --realizations 2000"),
    ("the same, f32", 1, "iceemdan --realizations 2000 --precision f32"),
    ("one channel, defaults", 1, "iceemdan"),
    ("two channels, 500 realizations in pairs", 2, "eemd --realizations 500 --pairs"),
    ("64 channels, defaults", 64, "iceemdan"),
)
WORK = re.compile(r"[0-9.]+ ns per [^\n|]+")


def signals(folder, samples):
    random = numpy.random.default_rng(3)
    for channels in {channels for _, channels, _ in ROWS}:
        noise = random.standard_normal((2, channels, samples))
        numpy.save(os.path.join(folder, f"{channels}.npy"),
                   (numpy.cumsum(noise[0], axis=1) + 10 * noise[1]).astype("f4"))


def measured(program, command, signal, device, out):
    """Seconds of the better of two runs, and what its summary says of the work."""
    name, *options = command.split()
    best = None
    for _ in range(2):
        start = time.monotonic()
        run = subprocess.run([program, name, signal, *options, "--fs", "1000", "--device", device,
                              "-o", out, "--overwrite"], check=True, capture_output=True,
                             text=True)
        took = time.monotonic() - start
        work = WORK.search(run.stdout + run.stderr)
        if best is None or took < best[0]:
            best = took, work.group() if work else ""
    return best


def content(path):
    with open(path, "rb") as f:
        return f.read()


def main(program, *devices):
    devices = devices or ["cuda:" + ",".join(map(str, range(n))) for n in range(1, 5)]
    samples = int(os.environ.get("SAMPLES", SAMPLES))
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        signals(folder, samples)
        for title, channels, command in ROWS:
            first = None
            for device in devices:
                out = os.path.join(folder, "out.npy")
                took, work = measured(program, command, os.path.join(folder, f"{channels}.npy"),
                                      device, out)
                result = content(out)
                first = first or (took, result)
                differ += result != first[1]
                print(f"{title:42s} {device:14s} {took:7.2f} s, {first[0] / took:.2f} times; "
                      f"{work}; {'equal' if result == first[1] else 'DIFFERENT'}", flush=True)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
