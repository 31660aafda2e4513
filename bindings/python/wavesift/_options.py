"""Options of a transform, by its descriptors: from keyword arguments, and back."""

import contextlib
import ctypes
import difflib
import fractions
import hashlib
import math
import operator
import os
import re
import weakref

import numpy

from . import _library as c
from ._errors import ArgumentError, key_of, told

# What all functions take beside x, fs and the options of their row.
SHARED = ("device", "threads", "precision", "arrays", "out", "memory", "overwrite", "progress",
          "channel_names", "unit")

# What other packages call it, where ours is another word.
_ELSEWHERE = {
    "max_imf": "modes", "max_imfs": "modes", "n_imfs": "modes", "num_imfs": "modes",
    "nimfs": "modes", "imfs": "modes", "MaxNumIMF": "modes", "MAXMODES": "modes",
    "trials": "realizations", "nensembles": "realizations",
    "ensemble_size": "realizations", "NR": "realizations", "noise_width": "noise",
    "ensemble_noise": "noise", "noise_strength": "noise", "epsilon": "noise", "Nstd": "noise",
    "noise_seed": "seed", "rng_seed": "seed", "random_seed": "seed", "random_state": "seed",
    "rng": "seed", "sample_rate": "fs", "sampling_rate": "fs", "sfreq": "fs",
    "T": "fs=1 / (T[1] - T[0])", "dt": "fs=1 / dt", "sampling_period": "fs=1 / sampling_period",
    "n_jobs": "threads", "nprocesses": "threads", "processes": "threads", "parallel": "threads",
    "num_threads": "threads", "verbose": "progress", "DTYPE": "precision", "dtype": "precision",
    "gpu": "device='cuda'", "use_gpu": "device='cuda'", "cuda": "device='cuda'",
    "backend": "device", "FIXE": "sifts", "num_siftings": "sifts",
    "FIXE_H": "stop_rule='s-number:N'", "S_number": "stop_rule='s-number:N'",
    "sd_thresh": "stop_rule='cauchy:LIMIT'", "sift_thresh": "stop_rule='cauchy:LIMIT'",
    "rilling_thresh": "stop_rule='rilling:LOW,HIGH,SHARE'", "stop_method": "stop_rule",
    "SiftRelativeTolerance": "stop_rule='tolerance:LIMIT'", "imf_opts": "stop_rule",
    "max_iters": "max_sifts", "MAX_ITERATION": "max_sifts", "SiftMaxIterations": "max_sifts",
    "spline_kind": "spline", "interp_method": "spline", "Interpolation": "spline",
    "envelope_opts": "spline", "extrema_opts": "boundary", "nbsym": "boundary",
    "pad_width": "boundary", "k_dir": "directions", "ndirections": "directions",
    "ndir": "directions", "n_dir": "directions", "w0": "cycles", "n_cycles": "cycles",
    "dj": "voices=1 / dj", "nv": "voices", "VoicesPerOctave": "voices", "output": "quantity",
    "ch_names": "channel_names", "units": "unit",
    "zero_mean": "wavelet='morlet-zero-mean'", "fmin": "freqs='FMIN:FMAX'",
    "fmax": "freqs='FMIN:FMAX'", "FrequencyLimits": "freqs", "foi": "freqs",
}

# Set from text.
_WORDS = (c.TEXT, c.RANGE, c.LIST)

KIND_NAMES = {c.INT: "a whole number", c.U64: "a whole number", c.REAL: "a number"}


class Option:
    """One descriptor."""

    def __init__(self, pointer):
        o = pointer.contents
        self.pointer = pointer
        self.flag_name = o.name.decode()
        self.name = key_of(self.flag_name)
        self.text = o.text.decode()
        self.argument = o.argument.decode() if o.argument else None
        self.kind = o.kind
        self.exact = (self.argument or "").startswith("RATIOS")    # numbers taken exactly
        self.of_channel = (self.argument or "").startswith("CHANNEL")   # from 1 on as text
        self.offset = o.offset
        # Edges of bins, of which no list is taken.
        self.of_bins = self.kind == c.RANGE and not self.exact and "list" not in self.text
        self.choices = {}
        i = 0
        while o.choices and o.choices[i].name:
            self.choices[o.choices[i].name.decode()] = o.choices[i].value
            i += 1


