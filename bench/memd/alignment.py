"""Mode alignment on tones (after Rehman & Mandic 2010): channels hold different sets
of tones, some noise too; each tone must come out in one and the same mode of every
channel that has it.  Prints, for each set, the mode that holds each tone, whether it
is the same in all channels, and the least similarity to the true tone.

    alignment.py WAVESIFT [OPTION ...]     options of wavesift memd
"""
import subprocess
import sys
import tempfile

import numpy as np

FS, SECONDS = 256, 8
SETS = {
    # tones by channel; how many channels have noise of standard deviation 0.3
    "6 channels, noise on 1-3": ([[2, 32], [2, 8, 32], [2, 8, 16], [2, 16], [2, 8, 32], [2, 16, 32]], 3),
    "12 channels, noise on 1-3": ([[2, 32], [2, 8, 32], [2, 8, 16], [2, 16], [8, 32], [16, 32]] * 2, 3),
    "16 channels, noise on 1-3": ([[2, 32], [2, 8, 32], [2, 8, 16], [8, 16]] * 4, 3),
    "6 channels, five tones, no noise": ([[1, 3, 9], [3, 9, 27], [1, 9, 81], [1, 27, 81], [3, 27], [1, 3, 9, 27, 81]], 0),
}


def similarity(a, b):
    return np.corrcoef(a, b)[0, 1]


def examine(program, options, name, channels, noisy):
    t = np.arange(FS * SECONDS) / FS
    noise = np.random.default_rng(3)
    tones = [{f: np.sin(2 * np.pi * f * t + c) for f in fs} for c, fs in enumerate(channels)]
    x = np.array([sum(p.values()) for p in tones])
    x[:noisy] += 0.3 * noise.standard_normal((noisy, len(t)))
    with tempfile.TemporaryDirectory() as work:
        np.save(f"{work}/x.npy", x)
        subprocess.run([program, "memd", f"{work}/x.npy", "--fs", str(FS), "-q", "-o", f"{work}/y.npy",
                        *options], check=True)
        modes = np.load(f"{work}/y.npy")
    least, aligned = 1.0, True
    for f in sorted({f for fs in channels for f in fs}, reverse=True):
        found = [(c, [similarity(m, p[f]) for m in modes[c]]) for c, p in enumerate(tones) if f in p]
        where = [int(np.argmax(s)) + 1 for _, s in found]
        best = [max(s) for _, s in found]
        same = len(set(where)) == 1
        aligned &= same
        least = min(least, min(best))
        print(f"  {f:3d} Hz: mode {where[0] if same else where}, similarity {min(best):.3f} to {max(best):.3f}")
    print(f"{name}: {'aligned' if aligned else 'NOT aligned'}, least similarity {least:.3f}")


for name, (channels, noisy) in SETS.items():
    examine(sys.argv[1], sys.argv[2:], name, channels, noisy)
