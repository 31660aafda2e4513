# Made by python3 -m wavesift._stubs; not by hand.
import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, type_check_only

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self
from xarray import Dataset

from . import mne as mne
from . import sklearn as sklearn

__version__: str
numerics_version: int

_Path: TypeAlias = str | os.PathLike[str]
_Real: TypeAlias = float | np.floating[Any] | np.integer[Any]
_Flag: TypeAlias = bool | np.bool_
class _Column(Protocol):
    """As of a table of pandas."""

    def __array__(self) -> NDArray[Any]: ...

_Words: TypeAlias = str | _Real | Sequence[Any] | NDArray[Any] | _Column
_Picks: TypeAlias = (
    SupportsIndex | str | Sequence[SupportsIndex | str] | NDArray[Any] | range | slice)
_Error: TypeAlias = _Words | Callable[[float | None, float | None], float]
_Numbers: TypeAlias = ArrayLike | Sequence[Any] | _Path
_Precision: TypeAlias = (
    Literal["f32", "f64"] | type[np.float32] | type[np.float64] | np.dtype[Any])
_Progress: TypeAlias = bool | Callable[[float], object]
_Real_array: TypeAlias = NDArray[np.floating[Any]]
_Complex_array: TypeAlias = NDArray[np.complexfloating[Any, Any]]
_Whole_array: TypeAlias = NDArray[np.int32]

def transforms() -> dict[str, str]: ...
def devices() -> list[dict[str, Any]]: ...
def load(path: _Path, lazy: bool = ...) -> _AnyResult: ...
def icwt(
    result: Result,
    coefficients: ArrayLike | None = ...,
    *,
    bands: _Words | None = ...,
    progress: _Progress | None = ...,
) -> _Real_array: ...
def compare(
    a: Result | _Path, b: Result | _Path, channels: Sequence[str] | None = ...,
    match: bool = ...,
) -> Similarity: ...

class Similarity:
    rho: NDArray[np.float64]
    difference: NDArray[np.float64]
    labels: list[str]
    channel_names: list[str]
    mode_counts: tuple[NDArray[Any], NDArray[Any]]
    matched: list[tuple[list[int], list[int]]] | None
    def quartiles(self) -> NDArray[np.float64]: ...
    def plot(self, **figure: Any) -> Figure: ...

class Result:
    """What all results have; those of a transform have its arrays too."""

    method: str
    title: str
    arrays: dict[str, NDArray[Any]]
    fs: float | None
    options: dict[str, Any]
    device: str | None
    isa: str | None
    channel_names: list[str] | None
    units: list[str] | None
    first_time: float
    epochs: tuple[int, ...]
    has_channels: bool
    axes: dict[str, NDArray[Any]]
    attributes: dict[str, Any]
    events: list[tuple[float, float, str, int | None, float]]
    numerics_version: int
    version: str
    folder: str
    @property
    def provenance(self) -> dict[str, Any]: ...
    @property
    def samples(self) -> int: ...
    @property
    def channels(self) -> int: ...
    @property
    def times(self) -> NDArray[np.float64]: ...
    @property
    def dates(self) -> NDArray[np.datetime64] | None: ...
    @property
    def frequencies(self) -> NDArray[np.float64]: ...
    def __getitem__(self, name: str) -> NDArray[Any]: ...
    def __setitem__(self, name: str, value: ArrayLike) -> None: ...
    def __contains__(self, name: object) -> bool: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        at: TracebackType | None) -> None: ...
    def dims(self, name: str) -> tuple[str, ...]: ...
    def values_along(self, dim: str, n: int) -> NDArray[Any] | list[str]: ...
    def coordinates(self, name: str) -> dict[str, NDArray[Any] | list[str]]: ...
    def close(self) -> None: ...
    def to_numpy(self) -> Self: ...
    def average(self) -> Result: ...
    def to_xarray(self) -> Dataset: ...
    def plot(
        self, channel: SupportsIndex | str | None = ..., epoch: SupportsIndex = ..., *,
        partner: SupportsIndex | str | None = ..., ax: Any = ...,
        channels: _Picks | None = ..., modes: _Picks | None = ...,
        tmin: _Real | None = ..., tmax: _Real | None = ..., vmax: _Real | None = ...,
        **figure: Any) -> Figure: ...
    def save(
        self, path: _Path, *, overwrite: bool = ..., compress: int = ...) -> None: ...

