"""A function for each transform of the table."""

import ast
import inspect
import os
import shlex
import textwrap

from . import _device, _labels, _options, _plan, _signals, _stored, _stream
from . import _library as c
from ._errors import ArgumentError, UnsupportedError, in_python
from ._result import Result

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


def _type_of(option):
    named = "{" + ", ".join(f'"{n}"' for n in option.choices) + "}"
    return {c.FLAG: "bool", c.INT: "int", c.U64: "int", c.REAL: "float", c.CHOICE: named,
            **dict.fromkeys((c.TEXT, c.RANGE, c.LIST),
                            "int or str" if option.of_channel else "str or tuple"),
            c.ARRAY: f"{named} or array_like" if option.choices else "array_like or path"}[option.kind]


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
        return textwrap.fill(in_python(text), 96, initial_indent=indent,
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
    lines += [_COMMON.rstrip(), "", "Returns", "-------", "Result", "    With the arrays"]
    lines += [wrapped(f"{a.name} [{', '.join(a.axes)}]: {a.text}", "        ") for a in made]
    examples = [f">>> r = wavesift.{row.name}(x, fs=250)"] if plain else []
    examples += [e for e in (_example(row, line) for line in row.examples) if e]
    return "\n".join(lines + ["", "Examples", "--------"] + examples) + "\n"


def _signature(row):
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("x", inspect.Parameter.POSITIONAL_OR_KEYWORD),
                  inspect.Parameter("fs", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)]
    names = ["tmin"] if row.gathers else []
    names += [o.name for o in row.options]
    names += _options.SHARED
    return inspect.Signature(parameters + [inspect.Parameter(n, keyword, default=None)
                                           for n in names])


def make(row):
    """The function of a row."""

    def transform(x, fs=None, *, device=None, threads=None, precision=None, arrays=None, out=None,
                  memory=None, overwrite=None, progress=None, channel_names=None, unit=None,
                  **options):
        if isinstance(x, Result):
            if isinstance(out, (str, os.PathLike)):
                raise ArgumentError("out: of a result, save what comes back: .save('y.h5')")
            if channel_names is not None or unit is not None:
                raise ArgumentError("channel_names and unit: a result has its own")
            return _stored.transform(row, x, fs, device=device, threads=threads,
                                     precision=precision, arrays=arrays, out=out,
                                     progress=progress, options=options)
        if isinstance(out, (str, os.PathLike)):
            if arrays is not None:
                raise ArgumentError("arrays: a file has all arrays; leave it out")
            return _stream.transform(row, x, fs, out, device=device, threads=threads,
                                     precision=precision, memory=memory,
                                     overwrite=bool(overwrite), compress=0, progress=progress,
                                     options=options, names=channel_names, unit=unit)
        if memory is not None or overwrite is not None:
            raise ArgumentError("memory and overwrite go with a file: out='x.h5'")
        signal = _signals.take(x, precision, row.gathers, fs)
        if channel_names is not None or unit is not None:
            _labels.name(signal, signal.shape, channel_names, unit)
        options = _options.numbered(row, options, signal.channel_names, signal.shape)
        if row.gathers and options.get("tmin") is None:
            options["tmin"] = signal.first_time
        if signal.space:
            device = _device.place(device, signal.space)
        try:
            plan = _plan.plan_of(row, signal.shape, fs if fs is not None else signal.fs,
                                 signal.dtype, device, threads, options)
        except UnsupportedError as e:
            if signal.space:
                raise UnsupportedError(f"x lies in a GPU's memory, and {e}; hand over an array of "
                                       "the host, as by x.get() or x.cpu()") from None
            raise
        return plan(signal, arrays=arrays, out=out, progress=progress)

    transform.__name__ = transform.__qualname__ = row.name
    transform.__module__ = "wavesift"
    transform.__signature__ = _signature(row)
    made, plain = _made(row)
    transform.__doc__ = _documentation(row, made, plain)
    return transform


def _made(row):
    """The arrays of a row, and whether it needs no option; else those of its first example that
    needs no file."""
    for given in [{}, *(_keywords(row, line) for line in row.examples)]:
        options = {k: ast.literal_eval(v) for k, v in given.items() if k != "fs"}
        try:
            plan = _plan.Plan(row.name, (2, 2, 64) if row.gathers else 64, device="cpu",
                              threads=1, **options)
        except (ArgumentError, OSError):
            continue
        return [a for a in plan.arrays.values() if a.size or not given], not given
    return [], False
