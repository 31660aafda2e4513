"""Figures by matplotlib, as the program draws them."""

import math
import operator

import numpy

from ._errors import ArgumentError, told

INK, MODE, RESIDUE, FAINT = "#24292f", "#2a6a9e", "#c8643c", "#6a737d"


# Colours of a map end at these shares of its numbers, as in the program's figures: a few large ones
# do not take them all.
LOW_SHARE, HIGH_SHARE = 0.05, 0.998

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


def _number(name, value):
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name}: a whole number is needed, not {told(value)}") from None


def _pick(result, channel, epoch):
    """Index of a channel, before the axes of the array itself; and its name."""
    index, epoch = (), _number("epoch", epoch)
    channel = _against(result) if channel is None else channel
    n = math.prod(result.epochs)
    if not -n <= epoch < n:
        raise ArgumentError(f"epoch {epoch}: there {'are' if n > 1 else 'is'} {n}, from 0 on")
    if result.epochs:
        index = numpy.unravel_index(epoch % n, result.epochs)
    name = ""
    if result.has_channels:
        channel, name = _channel(result, "channel", channel)
        index += (channel,)
    return index, name, (result.units[channel] if result.units and result.has_channels else "")


def _channel(result, word, channel):
    """Number and name of a channel that is given by either."""
    n = result.channels
    names = result.values_along("channel", n)
    if isinstance(channel, str):
        if channel not in names:
            raise ArgumentError(f"{word} {channel!r}: there are {', '.join(names)}")
        channel = names.index(channel)
    channel = _number(word, channel)
    if not -n <= channel < n:
        raise ArgumentError(f"{word} {channel}: there are {n}, from 0 ({names[0]}) on")
    channel %= n
    return channel, names[channel]


def _against(result):
    """The channel that is drawn where none is asked for: not the one that coherence is with, which
    tells nothing."""
    return 1 if result.options.get("against") == 0 and result.channels > 1 else 0


def _partner(result, index, partner):
    """Number and name of the other channel of a pair."""
    own = index[-1]
    return _channel(result, "partner", (1 if own == 0 else 0) if partner is None else partner)


def _style(axes, time):
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
    axes.spines["left"].set_color(FAINT)
    axes.tick_params(colors=FAINT, labelsize=8, bottom=False)
    axes.locator_params(axis="y", nbins=3)
    axes.grid(axis="x", color="#eaecef")
    axes.set_xlim(time[0], time[-1] if len(time) > 1 else time[0] + 1)


def _rows(result, index):
    """What a figure of modes has: label, second label, note, samples, colour."""
    rows = [("signal", "", "", result.signal[index], INK)]
    count = int(result.mode_count[index])
    for k in range(count):
        at = index + (k,)
        frequency = note = ""
        if result.fs and "frequency" in result:
            frequency = _hz(result["frequency"][at])
            if "band_low" in result:
                note = f"{result.band_low[at]:.3g}\u2013{result.band_high[at]:.3g} Hz"
            if "half_waves" in result:
                note += f", {result.half_waves[at]:.0f} half waves"
        rows.append((f"IMF {k + 1}", frequency, note, result.modes[at], MODE))
    rows.append(("residue", "", "", result.residue[index], RESIDUE))
    return rows


def _rows_of_bands(result, array, index):
    """The same of bands, whose variance has no signal beside it in its unit."""
    rows = [] if array == "power" else [("signal", "", "", result.signal[index], INK)]
    for k, samples in enumerate(result.arrays[array][index]):
        rows.append((f"{result.low[k]:.3g}\u2013{result.high[k]:.3g}\n"
                     + ("Hz" if result.fs else "a sample"), "", "", samples, MODE))
    return rows


def _rows_of_masks(result, index):
    """The same of responses, of complex masks their magnitudes."""
    responses = result.responses[index]
    if len(responses) >= MOST_ROWS:
        raise ArgumentError(f"{len(responses)} masks are more than the {MOST_ROWS - 1} that fit in "
                            "a figure; those of a formula with scales are drawn as a map")
    rows = [("signal", "", "", result.signal[index], INK)]
    for k, samples in enumerate(responses):
        rows.append((f"mask {k + 1}", "", "", numpy.abs(samples) if samples.dtype.kind == "c"
                     else samples, MODE))
    return rows


def _of_scales(result):
    """Do masks have different scales, so that their responses are drawn as a map?"""
    scales = result.values_along("mask", result.responses.shape[-2])
    return (bool(result.options.get("scales")) and min(scales) > 0 and max(scales) > min(scales)
            and result.options.get("extent") in (None, "same"))


