"""`wavesift superlets --reference superlets` against the authors' own Python code, which is not
part of this repository: python/superlet.py of TransylvanianInstituteOfNeuroscience/Superlets.

    cwt_superlets.py WAVESIFT        the program; $SUPERLETS is the folder of superlet.py

Error: the largest difference of a frequency by its largest power, the worst frequency of three
recordings; at most 1e-5.  Without the code, or without NumPy, h5py or SciPy, it prints NOT RUN."""
import os
import subprocess
import sys
import tempfile

import numpy as np

MOST = 1e-5


def recordings(folder):
    eeg = np.fromfile(f"{folder}/eeg/pannon/eegSampleDataCH4.bin", np.float32)[:6000]
    ecg = np.load(f"{folder}/ecg/pywt_ecg.npz")["data"]
    nino = np.loadtxt(f"{folder}/climate/pycwt_sst_nino3.dat")
    return [("EEG", eeg.astype(float), 128.0), ("ECG", ecg.astype(float), 360.0),
            ("NINO3", nino, 4.0)]


def ours(program, x, fs, frequencies, cycles, orders):
    import h5py
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x)
        subprocess.run([program, "superlets", f"{folder}/x.npy", "--fs", repr(fs), "--reference",
                        "superlets", "--freqs", ",".join(map(repr, frequencies)), "--cycles",
                        repr(cycles), "--order", ":".join(map(repr, orders)), "-q", "-o",
                        f"{folder}/o.h5"], check=True)
        with h5py.File(f"{folder}/o.h5") as f:
            return f["superlets/power"][0]


def main():
    try:
        sys.path.insert(0, os.environ.get("SUPERLETS", "."))
        import h5py  # noqa: F401
        import superlet
    except ImportError as e:
        print(f"superlets: NOT RUN ({e})")
        return 0
    failed = 0
    for name, x, fs in recordings(os.environ["WS_DATA"]):
        frequencies = np.linspace(fs / 40, fs / 4, 15).tolist()
        for cycles, orders in ((3.0, (1, 1)), (3.0, (5, 5)), (1.5, (1, 8)), (4.0, (2.5, 2.5))):
            theirs = superlet.superlets(x, fs, frequencies, cycles, orders)
            theirs = theirs.reshape(len(frequencies), len(x))
            got = ours(sys.argv[1], x, fs, frequencies, cycles, orders)
            error = (np.abs(got - theirs).max(1) / theirs.max(1)).max()
            verdict = "pass" if error <= MOST else "FAIL"
            failed |= error > MOST
            print(f"superlets: {name}, {cycles:g} cycles, orders {orders[0]:g} to {orders[1]:g}: "
                  f"{error:.1e} {verdict}")
    return int(failed)


sys.exit(main())
