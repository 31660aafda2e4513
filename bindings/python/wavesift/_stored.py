"""Results that are analysed further: their modes are taken instead of being found again."""

import numpy

from . import _device, _plan, _signals
from ._errors import ArgumentError


class _Stored(_plan.Plan):
    """A plan for the signal, the modes and the residue of a result."""

    _has_modes = True

    def __init__(self, *arguments, modes, **options):
        self._modes = modes
        super().__init__(*arguments, **options)

    def _prepare(self):
        self._given.store(self._modes)


def transform(row, result, fs, **given):
    """Runs a row over the modes of a result, whose edits what is made of it tells."""
    made = _transform(row, result, fs, **given)
    if "edited" in result.provenance:
        made._told = {**made.provenance, "edited": result.provenance["edited"]}
    return made


def _transform(row, result, fs, *, device, threads, precision, arrays, out, progress, options):
    if row.transform.family != b"hht" or row.gathers:
        raise ArgumentError(f"x is a result of {result.method}: {row.name} takes samples, such as "
                            "those of x.signal")
    parts = [result.arrays.get(name) for name in ("signal", "modes", "residue")]
    if any(part is None for part in parts):
        raise ArgumentError(f"x is a result of {result.method} without signal, modes and residue: "
                            "hand over one of the EMD family, or samples")
    signal, modes, residue = parts
    if options.get("decomposition") not in (None, "stored"):
        raise ArgumentError("a result has its modes already; hand over x.signal to decompose it "
                            "again")
    options = {k: v for k, v in options.items() if k != "decomposition"}
    count, n = modes.shape[-2:]
    if count == 0:
        raise ArgumentError("x holds no mode to analyse")
    dtype = _signals.precision_of(_dtype_of(modes), precision)
    known = {"fs": fs if fs is not None else result.fs, "precision": dtype, "device": device,
             "threads": threads}
    given = {"channel_names": result.channel_names, "units": result.units,
             "first_time": result.first_time, "labels": result._labels,
             **{name: result.attributes[name] for name in ("start_time", "time_unit", "time_origin")
                if name in result.attributes}}
    if _device.of(modes):
        return _on_gpu(row, parts, dtype, known, given, arrays, out, progress, options)
    signal, modes, residue = map(_device.to_numpy, parts)
    x = numpy.empty((signal.size // n, count + 2, n), dtype)
    x[:, 0], x[:, -1] = signal.reshape(-1, n), residue.reshape(-1, n)
    x[:, 1:-1] = modes.reshape(-1, count, n)
    plan = _Stored(row.name, signal.shape, modes=count, decomposition="stored", **known, **options)
    taken = _signals.Signal(x.reshape(len(x), -1), signal.shape, dtype, **given,
                            signal=signal.astype(dtype, copy=False))
    return plan(taken, arrays=arrays, out=out, progress=progress)


def _dtype_of(a):
    space = _device.of(a)
    return space.dtype(a) if space else a.dtype


def _on_gpu(row, parts, dtype, known, given, arrays, out, progress, options):
    """A GPU takes modes alone.  Their orthogonality, which needs the residue, is left out."""
    signal, modes, residue = parts
    space = _device.of(modes)
    shape, (count, n) = tuple(signal.shape), modes.shape[-2:]
    x = space.contiguous(modes) if space.dtype(modes) == dtype else space.cast(modes, dtype)
    plan = _plan.plan_of(row, shape, known["fs"], dtype, _device.place(known["device"], space),
                         known["threads"], {"decomposition": "none", **options}, _Stored,
                         modes=count)
    taken = _signals.Signal(x.reshape(-1, count * n), shape, dtype, space, signal=signal, **given)
    made = plan(taken, arrays=arrays or [n for n in plan.arrays if n != "orthogonality"], out=out,
                progress=progress)
    made.arrays.update(modes=modes, residue=residue)
    return made
