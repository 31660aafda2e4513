"""How alike two results are, mode by mode, as the program's compare tells it."""

import os
import warnings
from dataclasses import dataclass

import numpy

from . import _library as c
from . import _load
from ._errors import ArgumentError, SignalError


@dataclass(frozen=True)
class Similarity:
    """Correlation of the modes of two results, mode by mode and channel by channel.

    Parameters
    ----------
    rho : numpy.ndarray
        [.., channel, mode], of all modes that any channel has, and last the residue; NaN where not
        both results have the mode.
    difference : numpy.ndarray
        Of the same axes: the root mean square of a - b over that of a, in a's unit: of results in V
        and in uV, b is converted.
    labels : list of str
        "IMF 1", .. , "residue": of the last axis; of modes that were matched "2=3-4": IMF 2 of a,
        IMF 3 and 4 of b added up, "-": nothing equals it, "r": the residue.
    channel_names : list of str
        Of those that both have.
    mode_counts : tuple of numpy.ndarray
        [.., channel] of either result.
    matched : list of (list of int, list of int), or None
        Of the last axis, where modes were matched: IMF of a and of b, counted from 1; the residue
        is 0.

    See Also
    --------
    compare : Which gives it.
    """

    rho: numpy.ndarray
    difference: numpy.ndarray
    labels: list
    channel_names: list
    mode_counts: tuple
    matched: list = None

    def quartiles(self):
        """Quartiles over channels and epochs, of those where both have the mode.

        Returns
        -------
        numpy.ndarray
            [mode, 3].
        """
        rows = self.rho.reshape(-1, self.rho.shape[-1]).T
        return numpy.array([numpy.nanpercentile(r, (25, 50, 75)) if numpy.isfinite(r).any()
                            else [numpy.nan] * 3 for r in rows])

    def __repr__(self):
        lines = ["<wavesift.Similarity: quartiles over channels and epochs"]
        lines += [f"  {label:8} {a:9.6f} {b:9.6f} {c:9.6f}"
                  for label, (a, b, c) in zip(self.labels, self.quartiles())]
        return "\n".join(lines) + ">"

    def plot(self, **figure):
        """A box for each mode, over channels and epochs.

        Parameters
        ----------
        **figure
            Of matplotlib.pyplot.figure.

        Returns
        -------
        matplotlib.figure.Figure
            A new one.
        """
        from . import _plot

        return _plot.draw_similarity(self, figure)


def compare(a, b, channels=None, match=False):
    """Similarity of the modes of two results: their correlation, mode by mode.

    Parameters
    ----------
    a : Result or path
        A result, or a file of one, with modes.
    b : Result or path
        The other.
    channels : sequence of str, optional
        Names of channels to compare.  Default: those that both have, by name; by position where
        one has no names.
    match : bool
        Match the modes of each signal in their order, not by number: a mode may equal one of
        another number, several neighbours added up, or nothing.  Modes of memd are matched once
        for all channels.

    Returns
    -------
    Similarity
        Correlations, and differences in one unit.

    Raises
    ------
    ArgumentError
        The results have no modes, no channel in common, or other samples.
    SignalError
        Samples are not finite.

    See Also
    --------
    load : Results of files.

    Examples
    --------
    >>> wavesift.compare(wavesift.emd(x), "x.h5").quartiles()
    """
    a, b = _result(a, "a"), _result(b, "b")
    at = _pairs(a, b, channels)
    one, other = _rows(a, [i for i, _ in at]), _rows(b, [k for _, k in at])
    if one[0].shape[0] != other[0].shape[0] or one[0].shape[-1] != other[0].shape[-1]:
        raise ArgumentError(f"a has {one[0].shape[0]} epochs of {one[0].shape[-1]} samples, b "
                            f"{other[0].shape[0]} of {other[0].shape[-1]}")
    count = max(one[0].shape[2], other[0].shape[2])
    epochs, n = one[0].shape[0], len(at)
    names = a.values_along("channel", a.channels)
    factors = [_factor(a, b, *pair, names) for pair in at]
    if match:
        rho, difference, matched = _match(a, b, one, other, at, count, factors)
        labels = ["residue" if p == q == [count] else f"{_run(p, count)}={_run(q, count)}"
                  for p, q in matched]
    else:
        rho, difference = _by_number(one, other, at, count, factors)
        matched = None
        labels = [f"IMF {m + 1}" for m in range(count)] + ["residue"]
    lead = a.epochs
    shape = lead + ((n,) if a.has_channels else ())
    told = matched and [tuple([0 if m == count else m + 1 for m in run] for run in pair)
                        for pair in matched]
    shapes = shape + (len(labels),)
    return Similarity(rho.reshape(shapes), difference.reshape(shapes), labels,
                      [names[i] for i, _ in at], (one[2].reshape(shape), other[2].reshape(shape)), told)


