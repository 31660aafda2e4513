"""Whole commands, as they are typed, beside their limits: reading, work and writing.

    python3 bench/commands.py BUILD/bench [ROW ...]      writes BUILD/bench/commands.json

WAVESIFT       the program (default: the one in BUILD)
WAVESIFT_BASE  another build of it, run in turn with the first, pair by pair
WORK           a folder for 5 GB of files (default: BUILD/bench)
CHANNELS       of the row `long` (default 64); fewer make a quick, rougher figure
RUNS           of each row (default 5; `long` makes half as many)

Rows: short, long, iceemdan, memd, hht, conv, powers, cwt, cwt-f64, superlets, bands, bands-power
(all where none is named).  Seconds are the least of the runs: wall time, and processor time, which
others on the machine hardly change.  Rows on one core are compared with the other build by
processor time, `long` by wall time: medians over the pairs.
"""
import array
import ctypes
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EEG = os.path.join(HERE, "..", "examples", "data", "eeg.edf")
SAMPLES, LONG_SAMPLES, LONG_MODES = 1000000, 1800000, 8
SHORT_LIMIT = 0.38          # s
LONG_LIMIT = 1.4            # of the larger of sifting and writing
SAME_LIMIT = 1.03           # of the other build
FULL_CHANNELS = 64


def run(command, one_core):
    """Wall and processor seconds."""
    def pin():
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    os.sync()
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               preexec_fn=pin if one_core else None)
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    if status:
        sys.exit(f"commands: {' '.join(command)}:\n{said.decode()}")
    return wall, used.ru_utime + used.ru_stime


