"""wavesift on MNE's objects: Raw, Epochs and Evoked in, the same or time-frequency objects out.

>>> import wavesift.mne
>>> modes = wavesift.mne.decompose(epochs)              # multivariate EMD of each epoch
>>> alpha = modes.to_inst([2, 3])                       # Epochs again, of two modes
>>> tfr = wavesift.mne.compute_tfr(raw, freqs=np.arange(4, 41))
"""

import dataclasses
import math
import warnings

import mne
import numpy

from . import _mne, _pick, _plan, _rows
from ._errors import ArgumentError, told
from ._result import Result
from ._signals import UNITS, TimeLast

__all__ = ["Modes", "compute_tfr", "decompose", "tfr_array_wavesift"]

# ---- Modes ------------------------------------------------------------------------------------

# Words that mean something in MNE or in wavesift.hht, and what they are here.
_NOT_OF_HHT = {
    "baseline": "what comes back has apply_baseline((None, 0), mode='logratio')",
    "fs": "it is inst's own", "sfreq": "it is inst's own", "threads": "here it is n_jobs",
    "time_bin": "here it is decim, in samples", "arrays": "it makes the spectrum",
    "parts": "it makes the spectrum", "out": "it makes an object of MNE",
    "decomposition": "there are modes already",
}

# Of a call, and not of what is planned.
_RUN = ("device", "progress", "memory", "overwrite")


@_mne.logs
def decompose(inst, method=None, picks=None, *, skip_by_annotation=_mne.SKIP,
              reject_by_annotation=False, n_jobs=None, device=None, precision=None, progress=None,
              verbose=None, **options):
    """Decomposes Raw, Epochs or Evoked into modes.

    Parameters
    ----------
    inst : mne.io.Raw, mne.Epochs or mne.Evoked
        What is decomposed.
    method : str, optional
        "emd", "eemd", "ceemdan", "iceemdan" or "memd".  Default: of Epochs "memd", each epoch by
        itself, so that modes of all channels belong together; else "iceemdan".
    picks : str, sequence or slice, optional
        As mne.Evoked.pick takes it.  Default: good channels of data.
    skip_by_annotation : str or sequence of str
        Of Raw: what begins with one of these is left out, and what is before and after it is
        decomposed by itself, as in mne.io.Raw.filter.  There all modes are 0 and the residue is
        the signal.  Default: "edge" and "bad_acq_skip", as there, and what files that were
        interrupted bring along: "boundary" (EEGLAB), "New Segment" (BrainVision), "BAD boundary",
        "Recording ends", "Recording starts"; these cut, and no sample is left out.  () takes the
        recording as one.  Modes.pieces tells where it was cut.
    reject_by_annotation : bool
        The same for all that begins with "bad".
    n_jobs : int, optional
        Threads: -1 for all processors that this process may use.  Default: 1, or what
        joblib.parallel_config says.
    device : str, optional
        As of wavesift.emd.
    precision : {"f64", "f32"}, optional
        As of wavesift.emd.
    progress : bool or callable, optional
        As of wavesift.emd.
    verbose : bool, str or int, optional
        As in MNE.
    **options
        Those of the transform; fs is the object's.

    Returns
    -------
    Modes
        With to_inst(), get_data(), compute_hht(), ..

    Raises
    ------
    ArgumentError
        An option is outside its range, or annotations leave nothing.
    SignalError
        Samples are not finite.

    See Also
    --------
    compute_tfr : Wavelets of the same objects.
    wavesift.memd : The decomposition of arrays.

    Notes
    -----
    All epochs have the same maximal number of modes, and those that an epoch lacks are 0, so that
    arrays agree.
    """
    kind = _mne.kind(inst)
    inst = _mne.loaded(inst, kind)
    method = method or ("memd" if kind == "epochs" else "iceemdan")
    families = [r.name for r in _rows.ROWS.values() if r.transform.family == b"emd"]
    if method not in families:
        raise ArgumentError(f"method {method!r}: must be one of {', '.join(families)}")
    for word in ("fs", "sfreq", "threads"):
        if word in options:
            raise TypeError(f"{word} is inst's own" if word != "threads" else
                            "threads: here it is n_jobs")
    if kind == "epochs" and len(inst) == 0:
        raise ArgumentError("inst has no epochs: all were dropped")
    info = _mne.picked(inst.info, picks)
    _mne.warn_of_projectors(inst)
    kinds = sorted(set(info.get_channel_types()))
    if method == "memd" and len(kinds) > 1:
        warnings.warn(f"memd takes channels of several kinds ({', '.join(kinds)}) as one signal, "
                      "whatever their units; pick one kind", stacklevel=2)
    known = {"device": device, "precision": precision, "threads": _mne.threads(n_jobs)}
    call, sfreq = _function(method), float(info["sfreq"])
    if kind == "raw":
        pieces = _mne.pieces(inst, _mne.bad_kinds(skip_by_annotation, reject_by_annotation))
        if not pieces:
            raise ArgumentError("no sample is left between the annotated spans")
        _mne.tell_of_pieces(inst, pieces, "Decomposed")
        if len(pieces) > 1 or pieces[0] != (0, inst.n_times):
            result = _in_pieces(inst, method, info["ch_names"], pieces, known, options, progress)
            return Modes(inst, kind, info, result, pieces)
    data = inst.get_data(picks=info["ch_names"])
    result = call(data.view(TimeLast), sfreq, progress=progress, **known, **options)
    return Modes(inst, kind, info, result, [(0, data.shape[-1])])


