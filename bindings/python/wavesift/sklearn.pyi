from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from typing_extensions import Self

from . import _Real, _Words

__all__ = ["BandFeatures", "HilbertFeatures", "ModeFeatures", "WaveletFeatures"]

class _Features(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    n_channels_: int
    def fit(self, X: ArrayLike, y: object = ...) -> Self: ...
    def transform(self, X: ArrayLike) -> NDArray[np.float64]: ...
    def get_feature_names_out(self, input_features: object = ...) -> NDArray[np.object_]: ...

class BandFeatures(_Features):
    bands_: list[tuple[float, float]]
    def __init__(
        self, bands: _Words | None = ..., fs: _Real | None = ...,
        threads: SupportsIndex | None = ..., device: str | None = ...,
        options: Mapping[str, Any] | None = ...) -> None: ...

class WaveletFeatures(_Features):
    freqs_: NDArray[np.float64]
    def __init__(
        self, freqs: _Words | None = ..., fs: _Real | None = ...,
        threads: SupportsIndex | None = ..., device: str | None = ...,
        options: Mapping[str, Any] | None = ...) -> None: ...

class HilbertFeatures(WaveletFeatures): ...

class ModeFeatures(_Features):
    n_modes_: int
    def __init__(
        self, method: str = ..., fs: _Real | None = ..., modes: SupportsIndex | None = ...,
        features: Sequence[str] = ..., threads: SupportsIndex | None = ...,
        device: str | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
