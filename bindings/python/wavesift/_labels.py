"""What samples bring along in a container of xarray, pandas or polars: rate, first time, dates,
names and units of channels, and coordinates, which results give back in to_xarray().

None of these packages is imported: who hands such a container over has done so.
"""

import re

import numpy

from ._arrays import YEAR
from ._errors import ArgumentError, SignalError, told

_CHANNELS = ("channel", "channels", "ch", "sensor", "electrode", "space")

_SECONDS = {"ns": 1e-9, "us": 1e-6, "\u00b5s": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0,
            "second": 1.0, "seconds": 1.0, "min": 60.0, "minutes": 60.0, "h": 3600.0,
            "hours": 3600.0, "d": 86400.0, "days": 86400.0}
_TIME = re.compile(r"(?:times?|t|dates?|datetime|timestamps?)(?:[\s_]*[(\[]?(%s)[)\]]?)?"
                   % "|".join(_SECONDS))

def take(x, even=True):
    """Samples of x, time last, and what is known of them, by the names of _signals.Signal; even:
    refuses times that are not."""
    packages = {base.__module__.partition(".")[0] for base in type(x).__mro__}
    return (_of_xarray if "xarray" in packages else _of_pandas if "pandas" in packages
            else _of_polars)(x, even)


def name(known, shape, channel_names, unit):
    """Names and units that the caller gives: of all channels, or a unit of all."""
    channels = shape[-2] if len(shape) > 1 else 1
    for key, given, word in (("channel_names", channel_names, "channel_names"),
                             ("units", unit, "unit")):
        if given is None:
            continue
        if isinstance(given, str):
            given = [given] * (channels if word == "unit" else 1)
        texts = list(given) if hasattr(given, "__iter__") else []
        if len(texts) != channels or not all(isinstance(n, str) for n in texts):
            raise ArgumentError(f"{word}: text for each of {channels} channels is needed, not "
                                f"{told(given)}")
        setattr(known, key, [str(n) for n in texts])


# ---- Times ------------------------------------------------------------------------------------

def _unit_of_time(called):
    """Seconds of the unit in the name of a time ("time", "t_ms", "Time (s)"); None: it is none."""
    found = _TIME.fullmatch(str(called).strip().lower())
    return found and _SECONDS.get(found[1], 1.0)


def _months(dates):
    """How many months lie between one date and the next: of one day of the month, or all of them
    the last.  0: it is not so."""
    days = dates.astype("M8[D]")
    months = days.astype("M8[M]")
    of_month = (days - months.astype("M8[D]")).astype(int)
    last = (days + 1).astype("M8[M]") > months
    step = numpy.diff(months.astype(int))
    same = (of_month == of_month[0]).all() or last.all()
    return int(step[0]) if len(step) > 1 and same and (step == step[0]).all() else 0


def _start(date):
    """A date of numpy as text of ISO, as files have it."""
    whole = date.astype("M8[s]")
    return str(whole if whole == date else date.astype("M8[us]"))


def _spaced(times, unit, even, called="time", utc=False):
    """fs, first_time and start_time of moments: dates, durations, or numbers of so many seconds;
    utc: dates are, else nobody knows where.  Months count from the year 0 on, as in files."""
    times = numpy.asarray(times)
    known, dated = {"fs": None, "first_time": 0.0}, times.dtype.kind == "M"
    if times.dtype.kind == "O" and len(times) and hasattr(times[0], "isoformat"):
        known["start_time"] = times[0].isoformat()      # of a calendar of its own
        times = numpy.array([(t - times[0]).total_seconds() for t in times])
        unit = 1.0
    if dated:
        times = times.astype("M8[D]") if numpy.datetime_data(times.dtype)[0] in "YM" else times
        if numpy.isnat(times).any():
            raise SignalError(f"{called}[{int(numpy.isnat(times).argmax())}] is no date")
        known["start_time"] = _start(times[0]) + "Z" * utc
        seconds = _seconds(times - times[0])
    elif times.dtype.kind == "m":
        seconds = _seconds(times)
    elif times.dtype.kind in "fiu":
        seconds = times.astype(float) * unit
    else:
        raise SignalError(f"{called} is of type {times.dtype}: dates or numbers are needed, as "
                          "pandas.to_datetime makes them of text")
    known["first_time"] = 0.0 if "start_time" in known else float(seconds[0])
    if len(seconds) < 2:
        return known
    months = _months(times) if dated else 0
    if months:
        month = YEAR / 12
        return {"fs": 1 / (months * month), "first_time": 0.0, "time_unit": YEAR,
                "time_origin": float(times[0].astype("M8[M]").astype(int) + 1970 * 12) * month}
    known["fs"] = _rate(seconds, even, called)
    return known


