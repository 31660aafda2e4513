"""Contexts of the library: one for each device and number of threads, kept for later calls."""

import ctypes
import os
import threading
import warnings

from . import _call, _threads
from . import _library as c
from ._errors import DeviceError

_lock = threading.Lock()
_contexts = {}          # (device, threads) -> Context
_process = os.getpid()
_gpu_before_fork = False


class Context:
    """A ws_ctx; lives as long as the process."""

    def __init__(self, device, threads):
        self.handle = ctypes.c_void_p()
        self.used_gpu = False
        try:
            self._create(device, threads, None if device == "cpu" else _backend())
        except DeviceError as e:
            if device != "auto":
                raise
            # What is broken about GPUs does not keep the CPU from its work.
            warnings.warn(f"{e}; working on the CPU", stacklevel=2)
            self._create("cpu", threads, None)
        self.threads = c.lib.ws_ctx_threads(self.handle)
        self.isa = c.lib.ws_ctx_isa(self.handle).decode()

    def _create(self, device, threads, backend):
        opts = c.sized(c.CtxOpts, threads=threads, device=device.encode(), backend=backend)
        c.check(c.lib.ws_ctx_create(ctypes.byref(self.handle), ctypes.byref(opts)))


def _backend():
    """The file of the GPU's backend that an installed package names by its entry point; None: as
    the library looks for it."""
    from importlib import metadata      # as much again as all of this package

    for entry in metadata.entry_points(group="wavesift.backend"):
        package, ours = entry.dist, c.lib.ws_version().decode()
        if package is not None and package.version != ours:
            name = package.metadata["Name"]
            raise DeviceError(f"{name} {package.version} is installed beside wavesift {ours}: they "
                              f"must be of one version: pip install {name}=={ours}")
        return os.fsencode(entry.load()())
    return None


def _after_fork():
    """In a child: what the parent has is not ours, and CUDA does not survive."""
    global _lock, _contexts, _process, _gpu_before_fork
    _gpu_before_fork = _gpu_before_fork or any(x.used_gpu for x in _contexts.values())
    _lock = threading.Lock()
    _contexts = {}
    _process = os.getpid()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def get(device=None, threads=None):
    """The context of 'auto', 'cpu', 'cuda', 'cuda:1', .."""
    device = "auto" if device is None else str(device)
    if _gpu_before_fork and device != "cpu":
        if device != "auto":
            raise DeviceError(f"{device}: a GPU was used before this process was forked, which "
                              "CUDA does not survive; start processes by "
                              "multiprocessing.get_context('spawn')")
        device = "cpu"
    key = device, _threads.number(threads)
    with _lock:
        if key not in _contexts:
            _contexts[key] = Context(*key)
        return _contexts[key]


def devices():
    """GPUs of this machine.

    Returns
    -------
    list of dict
        Each with name, model, detail, memory and memory_free (bytes), usable and, of those that are
        not, why.

    Raises
    ------
    DeviceError
        The driver reports an error.

    See Also
    --------
    Plan : Whose device= takes a name.

    Examples
    --------
    >>> [d["model"] for d in wavesift.devices() if d["usable"]]
    """
    return _call.apart(_devices)


def _devices():
    context, found = get("auto"), []
    while True:
        d = c.sized(c.Device)
        if c.lib.ws_ctx_device_info(context.handle, len(found), ctypes.byref(d)):
            return found
        found.append({"name": d.name.decode(), "model": d.model.decode(),
                      "detail": d.detail.decode(), "memory": d.memory,
                      "memory_free": d.memory_free, "usable": bool(d.usable),
                      "why": d.why.decode() or None})
