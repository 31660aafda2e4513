"""The gallery's scripts run and draw pictures with axes."""

import os
import runpy

import pytest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
GALLERY = os.path.join(ROOT, "docs", "gallery")
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