def _function(name):
    import wavesift

    return getattr(wavesift, name)


def _in_pieces(raw, method, names, pieces, known, options, progress):
    """One Result of a recording whose pieces are decomposed one by one."""
    sfreq = float(raw.info["sfreq"])
    if options.get("modes") is None:
        longest = max(b - a for a, b in pieces)
        plan = _plan.Plan(method, (len(names), longest), sfreq, device="cpu", **options)
        options = {**options, "modes": plan.options["modes"]}
    signal = raw.get_data(picks=names)
    parts = [_function(method)(signal[:, a:b].view(TimeLast), sfreq, progress=progress,
                                **known, **options)
             for a, b in pieces]
    first, channels = parts[0], len(names)
    count = max(p.modes.shape[1] for p in parts)
    modes = numpy.zeros((channels, count, raw.n_times), first.modes.dtype)
    residue = signal.astype(first.modes.dtype)
    for (a, b), p in zip(pieces, parts):
        modes[:, :p.modes.shape[1], a:b] = p.modes
        residue[:, a:b] = p.residue
    arrays = {"signal": signal, "modes": modes, "residue": residue,
              "mode_count": numpy.max([p.mode_count for p in parts], axis=0)}
    if all("frequency" in p for p in parts):
        arrays["frequency"] = _frequency(parts, modes.shape[:2])
    about = {n: dataclasses.replace(first.about[n], extent=array.shape)
             for n, array in arrays.items()}
    return Result(method, first.title, arrays, about, fs=sfreq, options=first.options,
                  device=first.device, isa=first.isa, folder=first.folder,
                  provenance={**first.provenance, "pieces": len(pieces)},
                  attributes={"samples": raw.n_times})


def _frequency(parts, shape):
    """Of each mode, its pieces' weighted with their energy."""
    energy, sums = numpy.zeros(shape), numpy.zeros(shape)
    for p in parts:
        e = numpy.square(p.modes, dtype=float).sum(-1)
        energy[:, :e.shape[1]] += e
        sums[:, :e.shape[1]] += numpy.where(e > 0, e * p.frequency, 0.0)
    return numpy.divide(sums, energy, out=numpy.zeros(shape), where=energy > 0)


