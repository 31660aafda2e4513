"""The transformer of wavesift.sklearn."""

import numpy
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

import wavesift  # noqa: E402
from wavesift.sklearn import (BandFeatures, HilbertFeatures, ModeFeatures,  # noqa: E402
                              WaveletFeatures)


@pytest.fixture
def epochs():
    """Two classes that differ in the rate of one rhythm."""
    rng = numpy.random.default_rng(0)
    t = numpy.arange(300) / 100
    y = numpy.arange(40) % 2
    tones = numpy.sin(2 * numpy.pi * numpy.where(y, 14, 6)[:, None, None] * t
                      + rng.uniform(0, 6, (40, 2, 1)))
    return tones + 0.2 * rng.standard_normal((40, 2, 300)).cumsum(-1) * 0.3, y


@pytest.mark.parametrize("method", ["emd", "memd"])
def test_tells_classes(epochs, method):
    X, y = epochs
    options = {"directions": 8} if method == "memd" else None
    model = make_pipeline(ModeFeatures(method, fs=100, modes=3, threads=1, options=options),
                          StandardScaler(), LogisticRegression())
    assert cross_val_score(model, X, y, cv=4).mean() > 0.9


def test_features(epochs):
    X, _ = epochs
    f = ModeFeatures("emd", fs=100, modes=3, features=("frequency", "log_energy"))
    made = f.fit(X).transform(X)
    names = list(f.get_feature_names_out())
    assert made.shape == (40, 2 * 3 * 2) == (40, len(names))
    r = wavesift.emd(X, fs=100, modes=3)
    assert numpy.array_equal(made[:, names.index("ch2_imf1_frequency")], r.frequency[:, 1, 0])
    assert numpy.allclose(made[:, names.index("ch1_imf2_log_energy")],
                          numpy.log((r.modes[:, 0, 1] ** 2).mean(-1)))
    # Whatever else is transformed along changes nothing.
    assert numpy.array_equal(f.transform(X[7:9]), made[7:9])


def test_same_for_train_and_test(epochs):
    X, _ = epochs
    f = clone(ModeFeatures("emd")).fit(X)
    flat = numpy.zeros((3, 2, 300))
    assert f.transform(flat).shape[1] == f.transform(X).shape[1] == 2 * f.n_modes_ * 2
    assert not f.transform(flat).any()
    assert ModeFeatures("emd", modes=2).fit(X[:, 0]).transform(X[:, 0]).shape == (40, 4)


def test_refused(epochs):
    X, _ = epochs
    with pytest.raises(ValueError, match="2 channels|1 channels"):
        ModeFeatures("emd", modes=2).fit(X).transform(X[:, :1])
    with pytest.raises(ValueError, match="no 'size'"):
        ModeFeatures("emd", modes=2, features=["size"]).fit(X).transform(X)
    with pytest.raises(ValueError, match="must be log_energy"):
        ModeFeatures("emd", modes=2, features=["residue"]).fit(X).transform(X)
    with pytest.raises(ValueError, match="names in a list are needed, as .'frequency'."):
        ModeFeatures("emd", modes=2, features="frequency").fit(X).transform(X)
    with pytest.raises(ValueError, match="EMD family"):
        ModeFeatures("cwt").fit(X)
    for given in ({"features": ["size"]}, {"options": {"nonsense": 1}}, {"device": "nowhere"}):
        with pytest.raises((TypeError, ValueError), match="size|nonsense|nowhere"):
            ModeFeatures("emd", modes=2, **given).fit(X)


@pytest.mark.parametrize("made", [ModeFeatures("emd", modes=2), BandFeatures([(4, 9)]),
                                  WaveletFeatures([6]), HilbertFeatures((3, 23, 4))])
def test_labels(epochs, made):
    """Epochs bring along rate and names, and channels that are no data stay out."""
    X, _ = epochs
    plain = clone(made).set_params(fs=100).fit(X).transform(X)
    mne, xarray = pytest.importorskip("mne"), pytest.importorskip("xarray")
    info = mne.create_info(["Fz", "STI", "Cz"], 100.0, ["eeg", "stim", "eeg"])
    inst = mne.EpochsArray(numpy.insert(X, 1, 1.0, axis=1), info, verbose="error")
    array = xarray.DataArray(X, dims=("epoch", "channel", "time"), coords={
        "channel": ["Fz", "Cz"], "time": numpy.arange(300) / 100})
    for labelled in (inst, array, array.transpose("time", "epoch", "channel")):
        fitted = clone(made).fit(labelled)
        assert numpy.array_equal(fitted.transform(labelled), plain)
        names = fitted.get_feature_names_out()
        assert names[0].startswith("Fz_") and names[-1].startswith("Cz_")
    with pytest.raises(ValueError, match="has 50 samples a second, but fitted was 100"):
        fitted.transform(array.assign_coords(time=numpy.arange(300) / 50))
    with pytest.raises(ValueError, match="not RawArray of 2 axes"):
        clone(made).fit(mne.io.RawArray(X[0, :1], mne.create_info(1, 100.0, "eeg"), verbose="error"))


SPECTRA = [BandFeatures([(4, 9), (11, 18)], fs=100), WaveletFeatures((6, 14), fs=100),
           HilbertFeatures((3, 23, 4, "lin"), fs=100)]


@pytest.mark.parametrize("features", SPECTRA)
def test_spectra(epochs, features):
    """Each tells the classes; the numbers are those of the functions."""
    X, y = epochs
    model = make_pipeline(clone(features), StandardScaler(), LogisticRegression())
    assert cross_val_score(model, X, y, cv=4).mean() > 0.9
    made = clone(features).fit(X)
    values, names = made.transform(X), list(made.get_feature_names_out())
    assert values.shape == (40, len(names))
    if isinstance(features, BandFeatures):
        theirs = wavesift.bands(X, 100, bands=[(4, 9), (11, 18)]).bands.var(-1)
        assert names == ["ch1_4-9", "ch1_11-18", "ch2_4-9", "ch2_11-18"]
    elif isinstance(features, HilbertFeatures):
        theirs = wavesift.hht(X, 100, freqs=(3, 23, 4, "lin")).marginal
        assert names[:2] == ["ch1_5.5", "ch1_10.5"]
    else:
        theirs = wavesift.cwt(X, 100, freqs=(6, 14), quantity="power").power.mean(-1)
        assert sorted(names) == ["ch1_14", "ch1_6", "ch2_14", "ch2_6"]
    least = 1e-10 * theirs.sum(-1, keepdims=True)
    assert numpy.allclose(values, numpy.log(numpy.maximum(theirs, least)).reshape(40, -1))
    assert numpy.isfinite(made.transform(0 * X[:3])).all()


@pytest.mark.parametrize("made", [ModeFeatures("emd"), ModeFeatures("memd", threads=1),
                                  BandFeatures(), WaveletFeatures(), HilbertFeatures()])
@pytest.mark.filterwarnings("ignore")
def test_estimator(made):
    """As scikit-learn wants it."""
    check_estimator(made)
