"""Prints what the Python package needs, and its named extras (pyproject.toml), for pip.

    python3 scripts/python_needs.py [EXTRA ...]
"""
import os
import sys
import tomllib

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

with open(os.path.join(ROOT, "pyproject.toml"), "rb") as f:
    project = tomllib.load(f)["project"]
needs = list(project["dependencies"])
for extra in sys.argv[1:]:
    needs += project["optional-dependencies"][extra]
print(*(need.replace(" ", "") for need in dict.fromkeys(needs)))