def of(transform):
    """The options of a Transform, in their order."""
    options, i = [], 0
    while True:
        pointer = c.lib.ws_transform_option(ctypes.byref(transform), i)
        if not pointer:
            return options
        options.append(Option(pointer))
        i += 1


def _text(option, value):
    """The value as on a command line: 7, 'rilling:0.05', ('rilling', 0.05)."""
    if hasattr(value, "__array__") and not isinstance(value, numpy.generic):
        value = numpy.asarray(value)        # a column of a table, say
        value = value if value.ndim else value[()]
    if option.of_channel:
        return _channel(option, value)
    if option.name in ERRORS and isinstance(value, (tuple, list, numpy.ndarray)):
        return "masks:" + ",".join(repr(float(v)) for v in value)
    if option.exact and not isinstance(value, str):
        value = _ratios(option, value)
    if option.kind in (c.INT, c.U64):
        try:
            if not isinstance(value, bool):
                return str(operator.index(value))
        except TypeError:
            if isinstance(value, float) and value.is_integer():
                return str(int(value))
    elif option.kind == c.REAL:
        if not isinstance(value, (str, bytes, bool)):
            try:
                return repr(float(value))
            except (TypeError, ValueError):
                pass
    elif isinstance(value, str):
        return value
    elif option.kind in _WORDS and isinstance(value, (int, float, numpy.number)):
        return repr(value.item() if isinstance(value, numpy.number) else value)
    elif option.of_bins and isinstance(value, (tuple, list, range, numpy.ndarray)):
        return _bins(option, value)
    elif option.kind in _WORDS and isinstance(value, (tuple, list, range, numpy.ndarray)) and (
            len(value)):
        try:
            return _joined(option.argument or "", list(value))
        except (TypeError, ValueError):
            raise TypeError(f"{option.name}: numbers are needed, such as -0.5, not "
                            f"{told(value)}") from None
    needed = KIND_NAMES.get(option.kind) or (
        f"one of {', '.join(option.choices)}" if option.choices
        else "text, or a sequence that is not empty,")
    raise TypeError(f"{option.name}: {needed} is needed, not {told(value)}")


def _channel(option, value):
    """The number of a channel, from 0 on, as text, which counts from 1; or the text "all"."""
    if isinstance(value, str) and value == "all":
        return value
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = -1
    if number < 0:
        raise ArgumentError(f"{option.name}: the number of a channel is needed, from 0 (ch1) on, "
                            f"or 'all', not {told(value)}")
    return str(number + 1)


def numbered(row, given, names, shape):
    """The options given, channels that are given by their names as numbers; names: None where x,
    of that shape, has none, so that they are called "ch1", .."""
    called = names or [f"ch{i + 1}" for i in range(shape[-2] if len(shape) > 1 else 1)]
    made = dict(given)
    for option in row.options:
        value = given.get(option.name)
        if option.of_channel and isinstance(value, str) and value != "all":
            if value not in called:
                raise ArgumentError(f"{option.name}: {value!r}: there are {', '.join(called)}, by "
                                    "number from 0 on, and 'all'")
            made[option.name] = called.index(value)
    return made


# Of numerators and denominators (src/transform/conv/scales.c).
_MOST_RATIO = 2**46