def _middle(f, axis):
    """Median of those that are there; NaN where there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return numpy.nanmedian(f, axis=axis, keepdims=True)


class Modes:
    """Modes of Raw, Epochs or Evoked, as decompose() gives them.

    Parameters
    ----------
    inst : mne.io.Raw, mne.Epochs or mne.Evoked
        What was decomposed.
    kind : {"raw", "epochs", "evoked"}
        Which of these.
    info : mne.Info
        Of the channels that were decomposed.
    result : wavesift.Result
        Their modes.
    pieces : list of (int, int)
        As below.

    Attributes
    ----------
    result : wavesift.Result
        All arrays: modes, residue, mode_count and figures of the modes, such as frequency; of
        what was cut into pieces frequency alone, the pieces' weighted with their energy.
    info : mne.Info
        Of the channels that were decomposed.
    pieces : list of (int, int)
        First sample and that after the last, of each piece that was decomposed by itself.

    See Also
    --------
    decompose : Which gives it.
    """

    def __init__(self, inst, kind, info, result, pieces):
        self._inst, self._kind = inst, kind
        self.info, self.result, self.pieces = info, result, pieces
        result.channel_names = list(info["ch_names"])
        result.units = [UNITS.get(k, "") for k in info.get_channel_types()]
        result.first_time = float(inst.times[0])
        if info["meas_date"] is not None and kind == "raw":
            result.attributes["start_time"] = info["meas_date"].isoformat()

    @property
    def ch_names(self):
        """Names of the channels that were decomposed."""
        return list(self.info["ch_names"])

    @property
    def n_modes(self):
        """Of the channel and epoch with the most."""
        return self.result.modes.shape[-2]

    @property
    def mode_count(self):
        """[channel] or [epoch, channel]: how many modes are real; the others are 0."""
        return self.result.mode_count

    @property
    def times(self):
        """Of the samples, s, as those of the object."""
        return self._inst.times.copy()

    def __repr__(self):
        pieces = f" in {len(self.pieces)} pieces" if len(self.pieces) > 1 else ""
        return (f"<Modes of {type(self._inst).__name__}: {self.n_modes} by {self.result.title}, "
                f"{len(self.ch_names)} channels, {len(self._inst.times)} samples{pieces}>")

    def get_data(self, picks=None, modes=None):
        """Modes as an array.

        Parameters
        ----------
        picks : str, sequence or slice, optional
            Default: all that were decomposed.
        modes : int, str, slice or sequence, optional
            Numbers of modes, from 0, the fastest, on; their names in figures, "IMF 1" for mode 0;
            or "residue".  Default: all modes.

        Returns
        -------
        numpy.ndarray
            [channel, mode, time], of Epochs [epoch, channel, mode, time].
        """
        at = [self.ch_names.index(n) for n in _mne.picked(self.info, picks)["ch_names"]] \
            if picks is not None else slice(None)
        data = self.result.modes[..., at, :, :]
        if modes is None:
            return data
        return numpy.stack([self.result.residue[..., at, :] if m == "residue" else
                            data[..., m, :] for m in self._numbers(modes)], axis=-2)

    def _numbers(self, modes):
        modes = range(self.n_modes)[modes] if isinstance(modes, slice) else modes
        given = (list(modes) if hasattr(modes, "__iter__") and not isinstance(modes, str)
                 else [modes])
        names = {f"IMF {k + 1}": k for k in range(self.n_modes)}
        given = [names.get(m, m) if isinstance(m, str) else m for m in given]
        for m in given:
            if not (m == "residue" if isinstance(m, str) else isinstance(m, (int, numpy.integer))
                    and not isinstance(m, bool) and -self.n_modes <= m < self.n_modes):
                raise ArgumentError(f"modes: {m!r}: must be 0 (IMF 1) to {self.n_modes - 1} (IMF "
                                    f"{self.n_modes}), or 'residue'")
        return given

    @_mne.logs
    def to_inst(self, modes=None, exclude=(), *, fmin=None, fmax=None, verbose=None):
        """The sum of some modes, in a copy of what was decomposed: Raw, Epochs or Evoked.

        Channels that were not decomposed (stimuli, EOG, bad ones) stay as they are, and all are in
        their order, as after mne.io.Raw.filter.

        Parameters
        ----------
        modes : int, str, slice or sequence, optional
            As in get_data.  Default: all, and the residue.
        exclude : int, str, slice or sequence
            What to leave out of them.
        fmin, fmax : float, optional
            Instead of modes: those whose frequency, of each channel and epoch, lies from fmin to
            fmax, Hz; of memd, whose modes belong together, by the median over channels.  The
            residue is taken where there is no fmin.
        verbose : bool, str or int, optional
            As in MNE.

        Returns
        -------
        mne.io.Raw, mne.Epochs or mne.Evoked
            A copy, in memory.
        """
        taken = self._taken(modes, fmin, fmax)
        for m in self._numbers(exclude):
            taken.pop(m if m == "residue" else m % self.n_modes, None)
        return _mne.with_data(self._inst, self._kind, self.ch_names, self._sum(taken))

    @_mne.logs
    def average(self, modes=None, *, fmin=None, fmax=None, align=None, verbose=None):
        """The average over epochs of some modes.

        Parameters
        ----------
        modes : int, str, slice or sequence, optional
            As in get_data.  What is mode 2 in one epoch may be another rhythm than mode 2 in the
            next, so numbers are averaged only as align says.
        fmin, fmax : float, optional
            Instead of modes, as in to_inst.
        align : {"frequency", "number"}, optional
            "frequency": of each epoch the mode whose frequency is nearest to the median of that
            number's over epochs; "number": that number of each epoch.
        verbose : bool, str or int, optional
            As in MNE.

        Returns
        -------
        mne.Evoked
            Of the good channels of data.
        """
        if self._kind != "epochs":
            raise ArgumentError("average is of Epochs")
        if modes is not None and align not in ("frequency", "number"):
            raise ArgumentError("align: modes of one number may be other rhythms in other epochs: "
                                "say align='frequency' or align='number', or take fmin and fmax")
        taken = self._taken(modes, fmin, fmax)
        if align == "frequency":
            taken = self._aligned(taken)
        return _mne.with_data(self._inst, self._kind, self.ch_names, self._sum(taken)).average()

    def _taken(self, modes, fmin, fmax):
        """Where each mode, and the residue, is taken: True, or a mask [.., channel]."""
        if fmin is None and fmax is None:
            given = [*range(self.n_modes), "residue"] if modes is None else self._numbers(modes)
            if not given:
                raise ArgumentError("modes: at least one is needed")
            # A mode that is named twice counts twice.
            return {m if m == "residue" else m % self.n_modes: given.count(m) for m in given}
        if modes is not None:
            raise ArgumentError("modes, fmin, fmax: either numbers or frequencies")
        words = _pick.between(_pick.real("fmin", fmin), _pick.real("fmax", fmax), " Hz")
        if None not in (fmin, fmax) and fmin > fmax:
            raise ArgumentError(f"fmin, fmax: nothing lies {words}; exclude= leaves modes out")
        f, real = self._frequencies()
        if self.result.method == "memd":
            f = _middle(numpy.where(real, f, numpy.nan), -2)
        inside = (real & (f >= (0 if fmin is None else fmin))
                  & (f <= (numpy.inf if fmax is None else fmax)))
        count = inside.any(tuple(range(inside.ndim - 2))).sum(-1)
        mne.utils.logger.info(f"Modes {words}: {count.min()} to {count.max()} of a channel")
        lost = [n for n, k in zip(self.ch_names, count) if k == 0]
        if lost and fmin is not None:
            mne.utils.warn(f"no mode of {', '.join(lost)} lies {words}: these are 0 there")
        taken = {m: inside[..., m] for m in range(self.n_modes)}
        return {**taken, "residue": True} if fmin is None else taken

    def _frequencies(self):
        """[.., channel, mode]: Hz, and which modes there are."""
        if "frequency" not in self.result:
            raise ArgumentError("the modes have no frequencies: decompose without arrays=, which "
                                "left them out")
        return (self.result["frequency"],
                numpy.arange(self.n_modes) < self.result.mode_count[..., None])

    def _aligned(self, taken):
        """Of each epoch the modes that are nearest in frequency to those taken."""
        f, real = self._frequencies()
        log = numpy.log(f, out=numpy.full(f.shape, numpy.nan), where=real & (f > 0))
        middle = _middle(log, 0)[0]
        made = {m: numpy.zeros(f.shape[:2], bool) for m in range(self.n_modes)}
        for k in (m for m in taken if m != "residue"):
            off = numpy.abs(log - middle[:, k, None])
            nearest = numpy.where(numpy.isfinite(off), off, numpy.inf).argmin(-1)
            for m in made:
                made[m] |= (nearest == m) & numpy.isfinite(off[..., m])
        return {**made, "residue": True} if "residue" in taken else made

    def _sum(self, taken):
        data = numpy.zeros(self.result.residue.shape)
        for m, where in taken.items():
            part = self.result.residue if m == "residue" else self.result.modes[..., m, :]
            if isinstance(where, numpy.ndarray):
                numpy.add(data, part, out=data, where=where[..., None])
            else:
                data += part if where == 1 else where * part
        return data

    @_mne.logs
    def compute_hht(self, freqs=None, decim=1, *, modes=None, reject_by_annotation=True,
                    n_jobs=None, verbose=None, **options):
        """The Hilbert spectrum of modes as an object of MNE.

        Parameters
        ----------
        freqs : str, tuple or array, optional
            Edges and number of the frequency bins, such as "1:45:88:lin" or (1, 45, 88); or an
            array of their middles, evenly apart or by one ratio.
        decim : int
            Samples of a time bin.
        modes : int, str, slice or sequence, optional
            As in get_data; their spectra are summed.  Default: all modes.
        reject_by_annotation : bool
            Of Raw: bins that touch annotations which begin with "bad" are NaN, as in
            mne.io.Raw.compute_tfr.
        n_jobs : int, optional
            As of decompose.
        verbose : bool, str or int, optional
            As in MNE.
        **options
            Of wavesift.hht, such as frequency_method and quantity.

        Returns
        -------
        mne.time_frequency.RawTFRArray, EpochsTFRArray or AverageTFRArray
            By default of density, unit^2 / Hz.  Of Raw that was decomposed in pieces, each piece's
            own; bins that do not lie within one are NaN.
        """
        for word in _NOT_OF_HHT.keys() & options.keys():
            raise TypeError(f"compute_hht() has no option {word!r}: {_NOT_OF_HHT[word]}")
        sfreq, data = float(self.info["sfreq"]), self.get_data(modes=modes)
        decim = _mne.decim(decim)
        bins = data.shape[-1] // decim
        # The end of a bin that is too short would have another width.
        pieces = [(-(-a // decim), b // decim) for a, b in self.pieces]
        pieces = [(a, b) for a, b in pieces if b > a]
        if not pieces:
            raise ArgumentError(f"decim: {decim} samples are more than a piece has")
        known = {"decomposition": "none", "parts": "spectrum", "time_bin": decim / sfreq,
                 **options}
        longest = max(b - a for a, b in pieces) * decim
        plan = _plan.Plan("hht", longest, sfreq, device="cpu", freqs=freqs,
                          **{k: v for k, v in known.items() if k not in _RUN})
        if len(pieces) > 1:
            freqs = plan.options["freqs"]       # of all pieces the same
        lead, rows = data.shape[:-2], data.shape[-2]
        made = numpy.full((*lead, len(plan.axes["frequency"]), bins), numpy.nan, data.dtype)
        for a, b in pieces:
            x = numpy.ascontiguousarray(data[..., a * decim:b * decim])
            if rows == 0:       # nothing oscillates
                made[..., a:b] = 0
                continue
            r = _function("hht")(x.reshape(-1, x.shape[-1]).view(TimeLast), sfreq, freqs=freqs,
                                 threads=_mne.threads(n_jobs), arrays=["spectrum"], **known)
            made[..., a:b] = r.spectrum.reshape((*lead, rows) + r.spectrum.shape[1:]).sum(-3)
        if self._kind == "raw" and reject_by_annotation:
            bad = _mne.bad_samples(self._inst)[:bins * decim].reshape(bins, decim).any(-1)
            made[..., bad] = numpy.nan
            if bad.any():
                mne.utils.logger.info(f"{bad.sum()} of {bins} bins are within bad spans, and NaN")
        times = self._inst.times[0] + (numpy.arange(bins) * decim + (decim - 1) / 2) / sfreq
        return _tfr(self._inst, self._kind, _mne.resampled(self.info, decim), made, times,
                    plan.axes["frequency"])

    def plot(self, channel=None, epoch=0, **settings):
        """Draws one channel or some: the signal, its modes and the residue.

        Parameters
        ----------
        channel : int or str, optional
            Default: the first.
        epoch : int
            Of several.
        **settings
            As of wavesift.Result.plot: ax, channels, modes, tmin, tmax, vmax; and of
            matplotlib.pyplot.figure.

        Returns
        -------
        matplotlib.figure.Figure
            A new one, or that of ax.
        """
        return self.result.plot(channel, epoch, **settings)

    def save(self, fname, *, overwrite=False, compress=0):
        """Writes a result file of wavesift (HDF5), which wavesift.load and the program read.

        Parameters
        ----------
        fname : str or os.PathLike
            Of the new file.
        overwrite : bool
            Replace a file that there is.
        compress : int
            0 to 9.
        """
        self.result.save(fname, overwrite=overwrite, compress=compress)


# ---- Wavelets ---------------------------------------------------------------------------------

def _frequencies(freqs, samples, sfreq):
    """Those of a range as text, ascending as MNE has them; else as they are."""
    if not isinstance(freqs, str):
        return freqs
    return numpy.sort(_plan.Plan("cwt", samples, sfreq, device="cpu", reference="mne",
                                 freqs=freqs).axes["frequency"])


def _transformed(name, data, sfreq, freqs, n_cycles, zero_mean, decim, threads, device, **more):
    """The result of cwt or trials by MNE's wavelets, and what of its times is to be taken."""
    freqs = numpy.atleast_1d(numpy.asarray(freqs, float))
    cycles = numpy.atleast_1d(numpy.asarray(n_cycles, float))
    if freqs.ndim > 1 or len(freqs) == 0 or not (freqs > 0).all():
        raise ArgumentError("freqs: a list of frequencies above 0 is needed")
    if cycles.shape not in ((1,), freqs.shape):
        raise ArgumentError(f"n_cycles: one number, or one for each of the {len(freqs)} "
                            f"frequencies, is needed, not {list(cycles.shape)}")
    whole = decim if isinstance(decim, slice) else slice(None, None, int(decim))
    plain = whole.start in (None, 0) and whole.stop is None and (whole.step or 1) > 0
    r = _function(name)(data.view(TimeLast), sfreq, reference="mne", freqs=tuple(freqs),
                        cycles=tuple(cycles),
                        wavelet="morlet-zero-mean" if zero_mean else "morlet",
                        decimate=(whole.step or 1) if plain else 1, threads=threads,
                        device=device, **more)
    return r, slice(None) if plain else whole


