"""Whole commands by one thread and by many, on the CPU, beside their goals at 64 cores.

    python3 bench/cores.py WAVESIFT [ROW ...]      a table; status 1 where a goal is missed

BASE     another build of the program, run in turn with the first
THREADS  counts of threads (default: 1 4 16 32 64, as many as there are processors)
RUNS     rounds over all rows, of which medians count (default 3)
ONCE     a run that takes longer is not repeated with so many threads, s (default 2.5)
SECONDS  a round begins no further command after so many (default 200); the first is made whole
WORK     a folder for recordings and results of up to 3 GB (default: /dev/shm, else the system's)
SCALE    0.1 makes the recordings as much shorter, to try it out; goals then say nothing

Rows are numbered from 1.  The EEG is the recording of 32 channels x 30 504 in WAVESIFT_DATA
(default: ../shared/data), or else the 8 channels of examples/data; other recordings are noise and
two tones.  All runs are f32 with results in .h5.  Counts of threads take turns, so that a machine
whose speed changes tells on all of them.  More threads lose where the median of a count is more
than 3 % above that of a smaller one.  On 64 cores all of it takes some three minutes.  Needs Python
alone.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

from estimates import record

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.environ.get("WAVESIFT_DATA", os.path.join(ROOT, "..", "shared", "data"))
EEG = os.path.join(DATA, "eeg", "pannon", "EEGsample_32CH_30504.bin")
EEG_LESS = os.path.join(ROOT, "examples", "data", "eeg.edf")
SCALE = float(os.environ.get("SCALE", 1))
LOSS = 1.03
# Channels and samples of a recording that is made, or channels of the EEG; command; goal at 64
# cores, s.
ROWS = [
    (8, "iceemdan", 1.0),
    (8, "iceemdan --sifts 10", 0.15),
    (1, "iceemdan", 0.45),
    (32, "memd --sifts 10", 0.20),
    ((64, 500000), "emd --modes 8", 0.6),
    ((64, 500000), "cwt --freqs 1:100:60 --quantity power --decimate 16", 0.15),
    ((8, 500000), "cwt --freqs 1:100:60", 0.4),
    ((64, 500000), "hht --modes 6 --parts marginal", 0.5),
    ((8, 500000), "conv --mask-formula morlet --scales 4:200:50 --decimate 16", 0.1),
]


def eeg_channels(row):
    return row[0] if os.path.exists(EEG) else min(row[0], 8)


def recording(row, work):
    """The words that name the recording of a row, which is made where it is not there yet."""
    if isinstance(row[0], int):
        raw = ["--raw", "f32,channels=32,order=channel", "--fs", "250"]
        first = [EEG, *raw] if os.path.exists(EEG) else [EEG_LESS]
        return first + ["--channels", f"1-{eeg_channels(row)}"]
    channels, samples = row[0][0], int(row[0][1] * SCALE)
    path = os.path.join(work, f"{channels}.f32")
    if not os.path.exists(path):
        record(path, channels, samples)
    return [path, "--raw", f"f32,channels={channels},order=channel", "--fs", "250"]


def run(program, row, threads, work):
    """Wall seconds, and bytes of the result."""
    verb, *options = row[1].split()
    first, *rest = recording(row, work)
    result = os.path.join(work, "r.h5")
    command = [program, verb, first, *rest, *options, "--precision", "f32", "--device", "cpu",
               "--threads", str(threads), "-o", result, "-q"]
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    took = time.monotonic() - start
    if done.returncode:
        sys.exit(f"cores: {' '.join(command)}:\n{done.stderr.decode()}")
    size = os.path.getsize(result)
    os.remove(result)
    return took, size


def measure(programs, rows, counts, work):
    """{(program, row, threads): seconds of each run}, {row: bytes}."""
    once = float(os.environ.get("ONCE", 2.5))
    limit = time.monotonic() + float(os.environ.get("SECONDS", 200))
    times, sizes = {}, {}
    for turn in range(int(os.environ.get("RUNS", 3))):
        for i in rows:
            recording(ROWS[i], work)
            for threads in counts:
                for program in programs:
                    found = times.setdefault((program, i, threads), [])
                    if turn and (found[0] > once or time.monotonic() > limit):
                        continue
                    took, sizes[i] = run(program, ROWS[i], threads, work)
                    found.append(took)
            print(f"round {turn + 1}: row {i + 1}", file=sys.stderr, flush=True)
    return times, sizes


def losses(of, counts):
    """Where more threads are slower than the fastest smaller count, and how much; '' if nowhere."""
    found = []
    for k, more in enumerate(counts[1:], 1):
        fewer = min(counts[:k], key=of.get)
        if of[more] > LOSS * of[fewer]:
            found.append(f"{more} than {fewer} by {100 * (of[more] / of[fewer] - 1):.0f} %")
    return "; ".join(found)


def table(program, rows, counts, times, sizes):
    """Prints a row for each command; how many miss a goal."""
    missed = 0
    print(f"| | command | channels x samples | MB | {' | '.join(map(str, counts))} | runs "
          "| goal at 64 | of it | slower than fewer threads |")
    print("|---|---|---|---|" + "---|" * (len(counts) + 4))
    for i in rows:
        of = {c: statistics.median(times[program, i, c]) for c in counts}
        runs = [len(times[program, i, c]) for c in counts]
        lost, goal = losses(of, counts), ROWS[i][2]
        at_goal = counts[-1] == 64 and SCALE == 1
        missed += bool(lost) or at_goal and of[64] > goal
        channels, samples = ((eeg_channels(ROWS[i]), 30504) if isinstance(ROWS[i][0], int)
                             else (ROWS[i][0][0], int(ROWS[i][0][1] * SCALE)))
        ratio = f"{of[64] / goal:.2f}" if at_goal else ""
        print(f"| {i + 1} | `{ROWS[i][1]}` | {channels} x {samples} | {sizes[i] / 1e6:.1f} | "
              + " | ".join(f"{of[c]:.3f}" for c in counts)
              + f" | {min(runs)} to {max(runs)} | {goal} | {ratio} | {lost} |")
    return missed


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, base = sys.argv[1], os.environ.get("BASE")
    rows = [int(n) - 1 for n in sys.argv[2:]] or range(len(ROWS))
    cores = len(os.sched_getaffinity(0))
    counts = [int(n) for n in os.environ.get("THREADS", "1 4 16 32 64").split()]
    counts = [n for n in counts if n <= cores] if "THREADS" not in os.environ else counts
    if "THREADS" not in os.environ and cores < 64 and cores not in counts:
        counts.append(cores)
    programs = [program] + ([base] if base else [])
    place = os.environ.get("WORK") or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    with tempfile.TemporaryDirectory(prefix="cores", dir=place) as work:
        times, sizes = measure(programs, rows, counts, work)
    print(f"s by threads, {cores} processors, load average {os.getloadavg()[0]:.1f}")
    missed = table(program, rows, counts, times, sizes)
    if base:
        print(f"\nBASE, {base}, in turn with these:")
        table(base, rows, counts, times, sizes)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
