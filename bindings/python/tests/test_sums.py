"""Checksums of results: written by either, verified by both, of what is read."""

import numpy
import pytest

import wavesift
from wavesift import _sums

h5py = pytest.importorskip("h5py")


def results(x, tmp_path, program):
    """Files of the package, at once and row by row, and of the program."""
    numpy.save(tmp_path / "x.npy", x)
    wavesift.emd(x, fs=200).save(tmp_path / "a.h5")
    wavesift.cwt(x, fs=200, quantity="power").save(tmp_path / "b.h5", compress=3)
    wavesift.emd(x, fs=200, out=tmp_path / "c.h5").close()
    wavesift.cwt(x, fs=200, out=tmp_path / "d.h5", memory="1M").close()
    wavesift.hht(x, fs=200).save(tmp_path / "e.h5")
    program("emd", tmp_path / "x.npy", "--fs", 200, "-o", tmp_path / "f.h5", "-q")
    program("cwt", tmp_path / "x.npy", "--fs", 200, "-o", tmp_path / "g.h5", "-q", "--compress")
    return [tmp_path / f"{k}.h5" for k in "abcdefg"]


def test_verified_by_both(x, tmp_path, program):
    for path in results(x, tmp_path, program):
        assert "have the checksums" in program("info", "--verify", path)
        r = wavesift.load(path)
        with wavesift.load(path, lazy=True) as lazy:
            for name in r.arrays:
                assert lazy[name][()].tobytes() == r[name].tobytes()
                assert numpy.asarray(lazy[name]).tobytes() == r[name].tobytes()


def test_sums_of_both(x, tmp_path, program):
    """Those of the program's file are those of the package's."""
    numpy.save(tmp_path / "x.npy", x)
    program("emd", tmp_path / "x.npy", "--fs", 200, "-o", tmp_path / "p.h5", "-q")
    wavesift.emd(x, fs=200).save(tmp_path / "r.h5")
    with h5py.File(tmp_path / "p.h5") as p, h5py.File(tmp_path / "r.h5") as r:
        for name, data in p.items():
            if isinstance(data, h5py.Dataset) and _sums.NAME in data.attrs:
                of = []
                for f in (p, r):
                    first, *extent = f[name].attrs[_sums.NAME]
                    of.append(f[_sums.NAME][first:first + numpy.prod(extent)].reshape(extent))
                common = tuple(map(slice, map(min, of[0].shape, of[1].shape)))
                if p[name].chunks == r[name].chunks:
                    assert numpy.array_equal(of[0][common], of[1][common]), name


def test_damage(x, tmp_path):
    """Of many changes of single bytes none gives other arrays, names or rate."""
    r = wavesift.emd(x[:2, :300], fs=200)
    r.channel_names = ["Fz", "Cz"]
    r.save(tmp_path / "r.h5")
    data = bytearray((tmp_path / "r.h5").read_bytes())
    rng = numpy.random.default_rng(11)
    refused = 0
    for place in rng.integers(len(data), size=250):
        bad = bytearray(data)
        bad[place] ^= 1 << rng.integers(8)
        (tmp_path / "bad.h5").write_bytes(bad)
        try:
            again = wavesift.load(tmp_path / "bad.h5")
        except (wavesift.FileError, OSError, ValueError, RuntimeError, KeyError):
            refused += 1
            continue
        assert again.fs == 200 and again.channel_names == ["Fz", "Cz"]
        for name in r.arrays:
            if name in again.arrays:
                assert again[name].tobytes() == r[name].tobytes(), (place, name)
    assert refused > 120


def test_lazy(x, tmp_path):
    """Only what is read is verified, and then by its piece."""
    r = wavesift.emd(x, fs=200)
    r.save(tmp_path / "r.h5")
    with h5py.File(tmp_path / "r.h5", "r+") as f:
        row = f["modes"][2, 1]
        row[5] += 1
        f["modes"][2, 1] = row
    with pytest.raises(wavesift.FileError, match="piece 3,2,1 of modes has not the checksum"):
        wavesift.load(tmp_path / "r.h5")
    with wavesift.load(tmp_path / "r.h5", lazy=True) as lazy:
        assert lazy.modes[0].tobytes() == r.modes[0].tobytes()
        assert lazy.modes[2, 2:].tobytes() == r.modes[2, 2:].tobytes()
        for place in (2, (2, 1), (slice(None), 1), (2, slice(0, 2), slice(3)), Ellipsis,
                      (-2, [0, 1]), (slice(None, None, 2),)):
            with pytest.raises(wavesift.FileError, match="checksum"):
                lazy.modes[place]


def test_touched():
    """The pieces that an index lies in, and no less."""
    a = numpy.arange(7 * 5 * 9).reshape(7, 5, 9)
    g = _sums.Grid(a.shape, (2, 5, 4))
    for place in (0, -1, (3, 2), (slice(2, 5),), (Ellipsis, 8), (slice(5, 0, -2), 1), (1, Ellipsis),
                  (slice(3, 3),), ([1, 6], 0), ()):
        marks = numpy.zeros(a.shape, bool)
        marks[place] = True
        need = {at for at in g if marks[g.slices(at)].any()}
        assert need <= set(g.touched(place)), place
