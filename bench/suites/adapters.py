"""What peers' own tests run in place of the peers' own functions: a plugin of pytest.

    WAVESIFT_SUITE=NAME pytest -p adapters ..

Each suite's function replaces what its package computes by the same done by wavesift; all around
it (arguments, errors, shapes) stays theirs.  Calls are counted, and told at the end: a suite whose
tests never came here has tested nothing.
"""
import functools
import importlib
import os

import numpy as np

import wavesift

calls = {}


def counted(name, function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        calls[name] = calls.get(name, 0) + 1
        return function(*args, **kwargs)
    return wrapper


def replace(place, name, function):
    setattr(place, name, counted(name, function(getattr(place, name))))


def rows_of(result):
    """Modes and residue of one channel, the rows that are there."""
    modes = np.atleast_2d(result.modes.reshape(-1, result.modes.shape[-1]))
    residue = result.residue.reshape(1, -1)
    rows = np.concatenate([modes[:int(np.ravel(result.mode_count)[0])], residue])
    return rows


def analysed(signals, fs, **options):
    """hht of signals[row][time], each the only mode of a channel."""
    signals = np.ascontiguousarray(signals, dtype=float)
    noise = np.random.default_rng(0).standard_normal(signals.shape)
    held = wavesift.emd(noise, fs=fs, modes=1, sifts=1)
    held.modes[...] = signals[:, None]
    return wavesift.hht(held, **options)


# ---- PyEMD ---------------------------------------------------------------------------

def pyemd():
    """EMD.emd, of which EEMD and CEEMDAN of the package are made: even sampling, spline and number
    of sifts as the object says, its own stop rule by ours."""
    place = importlib.import_module("PyEMD.EMD").EMD      # the class hides the module

    splines = {"cubic": "not-a-knot", "akima": "akima", "pchip": "pchip",
               "cubic_hermite": "pchip"}

    def made(theirs):
        def emd(self, S, T=None, max_imf=-1):
            S = np.asarray(S)
            if T is not None and len(S) != len(T) or self.spline_kind not in splines or \
                    S.ndim != 1 or S.dtype.kind != "f" and S.dtype.kind != "i":
                return theirs(self, S, T, max_imf)
            steps = np.diff(T) if T is not None else np.ones(1)
            if len(steps) and np.ptp(steps) > 1e-6 * np.abs(steps).max():
                return theirs(self, S, T, max_imf)      # unevenly sampled: not ours
            options = {"sifts": self.FIXE} if self.FIXE else {}
            if max_imf > 0:
                options["modes"] = max_imf
            rows = rows_of(wavesift.emd(np.asarray(S, float), spline=splines[self.spline_kind],
                                        **options))
            if len(rows) > 1 and np.allclose(rows[-1], 0.0, atol=1e-12 * np.abs(S).max()):
                rows = rows[:-1]
            self.imfs, self.residue = (rows[:-1], rows[-1]) if len(rows) > 1 else (rows, S * 0.0)
            return rows
        return emd
    replace(place, "emd", made)


# ---- emd -----------------------------------------------------------------------------

def emd():
    import emd.sift
    import emd.spectra

    def sift(theirs):
        def made(X, sift_thresh=1e-8, energy_thresh=50, rilling_thresh=None, max_imfs=None,
                 verbose=None, return_residual=True, imf_opts=None, envelope_opts=None,
                 extrema_opts=None):
            X = np.squeeze(X)
            if X.ndim != 1:
                raise ValueError("sift: one signal")
            options = {}
            how = (imf_opts or {}).get("stop_method")
            if how == "fixed":
                options["sifts"] = imf_opts.get("max_iters", 10)
            elif how == "sd":
                options["stop_rule"] = f"sd:{imf_opts.get('sd_thresh', 0.1)}"
            spline = (envelope_opts or {}).get("interp_method", "splrep")
            if spline in ("pchip", "mono_pchip"):
                options["spline"] = "pchip"
            if max_imfs:
                options["modes"] = max_imfs
            return rows_of(wavesift.emd(np.asarray(X, float), **options)).T
        return made

    def frequency_transform(theirs):
        def made(imf, sample_rate, method, smooth_freq=3, smooth_phase=31):
            imf = np.atleast_2d(np.asarray(imf, float).T).T
            names = {"hilbert": "hilbert", "nht": "nht", "quad": "quadrature"}
            if method not in names or imf.ndim != 2 or smooth_freq != 3 or smooth_phase != 31:
                return theirs(imf, sample_rate, method, smooth_freq, smooth_phase)
            r = analysed(imf.T, sample_rate, reference="emd", frequency_method=names[method])
            phase = np.mod(r.phase[:, 0].T, 2 * np.pi)
            return phase, r.instantaneous_frequency[:, 0].T, r.amplitude[:, 0].T
        return made
    replace(emd.sift, "sift", sift)
    replace(emd.spectra, "frequency_transform", frequency_transform)


# ---- PyWavelets ----------------------------------------------------------------------

def pywavelets():
    import pywt
    import pywt._cwt

    known = {"morl": "morlet", "mexh": "dog:2"}

    def made(theirs):
        def cwt(data, scales, wavelet, sampling_period=1., method="conv", axis=-1, *, precision=12):
            reference = theirs(data, scales, wavelet, sampling_period, method, axis,
                               precision=precision)
            name = wavelet if isinstance(wavelet, str) else getattr(wavelet, "name", "")
            data = np.asarray(data)
            scales = np.atleast_1d(scales)
            if name not in known or data.dtype.kind == "c" or precision != 12 or \
                    np.any(scales < 1) or data.ndim > 2:
                return reference
            moved = np.moveaxis(data, axis, -1)
            frequencies = reference[1]
            r = wavesift.cwt(np.ascontiguousarray(moved, dtype=float).reshape(-1, moved.shape[-1]),
                             fs=1.0 / sampling_period, reference="pywt", wavelet=known[name],
                             freqs=list(map(float, frequencies)), precision="f64")
            c = r.coefficients                       # [channel][frequency][time]
            c = np.moveaxis(c.real if not np.iscomplexobj(reference[0]) else c, 1, 0)
            c = c.reshape((len(scales),) + moved.shape)
            axis = axis if axis < 0 else axis - data.ndim
            return np.moveaxis(c, -1, axis).astype(reference[0].dtype), frequencies
        return cwt
    replace(pywt._cwt, "cwt", made)
    pywt.cwt = pywt._cwt.cwt


# ---- scipy.signal --------------------------------------------------------------------

def correlation(x, masks, method="direct"):
    """sum x[n + k - L//2] mask[k] of one signal and mask, real or complex, in f64."""
    x, mask = np.asarray(x), np.asarray(masks)
    parts = [x.real, x.imag] if np.iscomplexobj(x) else [x]
    r = [wavesift.conv(np.ascontiguousarray(p, dtype=float), masks=[mask], method=method,
                       precision="f64").responses.reshape(-1) for p in parts]
    return r[0] + 1j * r[1] if len(r) == 2 else r[0]


def full_convolution(x, mask, method):
    """As numpy.convolve(x, mask): the signal is lengthened by the mask's taps."""
    long = np.concatenate([np.zeros(len(mask)), x, np.zeros(len(mask))])
    y = correlation(long, np.asarray(mask)[::-1], method)
    first = 1 + len(mask) // 2
    return y[first:first + len(x) + len(mask) - 1]


class Numpy:
    """NumPy, with our convolution."""

    def __init__(self, convolve):
        self.convolve = convolve

    def __getattr__(self, name):
        return getattr(np, name)


def convolve_by(method):
    """numpy.convolve of f64 and complex128 by wavesift; of other types NumPy's."""
    def convolve(a, v, mode="full"):
        a, v = np.asarray(a), np.asarray(v)
        if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size or \
                {str(a.dtype), str(v.dtype)} - {"float64", "complex128"} or \
                mode not in ("full", "same", "valid"):
            return np.convolve(a, v, mode)
        if len(v) > len(a):
            a, v = v, a
        calls["convolve"] = calls.get("convolve", 0) + 1
        y = full_convolution(a, v, method)
        if mode == "full":
            return y
        n = len(a) if mode == "same" else len(a) - len(v) + 1
        start = (len(v) - 1) // 2 if mode == "same" else len(v) - 1
        return y[start:start + n]
    return convolve


def scipy_signal():
    from scipy.signal import _signaltools

    def made(theirs):
        def _freq_domain_conv(xp, in1, in2, axes, shape, calc_fast_len=False):
            kinds = {str(getattr(in1, "dtype", "")), str(getattr(in2, "dtype", ""))}
            if not isinstance(in1, np.ndarray) or in1.ndim != 1 or not len(axes) or \
                    kinds - {"float64", "complex128"}:
                return theirs(xp, in1, in2, axes, shape, calc_fast_len)
            return full_convolution(in1, in2, "fft")
        return _freq_domain_conv
    replace(_signaltools, "_freq_domain_conv", made)
    _signaltools.np = Numpy(convolve_by("direct"))


# ---- neurodsp ------------------------------------------------------------------------

def neurodsp():
    import neurodsp.timefrequency.wavelets as w

    w.np = Numpy(convolve_by("fft"))


# ---- elephant ------------------------------------------------------------------------

def elephant():
    """Its analytic signals: the imaginary part by ours."""
    import scipy.signal

    def made(theirs):
        def hilbert(x, N=None, axis=-1):
            x = np.asarray(x)
            moved = np.moveaxis(x, axis, -1)
            if N not in (None, x.shape[axis]) or x.dtype.kind != "f":
                return theirs(x, N, axis)
            r = analysed(moved.reshape(-1, moved.shape[-1]), 1.0, ends="periodic")
            imaginary = (r.amplitude * np.sin(r.phase)).reshape(moved.shape)
            return np.moveaxis(moved + 1j * imaginary, -1, axis)
        return hilbert
    replace(scipy.signal, "hilbert", made)


# ---- mne-connectivity ----------------------------------------------------------------

def mne_connectivity():
    """Coefficients by Morlet wavelets, of which its measures are made."""
    import mne_connectivity.spectral.epochs
    import mne_connectivity.spectral.time
    import wavesift.mne

    def made(theirs):
        def tfr_array_morlet(data, sfreq, freqs, n_cycles=7.0, *args, **kwargs):
            return wavesift.mne.tfr_array_wavesift(data, sfreq, freqs, n_cycles=n_cycles,
                                                   output=kwargs.get("output", "complex"))
        return tfr_array_morlet

    def by_masks(theirs):
        """cwt(x, wavelets): each a mask, 'same'."""
        def cwt(X, Ws, use_fft=True, mode="same", decim=1):
            X = np.asarray(X)
            if mode != "same" or decim != 1 or X.dtype.kind != "f" or \
                    max(map(len, Ws)) > X.shape[-1]:
                return theirs(X, Ws, use_fft=use_fft, mode=mode, decim=decim)
            masks = [np.asarray(w)[::-1] for w in Ws]
            r = wavesift.conv(np.ascontiguousarray(X, dtype=float), masks=masks, precision="f64",
                              method="fft")
            y = r.responses.astype(complex)
            return y if X.ndim == 2 else y[0]
        return cwt
    for place in (mne_connectivity.spectral.epochs, mne_connectivity.spectral.time):
        if hasattr(place, "cwt"):
            replace(place, "cwt", by_masks)
        if hasattr(place, "tfr_array_morlet"):
            replace(place, "tfr_array_morlet", made)


SUITES = {"EMD-signal": pyemd, "emd": emd, "PyWavelets": pywavelets, "scipy": scipy_signal,
          "neurodsp": neurodsp, "elephant": elephant, "mne-connectivity": mne_connectivity}


def pytest_configure(config):
    if os.environ.get("WAVESIFT_SUITE"):
        SUITES[os.environ["WAVESIFT_SUITE"]]()


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line("wavesift calls: " + ", ".join(
        f"{name} {n}" for name, n in sorted(calls.items())))