def _ratio(option, value):
    """A number above 0 as text of a ratio that is it exactly.  A float is its own value where that
    fits, else the ratio of few digits that it was rounded from: 7 / 3 is 7/3."""
    try:
        ratio = fractions.Fraction(value.item() if isinstance(value, numpy.generic) else value)
    except (TypeError, ValueError, OverflowError):
        ratio = fractions.Fraction(0)       # words, NaN and infinity
    if isinstance(value, (float, numpy.floating)) and ratio.denominator > _MOST_RATIO:
        near = (ratio.limit_denominator(10**k) for k in range(14))
        ratio = next((r for r in near if float(r) == value), ratio)
    if isinstance(value, bool) or ratio <= 0 or max(ratio.numerator,
                                                    ratio.denominator) > _MOST_RATIO:
        raise ArgumentError(f"{option.name}: {told(value)} is no ratio above 0 of whole numbers "
                            "up to 2^46, such as 3, 0.75 or Fraction(7, 3); round it")
    return str(ratio)


def _ratios(option, value):
    """A ratio, or a list of them, as text; a range that ends in a word such as "log" in order."""
    if isinstance(value, numpy.ndarray):
        value = list(value.ravel()) if value.ndim < 2 else list(value)
    if not isinstance(value, (tuple, list)):
        return _ratio(option, value)
    words = [v if isinstance(v, str) else _ratio(option, v) for v in value]
    return (":" if value and isinstance(value[-1], str) and value[-1].isalpha() else
            ",").join(words)


def _word(value):
    """A number or word of a list."""
    whole = isinstance(value, (int, numpy.integer))
    return value if isinstance(value, str) else str(int(value)) if whole else repr(float(value))


def _joined(argument, values):
    """A sequence as the argument's own words have it: NAME:P,P; NAME,NAME; LO:HI:COUNT;
    LO:HI,LO:HI; else numbers with commas."""
    if all(isinstance(v, (tuple, list, numpy.ndarray)) for v in values):
        return ",".join(":".join(map(_word, v)) for v in values)
    words = [_word(v) for v in values]
    texts = [isinstance(v, str) for v in values]
    if texts[0] and not (all(texts) and ":" not in argument):
        return ":".join(filter(None, (words[0], ",".join(words[1:]))))
    in_order = argument.startswith(("FROM:TO", "LO:HI:", "N[:N]")) or any(texts) and not texts[0]
    return (":" if in_order else ",").join(words)


def _bins(option, value):
    """LO:HI:COUNT of a tuple of these; of an array, or more numbers, the bins that have them in
    their middles."""
    if isinstance(value, (tuple, list)) and 2 <= len(value) <= (
            4 if isinstance(value[-1], str) else 3):
        try:
            words = [v if isinstance(v, str) else _word(v) for v in value]
            return ":".join(words)
        except (TypeError, ValueError):
            pass
    try:
        f = numpy.asarray(value, float)
    except (TypeError, ValueError):
        f = numpy.zeros(0)
    if f.ndim != 1 or len(f) < 2 or not (numpy.isfinite(f).all() and f[0] > 0
                                         and (numpy.diff(f) > 0).all()):
        raise ArgumentError(f"{option.name}: LO, HI, COUNT, or the middles of two bins or more, "
                            f"ascending from above 0, are needed, not {told(value)}")
    apart, ratio = (f[-1] - f[0]) / (len(f) - 1), (f[-1] / f[0]) ** (1 / (len(f) - 1))
    if numpy.allclose(numpy.diff(f), apart, rtol=1e-6, atol=0) and f[0] > apart / 2:
        ends, how = (f[0] - apart / 2, f[-1] + apart / 2), "lin"
    elif numpy.allclose(f[1:] / f[:-1], ratio, rtol=1e-6, atol=0):
        ends, how = (f[0] / math.sqrt(ratio), f[-1] * math.sqrt(ratio)), "log"
    else:
        raise ArgumentError(f"{option.name}: middles of bins must be evenly apart, and the first "
                            "half as far from 0 or more, or each the same times the one before")
    return f"{float(ends[0])!r}:{float(ends[1])!r}:{len(f)}:{how}"


