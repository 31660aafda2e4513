"""CuPy and PyTorch on a GPU, alike, for test_gpu.py."""

import numpy


class CuPy:
    name = "cupy"

    def __init__(self):
        import cupy

        self.lib, self.kind = cupy, cupy.ndarray
        cupy.zeros(1)       # fails where there is no GPU

    def put(self, x):
        return self.lib.asarray(x)

    def get(self, a):
        return a.get()

    def pointer(self, a):
        return a.data.ptr

    def stream(self):
        """A stream of one's own, current within `with`."""
        return self.lib.cuda.Stream(non_blocking=True)

    def event(self):
        """Of the current stream's work so far; .done() asks."""
        event = self.lib.cuda.Event(disable_timing=True)
        event.record()
        return lambda: event.done

    def sync(self):
        self.lib.cuda.Device().synchronize()

    def ones(self):
        return self.lib.ones((4096, 4096), numpy.float32)

    def full(self, shape, dtype):
        return self.lib.full(shape, numpy.nan, dtype)

    def second_gpu(self, x):
        with self.lib.cuda.Device(1):
            return self.put(x)


class PyTorch:
    name = "torch"

    def __init__(self):
        import torch

        self.lib, self.kind = torch, torch.Tensor
        torch.zeros(1, device="cuda")

    def put(self, x):
        return self.lib.as_tensor(numpy.array(x), device="cuda")

    def get(self, a):
        return a.cpu().numpy()

    def pointer(self, a):
        return a.data_ptr()

    def stream(self):
        return self.lib.cuda.stream(self.lib.cuda.Stream())

    def event(self):
        event = self.lib.cuda.Event()
        event.record()
        return event.query

    def sync(self):
        self.lib.cuda.synchronize()

    def ones(self):
        return self.lib.ones((4096, 4096), device="cuda")

    def full(self, shape, dtype):
        return self.lib.full(shape, float("nan"), device="cuda",
                             dtype=getattr(self.lib, numpy.dtype(dtype).name))

    def second_gpu(self, x):
        return self.lib.as_tensor(x, device="cuda:1")


def busy(lib, times):
    """Keeps the current stream at work, 2 to 4 ms each time; an event at its end."""
    a = lib.ones()
    for _ in range(times):
        a = a @ a * 1e-4
    return lib.event()


def late(lib, x):
    """x, but only after much work of the current stream; until then no number."""
    there, source = lib.full(x.shape, x.dtype), lib.put(x)
    lib.sync()
    busy(lib, 40)
    there[...] = source
    return there


LIBRARIES = {"cupy": CuPy, "torch": PyTorch}