class Sifting:
    """The sifts of the row `long` alone: the library, samples and modes in memory."""

    def __init__(self, folder):
        self.lib = ctypes.CDLL(os.path.join(folder, "ours.so"))
        self.lib.ours_open_sifting.argtypes = [ctypes.c_size_t, ctypes.c_int]
        self.lib.ours_open_sifting.restype = ctypes.c_void_p
        self.lib.ours_wall.argtypes = [ctypes.c_void_p]
        self.lib.ours_wall.restype = ctypes.c_double
        self.handle = self.lib.ours_open_sifting(LONG_SAMPLES, LONG_MODES)
        self.lib.ours_wall(self.handle)

    def seconds(self, channels):
        """One channel after the other, by all processors, from one in eight of them."""
        some = max(1, channels // 8)
        return sum(self.lib.ours_wall(self.handle) for _ in range(some)) * channels / some


def white(samples):
    draw = random.Random(1).gauss
    return [draw(0.0, 1.0) for _ in range(samples)]


def write_long(path, channels):
    """White noise in channel order; a channel is the one before, begun elsewhere."""
    noise = array.array("f", white(LONG_SAMPLES)).tobytes()
    with open(path, "wb") as f:
        for c in range(channels):
            at = 4 * (c * 27011 % LONG_SAMPLES)
            f.write(noise[at:])
            f.write(noise[:at])


class Programs:
    def __init__(self, folder):
        self.ours = os.environ.get("WAVESIFT") or os.path.join(folder, "..", "wavesift")
        self.base = os.environ.get("WAVESIFT_BASE")

    def turn(self, command, result, one_core):
        """Both programs on a command; the times of ours, and of the other or None."""
        times = [None, None]
        for i, program in enumerate((self.ours, self.base)):
            if not program:
                continue
            if os.path.exists(result):
                os.remove(result)
            times[i] = run([program] + command + ["-o", result], one_core)
        return times


def compare(turns, by):
    """Least seconds of ours; the median ratio to the other build's."""
    row = {"seconds": min(t[0][0] for t in turns), "processor": min(t[0][1] for t in turns),
           "runs": len(turns)}
    if turns[0][1]:
        row["base_seconds"] = min(t[1][0] for t in turns)
        row["base_processor"] = min(t[1][1] for t in turns)
        row["base_ratio"] = statistics.median(t[0][by] / t[1][by] for t in turns)
    return row


def short(programs, work, folder, runs):
    path, result = os.path.join(work, "short.f64"), os.path.join(work, "short.h5")
    with open(path, "wb") as f:
        array.array("d", white(SAMPLES)).tofile(f)
    command = ["emd", path, "--raw", "f64,channels=1,order=channel", "--modes", "12", "--sifts",
               "10", "--threads", "1", "--device", "cpu", "-q"]
    row = compare([programs.turn(command, result, True) for _ in range(runs)], 1)
    row.update(what="emd, 1 000 000 samples x 12 modes x 10 sifts, f64, to .h5, one core",
               limit=SHORT_LIMIT, limit_is="of a quiet core",
               ratio=row["seconds"] / SHORT_LIMIT)
    return row


def long(programs, work, folder, runs):
    channels = int(os.environ.get("CHANNELS", FULL_CHANNELS))
    path, result = os.path.join(work, "long.f32"), os.path.join(work, "long.h5")
    spare = os.path.join(work, "long.dd")
    write_long(path, channels)
    sifting = Sifting(folder)
    command = ["emd", path, "--raw", f"f32,channels={channels},order=channel", "--precision", "f32",
               "--modes", str(LONG_MODES), "--memory", "200M", "--device", "cpu", "-q"]
    turns, sifts, writes, size = [], [], [], 0
    for _ in range((runs + 1) // 2):
        sifts.append(sifting.seconds(channels))
        turns.append(programs.turn(command, result, False))
        size = os.path.getsize(result)
        os.remove(result)
        writes.append(run(["dd", "if=/dev/zero", f"of={spare}", "bs=1M", "iflag=count_bytes",
                           f"count={size}"], False)[0])
        os.remove(spare)
    row = compare(turns, 0)
    row.update(what=f"emd, raw f32, {channels} x 1 800 000, 8 modes, --memory 200M, to .h5",
               sifting=min(sifts), dd=min(writes), bytes=size)
    row["limit"] = LONG_LIMIT * max(row["sifting"], row["dd"])
    row["ratio"] = row["seconds"] / row["limit"]
    row["limit_is"] = (f"{LONG_LIMIT} times the larger of sifting {row['sifting']:.2f} s and dd "
                       f"{row['dd']:.2f} s")
    return row


# On one core: command, and what of it is said.
OF_EEG = {
    "iceemdan": (["iceemdan", "--channels", "Cz"],
                 "defaults, EEG (examples/data), Cz, 30 504 samples"),
    "memd": (["memd"], "defaults, EEG (examples/data), 8 channels x 30 504"),
    "hht": (["hht"], "defaults, EEG (examples/data), 8 channels x 30 504, to .h5"),
    "conv": (["conv", "--mask-formula", "morlet", "--scales", "4:100:20", "--decimate", "8"],
             "20 masks, every 8th sample, EEG (examples/data), to .h5"),
    "powers": (["cwt", "--freqs", "1:40:2000", "--quantity", "power", "--decimate", "300"],
               "power of 2000 frequencies, every 300th sample, EEG (examples/data), to .h5"),
    "cwt": (["cwt"], "defaults, EEG (examples/data), 8 channels x 30 504, to .h5"),
    "cwt-f64": (["cwt", "--precision", "f64"], "f64, EEG (examples/data), 8 channels, to .h5"),
    "superlets": (["superlets", "--freqs", "1:45:20"],
                  "20 frequencies, EEG (examples/data), 8 channels, to .h5"),
    "bands": (["bands"], "defaults, EEG (examples/data), 8 channels, to .h5"),
    "bands-power": (["bands", "--quantity", "power"], "EEG (examples/data), 8 channels, to .h5"),
}


def eeg(name):
    def measure(programs, work, folder, runs):
        command, what = OF_EEG[name]
        result = os.path.join(work, name + ".h5")
        command = [command[0], EEG, *command[1:], "--threads", "1", "--device", "cpu", "-q"]
        row = compare([programs.turn(command, result, True) for _ in range(runs)], 1)
        row["what"] = f"{command[0]}, {what}, one core"
        if "base_ratio" in row:
            row.update(limit=SAME_LIMIT * row["base_processor"],
                       ratio=row["base_ratio"] / SAME_LIMIT,
                       limit_is=f"{SAME_LIMIT} of the other build's processor time")
        return row
    return measure


def tell(row):
    text = f"{row['what']}\n    {row['seconds']:.3f} s, {row['processor']:.3f} s of processors"
    if "limit" in row:
        text += (f"\n    limit {row['limit']:.3f} s, {row['limit_is']}: {row['ratio']:.2f} of it, "
                 f"{'within' if row['ratio'] <= 1 else 'OVER'}; the processor time is "
                 f"{row['processor'] / row['limit']:.2f} of it")
    if "base_ratio" in row:
        text += (f"\n    the other build {row['base_seconds']:.3f} s, {row['base_processor']:.3f} "
                 f"s of processors: ours is {row['base_ratio']:.3f} of it")
    elif "limit" not in row:
        text += "\n    no limit without WAVESIFT_BASE"
    print(text, flush=True)


def main():
    folder, names = sys.argv[1], sys.argv[2:]
    rows = {"short": short, "long": long} | {name: eeg(name) for name in OF_EEG}
    unknown = [n for n in names if n not in rows]
    if unknown:
        sys.exit(f"commands: no row {unknown[0]}; there are {', '.join(rows)}")
    runs = int(os.environ.get("RUNS", "5"))
    work = tempfile.mkdtemp(prefix="commands", dir=os.environ.get("WORK", folder))
    done = []
    try:
        for name in names or rows:
            row = rows[name](Programs(folder), work, folder, runs)
            row["row"] = name
            tell(row)
            done.append(row)
    finally:
        shutil.rmtree(work)
    load = os.getloadavg()[0]
    print(f"{len(os.sched_getaffinity(0))} processors, load average {load:.1f}", flush=True)
    with open(os.path.join(folder, "commands.json"), "w") as f:
        json.dump({"program": "commands", "rows": done, "date": time.strftime("%Y-%m-%d"),
                   "processors": len(os.sched_getaffinity(0)), "load": load}, f, indent=1)


if __name__ == "__main__":
    main()