def _cwt(data, sfreq, freqs, n_cycles, zero_mean, decim, output, threads, device=None):
    """[.., frequency, time] of rows, as MNE's Morlet wavelets give it."""
    array = "coefficients" if output == "complex" else output
    r, times = _transformed("cwt", data, sfreq, freqs, n_cycles, zero_mean, decim, threads, device,
                            quantity=output, arrays=[array])
    return r[array][..., times]


def _averages(data, names, *given):
    """Arrays of trials by MNE's wavelets, over two epochs or more; no epoch's transform is kept."""
    r, times = _transformed("trials", data, *given,
                            averages=",".join(n.partition("_")[0] for n in names))
    return [r[n][..., times] for n in names]


def _averages_by_epoch(data, names, *given):
    """The same from the coefficients of one epoch after the other, as a GPU makes them."""
    sums = {"total_power": 0.0, "itc": 0.0}
    for epoch in data:
        w = _cwt(epoch, *given[:-2], "complex", *given[-2:])
        size = numpy.abs(w)
        sums["total_power"] += size ** 2
        sums["itc"] += numpy.divide(w, size, out=numpy.zeros_like(w), where=size > 0)
    return [numpy.abs(sums[n]) / len(data) for n in names]


@_mne.logs
def tfr_array_wavesift(data, sfreq, freqs, n_cycles=7.0, zero_mean=True, decim=1,
                       output="complex", n_jobs=None, *, device=None, verbose=None):
    """Time-frequency transform by Morlet wavelets: mne.time_frequency.tfr_array_morlet, faster.

    Parameters
    ----------
    data : array (n_epochs, n_channels, n_times)
        Samples.
    sfreq : float
        Samples a second.
    freqs : array of float
        Hz.
    n_cycles : float or array of float
        Cycles of the wavelet: one number, or one for each frequency.
    zero_mean : bool
        Wavelets have a mean of zero.
    decim : int or slice
        What is kept of the time axis.
    output : {"complex", "power", "phase", "avg_power", "itc", "avg_power_itc"}
        What is given of the coefficients.
    n_jobs : int, optional
        As of decompose.
    device : str, optional
        As of wavesift.cwt.
    verbose : bool, str or int, optional
        As in MNE.

    Returns
    -------
    array (n_epochs, n_channels, n_freqs, n_times)
        Of averages without the first axis.  "avg_power_itc": power + i itc.

    Raises
    ------
    ArgumentError
        An argument is outside its range.

    See Also
    --------
    compute_tfr : Of Raw, Epochs and Evoked.
    """
    data = numpy.asarray(data, float)
    if data.ndim != 3:
        raise ArgumentError(f"data: (n_epochs, n_channels, n_times) is needed, not {data.ndim} "
                            "axes")
    averages = {"avg_power": ["total_power"], "itc": ["itc"],
                "avg_power_itc": ["total_power", "itc"]}
    if output not in ("complex", "power", "phase", *averages):
        raise ArgumentError(f"output {output!r}: must be complex, power, phase, avg_power, itc or "
                            "avg_power_itc")
    given, threads = (sfreq, freqs, n_cycles, zero_mean, decim), _mne.threads(n_jobs)
    if output not in averages:
        return _cwt(data, *given, output, threads, device)
    average = (_averages if len(data) > 1 and device in (None, "auto", "cpu")
               else _averages_by_epoch)
    made = average(data, averages[output], *given, threads, device)
    return made[0] + 1j * made[1] if len(made) > 1 else made[0]


