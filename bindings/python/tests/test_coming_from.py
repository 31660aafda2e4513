"""The lines of docs/coming-from.md: ours run, and beside them those of the packages that are
installed, or whose folders WAVESIFT_EEGLAB, WAVESIFT_FIELDTRIP, and WAVESIFT_MATLAB (memd.m,
ceemdan.m) name.  WAVESIFT_RECORD=1, where all are there, writes their versions into the page."""

import importlib.metadata
import logging
import os
import re
import shutil
import subprocess
import warnings

import numpy
import pytest

import wavesift

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
PAGE = os.path.join(ROOT, "docs", "coming-from.md")
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "coming_from.m")
DISTRIBUTIONS = {"PyEMD": "EMD-signal", "emd": "emd", "MNE": "mne", "ssqueezepy": "ssqueezepy",
                 "pycwt": "pycwt"}
TOLD = "\nLast run beside: "
versions = {}       # of the packages that were run


def rows():
    """(heading, code of the first column, code of the last one) of each line of a table."""
    if not os.path.exists(PAGE):
        return []
    with open(PAGE) as f:
        page = f.read()
    made = []
    for part in page.split("\n## ")[1:]:
        for line in part.splitlines():
            if line.startswith("| ") and not line.startswith("| there"):
                there, here = line.strip("| ").rsplit(" | ", 1)
                made.append((part.split()[0], *(re.findall("`([^`]+)`", c) for c in (there, here))))
    return made


def calls():
    return [code for *_, here in rows() for code in here
            if code.startswith("wavesift.") and "(" in code]


@pytest.fixture
def names(x):
    """What a reader of the page has at hand."""
    e = numpy.stack([x, 2 * x[:, ::-1], x ** 2])
    return {"wavesift": wavesift, "np": numpy, "x": x, "s": x[0], "t": numpy.arange(600) / 200,
            "u": numpy.diff(x[0]), "v": numpy.diff(x[1]),
            "imf": wavesift.emd(x[0]).modes.T, "e": e, "data3": e.transpose(1, 2, 0)}


def with_mne(names):
    mne = pytest.importorskip("mne")
    raw = mne.io.RawArray(names["x"], mne.create_info(4, 100.0, "eeg"), verbose="error")
    epochs = mne.make_fixed_length_epochs(raw, 2.0, preload=True, verbose="error")
    names.update(mne=mne, raw=raw, epochs=epochs, data=names["x"][None], sfreq=100.0,
                 freqs=numpy.array([10.0, 20.0]))


@pytest.mark.parametrize("code", calls())
@pytest.mark.filterwarnings("ignore")
def test_here(code, names):
    if ".plot()" in code:
        pytest.importorskip("matplotlib").use("Agg")
    if "wavesift.mne" in code or "raw" in code:
        with_mne(names)
    assert eval(code, names) is not None


def other(package, names):
    """Names of another package, or skips."""
    if package == "PyEMD":
        module = pytest.importorskip("PyEMD")
        decomposed = module.EMD()
        decomposed(names["s"])
        names.update(vars(module), emd=decomposed)
        if hasattr(module, "visualisation"):
            names["Visualisation"] = module.visualisation.Visualisation
    elif package == "emd":
        module = names["emd"] = pytest.importorskip("emd")
        logging.getLogger("mne").disabled = False       # it disables all loggers that are there
        names["p"], names["f"], names["a"] = module.spectra.frequency_transform(
            names["imf"], 200, "nht")
    elif package == "MNE":
        with_mne(names)
    elif package == "ssqueezepy":
        module = names[package] = pytest.importorskip(package)
        names["w"] = module.cwt(names["s"], fs=200)[0]
    else:
        module = names[package] = pytest.importorskip(package)
        names["scales"] = module.cwt(names["s"], 1 / 200)[1]


@pytest.mark.parametrize("package, code", [
    (package, code) for package, there, _ in rows() for code in there[:1]
    if package in DISTRIBUTIONS and "(" in code])
def test_there(package, code, names):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("matplotlib").use("Agg")
        other(package, names)
        made = eval(code, names)
    versions[package] = f"{package} {importlib.metadata.version(DISTRIBUTIONS[package])}"
    if package == "pycwt" and code.endswith("[2]"):
        assert (numpy.diff(made) < 0).all() and made[0] == 100       # frequencies, from the highest
    if package == "pycwt" and code.endswith("[3]"):
        assert made.shape == names["s"].shape


@pytest.mark.parametrize("package", ("EEGLAB", "FieldTrip", "MATLAB"))
def test_in_octave(package, tmp_path):
    folder = os.environ.get(f"WAVESIFT_{package.upper()}")
    if not folder or not shutil.which("octave-cli"):
        pytest.skip(f"no Octave, or WAVESIFT_{package.upper()} names no folder")
    lines = [line for of, there, _ in rows() for line in there[:1] if of == package and "(" in line
             and (package != "MATLAB" or line.startswith(("memd(", "ceemdan(")))]
    (tmp_path / "lines").write_text("\n".join(lines))
    done = subprocess.run(["octave-cli", "-q", SCRIPT, package, folder, "lines"], cwd=tmp_path,
                          capture_output=True, text=True)
    told, *found = done.stdout.splitlines()
    assert found == [f"ran: {line}" for line in lines], done.stderr
    versions[package] = told


def test_versions():
    """Last, when all that are there have run."""
    names = {package for package, *_ in rows()}
    if not names:
        pytest.skip("no docs beside the tests")
    with open(PAGE) as f:
        before, rest = f.read().split(TOLD)
    old, after = rest.split(".\n\n", 1)
    if os.environ.get("WAVESIFT_RECORD"):
        assert set(versions) == names
        made = before + TOLD + ";\n".join(versions[name] for name in versions) + ".\n\n" + after
        with open(PAGE, "w") as f:
            f.write(made)
    else:
        assert all(re.search(rf"{name}\b.* [0-9]", old) for name in (
            *DISTRIBUTIONS, "EEGLAB", "FieldTrip", "memd.m"))


def test_page_has_lines():
    if not rows():
        pytest.skip("no docs beside the tests")
    assert len(calls()) >= 60
    for package in ("PyEMD", "emd", "MNE", "ssqueezepy", "pycwt", "EEGLAB", "FieldTrip", "MATLAB"):
        assert sum(name == package for name, *_ in rows()) >= 5
