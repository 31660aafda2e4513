"""How many threads a call has: those that were asked for; else the processors of this process, or
fewer, as OMP_NUM_THREADS, joblib and threadpoolctl share them out."""

import ctypes
import functools
import operator
import os

from . import _library as c
from ._errors import ArgumentError, told

_limit = None       # threadpoolctl's; None: none


@functools.lru_cache(1)
def _of_library(_allowed):
    handle = ctypes.c_void_p()
    opts = c.sized(c.CtxOpts, device=b"cpu")
    c.check(c.lib.ws_ctx_create(ctypes.byref(handle), ctypes.byref(opts)))
    n = c.lib.ws_ctx_threads(handle)
    c.lib.ws_ctx_destroy(handle)
    return n


def all_processors():
    """That this process may use: of its affinity, and its share of their time."""
    return _of_library(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0)


def _by_environment():
    """What joblib tells its workers, too; 0: nothing."""
    named = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(named) if named.isdecimal() else 0


def number(threads):
    """threads= as a number, 0: all processors that this process may use.  None is the default, and
    -1 all of them."""
    if threads is None:
        limits = [n for n in (_by_environment(), _limit) if n]
        return min(*limits, all_processors()) if limits else 0
    try:
        asked = operator.index(threads)
    except TypeError:
        raise TypeError(f"threads: a whole number is needed, not {told(threads)}") from None
    if asked == -1:
        return 0
    if not 1 <= asked <= 4096:
        raise ArgumentError(f"threads: {threads} is not 1 to 4096, nor -1, which is all processors")
    return asked


def _limit_to(n):
    global _limit
    most = all_processors()
    _limit = None if n >= min(_by_environment() or most, most) else max(1, n)


def _tell_threadpoolctl():
    """Of this library, so that threadpool_limits(n) is heard here too."""
    try:
        from threadpoolctl import LibController, register
    except ImportError:         # not installed, or before 3.2
        return

    class Controller(LibController):
        user_api = internal_api = "wavesift"
        filename_prefixes = ("libwavesift", "wavesift")
        check_symbols = ("ws_version",)

        def get_num_threads(self):
            return number(None) or all_processors()

        def set_num_threads(self, num_threads):
            _limit_to(num_threads)

        def get_version(self):
            return c.lib.ws_version().decode()

    register(Controller)


_tell_threadpoolctl()
