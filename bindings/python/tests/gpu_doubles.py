"""Stand-ins for CuPy and PyTorch with a GPU: their arrays lie in the host's memory, where the
stand-in for the GPU's backend (tests/fake_backend.c) looks for them, and refuse to become NumPy's
unasked, as the real ones do.  gpu_libraries.py has the real ones."""

import types

import numpy

STREAM = 0x5eed
# Is the stream idle?  A test may put another answer here.
idle = lambda: True  # noqa: E731


class _Stream:
    ptr = cuda_stream = STREAM
    done = property(lambda self: idle())

    def query(self):
        return idle()


class _Base:
    def __init__(self, a):
        self.a = a

    shape = property(lambda self: self.a.shape)
    ndim = property(lambda self: self.a.ndim)

    def __len__(self):
        return len(self.a)

    def __getitem__(self, key):
        return type(self)(self.a[key])

    def __setitem__(self, key, value):
        self.a[key] = value.a if isinstance(value, _Base) else value

    def reshape(self, *shape):
        return type(self)(self.a.reshape(*shape))

    def __array__(self, *_):
        raise TypeError("implicit conversion to NumPy")


class CupyArray(_Base):
    dtype = property(lambda self: self.a.dtype)
    strides = property(lambda self: self.a.strides)
    flags = property(lambda self: self.a.flags)
    data = property(lambda self: types.SimpleNamespace(ptr=self.a.ctypes.data))
    device = property(lambda self: types.SimpleNamespace(id=0))
    __cuda_array_interface__ = property(lambda self: {"version": 3})

    def astype(self, dtype, order="K"):
        return CupyArray(self.a.astype(dtype, order=order))

    def copy(self):
        return CupyArray(self.a.copy())

    def get(self):
        return self.a


class _Dtype(str):
    pass


class TorchDevice:
    def __init__(self, index):
        self.index = index

    def __eq__(self, other):
        return self.index == other.index


class TorchTensor(_Base):
    is_cuda = True
    layout = "strided"
    device = TorchDevice(0)
    dtype = property(lambda self: _Dtype(f"torch.{self.a.dtype.name}"))

    def data_ptr(self):
        return self.a.ctypes.data

    def element_size(self):
        return self.a.itemsize

    def stride(self):
        return tuple(n // self.a.itemsize for n in self.a.strides)

    def is_contiguous(self):
        return self.a.flags.c_contiguous

    def contiguous(self):
        return TorchTensor(numpy.ascontiguousarray(self.a))

    def to(self, dtype):
        return TorchTensor(self.a.astype(dtype.rpartition(".")[2]))

    def movedim(self, source, destination):
        return TorchTensor(numpy.moveaxis(self.a, source, destination))

    def clone(self):
        return TorchTensor(self.a.copy())

    def detach(self):
        return self

    resolve_neg = detach

    def cpu(self):
        return types.SimpleNamespace(numpy=lambda: self.a)


class _Device:
    def __init__(self, index):
        self.index = index

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def _noise(shape, dtype):
    """What lies there before anybody has written."""
    a = numpy.empty(shape, dtype)
    a.view("u1").fill(0x55)
    return a


def cupy():
    module = types.ModuleType("cupy")
    module.ndarray = CupyArray
    module.zeros = lambda shape, dtype: CupyArray(numpy.zeros(shape, dtype))
    module.empty = lambda shape, dtype: CupyArray(_noise(shape, dtype))
    module.moveaxis = lambda a, *places: CupyArray(numpy.moveaxis(a.a, *places))
    module.asarray = lambda a: CupyArray(a)
    module.ascontiguousarray = lambda a: CupyArray(numpy.ascontiguousarray(a.a))
    module.cuda = types.SimpleNamespace(
        Device=_Device, get_current_stream=_Stream)
    return module


def torch():
    module = types.ModuleType("torch")
    module.Tensor, module.strided = TorchTensor, "strided"
    for name in ("float32", "float64", "complex64", "complex128", "int32"):
        setattr(module, name, _Dtype(f"torch.{name}"))
    module.zeros = lambda shape, dtype, device: TorchTensor(
        numpy.zeros(shape, dtype.rpartition(".")[2]))
    module.empty = lambda shape, dtype, device: TorchTensor(
        _noise(shape, dtype.rpartition(".")[2]))
    module.as_tensor = lambda a, device: TorchTensor(a)
    module.cuda = types.SimpleNamespace(
        current_stream=lambda device: _Stream())
    return module
