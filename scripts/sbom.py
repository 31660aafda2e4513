"""sbom.py FOLDER TREE: what is in each file of a release, and what it needs, as SPDX 2.3.

A wheel and an sdist tell what they need in their metadata, a Debian package in its control file.  The time is SOURCE_DATE_EPOCH's."""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile

folder, tree = sys.argv[1:]
version = subprocess.check_output(["sh", f"{tree}/scripts/version.sh"], text=True).strip()
packages, relations = {}, []


def package(name, version=None, licence="NOASSERTION", **more):
    """The identifier of a package, which is listed if it was not yet."""
    key = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", f"{name}-{version}" if version else name)
    entry = {"SPDXID": key, "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
             "licenseConcluded": licence, "licenseDeclared": licence,
             "copyrightText": "NOASSERTION", **more}
    if version:
        entry["versionInfo"] = version
    packages.setdefault(key, entry)
    return key


def relate(a, kind, b):
    relations.append({"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b})


def purl(kind, name):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
             "referenceLocator": f"pkg:{kind}/{name}"}]


def python_needs(key, metadata):
    for need in re.findall(r"^Requires-Dist: ([\w.-]+)([^;\n]*)$", metadata, re.M):
        relate(key, "DEPENDS_ON", package(need[0], externalRefs=purl("pypi", need[0].lower()),
                                          comment="any version " + need[1].strip()))


def wheel(key, path):
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".dist-info/METADATA"):
                python_needs(key, archive.read(name).decode())
            if name.endswith("/LIBRARIES.txt"):
                for line in archive.read(name).decode().splitlines():
                    library, its_version, licence = line.split("\t")
                    relate(key, "CONTAINS", package(library, its_version, comment=licence,
                                                    externalRefs=purl("deb/debian", library)))


def debian(key, path):
    needs = subprocess.check_output(["dpkg-deb", "-f", path, "Depends"], text=True)
    for need in re.findall(r"(?:^|, )([\w.+-]+)", needs):
        relate(key, "DEPENDS_ON", package(need, externalRefs=purl("deb/debian", need)))


def sdist(key, path):
    with tarfile.open(path) as archive:
        for member in archive:
            if member.name.endswith("/PKG-INFO"):
                python_needs(key, archive.extractfile(member).read().decode())


readers = {".whl": wheel, ".deb": debian, f"wavesift-{version}.tar.gz": sdist}
digests = hashlib.sha256()
for name in sorted(os.listdir(folder)):
    path = os.path.join(folder, name)
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    digests.update(digest.encode())
    key = package(name, None, "BSD-3-Clause", versionInfo=version, packageFileName=name,
                  checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    relate("SPDXRef-DOCUMENT", "DESCRIBES", key)
    for ending, read in readers.items():
        if name.endswith(ending):
            read(key, path)

created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
json.dump({
    "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
    "name": f"wavesift-{version}",
    "documentNamespace": f"https://spdx.org/spdxdocs/wavesift-{version}-{digests.hexdigest()}",
    "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                     "creators": ["Organization: wavesift developers", "Tool: sbom.py"]},
    "packages": list(packages.values()), "relationships": relations}, sys.stdout, indent=1)
