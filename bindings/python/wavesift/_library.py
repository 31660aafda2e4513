"""The C library: found, opened, and its structs and calls as wavesift/wavesift.h declares them.

Every struct that has ``_header_`` mirrors the one of that name; tests/test_layout.py compiles the
header and compares sizes and offsets.
"""

import ctypes
import functools
import os
import sys
from ctypes import (POINTER, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint,
                    c_uint32, c_uint64, c_void_p)

import numpy

from . import _errors

MOST_AXES = 8

# ws_type, by value.
TYPES = tuple(numpy.dtype(t) for t in ("f8", "f4", "c16", "c8", "i4"))
F64, F32 = 0, 1

# ws_axis, by value.
AXES = (None, "channel", "mode", "frequency", "time", "mask", "band", "partner", "modulation",
        "cell")

# WS_ARRAY_..
SIGNAL, OPTIONAL, COUNT, REPORT, MAIN, OWN_AXES = 1, 2, 4, 8, 16, 32

# ws_option_kind.
FLAG, INT, U64, REAL, CHOICE, TEXT, ARRAY, RANGE, LIST = range(1, 10)

# ws_memory.
HOST, DEVICE, DEVICE_ALL = 0, 1, 2


class CtxOpts(ctypes.Structure):
    _header_ = "ws_ctx_opts"
    _fields_ = [("size", c_size_t), ("threads", c_int), ("isa", c_char_p), ("device", c_char_p),
                ("device_memory", c_size_t), ("backend", c_char_p)]


class Device(ctypes.Structure):
    _header_ = "ws_device"
    _fields_ = [("size", c_size_t), ("name", c_char * 16), ("model", c_char * 128),
                ("detail", c_char * 128), ("memory", c_size_t), ("memory_free", c_size_t),
                ("usable", c_int), ("why", c_char * 260)]


class Shape(ctypes.Structure):
    _header_ = "ws_shape"
    _fields_ = [("size", c_size_t), ("channels", c_size_t), ("samples", c_size_t),
                ("type", c_int), ("recording_channels", c_size_t), ("fs", c_double), ("epochs", c_size_t),
                ("start", c_double), ("before", c_size_t), ("after", c_size_t)]


class Choice(ctypes.Structure):
    _header_ = "ws_choice"
    _fields_ = [("name", c_char_p), ("value", c_int)]


class Option(ctypes.Structure):
    _header_ = "ws_option"
    _fields_ = [("name", c_char_p), ("argument", c_char_p), ("text", c_char_p),
                ("kind", c_int), ("offset", c_size_t),
                ("low", c_double), ("high", c_double), ("zero", c_double),
                ("choices", POINTER(Choice))]


class Transform(ctypes.Structure):
    _header_ = "ws_transform"
    _fields_ = [("name", c_char_p), ("title", c_char_p), ("summary", c_char_p),
                ("text", c_char_p), ("examples", POINTER(c_char_p)), ("options_size", c_size_t),
                ("family", c_char_p), ("group", c_char_p), ("folder", c_char_p),
                ("type", c_int), ("takes_epochs", c_int), ("takes_context", c_int),
                ("options_tag", c_uint)]


class OptionFile(ctypes.Structure):
    _header_ = "ws_option_file"
    _fields_ = [("option", c_char_p), ("path", c_char_p), ("sha256", c_char_p)]


class Fact(ctypes.Structure):
    _header_ = "ws_fact"
    _fields_ = [("size", c_size_t), ("key", c_char_p), ("kind", c_int), ("text", c_char_p), ("integer", c_int64),
                ("real", c_double)]


# void (*)(void *user, const ws_fact *fact)
FactSink = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Fact))


class Array(ctypes.Structure):
    _header_ = "ws_array"
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("text", c_char_p), ("type", c_int),
                ("flags", c_uint), ("rank", c_int), ("axis", c_int * MOST_AXES),
                ("extent", c_size_t * MOST_AXES)]


class Buffer(ctypes.Structure):
    _header_ = "ws_buffer"
    _fields_ = [("data", c_void_p), ("stride", c_size_t * MOST_AXES)]


# int (*)(void *user, double done)
Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_double)


class Io(ctypes.Structure):
    _header_ = "ws_io"
    _fields_ = [("size", c_size_t), ("x", c_void_p), ("x_stride", c_size_t),
                ("first_channel", c_size_t), ("noise", c_void_p), ("arrays", POINTER(Buffer)),
                ("n_arrays", c_int), ("memory", c_int), ("progress", Progress),
                ("user", c_void_p), ("cuda_stream", c_void_p)]


class Slab(ctypes.Structure):
    _header_ = "ws_slab"
    _fields_ = [("size", c_size_t), ("data", c_void_p), ("first", c_size_t * MOST_AXES),
                ("extent", c_size_t * MOST_AXES)]


class ChannelResult(ctypes.Structure):
    _header_ = "ws_channel_result"
    _fields_ = [("size", c_size_t), ("channel", c_size_t), ("block", c_size_t),
                ("slabs", POINTER(Slab)), ("n_slabs", c_size_t)]


