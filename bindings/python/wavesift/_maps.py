"""Maps of a figure: what arrays have over time and frequency, as the program colours them."""

import math

import numpy

from . import _pick

# Colours end at these shares of the numbers, as in the program's figures: a few large ones do not
# take them all.
LOW_SHARE, HIGH_SHARE = 0.05, 0.998
# Clusters of this p or less have a thick line about them.
CLUSTER_P = 0.05


def _octaves(result, array):
    """Names of the arrays of octaves, the fastest first; none."""
    names = (f"{array}_{k}" for k in range(1, len(result.arrays) + 1))
    return [name for name in names if name in result and result.dims(name)[-1] == f"{name}_time"]


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


def _norm(colours, parts, vmax):
    """What the first and the last colour stand for; vmax: the last, where the caller says so."""
    from matplotlib.colors import Normalize, PowerNorm

    if colours == "sparse":     # its few cells stand out by their square root
        return PowerNorm(0.5, vmax=vmax)
    if colours == "cycle":
        return Normalize(-math.pi, math.pi)
    numbers = numpy.concatenate([part[numpy.isfinite(part)] for part in parts])
    if not numbers.size:
        numbers = numpy.zeros(1)
    low, high = 0.0, float(numpy.quantile(numbers, HIGH_SHARE)) if vmax is None else vmax
    if colours == "signed" and vmax is None:
        high = max(abs(high), abs(float(numpy.quantile(numbers, 1 - HIGH_SHARE))))
    if colours == "signed":
        low = -high
    elif colours == "decibel":
        low = float(numpy.quantile(numbers, LOW_SHARE))
    return Normalize(low, high if high > low else low + 1)


def last_of_all(result, array, indices, window):
    """What the last colour of all panels stands for; None: each has its own, as units may differ."""
    if not array.startswith(("coherence", "itc")):
        return None
    time = result.coordinates(array)[result.dims(array)[-1]]
    panels = [result.arrays[array][index][:, _pick.part(time, *window)] for index in indices]
    return max(_norm("linear", [panel], None).vmax for panel in panels)


def _decibels(power):
    """NaN where there is none."""
    return 10 * numpy.log10(power, out=numpy.full(power.shape, numpy.nan), where=power > 0)


