"""PyWavelets' direct method, and numpy.convolve, on the work of conv.c: one core, processor time, the
least of three.

    peers.py [SAMPLES SCALES]
"""
import os
import sys
import time

for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

try:
    import numpy as np
    import pywt
except ImportError as error:
    print("PyWavelets   NOT RUN:", error)
    sys.exit(0)

samples = int(sys.argv[1]) if len(sys.argv) > 1 else 102400
scales = int(sys.argv[2]) if len(sys.argv) > 2 else 200
t = (np.arange(samples) + 0.5) / samples
doppler = np.sqrt(t * (1 - t)) * np.sin(2.1 * np.pi / (t + 0.05))


def least(work):
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


for dtype in (np.float64, np.float32):
    x = doppler.astype(dtype)
    masks = []
    for s in range(1, scales + 1):
        u = np.arange(-8 * s, 8 * s + 1) / s
        masks.append((np.exp(-u * u / 2) * np.cos(5 * u) / np.sqrt(s)).astype(dtype))
    name = "f64" if dtype is np.float64 else "f32"
    pywavelets = least(lambda: pywt.cwt(x, np.arange(1, scales + 1), "morl", method="conv"))
    print(f"{name}  PyWavelets {pywt.__version__} conv  {pywavelets:.4f} s", flush=True)
    plain = least(lambda: [np.convolve(x, m, "same") for m in masks])
    print(f"{name}  numpy.convolve {np.__version__}  {plain:.4f} s", flush=True)