@_mne.logs
def compute_tfr(inst, freqs, *, n_cycles=7.0, zero_mean=True, tmin=None, tmax=None, picks=None,
                output="power", average=False, return_itc=False, decim=1,
                skip_by_annotation=_mne.SKIP, reject_by_annotation=True,
                n_jobs=None, device=None, verbose=None):
    """Morlet wavelet transform of Raw, Epochs or Evoked, as their compute_tfr("morlet").

    Parameters
    ----------
    inst : mne.io.Raw, mne.Epochs or mne.Evoked
        What is transformed.
    freqs : array of float, or str
        Hz; or a range as of wavesift.cwt, "4:40:37:lin", from the lowest on.
    n_cycles : float or array of float
        As of tfr_array_wavesift.
    zero_mean : bool
        As of tfr_array_wavesift.
    tmin : float, optional
        The first time, s.
    tmax : float, optional
        The last time, s.
    picks : str, sequence or slice, optional
        Default: good channels of data.
    output : {"complex", "power", "phase"}
        As of tfr_array_wavesift.
    average : bool
        Of Epochs: the mean of their power.
    return_itc : bool
        Of averages: the inter-trial coherence too.
    decim : int
        Every so many samples.
    skip_by_annotation : str or sequence of str
        Of Raw: such spans are NaN, and do not reach what is before and after them.  As of
        decompose.
    reject_by_annotation : bool
        The same of those that begin with "bad".
    n_jobs : int, optional
        As of decompose.
    device : str, optional
        As of wavesift.cwt.
    verbose : bool, str or int, optional
        As in MNE.

    Returns
    -------
    mne.time_frequency.RawTFRArray, EpochsTFRArray or AverageTFRArray
        With return_itc: a pair of them.

    Raises
    ------
    ArgumentError
        An argument is outside its range.

    See Also
    --------
    decompose : Modes of the same objects.
    """
    kind = _mne.kind(inst)
    if output not in ("complex", "power", "phase"):
        raise ArgumentError(f"output {output!r}: must be complex, power or phase")
    if average and kind != "epochs" or return_itc and not average:
        raise ArgumentError("average and return_itc are of Epochs, together")
    if average and output != "power":
        raise ArgumentError(f"average: of power, not of {output}")
    decim = _mne.decim(decim)
    inst = _mne.loaded(inst, kind)
    _mne.warn_of_projectors(inst)
    whole, first = inst, 0
    if tmin is not None or tmax is not None:
        inst = inst.copy().crop(tmin, tmax, verbose="error")
        # Times of a Raw begin anew, and those of its spectra do not.
        first = inst.first_samp - whole.first_samp if kind == "raw" else 0
    times = (whole if kind == "raw" else inst).times[first:first + len(inst.times):decim]
    info = _mne.picked(inst.info, picks)
    freqs = _frequencies(freqs, len(inst.times), float(info["sfreq"]))
    given = float(info["sfreq"]), freqs, n_cycles, zero_mean
    told = _mne.resampled(info, decim), times, numpy.atleast_1d(numpy.asarray(freqs, float))
    data = inst.get_data(picks=info["ch_names"])
    if average:
        made = tfr_array_wavesift(data, *given, decim, "avg_power_itc" if return_itc else
                                  "avg_power", n_jobs, device=device)
        power = _average(inst, made.real, *told, "power")
        return (power, _average(inst, made.imag, *told, "itc")) if return_itc else power
    kinds = _mne.bad_kinds(skip_by_annotation, reject_by_annotation)
    pieces = _mne.pieces(inst, kinds) if kind == "raw" else []
    if kind == "raw" and pieces != [(0, inst.n_times)]:
        _mne.tell_of_pieces(inst, pieces, "Transformed")
        made = _tfr_in_pieces(data, given, pieces, decim, output, _mne.threads(n_jobs), device)
    else:
        made = _cwt(data, *given, decim, output, _mne.threads(n_jobs), device)
    return _tfr(inst, kind, told[0], made, *told[1:])