def _numbers(option, value):
    """An array of numbers, or a file of them."""
    if isinstance(value, (str, os.PathLike)):
        value = numpy.load(value, allow_pickle=False)
    value = numpy.asarray(value)
    if value.ndim != 2 or value.dtype.kind not in "fiu":
        raise ArgumentError(f"{option.name}: an array {_SHAPES[option.flag_name]} of real numbers "
                            f"is needed, not one of shape {value.shape}, {value.dtype}")
    return value


# Errors of an instrument, in the library's order.
ERRORS = ("amplitude_error", "timing_error", "timing_jitter")

_SHAPES = {"noise-file": "[realization, time]", "direction-set": "[direction, channel]"}


def _mask_rows(option, value):
    """Real or complex rows of one type, without the NaN at their ends."""
    if isinstance(value, (str, os.PathLike)):
        value = numpy.load(value, allow_pickle=False)
    try:
        rows = [numpy.atleast_1d(numpy.asarray(row)) for row in value]
        kind = numpy.result_type(*rows)
    except (TypeError, ValueError):
        rows = []
    if not rows or kind.kind not in "fiuc" or any(row.ndim != 1 for row in rows):
        raise ArgumentError(f"{option.name}: rows of numbers are needed, [mask, tap] or a list of "
                            "masks of any lengths")
    single = kind.itemsize <= (8 if kind.kind == "c" else 4) and kind.kind in "fc"
    kind = numpy.dtype({"c": ("c16", "c8")}.get(kind.kind, ("f8", "f4"))[single])
    rows = [numpy.ascontiguousarray(row, kind) for row in rows]
    return [row[:len(row) - (~numpy.isnan(row[::-1])).argmax()] if not numpy.isnan(row).all()
            else row for row in rows]


