from collections.abc import Sequence
from typing import Any, Generic, SupportsIndex, TypeVar, overload

import mne
import numpy as np
from matplotlib.figure import Figure
from mne.io import BaseRaw
from mne.time_frequency import AverageTFRArray, EpochsTFRArray, RawTFRArray
from numpy.typing import ArrayLike, NDArray

from . import Result, _Path, _Picks, _Precision, _Progress, _Real, _Words

__all__ = ["Modes", "compute_tfr", "decompose", "tfr_array_wavesift"]

_Inst = TypeVar("_Inst", BaseRaw, mne.BaseEpochs, mne.Evoked)
_Tfr = TypeVar("_Tfr")
_Verbose = bool | str | int | None
_Channels = str | SupportsIndex | Sequence[Any] | slice | NDArray[Any]
_Freqs = str | Sequence[float] | NDArray[Any] | range

class Modes(Generic[_Inst, _Tfr]):
    result: Result
    info: mne.Info
    pieces: list[tuple[int, int]]
    @property
    def ch_names(self) -> list[str]: ...
    @property
    def n_modes(self) -> int: ...
    @property
    def mode_count(self) -> NDArray[np.int32]: ...
    @property
    def times(self) -> NDArray[np.float64]: ...
    def get_data(
        self, picks: _Channels | None = ..., modes: _Picks | None = ...
    ) -> NDArray[np.floating[Any]]: ...
    def to_inst(
        self, modes: _Picks | None = ..., exclude: _Picks = ..., *, fmin: _Real | None = ...,
        fmax: _Real | None = ..., verbose: _Verbose = ...) -> _Inst: ...
    def average(
        self, modes: _Picks | None = ..., *, fmin: _Real | None = ..., fmax: _Real | None = ...,
        align: str | None = ..., verbose: _Verbose = ...) -> mne.Evoked: ...
    def compute_hht(
        self, freqs: _Words | None = ..., decim: SupportsIndex = ..., *,
        modes: _Picks | None = ..., reject_by_annotation: bool = ...,
        n_jobs: SupportsIndex | None = ..., verbose: _Verbose = ..., **options: Any) -> _Tfr: ...
    def plot(
        self, channel: SupportsIndex | str | None = ..., epoch: SupportsIndex = ...,
        **settings: Any) -> Figure: ...
    def save(self, fname: _Path, *, overwrite: bool = ..., compress: int = ...) -> None: ...

@overload
def decompose(
    inst: BaseRaw, method: str | None = ..., picks: _Channels | None = ..., *,
    skip_by_annotation: str | Sequence[str] = ..., reject_by_annotation: bool = ...,
    n_jobs: SupportsIndex | None = ..., device: str | None = ...,
    precision: _Precision | None = ..., progress: _Progress | None = ..., verbose: _Verbose = ...,
    **options: Any,
) -> Modes[BaseRaw, RawTFRArray]: ...
@overload
def decompose(
    inst: mne.BaseEpochs, method: str | None = ..., picks: _Channels | None = ..., *,
    skip_by_annotation: str | Sequence[str] = ..., reject_by_annotation: bool = ...,
    n_jobs: SupportsIndex | None = ..., device: str | None = ...,
    precision: _Precision | None = ..., progress: _Progress | None = ..., verbose: _Verbose = ...,
    **options: Any,
) -> Modes[mne.BaseEpochs, EpochsTFRArray]: ...
@overload
def decompose(
    inst: mne.Evoked, method: str | None = ..., picks: _Channels | None = ..., *,
    skip_by_annotation: str | Sequence[str] = ..., reject_by_annotation: bool = ...,
    n_jobs: SupportsIndex | None = ..., device: str | None = ...,
    precision: _Precision | None = ..., progress: _Progress | None = ..., verbose: _Verbose = ...,
    **options: Any,
) -> Modes[mne.Evoked, AverageTFRArray]: ...
def tfr_array_wavesift(
    data: ArrayLike, sfreq: _Real, freqs: ArrayLike, n_cycles: ArrayLike = ...,
    zero_mean: bool = ..., decim: SupportsIndex | slice = ..., output: str = ...,
    n_jobs: SupportsIndex | None = ..., *, device: str | None = ..., verbose: _Verbose = ...,
) -> NDArray[Any]: ...
def compute_tfr(
    inst: BaseRaw | mne.BaseEpochs | mne.Evoked, freqs: _Freqs, *, n_cycles: ArrayLike = ...,
    zero_mean: bool = ..., tmin: _Real | None = ..., tmax: _Real | None = ...,
    picks: _Channels | None = ..., output: str = ..., average: bool = ..., return_itc: bool = ...,
    decim: SupportsIndex = ..., skip_by_annotation: str | Sequence[str] = ...,
    reject_by_annotation: bool = ..., n_jobs: SupportsIndex | None = ...,
    device: str | None = ..., verbose: _Verbose = ...,
) -> Any: ...
