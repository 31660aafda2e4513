"""Signatures and documentation of the functions of transforms, from the table."""

import ast
import inspect
import shlex
import textwrap

from . import _library as c
from . import _options, _plan
from ._errors import ArgumentError, in_python
from ._result import result_name
from ._rows import ROWS

_SHARED = """\
x : array_like
    Samples, time last: [time], [channel, time] or [.., channel, time], whose leading axes are
    epochs.  Anything that NumPy or DLPack understands; CuPy's and PyTorch's arrays of a GPU,
    which stay there, as the results do; MNE's Raw, Epochs and Evoked; xarray's DataArray, and
    tables of pandas and polars, whose rows are times: names, rate, dates and units are taken over,
    and uneven times refused.  float32 is computed in f32, all else in f64.
fs : float, optional
    Samples a second.  Without it axes and frequencies count samples.
"""

_RESULT = """\
    Or a result of the EMD family, wavesift.emd(x) or wavesift.load("x.h5"), whose modes are taken.
"""

_GATHERED = """\
x : array_like
    Samples of epochs, [epoch, channel, time], or with more axes of epochs before; x[:, None] of one
    channel.  Needs no copy where the epochs of a channel lie one after the other, as in
    y.transpose(1, 0, 2) of y [channel, epoch, time].  Otherwise as of wavesift.emd: anything that
    NumPy or DLPack understands, and MNE's Epochs.
fs : float, optional
    Samples a second.  Without it axes and frequencies count samples.
tmin : float, optional
    Time of an epoch's first sample, s, where the event is at 0.  Default: that of MNE's Epochs;
    else 0.
"""

_COMMON = """\
device : str, optional
    "auto" (default): a GPU where there is one and the work is worth it; "cpu"; "cuda"; "cuda:1".
threads : int, optional
    -1: all processors that this process may use.  Default: these, or fewer as OMP_NUM_THREADS,
    joblib or threadpoolctl say.  Results do not depend on it.
precision : {"f64", "f32"}, optional
    Of samples and arithmetic; default: after x.
arrays : sequence of str, optional
    Names of optional arrays to make, where not all are needed.
out : dict of str to array, or path, optional
    Arrays to fill instead of new ones, by name.  Or a result file (HDF5) to write while it is
    made, where x (a memory map, or a data set of h5py or zarr) or the result does not fit in
    memory; the arrays of what is returned are then data sets of that file, which r.close() closes.
memory : int or str, optional
    With a file: most bytes to work in, such as "2G".  Default: 80 % of what is free.
overwrite : bool, optional
    With a file: replace one that there is.
progress : bool or callable, optional
    True: a bar; or a function that is called with the share done, 0 to 1.  Where it returns True,
    the call ends with wavesift.Cancelled.
channel_names : sequence of str, optional
    Instead of those that x has.
unit : str or sequence of str, optional
    Of the samples, or of each channel: "uV".
"""


_RAISES = """\
Raises
------
ArgumentError
    An option is outside its range, or means nothing beside another.
SignalError
    Samples are not finite, or their times not even; the text names the place.
OutOfMemoryError, DeviceError, UnsupportedError, FileError
    Memory, the GPU, this build or a file does not allow it.
Cancelled
    As progress asked for.
"""

_SHARED_DEFAULTS = {"device": "auto", "overwrite": False, "progress": False}

# What a transform is cited by.
_REFERENCES = (
    (("emd", "hht", "hhtrials"),
     "Huang N. E. et al. (1998): The empirical mode decomposition and the Hilbert spectrum for "
     "nonlinear and non-stationary time series analysis. Proc. R. Soc. Lond. A 454, 903-995."),
    (("eemd",), "Wu Z., Huang N. E. (2009): Ensemble empirical mode decomposition: a "
     "noise-assisted data analysis method. Adv. Adapt. Data Anal. 1, 1-41."),
    (("ceemdan",), "Torres M. E. et al. (2011): A complete ensemble empirical mode decomposition "
     "with adaptive noise. IEEE ICASSP, 4144-4147."),
    (("iceemdan",), "Colominas M. A., Schlotthauer G., Torres M. E. (2014): Improved complete "
     "ensemble EMD: a suitable tool for biomedical signal processing. Biomed. Signal Process. "
     "Control 14, 19-29."),
    (("memd",), "Rehman N., Mandic D. P. (2010): Multivariate empirical mode decomposition. Proc. "
     "R. Soc. A 466, 1291-1302."),
    (("cwt", "bands"), "Torrence C., Compo G. P. (1998): A practical guide to wavelet analysis. "
     "Bull. Am. Meteorol. Soc. 79, 61-78."),
    (("superlets",), "Moca V. V. et al. (2021): Time-frequency super-resolution with superlets. "
     "Nat. Commun. 12, 337."),
    (("trials",), "Tallon-Baudry C. et al. (1996): Stimulus specificity of phase-locked and "
     "non-phase-locked 40 Hz visual responses in human. J. Neurosci. 16, 4240-4249."),
    (("coherence",), "Torrence C., Webster P. J. (1999): Interdecadal changes in the ENSO-monsoon "
     "system. J. Climate 12, 2679-2690."),
    (("coherence",), "Lachaux J.-P. et al. (1999): Measuring phase synchrony in brain signals. "
     "Hum. Brain Mapp. 8, 194-208."),
)