class Options:
    """An options struct filled from keyword arguments; None leaves one at its default.

    noise: numbers that an execution takes instead of drawn noise; or None.
    """

    def __init__(self, name, transform, known, given):
        self._family = transform.family
        self.struct = ctypes.create_string_buffer(transform.options_size)
        c.lib.ws_options_init(ctypes.byref(transform), self.struct, transform.options_size)
        weakref.finalize(self, c.lib.ws_options_free, ctypes.byref(transform), self.struct)
        self.noise = None
        self.kept = []          # what the struct points to
        self._files = []
        self._texts = []
        self.functions = []     # of errors of an instrument
        self._asked = {}        # what was given, as it can be given again; None: a function
        self._raised = []
        by_name = {o.name: o for o in known}
        for key, value in given.items():
            if key not in by_name:
                raise TypeError(_unknown(name, key, by_name))
            if value is not None:
                self._set(by_name[key], value)

    @property
    def stored(self):
        """Are the modes those of a result?"""
        return self._family == b"hht" and bool(c.HhtOpts.from_buffer(self.struct).whole_given)

    def store(self, modes):
        """So many modes are handed over with the signal and the residue."""
        hht = c.HhtOpts.from_buffer(self.struct)
        if bytes(hht.emd)[c.EMD_BEGIN:].strip(b"\0"):
            raise ArgumentError("a result has its modes already: other options of the "
                                "decomposition mean nothing beside it; hand over x.signal to "
                                "decompose it again")
        hht.modes_given = modes

    @property
    def files(self):
        """Arrays that were given, as the library's list of files: each with its checksum."""
        return (c.OptionFile * (len(self._files) + 1))(*self._files)

    def _set(self, option, value):
        self._asked[option.name] = value
        if option.kind == c.FLAG:
            if not isinstance(value, (bool, numpy.bool_, int)):
                raise TypeError(f"{option.name}: True or False is needed, not {told(value)}")
            text = b"" if value else None
        elif option.kind == c.ARRAY:
            self._set_array(option, value)
            return
        elif option.name in ERRORS and callable(value):
            self._set_function(option, value)
            return
        else:
            text = _text(option, value).encode()
            self._texts.append(text)    # values for each mask are borrowed as text
            if option.kind in _WORDS and not option.of_channel:
                self._asked[option.name] = text.decode()
        if text is not None:
            c.check(c.lib.ws_option_set(option.pointer, self.struct, text),
                    about=f"{option.name}: ")

    def _set_array(self, option, value):
        if isinstance(value, str) and value in option.choices:
            ctypes.c_int.from_buffer(self.struct, option.offset).value = option.choices[value]
        elif option.flag_name == "noise-file":
            self.noise = self._asked[option.name] = _numbers(option, value)
            self._note(option, value, self.noise)
        elif option.flag_name == "direction-set":
            vectors = numpy.array(_numbers(option, value), numpy.float64, order="C")
            emd = self._emd = c.EmdOpts.from_buffer(
                self.struct, option.offset - c.EmdOpts.direction_set.offset)
            self.kept.append(vectors)
            self._note(option, value, vectors)
            emd.directions = emd.directions or len(vectors)
            emd.direction_vectors = vectors.ctypes.data
            self._asked[option.name] = vectors
        elif option.flag_name == "masks":
            self._set_masks(option, value, "masks")
        elif option.flag_name == "interpolation-kernel":
            self._set_masks(option, value, "interpolation_kernel")
        else:
            raise ArgumentError(f"{option.name}: this version of the package cannot hand over its "
                                "numbers; update wavesift")

    def _set_masks(self, option, given, field):
        """Masks as rows of an array, of which shorter ones end with NaN; or a list of rows."""
        rows = _mask_rows(option, given)
        taps = numpy.concatenate(rows)
        masks = c.sized(c.Masks, count=len(rows), type=c.TYPES.index(taps.dtype),
                        lengths=(c.c_size_t * len(rows))(*map(len, rows)),
                        values=taps.ctypes.data)
        self.kept += [taps, masks]
        self._asked[option.name] = numpy.split(taps, numpy.cumsum([len(r) for r in rows])[:-1])
        self._note(option, given, taps)
        setattr(c.ConvOpts.from_buffer(self.struct), field, ctypes.pointer(masks))

    def _set_function(self, option, function):
        """An error by function(f, s), which the library asks for while it plans."""
        def ask(_user, scale, frequency):
            if self._raised:
                return math.nan
            try:
                return float(function(frequency or None, scale or None))
            except BaseException as e:      # the caller's own, told when the library is back
                self._raised.append(e)
                return math.nan

        called = c.ErrorFunction(ask)
        self.functions.append(called)
        self._asked[option.name] = None
        c.ConvOpts.from_buffer(self.struct).error_function[ERRORS.index(option.name)] = called

    def again(self, in_force):
        """The keyword arguments that stand for those that were given, once and for all: numbers
        instead of a file of them, and of a function the values that it had."""
        return {name: in_force[name] if value is None else value
                for name, value in self._asked.items()}

    @contextlib.contextmanager
    def asked(self):
        """Raises what a function raised while the library planned."""
        try:
            yield
        except Exception:
            if not self._raised:
                raise
        if self._raised:
            raise self._raised.pop()

    def _note(self, option, given, array):
        named = os.fspath(given) if isinstance(given, (str, os.PathLike)) else "an array"
        digest = hashlib.sha256(numpy.ascontiguousarray(array).data).hexdigest()
        self._files.append(c.OptionFile(option.flag_name.encode(), named.encode(),
                                        digest.encode()))

    def check_vectors(self, channels):
        """Directions that were given must be as many as said, and fit so many channels."""
        if not self.kept or isinstance(self.kept[-1], c.Masks):
            return
        count, width = self.kept[0].shape
        emd = self._emd
        if emd.directions != count:
            raise ArgumentError(f"direction_set has {count} directions, not {emd.directions} as "
                                "directions says")
        if width != channels + emd.noise_channels:
            raise ArgumentError(f"direction_set has vectors of {width} channels, not of "
                                f"{channels} and {emd.noise_channels} noise channels")