class Plan:
    shape: tuple[int, ...]
    fs: float | None
    options: dict[str, Any]
    arrays: dict[str, Any]
    axes: dict[str, NDArray[Any]]
    seconds: float
    workspace: int
    device: str
    def __init__(
        self, method: str, shape: SupportsIndex | Sequence[SupportsIndex], /,
        fs: _Real | None = ..., *, precision: _Precision = ..., device: str | None = ...,
        threads: SupportsIndex | None = ..., **options: Any) -> None: ...
    def __call__(
        self, x: Any, *, arrays: Sequence[str] | None = ...,
        out: Mapping[str, Any] | None = ..., progress: _Progress | None = ...,
    ) -> _AnyResult: ...
    def describe(self) -> str: ...
    def full_shape(self, name: str) -> tuple[int, ...]: ...

class Error(Exception): ...
class ArgumentError(Error, ValueError): ...
class SignalError(Error, ValueError): ...
class OutOfMemoryError(Error, MemoryError): ...
class UnsupportedError(Error, NotImplementedError): ...
class DeviceError(Error, RuntimeError): ...
class FileError(Error, OSError): ...
class Cancelled(Error): ...
class InternalError(Error, RuntimeError): ...

class EmdResult(Result):
    signal: _Real_array
    modes: _Real_array
    residue: _Real_array
    mode_count: _Whole_array
    sifts: _Whole_array
    unfinished: _Whole_array
    frequency: _Real_array
    band_low: _Real_array
    band_high: _Real_array
    half_waves: _Real_array
    effective_half_waves: _Real_array
    zero_crossing_frequency: _Real_array
    variance_share: _Real_array
    residue_share: _Real_array
    alignment: _Real_array
    capped: _Whole_array
    median_frequency: _Real_array
    end_share: _Real_array

class EemdResult(Result):
    signal: _Real_array
    modes: _Real_array
    residue: _Real_array
    mode_count: _Whole_array
    sifts: _Whole_array
    unfinished: _Whole_array
    frequency: _Real_array
    band_low: _Real_array
    band_high: _Real_array
    half_waves: _Real_array
    effective_half_waves: _Real_array
    zero_crossing_frequency: _Real_array
    variance_share: _Real_array
    residue_share: _Real_array
    alignment: _Real_array
    capped: _Whole_array
    median_frequency: _Real_array
    end_share: _Real_array

class CeemdanResult(Result):
    signal: _Real_array
    modes: _Real_array
    residue: _Real_array
    mode_count: _Whole_array
    sifts: _Whole_array
    unfinished: _Whole_array
    frequency: _Real_array
    band_low: _Real_array
    band_high: _Real_array
    half_waves: _Real_array
    effective_half_waves: _Real_array
    zero_crossing_frequency: _Real_array
    variance_share: _Real_array
    residue_share: _Real_array
    alignment: _Real_array
    capped: _Whole_array
    median_frequency: _Real_array
    end_share: _Real_array

class IceemdanResult(Result):
    signal: _Real_array
    modes: _Real_array
    residue: _Real_array
    mode_count: _Whole_array
    sifts: _Whole_array
    unfinished: _Whole_array
    frequency: _Real_array
    band_low: _Real_array
    band_high: _Real_array
    half_waves: _Real_array
    effective_half_waves: _Real_array
    zero_crossing_frequency: _Real_array
    variance_share: _Real_array
    residue_share: _Real_array
    alignment: _Real_array
    capped: _Whole_array
    median_frequency: _Real_array
    end_share: _Real_array

class MemdResult(Result):
    signal: _Real_array
    modes: _Real_array
    residue: _Real_array
    mode_count: _Whole_array
    sifts: _Whole_array
    unfinished: _Whole_array
    frequency: _Real_array
    band_low: _Real_array
    band_high: _Real_array
    half_waves: _Real_array
    effective_half_waves: _Real_array
    zero_crossing_frequency: _Real_array
    variance_share: _Real_array
    residue_share: _Real_array
    alignment: _Real_array
    capped: _Whole_array
    median_frequency: _Real_array
    end_share: _Real_array

