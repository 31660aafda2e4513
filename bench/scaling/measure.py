"""One GPU and several, by one process or by ranks of MPI, beside the model (model.py).

    python3 bench/scaling/measure.py WAVESIFT gpus  [1 2 4]     one process, so many GPUs
    python3 bench/scaling/measure.py WAVESIFT ranks [1 2 4]     mpirun, a GPU for each rank
    python3 bench/scaling/measure.py WAVESIFT cpu   [1 2 4]     mpirun on CPUs, to try it out

One GPU is measured and gives this machine's kernel; the model then predicts the others.  Wall is
the whole command, work its time without the start: the program's own seconds less what a like
command takes that opens as many GPUs for a few samples.  The better of two runs counts.  Results
are .h5, which all ranks write, and compared by same_result, a program of the build, where it is
beside WAVESIFT.  SCALE=0.1 makes rows as much shorter.
ROWS=cwt,memd chooses.  Needs Python alone; WAVESIFT_MPIRUN names another mpirun, with options.
"""
import array
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time

from model import work

SCALE = float(os.environ.get("SCALE", 1))
# Name; title; channels; samples; command; blocks that are shared out, by workers; share of one
# GPU's work that does not become less (model.py tells where from); do ranks share it?
ROWS = (
    ("one", "one channel, I = 2000", 1, 102401, "iceemdan --realizations 2000", 63,
     0.103, False),
    ("iceemdan", "64 channels, defaults", 64, 102401, "iceemdan", 64, 0.167, True),
    ("cwt", "cwt 64 x 1 M x 70 power", 64, 1000000,
     "cwt --freqs 1:100:70:log --quantity power", 64, 0.042 / 0.384, True),
    ("long", "cwt 1 x 64 M x 70 power by 16", 1, 64000000,
     "cwt --freqs 1:100:70:log --quantity power --decimate 16", 70, 0.10, True),
    ("memd", "memd 128 x 256 x 100 000", 128, 100000, "memd --directions 256", 391, 0.457, False),
)
# What has hardly any work and opens as many GPUs: channels of 4096 samples; other options.
LEAST = {"one": (1, "iceemdan --realizations 128 --modes 1 --sifts 1"),
         "memd": (128, "memd --directions 1100 --modes 1 --sifts 1")}


def signal(path, channels, samples):
    """A random walk with noise, f32; each channel begins elsewhere in it."""
    source, at, walk = random.Random(3), 0.0, array.array("f")
    for _ in range(min(samples, 1000003)):
        at += source.gauss(0, 1)
        walk.append(at + 10 * source.gauss(0, 1))
    period = walk + walk[::-1]
    while len(period) < 2 * samples:
        period += period
    with open(path, "wb") as f:
        for c in range(channels):
            first = c * 7919 % samples
            f.write(period[first:first + samples].tobytes())


def launch(program, way, workers):
    """The words before the command's, and the device."""
    if way == "gpus":
        return [program], ["--device", "cuda:" + ",".join(map(str, range(workers)))]
    device = ["--device", "cpu", "--threads", "1"] if way == "cpu" else ["--device", "cuda:" + ",".join(
        map(str, range(workers)))]
    if workers == 1:
        return [program], device
    mpirun = shlex.split(os.environ.get("WAVESIFT_MPIRUN", "mpirun --oversubscribe --bind-to none"))
    return [*mpirun, "-n", str(workers), program], device


def run(words):
    begun = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stderr}")
    return time.monotonic() - begun, json.loads(done.stdout)["seconds"]


def command(program, way, workers, options, path, channels, out):
    before, device = launch(program, way, workers)
    name, *others = options.split()
    return [*before, name, path, "--raw", f"f32,channels={channels},order=channel", "--fs", "1000",
            *others, *device, "--precision", "f32", "-o", out, "--overwrite", "--json"]


def compared(program, first, out):
    """"equal", or what differs, but for how and when they were made."""
    same = os.path.join(os.path.dirname(program), "same_result")
    if not os.path.exists(same):
        return "not compared"
    done = subprocess.run([same, first, out], capture_output=True, text=True)
    return "DIFFERENT" if done.returncode else "equal"


def measure(program, way, workers, row, folder):
    """Wall and work, in seconds."""
    name, _, channels, samples, options, *_ = row
    path, out = os.path.join(folder, name + ".f32"), os.path.join(folder, name + ".h5")
    few, least = LEAST.get(name, (1, options))
    small = os.path.join(folder, "small.f32")
    signal(small, few, 4096)
    best = min(run(command(program, way, workers, options, path, channels, out))
               for _ in range(2))
    begin = min(run(command(program, way, workers, least, small, few, os.path.join(folder, "s.h5")))
                for _ in range(2))
    return best[0], best[0] - begin[0]


def percent(model, measured):
    return f"{100 * (model / measured - 1):+6.1f} %" if measured > 0 else ""


def main(program, way="gpus", *numbers):
    numbers = [int(n) for n in numbers] or [1, 2, 4]
    chosen = os.environ.get("ROWS", "").split(",")
    differ, worst = 0, 0.0
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        print(f"{'':32s} {way:>5s}     wall     work  times |   model  differs | result")
        for row in ROWS:
            name, title, channels, samples, _, blocks, serial, by_ranks = row
            if (chosen != [""] and name not in chosen) or (way != "gpus" and not by_ranks):
                continue
            row = (*row[:3], max(4096, int(samples * SCALE)), *row[4:])
            signal(os.path.join(folder, name + ".f32"), channels, row[3])
            first = None
            for n in numbers:
                wall, took = measure(program, way, n, row, folder)
                out, one = (os.path.join(folder, f) for f in (name + ".h5", "first.h5"))
                if not first:
                    first = n, took
                    os.replace(out, one)
                result = compared(program, one, out) if n != first[0] else "first"
                # One GPU's work, as this machine does it.
                alone = first[1] / work(1 - serial, serial, first[0], blocks)
                model = work(alone * (1 - serial), alone * serial, n, blocks)
                worst = max(worst, abs(model / took - 1) if took > 0.05 else 0)
                differ += result == "DIFFERENT"
                print(f"{title:32s} {n:5d} {wall:8.2f} {took:8.2f}  {first[1] / took:5.2f} | "
                      f"{model:7.2f} {percent(model, took)} | "
                      f"{result}", flush=True)
            for file in os.listdir(folder):
                os.remove(os.path.join(folder, file))
    print(f"largest difference of the model {100 * worst:.1f} %")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
