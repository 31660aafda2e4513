"""Arrays in a GPU's memory: those of CuPy and PyTorch, on their current stream, without a copy.

A Space is what the plan needs of such a library: pointers, room for results, the stream.  The
library of C waits for the work that the stream has so far, and returns when its own is done.
"""

import sys

import numpy

from ._errors import ArgumentError, UnsupportedError

# DLPack's numbers of memory that the host can read: its own, and pinned.
_HOST_MEMORY = (1, 3)


class Cupy:
    """Arrays of CuPy beside x."""

    def __init__(self, module, x):
        self._cupy = module
        self._device = module.cuda.Device(x.device.id)
        self.name = f"cuda:{x.device.id}"
        with self._device:
            self._stream = module.cuda.get_current_stream()
        self.stream = self._stream.ptr

    @staticmethod
    def holds(module, x):
        return isinstance(x, module.ndarray)

    def idle(self):
        """Has the stream done all that it was given?"""
        return self._stream.done

    def owns(self, a):
        return isinstance(a, self._cupy.ndarray) and f"cuda:{a.device.id}" == self.name

    def plain(self, x):
        return x

    def dtype(self, a):
        return a.dtype

    def pointer(self, a):
        return a.data.ptr

    def strides(self, a):
        return a.strides

    def gapless(self, a):
        return a.flags.c_contiguous

    def contiguous(self, a):
        with self._device:
            return self._cupy.ascontiguousarray(a)

    def cast(self, a, dtype):
        with self._device:
            return a.astype(dtype, order="C")

    def zeros(self, shape, dtype):
        with self._device:
            return self._cupy.zeros(shape, dtype)

    def empty(self, shape, dtype):
        with self._device:
            return self._cupy.empty(shape, dtype)

    def channels_first(self, a):
        return self._cupy.moveaxis(a, -2, 0)

    def upload(self, a):
        with self._device:
            return self._cupy.asarray(a)

    def copy(self, a):
        with self._device:
            return a.copy()


class Torch:
    """Tensors of PyTorch beside x."""

    def __init__(self, module, x):
        self._torch = module
        self._device = x.device
        self.name = f"cuda:{x.device.index}"
        self._stream = module.cuda.current_stream(x.device)
        self.stream = self._stream.cuda_stream

    @staticmethod
    def holds(module, x):
        return isinstance(x, module.Tensor) and x.is_cuda

    def idle(self):
        return self._stream.query()

    def owns(self, a):
        return isinstance(a, self._torch.Tensor) and a.device == self._device

    def plain(self, x):
        """Without what autograd and lazy negation keep beside the numbers."""
        if x.layout != self._torch.strided:
            raise ArgumentError("x is sparse: hand over x.to_dense()")
        return x.detach().resolve_neg()

    def dtype(self, a):
        """As NumPy has it; bfloat16 counts as float16."""
        name = str(a.dtype).rpartition(".")[2]
        return numpy.dtype({"bfloat16": "float16", "complex32": "complex64"}.get(name, name))

    def pointer(self, a):
        return a.data_ptr()

    def strides(self, a):
        return tuple(n * a.element_size() for n in a.stride())

    def gapless(self, a):
        return a.is_contiguous()

    def contiguous(self, a):
        return a.contiguous()

    def cast(self, a, dtype):
        return a.to(getattr(self._torch, dtype.name)).contiguous()

    def zeros(self, shape, dtype):
        return self._torch.zeros(shape, dtype=getattr(self._torch, dtype.name),
                                 device=self._device)

    def empty(self, shape, dtype):
        return self._torch.empty(shape, dtype=getattr(self._torch, dtype.name),
                                 device=self._device)

    def channels_first(self, a):
        return a.movedim(-2, 0)

    def upload(self, a):
        return self._torch.as_tensor(a, device=self._device)

    def copy(self, a):
        return a.clone()


_LIBRARIES = {"cupy": Cupy, "torch": Torch}


def of(x):
    """The Space of an array in a GPU's memory; None: x is the host's."""
    if isinstance(x, numpy.ndarray):
        return None
    for name, space in _LIBRARIES.items():
        module = sys.modules.get(name)
        if module is not None and space.holds(module, x):
            return space(module, x)
    where = _elsewhere(x)
    if where:
        raise UnsupportedError(f"x lies in the memory of {where} as an array of "
                               f"{type(x).__module__.partition('.')[0]}: those of CuPy and PyTorch "
                               "are taken; hand it over as one, as by cupy.asarray(x) or "
                               "torch.from_dlpack(x)")
    return None


def _elsewhere(x):
    """A GPU's memory that x says it is in."""
    if getattr(x, "__cuda_array_interface__", None) is not None:
        return "a GPU"
    where = getattr(x, "__dlpack_device__", None)
    if where is None:
        return None
    kind, number = where()
    return None if int(kind) in _HOST_MEMORY else f"device {int(kind)}:{number} (DLPack)"


def rows_of(space, x, dtype, gathers):
    """x as [row][time] of dtype, rows alike far apart and without gaps in time; gathers: with all
    epochs of a channel as one row.  A copy, on the GPU, only where x is not so."""
    if gathers and len(x.shape) > 2:
        x = space.channels_first(x)
        x = x.reshape(x.shape[0], -1)
    if space.dtype(x) != dtype or str(x.dtype).endswith("bfloat16"):
        x = space.cast(x, dtype)
    elif x.shape[-1] > 1 and space.strides(x)[-1] != dtype.itemsize:
        x = space.contiguous(x)
    rows = x.reshape(-1, x.shape[-1])
    if rows.shape[0] > 1 and space.strides(rows)[0] < rows.shape[1] * dtype.itemsize:
        rows = space.contiguous(rows)
    return rows


def place(device, space):
    """The device of a plan for arrays of a space: theirs, which device= may not contradict."""
    asked = None if device is None else str(device)
    if asked not in (None, "auto", "cuda", space.name):
        raise ArgumentError(f"device {asked!r}: x lies in the memory of {space.name}; leave device "
                            "out, or move x")
    return space.name


def to_numpy(a):
    """An array of any library, or of a file, in the host's memory."""
    if isinstance(a, numpy.ndarray):
        return a
    if hasattr(a, "detach"):
        return a.detach().cpu().numpy()
    return a.get() if hasattr(a, "get") else a[()]