class HhtResult(Result):
    signal: _Real_array
    modes: _Real_array
    residue: _Real_array
    mode_count: _Whole_array
    amplitude: _Real_array
    phase: _Real_array
    instantaneous_frequency: _Real_array
    spectrum: _Real_array
    mode_spectrum: _Real_array
    power: _Real_array
    nonstationarity: _Real_array
    marginal: _Real_array
    mode_marginal: _Real_array
    mean_frequency: _Real_array
    outside: _Real_array
    negative: _Whole_array
    outliers: _Whole_array
    mode_energy: _Real_array
    mean_period: _Real_array
    noise_low: _Real_array
    noise_high: _Real_array
    orthogonality: _Real_array
    cycle: _Whole_array
    cycle_count: _Whole_array
    phase_locking: _Real_array
    amplitude_correlation: _Real_array
    holospectrum: _Real_array
    limits_mean: _Real_array
    limits_deviation: _Real_array
    sparse_bin: _Whole_array
    sparse_value: _Real_array
    sparse_left: _Real_array
    capped: _Whole_array
    p: _Real_array
    p_any: _Real_array
    noise_model: _Whole_array
    noise_slope: _Real_array
    noise_spectrum: _Real_array
    noise_bend: _Real_array
    locking_level: _Real_array

class HhtrialsResult(Result):
    total_spectrum: _Real_array
    evoked_spectrum: _Real_array
    induced_spectrum: _Real_array
    total_marginal: _Real_array
    evoked_marginal: _Real_array
    induced_marginal: _Real_array
    capped: _Whole_array

class CwtResult(Result):
    coefficients: _Complex_array
    magnitude: _Real_array
    power: _Real_array
    phase: _Real_array
    scale: _Real_array
    width_time: _Real_array
    width_frequency: _Real_array
    cone: _Real_array
    significance: _Real_array

class BandsResult(Result):
    signal: _Real_array
    bands: _Real_array
    power: _Real_array
    low: _Real_array
    high: _Real_array
    flat_low: _Real_array
    flat_high: _Real_array
    error: _Real_array

class SuperletsResult(Result):
    power: _Real_array
    magnitude: _Real_array
    scale: _Real_array
    width_time: _Real_array
    width_frequency: _Real_array
    cone: _Real_array
    order: _Real_array

class TrialsResult(Result):
    total_power: _Real_array
    evoked_power: _Real_array
    induced_power: _Real_array
    itc: _Real_array
    scale: _Real_array
    width_time: _Real_array
    width_frequency: _Real_array
    cone: _Real_array

class CoherenceResult(Result):
    coherence: _Real_array
    phase_locking: _Real_array
    cross_spectrum: _Complex_array
    scale: _Real_array
    width_time: _Real_array
    width_frequency: _Real_array
    cone: _Real_array
    coherence_pairs: _Real_array
    phase_locking_pairs: _Real_array
    cross_spectrum_pairs: _Complex_array
    imaginary: _Real_array
    significance: _Real_array
    locking_significance: _Real_array
    imaginary_pairs: _Real_array
    significance_pairs: _Real_array
    locking_significance_pairs: _Real_array
    shuffled_significance: _Real_array
    shuffled_locking_significance: _Real_array
    cluster_p: _Real_array
    locking_cluster_p: _Real_array
    shuffled_significance_pairs: _Real_array
    shuffled_locking_significance_pairs: _Real_array
    cluster_p_pairs: _Real_array
    locking_cluster_p_pairs: _Real_array

class ConvResult(Result):
    signal: _Real_array
    responses: NDArray[Any]

