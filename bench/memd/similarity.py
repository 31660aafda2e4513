"""Least correlation of two results, [channel][mode][time] and [mode][channel][time], in
rows that are no rounding; NaN where they have not as many modes."""
import sys

import numpy as np
from scipy.io import loadmat

ours = np.load(sys.argv[1]).transpose(1, 0, 2)
theirs = loadmat(sys.argv[2])["q"] if sys.argv[2].endswith(".mat") else np.load(sys.argv[2])
least = np.nan
if ours.shape == theirs.shape:
    least = min(np.corrcoef(a, b)[0, 1] for m, n in zip(ours, theirs) for a, b in zip(m, n))
print(f"{least:.12f}" if np.isfinite(least) else f"NaN ({ours.shape}, {theirs.shape})")
