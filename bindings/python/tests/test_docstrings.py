"""Documentation of all public names, as numpydoc validates it; signatures with real defaults."""

import functools
import inspect

import pytest

import wavesift

# Not asked for: an extended summary, an example of everything, an imperative; beside which others a
# method or a failure stands is told by its class.
WITHOUT = {"ES01", "EX01", "SS05"}
CLASSES = {"wavesift": ["Plan", "Result", "Similarity"], "wavesift.mne": ["Modes"],
           "wavesift.sklearn": ["BandFeatures", "HilbertFeatures", "ModeFeatures",
                                "WaveletFeatures"]}


@functools.cache
def public(module):
    """Names of functions, classes and their methods."""
    try:
        at = __import__(module, fromlist=["x"])
    except ImportError as e:
        pytest.skip(str(e))
    names = [n for n in at.__all__ if not isinstance(getattr(at, n), int)]
    for name in CLASSES[module]:
        kind = getattr(at, name)
        names += [f"{name}.{n}" for n in dir(kind) if not n.startswith("_")
                  and "wavesift" in getattr(getattr(kind, n), "__module__", "wavesift")
                  and (callable(getattr(kind, n)) or isinstance(getattr(kind, n), property))]
    return names


@pytest.mark.parametrize("module", CLASSES)
def test_valid(module):
    validate = pytest.importorskip("numpydoc.validate").validate
    found = []
    for name in public(module):
        kind = getattr(__import__(module, fromlist=["x"]), name.partition(".")[0])
        failure = isinstance(kind, type) and issubclass(kind, Exception)
        without = WITHOUT | ({"SA01"} if "." in name or failure else set())
        errors = validate(f"{module}.{name}")["errors"]
        found += [f"{name}: {code} {text}" for code, text in errors if code not in without]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", wavesift.transforms())
def test_sections(name):
    text = getattr(wavesift, name).__doc__
    for section in ("Parameters", "Returns", "Raises", "See Also", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in text
    assert "References\n" in text or name == "conv"


@pytest.mark.parametrize("name", ["emd", "iceemdan", "cwt", "coherence", "hht"])
def test_defaults(name, x):
    """Those that are in force, also where they are given."""
    call = getattr(wavesift, name)
    parameters = inspect.signature(call).parameters
    given = {n: p.default for n, p in parameters.items() if p.default not in (None, p.empty)}
    assert len(given) > 4 and given["device"] == "auto" and given["overwrite"] is False
    r = call(x, fs=200, realizations=2) if name == "iceemdan" else call(x, fs=200)
    for option, value in given.items():
        assert option in ("device", "overwrite", "progress", "realizations") or (
            r.options[option] == value), option
    for option in ("device", "overwrite", "progress"):
        call(x[:2, :50], fs=200, **{option: given[option]})
