"""
The Hilbert spectrum of a chirp
===============================

A tone, a chirp and a little noise: the Hilbert-Huang transform decomposes them into modes and draws
the energy of each where its instantaneous frequency is.
"""
# %%
import matplotlib.pyplot as plt
import numpy as np

import wavesift

fs = 250
t = np.arange(20 * fs) / fs
chirp = np.sin(2 * np.pi * (10 * t + t ** 2))               # 10 Hz to 50 Hz
tone = 0.8 * np.sin(2 * np.pi * 3 * t)
x = chirp + tone + 0.02 * np.random.default_rng(0).standard_normal(t.size)

# %%
# Energy over time and frequency.
r = wavesift.hht(x, fs, decomposition="iceemdan", freqs="1:80:120", time_bin=0.05)
figure = r.plot()

# %%
# The marginal spectrum is its mean over time.
figure, axes = plt.subplots(figsize=(9, 3))
axes.semilogx(r.frequencies, r.marginal, color="#2a6a9e")
axes.set_xticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
axes.set_xlabel("frequency (Hz)")
axes.set_ylabel("density (1/Hz)")
figure.tight_layout()

# %%
# Above the tone, the strongest frequency at each moment is the chirp's.
fast = r.frequencies > 7
ridge = r.frequencies[fast][r.spectrum[fast].argmax(axis=0)]
error = np.abs(ridge - (10 + 2 * r.axes["coarse_time"]))
print(f"median error {np.median(error):.2f} Hz, where bins are "
      f"{np.median(np.diff(r.frequencies[fast])):.2f} Hz wide")
