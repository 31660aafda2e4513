"""Significance of the wavelet power against pycwt.significance, white and AR(1), tc norm.

    cwt_significance.py WAVESIFT        the program

Error: the largest relative difference over the frequencies of NINO3 and of an EEG; at most 1e-12.
A package that is absent prints NOT RUN."""
import os
import subprocess
import sys
import tempfile

import numpy as np


def ours(program, x, fs, periods, options):
    import h5py
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x[None])
        frequencies = ",".join(repr(float(1 / p)) for p in periods)
        subprocess.run([program, "cwt", "x.npy", "--fs", repr(fs), "--precision", "f64", "-q",
                        "--freqs", frequencies, "--quantity", "power", "-o", "o.h5", *options],
                       check=True, cwd=folder)
        with h5py.File(f"{folder}/o.h5") as f:
            return f["cwt/significance"][0]


def main():
    try:
        import h5py  # noqa: F401
        import pycwt
    except ImportError as e:
        print(f"significance: NOT RUN ({e})")
        return 0
    folder = os.environ.get("WS_DATA", "")
    nino = np.loadtxt(f"{folder}/climate/pycwt_sst_nino3.dat")
    eeg = np.fromfile(f"{folder}/eeg/pannon/eegSampleDataCH4.bin", np.float32)[:10000]
    worst = 0.0
    for x, fs in ((nino, 4.0), (eeg.astype(float), 128.0)):
        for lag1, level in ((0.0, 0.95), (0.72, 0.95), (0.9, 0.99)):
            for wavelet, name in ((pycwt.Morlet(6), "morlet"), (pycwt.Paul(4), "paul"),
                                  (pycwt.MexicanHat(), "dog")):
                scales = 2 / fs / wavelet.flambda() * 2 ** (np.arange(40) / 8)
                theirs, _ = pycwt.significance(np.var(x), 1 / fs, scales, 0, lag1,
                                               significance_level=level, wavelet=wavelet)
                noise = ["white"] if lag1 == 0 else [f"ar1:{lag1}"]
                got = ours(sys.argv[1], x, fs, scales * wavelet.flambda(),
                           ["--reference", "tc", "--wavelet", name, "--significance", *noise,
                            "--level", repr(level)])
                worst = max(worst, np.abs(got / theirs - 1).max())
    print(f"significance: pycwt {worst:.1e} {'pass' if worst <= 1e-12 else 'FAIL'}")
    return worst > 1e-12


sys.exit(int(main()))
