#!/usr/bin/env python3
"""coherence_levels.py - how often unrelated channels exceed the levels of `wavesift coherence`.

    coherence_levels.py WAVESIFT [PAIRS]        the program; pairs of each noise (2000)

Pairs of white noise, AR(0.9), random walks and 1/f noise that have nothing to do with each other:
over 20 epochs of 256 samples, and over time, 512 samples, by 50 pairs of signals (phases at random,
and AR(1)).  Every channel is compared with the first of 101, so that pairs come by the hundred.  A
share of the cells beyond the cone above the 5 % level between 3.5 and 6.5 % passes.  AR(1) pairs
have a level of their own name: of noises that are no AR(1) they are printed, not judged.
A package that is absent prints NOT RUN."""
import os
import subprocess
import sys
import tempfile

import numpy as np

NOISES = ("white", "AR(0.9)", "walk", "1/f")
CHANNELS, EPOCHS, FS = 101, 20, 100.0
ARRAYS = ("coherence", "phase_locking", "significance", "locking_significance", "cone")


def noise(kind, rng, shape):
    n = shape[-1]
    if kind == "white":
        return rng.standard_normal(shape)
    if kind == "walk":
        return np.cumsum(rng.standard_normal(shape), -1)
    if kind == "1/f":
        f = np.arange(4 * n // 2 + 1)
        z = rng.standard_normal(shape[:-1] + (len(f), 2)) @ [1, 1j]
        return np.fft.irfft(z / np.sqrt(np.maximum(f, 1)))[..., :n]
    x = rng.standard_normal(shape[:-1] + (n + 200,))
    for t in range(1, x.shape[-1]):
        x[..., t] += 0.9 * x[..., t - 1]
    return x[..., 200:]


def shares(program, x, options, folder):
    """Of cells beyond the cone above the levels of coherence and of locking."""
    import h5py
    np.save(f"{folder}/x.npy", x)
    subprocess.run([program, "coherence", "x.npy", "--fs", repr(FS), "--freqs", "8:32:6", "-q",
                    "--overwrite", "-o", "o.h5", *options], check=True, cwd=folder)
    with h5py.File(f"{folder}/o.h5") as f:
        g = {name: a[:] for name, a in f["coherence"].items() if name in ARRAYS}
        times = np.arange(x.shape[-1]) / FS
        cone = g["cone"][:, None]
        inside = (times >= cone) & (times <= times[-1] - cone)
        return [(g[a][1:] > g[b][1:, :, None])[:, inside].mean()
                for a, b in (("coherence", "significance"),
                             ("phase_locking", "locking_significance"))]


def main():
    try:
        import h5py  # noqa: F401
    except ImportError as e:
        print(f"coherence levels: NOT RUN ({e})")
        return 77
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    rounds, failed = max(1, pairs // (CHANNELS - 1)), False
    program = os.path.abspath(sys.argv[1])
    ways = {"epochs": [], "time": ["--noise-signals", "50"],
            "time, ar1": ["--noise-signals", "50", "--significance", "ar1"]}
    print(f"{rounds * (CHANNELS - 1)} pairs; share above the 5 % level of coherence, of locking")
    with tempfile.TemporaryDirectory() as folder:
        for way, options in ways.items():
            for kind in NOISES:
                rng = np.random.default_rng(17)
                found = []
                for i in range(rounds):
                    shape = (EPOCHS, CHANNELS, 256) if way == "epochs" else (CHANNELS, 512)
                    seed = ["--seed", str(i)] if options else []
                    found.append(shares(program, noise(kind, rng, shape), options + seed, folder))
                share = np.mean(found, 0)
                judged = way != "time, ar1" or kind in ("white", "AR(0.9)")
                good = ((share > 0.035) & (share < 0.065)).all()
                failed |= judged and not good
                verdict = ("PASS" if good else "FAIL") if judged else "measured"
                print(f"{verdict}: over {way:9} {kind:8} {100 * share[0]:5.2f} % "
                      f"{100 * share[1]:5.2f} %", flush=True)
    return int(failed)


sys.exit(main())
