"""Named references of the wavelet transform against the packages themselves, and those without a
package against their formula in NumPy.

    cwt_peers.py PROGRAM        PROGRAM: bench/validation/cwt.c, built

Error: the largest difference of a scale by its largest magnitude, the worst scale of three
recordings.  At most 1e-12 (f64), 1e-6 (f32).  A package that is absent prints NOT RUN.  Versions
that this was written for: ssqueezepy 0.6.6, PyWavelets 1.9.0, mne 1.10.1, pycwt 0.4.0b0, fCWT
0.1.18.

MATLAB's padding is not ours, so of its formula the middle half of each signal is compared.  fCWT
looks its wavelet up in a table of N points, and leaves the band of the last scale where the next has
none: it is compared on white noise of 2^21 samples, 30 frequencies a ninth apart;
at most 1e-5."""
import importlib
import os
import subprocess
import sys
import tempfile

import numpy as np

MORLET, FULL, ZERO_MEAN, MORSE = 1, 2, 3, 4
os.environ["SSQ_PARALLEL"] = "0"


def recordings(folder):
    eeg = np.fromfile(f"{folder}/eeg/pannon/eegSampleDataCH4.bin", np.float32)[:10000]
    ecg = np.load(f"{folder}/ecg/pywt_ecg.npz")["data"]
    nino = np.loadtxt(f"{folder}/climate/pycwt_sst_nino3.dat")
    return [("EEG", eeg.astype(float), 128.0), ("ECG", ecg.astype(float), 360.0),
            ("NINO3", nino, 4.0)]


def ours(program, reference, kind, x, fs, frequencies, wavelet=0, param=(0, 0)):
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x)
        np.save(f"{folder}/f.npy", np.asarray(frequencies, float))
        subprocess.run([program, reference, kind, repr(fs), str(wavelet), repr(param[0]),
                        repr(param[1]), "x.npy", "f.npy", "out"], check=True, cwd=folder)
        out = np.fromfile(f"{folder}/out")
    return out.view(complex).reshape(len(frequencies), len(x))


def bins(n):
    return 2 * np.pi * np.fft.fftfreq(n)


