"""
Alpha of an EEG, by multivariate EMD
====================================

Multivariate EMD takes all channels as one signal, so that mode k has the same rhythm in each of
them.  Here it finds the alpha rhythm in half a minute of a real recording, and MNE draws where it
is strong.
"""
# %%
# MNE reads the recording.
import os

import matplotlib.pyplot as plt
import mne
import numpy as np

import wavesift
import wavesift.mne

folder = os.environ.get("WAVESIFT_EXAMPLES", "../../examples/data")
raw = mne.io.read_raw_edf(os.path.join(folder, "eeg.edf"), preload=True, verbose="error")
raw.crop(10, 40).set_channel_types({"EOG1": "eog"})
print(raw.ch_names)

# %%
# All good channels are decomposed together.
modes = wavesift.mne.decompose(raw, "memd", noise_channels=2, modes=8)
print(modes)

# %%
# The modes of one channel, each with the centroid of its power spectrum.
figure = modes.plot("Cz")

# %%
# The sum of the modes from 8 to 13 Hz is a Raw again, whose power tells where alpha is.  It has the
# EOG too, as it was.
alpha = modes.to_inst(fmin=8, fmax=13)
power = alpha.get_data(modes.ch_names).var(axis=-1) * 1e12
order = np.argsort(power)[::-1][:16]
figure, axes = plt.subplots(figsize=(9, 3.5))
axes.bar([modes.ch_names[i] for i in order], power[order], color="#2a6a9e")
axes.set_ylabel("power of alpha (\u00b5V\u00b2)")
axes.set_xlabel("channel")
axes.tick_params(axis="x", rotation=60)
figure.tight_layout()
