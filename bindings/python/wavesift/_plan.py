"""Plans: a transform of so many samples with its options, made once and run many times."""

import collections.abc
import ctypes
import math
import operator
import os
import re
import threading
import warnings
import weakref

import numpy

from . import _call, _context, _options, _signals, _threads
from . import _library as c
from ._arrays import IN_HZ, Array
from ._errors import ArgumentError, SignalError, UnsupportedError, told
from ._result import Result
from ._rows import ROWS

# Optional figures of channels that are made beside modes in a GPU's memory too.
_WITH_MODES = ("sifts", "unfinished", "capped")

# Families that find modes, and wait for samples in a GPU's memory; others only enqueue their work.
_OF_MODES = (b"emd", b"hht")

# Work that is expected to take less, in seconds, is done by the calling thread itself.
SHORT = 0.02


def _shape_of(shape):
    try:
        shape = tuple(operator.index(n)
                      for n in (shape if hasattr(shape, "__iter__") else (shape,)))
    except TypeError:
        raise ArgumentError(f"shape: whole numbers are needed, not {told(shape)}") from None
    if not shape or min(shape) < 1:
        raise ArgumentError(f"shape {shape}: [time], [channel, time] or [.., channel, time] of at "
                            "least one sample is needed")
    return shape


def _real(value):
    """As a float; NaN where it is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


class Plan:
    """A transform of arrays of one shape and precision, planned once and run many times.

    Parameters
    ----------
    method : str
        Name of the transform, such as "emd".
    shape : int or tuple of int
        [time], [channel, time] or [.., channel, time]; leading axes are epochs, which
        transforms that average over them need.
    fs : float, optional
        Samples a second.  Without it axes count samples.
    precision : {"f64", "f32"}, optional
        Of samples and arithmetic.
    device : str, optional
        As of the functions.
    threads : int, optional
        As of the functions.
    **options
        Those of the transform; of one that averages over epochs also tmin, the time of an
        epoch's first sample, s.

    Attributes
    ----------
    options : dict
        Options in force, with every default resolved.
    arrays : dict of Array
        What the plan makes, by name.
    axes : dict of numpy.ndarray
        Values of axes that are neither channels, modes nor the samples' times: "frequency", Hz.
    seconds : float
        Expected run time.
    workspace : int
        Bytes that an execution needs besides its arrays.
    device : str
        "cpu", or the GPU that works.

    See Also
    --------
    emd : And the other functions, each of which makes a plan and keeps it for its next call.

    Notes
    -----
    Several threads may run a plan at once.  It keeps the workspace of one run for the next.

    Examples
    --------
    >>> plan = wavesift.Plan("emd", (32, 30000), fs=500, modes=6)
    >>> modes = [plan(x).modes for x in recordings]
    """

    # Are modes given, so that none are to be found?
    _has_modes = False
    # Calls of the library, ws_plan_create .., and which of them tells its bytes.
    _what, _bytes, _limits = "ws_plan", "workspace", ()

    def __init__(self, method, shape, /, fs=None, *, precision="f64", device=None, threads=None,
                 **options):
        if method not in ROWS:
            raise ArgumentError(f"method {method!r}: must be one of {', '.join(ROWS)}")
        self.row = row = ROWS[method]
        self.shape = _shape_of(shape)
        self.fs = None if fs is None else math.nan if isinstance(fs, bool) else _real(fs)
        if self.fs is not None and not (math.isfinite(self.fs) and self.fs > 0):
            times = getattr(fs, "shape", None) == self.shape[-1:]
            raise ArgumentError("fs: a number of samples a second above 0 is needed, not "
                                f"{told(fs)}" + "; of times t it is 1 / (t[1] - t[0])" * times)
        self.dtype = _signals.precision_of(None, precision or "f64")
        tmin = options.pop("tmin", None) if row.gathers else None
        self.tmin = 0.0 if tmin is None else _real(tmin)
        if not math.isfinite(self.tmin):
            raise ArgumentError(f"tmin: a number of seconds is needed, not {told(tmin)}")
        self._place = None if device is None else str(device), threads
        self.context = _context.get(device, threads)
        self._given = _options.Options(method, row.transform, row.options,
                                       _options.numbered(row, options, None, self.shape))
        # Who asks for a number of modes knows.
        self._default_modes = options.get("modes") is None
        self._prepare()
        c.check(c.lib.ws_options_check(ctypes.byref(row.transform), self._given.struct,
                                       self._given.files))
        with self._given.asked():
            self._create()
        struct = self._ask("options")
        self.options = _options.in_force(row.options, struct, self._given.files)
        self.facts = _options.facts(row.transform, struct, self._given.files)
        self.line = _options.line(row.transform, struct, self._given.files)
        if self.gathered > 1:       # as the program tells them
            self.line = ", ".join(filter(None, [self.line, f"{self.gathered} epochs"]))
            self.facts["epochs_averaged"] = self.gathered
        self.device = self._ask("device").decode()
        self.seconds = self._ask("seconds")
        self.workspace = self._ask(self._bytes)
        # A workspace that is kept: the system need not clear its pages again.
        self._rooms, self._kept_room = [], math.inf
        self._read_arrays()
        self._check_noise()

    def _create(self):
        self.samples = self.shape[-1]
        self.channels = self.shape[-2] if len(self.shape) > 1 else 1
        # Leading axes of the arrays of channels, and how many rows of x each of them has.
        self.lead, self.gathered = self.shape[:-1], 1
        if self.row.gathers:
            self._gather()
        self.rows = math.prod(self.lead)
        self._given.check_vectors(self.channels)
        shape = c.sized(c.Shape, channels=self.rows, samples=self.samples,
                        type=c.TYPES.index(self.dtype), recording_channels=self.channels,
                        fs=self.fs or 0.0, epochs=self.gathered,
                        start=self.tmin if self.row.transform.takes_epochs == 1 else 0.0)
        self.handle = ctypes.c_void_p()
        create, destroy = (getattr(c.lib, f"{self._what}_{n}") for n in ("create", "destroy"))

        def make():
            c.check(create(ctypes.byref(self.handle), self.context.handle, self.row.name.encode(),
                           ctypes.byref(shape), self._given.struct, *self._limits))
            # Not at exit, when a thread may still be at work on it.
            weakref.finalize(self, destroy, self.handle.value).atexit = False
            if self._ask("device") != b"cpu":
                self.context.used_gpu = True
        # Seconds, where a GPU is made ready first, or tables of long signals are made.
        _call.apart(make)

    def _prepare(self):
        """What options of the caller lack."""
        if self._given.stored:
            raise ArgumentError("decomposition='stored' takes the modes of a result, which is "
                                "handed over instead of x: wavesift.hht(r), where r is of "
                                "wavesift.emd, say, or of wavesift.load")

    def _gather(self):
        self.gathered = math.prod(self.shape[:-2])
        if self.row.needs_epochs and (len(self.shape) < 3 or self.gathered < 2):
            one = "; of one channel x[:, None]" if len(self.shape) == 2 else ""
            raise ArgumentError(f"{self.row.name} averages over epochs: x of [epoch, channel, "
                                f"time] with two epochs or more is needed, not "
                                f"{list(self.shape)}{one}")
        self.lead = self.shape[-2:-1]

    def _ask(self, name, *arguments):
        """ws_plan_NAME() of this plan."""
        return getattr(c.lib, f"{self._what}_{name}")(self.handle, *arguments)

    def _read_arrays(self):
        self.arrays, self.axes, made = {}, {}, []
        for i in range(self._ask("arrays")):
            made.append(c.sized(c.Array))
            c.check(self._ask("array", i, ctypes.byref(made[i])))
        self._timed = any(c.AXES[a.axis[a.rank - 1]] == "time"
                          and a.extent[a.rank - 1] == self.samples for a in made)
        for i, a in enumerate(made):
            extent = tuple(a.extent[k] for k in range(a.rank))
            name = a.name.decode()
            own = bool(a.flags & c.OWN_AXES)
            axes = tuple(self._axis(i, name, a.axis[k], extent[k], own) for k in range(a.rank))
            # Of arrays that are real or complex as options ask, one has no elements.
            if name not in self.arrays or math.prod(extent):
                self.arrays[name] = Array(i, name, a.text.decode(), c.TYPES[a.type], a.flags, axes,
                                          extent)
        self._count = len(made)
        self._all = [a for a in self.arrays.values() if not a.flags & c.SIGNAL and a.size]

    def _axis(self, number, array, kind, n, own):
        """Name of an axis of an array, as files call it: "time", of fewer moments "coarse_time", and
        "power_3_time" where the array alone has such values, which self.axes then holds.  own: its
        name, where it has all of its axes alone."""
        name = c.AXES[kind]
        if (name in ("channel", "partner", "mode") or n == 0
                or name == "time" and n == self.samples and not own):
            return name
        values = (ctypes.c_double * n)()
        c.check(self._ask("axis", number, kind, values, n))
        values = numpy.array(values)
        # Numbers, not values of something.
        if name not in IN_HZ + ("time",) and numpy.array_equal(values, numpy.arange(n)):
            values = values.astype("i4")
        for label in [] if own else [name, *(["coarse_time"] if name == "time" else [])]:
            if (label in self.arrays or label == "time" and self._timed
                    or not numpy.array_equal(self.axes.setdefault(label, values), values)):
                continue
            return label
        self.axes[f"{array}_{name}"] = values
        return f"{array}_{name}"

    def _check_noise(self):
        """Noise of the caller's own, [realization][time] in the plan's type."""
        noise = self._given.noise
        if noise is None:
            self._noise = None
            return
        needed = self.options.get("realizations", 0)
        if self.options.get("pairs"):
            needed //= 2
        if noise.shape[1] != self.samples or noise.shape[0] < needed:
            raise ArgumentError(f"noise_file: [{needed}, {self.samples}] is needed, one row for "
                                f"each realization, not {list(noise.shape)}")
        self._noise = numpy.ascontiguousarray(noise, self.dtype)

    # ---- Copies ---------------------------------------------------------------------------

    def __copy__(self):
        """Itself: nothing of a plan changes."""
        return self

    def __deepcopy__(self, _memo):
        return self

    def __reduce__(self):
        """In another process the same is planned anew, once for all that ask for it there; with
        the threads there, where none were asked for."""
        options = self._given.again(self.options)
        if self.row.gathers:
            options["tmin"] = self.tmin
        return _planned, (self.row.name, self.shape, self.fs, self.dtype.name, *self._place,
                          options)

    def describe(self):
        """What will run where.

        Returns
        -------
        str
            Several lines.
        """
        return self._ask("describe").decode()

    def __repr__(self):
        return (f"<wavesift.Plan {self.row.name} of {list(self.shape)} {self.dtype} on "
                f"{self.device}>")

    def _repr_html_(self):
        from . import _html

        return _html.of_plan(self)

    def full_shape(self, name):
        """Shape of an array as the plan makes it, before modes that were not found are cut off.

        Parameters
        ----------
        name : str
            Of self.arrays.

        Returns
        -------
        tuple of int
            As of x, with the array's own axes.
        """
        a = self.arrays[name]
        return self.lead + a.extent[1:] if a.of_channels else a.extent

    def __call__(self, x, *, arrays=None, out=None, progress=None):
        """Runs the plan on x, which has its shape; see the functions for the arguments."""
        signal = (x if isinstance(x, _signals.Signal)
                  else _signals.take(x, self.dtype, self.row.gathers, self.fs))
        if signal.shape != self.shape:
            raise ArgumentError(f"x is {list(signal.shape)}, but the plan is for "
                                f"{list(self.shape)}")
        if signal is not x and signal.fs and not math.isclose(signal.fs, self.fs or 0, rel_tol=1e-6):
            raise ArgumentError(f"x has {signal.fs:g} samples a second, but the plan is for "
                                f"fs={self.fs}")
        if self.row.gathers and signal.first_time is not None and not math.isclose(
                signal.first_time, self.tmin, abs_tol=1e-9):
            raise ArgumentError(f"the epochs of x begin at {signal.first_time:g} s, but tmin says "
                                f"{self.tmin:g} s")
        if signal.space and signal.space.name != self.device:
            raise UnsupportedError(f"x lies in the memory of {signal.space.name}, and this plan of "
                                   f"{self.row.name} works on {self.device}: hand over an array of "
                                   "the host, as by x.get() or x.cpu()" if self.device == "cpu"
                                   else f"x lies in the memory of {signal.space.name}, and the "
                                   f"plan works on {self.device}")
        made = self._room(self._wanted(arrays, out, signal.space), out or {}, signal.space)
        try:
            self._execute(signal, made, progress)
        except SignalError as e:
            raise self._in_words_of_x(e, signal.channel_names) from None
        return self._result(signal, made, out or {})

    def _in_words_of_x(self, error, names):
        """An error of a sample with its place in x instead of the library's row and sample."""
        found = None if self._has_modes else re.match(
            r"channel (\d+)(?:, epoch (\d+))?, sample (\d+) is", str(error))
        if not found:
            return error
        row, epoch, sample = (int(n or 0) for n in found.groups())
        place = ()
        if self.row.gathers:
            place = numpy.unravel_index(epoch, self.shape[:-2]) if self.shape[:-2] else ()
        place += numpy.unravel_index(row, self.lead) if self.lead else ()
        place = ", ".join(str(int(i)) for i in (*place, sample))
        name = f" (channel {names[row % self.channels]})" if names else ""
        return SignalError(f"x[{place}]{name} is{str(error)[found.end():]}")

    # ---- Arrays ---------------------------------------------------------------------------

    @property
    def _small_there(self):
        """Do arrays without time lie in a GPU's memory, too, where the samples do?"""
        return self.row.transform.family == b"hht"

    def _there(self, a, space):
        """The space of an array where x lies in one; None: it is the host's."""
        # A decomposition's verdict.
        at_hand = a.flags & c.COUNT and not self._has_modes or a.name == "capped"
        return space if space and (a.timed or self._small_there and not at_hand) else None

    def _wanted(self, names, out, space):
        """Names of the arrays to make; those that cannot be left out come along.  Figures of
        channels are made of arrays of the host alone, but for those of Hilbert-Huang spectra, so
        with those of a GPU only who names them asks."""
        if names is None and out is None and not space:
            return self._all
        figures = not space or self.row.transform.family == b"hht"
        if isinstance(names, str):
            raise ArgumentError(f"arrays: names in a list are needed, as [{names!r}]")
        if names is not None and not isinstance(names, collections.abc.Iterable):
            raise ArgumentError(f"arrays: names in a list are needed, not {told(names)}")
        if out is not None and not isinstance(out, collections.abc.Mapping):
            raise ArgumentError("out: arrays by name, as {'%s': a}, or the path of a file is "
                                "needed, not %s" % (self._all[0].name, type(out).__name__))
        for name in tuple(names or ()) + tuple(out or ()):
            if name not in self.arrays:
                raise ArgumentError(f"{self.row.name} makes no array {name!r}, but "
                                    f"{', '.join(self.arrays)}")
        return [a for a in self._all
                if names is None and (figures or a.timed or not a.of_channels
                                      or a.name in _WITH_MODES)
                or a.name in (names or ()) or a.name in (out or ()) or not a.flags & c.OPTIONAL]

    def _room(self, wanted, out, space):
        """Arrays, with zeros where a channel may lack modes, which stay; or the caller's."""
        made = {}
        for a in wanted:
            on_gpu = self._there(a, space)
            if a.name in out:
                made[a.name] = self._given_room(a, out[a.name], on_gpu)
                if on_gpu and self._has_modes and a.mode_axis is not None:
                    made[a.name][...] = 0       # nobody waits for the numbers of modes
            else:
                of = on_gpu or numpy
                make = of.empty if a.mode_axis is None else of.zeros
                made[a.name] = make(self._rows_of(a), a.dtype)
        return made

    def _given_room(self, a, given, space):
        """An array of the caller's to be filled, as rows."""
        shape = self.full_shape(a.name)
        if space:
            if (not space.owns(given) or tuple(given.shape) != shape
                    or space.dtype(given) != a.dtype):
                raise ArgumentError(f"out[{a.name!r}]: an array {list(shape)} of {a.dtype} in the "
                                    f"memory of {space.name} is needed, of x's library")
            gapless = space.gapless(given)
        else:
            if (not isinstance(given, numpy.ndarray) or given.shape != shape
                    or given.dtype != a.dtype):
                told = (f"{list(given.shape)} {given.dtype}" if isinstance(given, numpy.ndarray)
                        else type(given).__name__)
                raise ArgumentError(f"out[{a.name!r}]: an array {list(shape)} of {a.dtype} is "
                                    f"needed, not {told}")
            if not given.flags.writeable:
                raise ArgumentError(f"out[{a.name!r}] is read-only")
            gapless = given.flags.c_contiguous and given.flags.aligned
        if not gapless:
            raise ArgumentError(f"out[{a.name!r}] has gaps between its elements; hand over a "
                                "contiguous array")
        return given.reshape(self._rows_of(a))

    def _rows_of(self, a):
        """Shape of an array with all epochs and channels as one axis; or without that axis."""
        return (self.rows,) + a.extent[1:] if a.of_channels else a.extent

    # ---- Execution ------------------------------------------------------------------------

    def _execute(self, signal, made, progress):
        x, space = signal.x, signal.space
        buffers = (c.Buffer * self._count)()
        for name, array in made.items():
            buffers[self.arrays[name].number].data = (
                array.ctypes.data if isinstance(array, numpy.ndarray) else space.pointer(array))
        try:
            room = self._rooms.pop()
        except IndexError:
            room = numpy.empty(self.workspace + 64, numpy.uint8)
        workspace = room.ctypes.data + -room.ctypes.data % 64
        io = c.sized(c.Io, arrays=buffers, n_arrays=len(buffers))
        noise = self._noise
        if space:
            io.memory = c.DEVICE_ALL if self._small_there else c.DEVICE
            io.cuda_stream = space.stream
            io.x, io.x_stride = space.pointer(x), space.strides(x)[0] if len(x) > 1 else 0
            if noise is not None:
                noise = space.upload(noise)
                io.noise = space.pointer(noise)
        else:
            io.x, io.x_stride = x.ctypes.data, x.strides[0] if len(x) > 1 else 0
            if noise is not None:
                io.noise = noise.ctypes.data

        def execute(progress):
            io.progress = progress
            c.check(c.lib.ws_execute(self.handle, ctypes.byref(io), workspace))

        waits = not space or self.row.transform.family in _OF_MODES and not self._has_modes
        if space and waits:
            _call.await_stream(space)
        report = _call.reporter(progress, self.row.title)
        # A GPU's first call brings its kernels there, and arrays of the host go there and back,
        # which no expectation of its work counts.
        at_once = self.seconds < SHORT and not (waits and self.device != "cpu")
        if report is None and at_once:
            c.check(c.lib.ws_execute(self.handle, ctypes.byref(io), workspace))
        else:
            try:
                _call.Call(execute, report).run()
            finally:
                if report:
                    report.close()
        if room.nbytes <= self._kept_room and not self._rooms:
            self._rooms.append(room)

    def _result(self, signal, made, out):
        count = next((made[a.name] for a in self.arrays.values()
                      if a.flags & c.COUNT and isinstance(made.get(a.name), numpy.ndarray)), None)
        modes = None if count is None else int(count.max())
        self._clear(made, out, count)
        arrays = {}
        for a in self.arrays.values():
            if a.flags & c.SIGNAL:
                arrays[a.name] = (signal.x.reshape(self.shape) if signal.signal is None
                                  else signal.signal)
            elif a.name in made:
                arrays[a.name] = self._trimmed(made[a.name], a, modes, a.name in out,
                                               signal.space)
        unfinished = arrays.get("unfinished")
        if unfinished is not None:
            warn_of_unfinished(int(unfinished.sum()))
        if isinstance(arrays.get("capped"), numpy.ndarray):
            self._warn_of_more(arrays["capped"])
        return Result(self.row.name, self.row.title, arrays, self.arrays, fs=self.fs,
                      options=self.options, facts=self.facts, line=self.line,
                      folder=self.row.folder, device=self.device, isa=self.context.isa,
                      channel_names=signal.channel_names, units=signal.units,
                      first_time=self.tmin if self.row.gathers else signal.first_time or 0.0,
                      epochs=self.lead[:-1],
                      has_channels=len(self.shape) > 1, axes=self.axes,
                      attributes=_signals.attributes(signal, self.samples),
                      labels=signal.labels)

    def _warn_of_more(self, capped):
        """Of the array `capped`: of a signal 1, or -1 where it is not known; of averages over
        epochs the number of their decompositions."""
        more = int(numpy.abs(capped).sum())
        if not more or not self._default_modes:
            return
        modes = self.options["modes"]
        what = "decompositions" if self.row.gathers else f"of {numpy.size(capped)} signals"
        still = "may oscillate" if (numpy.asarray(capped) < 0).any() else "oscillates"
        warnings.warn(f"{more} {what}: {modes} modes are all that there are by default, and the "
                      f"residue {still} still; modes=K asks for more", stacklevel=5)

    def _clear(self, made, out, count):
        """Zeros where a channel lacks modes, in the caller's arrays: ours had them before."""
        for name in out:
            axes = self.arrays[name].axes
            if "mode" in axes and count is not None:
                before = (slice(None),) * (axes.index("mode") - 1)
                for i, n in enumerate(count):
                    made[name][(i, *before, slice(int(n), None))] = 0

    def _trimmed(self, array, a, modes, own, space):
        """Without the modes that no channel has, in the caller's shape."""
        k = a.mode_axis
        if modes is not None and k is not None:
            if modes < array.shape[k]:
                array = array[(slice(None),) * k + (slice(modes),)]
                # A small array need not keep a large one alive.
                if own:
                    pass
                elif space and not isinstance(array, numpy.ndarray):
                    array = space.copy(array) if self._small(array, a) else array
                elif array.nbytes < 1 << 22:
                    array = array.copy()
        # A channel is a row already where there are no epochs.
        if not a.of_channels or len(self.lead) == 1:
            return array
        return array.reshape(self.lead + tuple(array.shape[1:]))

    @staticmethod
    def _small(array, a):
        return math.prod(array.shape) * a.dtype.itemsize < 1 << 22


