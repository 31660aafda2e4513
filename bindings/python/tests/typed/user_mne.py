"""As user.py, with MNE."""

import mne
import numpy as np

import wavesift.mne


def alpha(epochs: mne.BaseEpochs) -> mne.BaseEpochs:
    modes = wavesift.mne.decompose(epochs, n_jobs=-1)
    modes.compute_hht(np.arange(4, 40), decim=2).freqs
    print(modes.average(fmin=8, fmax=13))
    return modes.to_inst([2, "IMF 4"], verbose="error")


def beta(raw: mne.io.BaseRaw) -> None:
    wavesift.mne.decompose(raw).to_inst(np.int64(2)).first_samp
    wavesift.mne.compute_tfr(raw, range(4, 40), picks=["Cz"])
