"""PyWavelets' direct method, and numpy.convolve, on the work of conv.c: one core, processor time, the
least of three.

    peers.py [SAMPLES SCALES]
    peers.py table BUILD [f64 | f32]    the table of docs/validation.md: each row of
                                        BUILD/bench/conv_tables convolutions and PyWavelets in
                                        turn, twice, the least of both
"""
import os
import subprocess
import sys
import time

for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

try:
    import numpy as np
    import pywt
except ImportError as error:
    print("PyWavelets   NOT RUN:", error)
    sys.exit(0)


def doppler(samples):
    t = (np.arange(samples) + 0.5) / samples
    return np.sqrt(t * (1 - t)) * np.sin(2.1 * np.pi / (t + 0.05))


def least(work, runs=3):
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def pywavelets(samples, scales, dtype, runs):
    x = doppler(samples).astype(dtype)
    return least(lambda: pywt.cwt(x, np.arange(1, scales + 1), "morl", method="conv"), runs)


def compare(samples, scales):
    for dtype in (np.float64, np.float32):
        x = doppler(samples).astype(dtype)
        masks = []
        for s in range(1, scales + 1):
            u = np.arange(-8 * s, 8 * s + 1) / s
            masks.append((np.exp(-u * u / 2) * np.cos(5 * u) / np.sqrt(s)).astype(dtype))
        name = "f64" if dtype is np.float64 else "f32"
        peer = pywavelets(samples, scales, dtype, 3)
        print(f"{name}  PyWavelets {pywt.__version__} conv  {peer:.4f} s", flush=True)
        plain = least(lambda: [np.convolve(x, m, "same") for m in masks])
        print(f"{name}  numpy.convolve {np.__version__}  {plain:.4f} s", flush=True)


def ours(build, name, samples, scales):
    """Milliseconds of serial C, direct, FFT, overlap-save and chosen; differences of the first,
    second and last."""
    program = [f"{build}/bench/conv_tables", "convolutions", name, str(samples), str(scales)]
    row = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    words = row.splitlines()[-1].split()
    return [float(w) for w in words[3:8]], [float(w) for w in words[9:12]]


def digits(ms):
    """Three of them, as the table has."""
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.1f}" if ms >= 10 else f"{ms:.2f}"


def table(build, names):
    print("| type | samples | masks | serial C | PyWavelets | direct | one transform | "
          "overlap-save | chosen | PyWavelets / direct | differences: serial C, direct, chosen |")
    print("|" + "---|" * 11)
    for name in names:
        dtype = np.float64 if name == "f64" else np.float32
        for samples in (1024, 10240, 102400):
            for scales in (16, 64, 200):
                times, differences = ours(build, name, samples, scales)
                runs = 20 if samples * scales < 1e6 else 2
                peer = 1e3 * pywavelets(samples, scales, dtype, runs)
                again, _ = ours(build, name, samples, scales)
                peer = min(peer, 1e3 * pywavelets(samples, scales, dtype, runs))
                times = [min(a, b) for a, b in zip(times, again)]
                cells = [digits(t) for t in (times[0], peer, *times[1:])]
                print(f"| {name} | {samples} | {scales} | " + " | ".join(cells) +
                      f" | {peer / times[1]:.1f} | " +
                      ", ".join(f"{d:.1e}" for d in differences) + " |", flush=True)


if len(sys.argv) > 2 and sys.argv[1] == "table":
    table(sys.argv[2], sys.argv[3:] or ["f64", "f32"])
else:
    compare(*(int(a) for a in sys.argv[1:3])) if len(sys.argv) > 2 else compare(102400, 200)
