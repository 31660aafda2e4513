"""Figures by matplotlib, as the program draws them."""

import numpy

from . import _maps, _pick
from ._average import INTERVAL
from ._errors import ArgumentError
from ._pick import FAINT, INK, MODE, RESIDUE

# Rows of one figure at most.
MOST_ROWS = 64

# Of units, for samples of a size of 1e-9, ..
_PREFIX = {-12: "p", -9: "n", -6: "\u00b5", -3: "m", 0: "", 3: "k", 6: "M"}


def _scale(unit, samples):
    """A factor, and the unit in which samples times the factor are numbers of a few digits."""
    most = float(numpy.abs(samples).max(initial=0.0))
    if unit not in ("V", "T", "T/m", "m", "g", "Pa") or most == 0.0:
        return 1.0, unit
    step = int(min(max(3 * numpy.floor(numpy.log10(most) / 3), -12), 6))
    return 10.0 ** -step, _PREFIX[step] + unit


def _hz(f):
    return f"{f:.3g} Hz" if f >= 0.001 else ""


def _style(axes, time):
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
    axes.spines["left"].set_color(FAINT)
    axes.tick_params(colors=FAINT, labelsize=8, bottom=False)
    axes.locator_params(axis="y", nbins=3)
    axes.grid(axis="x", color="#eaecef")
    axes.set_xlim(time[0], time[-1] if len(time) > 1 else time[0] + 1)


def _rows(result, index, modes):
    """What a figure of modes has: label, second label, note, samples, colour, half of the interval
    about each of them, or None; modes: None, or which of these."""
    count = int(result.mode_count[index])
    wanted = (["signal", *range(count), "residue"] if modes is None else
              _pick.modes_of(result, modes))
    return [_row(result, index, m) for m in wanted]


def _half(result, name, at):
    return result[name + INTERVAL][at] if name + INTERVAL in result else None


def _row(result, index, mode):
    if isinstance(mode, str):
        return (mode, "", "", result[mode][index], INK if mode == "signal" else RESIDUE,
                _half(result, mode, index))
    at, frequency, note = index + (mode,), "", ""
    if result.fs and "frequency" in result:
        frequency = _hz(result["frequency"][at])
        if "band_low" in result:
            note = f"{result.band_low[at]:.3g}\u2013{result.band_high[at]:.3g} Hz"
        if "half_waves" in result:
            note += f", {result.half_waves[at]:.0f} half waves"
    return (f"IMF {mode + 1}", frequency, note, result.modes[at], MODE,
            _half(result, "modes", at))


def _rows_of_bands(result, array, index):
    """The same of bands, whose variance has no signal beside it in its unit."""
    rows = [] if array == "power" else [_row(result, index, "signal")]
    for k, samples in enumerate(result.arrays[array][index]):
        rows.append((f"{result.low[k]:.3g}\u2013{result.high[k]:.3g}\n"
                     + ("Hz" if result.fs else "a sample"), "", "", samples, MODE,
                     _half(result, array, index + (k,))))
    return rows


def _rows_of_masks(result, index):
    """The same of responses, of complex masks their magnitudes."""
    responses = result.responses[index]
    if len(responses) >= MOST_ROWS:
        raise ArgumentError(f"{len(responses)} masks are more than the {MOST_ROWS - 1} that fit in "
                            "a figure; those of a formula with scales are drawn as a map")
    rows = [_row(result, index, "signal")]
    for k, samples in enumerate(responses):
        rows.append((f"mask {k + 1}", "", "", numpy.abs(samples) if samples.dtype.kind == "c"
                     else samples, MODE, None))
    return rows


def _of_scales(result):
    """Do masks have different scales, so that their responses are drawn as a map?"""
    scales = result.values_along("mask", result.responses.shape[-2])
    return (bool(result.options.get("scales")) and min(scales) > 0 and max(scales) > min(scales)
            and result.options.get("extent") in (None, "same"))


