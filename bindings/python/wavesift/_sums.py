"""Checksums of the pieces of results in HDF5, as docs/result-format.md lays them out."""

import functools
import itertools
import math

import numpy

from . import _library as c
from ._errors import FileError

NAME, TEXTS = "checksums", "text_checksums"


def of(values):
    """CRC-32 of an array's bytes, in the order of its axes."""
    values = numpy.ascontiguousarray(values)
    return c.lib.ws_crc32(0, values.ctypes.data, values.nbytes)


def of_texts(f):
    """Those of a file's texts: of its attributes, of the provenance, of the events."""
    def add(sum_, text):
        text = (text if isinstance(text, bytes) else str(text).encode()) + b"\0"
        return c.lib.ws_crc32(sum_, text, len(text))

    sums = [0, 0, 0]
    for name in ("start_time", "channel_names", "unit"):
        for text in numpy.ravel(f.attrs[name]) if name in f.attrs else ():
            sums[0] = add(sums[0], text)
    facts = f["provenance"].attrs if "provenance" in f else {}
    for name in sorted(facts, key=str.encode):
        sums[1] = add(sums[1], name)
        if isinstance(facts[name], (str, bytes)):
            sums[1] = add(sums[1], facts[name])
    for event in f["events"][()] if "events" in f else ():
        numbers = numpy.array([event["onset"], event["duration"]], "<f8")
        sums[2] = add(c.lib.ws_crc32(sums[2], numbers.ctypes.data, numbers.nbytes), event["label"])
        if "time" in event.dtype.names:
            numbers = numpy.array([event["epoch"], event["time"]], "<f8")
            sums[2] = c.lib.ws_crc32(sums[2], numbers.ctypes.data, numbers.nbytes)
    return sums


def check_texts(f, path):
    told = f.attrs.get(TEXTS)
    if told is None:
        return
    for theirs, ours, what in zip(told, of_texts(f), ("names of channels", "provenance", "events")):
        if theirs != ours:
            raise FileError(f"{path}: damaged: its {what} have not the checksum with which they "
                            "were written")


def has(data):
    """Can a data set have checksums?  Texts have none."""
    return data.ndim > 0 and data.dtype.kind in "fiuc"