# ws_status (*)(void *user, size_t channel, void *x), (*)(void *user, const ws_channel_result *)
Read = ctypes.CFUNCTYPE(c_int, c_void_p, c_size_t, c_void_p)
Write = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(ChannelResult))


class Stream(ctypes.Structure):
    _header_ = "ws_stream"
    _fields_ = [("size", c_size_t), ("read", Read), ("write", Write), ("progress", Progress),
                ("noise", c_void_p), ("user", c_void_p), ("next", c_void_p)]


class EmdOpts(ctypes.Structure):
    """For arrays of numbers among the options, whose place no descriptor tells."""

    _header_ = "ws_emd_opts"
    _fields_ = [("size", c_size_t), ("tag", c_uint), ("method", c_int), ("reference", c_int), ("boundary", c_int),
                ("spline", c_int), ("stop_rule", c_int), ("stop_rule_param", c_double * 3),
                ("sifts", c_int), ("max_sifts", c_int), ("check_every", c_int),
                ("modes", c_int), ("realizations", c_int), ("pairs", c_int),
                ("noise", c_double), ("snr", c_int), ("seed", c_uint64),
                ("channel_noise", c_int), ("directions", c_int), ("direction_set", c_int),
                ("direction_vectors", c_void_p), ("noise_channels", c_int),
                ("standardize", c_int), ("noise_power", c_double)]


# Where options begin, behind size and tag.
EMD_BEGIN = EmdOpts.method.offset


class Ratio(ctypes.Structure):
    _header_ = "ws_ratio"
    _fields_ = [("numerator", c_int64), ("denominator", c_int64)]


class Masks(ctypes.Structure):
    _header_ = "ws_masks"
    _fields_ = [("size", c_size_t), ("count", c_size_t), ("lengths", POINTER(c_size_t)),
                ("offsets", POINTER(c_size_t)), ("values", c_void_p), ("type", c_int),
                ("scales", POINTER(c_double)), ("frequencies", POINTER(c_double))]


# double (*)(void *user, double scale, double frequency)
ErrorFunction = ctypes.CFUNCTYPE(c_double, c_void_p, c_double, c_double)


class ConvOpts(ctypes.Structure):
    """For its masks, likewise."""

    _header_ = "ws_conv_opts"
    _fields_ = [("size", c_size_t), ("tag", c_uint), ("masks", POINTER(Masks)), ("mask_formula", c_int),
                ("mask_formula_param", c_double), ("scales", POINTER(Ratio)), ("scale_low", Ratio),
                ("scale_high", Ratio), ("scale_count", c_size_t), ("scale_spacing", c_int),
                ("mask_rounding", c_int), ("seed", c_uint64), ("flip", c_int), ("extent", c_int),
                ("decimate", c_int), ("sums", c_int), ("method", c_int),
                ("mask_expression", c_char * 512), ("mask_imaginary", c_char * 512),
                ("mask_constants", c_char * 512), ("accumulators", c_int),
                ("amplitude_error", c_char * 512), ("timing_error", c_char * 512),
                ("timing_jitter", c_char * 512), ("narrow", c_int),
                ("interpolation_kernel", POINTER(Masks)), ("oversample", c_int),
                ("interpolation", c_int),
                ("error_function", ErrorFunction * 3), ("error_user", c_void_p),
                ("error_values", c_char_p * 3)]


class Range(ctypes.Structure):
    _header_ = "ws_range"
    _fields_ = [("low", c_double), ("high", c_double), ("count", c_size_t), ("spacing", c_int)]


class HhtOpts(ctypes.Structure):
    """For the number of modes that are handed over, likewise."""

    _header_ = "ws_hht_opts"
    _fields_ = [("size", c_size_t), ("tag", c_uint), ("frequency_method", c_int), ("reference", c_int), ("ends", c_int),
                ("smooth_phase", c_int), ("smooth_frequency", c_int), ("exclude", c_int),
                ("outlier_ratio", c_double), ("freqs", Range), ("edges", POINTER(c_double)),
                ("time_bin", c_double), ("quantity", c_int), ("parts", c_int),
                ("confidence", c_double), ("modes_given", c_int), ("emd", EmdOpts),
                ("emd_room", c_char * (512 - ctypes.sizeof(EmdOpts))), ("whole_given", c_int),
                ("modulation_freqs", Range), ("modulation_edges", POINTER(c_double)), ("limits_rule", c_int),
                ("limits_from", c_int), ("limits_to", c_int), ("noise_signals", c_int),
                ("sparse_cells", c_int), ("significance", c_int), ("baseline_from", c_double),
                ("baseline_to", c_double), ("baseline", c_int), ("averages", c_int)]


MIRRORS = (CtxOpts, Device, Shape, Choice, Option, Transform, OptionFile, Fact, Array, Buffer,
           Io, Slab, ChannelResult, Stream, EmdOpts, Range, Ratio, Masks, ConvOpts,
           HhtOpts)

