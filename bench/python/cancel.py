r"""How soon Ctrl-C ends a call with the host's arrays, and what it leaves behind.

    PYTHONPATH=bindings/python WAVESIFT_LIBRARY=BUILD/libwavesift.so \
        python3 bench/python/cancel.py [--device=cuda] [--threads=N] [--times=50] [JOB..]

Each job in a process of its own, in which nobody has used the GPU before: while its plan is made,
in the first execution, in which a GPU's kernels come to the device, then at random moments of so
many more.  Prints seconds from the signal to KeyboardInterrupt; free memory of the GPU (0: the
CPU works), memory of the process, MiB, and threads after five and at the end.  Words: these jobs
alone, of JOBS and of LONG, which has one thread's long signals.
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy

import wavesift

MORLET = {"mask_formula": "morlet", "method": "direct"}
ENSEMBLE = {"realizations": 2000, "sifts": 1000}
# Shape, options; each takes a second or more.
JOBS = {
    "emd": ("emd", (8, 400_000), {"sifts": 200_000}),
    "eemd": ("eemd", (8, 200_000), ENSEMBLE),
    "ceemdan": ("ceemdan", (8, 200_000), ENSEMBLE),
    "iceemdan": ("iceemdan", (8, 200_000), ENSEMBLE),
    "memd": ("memd", (16, 200_000), {"sifts": 100_000}),
    "cwt": ("cwt", (2, 1 << 20), {"freqs": "0.001:0.4:200", "quantity": "power",
                                  "precision": "f32"}),
    "bands": ("bands", (8, 1 << 20), {"freqs": "0.001:0.4:200"}),
    "superlets": ("superlets", (2, 1 << 18), {"freqs": "0.01:0.4:100"}),
    "trials": ("trials", (200, 8, 4000), {"freqs": "0.01:0.4:100"}),
    "coherence": ("coherence", (40, 16, 4000), {"freqs": "0.01:0.4:60", "against": "all"}),
    "hhtrials": ("hhtrials", (200, 16, 4000), {}),
    "hht": ("hht", (8, 200_000), {"decomposition": "eemd", **ENSEMBLE}),
    "spectra": ("hht", (16, 1 << 19), {"modes": 6, "sifts": 4}),
    "conv": ("conv", (2, 2_000_000), {"scales": "1:2000:500", "decimate": 32, **MORLET}),
    "compensated": ("conv", (1, 1_000_000), {"scales": "200:2000:20", "sums": "compensated",
                                             **MORLET}),
    "long masks": ("conv", (1, 1_000_000), {"scales": "20000:40000:16", "sums": "compensated",
                                            "decimate": 16, **MORLET}),
    "transforms": ("conv", (4, 2_000_000), {"mask_formula": "morlet", "scales": "1:2000:50",
                                            "method": "fft", "decimate": 32}),
}
# Long signals, for --device=cpu --threads=1.
LONG = {
    "emd, 1 M": ("emd", (1, 1_000_000), {"sifts": 200_000}),
    "eemd, 1 M": ("eemd", (1, 1_000_000), {"realizations": 200, "sifts": 1000}),
    "memd, 4 x 1 M": ("memd", (4, 1_000_000), {"sifts": 100_000}),
}


def memory(device):
    free = wavesift.devices()[0]["memory_free"] >> 20 if device != "cpu" else 0
    with open("/proc/self/status") as f:
        own = next(int(line.split()[1]) >> 10 for line in f if line.startswith("VmRSS"))
    return (free, own, threading.active_count())


def struck(after, work):
    """Seconds from a signal, so many seconds after the beginning of work, to its end."""
    at = []

    def strike():
        time.sleep(after)
        at.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    striker = threading.Thread(target=strike)
    striker.start()
    try:
        while True:
            work()
    except KeyboardInterrupt:
        waited = time.perf_counter() - at[0]
    striker.join()
    return waited


def run(job, asked):
    method, shape, options = {**JOBS, **LONG}[job]
    x = numpy.random.default_rng(0).standard_normal(shape).cumsum(-1)
    x = x.astype("f4" if "precision" in options else "f8")
    random.seed(job)

    def make():
        return wavesift.Plan(method, shape, device=asked.device, threads=asked.threads,
                             **options)

    planning = struck(0.1, make)
    plan = make()
    first = struck(0.1, lambda: plan(x))
    waits, left = [], []
    for i in range(asked.times):
        # Soon after the beginning, and some time later.
        waits.append(struck(random.uniform(0.02, 0.4 if i % 5 == 0 else 0.1), lambda: plan(x)))
        left.append(memory(asked.device))
    waits.sort()
    print(f"| {job} | {waits[-1]:.3f} | {waits[len(waits) // 2]:.3f} | {planning:.3f} | "
          f"{first:.3f} | {left[min(4, len(left) - 1)]} | {left[-1]} |", flush=True)
    os._exit(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--run", metavar="JOB", help=argparse.SUPPRESS)
    parser.add_argument("jobs", nargs="*", metavar="JOB")
    asked = parser.parse_args()
    for job in asked.jobs:
        if job not in {**JOBS, **LONG}:
            parser.error(f"no job {job!r}, but {', '.join({**JOBS, **LONG})}")
    if asked.run:
        run(asked.run, asked)
    where = wavesift.devices()[0]["model"] if asked.device != "cpu" else "cpu"
    print(f"wavesift {wavesift.__version__}, {where}, {asked.times} times\n\n"
          "| job | worst, s | median | while planned | in the first | after five: GPU's free MiB, "
          "own, threads | at the end |\n|---|---|---|---|---|---|---|", flush=True)
    for job in asked.jobs or JOBS:
        subprocess.run([sys.executable, __file__, "--run", job, *sys.argv[1:]], check=True,
                       timeout=300)


if __name__ == "__main__":
    main()