def _by_number(one, other, at, count, factors):
    epochs, n = one[0].shape[0], len(at)
    rho = numpy.full((epochs, n, count + 1), numpy.nan)
    difference = rho.copy()
    for e in range(epochs):
        for i in range(n):
            for m in [*range(min(one[2][e, i], other[2][e, i])), None]:
                x, y = ((r[1][e, i] if m is None else r[0][e, i, m]) for r in (one, other))
                k = count if m is None else m
                rho[e, i, k] = _correlation(x, y, at[i], m)
                difference[e, i, k] = _difference(x, y * factors[i])
    return rho, difference


def _run(run, count):
    """"2-4", "-", with the residue "9-r"."""
    names = ["r" if m == count else str(m + 1) for m in run]
    return "-".join([names[0], names[-1]][:len(names)]) if names else "-"


def _rows_of(r, e, i):
    """Modes and residue of a signal."""
    return numpy.concatenate([r[0][e, i, :r[2][e, i]], r[1][e, i, None]]).astype("f8")


def _centred(rows, channel):
    """About their means, scaled by their largest sample."""
    bad = numpy.flatnonzero(~numpy.isfinite(rows).all(1))
    if len(bad):
        raise SignalError(f"channel {channel}, row {bad[0]}: samples that are not finite cannot be "
                          "compared")
    rows = rows / (numpy.abs(rows).max() or 1.0)
    return rows - rows.mean(1, keepdims=True)


def _groups(covariance, n_a):
    """Of each row the number of its group, -1: none (ws_match_modes)."""
    group = numpy.empty(len(covariance), "i4")
    covariance = numpy.ascontiguousarray(covariance)
    c.check(c.lib.ws_match_modes(covariance.ctypes.data, n_a, len(covariance) - n_a,
                                 group.ctypes.data))
    return group


def _match(a, b, one, other, at, count, factors):
    """Similarity and difference of groups [epoch, channel, group], and these: rows of a, and of b."""
    epochs, n = one[0].shape[0], len(at)
    found = {}
    for e in range(epochs):
        rows = [[_rows_of(r, e, i) for r in (one, other)] for i in range(n)]
        cov = [numpy.concatenate([_centred(x, k) for x, k in zip(rows[i], at[i])])
               for i in range(n)]
        cov = [x @ x.T for x in cov]
        n_a = [int(one[2][e, i]) + 1 for i in range(n)]
        joint = (a.method == b.method == "memd" and len(set(n_a)) == 1
                 and len({len(x) for x in cov}) == 1)
        if joint:
            group = [_groups(sum(_shares(x, n_a[0]) for x in cov), n_a[0])] * n
        else:
            group = [_groups(x, k) for x, k in zip(cov, n_a)]
        for i in range(n):
            for key, (p, q), alike in _taken(group[i], cov[i], n_a[i], count):
                both = key[0][0] <= key[0][1] and key[1][0] <= key[1][1]
                apart = _difference(rows[i][0][p].sum(0), rows[i][1][q].sum(0) * factors[i]
                                    ) if both else numpy.nan
                found.setdefault(key, {})[e, i] = alike, apart
    matched = sorted(found, key=lambda p: ([x[0] for x in p], [x[1] for x in p]))
    rho = numpy.full((epochs, n, len(matched)), numpy.nan)
    difference = rho.copy()
    for g, key in enumerate(matched):
        for (e, i), values in found[key].items():
            rho[e, i, g], difference[e, i, g] = values
    return rho, difference, [tuple([*range(f, min(last, count - 1) + 1)] + [count] * (last == count)
                                   for f, last in key) for key in matched]


def _shares(cov, n_a):
    """Covariances by the variance that either result has in all."""
    diagonal = numpy.diag(cov)
    unit = numpy.sqrt(numpy.repeat([diagonal[:n_a].sum(), diagonal[n_a:].sum()],
                                   [n_a, len(cov) - n_a]))
    unit[unit == 0] = numpy.inf
    return cov / unit[:, None] / unit


def _taken(group, cov, n_a, count):
    """Groups of a signal in order, as ((first, last) of a, of b), their rows, and similarity."""
    i, k, n = 0, n_a, len(group)
    while i < n_a or k < n:
        i0, k0 = i, k
        if i < n_a and group[i] < 0:
            i += 1
        elif k < n and group[k] < 0:
            k += 1
        else:
            while i < n_a and group[i] == group[i0]:
                i += 1
            while k < n and group[k] == group[k0]:
                k += 1
        key = tuple(tuple(count if last >= first and x == end else x for x in (first, last))
                    for first, last, end in ((i0, i - 1, n_a - 1),
                                             (k0 - n_a, k - n_a - 1, n - n_a - 1)))
        p, q = slice(i0, i), slice(k0, k)
        all_ = numpy.sqrt(cov[p, p].sum() * cov[q, q].sum())
        both = i > i0 and k > k0
        alike = numpy.nan if not both else cov[p, q].sum() / all_ if all_ > 0 else float(
            cov[p, p].sum() == cov[q, q].sum())
        yield key, (p, slice(k0 - n_a, k - n_a)), alike