def warn_of_unfinished(modes):
    if modes:
        warnings.warn(f"{modes} modes were cut off by max_sifts before their stop rule held",
                      stacklevel=5)


# ---- Plans that are kept ----------------------------------------------------------------------

_MOST = 32
_KEPT_ROOM = 4 << 20    # bytes of workspace that each of these keeps
_lock = threading.Lock()
_kept = collections.OrderedDict()
_of_parent = []


def _frozen(value):
    """Lists and arrays by what is in them."""
    if isinstance(value, numpy.ndarray) and value.dtype.kind in "fiu" and value.size < 4096:
        return "array", value.dtype.str, value.shape, value.tobytes()
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


def plan_of(row, shape, fs, dtype, device, threads, options, kind=Plan, **more):
    """A Plan, or kind(.., **more); the one made before where nothing differs."""
    key = (row.name, shape, fs, dtype, device, threads, _threads.number(threads), kind,
           tuple(sorted(more.items())),
           tuple((name, type(v), v if isinstance(v, (str, int, float)) else _frozen(v))
                 for name, v in sorted(options.items())))
    try:
        with _lock:
            plan = _kept.get(key)
            if plan is not None:
                _kept.move_to_end(key)
                return plan
    except TypeError:           # an option is a function, say, or an array of many numbers
        key = None
    plan = kind(row.name, shape, fs, precision=dtype, device=device, threads=threads, **more,
                **options)
    plan._kept_room = _KEPT_ROOM
    # Numbers of the caller's may be others next time.
    if key is not None and plan._noise is None and not plan._given.kept and (
            not plan._given.functions):
        with _lock:
            _kept[key] = plan
            while len(_kept) > _MOST:
                _kept.popitem(last=False)
    return plan


def _planned(method, shape, fs, dtype, device, threads, options):
    """A plan as another process had it."""
    return plan_of(ROWS[method], shape, fs, numpy.dtype(dtype), device, threads, options)


def _after_fork():
    """In a child, plans of contexts that are the parent's are neither used nor destroyed."""
    global _lock, _kept
    _lock = threading.Lock()
    _of_parent.append(_kept)
    _kept = collections.OrderedDict()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
