"""The wavelet transform beside fCWT from PyPI (written for 0.1.18): complex64, one core, white noise,
runs alternating; seconds of the core, least of the runs, and the median ratio of neighbouring runs.
fCWT without its planning, which takes minutes.  A package that is not there prints NOT RUN.

    python3 bench/cwt/peers.py BUILD/bench/cwt [SAMPLES [SCALES]]
"""
import importlib
import re
import statistics
import subprocess
import sys
import time

GRIDS = [("EEG, 1 to 100 Hz at 1024 Hz", 1024, 1, 100), ("1 to 450 Hz at 1000 Hz", 1000, 1, 450)]
PAIRS = 5


def ours(program, samples, scales, grid):
    text = subprocess.run([program, str(samples), str(scales), "f32", str(grid)], check=True,
                          capture_output=True, text=True).stdout
    return float(re.search(r"1 thread ([0-9.]+) ns", text)[1])


def main():
    # The folder of this program holds no package.
    sys.path.pop(0)
    try:
        fcwt, numpy = (importlib.import_module(name) for name in ("fcwt", "numpy"))
    except ImportError as why:
        print(f"NOT RUN: {why}")
        return
    program = sys.argv[1]
    samples, scales = (int(sys.argv[i]) if len(sys.argv) > i else n
                       for i, n in ((2, 100000), (3, 300)))
    x = numpy.random.default_rng(1).standard_normal(samples).astype(numpy.float32)
    out = numpy.zeros((scales, samples), numpy.complex64)
    for grid, (name, fs, low, high) in enumerate(GRIDS):
        morlet = fcwt.Morlet(2.0)
        axis = fcwt.Scales(morlet, fcwt.FCWT_LOGSCALES, fs, low, high, scales)
        theirs_plan = fcwt.FCWT(morlet, 1, False, False)
        pairs = []
        for _ in range(PAIRS):
            start = time.process_time()
            theirs_plan.cwt(x, axis, out)
            theirs = (time.process_time() - start) * 1e9 / samples / scales
            pairs.append((ours(program, samples, scales, grid), theirs))
        print(f"{name}: ours {min(a for a, b in pairs):.2f} ns a coefficient, fCWT "
              f"{min(b for a, b in pairs):.2f}, {statistics.median(b / a for a, b in pairs):.1f} times")


main()