def _seconds(durations):
    """As floats; of centuries, too, which do not fit into nanoseconds."""
    unit, count = numpy.datetime_data(durations.dtype)
    size = numpy.timedelta64(count, unit) / numpy.timedelta64(1, "ns") * 1e-9
    return durations.astype("i8") * size


def _resolution(seconds):
    """What printed or stored times are rounded to, s: the coarsest power of ten that fits."""
    for k in range(10):
        if numpy.allclose(numpy.round(seconds, k), seconds, rtol=0, atol=1e-4 * 10.0 ** -k):
            return 10.0 ** -k
    return 0.0


def _rate(seconds, even, called):
    """Samples a second; as the program finds it in tables."""
    apart = numpy.diff(seconds)
    n, step = len(apart), (seconds[-1] - seconds[0]) / len(apart)
    off = numpy.abs(seconds - seconds[0] - step * numpy.arange(n + 1))
    rounding = min(_resolution(seconds), 0.45 * abs(step))
    good = (numpy.isfinite(seconds).all() and (apart > 0).all()
            and off.max() <= max(0.01 * step, rounding))
    if not good and not even:
        return None
    if not good:
        usual = float(numpy.median(apart))
        if usual < 0:
            raise SignalError(f"x runs backwards: {called} goes from {seconds[0]:.6g} to "
                              f"{seconds[-1]:.6g} s; turn it round first")
        at = int(numpy.nanargmax(numpy.abs(apart - usual))) + 1
        raise SignalError(f"x is not sampled evenly: {called}[{at}] comes {apart[at - 1]:.6g} s "
                          f"after the one before, and others {usual:.6g} s; interpolate it to even "
                          "times first, or say fs= to take it as it is")
    # The nearest whole rate or period is meant where it fits as well.
    whole = 1 / round(1 / step) if step < 1 else float(round(step))
    return 1 / (whole if abs(whole - step) * n <= off.max() + 1e-12 * n * step else step)


# ---- xarray -----------------------------------------------------------------------------------

def _is_dated(x, dim):
    return dim in x.coords and x.coords[dim].dtype.kind in "mM"


def _of_xarray(x, even):
    if not hasattr(x, "coords") or hasattr(x, "data_vars"):
        raise ArgumentError(f"x is a {type(x).__name__}: hand over one of its arrays, a DataArray, "
                            "such as x['NAME']")
    if not x.dims:
        return x.values, {}
    time = next((d for d in x.dims if _unit_of_time(d)), None) or next(
        (d for d in x.dims if _is_dated(x, d)), x.dims[-1])
    rest = [d for d in x.dims if d != time]
    channel = next((d for d in rest if str(d).lower() in _CHANNELS), rest[-1] if rest else None)
    dims = tuple(d for d in rest if d != channel) + (() if channel is None else (channel,)) + (
        time,)
    x = x.transpose(*dims)
    known = {}
    if time in x.coords:
        unit = _SECONDS.get(str(x.coords[time].attrs.get("units", "s")).lower(), 1.0)
        known = _spaced(x.coords[time].values, unit * (_unit_of_time(time) or 1.0), even, time)
    if channel in x.coords:
        known["channel_names"] = [str(n) for n in x.coords[channel].values]
    known["units"] = _units_of(x, channel)
    known["labels"] = dims, {k: (v.dims, v.values, dict(v.attrs)) for k, v in x.coords.items()}
    # What is read from a file, or computed, when it is asked for: row by row.
    return (x.data if getattr(x.variable, "_in_memory", True) else x), known


def _units_of(x, channel):
    """Those of a coordinate along the channels, or one of all, or None."""
    for word in ("units", "unit"):
        if word in x.coords and x.coords[word].dims == (channel,):
            return [str(u) for u in x.coords[word].values]
        if isinstance(x.attrs.get(word), str):
            return [x.attrs[word]] * (1 if channel is None else x.sizes[channel])
    return None


# ---- pandas and polars ------------------------------------------------------------------------

def _table(values, called, times, time):
    """Samples [channel, time] of a table's columns, whose rows are times.  times: what _spaced
    gives; time: name and values of its axis, or None."""
    many = values.ndim > 1
    dims = (("channel",) if many else ()) + ((time[0] if time else "time"),)
    coords = {"channel": (("channel",), called, {})} if many else {}
    if time:
        coords[time[0]] = (time[0],), time[1], {}
    return values.T, {**times, "channel_names": called, "labels": (dims, coords)}