@type_check_only
class _AnyResult(Result):
    signal: _Real_array
    modes: _Real_array
    residue: _Real_array
    mode_count: _Whole_array
    sifts: _Whole_array
    unfinished: _Whole_array
    frequency: _Real_array
    band_low: _Real_array
    band_high: _Real_array
    half_waves: _Real_array
    effective_half_waves: _Real_array
    zero_crossing_frequency: _Real_array
    variance_share: _Real_array
    residue_share: _Real_array
    alignment: _Real_array
    capped: _Whole_array
    median_frequency: _Real_array
    end_share: _Real_array
    amplitude: _Real_array
    phase: _Real_array
    instantaneous_frequency: _Real_array
    spectrum: _Real_array
    mode_spectrum: _Real_array
    power: _Real_array
    nonstationarity: _Real_array
    marginal: _Real_array
    mode_marginal: _Real_array
    mean_frequency: _Real_array
    outside: _Real_array
    negative: _Whole_array
    outliers: _Whole_array
    mode_energy: _Real_array
    mean_period: _Real_array
    noise_low: _Real_array
    noise_high: _Real_array
    orthogonality: _Real_array
    cycle: _Whole_array
    cycle_count: _Whole_array
    phase_locking: _Real_array
    amplitude_correlation: _Real_array
    holospectrum: _Real_array
    limits_mean: _Real_array
    limits_deviation: _Real_array
    sparse_bin: _Whole_array
    sparse_value: _Real_array
    sparse_left: _Real_array
    p: _Real_array
    p_any: _Real_array
    noise_model: _Whole_array
    noise_slope: _Real_array
    noise_spectrum: _Real_array
    noise_bend: _Real_array
    locking_level: _Real_array
    total_spectrum: _Real_array
    evoked_spectrum: _Real_array
    induced_spectrum: _Real_array
    total_marginal: _Real_array
    evoked_marginal: _Real_array
    induced_marginal: _Real_array
    coefficients: _Complex_array
    magnitude: _Real_array
    scale: _Real_array
    width_time: _Real_array
    width_frequency: _Real_array
    cone: _Real_array
    significance: _Real_array
    bands: _Real_array
    low: _Real_array
    high: _Real_array
    flat_low: _Real_array
    flat_high: _Real_array
    error: _Real_array
    order: _Real_array
    total_power: _Real_array
    evoked_power: _Real_array
    induced_power: _Real_array
    itc: _Real_array
    coherence: _Real_array
    cross_spectrum: _Complex_array
    coherence_pairs: _Real_array
    phase_locking_pairs: _Real_array
    cross_spectrum_pairs: _Complex_array
    imaginary: _Real_array
    locking_significance: _Real_array
    imaginary_pairs: _Real_array
    significance_pairs: _Real_array
    locking_significance_pairs: _Real_array
    shuffled_significance: _Real_array
    shuffled_locking_significance: _Real_array
    cluster_p: _Real_array
    locking_cluster_p: _Real_array
    shuffled_significance_pairs: _Real_array
    shuffled_locking_significance_pairs: _Real_array
    cluster_p_pairs: _Real_array
    locking_cluster_p_pairs: _Real_array
    responses: NDArray[Any]

