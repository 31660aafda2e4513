"""What objects of MNE have: channels, threads, pieces between annotations; for wavesift.mne."""

import functools
import math
import operator

import mne
import numpy

from ._errors import ArgumentError, told
from ._threads import all_processors

# What annotations begin with where a recording was interrupted: those of MNE itself, and those that
# EEGLAB, BrainVision and EDF+ files bring along.
_MARKS = ("edge boundary", "bad boundary", "boundary", "new segment", "recording ends",
          "recording starts")
SKIP = ("edge", "bad_acq_skip", *_MARKS[1:])


# ---- What an object of MNE has ----------------------------------------------------------------

def kind(inst):
    for name, kind in (("raw", mne.io.BaseRaw), ("epochs", mne.BaseEpochs),
                       ("evoked", mne.Evoked)):
        if isinstance(inst, kind):
            return name
    raise TypeError(f"inst: Raw, Epochs or Evoked is needed, not {type(inst).__name__}")


def picked(info, picks):
    """Info of the channels that picks means, as mne.Evoked.pick takes it; None: good data."""
    stub = mne.EvokedArray(numpy.zeros((len(info["ch_names"]), 1)), info, verbose="error")
    try:
        if picks is None:
            stub.pick("data", exclude="bads", verbose="error")
        else:
            stub.pick(picks, exclude=(), verbose="error")
    except ValueError as e:
        raise ArgumentError(f"picks: {e}") from None
    return stub.info


def logs(function):
    """verbose=, as MNE's functions have it."""
    @functools.wraps(function)
    def call(*arguments, verbose=None, **keywords):
        if verbose is None:
            return function(*arguments, **keywords)
        with mne.utils.use_log_level(verbose):
            return function(*arguments, **keywords)
    return call


def loaded(inst, kind):
    """Epochs that are not in memory lose the bad ones when they are read."""
    return inst.copy().load_data() if kind == "epochs" and not inst.preload else inst


def threads(n_jobs):
    """MNE's n_jobs as a number of threads: None is 1, or what joblib.parallel_config says; -1 all
    processors that this process may use, -2 one less, .."""
    if n_jobs is None:
        try:
            import joblib
        except ImportError:         # MNE does not need it
            return 1
        n_jobs = joblib.effective_n_jobs(None)
    if n_jobs == "cuda":
        raise ArgumentError("n_jobs='cuda': here a GPU is asked for by device='cuda'")
    try:
        n = operator.index(n_jobs)
    except TypeError:
        raise TypeError(f"n_jobs: a whole number is needed, not {told(n_jobs)}") from None
    if n == 0:
        raise ArgumentError("n_jobs: must not be 0")
    return n if n > 0 else max(1, all_processors() + 1 + n)


def pieces(raw, kinds):
    """[start, stop) of the samples between annotations that begin with one of kinds; those
    without a duration cut too.  As mne.io.Raw.filter splits; but a mark of an interruption takes no
    samples away: the duration of EEGLAB's is that of what is not there."""
    n = raw.n_times
    good, cuts = numpy.ones(n, bool), {0, n}
    kinds = tuple(k.upper() for k in kinds)
    marks = tuple(k.upper() for k in _MARKS)
    for note in raw.annotations:
        if not kinds or not note["description"].upper().startswith(kinds):
            continue
        onset = note["onset"] - raw.first_time
        if note["description"].upper().startswith(marks):
            # Half a sample, as EEGLAB has it, lies before the next one.
            at = math.floor(onset * raw.info["sfreq"] + 0.5 + 1e-6)
            cuts.add(min(max(at, 0), n))
            continue
        start, stop = raw.time_as_index([onset, onset + note["duration"]], use_rounding=True)
        good[max(start, 0):max(stop, 0)] = False
        cuts.add(min(max(int(start), 0), n))
    edges = numpy.flatnonzero(numpy.diff(good)) + 1
    places = sorted(cuts | {int(e) for e in edges})
    return [(a, b) for a, b in zip(places, places[1:]) if good[a]]


def bad_kinds(skip_by_annotation, reject_by_annotation):
    given = ((skip_by_annotation,) if isinstance(skip_by_annotation, str)
             else tuple(skip_by_annotation or ()))
    return given + (("bad",) if reject_by_annotation else ())


def resampled(info, decim):
    """info of every decim-th sample."""
    if decim == 1:
        return info
    stub = mne.EvokedArray(numpy.zeros((len(info["ch_names"]), decim)), info, verbose="error")
    return stub.decimate(decim, verbose="error").info


def decim(decim):
    """Every so many samples."""
    try:
        n = operator.index(decim)
    except TypeError:
        n = 0
    if n < 1:
        raise ArgumentError(f"decim: a whole number of samples is needed, not {told(decim)}")
    return n


def warn_of_projectors(inst):
    """Says which projectors wait to be applied: the samples are without them."""
    waiting = [p["desc"] for p in inst.info["projs"] if not p["active"]]
    if waiting:
        mne.utils.warn(f"projectors that are not applied ({', '.join(waiting)}) are not in the "
                       "samples that are analysed: inst.apply_proj() applies them first")


def bad_samples(raw):
    """True at the samples of Raw within annotations that begin with "bad"."""
    bad = numpy.ones(raw.n_times, bool)
    for a, b in pieces(raw, ("bad",)):
        bad[a:b] = False
    return bad


def tell_of_pieces(raw, found, what):
    """Logs what annotations left out, and where they cut."""
    left = raw.n_times - sum(b - a for a, b in found)
    if left or len(found) > 1:
        mne.utils.logger.info(
            f"{what} in {len(found)} piece{'s' * (len(found) > 1)} between annotations; "
            f"{left / raw.info['sfreq']:g} s of {raw.n_times / raw.info['sfreq']:g} s left out")


def with_data(inst, kind, names, data):
    """A copy of inst whose channels of these names have this data; all others are as they were."""
    made = inst.copy()
    if kind != "evoked":
        made.load_data()
    at = [inst.ch_names.index(n) for n in names]
    (made.data if kind == "evoked" else made._data)[..., at, :] = data
    return made
