"""Figures have what the program's have: colours that mean the same, and masks."""

import numpy
import pytest

import wavesift

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def mesh(figure):
    return figure.axes[0].collections[0]


def label(figure):
    return figure.axes[1].get_ylabel()


def test_masks(x):
    """One below the other, decimated and longer than the signal too; of scales a map."""
    for options in ({}, {"decimate": 4}, {"extent": "full"}):
        r = wavesift.conv(x, fs=200, masks=[[1, 2, 3], [1, 1]], **options)
        figure = r.plot(2)
        assert [a.get_ylabel() for a in figure.axes] == ["signal", "mask 1", "mask 2"]
        drawn = figure.axes[2].get_lines()[0].get_ydata()
        assert numpy.array_equal(drawn, r.responses[2, 1])
    r = wavesift.conv(x, fs=200, masks=[[1, 1j]])
    drawn = r.plot().axes[1].get_lines()[0].get_ydata()
    assert numpy.array_equal(drawn, numpy.abs(r.responses[0, 0]))
    r = wavesift.conv(x, fs=200, mask_formula="morlet", scales="1:16:8")
    figure = r.plot()
    assert numpy.array_equal(mesh(figure).get_array(), numpy.abs(r.responses[0]))
    assert figure.axes[0].get_ylabel() == "scale (samples)" and label(figure) == "magnitude"
    with pytest.raises(ValueError, match="70 masks are more than the 63"):
        wavesift.conv(x, fs=200, masks=numpy.ones((70, 2))).plot()


def test_colours(x):
    r = wavesift.cwt(x, fs=200, freqs="4:60", quantity="power")
    figure = r.plot(1)
    assert numpy.allclose(mesh(figure).get_array(), 10 * numpy.log10(r.power[1]))
    assert label(figure) == "power (dB)"
    figure = wavesift.cwt(x, fs=200, freqs="4:60", quantity="phase").plot()
    assert mesh(figure).get_clim() == (-numpy.pi, numpy.pi)
    r = wavesift.cwt(x, fs=200, freqs="4:60")
    low, high = mesh(r.plot()).get_clim()
    assert low == 0 and high == numpy.quantile(numpy.abs(r.coefficients[0]), 0.998)
    wavesift.cwt(numpy.zeros(200), fs=200, freqs="4:60", quantity="power").plot()


@pytest.mark.parametrize("how", ["db", "percent", "z", "ratio"])
def test_changes(x, how):
    """Those against a baseline lie around 0, but for ratios."""
    epochs = numpy.stack([x, 2 * x[:, ::-1], x ** 2])
    r = wavesift.trials(epochs, fs=200, freqs="4:60", baseline=(0, 1, how))
    low, high = mesh(r.plot()).get_clim()
    assert low == (0 if how == "ratio" else -high) and high > 0


def test_coherence(x):
    """Not of a channel with itself, unless it is asked for."""
    r = wavesift.coherence(x, fs=200, freqs="4:60")
    figure = r.plot()
    assert numpy.array_equal(mesh(figure).get_array(), r.coherence[1])
    assert "ch2 with ch1" in figure._suptitle.get_text()
    assert numpy.array_equal(mesh(r.plot(0)).get_array(), r.coherence[0])
    with pytest.raises(ValueError, match="partner: of coherence of all pairs"):
        r.plot(partner=1)
    r = wavesift.coherence(x, fs=200, freqs="4:60", against=2)
    assert "ch1 with ch3" in r.plot()._suptitle.get_text()
    r = wavesift.coherence(x, fs=200, freqs="4:60", against="all")
    assert numpy.array_equal(mesh(r.plot()).get_array(), r.coherence_pairs[0, 1])
    figure = r.plot(2, partner=3)
    assert numpy.array_equal(mesh(figure).get_array(), r.coherence_pairs[2, 3])
    assert "ch3 with ch4" in figure._suptitle.get_text()
    with pytest.raises(ValueError, match="partner 4: there are 4"):
        r.plot(partner=4)


def test_levels(x, tmp_path):
    """Lines about what is above its level, and clusters; one scale for all panels."""
    def lines(axes):
        return [c for c in axes.collections if type(c).__name__ == "QuadContourSet"]

    assert not lines(wavesift.coherence(x, fs=200, freqs="4:60").plot().axes[0])
    made = wavesift.coherence(x, fs=200, freqs="8:60:8", noise_signals=50, clusters=True)
    made.save(tmp_path / "r.h5")
    ranks = made.cluster_p.astype(float) * 51
    assert numpy.abs(ranks - numpy.rint(ranks)).max() < 51 * numpy.finfo(made.cluster_p.dtype).eps
    for r in made, wavesift.load(tmp_path / "r.h5"):
        figure = r.plot(channels=[0, 1, 2])
        assert numpy.array_equal(mesh(figure).get_array(), r.coherence[0])
        assert lines(figure.axes[1]) and "thick" in figure.axes[1].get_title(loc="right")
        assert "% above the level" in figure.axes[1].get_title(loc="right")
        assert mesh(figure).get_clim()[0] == 0
        assert len({axes.collections[0].get_clim() for axes in figure.axes[:3]}) == 1
    for quantity in ("complex", "magnitude", "power"):
        r = wavesift.cwt(x, fs=200, freqs="2:60:8", quantity=quantity, significance="white")
        assert lines(r.plot(1).axes[0])[0].get_paths()[0].vertices.size > 0
    assert not lines(wavesift.cwt(x, fs=200, freqs="8:60:8", quantity="phase",
                                  significance="white").plot().axes[0])


