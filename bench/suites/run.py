"""Runs peers' own tests on wavesift: docs/validation.md, section suites.

    run.py SUITE ...        of suites.py; all where none is named

The tests come from the package's source distribution on PyPI, or, where that has none, from the
installed package; the package itself is what is installed (pip install elephant neurodsp ..).
adapters.py puts our functions in the place of theirs.  A test may fail for a reason that
known.json names, with whose fault it is; any other failure, and a named one that passes, fails the
run.  PYTHON is this interpreter; the library is build/libwavesift.so, or WAVESIFT_LIBRARY.
"""
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# name: (module, files of tests within the package, from the source distribution?)
SUITES = {
    "EMD-signal": ("PyEMD", ["tests/test_emd.py", "tests/test_eemd.py", "tests/test_ceemdan.py"],
                   True),
    "emd": ("emd", ["tests/test_sift.py", "tests/test_spectra.py"], True),
    "PyWavelets": ("pywt", ["tests/test_cwt_wavelets.py", "tests/test_matlab_compatibility_cwt.py",
                            "tests/test_concurrent.py"], False),
    "scipy": ("scipy", ["signal/tests/test_signaltools.py"], False),
    "neurodsp": ("neurodsp", ["tests/timefrequency/test_wavelets.py",
                              "tests/timefrequency/test_hilbert.py"], False),
    "elephant": ("elephant", ["test/test_signal_processing.py"], False),
    "mne-connectivity": ("mne_connectivity", ["spectral/tests/test_spectral.py"], False),
}


def distribution(name, version):
    """The bytes of name's source distribution of that version on PyPI; None: there is none."""
    page = f"https://pypi.org/simple/{name.lower()}/"
    with urllib.request.urlopen(page, timeout=60) as answer:
        html = answer.read().decode()
    for link in re.findall(r'href="([^"]+)"', html):
        url = urllib.parse.urljoin(page, link.split("#")[0])
        if url.endswith(f"-{version}.tar.gz"):
            with urllib.request.urlopen(url, timeout=300) as answer:
                return answer.read()
    return None


def tests_from_distribution(name, version, module, files, folder):
    """The package's files of tests, unpacked into a folder shaped as the package."""
    data = distribution(name, version)
    if data is None:
        return []
    archive = os.path.join(folder, "sdist.tar.gz")
    with open(archive, "wb") as f:
        f.write(data)
    found = []
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            for file in files:
                if member.name.endswith(f"/{module}/{file}"):
                    path = os.path.join(folder, os.path.basename(file))
                    text = tar.extractfile(member).read().decode()
                    # Tests that are no longer within their package name it in full.
                    text = re.sub(r"^(\s*)from \.\.(\w)", rf"\1from {module}.\2", text, flags=re.M)
                    text = re.sub(r"^(\s*)from \.\. ", rf"\1from {module} ", text, flags=re.M)
                    with open(path, "w") as f:
                        f.write(text)
                    found.append(path)
    return found


def run(name, known):
    """True if nothing failed that known does not name; None: NOT RUN."""
    module, files, from_distribution = SUITES[name]
    found = importlib.util.find_spec(module)
    if not found:
        print(f"{name}: NOT RUN: {module} is not installed")
        return None
    version = importlib.metadata.version(name)
    environment = dict(os.environ, WAVESIFT_SUITE=name, OMP_NUM_THREADS="1", MPLBACKEND="Agg")
    environment.setdefault("WAVESIFT_LIBRARY", os.path.join(ROOT, "build", "libwavesift.so"))
    environment["PYTHONPATH"] = os.pathsep.join([HERE, os.path.join(ROOT, "bindings", "python")])
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(os.path.dirname(found.origin), file) for file in files]
        if from_distribution:
            paths = tests_from_distribution(name, version, module, files, folder)
        paths = [path for path in paths if os.path.exists(path)]
        if not paths:
            print(f"{name}: NOT RUN: no tests in its distribution")
            return None
        text = pytest(paths, folder, environment)
        failed = failures(text)
        # What fails on the package's own functions, too, is not ours.
        without = {}
        if failed:
            again = [f"{path}::{test}" for path in paths for test in failed
                     if failed[test][0] == os.path.basename(path)]
            without = failures(pytest(again, folder, dict(environment, WAVESIFT_SUITE="")))
    return judge(name, version, text, failed, without, known.get(name, {}))


def pytest(tests, folder, environment):
    command = [sys.executable, "-m", "pytest", "-p", "adapters", "-q", "-rfE", "--tb=line",
               "--no-header", "--confcutdir=/", "-p", "no:cacheprovider", "-W", "ignore", *tests]
    done = subprocess.run(command, cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


def failures(text):
    """{test: (file, what pytest says)}"""
    return {test: (os.path.basename(file), why) for file, test, why in
            re.findall(r"^(?:FAILED|ERROR) (\S+?)::(\S+)(?: - (.*))?$", text, re.M)}


def judge(name, version, text, failed, without, known):
    counts = {word: int(n) for n, word in
              re.findall(r"(\d+) (passed|failed|skipped|errors?|xfailed)", text.splitlines()[-1])}
    calls = re.search(r"^wavesift calls: (.*)$", text, re.M)
    new = [test for test in failed if test not in known and test not in without]
    gone = [test for test in known if test not in failed]
    good = counts.get("passed", 0) > 0 and calls and calls[1] and not new and not gone
    print(f"{'PASS' if good else 'FAIL'}: {name} {version}: {counts.get('passed', 0)} passed, "
          f"{len(failed)} failed ({len(without)} of them without wavesift, too), "
          f"{counts.get('skipped', 0)} skipped; calls of ours: {calls[1] if calls else 'none'}")
    for test in sorted(failed):
        if test not in without:
            print(f"  {test}: {known.get(test) or 'NEW: ' + failed[test][1][:160]}")
    for test in gone:
        print(f"  {test}: passes now, and known.json says that it fails")
    if not counts.get("passed"):
        print(text[-2000:])
    return bool(good)


def main():
    with open(os.path.join(HERE, "known.json")) as f:
        known = json.load(f)
    results = [run(name, known) for name in sys.argv[1:] or SUITES]
    return 77 if all(r is None for r in results) else int(False in results)


sys.exit(main())
