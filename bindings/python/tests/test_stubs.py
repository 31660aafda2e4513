"""wavesift/__init__.pyi, which type checkers read, has what the package has; the site too."""

import ast
import os
import re

import pytest

import wavesift
from wavesift import _stubs

HERE = os.path.dirname(os.path.abspath(__file__))


def test_current():
    path = os.path.join(os.path.dirname(wavesift.__file__), "__init__.pyi")
    with open(path) as f:
        assert f.read() == _stubs.text(), f"run python3 -m wavesift._stubs >{path}"


def test_all_names():
    names = set(re.findall(r"\bas (\w+)|^def (\w+)|^(\w+):", _stubs.text(), re.M))
    assert {n for found in names for n in found} >= set(wavesift.__all__)


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
