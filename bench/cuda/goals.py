"""What the GPU reaches at the defaults, beside its goals and beside another build, in turn.

    python3 bench/cuda/goals.py BUILD [BASE] [ROW ...]     rows whose name contains a ROW; else all

BUILD, BASE: folders of a build: wavesift, libwavesift_cuda.so, and bench/cuda/emd and memd, which
bench/cuda/run.sh makes (they look for the backend beside them).

RUNS           of each row by each build after one that does not count (default 5): medians
WAVESIFT_DATA  the folder of recordings: rows of EEG want eeg/pannon of it (32 x 30 504)

A row is a shape of the engine, in ps a sample and sift or in us a sift, or a whole command, in s.
What is absent prints NOT RUN.  Needs NumPy.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

RUNS = int(os.environ.get("RUNS", 5))
EEG = os.path.join(os.environ.get("WAVESIFT_DATA", ""), "eeg/pannon/EEGsample_32CH_30504.bin")
SIFT, US, JOINT, COMMAND = "ps a sample and sift", "us a sift", "ps, memd", "s"
# name; unit; arguments of the runner, or a signal and the command; goal
ROWS = (
    ("Rilling's rule, 102 401 x 100", SIFT, "102401 100 f32 rilling", 9.5),
    ("Rilling's rule, 10 240 x 100", SIFT, "10240 100 f32 rilling", 10),
    ("Rilling's rule, 5000 x 1000", SIFT, "5000 1000 f32 rilling", 8),
    ("Rilling's rule, 102 401 x 100, f64", SIFT, "102401 100 f64 rilling", 22),
    ("one signal, 16 384", US, "16384 1 f32 10", 4),
    ("one signal, 60 000", US, "60000 1 f32 10", 5),
    ("one signal, 300 000", US, "300000 1 f32 10", 6),
    ("one signal, 16 384, Rilling's rule", US, "16384 1 f32 rilling", None),
    ("one signal, 300 000, Rilling's rule", US, "300000 1 f32 rilling", None),
    ("one signal, 4 M", SIFT, "4000000 1 f32 10", 10),
    ("7000 x 64", SIFT, "7000 64 f32 10", 10),
    ("memd 8 x 64 x 30 504", JOINT, "8 64 30504 f32 8 10", 4),
    ("memd 16 x 32 x 5000", JOINT, "16 32 5000 f32 8 10", 7),
    ("memd 4 x 64 x 100 000", JOINT, "4 64 100000 f32 8 10", 7),
    ("memd 19 x 128 x 60 000", JOINT, "19 128 60000 f32 8 10", 3),
    ("memd 32 x 64 x 30 504", JOINT, "32 64 30504 f32 8 10", 2),
    ("command: emd, EEG, 1 channel", COMMAND, "eeg emd --channels 1", 0.30),
    ("command: iceemdan, EEG, f32", COMMAND, "eeg iceemdan --precision f32", 0.9),
    ("command: iceemdan, EEG, f64", COMMAND, "eeg iceemdan --precision f64", 1.4),
    ("command: iceemdan, EEG, 1 channel", COMMAND, "eeg iceemdan --precision f32 --channels 1",
     0.40),
    ("command: iceemdan, EEG, 4 channels", COMMAND, "eeg iceemdan --precision f32 --channels 1-4",
     0.45),
    ("command: eemd, EEG, f32", COMMAND, "eeg eemd --precision f32", None),
    ("command: memd, EEG", COMMAND, "eeg memd --precision f32", None),
    ("command: hht, EEG", COMMAND, "eeg hht", None),
    ("command: coherence, EEG", COMMAND, "eeg coherence --freqs 1:45", None),
    ("command: superlets, EEG", COMMAND, "eeg superlets", None),
    ("command: bands, EEG", COMMAND, "eeg bands", None),
    ("command: cwt, EEG", COMMAND, "eeg cwt", None),
    ("command: cwt, EEG, power", COMMAND, "eeg cwt --freqs 1:45:60 --quantity power", None),
    ("command: cwt, 1 M x 100", COMMAND, "one cwt --freqs 1:450:100 --quantity power", None),
    ("command: cwt, 1 M x 100, by 16", COMMAND,
     "one cwt --freqs 1:450:100 --quantity power --decimate 16", None),
    ("command: iceemdan, 64 x 102 401", COMMAND, "long iceemdan --precision f32", 5),
)


def runner(build, name, arguments):
    return json.loads(subprocess.run([os.path.join(build, "bench/cuda", name), *arguments.split()],
                                     check=True, capture_output=True).stdout)


def measure(build, kind, text, folder):
    if kind in (SIFT, US):
        ps = runner(build, "emd", text)["all_modes_ps"]
        return ps if kind == SIFT else ps * int(text.split()[0]) * 1e-6
    if kind == JOINT:
        return runner(build, "memd", text)["ps"]
    signal, name, *options = text.split()
    start = time.monotonic()
    subprocess.run([os.path.join(build, "wavesift"), name, *read(signal, folder), *options,
                    "--device", "cuda", "-o", os.path.join(folder, "out.h5"), "--overwrite", "-q"],
                   check=True)
    return time.monotonic() - start


def read(signal, folder):
    """A signal, as words of a command; made where it is not there yet."""
    if signal == "eeg":
        return [EEG, "--raw", "f32,channels=32,order=channel", "--fs", "128"]
    path = os.path.join(folder, signal + ".npy")
    if not os.path.exists(path):
        shape = {"one": (1, 1 << 20), "long": (64, 102401)}[signal]
        draw = numpy.random.default_rng(1).standard_normal
        walk = 0.1 * numpy.cumsum(draw(shape), axis=1) + draw(shape)
        numpy.save(path, walk.astype("f4"))
    return [path, "--fs", "1000"]


def row(builds, name, kind, text, goal, folder):
    if text.startswith("eeg ") and not os.path.exists(EEG):
        return [name, "NOT RUN: no EEG"]
    taken = [[] for _ in builds]
    for run in range(1 + RUNS):
        for build, times in zip(builds, taken):
            try:
                times.append(measure(build, kind, text, folder))
            except (OSError, subprocess.CalledProcessError) as error:
                return [name, f"NOT RUN: {error}"]
    now, *before = (statistics.median(times[1:]) for times in taken)
    return [name, kind, f"{now:.3g}", *(f"{b:.3g}" for b in before),
            *(f"{now / b:.3f}" for b in before), "" if goal is None else f"{goal:g}",
            "" if goal is None else "reached" if now <= goal else f"{now / goal:.2f} of it"]


def main(build, *rest):
    base = [rest[0]] if rest and os.path.isdir(rest[0]) else []
    wanted = rest[len(base):]
    head = ["row", "unit", "now", *(["before", "ratio"] if base else []), "goal", ""]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, text, goal in ROWS:
            if not wanted or any(w in name for w in wanted):
                print("| " + " | ".join(row([build, *base], name, kind, text, goal, folder)) + " |",
                      flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
