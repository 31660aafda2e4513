#!/usr/bin/env python3
"""coherence_levels.py - how often unrelated channels exceed the levels of `wavesift coherence`.

    coherence_levels.py WAVESIFT [PAIRS]        the program; pairs of each noise (2000)

Pairs of white noise, AR(0.9), random walks and 1/f noise that have nothing to do with each other:
over 20 epochs of 256 samples, and over time, 512 samples, by 59 pairs of signals (phases at random;
by AR(1) 50); and over epochs that have the same response in every channel, by 59 orders of epochs.
Where there are clusters, also the share of pairs that have one of p <= 0.05.  Every channel is
compared with the first of 101, so that pairs come by the hundred.  A share of the cells beyond the cone above the 5 % level between 3.5 and 6.5 % passes, and of pairs
with a cluster, within 3 standard errors of that.  AR(1) pairs
have a level of their own name: of noises that are no AR(1) they are printed, not judged.
A package that is absent prints NOT RUN."""
import os
import subprocess
import sys
import tempfile

import numpy as np

NOISES = ("white", "AR(0.9)", "walk", "1/f")
CHANNELS, EPOCHS, FS = 101, 20, 100.0
ARRAYS = ("coherence", "phase_locking", "significance", "locking_significance", "cone",
          "shuffled_significance", "shuffled_locking_significance", "cluster_p",
          "locking_cluster_p")
# What every epoch of every channel has, in units of the noise's deviation.
RESPONSE = 3 * np.exp(-0.5 * ((np.arange(256) - 110) / 25) ** 2) * np.cos(0.9 * np.arange(256))


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
    """Of cells beyond the cone above the levels of coherence and of locking; of pairs with a
    cluster of either, where there are clusters."""
    import h5py
    np.save(f"{folder}/x.npy", x)
    subprocess.run([program, "coherence", "x.npy", "--fs", repr(FS), "--freqs", "8:32:6", "-q",
                    "--overwrite", "-o", "o.h5", *options], check=True, cwd=folder)
    with h5py.File(f"{folder}/o.h5") as f:
        g = {name: a[:] for name, a in f["coherence"].items() if name in ARRAYS}
        times = np.arange(x.shape[-1]) / FS
        cone = g["cone"][:, None]
        inside = (times >= cone) & (times <= times[-1] - cone)
        found = []
        for a, b in (("coherence", "significance"), ("phase_locking", "locking_significance")):
            level = g[b][1:, :, None] if b in g else g[f"shuffled_{b}"][1:]
            found.append((g[a][1:] > level)[:, inside].mean())
        return found + [(g[a][1:] <= 0.05).any((1, 2)).mean()
                        for a in ("cluster_p", "locking_cluster_p") if a in g]


def main():
    try:
        import h5py  # noqa: F401
    except ImportError as e:
        print(f"coherence levels: NOT RUN ({e})")
        return 77
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    rounds, failed = max(1, pairs // (CHANNELS - 1)), False
    program = os.path.abspath(sys.argv[1])
    ways = {"epochs": [], "time": ["--noise-signals", "59", "--clusters"],
            "time, ar1": ["--noise-signals", "50", "--significance", "ar1"],
            "response": ["--noise-signals", "59", "--clusters"]}
    print(f"{rounds * (CHANNELS - 1)} pairs; share above the 5 % level of coherence, of locking; "
          "of pairs with a cluster of either")
    slack = 0.015 + 3 * (0.05 * 0.95 / (rounds * (CHANNELS - 1))) ** 0.5
    with tempfile.TemporaryDirectory() as folder:
        for way, options in ways.items():
            for kind in NOISES:
                rng = np.random.default_rng(17)
                found = []
                for i in range(rounds):
                    shape = (CHANNELS, 512) if way.startswith("time") else (EPOCHS, CHANNELS, 256)
                    seed = ["--seed", str(i)] if options else []
                    x = noise(kind, rng, shape)
                    if way == "response":
                        x += x.std(-1).mean() * RESPONSE
                    found.append(shares(program, x, options + seed, folder))
                share = np.mean(found, 0)
                judged = way != "time, ar1" or kind in ("white", "AR(0.9)")
                good = ((share[:2] > 0.035) & (share[:2] < 0.065)).all()
                good &= (abs(share[2:] - 0.05) < slack).all()
                failed |= judged and not good
                verdict = ("PASS" if good else "FAIL") if judged else "measured"
                print(f"{verdict}: over {way:9} {kind:8} " +
                      " ".join(f"{100 * v:5.2f} %" for v in share), flush=True)
    return int(failed)


sys.exit(main())
