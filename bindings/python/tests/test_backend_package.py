"""The GPU's backend as a package of its own, wavesift-cuda13: found, of another version, broken,
absent.  Its library is the stand-in that is made of the CPU (tests/fake_backend.c)."""

import os
import shutil
import subprocess
import sys

import pytest

import wavesift
from wavesift import _library as c

LIBRARY = os.path.abspath(c.path)
BACKEND = os.path.join(os.path.dirname(LIBRARY), "fake", "libwavesift_cuda.so")
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cuda13")
ENTRY = 'cuda13 = "wavesift_cuda13:path"'

CALL = """
import sys, warnings, numpy, wavesift
warnings.simplefilter("always")
x = numpy.sin(numpy.arange(300.0) ** 1.3)
try:
    print(wavesift.emd(x, device=sys.argv[1]).device, [d["model"] for d in wavesift.devices()])
except wavesift.DeviceError as e:
    print("DeviceError", e)
"""


@pytest.fixture
def installed(tmp_path):
    """install(version, library) lays the package out as pip does; run(device) uses it."""
    if not os.path.exists(BACKEND):
        pytest.skip(f"{BACKEND} is missing: build fake_backend")
    lib = tmp_path / "lib" / os.path.basename(LIBRARY)     # no backend beside it
    lib.parent.mkdir()
    shutil.copy(LIBRARY, lib)
    site = tmp_path / "site"
    site.mkdir()

    class Installed:
        @staticmethod
        def install(version=wavesift.__version__, library=BACKEND):
            shutil.copytree(os.path.join(PACKAGE, "wavesift_cuda13"), site / "wavesift_cuda13")
            if library:
                shutil.copy(library, site / "wavesift_cuda13")
            info = site / f"wavesift_cuda13-{version}.dist-info"
            info.mkdir()
            (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wavesift-cuda13\n"
                                           f"Version: {version}\n")
            (info / "entry_points.txt").write_text("[wavesift.backend]\n"
                                                   + ENTRY.replace('"', "") + "\n")

        @staticmethod
        def run(device, **env):
            folders = [str(site), os.path.dirname(os.path.dirname(wavesift.__file__))]
            done = subprocess.run(
                [sys.executable, "-c", CALL, device], capture_output=True, text=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(folders),
                     "WAVESIFT_LIBRARY": str(lib), **env})
            assert done.returncode == 0, done.stderr
            return done.stdout.strip(), done.stderr

    return Installed


def test_entry_point():
    """What the tests below lay out is what the package says."""
    path = os.path.join(PACKAGE, "pyproject.toml")
    with open(path) as f:
        text = f.read()
    assert f'[project.entry-points."wavesift.backend"]\n{ENTRY}\n' in text
    assert 'name = "wavesift-cuda13"' in text


def test_found(installed):
    installed.install()
    said, _ = installed.run("cuda")
    assert said == "cuda:0 ['Fake 0', 'Fake 1']"
    assert installed.run("cuda:1")[0].startswith("cuda:1")
    assert installed.run("cpu")[0].startswith("cpu")


def test_absent(installed):
    said, _ = installed.run("cuda")
    assert said == ("DeviceError device cuda: no GPU backend is installed: pip install "
                    "wavesift-cuda13, or use the CPU (device='cpu')")
    assert installed.run("auto") == ("cpu []", "")


def test_other_version(installed):
    """Told, with what to do; the CPU works all the same where nobody insists on a GPU."""
    installed.install("9.9.9")
    words = (f"wavesift-cuda13 9.9.9 is installed beside wavesift {wavesift.__version__}: they "
             f"must be of one version: pip install wavesift-cuda13=={wavesift.__version__}")
    assert installed.run("cuda")[0] == f"DeviceError {words}"
    said, warned = installed.run("auto")
    assert said == "cpu []" and f"{words}; working on the CPU" in warned
    assert installed.run("cpu", PYTHONWARNINGS="error")[0].startswith("cpu")


def test_other_build(installed):
    """Of the same number, built from other sources."""
    installed.install()
    for fail in ("version", "sizes", "numerics"):
        said, _ = installed.run("cuda", FAKE_FAIL=fail)
        assert said.startswith("DeviceError") and "reinstall both" in said
        said, warned = installed.run("auto", FAKE_FAIL=fail)
        assert said == "cpu []" and "reinstall both; working on the CPU" in warned


def test_broken(installed):
    installed.install(library=None)
    said, _ = installed.run("cuda")
    assert said.startswith("DeviceError backend") and "No such file" in said
    said, warned = installed.run("auto")
    assert said == "cpu []" and "working on the CPU" in warned
