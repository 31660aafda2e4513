"""Averages over epochs of `wavesift trials --reference mne` against MNE's tfr_array_morlet and
apply_baseline's formulae, and events of an EEGLAB recording cut as MNE's Epochs are.

    cwt_trials.py WAVESIFT        the program

Error: the largest difference of a frequency by its largest magnitude; at most 1e-10 (f64).  A
package that is absent prints NOT RUN."""
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

warnings.simplefilter("ignore")


def ours(program, recording, options):
    import h5py
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "trials", recording, "--reference", "mne", "--precision", "f64",
                        "-q", "-o", f"{folder}/o.h5", *options], check=True)
        with h5py.File(f"{folder}/o.h5") as f:
            return {k: f[f"trials/{k}"][()] for k in
                    ("total_power", "evoked_power", "induced_power", "itc")}


def main():
    try:
        import h5py  # noqa: F401
        import mne
    except ImportError as e:
        print(f"trials: NOT RUN ({e})")
        return 0
    path = f"{os.environ.get('WS_DATA', '')}/eeg/eeglab/eeglab_data.set"
    mne.set_log_level("ERROR")
    raw = mne.io.read_raw_eeglab(path, preload=True)
    events, names = mne.events_from_annotations(raw)
    epochs = mne.Epochs(raw, events, names["square"], -1, 2 - 1 / 128, baseline=None,
                        preload=True, reject_by_annotation=False)
    x = epochs.get_data()[:, [13, 26]] * 1e6
    freqs = [6.0, 10.0, 15.0, 30.0]
    w = mne.time_frequency.tfr_array_morlet(x, 128.0, freqs, n_cycles=5.0, zero_mean=True,
                                            output="complex")
    w = w.reshape(len(x), 2, len(freqs), -1)
    mean = w.mean(0)
    theirs = {"total_power": (np.abs(w) ** 2).mean(0), "evoked_power": np.abs(mean) ** 2,
              "induced_power": (np.abs(w - mean) ** 2).mean(0),
              "itc": np.abs((w / np.abs(w)).mean(0))}
    t = epochs.times
    inside = (t >= -1) & (t <= -0.2)
    base = ["--channels", "14,27", "--freqs", "6,10,15,30", "--cycles", "5", "--epochs-at",
            "square", "--tmin", "-1", "--tmax", "2"]
    worst = 0.0
    for how in (None, "ratio", "db", "percent", "z"):
        got = ours(sys.argv[1], path, base + (["--baseline", f"-1:-0.2:{how}"] if how else []))
        for name, want in theirs.items():
            b = want[..., inside].mean(-1, keepdims=True)
            if how and name != "itc":
                want = {"ratio": want / b, "db": 10 * np.log10(want / b),
                        "percent": 100 * (want - b) / b,
                        "z": (want - b) / want[..., inside].std(-1, keepdims=True)}[how]
            error = np.abs(got[name] - want).max(-1) / np.abs(want).max(-1)
            worst = max(worst, error.max())
    print(f"trials: MNE {mne.__version__}, {len(x)} epochs: {worst:.1e} "
          f"{'pass' if worst <= 1e-10 else 'FAIL'}")
    return worst > 1e-10


sys.exit(int(main()))