def draw(result, array, index, axes, unit, window, vmax):
    """Draws into axes what an array has over time and frequency or scale, of octaves all in one,
    from window[0] to window[1]; where the ends of the recording reach is shaded.  vmax: what the
    last colour stands for."""
    parts = [array] if array in result else _octaves(result, array)
    colours, of_masks = _colours_of(result, array), "mask" in result.dims(parts[0])
    meshes, frequencies = [], []
    for name in parts:
        values = result.arrays[name][index]
        frequency, time = (result.coordinates(name)[dim] for dim in result.dims(name)[-2:])
        taken = _pick.part(time, *window)
        values, time = values[:, taken], time[taken]
        meshes.append((time, frequency, numpy.abs(values) if values.dtype.kind == "c" or of_masks
                       else _decibels(values) if colours == "decibel" else values))
        frequencies.append(frequency)
    norm = _norm(colours, [magnitude for *_, magnitude in meshes], vmax)
    cmap = {"cycle": "twilight", "signed": "RdBu_r"}.get(colours, "viridis")
    for time, frequency, magnitude in meshes:
        # Samples that no pixel could show are left out.
        step = max(1, len(time) // 4000)
        # A row alone has no height of its own, nor has a column a width.
        if len(parts) == 1 or min(magnitude.shape) > 1:
            mesh = axes.pcolormesh(time[::step], frequency, magnitude[:, ::step], norm=norm,
                                   shading="nearest", cmap=cmap, rasterized=True)
    f = numpy.concatenate(frequencies)
    if len(f) > 2 and (of_masks or not numpy.allclose(numpy.diff(f), f[1] - f[0])):
        axes.set_yscale("log")
        _plain_ticks(axes, min(f), max(f))
    if "cone" in result:
        _shade_cone(axes, result, meshes[0][0], f, _pick.INK if colours == "signed" else "white")
    axes.set_ylim(min(f), max(f))
    axes.set_xlabel("time (s)" if result.fs else "samples")
    axes.set_ylabel("scale (samples)" if of_masks else "frequency (Hz)" if result.fs
                    else "frequency (cycles a sample)")
    axes.figure.colorbar(mesh, ax=axes, label=_label(result, array, unit, colours))
    if len(parts) == 1:
        _draw_lines(result, array, index, axes, taken)


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


def _ends(result, times):
    """Where the recording begins and ends."""
    first = result.first_time
    return first, first + result.samples / (result.fs or 1.0) if "signal" in result else times[-1]


# ---- Lines about what noise seldom exceeds -----------------------------------------------------

def _over_levels(result, array, index):
    """How many times its level each cell is, and p of the clusters; None where there is none."""
    pairs = "_pairs" if array.endswith("_pairs") else ""
    values = numpy.abs(result.arrays[array][index])
    if array not in ("coherence" + pairs, "coefficients", "magnitude", "power"):
        return None, None
    name = next((name + pairs for name in ("shuffled_significance", "significance")
                 if name + pairs in result), None)
    if name is None:
        return None, None
    level = numpy.asarray(result.arrays[name][index], float)
    level = level if level.ndim == values.ndim else level[:, None]
    if array in ("coefficients", "magnitude"):
        level = numpy.sqrt(level)
    clusters = "cluster_p" + pairs
    return values / level, (result.arrays[clusters][index] if clusters in result else None)


def _draw_lines(result, array, index, axes, taken):
    """A line about what is above its level, cell by cell, grey where the ends of the recording
    reach; a thick one about clusters."""
    from matplotlib import patheffects

    over, clusters = _over_levels(result, array, index)
    if over is None:
        return
    frequency, time = (result.coordinates(array)[dim] for dim in result.dims(array)[-2:])
    first, last = _ends(result, time)
    cone = numpy.asarray(result.cone)[:, None] if "cone" in result else 0.0
    within = (time >= first + cone) & (time <= last - cone) & (over == over)
    lines = [(over, within, _pick.INK, 1), (over, ~within, "#a9b0b7", 1)]
    if clusters is not None:
        lines.append((1.000001 * CLUSTER_P / clusters, within, _pick.INK, 3))
    for values, there, colour, width in lines:
        # A cell belongs to the inside where all of its corners do.
        shown = numpy.ma.masked_where(~there, values)[:, taken]
        if min(shown.shape) > 1 and shown.count() and shown.min() <= 1 < shown.max():
            axes.contour(time[taken], frequency, shown, levels=[1.0], colors=[colour],
                         linewidths=0.8 * width).set(path_effects=[] if colour != _pick.INK else [
                             patheffects.withStroke(linewidth=0.8 * width + 1, foreground="white")])
    above = 100 * numpy.mean(over[within] > 1) if within.any() else 0
    axes.set_title(f"{above:.1f} % above the level; line: level "
                   f"{result.options.get('level', 0.95):g}, pointwise" + (
        f"; thick: clusters of p <= {CLUSTER_P:g}" if clusters is not None else ""),
        loc="right", fontsize=7, color=_pick.FAINT, pad=2)


def _shade_cone(axes, result, times, f, edge_colour):
    """The cone of influence: coefficients closer to an end than this depend on the padding."""
    first, last = _ends(result, times)
    order = numpy.argsort(f)
    f, cone = f[order], numpy.asarray(result.cone)[order]
    middle = (first + last) / 2
    for edge, inner in ((first, numpy.minimum(first + cone, middle)),
                        (last, numpy.maximum(last - cone, middle))):
        axes.fill_betweenx(f, edge, inner, facecolor="white", alpha=0.35, linewidth=0)
        axes.plot(inner, f, color=edge_colour, linewidth=0.8, linestyle="--")
    axes.set_xlim(times[0], times[-1])
