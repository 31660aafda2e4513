"""The same work by two builds of the library in turn, such as gcc's and that of a wheel.

    PYTHONPATH=bindings/python python3 bench/python/compilers.py A.so B.so [SECONDS]

Processor time on one thread, minima.
"""
import os
import subprocess
import sys
import time

WORK = """
import sys, time, numpy, wavesift
rng = numpy.random.default_rng(0)
x = rng.standard_normal((1, 60_000)).cumsum(-1) * 0.05 + rng.standard_normal((1, 60_000))
wave, mask = {"freqs": "0.001:0.4:40"}, {"mask_formula": "morlet", "scales": "1:40:20"}
for line in sys.stdin:
    method, precision, options = eval(line)
    options = {**options, **{"cwt": wave, "conv": mask}.get(method, {})}
    shape = (4, 15_000) if method in ("iceemdan", "memd") else x.shape
    plan = wavesift.Plan(method, shape, precision=precision, device="cpu", threads=1, **options)
    s, best = x.astype(plan.dtype).reshape(shape), 9.0
    for _ in range(3):
        began = time.process_time()
        plan(s)
        best = min(best, time.process_time() - began)
    print(best, flush=True)
"""
WORKS = [("emd", "f64", {"sifts": 10, "modes": 6}), ("emd", "f32", {"sifts": 10, "modes": 6}),
         ("iceemdan", "f64", {"realizations": 4, "sifts": 10, "modes": 6}),
         ("memd", "f64", {"sifts": 5, "modes": 3, "directions": 16}),
         ("hht", "f64", {"sifts": 2, "modes": 6}), ("cwt", "f32", {}), ("cwt", "f64", {}),
         ("conv", "f32", {"method": "direct"}), ("conv", "f64", {"method": "direct"}),
         ("conv", "f64", {"method": "fft"})]


def main(libraries, seconds=60.0):
    workers = [subprocess.Popen([sys.executable, "-c", WORK], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True,
                                env={**os.environ, "WAVESIFT_LIBRARY": os.path.abspath(path)})
               for path in libraries]
    best, end = [[9e9, 9e9] for _ in WORKS], time.monotonic() + float(seconds)
    while time.monotonic() < end:
        for work, times in zip(WORKS, best):
            for i, worker in enumerate(workers):
                worker.stdin.write(f"{work!r}\n")
                worker.stdin.flush()
                times[i] = min(times[i], float(worker.stdout.readline()))
    print("| | A, ms | B, ms | B - A |\n|---|---|---|---|")
    for (method, precision, options), (a, b) in zip(WORKS, best):
        how = options.get("method", "")
        print(f"| {method} {how}{' ' * bool(how)}{precision} | {a * 1e3:.2f} | {b * 1e3:.2f} | "
              f"{100 * (b / a - 1):+.1f} % |")
    for worker in workers:
        worker.communicate()


if __name__ == "__main__":
    main(sys.argv[1:3], *sys.argv[3:4])