def _draw_rows(result, rows, name, unit, settings):
    from ._figure import subplots

    factor, unit = _scale(unit, rows[0][3])
    # Bands and responses may be decimated.
    times = [result.times if len(samples) == result.samples else result.axes["time2"]
             + result.first_time for *_, samples, _ in rows]
    settings.setdefault("figsize", (11, 0.75 * len(rows) + 1.6))
    figure, all_axes = subplots(len(rows), 1, sharex=True, squeeze=False, **settings)
    for axes, time, (label, second, note, samples, colour) in zip(all_axes[:, 0], times, rows):
        axes.plot(time, samples * factor, color=colour, linewidth=0.9)
        _style(axes, time)
        axes.set_ylabel(f"{label}\n{second}" if second else label, rotation=0, ha="left",
                        va="center", color=INK, fontsize=9)
        axes.yaxis.set_label_coords(-0.115, 0.5)
        if note:
            axes.set_title(note, loc="right", fontsize=7, color=FAINT, pad=2)
    last = all_axes[-1, 0]
    last.spines["bottom"].set_visible(True)
    last.tick_params(bottom=True)
    last.set_xlabel("time (s)" if result.fs else "samples", color=FAINT)
    _title(figure, result, name, unit)
    return figure


def _octaves(result, array):
    """Names of the arrays of octaves, the fastest first; none."""
    names = (f"{array}_{k}" for k in range(1, len(result.arrays) + 1))
    return [name for name in names if name in result and result.dims(name)[-1].startswith("time_")]


def _colours_of(result, array):
    """What the colours of a map mean, as in the program's figure: "cycle" of phases, "signed" of
    changes against a baseline, "decibel" of power, "sparse" of Hilbert spectra, else "linear"."""
    baseline = result.options.get("baseline")
    if array == "phase":
        return "cycle"
    if baseline and (array.endswith("_power") or _of_hilbert(array)):
        return "linear" if baseline.endswith(":ratio") else "signed"
    if _of_hilbert(array):
        return "sparse"
    return "decibel" if array.endswith("power") else "linear"


def _norm(colours, parts):
    """What the first and the last colour stand for."""
    from matplotlib.colors import Normalize, PowerNorm

    if colours == "sparse":     # its few cells stand out by their square root
        return PowerNorm(0.5)
    if colours == "cycle":
        return Normalize(-math.pi, math.pi)
    numbers = numpy.concatenate([part[numpy.isfinite(part)] for part in parts])
    if not numbers.size:
        numbers = numpy.zeros(1)
    low, high = 0.0, float(numpy.quantile(numbers, HIGH_SHARE))
    if colours == "signed":
        high = max(abs(high), abs(float(numpy.quantile(numbers, 1 - HIGH_SHARE))))
        low = -high
    elif colours == "decibel":
        low = float(numpy.quantile(numbers, LOW_SHARE))
    return Normalize(low, high if high > low else low + 1)


def _decibels(power):
    """NaN where there is none."""
    return 10 * numpy.log10(power, out=numpy.full(power.shape, numpy.nan), where=power > 0)


def _draw_map(result, array, index, name, unit, settings):
    """What an array has over time and frequency or scale, of octaves all in one; where the ends of
    the recording reach is shaded."""
    from ._figure import subplots

    parts = [array] if array in result else _octaves(result, array)
    values = [result.arrays[part][index] for part in parts]
    colours, of_masks = _colours_of(result, array), "mask" in result.dims(parts[0])
    magnitudes = [numpy.abs(v) if v.dtype.kind == "c" or of_masks else
                  _decibels(v) if colours == "decibel" else v for v in values]
    settings.setdefault("figsize", (11, 5))
    figure, axes = subplots(**settings)
    norm = _norm(colours, magnitudes)
    cmap = {"cycle": "twilight", "signed": "RdBu_r"}.get(colours, "viridis")
    frequencies, first = [], None
    for part, magnitude in zip(parts, magnitudes):
        frequency, time = (result.coordinates(part)[dim] for dim in result.dims(part)[-2:])
        # Samples that no pixel could show are left out.
        step = max(1, len(time) // 4000)
        # A row alone has no height of its own, nor has a column a width.
        if len(parts) == 1 or min(magnitude.shape) > 1:
            mesh = axes.pcolormesh(time[::step], frequency, magnitude[:, ::step], norm=norm,
                                   shading="nearest", cmap=cmap, rasterized=True)
        frequencies.append(frequency)
        first = time if first is None else first
    f = numpy.concatenate(frequencies)
    if len(f) > 2 and (of_masks or not numpy.allclose(numpy.diff(f), f[1] - f[0])):
        axes.set_yscale("log")
        _plain_ticks(axes, min(f), max(f))
    if "cone" in result:
        _shade_cone(axes, result, first, f, INK if colours == "signed" else "white")
    axes.set_ylim(min(f), max(f))
    axes.set_xlabel("time (s)" if result.fs else "samples")
    axes.set_ylabel("scale (samples)" if of_masks else "frequency (Hz)" if result.fs
                    else "frequency (cycles a sample)")
    figure.colorbar(mesh, ax=axes, label=_label(result, array, unit, colours))
    _title(figure, result, name, "")
    return figure


def _of_hilbert(array):
    """Is it a Hilbert spectrum, or an average of some?"""
    return array in ("spectrum", "total_spectrum", "evoked_spectrum", "induced_spectrum")


def _label(result, array, unit, colours):
    """What the colours are, and their unit."""
    quantity = result.options.get("quantity")
    name = ("magnitude" if array in ("coefficients", "responses") else
            array.removesuffix("_pairs").replace("_", " "))
    baseline = result.options.get("baseline")
    if baseline and (name.endswith("power") or _of_hilbert(array)):
        how = [word for word in ("ratio", "percent", "z") if baseline.endswith(f":{word}")]
        return f"{name}, {dict(ratio='ratio', percent='%', z='z').get(*how or ['db'], 'dB')}"
    if _of_hilbert(array):
        squared = f"({unit})\u00b2" if "/" in unit else f"{unit}\u00b2" if unit else ""
        per = "Hz" if result.fs else "(cycles a sample)"
        units = {"density": f"{squared or 1}/{per}", "power": squared}.get(quantity)
        average = array.removesuffix("spectrum").replace("_", " ")
        return f"{average}{quantity or 'spectrum'}" + (f" ({units})" if units else "")
    if array == "phase":
        return "phase (rad)"
    l1 = result.options.get("norm") in (None, "l1")
    squared = unit and f"{unit}\u00b2"
    if colours == "decibel":
        return f"{name} (dB re {squared})" if squared and l1 else f"{name} (dB)"
    units = unit if name == "magnitude" else squared if name.endswith("power") else ""
    return f"{name} ({units})" if units and l1 and array != "responses" else name


def _plain_ticks(axes, low, high):
    """1, 2, 5, 10, .. instead of powers of ten."""
    from matplotlib import ticker

    decades = 10.0 ** numpy.arange(numpy.floor(numpy.log10(low)), numpy.log10(high) + 1)
    ticks = [d * m for d in decades for m in (1, 2, 5) if low <= d * m <= high]
    axes.yaxis.set_major_locator(ticker.FixedLocator(ticks))
    axes.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())