def positive_nyquist(n):
    return np.where(np.arange(n) == n // 2, np.pi, bins(n))


def convolve(x, n, response):
    return np.fft.ifft(np.fft.fft(x, n) * response)[:len(x)]


def tc(x, fs, f):
    """Torrence & Compo 1998: the formula, negative frequencies cut."""
    n = 2 ** int(np.ceil(np.log2(len(x))))
    w = positive_nyquist(n)
    s = (6 + np.sqrt(38)) / (4 * np.pi * np.asarray(f)) * fs
    return [convolve(x, n, np.sqrt(2 * np.pi * v) * np.pi ** -.25 * (w > 0) *
                     np.exp(-(v * w - 6) ** 2 / 2)) for v in s]


def pycwt(x, fs, f):
    package = importlib.import_module("pycwt")
    package.wavelet.fft_kwargs = lambda signal, **other: {
        "n": int(2 ** np.ceil(np.log2(len(signal))))}
    return package.cwt(x, 1 / fs, freqs=np.asarray(f), wavelet=package.Morlet(6))[0]


def squeeze(wavelet, peak):
    def run(x, fs, f):
        package = importlib.import_module("ssqueezepy")
        scales = peak / (2 * np.pi * np.asarray(f)) * fs
        name, options = wavelet
        double = package.Wavelet((name, {**options, "dtype": "float64"}))
        return package.cwt(x, double, scales=scales, fs=fs, astensor=False)[0]
    return run


def mne(x, fs, f):
    tfr = importlib.import_module("mne.time_frequency")
    out = tfr.tfr_array_morlet(x[None, None], fs, np.asarray(f), n_cycles=7.0, zero_mean=True,
                               output="complex", verbose="error")
    return out[0, 0]


def pywt(x, fs, f):
    package = importlib.import_module("pywt")
    return package.cwt(x, fs / np.asarray(f), "cmor1.5-1.0")[0]


def fcwt(x, fs, f):
    """fCWT 2.0's formula, sigma 2."""
    n, out = 2 ** int(np.ceil(np.log2(len(x)))), []
    q = np.arange(n)
    for s in fs / np.asarray(f):
        out.append(convolve(x, n, np.sqrt(2 * np.pi) * np.pi ** -.25 * (q > 0) *
                            (q < min(n / 2, 2 * n / s)) *
                            np.exp(-(4 * np.pi * (s * q / n - 1)) ** 2 / 2)))
    return out


def deng(x, fs, f):
    """Deng et al. 2012 with the standard exponent."""
    n = len(x)
    w = 2 * np.pi * np.arange(n) / n
    s = 6 / (2 * np.pi * np.asarray(f)) * fs
    return [convolve(x, n, np.pi ** -.25 * np.sqrt(2 * np.pi / n * v) *
                     np.exp(-(v * w - 6) ** 2 / 2)) for v in s]


def matlab(x, fs, f):
    """Morse(3, 60), peak 2, between mirror images; its middle half."""
    n = len(x)
    longer = np.concatenate((x[n // 2 - 1::-1], x, x[:-n // 2 - 1:-1]))
    w, peak = positive_nyquist(len(longer)), (20 / 3) ** (1 / 3)
    spectrum, out = np.fft.fft(longer), []
    for v in peak / (2 * np.pi * np.asarray(f)) * fs:
        a = np.maximum(v * w, 1e-300)
        response = np.where(w > 0, 2 * np.exp(20 * np.log(a / peak) - a ** 3 + peak ** 3), 0)
        out.append(np.fft.ifft(spectrum * response)[n // 2:][:n])
    return [row[n // 4:-n // 4] for row in out]


MU = 13.4
REFERENCES = [  # name, reference, package, function, wavelet, param, periods in the shortest signal
    ("tc", "tc", "numpy", tc, 0, (0, 0), 4),
    ("tc-pycwt", "tc-pycwt", "pycwt", pycwt, 0, (0, 0), 4),
    ("ssqueezepy Morse", "ssqueezepy", "ssqueezepy", squeeze(("gmw", {}), 20 ** (1 / 3)), 0, (0, 0), 6),
    ("ssqueezepy Morlet", "ssqueezepy", "ssqueezepy", squeeze(("morlet", {"mu": MU}), MU),
     ZERO_MEAN, (MU, 0), 6),
    ("mne", "mne", "mne", mne, 0, (0, 0), 14),
    ("pywt", "pywt", "pywt", pywt, 0, (0, 0), 20),
    ("fcwt formula", "fcwt", "numpy", fcwt, 0, (0, 0), 6),
    ("deng formula", "deng", "numpy", deng, 0, (0, 0), 6),
    ("matlab formula", "matlab", "numpy", matlab, 0, (0, 0), 60),
]


def fcwt_package(program):
    """Does the package have our numbers?"""
    try:
        package = importlib.import_module("fcwt")
    except ImportError as why:
        print(f"NOT RUN: fcwt package: {why}")
        return True
    x = np.random.default_rng(1).standard_normal(1 << 21).astype(np.float32)
    f, theirs = package.cwt(x, 1000, 20, 400, 30, scaling="log")
    worst = {}
    for kind in ("f64", "f32"):
        mine = ours(program, "fcwt", kind, x.astype(float), 1000.0, f)
        worst[kind] = (abs(mine - theirs).max(1) / abs(theirs).max(1)).max()
    good = max(worst.values()) <= 1e-5
    print(f"{'PASS' if good else 'FAIL'}: fcwt package: f64 {worst['f64']:.1e}, "
          f"f32 {worst['f32']:.1e}")
    return good


def main():
    program = os.path.abspath(sys.argv[1])
    signals, passed = recordings(os.environ["WAVESIFT_DATA"]), True
    for name, reference, package, peer, wavelet, param, periods in REFERENCES:
        try:
            importlib.import_module(package)
        except ImportError as why:
            print(f"NOT RUN: {name}: {why}")
            continue
        worst, scale_of = {"f64": 0.0, "f32": 0.0}, {}
        for label, x, fs in signals:
            # Cut at half the sampling rate, a response rings into the middle of the signal.
            top = .2 if name.startswith("matlab") else .4
            f = np.geomspace(top * fs, periods * fs / len(x), 12)
            theirs = np.asarray(peer(x, fs, f))
            for kind in worst:
                mine = ours(program, reference, kind, x, fs, f, wavelet, param)
                skip = (mine.shape[1] - theirs.shape[1]) // 2
                mine = mine[:, skip:skip + theirs.shape[1]]
                error = abs(mine - theirs).max(1) / abs(theirs).max(1)
                if error.max() > worst[kind]:
                    worst[kind], scale_of[kind] = error.max(), (label, f[error.argmax()])
        good = worst["f64"] <= 1e-12 and worst["f32"] <= 1e-6
        passed &= good
        print(f"{'PASS' if good else 'FAIL'}: {name}: f64 {worst['f64']:.1e}, f32 {worst['f32']:.1e}"
              + ("" if good else f" {scale_of}"))
    return not (fcwt_package(program) and passed)


if __name__ == "__main__":
    sys.exit(main())
