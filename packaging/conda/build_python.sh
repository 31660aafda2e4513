#!/bin/bash
# build_python.sh: the Python package over the library of the package libwavesift.
set -euo pipefail
cp -r bindings/python/wavesift "$SP_DIR"
"$PYTHON" packaging/metadata.py "$SP_DIR"