def _unknown(name, key, known):
    """Of a keyword that is no option, in the words of whoever wrote it."""
    said = f"{name}() has no option {key!r}"
    if key in ("arrays", "out", "progress"):
        return f"{said}: a plan takes {key} when it is run"
    ours = _ELSEWHERE.get(key, key)
    word = ours.partition("=")[0]
    if word in known or ours != key and word in ("fs", *SHARED):
        return f"{said}: here it is {ours}"
    rows = _rows_of_options()
    if word in rows:
        return f"{said}; {word} is an option of {', '.join(rows[word])}"
    own = {n.lower(): n for n in (*known, "fs", *SHARED)}
    near = (difflib.get_close_matches(key.lower(), {**dict.fromkeys(rows), **own}, 1, 0.8)
            or difflib.get_close_matches(key.lower(), own, 1))
    if near:
        whose = "" if near[0] in own else f", of {', '.join(rows[near[0]])}"
        return f"{said}; did you mean {own.get(near[0], near[0])!r}{whose}?"
    return f"{said}; its options are {', '.join(known)}; and {', '.join(SHARED)}"


def _rows_of_options():
    """Names of the transforms that have an option, by the option."""
    rows = {}
    for transform in transforms():
        for option in of(transform):
            rows.setdefault(option.name, []).append(transform.name.decode())
    return rows


def transforms():
    """The library's table of transforms."""
    i = 0
    while pointer := c.lib.ws_transform_at(i):
        yield pointer.contents
        i += 1


def facts(transform, struct, files):
    """What files record of an options struct in force."""
    told = {}

    def take(_user, fact):
        f = fact.contents
        told[f.key.decode()] = (f.text.decode() if f.kind == c.TEXT else
                                f.integer if f.kind == c.INT else f.real)

    c.check(c.lib.ws_options_facts(ctypes.byref(transform), struct, files, c.FactSink(take),
                                   None))
    return told


def _whole(call, *arguments):
    """The text of a call that takes room for it last, and tells how long it is."""
    room = ctypes.create_string_buffer(call(*arguments, None, 0) + 1)
    call(*arguments, room, len(room))
    return room.value.decode()


def line(transform, struct, files):
    """The same in words."""
    return _whole(c.lib.ws_options_line, ctypes.byref(transform), struct, files)


def in_force(known, struct, files):
    """What an options struct holds, by names: numbers, text, True or False; None: not set.  Of
    arrays from files, their paths."""
    values, paths = {}, {f.option: f.path for f in files if f.option}
    for option in known:
        path = paths.get(option.flag_name.encode())
        if path is not None:
            values[option.name] = path.decode()
        elif option.kind == c.ARRAY:
            value = ctypes.c_int.from_address(struct + option.offset).value
            names = [n for n, v in option.choices.items() if v == value]
            values[option.name] = names[0] if names else None
        else:
            text = _whole(c.lib.ws_option_text, option.pointer, struct)
            zero = option.pointer.contents.zero
            if not text and option.kind == c.TEXT and zero:
                text = f"{zero:g}"          # what a field of 0 is recorded as
            values[option.name] = _value(option, text)
    return values


def recorded(known, told):
    """The same as files record it: facts()."""
    values = {}
    for option in known:
        value = told.get(option.flag_name.replace("-", "_"))
        values[option.name] = (value if option.kind == c.ARRAY else
                               _value(option, "" if value is None else value))
    return values


def _value(option, text):
    """An option's value of its text, or of a number; "" where it has none."""
    if option.of_channel and str(text).isdecimal():
        return int(text) - 1
    if option.kind == c.FLAG:
        return bool(int(text or 0))
    if option.kind in (c.INT, c.U64):
        return int(text or 0)
    if option.kind == c.REAL:
        return float(text or 0)
    return _shortest(text) or None


def _shortest(text):
    """rilling:0.050000000000000003 with the fewest digits that are the same numbers."""
    return re.sub(r"\d+\.\d+(e[+-]?\d+)?", lambda m: repr(float(m[0])), text)
