"""Features for scikit-learn: of modes, bands, wavelets and Hilbert spectra.

>>> from sklearn.pipeline import make_pipeline
>>> from wavesift.sklearn import ModeFeatures
>>> model = make_pipeline(ModeFeatures("memd", fs=250, modes=5), StandardScaler(), SVC())
"""

import numpy
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from . import _plan, _rows
from ._errors import ArgumentError
from ._signals import TimeLast, labelled

__all__ = ["BandFeatures", "HilbertFeatures", "ModeFeatures", "WaveletFeatures"]


class _Features(TransformerMixin, BaseEstimator):
    """What all have: epochs as they were fitted, and features of each channel."""

    def fit(self, X, y=None):
        """Notes how many channels and samples epochs have.

        Parameters
        ----------
        X : array_like
            [epoch, channel, time] or [epoch, time].  Epochs of MNE and a DataArray of xarray, with
            a dimension of channels, bring along their rate, unless fs says another one, and names.
        y : object
            Nothing; scikit-learn hands it over.

        Returns
        -------
        object
            Itself.
        """
        X, known = self._epochs(X)
        self._fs = known.get("fs") if self.fs is None else self.fs
        self._channels = known.get("channel_names") or [f"ch{c + 1}" for c in range(X.shape[1])]
        self.n_channels_ = X.shape[1]
        self.n_features_in_ = X.shape[1] * X.shape[2]
        self._settle(X)
        return self

    def transform(self, X):
        """Features of epochs, which have the channels and samples that were fitted.

        Parameters
        ----------
        X : array_like
            As in fit.

        Returns
        -------
        numpy.ndarray
            [epoch, feature], in the order of get_feature_names_out().
        """
        check_is_fitted(self, "n_channels_")
        X, known = self._epochs(X)
        if self.fs is None and known.get("fs") not in (None, self._fs):
            raise ArgumentError(f"X has {known['fs']:g} samples a second, but fitted was {self._fs}")
        if X.shape[1] * X.shape[2] != self.n_features_in_ or X.shape[1] != self.n_channels_:
            # In scikit-learn's words.
            n = self.n_features_in_
            raise ArgumentError(f"X has {X.shape[1] * X.shape[2]} features, but "
                                f"{type(self).__name__} is expecting {n} features as input: "
                                f"{self.n_channels_} channels of {n // self.n_channels_} samples "
                                f"were fitted, not {X.shape[1]} of {X.shape[2]}")
        return self._values(X).reshape(len(X), -1)

    def get_feature_names_out(self, input_features=None):
        """Names of features, with those of channels, or their numbers, and of modes, from 1 on.

        Parameters
        ----------
        input_features : object
            Nothing; scikit-learn hands it over.

        Returns
        -------
        numpy.ndarray
            Text, such as "ch2_imf1_frequency" or "ch1_8-13".
        """
        check_is_fitted(self, "n_channels_")
        return numpy.array([f"{channel}_{name}" for channel in self._channels
                            for name in self._labels()], object)

    def _epochs(self, X):
        """[epoch, channel, time], and what its samples know; rows of tables are epochs here."""
        given, known = X, {}
        if hasattr(X, "get_data") or getattr(X, "ndim", 0) == 3:
            X, known = labelled(X, self.fs)
        X = check_array(X, allow_nd=True, estimator=self, input_name="X")
        if X.ndim == 2 and not known:
            X = X[:, None]
        if X.ndim != 3:
            raise ArgumentError("X: [epoch, channel, time] or [epoch, time] is needed, not "
                                f"{type(given).__name__} of {X.ndim} axes")
        return X, known

    def _run(self, name, X, **options):
        import wavesift

        return getattr(wavesift, name)(X.view(TimeLast), self._fs, threads=self.threads,
                                       device=self.device, **options, **(self.options or {}))


def _log(power):
    """Of each channel, [.., feature]; what is next to nothing beside the others is all alike."""
    floor = 1e-10 * power.sum(-1, keepdims=True)
    return numpy.log(numpy.maximum(power, numpy.maximum(floor, numpy.finfo(float).tiny)))


class BandFeatures(_Features):
    """Logarithms of the variance of each channel in bands of frequencies.

    Parameters
    ----------
    bands : str or sequence
        As of wavesift.bands: [(4, 8), (8, 13)], Hz.  Default: up to four octaves below a quarter of
        the rate.
    fs : float, optional
        Samples a second.
    threads : int, optional
        As of wavesift.bands.
    device : str, optional
        As of wavesift.bands.
    options : dict, optional
        Others of wavesift.bands.

    Attributes
    ----------
    bands_ : list of (float, float)
        Edges, Hz.
    n_channels_ : int
        As fitted.

    See Also
    --------
    WaveletFeatures : Power at each frequency.
    """

    def __init__(self, bands=None, fs=None, threads=None, device=None, options=None):
        self.bands = bands
        self.fs = fs
        self.threads = threads
        self.device = device
        self.options = options

    def _settle(self, X):
        r = self._bands(X[:1])
        self.bands_ = [(float(a), float(b)) for a, b in zip(r.low, r.high)]

    def _bands(self, X):
        bands = self.bands
        if bands is None:
            octaves = max(1, min(4, int(numpy.log2(max(X.shape[-1], 16) / 8))))
            fs = self._fs or 1.0
            bands = [(fs / 2 ** (k + 3), fs / 2 ** (k + 2)) for k in reversed(range(octaves))]
        return self._run("bands", X, bands=bands)

    def _values(self, X):
        return _log(self._bands(X).bands.var(-1, dtype=float))

    def _labels(self):
        return [f"{a:.4g}-{b:.4g}" for a, b in self.bands_]


