"""Features of modes for scikit-learn.

>>> from sklearn.pipeline import make_pipeline
>>> from wavesift.sklearn import ModeFeatures
>>> model = make_pipeline(ModeFeatures("memd", fs=250, modes=5), StandardScaler(), SVC())
"""

import numpy
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from . import _plan, _rows
from ._errors import ArgumentError

__all__ = ["ModeFeatures"]


class ModeFeatures(TransformerMixin, BaseEstimator):
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
    device : str, optional
    options : dict, optional
        Others of the transform, such as {"realizations": 50}.

    Attributes
    ----------
    n_modes_ : int
    n_channels_ : int
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

    def fit(self, X, y=None):
        """X: [epoch, channel, time] or [epoch, time]."""
        X = self._epochs(X)
        self.n_channels_ = X.shape[1]
        self.n_features_in_ = X.shape[1] * X.shape[2]
        self.n_modes_ = self.modes
        if self.modes is None:
            counts = self._decompose(X, None, ["modes"]).mode_count
            self.n_modes_ = max(1, int(numpy.median(counts)))
        return self

    def transform(self, X):
        """[epoch, features]: of each channel, of each mode, the features.  X has the channels and
        samples that were fitted."""
        check_is_fitted(self, "n_modes_")
        X = self._epochs(X)
        if X.shape[1] * X.shape[2] != self.n_features_in_ or X.shape[1] != self.n_channels_:
            # In scikit-learn's words.
            n = self.n_features_in_
            raise ArgumentError(f"X has {X.shape[1] * X.shape[2]} features, but "
                                f"{type(self).__name__} is expecting {n} features as input: "
                                f"{self.n_channels_} channels of {n // self.n_channels_} samples "
                                f"were fitted, not {X.shape[1]} of {X.shape[2]}")
        names = self._names()
        r = self._decompose(X, self.n_modes_, [n for n in names if n != "log_energy"])
        made = numpy.zeros(X.shape[:2] + (self.n_modes_, len(names)))
        real = numpy.arange(self.n_modes_) < r.mode_count[..., None]
        for i, name in enumerate(names):
            values = self._figure(r, name)
            k = values.shape[-1]
            made[:, :, :k, i] = numpy.where(real[..., :k] & numpy.isfinite(values), values, 0.0)
        return made.reshape(len(X), -1)

    def get_feature_names_out(self, input_features=None):
        """Names such as "ch2_imf1_frequency": those of figures and files, from 1 on."""
        check_is_fitted(self, "n_modes_")
        return numpy.array([f"ch{c + 1}_imf{m + 1}_{n}" for c in range(self.n_channels_)
                            for m in range(self.n_modes_) for n in self._names()], object)

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

    def _epochs(self, X):
        X = check_array(X, allow_nd=True, estimator=self, input_name="X")
        if X.ndim == 2:
            X = X[:, None]
        if X.ndim != 3:
            raise ArgumentError(f"X: [epoch, channel, time] or [epoch, time] is needed, not "
                                f"{X.ndim} axes")
        return X

    def _decompose(self, X, modes, figures):
        import wavesift

        row = _rows.ROWS.get(self.method)
        if row is None or row.transform.family != b"emd":
            raise ArgumentError(f"method {self.method!r}: must be of the EMD family")
        unknown = [n for n in figures if n not in _plan.Plan(self.method, X.shape[1:]).arrays]
        if unknown:
            raise ArgumentError(f"features: there is no {unknown[0]!r}")
        return getattr(wavesift, self.method)(X, self.fs, modes=modes, threads=self.threads,
                                              device=self.device, arrays=figures,
                                              **(self.options or {}))
