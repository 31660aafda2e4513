"""metadata.py FOLDER [INSTALLER]: tells Python's packaging tools, from pyproject.toml, of the package
that lies in FOLDER: its dist-info."""

import os
import subprocess
import sys
import tomllib

with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)["project"]
version = subprocess.check_output(["sh", "scripts/version.sh"], text=True).strip()
folder = os.path.join(sys.argv[1], f"wavesift-{version}.dist-info")
os.makedirs(folder)
lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}",
         f"Summary: {project['description']}",
         f"Requires-Python: {project['requires-python']}",
         *(f"Requires-Dist: {need}" for need in project["dependencies"])]
for name, text in (("METADATA", "\n".join(lines)), ("INSTALLER", (sys.argv[2:] or ["conda"])[0])):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text + "\n")
