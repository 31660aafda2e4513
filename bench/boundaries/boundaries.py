#!/usr/bin/env python3
"""boundaries.py - what each boundary rule costs at the ends of a recording: cut against uncut.

    WAVESIFT_LIBRARY=libwavesift.so PYTHONPATH=bindings/python boundaries.py [WINDOWS]

WAVESIFT_DATA names the folder of recordings.  Of each of eight recordings WINDOWS (100) stretches
of 512 samples are drawn, and decomposed by EMD of ten sifts a mode twice: cut out, and with 512
samples more on either side, of which the middle is taken.  Modes 1 to k are added up, since what
leaves one mode goes into the next: the error of k is the root mean square of the difference of two
such sums, over that of mode k itself.  It is told by the distance from the nearer end, in periods
of mode k (twice 512 samples over its crossings), of modes that have at least four periods.

Four rules are the library's.  Two are made of longer signals: `antisymmetric`, each end continued
by its image turned by half a turn about the end's sample, and `autoregressive`, continued by the
forecast of a model of 32 coefficients that the window was fitted to by Burg's method.

A rule is chosen on the first four recordings, by the median error within a period, and judged
on the others.  The default changes where that median falls by 10 %, the 95 % interval of 2000
bootstraps of windows is clear of 0, and no recording gets worse by 5 %.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "validation"))
import frequency  # noqa: E402

N, BESIDE, MODES, SIFTS, ORDER = 512, 512, 6, 10, 32
CHOICE = ("EEG", "ECG 100", "earthquake CRLZ", "length of day")
JUDGE = ("MEG", "ECG 208", "earthquake TLY", "earthquake RJOB")
RULES = ("mirror", "extrapolate", "slope", "periodic", "antisymmetric", "autoregressive")
DISTANCES = ((0, 0.5), (0.5, 1), (1, 2), (2, 4))
LEAST_PERIODS = 4


def burg(x):
    """Coefficients a of x[t] = sum a[i] x[t - 1 - i]."""
    ahead, behind, a = x[1:].copy(), x[:-1].copy(), np.zeros(0)
    for _ in range(ORDER):
        power = ahead @ ahead + behind @ behind
        k = 2 * (ahead @ behind) / power if power > 0 else 0.0
        a = np.append(a - k * a[::-1], k)
        ahead, behind = (ahead - k * behind)[1:], (behind - k * ahead)[:-1]
    return a


def forecast(x, count):
    mean = x.mean()
    a, out = burg(x - mean)[::-1], list((x - mean)[-ORDER:])
    for _ in range(count):
        out.append(a @ out[-ORDER:])
    return np.array(out[ORDER:]) + mean


def continued(x, rule):
    """A window, and what the rule puts before and after it."""
    if rule == "antisymmetric":
        return np.concatenate([2 * x[0] - x[:0:-1], x, 2 * x[-1] - x[-2::-1]])
    return np.concatenate([forecast(x[::-1], N)[::-1], x, forecast(x, N)])


def sums(x, rule):
    """Modes 1 to k added up, [k][time], of a window."""
    import wavesift
    if rule in RULES[4:]:
        x, rule = continued(x, rule), RULES[0]
    r = wavesift.emd(x, modes=MODES, sifts=SIFTS, boundary=rule, threads=1)
    first = (len(x) - N) // 2
    modes = np.array(r.modes).reshape(-1, r.modes.shape[-1])[:, first:first + N]
    return np.cumsum(np.pad(modes, ((0, MODES - len(modes)), (0, 0))), axis=0)


def errors(x):
    """[rule][distance][mode] of a window, the last distance the interior; x has both sides."""
    whole = sums(x, "mirror")
    modes = np.diff(whole, axis=0, prepend=0)
    found = np.full((len(RULES), len(DISTANCES) + 1, MODES), np.nan)
    away = np.minimum(np.arange(N), np.arange(N)[::-1])
    for i, rule in enumerate(RULES):
        cut = sums(x[BESIDE:BESIDE + N], rule)
        for k in range(MODES):
            power = (modes[k] ** 2).mean()
            crossings = (np.diff(np.signbit(modes[k] - modes[k].mean()))).sum()
            if crossings < 2 * LEAST_PERIODS or not power > 0:
                continue
            at = away * crossings / (2 * N)
            square = (cut[k] - whole[k]) ** 2 / power
            for d, (low, high) in enumerate(DISTANCES + ((4, np.inf),)):
                near = (at >= low) & (at < high)
                if near.any():
                    found[i, d, k] = np.sqrt(square[near].mean())
    return found


def near_ends(found):
    """[window][rule]: the mean over modes of the error within a period."""
    return np.nanmean(found[:, :, :2], axis=(2, 3))


def table(name, found):
    for i, rule in enumerate(RULES):
        line = " ".join(f"{np.nanmedian(found[:, i, d]):9.3f}" for d in range(found.shape[2]))
        print(f"{name:16} {rule:15} {line}  {np.median(near_ends(found)[:, i]):9.3f}", flush=True)


def gain(of, rule):
    """How far the median error falls, by a rule instead of the default, in all recordings."""
    values = np.concatenate(of)
    return 1 - np.median(values[:, rule]) / np.median(values[:, 0])


def main():
    windows = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    data = os.environ.get("WAVESIFT_DATA", "../shared/data")
    if not os.path.isdir(os.path.join(data, "eeg")):
        print("boundary rules: NOT RUN: no recordings under WAVESIFT_DATA")
        return 0
    near, rng = {}, np.random.default_rng(43)
    print(f"{windows} windows of {N} samples each; error over the mode's own size, by distance "
          "from the end in periods")
    print(f"{'recording':16} {'rule':15} {'0 - 0.5':>9} {'0.5 - 1':>9} {'1 - 2':>9} {'2 - 4':>9} "
          f"{'beyond 4':>9}  {'within 1':>9}")
    for name, _, read in frequency.recordings(data):
        if name not in CHOICE + JUDGE:
            continue
        rows = read()
        found = []
        while len(found) < windows:
            row = rows[rng.integers(len(rows))]
            at = rng.integers(len(row) - N - 2 * BESIDE + 1)
            part = row[at:at + N + 2 * BESIDE]
            if np.ptp(part[BESIDE:BESIDE + N]) > 0:
                found.append(errors(part))
        found = np.array(found)
        table(name, found)
        near[name] = near_ends(found)
    return judge(near, rng)


def judge(near, rng):
    best = max(range(1, len(RULES)), key=lambda r: gain([near[n] for n in CHOICE], r))
    print(f"chosen on {', '.join(CHOICE)}: {RULES[best]},\n    median error within a period "
          f"{100 * gain([near[n] for n in CHOICE], best):+.1f} % lower than {RULES[0]}'s")
    drawn = [gain([near[n][rng.integers(len(near[n]), size=len(near[n]))] for n in JUDGE], best)
             for _ in range(2000)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    each = {n: gain([near[n]], best) for n in JUDGE}
    fall = gain([near[n] for n in JUDGE], best)
    print(f"judged on {', '.join(JUDGE)}:\n    {100 * fall:+.1f} % lower ({100 * low:+.1f} to "
          f"{100 * high:+.1f} %); " + ", ".join(f"{n} {100 * g:+.1f} %" for n, g in each.items()))
    changes = fall >= 0.10 and low > 0 and min(each.values()) > -0.05
    print(f"CHANGE: the default becomes {RULES[best]}" if changes
          else f"KEEP: the default stays {RULES[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
