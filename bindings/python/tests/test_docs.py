"""The lines of docs/python.md and of README.md run as they stand there."""

import os
import re

import numpy
import pytest

import wavesift

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def page(name):
    path = os.path.join(ROOT, *name.split("/"))
    if not os.path.exists(path):
        return ""
    with open(path) as f:
        return f.read()


def blocks(name):
    return re.findall(r"^```python\n(.*?)^```$", page(name), re.M | re.S)


def inline(name):
    """Calls between backquotes that are whole: nothing left out of them by '..'."""
    prose = re.sub(r"^```.*?^```$", "", page(name), flags=re.M | re.S)
    found = (" ".join(code.split()) for code in re.findall(r"`([^`]+)`", prose))
    return [code for code in found if re.match(r"(\w+ = )?(wavesift\.\w|r\.\w+)[\w.]*\(", code)
            and ".." not in code]


def names_of(x, code, tmp_path):
    """What a reader of the page has at hand."""
    epochs = numpy.stack([x, 2 * x, x[:, ::-1]])
    r = wavesift.emd(x, fs=200)
    if "save" not in code:
        r.save(tmp_path / "x.h5")
    gathers = any(f"wavesift.{name}(" in code for name in ("trials", "coherence", "hhtrials"))
    names = {"wavesift": wavesift, "np": numpy, "r": r, "a": r, "b": "x.h5", "channel": 1,
             "epoch": 0, "rows": [[1.0, 2.0], [1.0, 0.5, 0.2]],
             "x": epochs if gathers else x, "y": epochs.transpose(1, 0, 2)}
    if "partner" in code:
        names["r"] = wavesift.coherence(x, fs=200, against="all")
    if "icwt" in code:
        names["r"] = wavesift.cwt(x, fs=200)
        names["w"] = names["r"].coefficients.copy()
    if "da)" in code or "chunked" in code:
        xarray = names["xarray"] = pytest.importorskip("xarray")
        da = xarray.DataArray(x, dims=("sensor", "time"), attrs={"units": "uV"},
                              coords={"time": numpy.arange(600) / 200})
        names.update(da=da, table=pytest.importorskip("pandas").DataFrame(x.T))
        if "chunked" in code:
            pytest.importorskip("dask")
            names["chunked"] = da.chunk(sensor=2)
    if "sklearn" in code:
        pytest.importorskip("sklearn")
        names["X"] = epochs
    if "tensor" in code:
        names["tensor"] = pytest.importorskip("torch").from_numpy(x)
    if "raw" in code or "wavesift.mne" in code:
        mne = pytest.importorskip("mne")
        raw = mne.io.RawArray(x, mne.create_info(4, 200.0, "eeg"), verbose="error")
        names.update(raw=raw, freqs=numpy.array([20.0, 30.0]),
                     epochs=mne.make_fixed_length_epochs(raw, 1.0, preload=True, verbose="error"))
    return names


@pytest.fixture
def at(tmp_path, monkeypatch):
    """An empty folder; figures are drawn into memory."""
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("h5py")
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    yield tmp_path
    pyplot.close("all")


@pytest.mark.parametrize("code", blocks("docs/python.md") + blocks("README.md")
                         + blocks("bindings/python/README.md"))
def test_block(code, x, at):
    exec(code, names_of(x, code, at))


@pytest.mark.parametrize("code", inline("docs/python.md"))
def test_inline(code, x, at):
    if "to_xarray" in code:
        pytest.importorskip("xarray")
    if 'out="x.h5"' in code:
        code = code.replace('"x.h5"', '"y.h5"')
    names = names_of(x, code, at)
    if "noise_signals" in code:     # whole, it takes a minute
        code, names["x"] = code.replace("199", "50"), x[:2, :150]
    exec(code, names)


def test_pages_have_lines():
    if not page("docs/python.md"):
        pytest.skip("no docs beside the tests")
    assert len(blocks("docs/python.md")) >= 3 and len(blocks("README.md")) == 1
    assert len(inline("docs/python.md")) >= 15
