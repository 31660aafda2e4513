"""How often unrelated channels exceed the levels of `wavesift coherence`.

    WAVESIFT_LIBRARY=libwavesift.so coherence_levels.py [SHARE]

SHARE: so many times the 2000 pairs of each noise (0.05: for a look).

Pairs of white noise, AR(0.9), random walks and 1/f noise that have nothing to do with each other:
over 20 epochs of 256 samples, and over time, 512 samples, by 59 pairs of signals (phases at random;
by AR(1) 50); and over epochs that have the same response in both channels, by 59 orders of epochs.
Where there are clusters, also the share of pairs that have one of p <= 0.05.  A share of the cells
beyond the cone above the 5 % level between 3.5 and 6.5 % passes, and of pairs with a cluster 5 %
within 3 standard errors.  AR(1) pairs have a level of their own name: of noises that are no AR(1)
they are printed, not judged.
"""
import concurrent.futures
import os
import sys

import numpy as np

NOISES = ("white", "AR(0.9)", "walk", "1/f")
PAIRS, EPOCHS, FS = 2000, 20, 100.0
WAYS = {"epochs": {}, "time": {"noise_signals": 59, "clusters": True},
        "time, ar1": {"noise_signals": 50, "significance": "ar1"},
        "response": {"noise_signals": 59, "clusters": True}}
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


def shares(task):
    """Of the cells of a pair beyond the cone, those above the levels of coherence and of locking;
    1 where there is a cluster of either, where there are clusters."""
    import wavesift
    way, kind, seed = task
    rng = np.random.default_rng([seed, NOISES.index(kind), list(WAYS).index(way)])
    x = noise(kind, rng, (2, 512) if way.startswith("time") else (EPOCHS, 2, 256))
    if way == "response":
        x += x.std(-1).mean() * RESPONSE
    options = dict(WAYS[way], seed=seed) if WAYS[way] else {}
    r = wavesift.coherence(x, FS, freqs="8:32:6", threads=1, **options)
    times = np.arange(x.shape[-1]) / FS
    cone = np.array(r.cone)[:, None]
    inside = (times >= cone) & (times <= times[-1] - cone)
    found = []
    for name, level in (("coherence", "significance"), ("phase_locking", "locking_significance")):
        values = np.array(getattr(r, name))[1]
        levels = np.array(getattr(r, f"shuffled_{level}" if way == "response" else level))[1]
        found.append((values > levels.reshape(len(values), -1))[inside].mean())
    return found + [(np.array(getattr(r, name))[1] <= 0.05).any()
                    for name in ("cluster_p", "locking_cluster_p") if "clusters" in options]


def main():
    pairs = max(2, round(PAIRS * float(sys.argv[1]))) if len(sys.argv) > 1 else PAIRS
    print(f"{pairs} pairs; share above the 5 % level of coherence, of locking; of pairs with a "
          "cluster of either")
    few = 3 * (0.05 * 0.95 / pairs) ** 0.5
    slack = np.array([0.015 + (pairs < PAIRS) * few, max(0.015, few)]).repeat(2)
    failed = False
    with concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for way in WAYS:
            for kind in NOISES:
                tasks = [(way, kind, i) for i in range(1, pairs + 1)]
                share = np.mean(list(pool.map(shares, tasks, chunksize=8)), 0)
                good = (abs(share - 0.05) < slack[:len(share)]).all()
                judged = way != "time, ar1" or kind in ("white", "AR(0.9)")
                failed |= judged and not good
                verdict = ("PASS" if good else "FAIL") if judged else "measured"
                print(f"{verdict}: over {way:9} {kind:8} " +
                      " ".join(f"{100 * v:5.2f} %" for v in share), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