def _draw_rows(result, rows, all_axes, unit, window, vmax, label_at):
    """One below the other into as many axes, whose labels begin so far left of them.  Returns the
    unit that they are drawn in."""
    factor, unit = _scale(unit, rows[0][3])
    # Bands and responses may be decimated.
    times = [result.times if len(samples) == result.samples else result.axes["coarse_time"]
             + result.first_time for *_, samples, _, _ in rows]
    for axes, time, (label, second, note, samples, colour, half) in zip(all_axes, times, rows):
        part = _pick.part(time, *window)
        if half is not None:
            axes.fill_between(time[part], (samples - half)[part] * factor,
                              (samples + half)[part] * factor, color=colour, alpha=0.28,
                              linewidth=0)
        axes.plot(time[part], samples[part] * factor, color=colour, linewidth=0.9)
        _style(axes, time[part])
        if vmax is not None:
            axes.set_ylim(-vmax * factor, vmax * factor)
        axes.set_ylabel(f"{label}\n{second}" if second else label, rotation=0, ha="left",
                        va="center", color=INK, fontsize=9)
        axes.yaxis.set_label_coords(label_at, 0.5)
        axes.tick_params(labelbottom=axes is all_axes[len(rows) - 1])
        if note:
            axes.set_title(note, loc="right", fontsize=7, color=FAINT, pad=2)
    last = all_axes[len(rows) - 1]
    last.spines["bottom"].set_visible(True)
    last.tick_params(bottom=True)
    last.set_xlabel("time (s)" if result.fs else "samples", color=FAINT)
    return unit


# ---- Figures ----------------------------------------------------------------------------------

def _grid(ax, rows, columns, settings):
    """Axes [row][column]: those of a new figure, those given, or within the one given."""
    if ax is None:
        from ._figure import subplots

        return subplots(rows, columns, sharex=True, squeeze=False, **settings)[1]
    if settings:
        raise ArgumentError(f"{next(iter(settings))}: of a new figure, and ax is in one already")
    given = numpy.array(ax, object).reshape(-1)
    if len(given) == rows * columns:
        return given.reshape(rows, columns)
    if len(given) != 1:
        raise ArgumentError(f"ax: one, or {rows * columns} axes are needed, not {len(given)}")
    given[0].set_axis_off()
    return numpy.array([[given[0].inset_axes(
        ((k + 0.2) / columns, 1 - (i + 0.85) / rows, 0.8 / columns, 0.65 / rows))
        for k in range(columns)] for i in range(rows)], object)


def _title(figure, text):
    figure.suptitle(text, x=0.02, ha="left", fontsize=12, fontweight="bold", color=INK)
    figure.tight_layout(rect=(0.01, 0, 1, 0.98))


def _map_of(result):
    """The array that is drawn as a map, or None."""
    if "responses" in result:
        return "responses" if _of_scales(result) else None
    for array, about in result.about.items():
        # Beside the main array, whatever the order in which a file has them.
        if "cluster_p" in array or "significance" in array:
            continue
        axes = about.axes[-2:]
        if array not in result or [a.rpartition("_")[2] for a in axes] != ["frequency", "time"]:
            continue
        # Of octaves all are drawn.
        return array.rpartition("_")[0] if axes[1] == f"{array}_time" else array
    return None


def _rows_of(result, index, unit, modes):
    """Rows of a figure that is no map, and their unit."""
    if "responses" in result:
        return _rows_of_masks(result, index), unit
    for array, about in result.about.items():
        if array in result and about.axes[-2:-1] == ("band",) and about.axes[-1].endswith("time"):
            squared = unit and f"{unit}\u00b2" if array == "power" else unit
            return _rows_of_bands(result, array, index), squared
    if "modes" in result:
        return _rows(result, index, modes), unit
    raise ArgumentError(f"{result.method} gives nothing that could be drawn here")


