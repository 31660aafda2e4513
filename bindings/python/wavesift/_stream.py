"""Inputs that do not fit in memory: rows come one by one from a memory map, h5py or zarr, and what
is made of them goes into a result file at once."""

import ctypes
import os

import numpy

from . import _call, _files, _load, _options, _plan, _signals, _sums
from . import _library as c
from ._errors import ArgumentError, SignalError
from ._result import Result

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def bytes_of(memory):
    """memory= in bytes: a number, "500M", "2G"; None: 80 % of what is free."""
    if memory is None:
        return int(0.8 * _free())
    text = str(memory).strip().upper().removesuffix("B").removesuffix("I")
    number, unit = (text[:-1], text[-1:]) if text[-1:] in _UNITS and text else (text, "")
    try:
        size = int(float(number) * (1 << _UNITS[unit]))
    except ValueError:
        size = 0
    if size <= 0:
        raise ArgumentError(f"memory: a number of bytes, such as '2G', is needed, not {memory!r}")
    return size


def _free():
    """Bytes that this process may take: of the machine, or of its cgroup."""
    free = [1 << 32]
    try:
        with open("/proc/meminfo") as f:
            free = [1024 * int(line.split()[1]) for line in f if line.startswith("MemAvailable")]
        with open("/sys/fs/cgroup/memory.max") as a, open("/sys/fs/cgroup/memory.current") as b:
            limit = a.read().strip()
            if limit != "max":
                free.append(max(int(limit) - int(b.read()), 1 << 26))
    except (OSError, ValueError, IndexError):
        pass
    return min(free)


class _Run(_plan.Plan):
    """A plan for blocks of channels that fit in memory."""

    _what, _bytes = "ws_run", "bytes"

    def __init__(self, *arguments, memory, **options):
        self._limits = (memory,)
        super().__init__(*arguments, **options)


class _Work:
    """Callbacks of one execution: rows of source in, slabs into data sets."""

    def __init__(self, run, source, datasets, lead):
        self.run, self.source, self.datasets, self.lead = run, source, datasets, lead
        self.number = {run.arrays[name].number: name for name in datasets}
        self.sums = {name: _sums.Growing(data) for name, data in datasets.items()}
        self.modes = 0          # that any channel has
        self.unfinished = 0
        self.capped = []
        self.failure = None
        number = numpy.ctypeslib.as_ctypes_type(run.dtype)
        self._row = number * (run.gathered * run.samples)
        self.read, self.write = c.Read(self._read), c.Write(self._write)

    def _guarded(self, work, *arguments):
        """A callback may not raise: what it would goes to the caller once the library is back."""
        try:
            work(*arguments)
            return 0
        except BaseException as e:
            self.failure = e
            return -9

    def _read(self, _user, channel, x):
        return self._guarded(self._fill, channel, x)

    def _fill(self, channel, x):
        run = self.run
        rows = numpy.frombuffer(self._row.from_address(x), run.dtype).reshape(-1, run.samples)
        if run.row.gathers and len(run.shape) > 1:
            places = [epoch + (channel,) for epoch in numpy.ndindex(run.shape[:-2])]
        else:
            index = numpy.unravel_index(channel, run.lead) if run.lead else ()
            places = [tuple(int(i) for i in index) or Ellipsis]
        for row, place in zip(rows, places):
            row[:] = numpy.asarray(self.source[place]).reshape(-1)

    def _write(self, _user, result):
        return self._guarded(self._store, result.contents)

    def _store(self, result):
        self.unfinished += self._number("unfinished", result)
        self.capped.append(self._number("capped", result))
        for number, name in self.number.items():
            slab, about = result.slabs[number], self.run.arrays[name]
            axes = about.axes[1:] if about.of_channels else about.axes
            extent = tuple(slab.extent[k] for k in range(len(axes)))
            if not slab.data or 0 in extent or not about.of_channels and result.channel:
                continue
            bytes_ = (ctypes.c_char * (numpy.prod(extent, dtype=int) * about.dtype.itemsize))
            values = numpy.frombuffer(bytes_.from_address(slab.data), about.dtype)
            place = tuple(slice(slab.first[k], slab.first[k] + n) for k, n in enumerate(extent))
            if about.of_channels:
                place = self._row_of(result.channel) + place
            self.datasets[name][place] = values.reshape(extent)
            self.sums[name].put(place, values.reshape(extent))
            if "mode" in axes:
                k = axes.index("mode")
                self.modes = max(self.modes, slab.first[k] + extent[k])

    def _number(self, name, result):
        """That of a channel, of an array that has one; else 0."""
        about = self.run.arrays.get(name)
        data = result.slabs[about.number].data if about else None
        return ctypes.c_int32.from_address(data).value if data else 0

    def _row_of(self, channel):
        if not self.lead:
            return (channel,)
        return divmod(channel, self.run.channels)


