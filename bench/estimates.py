"""What --dry-run says beforehand of time and size of the result, beside the truth.

    python3 bench/estimates.py WAVESIFT [ROW ...]     a table; status 1 where one is off

DEVICE   cpu (default), cuda, auto; `choice`: all three, and how much longer `auto` takes than the
         better of the other two (LIMIT_AUTO, one part in seven)
THREADS  of each command (default: all)
WORK     a folder for recordings and results of up to 4 GB (default: /dev/shm, else the system's)
RUNS     of each row (default 3), each after a --dry-run; the shortest counts of either: both
         depend on who else is on the machine
LONGEST  rows that are expected to take longer are left out, s (default 60)

Rows go from one channel of 1000 samples to 64 of 1 000 000, numbered from 1.  Of a row that a busy
machine makes longer the processors' time tells, too: it is in the last column.
"""
import array
import json
import os
import random
import subprocess
import sys
import tempfile
import time

LIMIT = 1.5
LIMIT_AUTO = 1.15
ROWS = [
    (1, 1000, "emd"),
    (1, 1000, "cwt"),
    (1, 30504, "emd"),
    (1, 30504, "iceemdan --realizations 20 --precision f32"),
    (8, 30504, "iceemdan --realizations 20 --sifts 10 --precision f32"),
    (8, 30504, "eemd --realizations 20"),
    (8, 30504, "memd"),
    (8, 30504, "hht"),
    (32, 30504, "cwt"),
    (32, 30504, "cwt --freqs 1:45:40 --quantity power --decimate 4"),
    (8, 500000, "conv --mask-formula morlet --scales 4:200:50 --decimate 16"),
    (64, 100000, "emd --modes 8 --sifts 10 --precision f32"),
    (64, 1000000, "cwt --freqs 1:100:60 --quantity power --decimate 16"),
    (64, 1000000, "emd --modes 8 --precision f32"),
]


def record(path, channels, samples):
    """Noise whose neighbours agree, and two tones; each channel begins elsewhere."""
    draw, v, row = random.Random(samples).gauss, 0.0, array.array("f")
    for t in range(samples):
        v = 0.97 * v + draw(0.0, 1.0)
        row.append(v + 6.0 * (t // 64 % 2) + 3.0 * (t // 7 % 2))
    with open(path, "wb") as f:
        for c in range(channels):
            at = c * 7919 % samples
            f.write(row[at:].tobytes() + row[:at].tobytes())


def run(command):
    """Wall and processor seconds."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"estimates: {' '.join(command)}:\n{said.decode()}")
    return time.monotonic() - start, used.ru_utime + used.ru_stime


def off(estimate, truth):
    return max(estimate / truth, truth / estimate)


def measure(program, row, work, device):
    channels, samples, text = row
    path, result = os.path.join(work, "x.f32"), os.path.join(work, "r.h5")
    command = [program] + text.split()[:1] + [path] + text.split()[1:] + [
        "--raw", f"f32,channels={channels},order=channel", "--fs", "250", "--overwrite",
        "--device", device, "-o", result]
    if "THREADS" in os.environ:
        command += ["--threads", os.environ["THREADS"]]
    record(path, channels, samples)
    times, seconds = [], []
    for _ in range(int(os.environ.get("RUNS", "3"))):
        said = json.loads(subprocess.run(command + ["--dry-run", "--json"], check=True,
                                         stdout=subprocess.PIPE).stdout)
        seconds.append(said["seconds"])
        if min(seconds) > float(os.environ.get("LONGEST", "60")):
            return None
        times.append(run(command + ["-q"]))
    wall, processors = min(times)
    size = os.path.getsize(result)
    os.remove(result)
    return min(seconds), wall, said["result_bytes"], size, processors, said["device"]


def estimates(program, numbers, work, device):
    """A row for each command: what was said of it, and what it took."""
    worst = 1.0
    print("| | channels x samples | command | device | said, s | took, s | off | said, MB | is, MB "
          "| off | processors, s |\n|---|---|---|---|---|---|---|---|---|---|---|")
    for i in numbers:
        channels, samples, text = ROWS[i - 1]
        found = measure(program, ROWS[i - 1], work, device)
        if not found:
            print(f"| {i} | {channels} x {samples} | {text} | NOT RUN: longer than LONGEST |")
            continue
        said, took, bytes_said, size, processors, device_said = found
        worst = max(worst, off(said, took), off(bytes_said, size))
        print(f"| {i} | {channels} x {samples} | {text} | {device_said} | {said:.3f} | {took:.3f} | "
              f"{off(said, took):.2f} | {bytes_said / 1e6:.2f} | {size / 1e6:.2f} | "
              f"{off(bytes_said, size):.2f} | {processors:.3f} |", flush=True)
    print(f"off by {worst:.2f} at most, of {LIMIT} that are allowed; "
          f"load average {os.getloadavg()[0]:.1f}")
    return worst > LIMIT


def choice(program, numbers, work):
    """A row for each command: by the CPU, by a GPU (said, took), and by the one that is chosen."""
    worst = 1.0
    print("| | channels x samples | command | cpu said, s | took, s | cuda said, s | took, s "
          "| auto takes | took, s | of the better |\n|---|---|---|---|---|---|---|---|---|---|")
    for i in numbers:
        channels, samples, text = ROWS[i - 1]
        found = {d: measure(program, ROWS[i - 1], work, d) for d in ("cpu", "cuda", "auto")}
        took = {d: f[1] if f else float("inf") for d, f in found.items()}
        better = min(took["cpu"], took["cuda"])
        ratio = took["auto"] / better if found["auto"] else float("inf")
        worst = max(worst, ratio)
        cells = [f"{found[d][0]:.3f} | {took[d]:.3f}" if found[d] else "longer than LONGEST | "
                 for d in ("cpu", "cuda")]
        print(f"| {i} | {channels} x {samples} | {text} | {cells[0]} | {cells[1]} | "
              f"{found['auto'][5] if found['auto'] else ''} | {took['auto']:.3f} | {ratio:.2f} |",
              flush=True)
    print(f"auto takes {worst:.2f} times the better at most, of {LIMIT_AUTO} that are allowed")
    return worst > LIMIT_AUTO


def main():
    numbers = [int(n) for n in sys.argv[2:]] or range(1, len(ROWS) + 1)
    device = os.environ.get("DEVICE", "cpu")
    place = os.environ.get("WORK") or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    with tempfile.TemporaryDirectory(prefix="estimates", dir=place) as work:
        if device == "choice":
            return int(choice(sys.argv[1], numbers, work))
        return int(estimates(sys.argv[1], numbers, work, device))


if __name__ == "__main__":
    sys.exit(main())
