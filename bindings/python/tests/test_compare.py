"""compare(): the program's figures."""

import json

import numpy
import pytest

import wavesift


def test_program(x, tmp_path, program):
    pytest.importorskip("h5py")
    noisy = x + numpy.random.default_rng(1).standard_normal(x.shape) * 0.05
    a, b = wavesift.emd(x, fs=200), wavesift.emd(noisy, fs=200)
    a.save(tmp_path / "a.h5")
    b.save(tmp_path / "b.h5")
    told = json.loads(program("compare", tmp_path / "a.h5", tmp_path / "b.h5", "--json"))
    ours = wavesift.compare(a, tmp_path / "b.h5")
    for rho, signal in zip(ours.rho, told["signals"]):
        assert numpy.allclose(rho[:-1][numpy.isfinite(rho[:-1])], signal["similarity"], atol=1e-12)
        assert abs(rho[-1] - signal["residue"]) < 1e-12
    for row, summary in zip(ours.quartiles(), told["summary"]):
        theirs = [summary[k] for k in ("first_quartile", "median", "third_quartile")]
        # None: no channel has the mode in both.
        assert numpy.allclose(row, numpy.array(theirs, float), atol=1e-12, equal_nan=True)
    assert numpy.array_equal(ours.mode_counts[0], a.mode_count)


def test_match(x, tmp_path, program):
    pytest.importorskip("h5py")
    a = wavesift.emd(x, fs=200)
    b = wavesift.emd(x, fs=200)
    # The first two modes of b added up, with one of its own before them.
    own = numpy.zeros_like(b.modes[:, :1])
    own[..., ::2], own[..., 1::2] = 1e-3, -1e-3
    b.arrays["modes"] = numpy.concatenate([own, b.modes[:, :1] + b.modes[:, 1:2], b.modes[:, 2:]], 1)
    s = wavesift.compare(a, b, match=True)
    assert "1-2=2" in s.labels and ([1, 2], [2]) in s.matched
    assert "-=1" in s.labels or "1-2=2" in s.labels
    assert numpy.nanmin(s.rho) > 0.999
    a.save(tmp_path / "a.h5")
    b.save(tmp_path / "b.h5")
    told = json.loads(program("compare", "--match", tmp_path / "a.h5", tmp_path / "b.h5", "--json"))
    assert [row["matched"] for row in told["summary"]] == s.labels
    for rho, signal in zip(s.rho, told["signals"]):
        theirs = [g["similarity"] for g in signal["matched"] if g["similarity"] is not None]
        assert numpy.allclose(rho[numpy.isfinite(rho)], theirs, atol=1e-12)


def test_alike(x):
    a = wavesift.emd(x.reshape(2, 2, 600))
    s = wavesift.compare(a, a)
    assert s.rho.shape == (2, 2, a.modes.shape[2] + 1)
    assert numpy.nanmin(s.rho) == 1.0 and (s.quartiles() == 1.0).all()
    missing = numpy.isnan(s.rho[..., :-1]).sum(-1)
    assert numpy.array_equal(missing, a.modes.shape[2] - a.mode_count)
    assert "IMF 1" in repr(s) and s.labels[-1] == "residue"


def test_names(x):
    a, b = wavesift.emd(x), wavesift.emd(x[::-1])
    a.channel_names, b.channel_names = ["A", "B", "C", "D"], ["D", "C", "B", "X"]
    with pytest.warns(UserWarning, match="only one result has A, X"):
        s = wavesift.compare(a, b)
    assert s.channel_names == ["B", "C", "D"] and numpy.nanmin(s.rho) == 1.0
    with pytest.warns(UserWarning), pytest.raises(ValueError, match="no 'Q'"):
        wavesift.compare(a, b, ["Q"])


def test_refused(x):
    a = wavesift.emd(x)
    with pytest.raises(ValueError, match="600 samples"):
        wavesift.compare(a, wavesift.emd(x[:, :500]))
    with pytest.raises(ValueError, match="4 channels and b 3"):
        wavesift.compare(a, wavesift.emd(x[:3]))
    with pytest.raises(ValueError, match="b: a result with modes"):
        wavesift.compare(a, wavesift.cwt(x, freqs="0.1:0.3:3"))


def test_flat_and_large():
    x = numpy.sin(numpy.arange(500) / 5)
    a, b = wavesift.emd(x * 1e200), wavesift.emd(x * 1e-200)
    s = wavesift.compare(a, b)
    assert numpy.nanmin(s.rho[:-1]) > 0.999999


def test_plot(x, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    figure = wavesift.compare(wavesift.emd(x), wavesift.emd(x + 0.01)).plot()
    assert figure.axes[0].get_ylabel() == "correlation"
    figure.savefig(tmp_path / "c.png")


def test_units(x):
    """Of results in V and in uV."""
    a = wavesift.emd(x, unit="uV")
    b = wavesift.emd(x * 2 ** -20, unit="V")
    b.modes, b.residue = b.modes * 2 ** 20 * 1e-6, b.residue * 2 ** 20 * 1e-6
    made = wavesift.compare(a, b)
    shared = numpy.isfinite(made.rho)
    assert (made.difference[shared] < 1e-12).all() and numpy.isnan(made.difference[~shared]).all()
    b.units = ["mV"] * 4
    assert numpy.allclose(wavesift.compare(a, b).difference[shared], 0.999, atol=1e-9)
    assert (wavesift.compare(a, a).difference[shared] == 0).all()
    b.units = ["K"] * 4
    with pytest.warns(UserWarning, match="ch1 is in uV in a, and in K in b"):
        made = wavesift.compare(a, b)
    assert (made.rho[shared] > 0.999).all() and numpy.isnan(made.difference).all()