def _result(r, which):
    if isinstance(r, (str, os.PathLike)):
        r = _load.load(r)
    if not hasattr(r, "arrays") or "modes" not in r or "residue" not in r:
        raise ArgumentError(f"{which}: a result with modes and residue is needed")
    return r.to_numpy()


def _pairs(a, b, channels):
    """Numbers of the channels to compare, (of a, of b): the k-th of a name with the k-th."""
    names = [r.channel_names for r in (a, b)]
    if None in names or names[0] == names[1]:
        if a.channels != b.channels:
            raise ArgumentError(f"a has {a.channels} channels and b {b.channels}, without names")
        pairs = [(i, i) for i in range(a.channels)]
    else:
        places = {}
        for i, name in enumerate(names[1]):
            places.setdefault(name, []).append(i)
        pairs = [(i, places[name].pop(0)) for i, name in enumerate(names[0]) if places.get(name)]
        left = sorted({n for n in names[0] + names[1]} - {names[0][i] for i, _ in pairs})
        if left:
            warnings.warn(f"only one result has {', '.join(left)}", stacklevel=3)
    if channels is not None:
        known = a.values_along("channel", a.channels)
        missing = [n for n in channels if n not in known]
        if missing:
            raise ArgumentError(f"channels: there is no {missing[0]!r}, but {', '.join(known)}")
        pairs = [p for p in pairs if known[p[0]] in channels]
    if not pairs:
        raise ArgumentError("the results have no channel in common")
    return pairs


def _rows(r, channels):
    """Modes [epoch, channel, mode, time], residue and counts of some channels."""
    n = r.channels
    modes = r.modes.reshape((-1, n) + r.modes.shape[-2:])
    residue = r.residue.reshape(-1, n, r.residue.shape[-1])
    count = numpy.asarray(r.mode_count).reshape(-1, n)
    return modes[:, channels], residue[:, channels], count[:, channels]


_PREFIXES = {"": 0, "m": -3, "u": -6, "\u00b5": -6, "\u03bc": -6, "n": -9, "p": -12, "f": -15,
             "k": 3, "M": 6}


def _factor(a, b, i, k, names):
    """What numbers of channel k of b are multiplied with, to be in the unit of channel i of a; 1
    where either has none, NaN where they are of different things."""
    if not (a.units and b.units) or "" in (a.units[i], b.units[k]) or a.units[i] == b.units[k]:
        return 1.0
    for base in ("V", "T", "T/m", "A", "g", "Pa", "m"):
        powers = [_PREFIXES.get(u.removesuffix(base)) if u.endswith(base) else None
                  for u in (a.units[i], b.units[k])]
        if None not in powers:
            return 10.0 ** (powers[1] - powers[0])
    warnings.warn(f"{names[i]} is in {a.units[i]} in a, and in {b.units[k]} in b: their modes have "
                  "a correlation, but no difference", stacklevel=3)
    return numpy.nan


def _difference(a, b):
    """By the largest sample, so that no square leaves the range of f64."""
    most = max(numpy.abs(a).max(), numpy.abs(b).max())
    if not most > 0:
        return 0.0 if most == 0 else numpy.nan
    a, b = a.astype("f8") / most, b / most
    size = (a @ a)
    return float(numpy.sqrt(((a - b) @ (a - b)) / size)) if size else numpy.inf


def _correlation(a, b, channel, mode):
    """1 where both are constant, 0 where one is."""
    for samples in (a, b):
        if not numpy.isfinite(samples).all():
            name = "residue" if mode is None else f"mode {mode} (IMF {mode + 1})"
            raise SignalError(f"channel {channel[0]}, {name}: samples that are not finite cannot "
                              "be compared")
    # By the largest sample, so that no square leaves the range of f64.
    a, b = (s / (numpy.abs(s).max() or 1.0) for s in (a.astype("f8"), b.astype("f8")))
    a, b = a - a.mean(), b - b.mean()
    # The mean of equal samples need not be one of them.
    flat = [numpy.ptp(s) == 0 for s in (a, b)]
    if any(flat):
        return 1.0 if all(flat) else 0.0
    if numpy.array_equal(a, b):
        return 1.0
    return float((a @ b) / numpy.sqrt((a @ a) * (b @ b)))