def _no_numbers(column, kind):
    raise ArgumentError(f"x has no numbers in the column {column!r}, but {kind}: leave it out")


def _label(column):
    return "/".join(map(str, column)) if isinstance(column, tuple) else str(column)


def _is_temporal(dtype):
    """Of dates, durations, or spans of time (pandas.PeriodDtype)."""
    return getattr(dtype, "kind", "") in "mM" or hasattr(dtype, "freq")


def _of_pandas(x, even):
    index, time = x.index, None
    counted = type(index).__name__ == "RangeIndex"
    if counted and x.ndim > 1:
        time = next((i for i, dtype in enumerate(x.dtypes) if _is_temporal(dtype)
                     or _unit_of_time(_label(x.columns[i]))), None)
    times, axis = {}, None
    if time is not None:
        zone, axis = _zone(x.dtypes.iloc[time]), (_label(x.columns[time]), _moments(x.iloc[:, time]))
        x = x.drop(columns=x.columns[time])
    elif _is_temporal(index.dtype) or index.dtype.kind == "f" or not counted and (
            index.dtype.kind in "iu"):
        zone, axis = _zone(index.dtype), (_label(index.name or "time"), _moments(index))
    if axis:
        times = _spaced(axis[1], _unit_of_time(axis[0]) or 1.0, even, axis[0], zone)
        if axis[1].dtype.kind in "iu" and time is None and not _unit_of_time(index.name):
            times = {}          # numbers of rows, of which none is missing
    for column, dtype in ([] if x.ndim == 1 else zip(x.columns, x.dtypes)):
        if dtype.kind not in "fiub":
            _no_numbers(column, f"{dtype}")
    plain = all(isinstance(d, numpy.dtype) for d in ([x.dtype] if x.ndim == 1 else x.dtypes))
    values = x.to_numpy() if plain else x.to_numpy(float, na_value=numpy.nan)
    names = [_label(c) for c in (x.columns if x.ndim > 1 else [] if x.name is None else [x.name])]
    return _table(values, names or None, times, axis)


def _zone(dtype):
    """Have dates a time zone?"""
    return getattr(dtype, "tz", None) is not None


def _moments(x):
    """Of an index or a column; dates of a time zone in UTC, spans of time by their beginnings."""
    if hasattr(x.dtype, "freq"):
        x = (x if hasattr(x, "to_timestamp") else x.dt).to_timestamp()
    return numpy.asarray(x, f"M8[{x.dtype.unit}]" if _zone(x.dtype) else None)


def _of_polars(x, even):
    if not hasattr(x, "to_numpy"):
        raise ArgumentError("x is not computed yet: hand over x.collect()")
    if not hasattr(x, "columns"):
        return _table(x.to_numpy(), [x.name] if x.name else None, {}, None)
    time = next((c for c in x.columns if x.schema[c].is_temporal() or _unit_of_time(c)), None)
    times, axis = {}, None
    if time is not None:
        axis = time, x[time].to_numpy()
        times = _spaced(axis[1], _unit_of_time(time) or 1.0, even, time,
                        getattr(x.schema[time], "time_zone", None) is not None)
        x = x.drop(time)
    for column, kind in x.schema.items():
        if not (kind.is_numeric() or str(kind) == "Boolean"):
            _no_numbers(column, f"{kind}")
    return _table(x.to_numpy(), list(x.columns), times, axis)


# ---- Results ----------------------------------------------------------------------------------

def restored(data, result):
    """A data set of a result with the names and coordinates that its samples had."""
    dims, coords = result._labels
    ours = [d for d in data.dims if d.startswith("epoch")] + ["channel"] * result.has_channels
    ours, theirs = [*sorted(ours[:-1]), *ours[-1:], "time"], list(dims)
    if len(ours) != len(theirs):        # averages over epochs
        ours, theirs = ours[-2:], theirs[-2:]
    _, values, _ = coords.get(dims[-1], ((), numpy.zeros(0), {}))
    for dim in [d for d in data.dims if d.endswith("time") and data.sizes[d] != len(values)]:
        if values.dtype.kind == "M":        # decimated
            after = (data[dim].values - result.first_time) * 1e9
            data = data.assign_coords({dim: values[0] + after.round().astype("m8[ns]")})
    data = data.rename({a: b for a, b in zip(ours, theirs) if a in data.dims and a != b})
    kept = {name: value for name, value in coords.items()
            if name not in data.data_vars and all(
                data.sizes.get(d) == n for d, n in zip(value[0], numpy.shape(value[1])))}
    return data.assign_coords(kept)
