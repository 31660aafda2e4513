"""Failures of the library as exceptions.

Each is also the exception of Python's own that stands for such a failure, so that
``except ValueError`` and ``except MemoryError`` do what they say.
"""


class Error(Exception):
    """Any failure of wavesift.  Its text is one line: what, where and what to do."""


class ArgumentError(Error, ValueError):
    """An option or argument is outside its documented range."""


class SignalError(Error, ValueError):
    """The samples cannot be used: one is not finite, say; the text names channel and sample."""


class OutOfMemoryError(Error, MemoryError):
    """The host's or the GPU's memory does not suffice."""


class UnsupportedError(Error, NotImplementedError):
    """This build, machine or device cannot do it."""


class DeviceError(Error, RuntimeError):
    """No GPU can be used, or CUDA reported an error."""


class FileError(Error, OSError):
    """A file cannot be read or written, or is no result of wavesift."""


class Cancelled(Error):
    """The function given as ``progress`` asked to stop."""


class InternalError(Error, RuntimeError):
    """A bug in wavesift: please report the text."""


_BY_STATUS = {-1: ArgumentError, -2: OutOfMemoryError, -3: UnsupportedError, -4: DeviceError,
              -5: FileError, -6: SignalError, -7: FileError, -8: FileError, -9: Cancelled}


def of(status):
    """The exception of a ws_status."""
    return _BY_STATUS.get(status, InternalError)


_NO_BACKEND = ("libwavesift_cuda.so is not beside this program or library; use the CPU, or a build "
               "with CUDA")


def in_python(text):
    """The library's words, where options stand in backticks, with keyword arguments: `max_sifts`
    becomes max_sifts, `device cpu` device='cpu'."""
    text = text.replace(_NO_BACKEND,
                        "pip install wavesift-cuda13, or use the CPU (device='cpu')")
    said = ""
    while True:
        before, mark, text = text.partition("`")
        said += before
        if not mark:
            return said
        named, closed, rest = text.partition("`")
        name, _, value = named.partition(" ")
        # Within a word they are a file's.
        if closed and key_of(name).isidentifier() and (not before or before[-1] in " ('\""):
            said += key_of(name) + (f"='{value}'" if value and value[0] != "'" else
                                    f"={value}" if value else "")
            text = rest
        else:
            said += mark


def told(value):
    """A value of the caller's in a few words, on one line."""
    shape = None if isinstance(value, type) else getattr(value, "shape", None)
    if shape:
        return f"an array {list(shape)}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def key_of(flag):
    """An option of the command line, without its dashes, as a keyword argument."""
    return flag.replace("-", "_")
