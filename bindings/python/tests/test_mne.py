"""Objects of MNE, whose names and rate are taken over."""

import numpy
import pytest

import wavesift


class Recording:
    """What an object of MNE has, as far as it is looked at."""

    ch_names = ["Fz", "Cz", "STI", "Pz"]
    info = {"sfreq": 100.0, "bads": ["Cz"]}

    def __init__(self, x):
        self.x = x
        self.times = numpy.arange(x.shape[-1]) / 100 - 0.5

    def get_channel_types(self):
        return ["eeg", "eeg", "stim", "eeg"]

    def get_data(self, picks):
        return self.x[..., picks, :]


def test_looks_like_it(x):
    r = wavesift.emd(Recording(x))
    assert r.channel_names == ["Fz", "Pz"] and r.fs == 100 and r.units == ["V", "V"]
    assert r.times[0] == -0.5
    assert r.modes.tobytes() == wavesift.emd(x[[0, 3]]).modes.tobytes()
    # The caller's word counts more.
    assert wavesift.emd(Recording(x), fs=50).fs == 50


def test_raw_and_epochs(x, tmp_path):
    mne = pytest.importorskip("mne")
    info = mne.create_info(["Fz", "Cz", "STI", "Pz"], 100.0, ["eeg", "eeg", "stim", "eeg"])
    raw = mne.io.RawArray(x * 1e-6, info, verbose=False)
    raw.info["bads"] = ["Cz"]
    r = wavesift.memd(raw, modes=3)
    assert r.channel_names == ["Fz", "Pz"] and r.fs == 100
    assert r.modes.tobytes() == wavesift.memd(raw.get_data(["Fz", "Pz"]), modes=3).modes.tobytes()
    epochs = mne.make_fixed_length_epochs(raw, 2.0, preload=True, verbose=False)
    e = wavesift.emd(epochs)
    assert e.modes.shape[:2] == (3, 2) and e.dims("modes")[0] == "epoch"
    evoked = wavesift.emd(epochs.average())
    assert evoked.channel_names == ["Fz", "Pz"]
    with pytest.raises(ValueError, match="pick some first"):
        wavesift.emd(raw.copy().pick(["STI"]))
