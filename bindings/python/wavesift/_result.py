"""What a transform gives: arrays by name, with their axes, and how they were made."""

import copy
import datetime
import functools
import inspect
import re

import numpy

from . import _device, _files
from . import _library as c
from ._arrays import YEAR, unit_of
from ._errors import ArgumentError

# What other packages call it.
_ELSEWHERE = {"imfs": "modes", "imf": "modes", "IMFs": "modes", "residual": "residue",
              "freqs": "frequencies", "sfreq": "fs", "ch_names": "channel_names"}
_ZONE = re.compile("Z$")


def result_name(method):
    return method.capitalize() + "Result"


# What a result has besides its arrays.
_FIELDS = frozenset((
    "method", "title", "arrays", "about", "fs", "options", "device", "isa", "channel_names",
    "units", "first_time", "epochs", "has_channels", "axes", "attributes", "events",
    "numerics_version", "version", "folder"))


@functools.cache
def class_of(name):
    """wavesift.EmdResult of "EmdResult": the results of a transform, which type checkers know by
    their arrays (__init__.pyi)."""
    return type(name, (Result,), {"__module__": "wavesift", "__doc__": Result.__doc__})


class Result:
    """Arrays by name, as attributes: ``r.modes``, ``r.residue``, ``r.mode_count``, ..

    Their axes are those of the input before time, then, of modes, ``mode``, and time last.  Modes
    are as many as the channel with the most has; what others lack is zeros, and ``mode_count``
    tells how many are real.  ``r.signal`` is the input itself where it needed no copy.

    Assigning to one, ``r.modes = 0.5 * r.modes`` or ``r["modes"] = ..``, replaces it, by numbers of
    its shape and kind, in its precision; what is made of the result afterwards, such as a file or
    ``wavesift.hht(r)``, takes these, and ``r.provenance["edited"]`` names it.

    Attributes
    ----------
    method : str
        "iceemdan".
    title : str
        "Improved CEEMDAN".
    arrays : dict of arrays
        NumPy's; of samples in a GPU's memory, those with time are of x's library, there.
    fs : float or None
        Samples a second.
    options : dict
        Options in force.
    numerics_version : int
        Results of the same version have the same bits on every machine.
    version : str
        Of wavesift.
    device : str
        "cpu", or the GPU that worked.
    isa : str
        The CPU's instruction set.
    channel_names : list of str or None
        As x or channel_names= had them.
    units : list of str or None
        Of each channel.
    events : list of (onset, duration, label, epoch, time)
        Of a file that has some: s from the first sample of the recording, the number of the epoch
        that they lie in, from 0 on (None: in none), and when on its time axis.

    See Also
    --------
    load : Results of files.
    compare : How alike two are.
    """

    __signature__ = inspect.Signature()     # transforms and load() make them

    def __new__(cls, method=None, *_, **__):
        """Of the transform's own class, which is called after it."""
        return object.__new__(class_of(result_name(method)) if cls is Result and method else cls)

    def __init__(self, method, title, arrays, about, *, fs=None, options=None, device="cpu",
                 isa=None, channel_names=None, units=None, first_time=0.0, epochs=(),
                 has_channels=True, axes=None, facts=None, line="", folder="",
                 provenance=None, numerics_version=None, version=None, attributes=None,
                 events=(), labels=None):
        # At once, past __setattr__: a short call is mostly its result.
        self.__dict__.update(
            method=method, title=title, arrays=arrays, about=about, fs=fs, options=options or {},
            device=device, isa=isa,
            channel_names=None if channel_names is None else list(channel_names),
            units=None if units is None else list(units), first_time=first_time,
            epochs=tuple(epochs), has_channels=has_channels, axes=axes or {},
            attributes=attributes or {}, events=list(events),
            numerics_version=(c.lib.ws_numerics_version() if numerics_version is None
                              else numerics_version),
            version=version or c.lib.ws_version().decode(),
            folder=folder, _facts=facts or {}, _line=line, _told=provenance, _labels=labels)

    @property
    def provenance(self):
        """All facts about the computation; of a file, as they stand there."""
        if self._told is None:
            self._told = self._provenance()
        return self._told

    def _provenance(self):
        facts = {"command": f"python wavesift.{self.method}", "title": self.title,
                 "transform": self.method, "version": self.version,
                 "numerics_version": self.numerics_version, "backend": self.device}
        if self.isa:
            facts["isa"] = self.isa
        first = next((a.dtype for n, a in self.about.items() if n in self.arrays
                      and a.dtype.kind in "fc"), None)
        if first is not None:
            facts["precision"] = "f32" if first in ("f4", "c8") else "f64"
        return {**facts, **self._facts, "options": self._line}

    def __getattr__(self, name):
        if name.startswith("__"):       # what copy and pickle look for
            raise AttributeError(name)
        arrays = self.__dict__.get("arrays", {})
        if name in arrays:
            return arrays[name]
        raise AttributeError(self._lacks(name))

    def __setattr__(self, name, value):
        if name in self.__dict__.get("arrays", ()):
            self._replace(name, value)
        elif name in _FIELDS or name.startswith("_") or hasattr(type(self), name):
            super().__setattr__(name, value)
        else:
            raise AttributeError(f"{self._lacks(name)}; nothing else can be assigned")

    def __setitem__(self, name, value):
        if name not in self.arrays:
            raise KeyError(self._lacks(name))
        self._replace(name, value)

    def _replace(self, name, value):
        """Another array instead of one, in this result alone."""
        old, dtype = self.arrays[name], self.about[name].dtype
        space = _device.of(value)
        if not space:
            value = numpy.asarray(value)
        given = space.dtype(value) if space else value.dtype
        shape = tuple(old.shape)
        if tuple(value.shape) != shape or not numpy.can_cast(given, dtype, "same_kind"):
            raise ArgumentError(f"{name}: {list(shape)} of {dtype} are needed, not "
                                f"{list(value.shape)} of {given}; other numbers are no part of "
                                "this result")
        if given != dtype:
            value = space.cast(value, dtype) if space else value.astype(dtype)
        self.arrays = {**self.arrays, name: value}
        known = self.provenance.get("edited", "").split(", ")
        self._told = {**self.provenance,
                      "edited": ", ".join(filter(None, dict.fromkeys([*known, name])))}

    def _lacks(self, name):
        if name in _ELSEWHERE:
            return f"{self.method} gives no {name!r}: here it is {_ELSEWHERE[name]!r}"
        return f"{self.method} gives no {name!r}, but {', '.join(self.arrays)}"

    def __getitem__(self, name):
        if name not in self.arrays:
            raise KeyError(self._lacks(name))
        return self.arrays[name]

    def __iter__(self):
        raise TypeError("a result is not unpacked: its arrays have names, "
                        + ", ".join(f"r.{name}" for name in self.arrays))

    def __contains__(self, name):
        return name in self.arrays

    def __dir__(self):
        return [*super().__dir__(), *self.arrays]

    def __repr__(self):
        lines = [f"<wavesift.Result of {self.title}"
                 + (f", {self.fs:g} samples a second>" if self.fs else ">")]
        for name, array in self.arrays.items():
            dims = ", ".join(f"{d} {n}" for d, n in zip(self.dims(name), array.shape))
            lines.append(f"  {name:24} {self.about[name].dtype!s:10} [{dims}]")
        return "\n".join(lines)

    def _repr_html_(self):
        from . import _html

        return _html.of_result(self)

    # ---- Axes -----------------------------------------------------------------------------

    def dims(self, name):
        """Names of the axes of an array.

        Parameters
        ----------
        name : str
            Of the array.

        Returns
        -------
        tuple of str
            'epoch', 'channel', 'mode', 'frequency', 'time'; 'mask', 'band' (its middle), 'partner'
            (the other channel of a pair), 'modulation' (frequency of an amplitude).
        """
        if not self.about[name].of_channels:
            return self.about[name].axes
        epochs = (("epoch",) if len(self.epochs) == 1 else
                  tuple(f"epoch_{i + 1}" for i in range(len(self.epochs))))
        return epochs + (("channel",) if self.has_channels else ()) + self.about[name].axes[1:]

    @property
    def samples(self):
        """Of the signal; of a decimated transform alone, its own."""
        return next(a.extent[-1] for a in sorted(
            self.about.values(), key=lambda a: (a.axes[-1] != "time", a.axes[-1]))
                    if a.timed and a.size)

    @property
    def channels(self):
        """How many channels an epoch has."""
        return next(array.shape[len(self.epochs)] for name, array in self.arrays.items()
                    if self.about[name].of_channels) if self.has_channels else 1

    @property
    def times(self):
        """Of the samples: s, or their numbers where fs is not known."""
        return self.values_along("time", self.samples)

    @property
    def dates(self):
        """The clock at each sample, numpy.datetime64; None where nothing tells it.

        Of months and years their first days.  Of epochs it is not known.
        """
        unit, start = self.attributes.get("time_unit"), self.attributes.get("start_time")
        if not self.fs or self.epochs:
            return None
        times = self.attributes.get("time_origin", 0.0) + self.times
        if start:
            moment = datetime.datetime.fromisoformat(_ZONE.sub(r"+00:00", start))
            if moment.tzinfo:
                moment = moment.astimezone(datetime.timezone.utc).replace(tzinfo=None)
            return numpy.datetime64(moment, "us") + numpy.round(times * 1e6).astype("m8[us]")
        months = times * 12 / (unit or 1.0)
        if unit != YEAR or abs(months - numpy.round(months)).max() > 1e-3:
            return None
        return (numpy.datetime64("0000-01") + numpy.round(months).astype("m8[M]")).astype("M8[D]")

    @property
    def frequencies(self):
        """Of the frequency axis, Hz."""
        if "frequency" not in self.axes:
            raise AttributeError(f"{self.method} has no frequency axis; r.frequency holds the "
                                 "frequencies of its modes")
        return self.axes["frequency"]

    def values_along(self, dim, n):
        """Values of an axis of n elements.

        Parameters
        ----------
        dim : str
            Its name, as in dims().
        n : int
            How many elements it has.

        Returns
        -------
        numpy.ndarray or list of str
            Of modes, epochs and masks without a scale their numbers, from 0 on.
        """
        if dim in ("channel", "partner"):
            return self.channel_names or [f"ch{i + 1}" for i in range(n)]
        if dim in self.axes:
            return self.axes[dim] + (self.first_time if dim.endswith("time") else 0)
        if dim == "time":
            return self.first_time + numpy.arange(n) / (self.fs or 1.0)
        return numpy.arange(n, dtype="i4")

    def coordinates(self, name):
        """Values along each axis of an array.

        Parameters
        ----------
        name : str
            Of the array.

        Returns
        -------
        dict
            Of values_along(), by the names of dims().
        """
        return {dim: self.values_along(dim, n)
                for dim, n in zip(self.dims(name), self.arrays[name].shape)}

    # ---- Elsewhere ------------------------------------------------------------------------

    def close(self):
        """Closes the file that arrays are read from, of wavesift.load(.., lazy=True) and out=."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def to_numpy(self):
        """This result with all arrays in the host's memory.

        Returns
        -------
        Result
            Itself where they are there.
        """
        arrays = {n: _device.to_numpy(a) for n, a in self.arrays.items()}
        if all(arrays[n] is a for n, a in self.arrays.items()):
            return self
        host = copy.copy(self)
        host.arrays = arrays
        return host

    def average(self):
        """The means over epochs of modes or bands, moment by moment.

        Modes are averaged by number, where an epoch has fewer as zeros, so that means still add up
        to that of the signal.  Mode 3 may be another rhythm in each epoch: the arrays frequency,
        frequency_low and frequency_high are the median and the range over those that have it,
        mode_epochs how many these are.  Other figures of modes are medians, too.

        Returns
        -------
        Result
            Without epochs; beside ``modes`` it has ``modes_interval``, half of the 95 % interval of
            each mean (Student's t, epochs taken for independent), and so of each array with time.

        Raises
        ------
        ArgumentError
            There are no two epochs, or it is no result of modes or bands.
        """
        from . import _average

        return _average.average(self.to_numpy())

    def to_xarray(self):
        """All arrays with named axes and their values.

        Returns
        -------
        xarray.Dataset
            With the names and coordinates of a DataArray, or a table, that was analysed.
        """
        import xarray

        if self.to_numpy() is not self:
            return self.to_numpy().to_xarray()
        data = xarray.Dataset(attrs={"method": self.method, "title": self.title,
                                     "fs": self.fs if self.fs else 1.0,
                                     "numerics_version": self.numerics_version,
                                     "version": self.version,
                                     **{k: int(v) if isinstance(v, bool) else v
                                        for k, v in self.options.items() if v is not None}})
        dims = {d for name in self.arrays for d in self.dims(name)}
        for name in self.arrays:
            # A variable that has the name of an axis cannot lie beside it.
            key = f"{name}_values" if name in dims else name
            data[key] = xarray.DataArray(self.arrays[name], dims=self.dims(name),
                                         coords=self.coordinates(name),
                                         attrs={"description": self.about[name].text})
        for dim in dims:
            if unit_of(dim, self):
                data[dim].attrs["units"] = unit_of(dim, self)
        if not self._labels:
            return data
        from . import _labels

        return _labels.restored(data, self)

    def plot(self, channel=None, epoch=0, *, partner=None, ax=None, channels=None, modes=None,
             tmin=None, tmax=None, vmax=None, **figure):
        """Draws the signal, its modes and the residue, or what is over time and frequency.

        Parameters
        ----------
        channel : int or str, optional
            Default: the first; of coherence with one channel, the first other one.
        epoch : int
            Of several.
        partner : int or str, optional
            Of coherence of all pairs: the other channel.  Default: the first other one.
        ax : matplotlib.axes.Axes, or sequence of them, optional
            To draw in, instead of a new figure: one, or as many as there are rows.
        channels : slice, or sequence of int or str, optional
            Several, side by side; maps one below the other.
        modes : int, str, slice or sequence, optional
            Of a decomposition: which rows, by numbers from 0 on, or names: "IMF 1", "signal",
            "residue".
        tmin, tmax : float, optional
            The part of the time that is drawn.
        vmax : float, optional
            What the last colour of a map stands for; of rows how far their axes reach.
        **figure
            Of matplotlib.pyplot.figure, such as figsize.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, or that of ax.
        """
        from . import _plot

        return _plot.draw(self.to_numpy(), channel, epoch, partner, ax=ax, channels=channels,
                          modes=modes, tmin=tmin, tmax=tmax, vmax=vmax, settings=figure)

    def save(self, path, *, overwrite=False, compress=0):
        """Writes the HDF5 file that the program writes, by h5py.

        Parameters
        ----------
        path : str or os.PathLike
            Of the new file; it ends in .h5.
        overwrite : bool
            Replace a file that there is.
        compress : int
            0 to 9.

        Raises
        ------
        FileError
            There is such a file, or it cannot be written.
        """
        _files.save(self.to_numpy(), path, overwrite, compress)
