"""Inputs that do not fit in memory, row by row into a result file."""

import os
import subprocess
import sys
import textwrap

import numpy
import pytest

import wavesift

h5py = pytest.importorskip("h5py")

METHODS = {"emd": {}, "iceemdan": {"realizations": 3}, "memd": {"directions": 16},
           "hht": {"freqs": "1:90:12"}, "cwt": {"freqs": "2:40:5"},
           "conv": {"mask_formula": "morlet", "scales": "1:3:3", "method": "direct"}}


def sources(x, folder):
    """The same samples in files."""
    path = folder / "x.npy"
    numpy.save(path, x)
    yield "memmap", numpy.load(path, mmap_mode="r")
    with h5py.File(folder / "source.h5", "w") as f:
        f["x"] = x
    with h5py.File(folder / "source.h5") as f:
        yield "h5py", f["x"]
    try:
        import zarr
    except ImportError:
        return
    z = zarr.create_array(store=str(folder / "x.zarr"), shape=x.shape, dtype=x.dtype,
                          chunks=(1,) * (x.ndim - 1) + (100,))
    z[...] = x
    yield "zarr", z


def same_files(a, b):
    """Arrays, axes and facts of two result files."""
    names = []
    a.visit(names.append)
    others = []
    b.visit(others.append)
    assert sorted(names) == sorted(others)
    for name in names:
        if name == "checksums":     # test_sums.py; numbered by the modes that there may be
            continue
        if isinstance(a[name], h5py.Dataset):
            assert a[name].dtype == b[name].dtype and a[name].shape == b[name].shape, name
            if a[name].dtype.kind == "O":
                assert list(a[name]) == list(b[name])
            else:
                assert a[name][()].tobytes() == b[name][()].tobytes(), name
            assert [list(d.keys()) for d in a[name].dims] == [list(d.keys()) for d in b[name].dims]
        for key, value in a[name].attrs.items():
            if key not in ("DIMENSION_LIST", "REFERENCE_LIST", "checksums"):
                assert numpy.array_equal(value, b[name].attrs[key]), (name, key)


@pytest.mark.parametrize("method", METHODS)
def test_same_as_in_memory(x, tmp_path, method):
    whole = getattr(wavesift, method)(x, fs=200, **METHODS[method])
    whole.save(tmp_path / "whole.h5")
    for name, source in sources(x, tmp_path):
        r = getattr(wavesift, method)(source, fs=200, out=tmp_path / f"{name}.h5",
                                      **METHODS[method])
        main = "modes" if "modes" in whole else next(iter(whole.arrays))
        assert isinstance(r[main], h5py.Dataset) and r[main][0].shape == whole[main][0].shape
        assert r.fs == 200 and r.method == method
        r.close()
        with h5py.File(tmp_path / "whole.h5") as a, h5py.File(tmp_path / f"{name}.h5") as b:
            same_files(a, b)


@pytest.mark.parametrize("shape", [(2400,), (1, 2400), (2, 2, 600), (2, 1, 2, 600)])
def test_shapes(x, tmp_path, shape):
    pytest.importorskip("matplotlib").use("Agg")
    y = x.reshape(shape)
    wavesift.emd(y, fs=200).save(tmp_path / "a.h5")
    with wavesift.emd(y, fs=200, out=tmp_path / "b.h5") as r:
        assert r.mode_count.ndim == min(max(len(shape) - 1, 1), 2)
        r.plot()
    with h5py.File(tmp_path / "a.h5") as a, h5py.File(tmp_path / "b.h5") as b:
        same_files(a, b)


def test_many_blocks(tmp_path):
    """Little memory changes no bit; more than there is says so."""
    x = numpy.random.default_rng(0).standard_normal((24, 4000)).cumsum(-1)
    whole = wavesift.emd(x)
    with wavesift.emd(x, out=tmp_path / "r.h5", memory="3M", threads=1) as r:
        assert r.modes[()].tobytes() == whole.modes.tobytes()
    with pytest.raises(MemoryError, match="memory"):
        wavesift.emd(x, out=tmp_path / "s.h5", memory="100K")
    assert [p.name for p in tmp_path.iterdir()] == ["r.h5"]


def test_refused(x, tmp_path):
    path = tmp_path / "r.h5"
    wavesift.emd(x, out=path).close()
    with pytest.raises(OSError, match="overwrite"):
        wavesift.emd(x, out=path)
    wavesift.emd(x, out=path, overwrite=True).close()
    for words, given in (("memory: a number", {"memory": "lots"}),
                         ("arrays: a file", {"arrays": ["frequency"]})):
        with pytest.raises(ValueError, match=words):
            wavesift.emd(x, out=tmp_path / "s.h5", **given)
    with pytest.raises(ValueError, match="go with a file"):
        wavesift.emd(x, memory="1G")
    with pytest.raises(ValueError, match="complex"):
        wavesift.emd(x * 1j, out=tmp_path / "s.h5")
    bad = x.copy()
    bad[2, 77] = numpy.inf
    with pytest.raises(wavesift.SignalError, match=r"^x\[2, 77\] is not finite"):
        wavesift.emd(bad, out=tmp_path / "s.h5")
    assert [p.name for p in tmp_path.iterdir()] == ["r.h5"]


def test_source_that_fails(x, tmp_path):
    class Source:
        shape, dtype = x.shape, x.dtype

        def __getitem__(self, index):
            if index == (2,):
                raise ZeroDivisionError("mine")
            return x[index]

    with pytest.raises(ZeroDivisionError, match="mine"):
        wavesift.emd(Source(), out=tmp_path / "r.h5", memory="1M", threads=1)
    assert not list(tmp_path.iterdir())


def test_unfinished(x, tmp_path):
    with pytest.warns(UserWarning, match="cut off by max_sifts"):
        wavesift.emd(x, stop_rule="rilling", max_sifts=2, out=tmp_path / "r.h5").close()


def test_lazy(x, tmp_path):
    r = wavesift.emd(x, fs=200)
    r.save(tmp_path / "r.h5")
    with wavesift.load(tmp_path / "r.h5", lazy=True) as lazy:
        assert isinstance(lazy.modes, h5py.Dataset)
        assert lazy.modes[1, 0].tobytes() == r.modes[1, 0].tobytes()
        host = lazy.to_numpy()
    assert host.modes.tobytes() == r.modes.tobytes()
    assert not lazy.modes


def test_memory(tmp_path):
    """Far less than the samples is held."""
    code = textwrap.dedent("""
        import resource, sys, h5py, numpy, wavesift
        wavesift.emd(numpy.zeros((2, 100)), out=sys.argv[2], overwrite=True).close()
        x = h5py.File(sys.argv[1])["x"]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        wavesift.emd(x, out=sys.argv[2], overwrite=True, memory="24M", modes=2, sifts=1).close()
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, x.nbytes)
        """)
    with h5py.File(tmp_path / "x.h5", "w") as f:
        x = f.create_dataset("x", (64, 200_000), "f8")
        for i in range(64):
            x[i] = numpy.random.default_rng(i).standard_normal(200_000)
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "x.h5", tmp_path / "r.h5"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    grown, size = map(int, done.stdout.split())
    assert size == 64 * 200_000 * 8 and os.path.getsize(tmp_path / "r.h5") > 3 * size
    assert grown < 48 << 20