_CALLS = {
    "ws_error_detail": (c_char_p,),
    "ws_status_name": (c_char_p, c_int),
    "ws_version": (c_char_p,),
    "ws_numerics_version": (c_int,),
    "ws_isa_name": (c_char_p, c_int),
    "ws_match_modes": (c_int, c_void_p, c_size_t, c_size_t, c_void_p),
    "ws_crc32": (c_uint32, c_uint32, c_void_p, c_size_t),
    "ws_ctx_create": (c_int, POINTER(c_void_p), POINTER(CtxOpts)),
    "ws_ctx_destroy": (None, c_void_p),
    "ws_ctx_threads": (c_int, c_void_p),
    "ws_ctx_isa": (c_char_p, c_void_p),
    "ws_ctx_device_info": (c_int, c_void_p, c_int, POINTER(Device)),
    "ws_transform_at": (POINTER(Transform), c_int),
    "ws_transform_option": (POINTER(Option), POINTER(Transform), c_int),
    "ws_transform_array": (c_int, POINTER(Transform), c_int, POINTER(Array)),
    "ws_options_init": (None, POINTER(Transform), c_void_p, c_size_t),
    "ws_option_set": (c_int, POINTER(Option), c_void_p, c_char_p),
    "ws_options_free": (None, POINTER(Transform), c_void_p),
    "ws_option_text": (c_size_t, POINTER(Option), c_void_p, c_char_p, c_size_t),
    "ws_options_check": (c_int, POINTER(Transform), c_void_p, POINTER(OptionFile)),
    "ws_options_facts": (c_int, POINTER(Transform), c_void_p, POINTER(OptionFile), FactSink,
                         c_void_p),
    "ws_options_line": (c_size_t, POINTER(Transform), c_void_p, POINTER(OptionFile), c_char_p,
                        c_size_t),
    "ws_plan_create": (c_int, POINTER(c_void_p), c_void_p, c_char_p, POINTER(Shape), c_void_p),
    "ws_plan_destroy": (None, c_void_p),
    "ws_plan_workspace": (c_size_t, c_void_p),
    "ws_plan_device": (c_char_p, c_void_p),
    "ws_plan_options": (c_void_p, c_void_p),
    "ws_plan_seconds": (c_double, c_void_p),
    "ws_plan_describe": (c_char_p, c_void_p),
    "ws_plan_arrays": (c_int, c_void_p),
    "ws_plan_array": (c_int, c_void_p, c_int, POINTER(Array)),
    "ws_plan_axis": (c_int, c_void_p, c_int, c_int, POINTER(c_double), c_size_t),
    "ws_execute": (c_int, c_void_p, POINTER(Io), c_void_p),
    "ws_cwt_inverse": (c_int, c_void_p, c_void_p, c_void_p),
    "ws_run_create": (c_int, POINTER(c_void_p), c_void_p, c_char_p, POINTER(Shape), c_void_p,
                      c_size_t),
    "ws_run_destroy": (None, c_void_p),
    "ws_run_bytes": (c_size_t, c_void_p),
    "ws_run_blocks": (c_size_t, c_void_p),
    "ws_run_device": (c_char_p, c_void_p),
    "ws_run_options": (c_void_p, c_void_p),
    "ws_run_seconds": (c_double, c_void_p),
    "ws_run_describe": (c_char_p, c_void_p),
    "ws_run_arrays": (c_int, c_void_p),
    "ws_run_array": (c_int, c_void_p, c_int, POINTER(Array)),
    "ws_run_axis": (c_int, c_void_p, c_int, c_int, POINTER(c_double), c_size_t),
    "ws_run_execute": (c_int, c_void_p, POINTER(Stream)),
}

FILE = "libwavesift." + {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")


def _path():
    """$WAVESIFT_LIBRARY; else the library within the package; else that of the system."""
    named = os.environ.get("WAVESIFT_LIBRARY")
    if named:
        return named
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), FILE)
    if os.path.exists(beside):
        return beside
    from ctypes.util import find_library

    found = find_library("wavesift")
    if found:
        return found
    raise ImportError(f"the library of wavesift is missing: {beside} does not exist; reinstall "
                      "the package, or name a build of the library by WAVESIFT_LIBRARY")


def _open(path):
    try:
        library = ctypes.CDLL(path)
    except OSError as e:
        raise ImportError(f"the library of wavesift cannot be opened: {e}") from None
    for name, (result, *arguments) in _CALLS.items():
        try:
            call = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{path} is of another version of wavesift than the package: it has "
                              f"no {name}; reinstall both") from None
        call.restype, call.argtypes = result, arguments
    return library


path = _path()
lib = _open(path)


def check(status, *, about=""):
    """Raises what stands for a status other than WS_OK, with the library's line."""
    if status:
        detail = lib.ws_error_detail().decode()
        raise _errors.of(status)(about + _errors.in_python(detail))


@functools.cache
def _names_of(struct):
    return frozenset(name for name, *_ in struct._fields_)


def sized(struct, **fields):
    """A struct whose size is set.  ctypes would take any other name for an attribute."""
    unknown = fields.keys() - _names_of(struct)
    if unknown:
        raise TypeError(f"{struct.__name__} has no field {', '.join(sorted(unknown))}")
    return struct(size=ctypes.sizeof(struct), **fields)
