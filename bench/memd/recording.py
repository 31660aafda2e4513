"""The recording of bench/memd: tones and white noise in every channel, or the first
channels and samples of one that is given: .npy, [channel][sample]."""
import sys

import numpy as np
from scipy.io import savemat

channels, samples = int(sys.argv[1]), int(sys.argv[2])
noise = np.random.default_rng(1)
t = np.arange(samples)
x = np.array([np.sin(2 * np.pi * t * (c + 1) / 1000) + 0.5 * np.sin(2 * np.pi * t * (c + 1) / 90)
              + noise.standard_normal(samples) for c in range(channels)])
if len(sys.argv) > 5 and sys.argv[5]:
    x = np.load(sys.argv[5])[:channels, :samples].astype(float)
np.save(sys.argv[3], x)
savemat(sys.argv[4], {"x": x.T})