def transform(row, x, fs, path, *, device, threads, precision, memory, overwrite, compress,
              progress, options, names=None, unit=None):
    """Runs a row over x, which need not fit in memory, into the file path; gives the Result whose
    arrays are data sets of that file."""
    x, known = _source(x, fs)
    known.pop("labels", None)
    known = _signals.Signal(None, None, None, **known)
    if names is not None or unit is not None:
        from . import _labels

        _labels.name(known, x.shape, names, unit)
    if row.gathers and options.get("tmin") is None:
        options = {**options, "tmin": known.first_time}
    options = _options.numbered(row, options, known.channel_names, x.shape)
    run = _Run(row.name, tuple(x.shape), fs if fs is not None else known.fs,
               precision=_signals.precision_of(x.dtype, precision), device=device, threads=threads,
               memory=bytes_of(memory), **options)
    epochs = run.lead[:-1]
    lead = (int(numpy.prod(epochs)),) if epochs else ()
    path = os.fspath(path)
    with _files._new_file(path, overwrite, compress) as f:
        datasets, dims = _datasets(f, run, lead, compress)
        work = _Work(run, x, datasets, lead)
        try:
            _execute(run, work, progress)
        except SignalError as e:
            raise run._in_words_of_x(e, known.channel_names) from None
        made, sums = {}, _sums.New()
        for name, data in datasets.items():
            if "mode" in dims[name]:
                data.resize(work.modes, axis=dims[name].index("mode"))
            work.sums[name].finish(sums)
            made[name] = data, dims[name]
        shell = Result(row.name, row.title, datasets, run.arrays, fs=run.fs, options=run.options,
                       facts=run.facts, line=run.line, folder=row.folder, device=run.device,
                       isa=run.context.isa, epochs=lead, axes=run.axes,
                       channel_names=known.channel_names, units=known.units,
                       first_time=run.tmin if row.gathers else known.first_time or 0.0,
                       attributes=_signals.attributes(known, run.samples))
        _files._finish(f, shell, made, sums)
    _plan.warn_of_unfinished(work.unfinished)
    run._warn_of_more(numpy.array(work.capped))
    return _load.load(path, lazy=True)


def _source(x, fs):
    """What rows are read from: x itself where it can be asked for parts; and what it knows."""
    x, known = _signals.labelled(x, fs)
    if not (hasattr(x, "shape") and hasattr(x, "dtype") and hasattr(x, "__getitem__")):
        x = numpy.asarray(x)
    if isinstance(x, numpy.ma.MaskedArray):
        raise SignalError("x is a masked array: hand over plain samples")
    try:
        dtype = numpy.dtype(x.dtype)
    except TypeError:
        raise ArgumentError("out=: x must lie in the host's memory or in a file") from None
    _signals._check_kind(x, dtype)
    return x, known


def _datasets(f, run, lead, compress):
    """An empty data set for each array that files have, with room for all modes there may be."""
    datasets, dims = {}, {}
    wanted = [n for n, a in run.arrays.items() if a.size]
    for name in _files._kept(run.arrays, wanted):
        a = run.arrays[name]
        shape, axes = a.extent, a.axes
        if a.of_channels:
            shape = lead + (run.channels,) + shape[1:]
            axes = (("epoch",) if lead else ()) + axes
        storage = _files._storage(shape, axes, compress)
        if "mode" in axes:
            storage["maxshape"] = shape
            storage.setdefault("chunks", shape)
        datasets[name] = _files._folder(f, run.row.folder).create_dataset(
            name, shape, a.dtype, **storage)
        dims[name] = axes
    return datasets, dims


def _execute(run, work, progress):
    stream = c.sized(c.Stream, read=work.read, write=work.write)
    if run._noise is not None:
        stream.noise = run._noise.ctypes.data

    def execute(progress):
        stream.progress = progress
        status = c.lib.ws_run_execute(run.handle, ctypes.byref(stream))
        if work.failure is not None:
            raise work.failure
        c.check(status)

    report = _call.reporter(progress, run.row.title)
    try:
        _call.Call(execute, report).run()
    finally:
        if report:
            report.close()
