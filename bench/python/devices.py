"""Calls of the Python package by all processors and on a GPU, from NumPy's arrays into new ones.

    PYTHONPATH=bindings/python WAVESIFT_LIBRARY=BUILD/libwavesift.so python3 bench/python/devices.py

EEG-like noise, f32: 32 channels of 30 504 samples, or 32 channels of 100 epochs of 1000.  Medians of
ROUNDS calls in turn, after one that makes plans and wakes the GPU, ms.
"""
import statistics
import time

import numpy

import wavesift

ROUNDS = 7
BANDS = [(1, 4), (4, 8), (8, 13), (13, 30)]
WORKS = [  # transform, options, epochs
    ("cwt", {"freqs": "1:45", "quantity": "power"}, False),
    ("superlets", {"freqs": "1:45", "order": "1:10"}, False),
    ("bands", {"bands": BANDS}, False),
    ("bands", {"bands": BANDS, "quantity": "power"}, False),
    ("coherence", {"freqs": "1:45:20:log", "against": 0}, False),
    ("trials", {"freqs": "4:45:40"}, True),
    ("coherence", {"freqs": "4:45:20", "against": 0}, True),
]


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main():
    rng = numpy.random.default_rng(1)
    long = rng.standard_normal((32, 30_504)).astype("f4")
    epochs = rng.standard_normal((32, 100, 1000)).astype("f4")
    devices = ["cpu"] + ["cuda"] * any(d["usable"] for d in wavesift.devices())
    print("\n".join(d.get("name", "") for d in wavesift.devices()))
    print(f"| work, ms | {' | '.join(devices)} | ratio |\n|---|{'---|' * len(devices)}---|")
    for name, options, of_epochs in WORKS:
        x = epochs if of_epochs else long

        def call(device):
            return getattr(wavesift, name)(x, fs=128, device=device, **options)
        for device in devices:
            call(device)
        times = [[seconds(lambda: call(device)) for device in devices] for _ in range(ROUNDS)]
        medians = [1e3 * statistics.median(t) for t in zip(*times)]
        told = ", ".join(f"{k} {v}" for k, v in options.items() if v is not BANDS)
        print(f"| `{name}` of {' x '.join(map(str, x.shape))}, {told} | "
              + " | ".join(f"{m:.1f}" for m in medians)
              + f" | {medians[0] / medians[-1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
