"""Multivariate EMD written down directly in NumPy and SciPy: the yardstick of
bench/memd.  What memd.m does with a fixed number of sifts: projections, their
extrema, Rilling's mirrored knots, one not-a-knot spline of all channels per
envelope, the mean over directions."""
import sys
import time

import numpy as np
from scipy.interpolate import CubicSpline

PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]


def radical_inverse(n, base):
    x, place = 0.0, 1.0 / base
    while n:
        x += place * (n % base)
        n //= base
        place /= base
    return x


def hammersley(channels, directions):
    """Unit vectors [direction][channel], channels other than 3."""
    n = np.arange(1, directions + 1)
    u = np.array([(n + 0.5) / directions]
                 + [[radical_inverse(i, p) for i in n] for p in PRIMES[:channels - 1]])
    b = 2 * u.T - 1
    b[:, -1] = np.abs(b[:, -1])
    return b / np.linalg.norm(b, axis=1, keepdims=True)


def extrema(y):
    step = np.sign(np.diff(y))
    turn = step[:-1] * step[1:] < 0
    peak = turn & (step[:-1] > 0)
    return np.flatnonzero(turn & ~peak) + 1, np.flatnonzero(peak) + 1


def mirrored(y, low, high):
    """Times and samples of the knots (low, high) beyond the left end."""
    rising = high[0] < low[0]
    near, far = (high, low) if rising else (low, high)
    inside = y[0] > y[far[0]] if rising else y[0] < y[far[0]]
    if inside:
        about, a, o = near[0], near[1:3], far[:2]
        if len(a) == 0 or len(o) == 0 or 2 * about - a[-1] > 0 or 2 * about - o[-1] > 0:
            about, a, o = 0, near[:2], far[:2]
    else:
        about, a, o = 0, near[:2], np.concatenate([[0], far[:1]])
    made = ((2 * about - a)[::-1], a[::-1]), ((2 * about - o)[::-1], o[::-1])
    return made[::-1] if rising else made


def knots(y, low, high):
    last = len(y) - 1
    left = mirrored(y, low, high)
    right = mirrored(y[::-1], last - low[::-1], last - high[::-1])
    lists = []
    for own, (tl, sl), (tr, sr) in zip((low, high), left, right):
        lists.append((np.concatenate([tl, own, (last - tr)[::-1]]),
                      np.concatenate([sl, own, (last - sr)[::-1]])))
    return lists


def mean_envelope(h, vectors):
    n, channels = h.shape
    t = np.arange(n)
    total, count = np.zeros((n, channels)), 0
    for u in vectors:
        y = h @ u
        low, high = extrema(y)
        if len(low) + len(high) < 3:
            continue
        for times, samples in knots(y, low, high):
            total += CubicSpline(times, h[samples], bc_type="not-a-knot")(t)
        count += 1
    return total / (2 * count), count


def memd(x, directions, modes, sifts):
    """x [channel][time]; modes [mode][channel][time], the rest last."""
    rest = x.T.copy()
    vectors = hammersley(len(x), directions)
    out = []
    for _ in range(modes):
        h = rest.copy()
        for _ in range(sifts):
            h -= mean_envelope(h, vectors)[0]
        out.append(h.T.copy())
        rest -= h
    return np.array(out + [rest.T])


if __name__ == "__main__":
    source, target = sys.argv[1], sys.argv[2]
    directions, modes, sifts = map(int, sys.argv[3:6])
    x = np.load(source)
    start = time.perf_counter()
    result = memd(x, directions, modes, sifts)
    print(time.perf_counter() - start)
    np.save(target, result)