class WaveletFeatures(_Features):
    """Logarithms of the mean wavelet power of each channel at each frequency.

    Parameters
    ----------
    freqs : str or sequence, optional
        As of wavesift.cwt.
    fs : float, optional
        Samples a second.
    threads : int, optional
        As of wavesift.cwt.
    device : str, optional
        As of wavesift.cwt.
    options : dict, optional
        Others of wavesift.cwt, such as {"wavelet": "morse"}.

    Attributes
    ----------
    freqs_ : numpy.ndarray
        Frequencies, Hz.
    n_channels_ : int
        As fitted.

    See Also
    --------
    BandFeatures : Variance of bands.
    """

    _method, _array = "cwt", "power"
    _asked = {"quantity": "power"}

    def __init__(self, freqs=None, fs=None, threads=None, device=None, options=None):
        self.freqs = freqs
        self.fs = fs
        self.threads = threads
        self.device = device
        self.options = options

    def _settle(self, X):
        self.freqs_ = self._spectra(X[:1]).frequencies

    def _spectra(self, X):
        return self._run(self._method, X, freqs=self.freqs, arrays=[self._array], **self._asked)

    def _values(self, X):
        return _log(self._spectra(X).power.mean(-1, dtype=float))

    def _labels(self):
        return [f"{f:.4g}" for f in self.freqs_]


class HilbertFeatures(WaveletFeatures):
    """Logarithms of the marginal Hilbert spectrum of each channel.

    Parameters
    ----------
    freqs : str or sequence, optional
        Bins as of wavesift.hht: (1, 45, 22) or "1:45:22".
    fs : float, optional
        Samples a second.
    threads : int, optional
        As of wavesift.hht.
    device : str, optional
        As of wavesift.hht.
    options : dict, optional
        Others of wavesift.hht, such as {"decomposition": "memd"}.

    Attributes
    ----------
    freqs_ : numpy.ndarray
        Middles of the bins, Hz.
    n_channels_ : int
        As fitted.

    See Also
    --------
    ModeFeatures : Figures of the modes themselves.
    """

    _method, _array = "hht", "marginal"
    _asked = {"parts": "marginal"}

    def _values(self, X):
        return _log(self._spectra(X).marginal)


class ModeFeatures(_Features):
    """Decomposes each epoch, and gives figures of its modes as features.

    Training and test data are decomposed alike: into at most so many modes as fit() settled on,
    fastest first.  Figures of modes that an epoch lacks are 0.

    Parameters
    ----------
    method : str
        "emd", "eemd", "ceemdan", "iceemdan" or "memd".
    fs : float, optional
        Samples a second.
    modes : int, optional
        Modes of each channel.  Default: those that most epochs of the training data have (their
        median).
    features : sequence of str
        "log_energy", the logarithm of a mode's mean square; or arrays of the result with a value
        for each mode, such as "frequency", "variance_share", "band_low".
    threads : int, optional
        As of wavesift.emd.
    device : str, optional
        As of wavesift.emd.
    options : dict, optional
        Others of the transform, such as {"realizations": 50}.

    Attributes
    ----------
    n_modes_ : int
        Modes of each channel.
    n_channels_ : int
        As fitted.

    See Also
    --------
    HilbertFeatures : Spectra of the modes.
    """

    def __init__(self, method="memd", fs=None, modes=None, features=("log_energy", "frequency"),
                 threads=None, device=None, options=None):
        self.method = method
        self.fs = fs
        self.modes = modes
        self.features = features
        self.threads = threads
        self.device = device
        self.options = options

    def _settle(self, X):
        self.n_modes_ = self.modes
        if self.modes is None:
            counts = self._decompose(X, None, ["modes"]).mode_count
            self.n_modes_ = max(1, int(numpy.median(counts)))
        self._values(X[:1])         # says at once what is wrong with options

    def _values(self, X):
        names = self._names()
        r = self._decompose(X, self.n_modes_, [n for n in names if n != "log_energy"])
        made = numpy.zeros(X.shape[:2] + (self.n_modes_, len(names)))
        real = numpy.arange(self.n_modes_) < r.mode_count[..., None]
        for i, name in enumerate(names):
            values = self._figure(r, name)
            k = values.shape[-1]
            made[:, :, :k, i] = numpy.where(real[..., :k] & numpy.isfinite(values), values, 0.0)
        return made

    def _labels(self):
        return [f"imf{m + 1}_{n}" for m in range(self.n_modes_) for n in self._names()]

    def _names(self):
        if isinstance(self.features, str):
            raise ArgumentError(f"features: names in a list are needed, as [{self.features!r}]")
        return list(self.features)

    @staticmethod
    def _figure(r, name):
        if name == "log_energy":
            with numpy.errstate(divide="ignore"):
                return numpy.log(numpy.square(r.modes, dtype="f8").mean(-1))
        values = r.arrays.get(name)
        if values is None or r.about[name].axes != ("channel", "mode"):
            known = [n for n, a in r.about.items() if a.axes == ("channel", "mode")]
            raise ArgumentError(f"features: {name!r}: must be log_energy, {', '.join(known)}")
        return values

    def _decompose(self, X, modes, figures):
        row = _rows.ROWS.get(self.method)
        if row is None or row.transform.family != b"emd":
            raise ArgumentError(f"method {self.method!r}: must be of the EMD family")
        unknown = [n for n in figures if n not in _plan.Plan(self.method, X.shape[1:]).arrays]
        if unknown:
            raise ArgumentError(f"features: there is no {unknown[0]!r}")
        return self._run(self.method, X, modes=modes, arrays=figures)