def test_parts_of_rows(x):
    """Some channels, modes and a part of the time; into axes of the caller's."""
    from matplotlib import pyplot

    r = wavesift.emd(x, fs=200)
    figure = r.plot(channels=["ch2", 3], modes=[1, "IMF 1", "residue"], tmin=0.5, tmax=1, vmax=2)
    assert len(figure.axes) == 6 and figure.axes[1].get_title("left") == "ch4"
    assert figure.axes[0].get_ylabel().startswith("IMF 2\n")
    line = figure.axes[1].get_lines()[0]
    assert numpy.array_equal(line.get_ydata(), r.modes[3, 1, 100:201])
    assert figure.axes[1].get_xlim() == (0.5, 1) and figure.axes[1].get_ylim() == (-2, 2)
    mine, all_axes = pyplot.subplots(2, 2)
    assert r.plot(1, ax=all_axes[0, 0], modes=[0, 1]) is mine and len(mine.axes) == 4
    assert len(all_axes[0, 0].child_axes) == 2
    r.plot(1, ax=all_axes[1], modes=[0, 1])
    assert numpy.array_equal(all_axes[1, 1].get_lines()[0].get_ydata(), r.modes[1, 1])
    for given, words in (({"modes": 40}, "modes: 40: must be 0"), ({"tmin": 7}, "no sample"),
                         ({"ax": all_axes, "channels": [0]}, "ax: one, or"),
                         ({"channels": 2}, "list"),
                         ({"channel": 1, "channels": [0]}, "one of both"),
                         ({"ax": all_axes[0, 0], "figsize": (2, 2)}, "figsize: of a new figure")):
        with pytest.raises(ValueError, match=words):
            r.plot(**given)


def test_slices_and_refusals(x):
    r = wavesift.emd(x, fs=200)
    assert len(r.plot(modes=slice(1, 3), channels=slice(0, 2)).axes) == 4
    for given, error, words in (({"vmin": 1}, TypeError, "has no option 'vmin'"),
                                ({"vmax": "x"}, ValueError, "vmax: a number is needed, not 'x'"),
                                ({"tmin": "1"}, ValueError, "tmin: a number is needed, not '1'"),
                                ({"tmin": 30}, ValueError, "no sample is from 30 on: there"),
                                ({"modes": 0.5}, ValueError, "modes: a whole number is needed")):
        with pytest.raises(error, match=words):
            r.plot(**given)
    assert r.plot(facecolor="w", dpi=50).get_dpi() == 50


def test_parts_of_maps(x):
    from matplotlib import pyplot

    r = wavesift.cwt(x, fs=200, freqs="4:60:9", quantity="power")
    figure = r.plot(channels=[1, 2], tmin=1, tmax=2, vmax=-10)
    drawn = [a.collections[0] for a in figure.axes[:2]]
    for k, made in enumerate(drawn):
        assert numpy.allclose(made.get_array(), 10 * numpy.log10(r.power[k + 1, :, 200:401]))
        assert made.get_clim()[1] == -10
    mine, ax = pyplot.subplots()
    assert r.plot(ax=ax) is mine and ax.get_title("left") == "Wavelet transform of ch1"
    with pytest.raises(ValueError, match="modes: cwt draws none"):
        r.plot(modes=[0])


def test_once_in_jupyter(x):
    """A cell that ends with a plot shows it once; so does one that ends with the figure later."""
    pytest.importorskip("matplotlib_inline")
    interactive = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell
    shell = interactive.instance()
    shell.enable_gui = lambda gui=None: None
    from IPython.utils.capture import capture_output
    from matplotlib import pyplot
    from matplotlib_inline import backend_inline

    before = matplotlib.get_backend()
    shell.push({"r": wavesift.emd(x, fs=200, modes=2), "s": wavesift.cwt(x[0], fs=200)})
    try:
        shell.enable_matplotlib("inline")
        for cell in ("figure = r.plot(1)", "r.plot(1)", "figure", "s.plot()", "r.plot();"):
            values = []
            shell.displayhook.write_format_data = lambda data, *_: values.append(data)
            with capture_output() as seen:
                shell.run_cell(cell).raise_error()
                backend_inline.flush_figures()
            shown = [o for o in [*values, *(o.data for o in seen.outputs)] if "image/png" in o]
            assert len(shown) == 1, cell
    finally:
        interactive.clear_instance()
        pyplot.switch_backend(before)