def _tfr_in_pieces(data, given, pieces, decim, output, threads, device):
    """NaN outside the pieces, and where a wavelet is longer than its piece."""
    sfreq, freqs, n_cycles, zero_mean = given
    freqs = numpy.atleast_1d(numpy.asarray(freqs, float))
    cycles = numpy.broadcast_to(numpy.asarray(n_cycles, float), freqs.shape)
    taps = 2 * numpy.ceil(5 * cycles / (2 * math.pi * freqs) * sfreq) - 1
    n = -(-data.shape[-1] // decim)
    made = numpy.full((len(data), len(freqs), n), numpy.nan, complex if output == "complex"
                      else float)
    for a, b in pieces:
        fits = numpy.flatnonzero(taps <= b - a)
        first = -(-a // decim)
        last = -(-b // decim)
        if len(fits) and last > first:
            w = _cwt(numpy.ascontiguousarray(data[:, a:b]), sfreq, freqs[fits], cycles[fits],
                     zero_mean, slice(first * decim - a, None, decim), output, threads, device)
            made[:, fits, first:last] = w
    return made


def _average(inst, data, info, times, freqs, comment):
    return mne.time_frequency.AverageTFRArray(info=info, data=data, times=times, freqs=freqs,
                                              nave=len(inst), comment=comment,
                                              method="wavesift")


def _tfr(inst, kind, info, data, times, freqs):
    """The object of MNE that holds [.., channel, frequency, time] of inst."""
    shared = {"info": info, "data": data, "times": times, "freqs": freqs,
              "method": "wavesift"}
    if kind == "raw":
        return mne.time_frequency.RawTFRArray(**shared)
    if kind == "epochs":
        return mne.time_frequency.EpochsTFRArray(
            **shared, events=inst.events, event_id=inst.event_id, selection=inst.selection,
            drop_log=inst.drop_log, metadata=inst.metadata)
    return mne.time_frequency.AverageTFRArray(**shared, nave=inst.nave, comment=inst.comment)