def _places(result, channel, channels, epoch, partner):
    """Index, title and unit of each channel that is drawn."""
    if channel is not None and channels is not None:
        raise ArgumentError("channel, channels: one of both")
    channels = range(result.channels)[channels] if isinstance(channels, slice) else channels
    if channels is not None and (isinstance(channels, str) or not numpy.size(channels)
                                 or not hasattr(channels, "__iter__")):
        raise ArgumentError("channels: a list of numbers or names is needed")
    made = []
    for one in [channel] if channels is None else channels:
        index, name, unit = _pick.place(result, one, epoch)
        made.append((*_pick.with_partner(result, name, index, partner), unit))
    return made


def draw(result, channel, epoch, partner, *, ax, channels, modes, tmin, tmax, vmax, settings):
    """A figure of one channel or some; into ax where there are some."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError("figures are drawn by matplotlib: pip install matplotlib") from None
    places, array = _places(result, channel, channels, epoch, partner), _map_of(result)
    window = _pick.real("tmin", tmin), _pick.real("tmax", tmax)
    vmax = _pick.real("vmax", vmax)
    names, several = [name for _, name, _ in places], len(places) > 1
    if modes is not None and (array or "modes" not in result):
        raise ArgumentError(f"modes: {result.method} draws none")
    if array:
        if ax is None:
            settings.setdefault("figsize", (11, 5 if not several else 3 * len(places)))
        grid = _grid(ax, len(places), 1, settings)
        if vmax is None:
            vmax = _maps.last_of_all(result, array, [index for index, *_ in places], window)
        for axes, (index, name, unit) in zip(grid[:, 0], places):
            _maps.draw(result, array, index, axes, unit, window, vmax)
        unit = ""
    else:
        rows = [_rows_of(result, index, unit, modes) for index, _, unit in places]
        most = max(len(r) for r, _ in rows)
        if ax is None:
            settings.setdefault("figsize", (11, 0.75 * most + 1.6))
        grid = _grid(ax, most, len(places), settings)
        label_at = -0.115 * len(places) if ax is None else -0.24
        units = [_draw_rows(result, r, grid[:, k], unit, window, vmax, label_at)
                 for k, (r, unit) in enumerate(rows)]
        for k, (r, _) in enumerate(rows):
            for axes in grid[len(r):, k]:
                axes.set_axis_off()
        names = [f"{n} ({u})" if u and several else n for n, u in zip(names, units)]
        unit = "" if several else units[0]
    of = " of ".join(filter(None, (result.title, "" if several else names[0])))
    title = f"{of}  ({unit})" if unit else of
    if several:
        for axes, name in zip(grid[:, 0] if array else grid[0], names):
            axes.set_title(name, loc="left", fontsize=10, color=INK)
    if ax is None:
        _title(grid[0, 0].figure, title)
    elif not several:
        grid[0, 0].set_title(title, loc="left", fontsize=10, color=INK)
    return grid[0, 0].figure


def draw_similarity(similarity, settings):
    """Boxes of quartiles over channels and epochs, one for each mode."""
    try:
        from ._figure import subplots
    except ImportError:
        raise ImportError("figures are drawn by matplotlib: pip install matplotlib") from None
    rows = similarity.rho.reshape(-1, similarity.rho.shape[-1]).T
    settings.setdefault("figsize", (0.6 * len(rows) + 3, 4))
    figure, axes = subplots(**settings)
    boxes = axes.boxplot([r[numpy.isfinite(r)] for r in rows], patch_artist=True, widths=0.5,
                         medianprops={"color": INK}, flierprops={"markersize": 3})
    for box in boxes["boxes"]:
        box.set(facecolor="#d5e3ee", edgecolor=MODE)
    axes.set_xticks(range(1, len(rows) + 1), similarity.labels, rotation=45, ha="right")
    axes.set_ylabel("correlation")
    axes.set_ylim(min(0.0, float(numpy.nanmin(rows, initial=0.0))) - 0.02, 1.02)
    axes.grid(axis="y", color="#eaecef")
    figure.suptitle("Similarity of two results", x=0.02, ha="left", fontsize=12,
                    fontweight="bold", color=INK)
    figure.tight_layout()
    return figure
