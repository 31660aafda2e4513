"""Sphinx builds docs/ as a site; `make site` runs it."""

import os
import sys

import wavesift

HERE = os.path.dirname(os.path.abspath(__file__))
os.environ.setdefault("WAVESIFT_EXAMPLES", os.path.join(HERE, "..", "..", "examples", "data"))
sys.path.insert(0, HERE)

project = "wavesift"
version = release = wavesift.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc",
              "sphinx_gallery.gen_gallery", "myst_parser"]
myst_heading_anchors = 3
# Pages of docs/ link to others of the repository, which the site leaves out.
suppress_warnings = ["myst.xref_missing", "config.cache"]
numpydoc_show_class_members = False
autosummary_generate = True
html_theme = "alabaster"
html_theme_options = {"description": "What oscillates in a recording, and when",
                      "page_width": "1100px"}
sphinx_gallery_conf = {"examples_dirs": "../gallery", "gallery_dirs": "gallery",
                       "filename_pattern": "/plot_", "remove_config_comments": True,
                       "abort_on_example_error": True, "show_memory": False}
