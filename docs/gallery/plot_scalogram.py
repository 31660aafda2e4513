"""
A scalogram with its cone of influence
======================================

The continuous wavelet transform of two bursts and a slow wave.  Coefficients in the pale corners
depend on what is thought to stand before and after the recording.
"""
# %%
import numpy as np

import wavesift

fs = 200
t = np.arange(10 * fs) / fs
x = np.sin(2 * np.pi * 0.6 * t)
for start, f in ((2.0, 12.0), (6.0, 30.0)):
    x += np.exp(-((t - start - 0.5) / 0.35) ** 2) * np.sin(2 * np.pi * f * t)

# %%
# A tone of amplitude 1 has magnitude 1, whatever its frequency.
r = wavesift.cwt(x, fs, freqs="0.4:80:80", wavelet="morlet:6")
figure = r.plot()

# %%
# Where the bursts are is where they were put.
for f in (12.0, 30.0):
    row = np.argmin(np.abs(r.frequencies - f))
    when = t[np.abs(r.coefficients[row]).argmax()]
    print(f"{r.frequencies[row]:.1f} Hz: largest at {when:.2f} s")
