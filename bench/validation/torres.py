"""Reference torres against the same written down in NumPy and SciPy, on given noise: CEEMDAN
of 2011 (noise as given at first, each mode of it at the residue's std later on), Rilling's
sifting inside.

    torres.py WAVESIFT [RUNS]

prints the largest difference by the signal's std, and fails beyond 1e-10."""
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.interpolate import CubicSpline

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "memd"))
from direct import extrema, knots  # noqa: E402

NOISE, MOST_SIFTS = 0.2, 2000
SD, SD2, SHARE = 0.05, 0.5, 0.05


def envelopes(h):
    """Lower and upper; None where nothing oscillates."""
    low, high = extrema(h)
    if len(low) + len(high) < 3:
        return None
    t = np.arange(len(h))
    return [CubicSpline(at, h[samples], bc_type="not-a-knot")(t)
            for at, samples in knots(h, low, high)]


def first_mode(y):
    """The mode, or None where y has none."""
    h = y
    for sifts in range(MOST_SIFTS + 1):
        both = envelopes(h)
        if both is None:
            return h if sifts else None
        mean, amplitude = (both[0] + both[1]) / 2, abs(both[1] - both[0]) / 2
        ratio = abs(mean) / amplitude
        large = np.mean(ratio > SD) > SHARE or np.any(ratio > SD2)
        turns, crossings = sum(map(len, extrema(h))), np.sum(h[:-1] * h[1:] < 0)
        if (not (large and turns > 2) and abs(crossings - turns) <= 1) or sifts == MOST_SIFTS:
            return h
        h = h - mean


def all_modes(w):
    modes, rest = [], w
    while (mode := first_mode(rest)) is not None and np.ptp(rest) > 1e-10 * np.ptp(w):
        modes.append(mode)
        rest = rest - mode
    return modes


def first_row(y):
    mode = first_mode(y)
    return y if mode is None else mode


def ceemdan(x, noise):
    unit = x.std(ddof=1)
    x = x / unit
    of_noise = [all_modes(w) for w in noise]
    out = [np.mean([first_row(x + NOISE * w) for w in noise], axis=0)]
    rest = x - out[0]
    while np.count_nonzero(np.diff(np.sign(np.diff(rest)))) > 2:
        stage, rows = len(out) - 1, []
        for modes in of_noise:
            y = rest
            if stage < len(modes):
                y = rest + NOISE * rest.std(ddof=1) * modes[stage] / modes[stage].std(ddof=1)
            rows.append(first_row(y))
        out.append(np.mean(rows, axis=0))
        rest = rest - out[-1]
    return unit * np.array(out + [rest])


def difference(program, run, folder):
    rng = np.random.default_rng(run)
    n, realizations = int(rng.integers(20, 500)), int(rng.integers(2, 9))
    x = rng.standard_normal(n) + 3 * np.sin(np.arange(n) / rng.uniform(2, 60))
    noise = rng.standard_normal((realizations, n))
    paths = [os.path.join(folder, name) for name in ("x.npy", "w.npy", "y.npy")]
    np.save(paths[0], x)
    np.save(paths[1], noise)
    subprocess.run([program, "ceemdan", paths[0], "--reference", "torres", "--noise", str(NOISE),
                    "-n", str(realizations), "--noise-file", paths[1], "--device", "cpu",
                    "--overwrite", "-q", "-o", paths[2]], check=True)
    ours, theirs = np.load(paths[2]), ceemdan(x, noise)
    ours = ours.reshape(-1, n)
    if ours.shape != theirs.shape:
        return n, np.inf
    return n, abs(ours - theirs).max() / x.std()


if __name__ == "__main__":
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for run in range(int(sys.argv[2]) if len(sys.argv) > 2 else 20):
            n, d = difference(sys.argv[1], run, folder)
            print(f"run {run}, {n} samples: largest difference {d:.1e} std")
            worst = max(worst, d)
    sys.exit(not worst < 1e-10)
