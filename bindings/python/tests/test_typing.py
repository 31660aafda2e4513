"""Type checkers, strict ones, over scripts of a user's (typed): what is right passes, with numbers
and arrays of NumPy; what is wrong does not."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

import wavesift

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "typed")
SCRIPTS = ("user.py", "user_mne.py", "wrong.py")
PACKAGE = os.path.dirname(os.path.dirname(wavesift.__file__))
# mypy finds what is installed by itself, and refuses to be told where that lies.
MYPYPATH = {} if os.path.basename(PACKAGE) == "site-packages" else {"MYPYPATH": PACKAGE}


def wanted():
    """(script, line) of what is to be found."""
    found = set()
    for name in SCRIPTS:
        with open(os.path.join(HERE, name)) as f:
            found |= {(name, n) for n, line in enumerate(f, 1) if line.endswith("# error\n")}
    assert found
    return found


def installed(module):
    return pytest.mark.skipif(not importlib.util.find_spec(module), reason=f"no {module}")


@installed("mypy")
def test_mypy(tmp_path):
    """With what it needs of NumPy alone; others' packages are Any to it, and MNE has no types."""
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nstrict = True\n"
                      "[mypy-matplotlib.*,mne.*,sklearn.*,xarray.*]\n"
                      "follow_imports = skip\nignore_missing_imports = True\n"
                      "[mypy-wavesift.mne]\nignore_errors = True\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", config, "--cache-dir",
                           tmp_path / "cache", "--no-error-summary", *SCRIPTS], cwd=HERE,
                          capture_output=True, text=True, env={**os.environ, **MYPYPATH})
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    found = {(m[1], int(m[2])) for m in (re.match(r"([^:]+):(\d+):", e) for e in errors) if m}
    assert found == wanted(), done.stdout + done.stderr


@installed("pyright")
def test_pyright(tmp_path):
    config = tmp_path / "pyrightconfig.json"
    config.write_text(json.dumps({"typeCheckingMode": "strict", "extraPaths": [PACKAGE]}))
    for name in SCRIPTS:
        shutil.copy(os.path.join(HERE, name), tmp_path)
    done = subprocess.run([sys.executable, "-m", "pyright", "--outputjson", "-p", config,
                           "--pythonpath", sys.executable], capture_output=True, text=True)
    try:
        told = json.loads(done.stdout)["generalDiagnostics"]
    except ValueError:
        pytest.skip(f"pyright does not run: {done.stderr.strip().splitlines()[-1:]}")
    found = {(os.path.basename(d["file"]), d["range"]["start"]["line"] + 1) for d in told
             if d["severity"] == "error"}
    assert found == wanted(), "\n".join(f"{d['file']}: {d['message']}" for d in told)
