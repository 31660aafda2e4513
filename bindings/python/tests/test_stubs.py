"""wavesift/__init__.pyi, which type checkers read, has what the package has; the site too."""

import ast
import copy
import functools
import inspect
import os
import pickle
import re

import pytest

import wavesift
from wavesift import _result, _rows, _stubs

HERE = os.path.dirname(os.path.abspath(__file__))


def test_current():
    path = os.path.join(os.path.dirname(wavesift.__file__), "__init__.pyi")
    with open(path) as f:
        assert f.read() == _stubs.text(), f"run python3 -m wavesift._stubs >{path}"


def test_all_names():
    names = set(re.findall(r"\bas (\w+)|^(?:def|class) (\w+)|^(\w+):", _stubs.text(), re.M))
    assert {n for found in names for n in found} >= set(wavesift.__all__)


def test_members():
    """Functions, classes and methods have the parameters that they have, and all that is public."""
    stub = ast.parse(_stubs.text())
    for name, given in _signatures(stub).items():
        at = functools.reduce(getattr, name.split("."), wavesift)
        if callable(at) and name not in wavesift.transforms():
            assert given == list(inspect.signature(at).parameters), name
    for kind in (wavesift.Result, wavesift.Plan, wavesift.Similarity):
        node = next(n for n in stub.body if getattr(n, "name", "") == kind.__name__)
        known = {getattr(n, "name", None) or n.target.id for n in node.body
                 if not isinstance(n, ast.Expr)}
        public = {n for n in (*dir(kind), *getattr(kind, "__dataclass_fields__", ()))
                  if not n.startswith("_")}
        assert public <= known, (kind, public - known)


def test_other_stubs():
    """Those of modules that are not made from the table have what these have."""
    folder = os.path.dirname(wavesift.__file__)
    for module in ("mne", "sklearn"):
        with open(os.path.join(folder, f"{module}.py")) as f:
            code = ast.parse(f.read())
        with open(os.path.join(folder, f"{module}.pyi")) as f:
            stub = ast.parse(f.read())
        assert _signatures(code) == _signatures(stub), module


def _signatures(tree):
    """Names of the parameters of public functions and methods."""
    made = {}
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else []
        for f in [node, *inner]:
            if isinstance(f, ast.FunctionDef) and not (f.name.startswith("_") and not (
                    f.name == "__init__" and node.name.endswith("Features"))):
                name = f.name if f is node else f"{node.name}.{f.name}"
                a = f.args
                made[name] = [x.arg for x in (*a.args, *a.kwonlyargs, a.kwarg) if x]
    return made


def test_results_have_their_class(x):
    """Which type checkers know by its arrays."""
    stubs = _stubs.text()
    for row in _rows.ROWS.values():
        kind = getattr(wavesift, _result.result_name(row.name))
        assert issubclass(kind, wavesift.Result) and f"class {kind.__name__}(Result)" in stubs
    r = wavesift.emd(x, fs=200)
    assert type(r) is wavesift.EmdResult and type(copy.copy(r)) is type(r)
    assert type(pickle.loads(pickle.dumps(r))) is type(r)
    known = re.search(r"class EmdResult\(Result\):\n((?:    .*\n)+)", stubs)[1]
    assert set(r.arrays) <= set(re.findall(r"^    (\w+):", known, re.M))


def test_site():
    path = os.path.join(HERE, "..", "..", "..", "docs", "site", "api.rst")
    if not os.path.exists(path):
        pytest.skip("no docs beside the tests")
    with open(path) as f:
        listed = set(re.findall(r"^   ([\w.]+)$", f.read(), re.M))
    assert listed >= set(wavesift.__all__) - {"numerics_version"}


@pytest.mark.parametrize("name", sorted(n for n in os.listdir(HERE) if n.endswith(".py")))
def test_no_test_hides_another(name):
    """Of two functions of one name in a module, the first would never run."""
    with open(os.path.join(HERE, name)) as f:
        found = [n.name for n in ast.parse(f.read()).body if isinstance(n, ast.FunctionDef)]
    assert len(found) == len(set(found))