class Grid:
    """How an array lies in pieces: chunks, or all of it."""

    def __init__(self, shape, chunks):
        self.shape = tuple(shape)
        self.piece = tuple(chunks or (max(n, 1) for n in shape))
        self.extent = tuple(-(-n // p) for n, p in zip(self.shape, self.piece))

    def __iter__(self):
        return itertools.product(*map(range, self.extent))

    def slices(self, at):
        return tuple(slice(i * p, min((i + 1) * p, n))
                     for i, p, n in zip(at, self.piece, self.shape))

    def touched(self, place):
        """The pieces that basic indices lie in."""
        place = place if isinstance(place, tuple) else (place,)
        if Ellipsis in place:
            k = place.index(Ellipsis)
            place = (place[:k] + (slice(None),) * (len(self.shape) - len(place) + 1)
                     + place[k + 1:])
        return itertools.product(*(_along(n, p, index) for n, p, index in itertools.zip_longest(
            self.shape, self.piece, place, fillvalue=slice(None))))


def _along(n, piece, index):
    """The pieces of an axis that an index lies in, or all where that is a list, say."""
    if isinstance(index, slice):
        chosen = range(n)[index]
        if not chosen:
            return ()
        first, last = sorted((chosen[0], chosen[-1]))
        return range(first // piece, last // piece + 1)
    if isinstance(index, (int, numpy.integer)) and not isinstance(index, bool):
        return (range(n)[int(index)] // piece,)
    return range(-(-n // piece))


class New:
    """Those of a file that is being written."""

    def __init__(self):
        self._all = []

    def add(self, data, values=None, numbered=None, sums=None):
        """Of a data set: of values, which it has; of what it holds; or those that are given, by
        the grid that numbers them."""
        now = Grid(data.shape, data.chunks)
        if sums is None:
            numbered = now
            source = data if values is None else values
            sums = numpy.zeros(numbered.extent, "<u4")
            for at in now:
                sums[at] = of(source[now.slices(at)])
        data.attrs[NAME] = numpy.array([sum(s.size for s in self._all), *numbered.extent], "<i8")
        self._all.append(sums)

    def write(self, f):
        every = [s.reshape(-1) for s in self._all] or [numpy.zeros(0, "<u4")]
        f.create_dataset(NAME, data=numpy.concatenate(every))
        f.attrs[TEXTS] = numpy.array(of_texts(f), "<i8")


class Growing:
    """Those of a data set that is filled row by row."""

    def __init__(self, data):
        self.data, self.grid = data, Grid(data.shape, data.chunks)
        self.sums = numpy.zeros(self.grid.extent, "<u4")
        self.whole = numpy.zeros(self.grid.extent, bool)
        self.begun = numpy.zeros(self.grid.extent, bool)

    def put(self, place, values):
        """What was written there; place: slices and whole numbers."""
        g = self.grid
        if all(p == 1 for p in g.piece[:-1]) and values.shape[-1:] == g.shape[-1:]:
            lead = [range(n)[i] if isinstance(i, slice) else [i]
                    for n, i in zip(g.shape[:-1], place)]
            rows = values.reshape(-1, values.shape[-1])
            for row, at in zip(rows, itertools.product(*lead)):
                for k in range(g.extent[-1]):
                    self.sums[at + (k,)] = of(row[k * g.piece[-1]:(k + 1) * g.piece[-1]])
                self.whole[at] = True
        else:
            for at in g.touched(place):
                self.begun[at] = True

    def finish(self, new):
        """Once the array has its last extent: what came in parts is read once more."""
        now = Grid(self.data.shape, self.data.chunks)
        zeros = {}
        for at in now:
            if self.whole[at] and not self.begun[at]:
                continue
            n = math.prod(s.stop - s.start for s in now.slices(at))
            if self.begun[at]:
                self.sums[at] = of(self.data[now.slices(at)])
            else:
                if n not in zeros:
                    zeros[n] = of(numpy.zeros(n, self.data.dtype))
                self.sums[at] = zeros[n]
        new.add(self.data, numbered=self.grid, sums=self.sums)


@functools.cache
def _checked():
    """The class, once there is h5py."""
    import h5py

    class Checked(h5py.Dataset):
        """A data set whose pieces are verified as they are read, each once."""

        def __init__(self, data, sums, path):
            super().__init__(data.id, readonly=True)
            numbers = self.attrs.get(NAME)
            self._where, self._grid = path, Grid(self.shape, self.chunks)
            if (numbers is None or numpy.shape(numbers) != (self.ndim + 1,) or min(numbers) < 0
                    or any(a < b for a, b in zip(numbers[1:], self._grid.extent))
                    or int(numbers[0]) + math.prod(map(int, numbers[1:])) > sums.size):
                raise FileError(f"{path}: damaged: the checksums of {self.name} are not as its "
                                "pieces are")
            first, extent = int(numbers[0]), tuple(map(int, numbers[1:]))
            self._sums = sums[first:first + math.prod(extent)].reshape(extent)
            self._right = numpy.zeros(extent, bool)

        def _verify(self, at, values):
            if of(values) != self._sums[at]:
                place = ",".join(str(i + 1) for i in at)
                raise FileError(f"{self._where}: damaged: piece {place} of {self.name[1:]} has "
                                "not the checksum with which it was written")
            self._right[at] = True

        def __getitem__(self, place, *more, **how):
            if isinstance(place, tuple) and place == ():
                values = super().__getitem__(())
                for at in self._grid:
                    self._verify(at, values[self._grid.slices(at)])
                return values
            for at in self._grid.touched(place):
                if not self._right[at]:
                    self._verify(at, super().__getitem__(self._grid.slices(at)))
            return super().__getitem__(place, *more, **how)

        def __array__(self, dtype=None, copy=True):
            return numpy.asarray(self[()], dtype)

        def read_direct(self, dest, source_sel=None, dest_sel=None):
            self[()]
            super().read_direct(dest, source_sel, dest_sel)

    return Checked


def checked(data, sums, path):
    """A data set of a file with such sums, verified as it is read."""
    return _checked()(data, sums, path)