def _shade_cone(axes, result, times, f, edge_colour):
    """The cone of influence: coefficients closer to an end than this depend on the padding."""
    first = result.first_time
    last = first + result.samples / (result.fs or 1.0) if "signal" in result else times[-1]
    order = numpy.argsort(f)
    f, cone = f[order], numpy.asarray(result.cone)[order]
    middle = (first + last) / 2
    for edge, inner in ((first, numpy.minimum(first + cone, middle)),
                        (last, numpy.maximum(last - cone, middle))):
        axes.fill_betweenx(f, edge, inner, facecolor="white", alpha=0.35, linewidth=0)
        axes.plot(inner, f, color=edge_colour, linewidth=0.8, linestyle="--")
    axes.set_xlim(times[0], times[-1])


def _title(figure, result, name, unit):
    title = " of ".join(filter(None, (result.title, name)))
    figure.suptitle(f"{title}  ({unit})" if unit else title, x=0.02, ha="left", fontsize=12,
                    fontweight="bold", color=INK)
    figure.tight_layout(rect=(0.01, 0, 1, 0.98))


def _with(result, name, index, partner):
    """Where the other channel of a pair stands, and both names."""
    if partner is not None and "coherence_pairs" not in result:
        raise ArgumentError("partner: of coherence of all pairs alone (against='all')")
    if "coherence_pairs" in result:
        other, theirs = _partner(result, index, partner)
        return index + (other,), f"{name} with {theirs}"
    against = result.options.get("against")
    if "coherence" in result and against is not None:
        return index, f"{name} with {_channel(result, 'against', against)[1]}"
    return index, name


def draw(result, channel, epoch, partner, settings):
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError("figures are drawn by matplotlib: pip install matplotlib") from None
    index, name, unit = _pick(result, channel, epoch)
    index, name = _with(result, name, index, partner)
    if "responses" in result:
        if _of_scales(result):
            return _draw_map(result, "responses", index, name, unit, settings)
        return _draw_rows(result, _rows_of_masks(result, index), name, unit, settings)
    for array, about in result.about.items():
        kinds = [a.rstrip("0123456789") for a in about.axes[-2:]]
        if array in result and kinds == ["frequency_", "time_"]:
            return _draw_map(result, array.rpartition("_")[0], index, name, unit, settings)
        if array in result and kinds == ["frequency", "time"]:
            return _draw_map(result, array, index, name, unit, settings)
        if array in result and about.axes[-2:-1] == ("band",) and about.axes[-1].startswith("time"):
            squared = unit and f"{unit}\u00b2" if array == "power" else unit
            return _draw_rows(result, _rows_of_bands(result, array, index), name, squared, settings)
    if "modes" in result:
        return _draw_rows(result, _rows(result, index), name, unit, settings)
    raise ArgumentError(f"{result.method} gives nothing that could be drawn here")


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
