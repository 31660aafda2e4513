"""Reference memd-gpu against the same written down in NumPy and SciPy: directions by memd.m's
angles with no case of three channels and each prime once, strict extrema, natural splines with
both ends as knots, a fixed number of sifts, every direction with two extrema of either kind.

    memd_gpu.py WAVESIFT [CHANNELS ...]      default: 3 40 64

prints the largest difference by the signal's std, and fails beyond 1e-10."""
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.interpolate import CubicSpline

from direct import extrema, radical_inverse

DIRECTIONS, SAMPLES, MODES, SIFTS = 48, 600, 2, 4


def primes(n):
    found, p = [], 2
    while len(found) < n:
        if all(p % q for q in found):
            found.append(p)
        p += 1
    return found


def by_angles(channels):
    """Unit vectors [direction][channel]."""
    n = np.arange(1, DIRECTIONS + 1)
    b = 2 * np.array([(n + 0.5) / DIRECTIONS]
                     + [[radical_inverse(i, p) for i in n] for p in primes(channels - 1)]) - 1
    rest = np.sqrt(np.cumsum((b ** 2)[::-1], axis=0)[::-1])
    out, product = np.empty_like(b), np.ones(DIRECTIONS)
    for c in range(channels - 1):
        angle = np.arctan2(rest[c + 1], b[c])
        out[c], product = np.cos(angle) * product, product * np.sin(angle)
    out[-1] = product
    return out.T


def ends(h, at, larger):
    """Rows for sample 0: itself, or the line through the two nearest of four extrema, channel
    by channel, where that is more extreme."""
    if len(at) < 4:
        return h[0]
    a, b = at[:2]
    line = h[a] - (h[b] - h[a]) / (b - a) * a
    return np.maximum(h[0], line) if larger else np.minimum(h[0], line)


def mean_envelope(h, vectors):
    n = len(h)
    total, count = np.zeros_like(h), 0
    for u in vectors:
        low, high = extrema(h @ u)
        if min(len(low), len(high)) < 2:
            continue
        for at, larger in ((low, False), (high, True)):
            values = np.vstack([ends(h, at, larger), h[at],
                                ends(h[::-1], n - 1 - at[::-1], larger)])
            times = np.concatenate([[0], at, [n - 1]])
            total += CubicSpline(times, values, bc_type="natural")(np.arange(n))
        count += 1
    return total / (2 * count)


def memd(x):
    rest, out, vectors = x.T.copy(), [], by_angles(len(x))
    for _ in range(MODES):
        h = rest.copy()
        for _ in range(SIFTS):
            h -= mean_envelope(h, vectors)
        out.append(h.T.copy())
        rest -= h
    return np.array(out + [rest.T]).transpose(1, 0, 2)


def difference(program, channels, folder):
    rng = np.random.default_rng(channels)
    x = rng.standard_normal((channels, SAMPLES)).cumsum(axis=1) * 0.2
    x += rng.standard_normal((channels, SAMPLES))
    source, target = os.path.join(folder, "x.npy"), os.path.join(folder, "y.npy")
    np.save(source, x)
    subprocess.run([program, "memd", source, "--reference", "memd-gpu", "--directions",
                    str(DIRECTIONS), "--modes", str(MODES), "--sifts", str(SIFTS), "--device",
                    "cpu", "--overwrite", "-q", "-o", target], check=True)
    return np.abs(np.load(target) - memd(x)).max() / x.std()


if __name__ == "__main__":
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for c in map(int, sys.argv[2:] or ["3", "40", "64"]):
            d = difference(sys.argv[1], c, folder)
            print(f"{c} channels: largest difference {d:.1e} std")
            worst = max(worst, d)
    sys.exit(not worst < 1e-10)
