from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from typing_extensions import Self

from . import _Real

__all__ = ["ModeFeatures"]

class ModeFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    n_modes_: int
    n_channels_: int
    def __init__(
        self, method: str = ..., fs: _Real | None = ..., modes: SupportsIndex | None = ...,
        features: Sequence[str] = ..., threads: SupportsIndex | None = ...,
        device: str | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def fit(self, X: ArrayLike, y: object = ...) -> Self: ...
    def transform(self, X: ArrayLike) -> NDArray[np.float64]: ...
    def get_feature_names_out(self, input_features: object = ...) -> NDArray[np.object_]: ...
