"""Coherence, phase locking and cross-spectrum of `wavesift coherence --reference mne` against NumPy
on MNE's coefficients, and against mne-connectivity's spectral_connectivity_epochs (cwt_morlet).
Coherence without epochs, `--reference tc-pycwt`, against pycwt.wct of signals without their mean.

    cwt_coherence.py WAVESIFT        the program

Error: the largest difference, of cross-spectra by their largest magnitude; at most 1e-10 (f64).  A
package that is absent prints NOT RUN."""
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

warnings.simplefilter("ignore")
FREQS = [6.0, 10.0, 15.0, 30.0]


def ours(program, recording):
    import h5py
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "coherence", recording, "--reference", "mne", "--precision",
                        "f64", "-q", "-o", f"{folder}/o.h5", "--channels", "14,27,1", "--freqs",
                        "6,10,15,30", "--cycles", "5", "--epochs-at", "square", "--tmin", "-1",
                        "--tmax", "2"], check=True)
        with h5py.File(f"{folder}/o.h5") as f:
            return {k: f[f"coherence/{k}"][()] for k in
                    ("coherence", "phase_locking", "cross_spectrum")}


def verdict(name, error, most=1e-10):
    print(f"coherence: {name} {error:.1e} {'pass' if error <= most else 'FAIL'}")
    return error > most


def continuous(program):
    """Of pycwt: El Nino and what follows it, and two stretches of an EEG."""
    try:
        import h5py
        import pycwt
    except ImportError as e:
        print(f"coherence: pycwt NOT RUN ({e})")
        return False
    data, noise = os.environ.get("WS_DATA", ""), np.random.default_rng(7)
    nino = np.loadtxt(f"{data}/climate/pycwt_sst_nino3.dat")
    eeg = np.fromfile(f"{data}/eeg/pannon/eegSampleDataCH4.bin", np.float32).astype(float)
    failed = False
    for name, x, y, fs, dj in (
            ("NINO3", nino, np.roll(nino, 3) + noise.normal(size=len(nino)), 4.0, 1 / 12),
            ("EEG", eeg[:5000], eeg[300:5300], 128.0, 1 / 8)):
        x, y = x - x.mean(), y - y.mean()
        theirs, _, _, freqs, _ = pycwt.wct(x, y, 1 / fs, dj=dj, s0=4 / fs, J=int(6 / dj),
                                           sig=False)
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/x.npy", np.array([x, y]))
            subprocess.run([program, "coherence", f"{folder}/x.npy", "--fs", repr(fs),
                            "--reference", "tc-pycwt", "--precision", "f64", "-q", "-o",
                            f"{folder}/o.h5", "--freqs", ",".join(repr(float(f)) for f in freqs)],
                           check=True)
            with h5py.File(f"{folder}/o.h5") as f:
                got = f["coherence/coherence"][1]
        failed |= verdict(f"pycwt, {name}", np.abs(got - theirs).max())
    return failed


def main():
    failed = continuous(sys.argv[1])
    try:
        import h5py  # noqa: F401
        import mne
    except ImportError as e:
        print(f"coherence: NOT RUN ({e})")
        return failed
    path = f"{os.environ.get('WS_DATA', '')}/eeg/eeglab/eeglab_data.set"
    mne.set_log_level("ERROR")
    raw = mne.io.read_raw_eeglab(path, preload=True)
    events, names = mne.events_from_annotations(raw)
    epochs = mne.Epochs(raw, events, names["square"], -1, 2 - 1 / 128, baseline=None,
                        preload=True, reject_by_annotation=False)
    x = epochs.get_data()[:, [13, 26, 0]] * 1e6
    w = mne.time_frequency.tfr_array_morlet(x, 128.0, FREQS, n_cycles=5.0, zero_mean=True,
                                            output="complex").reshape(len(x), 3, len(FREQS), -1)
    cross = w * w[:, :1].conj()
    power = (np.abs(w) ** 2).mean(0)
    got = ours(sys.argv[1], path)
    errors = [np.abs(got["coherence"] - np.abs(cross.mean(0)) ** 2 / power / power[:1]).max(),
              np.abs(got["phase_locking"] - np.abs((cross / np.abs(cross)).mean(0))).max(),
              np.abs(got["cross_spectrum"] - cross.mean(0)).max() / np.abs(cross.mean(0)).max()]
    failed |= verdict(f"NumPy on MNE {mne.__version__}", max(errors))
    try:
        import mne_connectivity
    except ImportError as e:
        print(f"coherence: mne-connectivity NOT RUN ({e})")
        return failed
    # Its wavelets are not those of tfr_array_morlet unless told so: zero mean.
    for method, name, power_of in (("coh", "coherence", 0.5), ("plv", "phase_locking", 1.0)):
        theirs = mne_connectivity.spectral_connectivity_epochs(
            x, method=method, mode="cwt_morlet", sfreq=128.0, cwt_freqs=np.array(FREQS),
            cwt_n_cycles=5.0, indices=(np.array([1, 2]), np.array([0, 0])), faverage=False,
            verbose="ERROR").get_data()
        error = np.abs(got[name][1:] ** power_of - theirs).max()
        failed |= verdict(f"mne-connectivity {mne_connectivity.__version__} {method}", error)
    return failed


sys.exit(int(main()))