def emd(
    x: Any,
    fs: _Real | None = ...,
    *,
    reference: Literal["rilling", "libeemd"] | None = ...,
    modes: SupportsIndex | None = ...,
    sifts: SupportsIndex | None = ...,
    stop_rule: _Words | None = ...,
    max_sifts: SupportsIndex | None = ...,
    check_every: SupportsIndex | None = ...,
    boundary: Literal["mirror", "extrapolate", "slope", "periodic"] | None = ...,
    spline: Literal["not-a-knot", "natural", "pchip", "akima"] | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> EmdResult: ...

def eemd(
    x: Any,
    fs: _Real | None = ...,
    *,
    reference: Literal["rilling", "libeemd"] | None = ...,
    modes: SupportsIndex | None = ...,
    sifts: SupportsIndex | None = ...,
    stop_rule: _Words | None = ...,
    max_sifts: SupportsIndex | None = ...,
    check_every: SupportsIndex | None = ...,
    boundary: Literal["mirror", "extrapolate", "slope", "periodic"] | None = ...,
    spline: Literal["not-a-knot", "natural", "pchip", "akima"] | None = ...,
    realizations: SupportsIndex | None = ...,
    pairs: _Flag | None = ...,
    noise: _Real | None = ...,
    seed: SupportsIndex | None = ...,
    noise_file: _Numbers | None = ...,
    channel_noise: Literal["shared", "independent"] | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> EemdResult: ...

def ceemdan(
    x: Any,
    fs: _Real | None = ...,
    *,
    reference: Literal["torres", "libeemd"] | None = ...,
    modes: SupportsIndex | None = ...,
    sifts: SupportsIndex | None = ...,
    stop_rule: _Words | None = ...,
    max_sifts: SupportsIndex | None = ...,
    check_every: SupportsIndex | None = ...,
    boundary: Literal["mirror", "extrapolate", "slope", "periodic"] | None = ...,
    spline: Literal["not-a-knot", "natural", "pchip", "akima"] | None = ...,
    realizations: SupportsIndex | None = ...,
    noise: _Real | None = ...,
    snr: Literal["increasing", "constant"] | None = ...,
    seed: SupportsIndex | None = ...,
    noise_file: _Numbers | None = ...,
    channel_noise: Literal["shared", "independent"] | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> CeemdanResult: ...

def iceemdan(
    x: Any,
    fs: _Real | None = ...,
    *,
    reference: Literal["colominas", "ceemdan-gpu"] | None = ...,
    modes: SupportsIndex | None = ...,
    sifts: SupportsIndex | None = ...,
    stop_rule: _Words | None = ...,
    max_sifts: SupportsIndex | None = ...,
    check_every: SupportsIndex | None = ...,
    boundary: Literal["mirror", "extrapolate", "slope", "periodic"] | None = ...,
    spline: Literal["not-a-knot", "natural", "pchip", "akima"] | None = ...,
    realizations: SupportsIndex | None = ...,
    noise: _Real | None = ...,
    snr: Literal["increasing", "constant"] | None = ...,
    seed: SupportsIndex | None = ...,
    noise_file: _Numbers | None = ...,
    channel_noise: Literal["shared", "independent"] | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> IceemdanResult: ...

def memd(
    x: Any,
    fs: _Real | None = ...,
    *,
    reference: Literal["memd", "memd-gpu"] | None = ...,
    modes: SupportsIndex | None = ...,
    sifts: SupportsIndex | None = ...,
    stop_rule: _Words | None = ...,
    max_sifts: SupportsIndex | None = ...,
    check_every: SupportsIndex | None = ...,
    boundary: Literal["mirror", "extrapolate", "slope", "periodic"] | None = ...,
    spline: Literal["not-a-knot", "natural"] | None = ...,
    directions: SupportsIndex | None = ...,
    direction_set: _Numbers | None = ...,
    noise_channels: SupportsIndex | None = ...,
    noise_power: _Real | None = ...,
    standardize: _Flag | None = ...,
    seed: SupportsIndex | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> MemdResult: ...

def hht(
    x: Any,
    fs: _Real | None = ...,
    *,
    frequency_method: Literal["hilbert", "nht", "quadrature"] | None = ...,
    ends: Literal["mirror", "periodic", "zero"] | None = ...,
    smooth_phase: SupportsIndex | None = ...,
    smooth_frequency: SupportsIndex | None = ...,
    exclude: Literal["none", "negative", "outliers"] | None = ...,
    outlier_ratio: _Real | None = ...,
    freqs: _Words | None = ...,
    modulation_freqs: _Words | None = ...,
    time_bin: _Real | None = ...,
    quantity: Literal["density", "power", "energy", "amplitude"] | None = ...,
    parts: _Words | None = ...,
    confidence: _Real | None = ...,
    noise_signals: SupportsIndex | None = ...,
    significance: Literal[
        "background", "white", "ar1", "power-law", "bend", "wu-huang"
    ] | None = ...,
    sparse_cells: SupportsIndex | None = ...,
    limits: _Words | None = ...,
    decomposition: _Words | None = ...,
    reference: _Words | None = ...,
    modes: SupportsIndex | None = ...,
    sifts: SupportsIndex | None = ...,
    stop_rule: _Words | None = ...,
    max_sifts: SupportsIndex | None = ...,
    check_every: SupportsIndex | None = ...,
    boundary: Literal["mirror", "extrapolate", "slope", "periodic"] | None = ...,
    spline: Literal["not-a-knot", "natural", "pchip", "akima"] | None = ...,
    realizations: SupportsIndex | None = ...,
    pairs: _Flag | None = ...,
    noise: _Real | None = ...,
    snr: Literal["increasing", "constant"] | None = ...,
    seed: SupportsIndex | None = ...,
    noise_file: _Numbers | None = ...,
    channel_noise: Literal["shared", "independent"] | None = ...,
    directions: SupportsIndex | None = ...,
    direction_set: _Numbers | None = ...,
    noise_channels: SupportsIndex | None = ...,
    noise_power: _Real | None = ...,
    standardize: _Flag | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> HhtResult: ...

def hhtrials(
    x: Any,
    fs: _Real | None = ...,
    *,
    tmin: _Real | None = ...,
    frequency_method: Literal["hilbert", "nht", "quadrature"] | None = ...,
    ends: Literal["mirror", "periodic", "zero"] | None = ...,
    smooth_phase: SupportsIndex | None = ...,
    smooth_frequency: SupportsIndex | None = ...,
    exclude: Literal["none", "negative", "outliers"] | None = ...,
    outlier_ratio: _Real | None = ...,
    freqs: _Words | None = ...,
    time_bin: _Real | None = ...,
    quantity: Literal["density", "power", "energy", "amplitude"] | None = ...,
    averages: _Words | None = ...,
    baseline: _Words | None = ...,
    decomposition: _Words | None = ...,
    reference: _Words | None = ...,
    modes: SupportsIndex | None = ...,
    sifts: SupportsIndex | None = ...,
    stop_rule: _Words | None = ...,
    max_sifts: SupportsIndex | None = ...,
    check_every: SupportsIndex | None = ...,
    boundary: Literal["mirror", "extrapolate", "slope", "periodic"] | None = ...,
    spline: Literal["not-a-knot", "natural", "pchip", "akima"] | None = ...,
    realizations: SupportsIndex | None = ...,
    pairs: _Flag | None = ...,
    noise: _Real | None = ...,
    snr: Literal["increasing", "constant"] | None = ...,
    seed: SupportsIndex | None = ...,
    channel_noise: Literal["shared", "independent"] | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> HhtrialsResult: ...

def cwt(
    x: Any,
    fs: _Real | None = ...,
    *,
    reference: Literal[
        "tc", "tc-pycwt", "ssqueezepy", "mne", "pywt", "fcwt", "matlab", "deng", "superlets"
    ] | None = ...,
    wavelet: _Words | None = ...,
    cycles: _Words | None = ...,
    fwhm: _Real | None = ...,
    norm: Literal["l1", "l2", "tc"] | None = ...,
    padding: Literal["reflect", "zero", "periodic", "none"] | None = ...,
    freqs: _Words | None = ...,
    scales: _Words | None = ...,
    voices: SupportsIndex | None = ...,
    quantity: Literal["complex", "magnitude", "power", "phase"] | None = ...,
    decimate: SupportsIndex | None = ...,
    octave_arrays: _Flag | None = ...,
    significance: _Words | None = ...,
    level: _Real | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> CwtResult: ...

def bands(
    x: Any,
    fs: _Real | None = ...,
    *,
    reference: Literal[
        "tc", "tc-pycwt", "ssqueezepy", "mne", "pywt", "fcwt", "matlab", "deng", "superlets"
    ] | None = ...,
    wavelet: _Words | None = ...,
    cycles: _Words | None = ...,
    fwhm: _Real | None = ...,
    norm: Literal["l1", "l2", "tc"] | None = ...,
    padding: Literal["reflect", "zero", "periodic", "none"] | None = ...,
    freqs: _Words | None = ...,
    scales: _Words | None = ...,
    voices: SupportsIndex | None = ...,
    bands: _Words | None = ...,
    quantity: Literal["signal", "power"] | None = ...,
    decimate: SupportsIndex | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> BandsResult: ...

def superlets(
    x: Any,
    fs: _Real | None = ...,
    *,
    reference: Literal[
        "tc", "tc-pycwt", "ssqueezepy", "mne", "pywt", "fcwt", "matlab", "deng", "superlets"
    ] | None = ...,
    wavelet: _Words | None = ...,
    cycles: _Words | None = ...,
    order: _Words | None = ...,
    set: Literal["multiplicative", "additive"] | None = ...,
    norm: Literal["l1", "l2", "tc"] | None = ...,
    padding: Literal["reflect", "zero", "periodic", "none"] | None = ...,
    freqs: _Words | None = ...,
    scales: _Words | None = ...,
    voices: SupportsIndex | None = ...,
    quantity: Literal["power", "magnitude"] | None = ...,
    decimate: SupportsIndex | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> SuperletsResult: ...

def trials(
    x: Any,
    fs: _Real | None = ...,
    *,
    tmin: _Real | None = ...,
    reference: Literal[
        "tc", "tc-pycwt", "ssqueezepy", "mne", "pywt", "fcwt", "matlab", "deng", "superlets"
    ] | None = ...,
    wavelet: _Words | None = ...,
    cycles: _Words | None = ...,
    fwhm: _Real | None = ...,
    norm: Literal["l1", "l2", "tc"] | None = ...,
    padding: Literal["reflect", "zero", "periodic", "none"] | None = ...,
    freqs: _Words | None = ...,
    scales: _Words | None = ...,
    voices: SupportsIndex | None = ...,
    averages: _Words | None = ...,
    baseline: _Words | None = ...,
    decimate: SupportsIndex | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> TrialsResult: ...

def coherence(
    x: Any,
    fs: _Real | None = ...,
    *,
    tmin: _Real | None = ...,
    reference: Literal[
        "tc", "tc-pycwt", "ssqueezepy", "mne", "pywt", "fcwt", "matlab", "deng", "superlets"
    ] | None = ...,
    wavelet: _Words | None = ...,
    cycles: _Words | None = ...,
    fwhm: _Real | None = ...,
    norm: Literal["l1", "l2", "tc"] | None = ...,
    padding: Literal["reflect", "zero", "periodic", "none"] | None = ...,
    freqs: _Words | None = ...,
    scales: _Words | None = ...,
    voices: SupportsIndex | None = ...,
    against: SupportsIndex | str | None = ...,
    smooth_time: _Real | None = ...,
    smooth_octaves: _Real | None = ...,
    decimate: SupportsIndex | None = ...,
    noise_signals: SupportsIndex | None = ...,
    significance: Literal["phase", "ar1", "shuffle"] | None = ...,
    level: _Real | None = ...,
    seed: SupportsIndex | None = ...,
    clusters: _Flag | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> CoherenceResult: ...

def conv(
    x: Any,
    fs: _Real | None = ...,
    *,
    masks: _Numbers | None = ...,
    mask_formula: _Words | None = ...,
    mask_expression: _Words | None = ...,
    mask_imaginary: _Words | None = ...,
    mask_constants: _Words | None = ...,
    scales: _Words | None = ...,
    mask_rounding: Literal["nearest", "zero", "up", "down", "dither"] | None = ...,
    seed: SupportsIndex | None = ...,
    amplitude_error: _Error | None = ...,
    timing_error: _Error | None = ...,
    timing_jitter: _Error | None = ...,
    oversample: SupportsIndex | None = ...,
    interpolation: Literal["linear", "cubic", "band-limited", "autoregressive"] | None = ...,
    interpolation_kernel: _Numbers | None = ...,
    flip: _Flag | None = ...,
    extent: Literal["same", "full", "valid"] | None = ...,
    decimate: SupportsIndex | None = ...,
    sums: Literal["plain", "f64", "compensated"] | None = ...,
    accumulators: SupportsIndex | None = ...,
    narrow: Literal["f16", "bf16"] | None = ...,
    method: Literal["direct", "fft", "overlap-save"] | None = ...,
    device: str | None = ...,
    threads: SupportsIndex | None = ...,
    precision: _Precision | None = ...,
    arrays: Sequence[str] | None = ...,
    out: Mapping[str, Any] | _Path | None = ...,
    memory: int | str | None = ...,
    overwrite: bool | None = ...,
    progress: _Progress | None = ...,
    channel_names: Sequence[str] | None = ...,
    unit: str | Sequence[str] | None = ...,
) -> ConvResult: ...
