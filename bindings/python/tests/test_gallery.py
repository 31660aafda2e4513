"""The gallery's scripts run and draw pictures with axes; the calls of docs/coming-from.md run."""

import os
import re
import runpy

import numpy
import pytest

import wavesift

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
GALLERY = os.path.join(ROOT, "docs", "gallery")
PAGE = os.path.join(ROOT, "docs", "coming-from.md")
SCRIPTS = sorted(f for f in os.listdir(GALLERY) if f.endswith(".py")) if os.path.isdir(
    GALLERY) else []


@pytest.mark.parametrize("script", SCRIPTS)
def test_script(script, tmp_path, monkeypatch, capsys):
    matplotlib = pytest.importorskip("matplotlib")
    if script == "plot_alpha.py":
        pytest.importorskip("mne")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.close("all")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WAVESIFT_EXAMPLES", os.path.join(ROOT, "examples", "data"))
    try:
        runpy.run_path(os.path.join(GALLERY, script))
    except SystemExit as e:
        assert script == "gpu.py" and not e.code
    figures = [pyplot.figure(n) for n in pyplot.get_fignums()]
    if script.startswith("plot_"):
        assert figures
    for i, figure in enumerate(figures):
        figure.savefig(tmp_path / f"{i}.png")
        last = [a for a in figure.axes if a.get_xlabel()]
        assert last, f"figure {i} has no label on its time axis"
        assert all(a.get_ylabel() for a in figure.axes)
        # Nothing reaches beyond the picture.
        box = figure.get_tightbbox()
        assert box.x0 >= 0 and box.y0 >= 0
        assert box.x1 <= figure.get_figwidth() and box.y1 <= figure.get_figheight()
        assert all(8 <= t.get_fontsize() for a in last for t in a.get_xticklabels())
    pyplot.close("all")


def calls():
    """Code of the last column of the page's tables."""
    if not os.path.exists(PAGE):
        return []
    with open(PAGE) as f:
        cells = [line.rstrip(" |\n").rpartition(" | ")[2] for line in f if line.startswith("|")]
    return [code for cell in cells for code in re.findall(r"`([^`]+)`", cell)
            if code.startswith("wavesift.") and "(" in code]


@pytest.mark.parametrize("code", calls())
def test_coming_from(code, x):
    names = {"wavesift": wavesift, "np": numpy, "x": x, "s": x[0], "t": numpy.arange(600) / 200,
             "imf": wavesift.emd(x[0]).modes.T}
    if ".plot()" in code:
        pytest.importorskip("matplotlib").use("Agg")
    if "wavesift.mne" in code:
        mne = pytest.importorskip("mne")
        info = mne.create_info(4, 100.0, "eeg")
        names["raw"] = mne.io.RawArray(x, info, verbose="error")
        names["epochs"] = mne.make_fixed_length_epochs(names["raw"], 2.0, preload=True,
                                                       verbose="error")
        names.update(data=x[None], sfreq=100.0, freqs=numpy.array([10.0, 20.0]))
    assert eval(code, names) is not None


def test_page_has_calls():
    if not os.path.exists(PAGE):
        pytest.skip("no docs beside the tests")
    assert len(calls()) >= 25
