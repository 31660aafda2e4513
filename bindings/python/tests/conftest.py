"""What the tests share.  WAVESIFT_PROGRAM names the program whose results ours are compared
with."""

import os
import subprocess

import numpy
import pytest


@pytest.fixture
def x():
    """Four channels of 600 samples that have modes of all kinds."""
    rng = numpy.random.default_rng(7)
    t = numpy.arange(600) / 200
    tones = numpy.sin(2 * numpy.pi * 3 * t) + 0.5 * numpy.sin(2 * numpy.pi * 21 * t)
    return tones + rng.standard_normal((4, 600)).cumsum(-1) * 0.1


@pytest.fixture
def program():
    """program(arguments..) runs it."""
    path = os.environ.get("WAVESIFT_PROGRAM")
    if not path or not os.path.exists(path):
        pytest.skip("no program: WAVESIFT_PROGRAM names none")

    def run(*arguments):
        return subprocess.run([path, *map(str, arguments)], check=True, capture_output=True,
                              text=True).stdout
    return run
