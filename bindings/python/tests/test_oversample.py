"""conv's oversampled signals against NumPy's formulas: a mask of one tap shows them as they are."""

import warnings

import numpy
import pytest

import wavesift

RNG = numpy.random.default_rng(3)
X = numpy.cumsum(RNG.standard_normal((3, 700)), axis=1) + 5
GAPS = X.shape[1] - 1


def oversampled(x, factor, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")     # of few samples in several channels
        result = wavesift.conv(x, masks=[[1.0]], oversample=factor, **options)
    return numpy.asarray(result.responses)[:, 0]


def places(factor, samples):
    """Of all new samples, in samples."""
    return numpy.arange(factor * (samples - 1) + 1) / factor


def cubic(x, factor):
    """The polynomial through four samples, the outermost four near the ends."""
    n = len(x)
    got = numpy.empty(factor * (n - 1) + 1)
    for i, t in enumerate(places(factor, n)):
        first = min(max(int(t) - 1, 0), max(n - 4, 0))
        at = numpy.arange(first, min(first + 4, n))
        got[i] = sum(x[j] * numpy.prod([(t - k) / (j - k) for k in at if k != j]) for j in at)
    return got


def windowed_sinc(x, factor):
    n, half, beta = len(x), 32, 14.5
    got = numpy.empty(factor * (n - 1) + 1)
    for i, t in enumerate(places(factor, n)):
        at = numpy.arange(max(int(t) - half + 1, 0), min(int(t) + half, n - 1) + 1)
        u = at - t
        window = numpy.i0(beta * numpy.sqrt(1 - (u / half) ** 2)) / numpy.i0(beta)
        got[i] = numpy.sum(x[at] * numpy.sinc(u) * window)
    return got


def autoregressive(x, factor, order=16, half=16, grid=2048, noise=1e-9):
    """Yule and Walker's coefficients, their spectrum's covariance, and simple kriging."""
    n, mean = len(x), x.mean()
    d = x - mean
    r = numpy.array([d[:n - k] @ d[k:] for k in range(order + 1)])
    r[0] *= 1 + noise
    matrix = r[abs(numpy.subtract.outer(range(order), range(order)))]
    a = numpy.concatenate(([1], numpy.linalg.solve(matrix, -r[1:])))
    f = (numpy.arange(grid) + 0.5) / (2 * grid)
    spectrum = 1 / abs(numpy.exp(2j * numpy.pi * numpy.outer(f, range(order + 1))) @ a) ** 2

    def covariance(lag):
        return numpy.cos(2 * numpy.pi * numpy.multiply.outer(lag, f)) @ spectrum / spectrum.sum()

    got = numpy.empty(factor * (n - 1) + 1)
    got[::factor] = x
    even = covariance(numpy.arange(2 * half))
    between = [covariance(numpy.arange(1 - half, half + 1) - q / factor) for q in range(factor)]
    for g in range(n - 1):
        at = numpy.arange(max(g + 1 - half, 0), min(g + half, n - 1) + 1)
        own = even[abs(numpy.subtract.outer(at, at))] + noise * numpy.eye(len(at))
        for q in range(1, factor):
            weights = numpy.linalg.solve(own, between[q][at - g + half - 1])
            got[g * factor + q] = mean + weights @ d[at]
    return got


@pytest.mark.parametrize("factor", (2, 4))
def test_linear(factor):
    want = [numpy.interp(places(factor, len(x)), numpy.arange(len(x)), x) for x in X]
    got = oversampled(X, factor, interpolation="linear")
    assert got.shape == (3, factor * GAPS + 1)
    numpy.testing.assert_allclose(got, want, rtol=0, atol=1e-13 * abs(X).max())
    assert (got[:, ::factor] == X).all()


@pytest.mark.parametrize("factor", (2, 4))
@pytest.mark.parametrize("samples", (1, 2, 3, 4, 5, 700))
def test_cubic(factor, samples):
    got = oversampled(X[:, :samples], factor, interpolation="cubic")
    want = [cubic(x[:samples], factor) for x in X]
    numpy.testing.assert_allclose(got, want, rtol=0, atol=1e-13 * abs(X).max())


@pytest.mark.parametrize("factor", (2, 4))
@pytest.mark.parametrize("samples", (1, 33, 700))
def test_band_limited(factor, samples):
    got = oversampled(X[:, :samples], factor)
    want = [windowed_sinc(x[:samples], factor) for x in X]
    numpy.testing.assert_allclose(got, want, rtol=0, atol=1e-12 * abs(X).max())
    assert (got[:, ::factor] == X[:, :samples]).all()


@pytest.mark.parametrize("factor", (2, 4))
@pytest.mark.parametrize("samples", (1, 2, 20, 60))
def test_autoregressive(factor, samples):
    got = oversampled(X[:, :samples], factor, interpolation="autoregressive")
    want = [autoregressive(x[:samples], factor) for x in X] if samples > 16 else None
    assert (got[:, ::factor] == X[:, :samples]).all()
    if want is not None:
        numpy.testing.assert_allclose(got, want, rtol=0, atol=1e-7 * abs(X).max())


def test_autoregressive_knows_tones():
    """Where linear and cubic polynomials fail: near half the sampling rate."""
    t = numpy.arange(600)
    tone = numpy.sin(2 * numpy.pi * 0.43 * t)
    true = numpy.sin(2 * numpy.pi * 0.43 * places(2, 600))
    errors = {m: abs(oversampled(tone[None], 2, interpolation=m)[0] - true)[200:-200].max()
              for m in ("linear", "cubic", "band-limited", "autoregressive")}
    assert errors["autoregressive"] < 1e-3 < errors["cubic"] < errors["linear"]
    assert errors["band-limited"] < 1e-2


@pytest.mark.parametrize("factor", (2, 4))
def test_kernel(factor):
    rows = [RNG.standard_normal(n) for n in (7, 4, 1, 12)[:factor]]
    got = oversampled(X, factor, interpolation_kernel=rows)
    for p, row in enumerate(rows):
        half = len(row) // 2
        padded = numpy.pad(X, ((0, 0), (half, len(row) - half)))
        want = sum(w * padded[:, k:k + X.shape[1]] for k, w in enumerate(row))
        want = want if p == 0 else want[:, :-1]
        numpy.testing.assert_allclose(got[:, p::factor], want, rtol=0, atol=1e-12)


def test_masks_meet_new_samples():
    """As if the oversampled signal had been recorded."""
    made = oversampled(X, 4, interpolation="cubic")
    options = dict(mask_formula="gabor", scales="2:40:9", method="direct")
    one = wavesift.conv(X, fs=100, oversample=4, interpolation="cubic", **options)
    two = wavesift.conv(made, fs=400, **options)
    assert (one.responses == two.responses).all()
    thin = wavesift.conv(X, fs=100, oversample=4, interpolation="cubic", decimate=4, **options)
    assert thin.responses.shape[-1] == X.shape[1]
    assert (thin.responses == one.responses[..., ::4]).all()


def test_f32_is_rounded_once():
    for model in ("linear", "cubic", "band-limited", "autoregressive"):
        narrow = X.astype(numpy.float32)
        got = oversampled(narrow, 4, interpolation=model)
        want = oversampled(narrow.astype(float), 4, interpolation=model)
        assert got.dtype == numpy.float32
        assert (got == want.astype(numpy.float32)).all()


def test_threads_and_channels_change_nothing():
    for model in ("band-limited", "autoregressive"):
        one = oversampled(X, 4, interpolation=model, threads=1)
        assert (one == oversampled(X, 4, interpolation=model, threads=2)).all()
        assert (one[1:2] == oversampled(X[1:2], 4, interpolation=model)).all()


@pytest.mark.parametrize("options, words", (
    (dict(oversample=3), "1, 2 or 4"),
    (dict(interpolation="cubic"), "oversample"),
    (dict(oversample=2, interpolation_kernel=[[1.0]]), "1 rows"),
    (dict(oversample=2, interpolation_kernel=[[1.0], [1j]]), "real"),
    (dict(oversample=2, interpolation_kernel=[[1.0], numpy.ones(513)]), "512"),
    (dict(oversample=2, interpolation="linear", interpolation_kernel=[[1.0], [1.0]]), "both"),
))
def test_refused(options, words):
    with pytest.raises(wavesift.Error, match=words):
        wavesift.conv(X, masks=[[1.0]], **options)


def test_not_finite():
    bad = X.copy()
    bad[1, 17] = numpy.nan
    with pytest.raises(wavesift.Error, match=r"x\[1, 17\]"):
        oversampled(bad, 2)
    with pytest.raises(wavesift.Error, match="more than the type holds"):
        oversampled(numpy.full((1, 5), 1.7e308) * [1, -1, 1, -1, 1], 2, interpolation="cubic")