def _type_of(option):
    named = "{" + ", ".join(f'"{n}"' for n in option.choices) + "}"
    return {c.FLAG: "bool", c.INT: "int", c.U64: "int", c.REAL: "float", c.CHOICE: named,
            **dict.fromkeys((c.TEXT, c.RANGE, c.LIST),
                            "int or str" if option.of_channel else "str or tuple"),
            c.ARRAY: f"{named} or array_like" if option.choices else "array_like or path",
            }[option.kind]


def _keywords(row, line):
    """Options of an example of a command line, as keyword arguments with their literals."""
    by_flag = {o.flag_name: o for o in row.options}
    given, words = {}, shlex.split(line.partition("\t")[0])
    for word, value in zip(words, words[1:] + [""]):
        option = by_flag.get(word[2:]) if word.startswith("--") else None
        if word == "--fs" or word == "--tmin" and row.gathers:
            given[word[2:]] = value
        elif option and option.kind == c.FLAG:
            given[option.name] = "True"
        elif option:
            given[option.name] = (value if option.kind in (c.INT, c.U64, c.REAL)
                                  else f'"{value}"')
    return given


def _example(row, line):
    """An example of a command line in Python; None where nothing of it is left."""
    given = _keywords(row, line)
    if not given:
        return None
    # What the words say may be of files and figures alone.
    command, _, text = line.partition("\t")
    said = f"  # {in_python(text)}" if text and "--channels" not in command.split() else ""
    return (f">>> r = wavesift.{row.name}(x, "
            f"{', '.join(f'{k}={v}' for k, v in given.items())}){said}")


def _documentation(row, made, plain):
    def wrapped(text, indent):
        text = in_python(text)
        return textwrap.fill(text[:1].upper() + text[1:], 96, initial_indent=indent,
                             subsequent_indent=indent)

    taken = _GATHERED if row.gathers else _SHARED
    if row.transform.family == b"hht" and not row.gathers:
        taken = taken.replace("fs : float", _RESULT + "fs : float")
    lines = [f"{row.title}: {row.summary}.", "", wrapped(row.text, ""), "", "Parameters",
             "----------", taken.rstrip()]
    for o in row.options:
        text = o.text
        if o.of_channel:
            text = text.replace("Default: 1.", "Default: 0.") + " Numbers count from 0 here."
        lines += [f"{o.name} : {_type_of(o)}, optional", wrapped(text, "    ")]
    lines += [_COMMON.rstrip(), "", "Returns", "-------", result_name(row.name),
              "    With the arrays"]
    lines += [textwrap.fill(in_python(f"{a.name} [{', '.join(a.axes)}]: {a.text}"), 96,
                            initial_indent=" " * 8, subsequent_indent=" " * 8) for a in made]
    lines += ["", _RAISES, "See Also", "--------"]
    lines += [f"{other} : {told[0].upper()}{told[1:]}." for other, told in _near(row)]
    cited = [text for names, text in _REFERENCES if row.name in names]
    if cited:
        lines += ["", "References", "----------"]
        lines += [textwrap.fill(text, 96, initial_indent=f".. [{i}] ", subsequent_indent="   ")
                  for i, text in enumerate(cited, 1)]
    examples = [f">>> r = wavesift.{row.name}(x, fs=250)"] if plain else []
    examples += [e for e in (_example(row, line) for line in row.examples) if e]
    return "\n".join(lines + ["", "Examples", "--------"] + examples) + "\n"


def _near(row):
    """Names and half a line of what does the like, and of what is done further."""
    for other in ROWS.values():
        if other is not row and other.transform.family == row.transform.family:
            yield other.name, other.summary
    if row.transform.family == b"emd":
        yield "hht", ROWS["hht"].summary
    if row.name in ("cwt", "bands"):
        yield "icwt", "the signal that wavelet coefficients stand for"
    yield "Plan", "the same for many arrays of one shape, planned once"
    yield "load", "results of files"


def _defaults(row, plan, given):
    """Values that options have where none are given, whatever the samples; by names.  plan: of
    _made."""
    if plan is None:
        return {}
    shape = (*plan.shape[int(row.gathers and not row.needs_epochs):-1], 200)
    other = _plan.Plan(row.name, shape, 200, device="cpu", threads=1, **given).options
    return {k: v for k, v in plan.options.items()
            if (v or v is False) and other[k] == v and k not in given}


def _signature(row, defaults):
    keyword, defaults = inspect.Parameter.KEYWORD_ONLY, {**_SHARED_DEFAULTS, **defaults}
    parameters = [inspect.Parameter("x", inspect.Parameter.POSITIONAL_OR_KEYWORD),
                  inspect.Parameter("fs", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)]
    names = ["tmin"] if row.gathers else []
    names += [o.name for o in row.options]
    names += _options.SHARED
    return inspect.Signature(parameters + [
        inspect.Parameter(n, keyword, default=defaults.get(n)) for n in names])


def give(function, row):
    """Signature and documentation to the function of a row."""
    plan, given = _made(row)
    function.__signature__ = _signature(row, _defaults(row, plan, given))
    arrays = [a for a in plan.arrays.values() if a.size or not given] if plan else []
    function.__doc__ = _documentation(row, arrays, not given)


def _made(row):
    """A plan of a row, and its options: none where it needs none, else those of its first example
    that needs no file."""
    for given in [{}, *(_keywords(row, line) for line in row.examples)]:
        options = {k: ast.literal_eval(v) for k, v in given.items() if k != "fs"}
        try:
            return _plan.Plan(row.name, (2, 2, 64) if row.gathers else 64, device="cpu", threads=1,
                              **options), options
        except (ArgumentError, OSError):
            continue
    return None, {"": None}
