"""Channels, modes and epochs are numbered from 0; their names, "ch1" and "IMF 1", are those of
files and figures, which count from 1."""

import pickle

import numpy
import pytest

import wavesift

COHERENCE = {"fs": 200, "freqs": "8:30"}


@pytest.mark.parametrize("given, row", [(None, 0), (0, 0), (1, 1), (numpy.int64(3), 3),
                                        ("ch1", 0), ("ch4", 3)])
def test_against(x, given, row):
    r = wavesift.coherence(x, against=given, **COHERENCE)
    others = [i for i in range(4) if i != row]
    assert numpy.allclose(r.coherence[row], 1) and (r.coherence[others].mean((1, 2)) < 0.99).all()
    assert r.options["against"] == row
    plan = wavesift.Plan("coherence", x.shape, against=given, **COHERENCE)
    assert plan.options["against"] == row
    assert pickle.loads(pickle.dumps(plan)).options["against"] == row


def test_against_a_name(x):
    mne = pytest.importorskip("mne")
    raw = mne.io.RawArray(x, mne.create_info(["Fz", "2", "Pz", "Oz"], 200, "eeg"), verbose="error")
    by_name, by_number = (wavesift.coherence(raw, freqs="8:30", against=a) for a in ("2", 1))
    assert by_name.coherence.tobytes() == by_number.coherence.tobytes()
    with pytest.raises(wavesift.ArgumentError, match="'Cz': there are Fz, 2, Pz, Oz, by number"):
        wavesift.coherence(raw, freqs="8:30", against="Cz")


@pytest.mark.parametrize("given, words", [
    ("2", "'2': there are ch1, ch2, ch3, ch4, by number from 0 on"), (-1, "from 0 .ch1. on"),
    (1.5, "number of a channel"), (True, "number of a channel"), (4, "channel 4|against")])
def test_against_no_channel(x, given, words):
    with pytest.raises(wavesift.ArgumentError, match=words):
        wavesift.coherence(x, against=given, **COHERENCE)


def test_files_count_from_1(x, tmp_path):
    """And what is read from them is as what was written."""
    h5py = pytest.importorskip("h5py")
    made = [wavesift.coherence(x, against=2, **COHERENCE),
            wavesift.emd(x[None].repeat(2, 0), fs=200),
            wavesift.conv(x, masks=[[1, 2], [3, 4], [1, 1]])]
    for i, r in enumerate(made):
        r.save(tmp_path / f"{i}.h5")
        again = wavesift.load(tmp_path / f"{i}.h5")
        assert again.options == r.options
        for name in r.arrays:
            if name in again:
                for dim, values in r.coordinates(name).items():
                    assert numpy.array_equal(again.coordinates(name)[dim], values), (name, dim)
    with h5py.File(tmp_path / "0.h5") as f:
        assert f["provenance"].attrs["against"] in ("3", b"3")
    with h5py.File(tmp_path / "1.h5") as f:
        assert list(f["epoch"]) == [1, 2] and f["mode"][0] == 1
    assert list(made[1].coordinates("modes")["epoch"]) == [0, 1]
    assert list(made[1].coordinates("modes")["mode"][:3]) == [0, 1, 2]
    assert list(made[2].coordinates("responses")["mask"]) == [0, 1, 2]
    with h5py.File(tmp_path / "2.h5") as f:
        assert [list(f[n]) for n in ("mask", "conv/mask") if n in f] == [[1, 2, 3]]


def test_named_in_figures(x):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    r = wavesift.emd(x, fs=200, modes=3)
    titles = {r.plot(c)._suptitle.get_text() for c in (1, "ch2", -3)}
    assert titles == {"EMD of ch2"}
    with pytest.raises(wavesift.ArgumentError, match=r"channel 4: there are 4, from 0 \(ch1\) on"):
        r.plot(4)
    with pytest.raises(wavesift.ArgumentError, match="channel 'ch5': there are ch1, ch2, ch3, ch4"):
        r.plot("ch5")


def test_named_modes(x):
    mne = pytest.importorskip("mne")
    import wavesift.mne as wm

    raw = mne.io.RawArray(x, mne.create_info(4, 200, "eeg"), verbose="error")
    modes = wm.decompose(raw, "emd", modes=3)
    by_name, by_number = (modes.to_inst(m).get_data() for m in (["IMF 3", "residue"],
                                                                [2, "residue"]))
    assert by_name.tobytes() == by_number.tobytes()
    for given in (3, "IMF 4", True):
        with pytest.raises(wavesift.ArgumentError,
                           match=r"must be 0 \(IMF 1\) to 2 \(IMF 3\), or 'residue'"):
            modes.to_inst(given)


def test_helped():
    assert "Default: 0. Numbers count from 0 here." in " ".join(
        wavesift.coherence.__doc__.split())


def test_told(x):
    a, b = (wavesift.emd(x, fs=200, modes=3) for _ in range(2))
    b.modes[2, 1, 7] = numpy.nan
    with pytest.raises(wavesift.SignalError, match=r"channel 2, mode 1 \(IMF 2\)"):
        wavesift.compare(a, b)
