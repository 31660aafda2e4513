"""The GPU's backend of wavesift for CUDA 13.  Nothing here is for users: ``import wavesift``."""

import os


def path():
    """The file of the backend, which wavesift opens (entry point ``wavesift.backend``)."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "libwavesift_cuda.so")
