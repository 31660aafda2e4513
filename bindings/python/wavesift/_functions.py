"""A function for each transform of the table."""

import inspect
import shlex
import textwrap

from . import _device, _plan, _signals
from . import _library as c
from ._errors import ArgumentError, UnsupportedError, in_python

_SHARED = """\
x : array_like
    Samples, time last: [time], [channel, time] or [.., channel, time], whose leading axes are
    epochs.  Anything that NumPy or DLPack understands; CuPy's and PyTorch's arrays of a GPU,
    which stay there, as the results do; MNE's Raw, Epochs and Evoked, whose names and rate are
    taken over.  float32 is computed in f32, all else in f64.
fs : float, optional
    Samples a second.  Without it axes and frequencies count samples.
"""

_COMMON = """\
device : str, optional
    "auto" (default): a GPU where there is one and the work is worth it; "cpu"; "cuda"; "cuda:1".
threads : int, optional
    Default: the processors that this process may use.  Results do not depend on it.
precision : {"f64", "f32"}, optional
    Of samples and arithmetic; default: after x.
arrays : sequence of str, optional
    Names of optional arrays to make, where not all are needed.
out : dict of str to array, optional
    Arrays to fill instead of new ones, by name.
progress : bool or callable, optional
    True: a bar; or a function that is called with the share done, 0 to 1.
"""


def _type_of(option):
    named = "{" + ", ".join(f'"{n}"' for n in option.choices) + "}"
    return {c.FLAG: "bool", c.INT: "int", c.U64: "int", c.REAL: "float", c.CHOICE: named,
            c.TEXT: "str or tuple", c.ARRAY: f"{named} or array_like" if option.choices
            else "array_like or path"}[option.kind]


def _example(row, line):
    """An example of a command line in Python; None where nothing of it is left."""
    command, _, text = line.partition("\t")
    by_flag = {o.flag_name: o for o in row.options}
    given, words = [], shlex.split(command)
    for word, value in zip(words, words[1:] + [""]):
        option = by_flag.get(word[2:]) if word.startswith("--") else None
        if word == "--fs":
            given.append(f"fs={value}")
        elif option and option.kind == c.FLAG:
            given.append(f"{option.name}=True")
        elif option:
            number = option.kind in (c.INT, c.U64, c.REAL)
            given.append(f"{option.name}={value}" if number else f'{option.name}="{value}"')
    if not given:
        return None
    # What the words say may be of files and figures alone.
    said = f"  # {in_python(text)}" if text and "--channels" not in words else ""
    return f">>> r = wavesift.{row.name}(x, {', '.join(given)}){said}"


def _documentation(row, made):
    def wrapped(text, indent):
        return textwrap.fill(in_python(text), 96, initial_indent=indent,
                             subsequent_indent=indent)

    lines = [f"{row.title}: {row.summary}.", "", wrapped(row.text, ""), "", "Parameters",
             "----------", _SHARED.rstrip()]
    for o in row.options:
        lines += [f"{o.name} : {_type_of(o)}, optional", wrapped(o.text, "    ")]
    lines += [_COMMON.rstrip(), "", "Returns", "-------", "Result", "    With the arrays"]
    lines += [wrapped(f"{a.name} [{', '.join(a.axes)}]: {a.text}", "        ") for a in made]
    examples = [f">>> r = wavesift.{row.name}(x, fs=250)"]
    examples += [e for e in (_example(row, line) for line in row.examples) if e]
    return "\n".join(lines + ["", "Examples", "--------"] + examples) + "\n"


def _signature(row):
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("x", inspect.Parameter.POSITIONAL_OR_KEYWORD),
                  inspect.Parameter("fs", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)]
    names = [o.name for o in row.options]
    names += ["device", "threads", "precision", "arrays", "out", "progress"]
    return inspect.Signature(parameters + [inspect.Parameter(n, keyword, default=None)
                                           for n in names])


def make(row):
    """The function of a row."""

    def transform(x, fs=None, *, device=None, threads=None, precision=None, arrays=None, out=None,
                  progress=None, **options):
        signal = _signals.take(x, precision)
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
    try:
        made = _plan.Plan(row.name, 64, device="cpu", threads=1).arrays.values()
    except ArgumentError:
        made = ()  # which arrays there are depends on options that have no default
    transform.__doc__ = _documentation(row, made)
    return transform
