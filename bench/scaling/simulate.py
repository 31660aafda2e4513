"""What a cluster would do: ranks take recordings or blocks from one counter, the largest first, and
share a file system.

    python3 bench/scaling/simulate.py

Events, not time steps.  A file system gives each transfer an equal part of its bandwidth, at most
what one client can take.  Plain Python; the seed is fixed, so the tables are those of
docs/scaling.md.  Nothing here was measured on 1000 GPUs: it shows where the model has its bounds.
"""
import heapq
import random

from model import constant

GPUS, RECORDINGS = 1000, 10000
MIB, GIB = 2.0**20, 2.0**30

# A parallel file system of the middle class, and what one client gets of it.
TOTAL, CLIENT = 100 * GIB, 2 * GIB
OPEN = 0.005                   # s, a file made or opened, by its metadata server
START = constant("start_program") + constant("start_cuda") + constant("start_context")

# Of a recording: bytes of samples (f32) are log-normal, as of archives of EEG: most are short, some
# are nights.  Work and bytes written follow from them.
MEDIAN, SPREAD = 60 * MIB, 1.2
WORKS = {                      # name: s of one GPU a byte read, bytes written a byte read
    "iceemdan, defaults": (1 / (5.0 * MIB), 14.0),
    "cwt, 70 frequencies, power by 16": (1 / (600 * MIB), 70 / 16),
    "cwt, 70 frequencies, every sample": (1 / (220 * MIB), 70.0),
}


class Shared:
    """A bandwidth that all transfers share.  Progress is the same for all, so each ends when that
    common progress, in bytes, has come to its own end."""

    def __init__(self, total, client):
        self.total, self.client = total, client
        self.at = self.progress = self.busy = 0.0
        self.ends = []

    def rate(self):
        return min(self.client, self.total / len(self.ends)) if self.ends else 0.0

    def advance(self, now):
        rate = self.rate()
        self.progress += (now - self.at) * rate
        # Bound: clients get less than they could take.
        self.busy += (now - self.at) * (bool(self.ends) and rate < self.client)
        self.at = now

    def begin(self, now, size, who):
        self.advance(now)
        heapq.heappush(self.ends, (self.progress + size, who))

    def next_end(self):
        if not self.ends:
            return float("inf")
        return self.at + (self.ends[0][0] - self.progress) / self.rate()

    def end(self, now):
        self.advance(now)
        return heapq.heappop(self.ends)[1]


def run(tasks, workers, total=TOTAL, client=CLIENT, writers=None, overlap=False):
    """Seconds until all tasks are done, and the share of them in which the file system gave
    clients less than they could take.  tasks: (read, seconds, written), in the order in which the counter gives them out.
    writers: at most so many write at once; others wait with their result.  overlap: the next task
    is read and worked on while the last result is written, as within a run; a worker that has
    two results waiting waits."""
    files = Shared(total, client)
    clock, events, queue, upcoming = 0.0, [], [], 0
    writing = 0
    phase, held = {}, [0] * workers
    waits = set()

    def take(worker, now):
        nonlocal upcoming
        if upcoming == len(tasks):
            return
        task = tasks[upcoming]
        number = upcoming
        upcoming += 1
        phase[number] = (worker, task)
        files.begin(now, task[0], ("read", number))

    def put(now):
        nonlocal writing
        while queue and (writers is None or writing < writers):
            number = queue.pop(0)
            writing += 1
            files.begin(now, phase[number][1][2], ("write", number))

    for worker in range(workers):
        heapq.heappush(events, (START, "start", worker))
    done = 0
    while done < len(tasks):
        at, file_end = (events[0][0] if events else float("inf")), files.next_end()
        if file_end <= at:
            clock = file_end
            what, number = files.end(clock)
            worker, task = phase[number]
            if what == "read":
                heapq.heappush(events, (clock + OPEN + task[1], "worked", number))
                continue
            writing -= 1
            done += 1
            held[worker] -= 1
            del phase[number]
            put(clock)
            if not overlap or worker in waits:
                waits.discard(worker)
                take(worker, clock)
            continue
        clock, what, who = heapq.heappop(events)
        if what == "start":
            take(who, clock)
            continue
        worker = phase[who][0]
        held[worker] += 1
        queue.append(who)
        put(clock)
        if overlap and held[worker] < 2:
            take(worker, clock)
        elif overlap:
            waits.add(worker)
    return clock, files.busy / clock


def recordings(n, seed=1):
    source = random.Random(seed)
    return [MEDIAN * source.lognormvariate(0, SPREAD) for _ in range(n)]


def tasks_of(sizes, work):
    seconds, written = WORKS[work]
    return [(size, size * seconds, size * written) for size in sizes]


def cut(tasks, most):
    """Recordings in blocks of at most so many seconds, which different GPUs may have."""
    parts = []
    for size, seconds, written in tasks:
        n = max(1, round(seconds / most + 0.5))
        parts += [(size / n, seconds / n, written / n)] * n
    return sorted(parts, key=lambda part: -part[1])


def strong():
    """All recordings, by GPUs."""
    sizes = sorted(recordings(RECORDINGS), reverse=True)
    print(f"{RECORDINGS} recordings, {sum(sizes) / GIB:.0f} GiB, file system of "
          f"{TOTAL / GIB:.0f} GiB/s, {CLIENT / GIB:.0f} GiB/s a client")
    for work in WORKS:
        tasks = tasks_of(sizes, work)
        alone = sum(t[1] + OPEN + (t[0] + t[2]) / CLIENT for t in tasks)
        print(f"\n{work}: one GPU {alone / 3600:.1f} h\n"
              "         recordings whole               blocks of at most 20 s\n"
              "  GPUs   seconds  efficiency  bound     seconds  efficiency  bound")
        parts = cut(tasks, 20)
        for gpus in (10, 30, 100, 300, 1000):
            took, bound = run(tasks, gpus)
            line = f"{took:9.1f}  {100 * alone / gpus / took:8.0f} %  {100 * bound:3.0f} %"
            took, bound = run(parts, gpus)
            print(f"  {gpus:4d} {line}   {took:9.1f}  {100 * alone / gpus / took:8.0f} %  "
                  f"{100 * bound:3.0f} %")
        # Each GPU writes all the time that it does not work.
        seconds, written = WORKS[work]
        each = (1 + written) / (seconds + (1 + written) / CLIENT)
        print(f"  a GPU asks for {each / MIB:.0f} MiB/s: bound from {TOTAL / each:.0f} GPUs on")


def order():
    """Which recording comes when."""
    sizes = recordings(RECORDINGS)
    gpus = 100
    print(f"\norder, iceemdan, {gpus} GPUs")
    largest = sorted(sizes, reverse=True)
    for name, some in (("largest first, one counter", largest), ("as they come", sizes),
                       ("smallest first", largest[::-1])):
        took, _ = run(tasks_of(some, "iceemdan, defaults"), gpus)
        print(f"  {name:30s} {took:8.1f} s")
    # Shares by size beforehand, with what stop rules do: work varies by a quarter about its size.
    source = random.Random(2)
    loads = [START] * gpus
    guesses = [(0.0, i) for i in range(gpus)]
    seconds = WORKS["iceemdan, defaults"][0]
    for size in largest:
        guess, i = heapq.heappop(guesses)
        heapq.heappush(guesses, (guess + size, i))
        loads[i] += size * seconds * source.uniform(0.75, 1.25) + OPEN
    source = random.Random(2)
    varied = [(s, s * seconds * source.uniform(0.75, 1.25), 14.0 * s) for s in largest]
    print(f"  work that varies by a quarter: fixed shares {max(loads):.1f} s without files, "
          f"counter {run(varied, gpus, total=1e18, client=1e18)[0]:.1f} s")


def blocks():
    """One job over all GPUs: 4000 channels; a block costs 20 ms beside its work."""
    beside, total, written = 0.02, 3.0 * GPUS * 10, 4000 * 200 * MIB
    print("\none job of 30 s on each of 1000 GPUs, 781 GiB written, by blocks a GPU")
    source = random.Random(3)
    for each in (1, 2, 4, 8, 16, 32, 64):
        n = each * GPUS
        tasks = [(0.0, beside + total / n * source.uniform(0.75, 1.25), written / n)
                 for _ in range(n)]
        took, bound = run(tasks, GPUS, overlap=True)
        print(f"  {each:3d} blocks of {total / n:6.2f} s: {took:6.1f} s, efficiency "
              f"{100 * total / GPUS / took:4.0f} %, bound {100 * bound:3.0f} %")


def writers():
    """The same job: how many write at once."""
    total, n = 3.0 * GPUS * 10, 16 * GPUS
    print("\nthe same in 16 blocks a GPU, by how many write at once: s, and with four times the bytes")
    for most in (1, 4, 8, 16, 32, 64, 128, 1000):
        took = []
        for written in (781 * GIB, 4 * 781 * GIB):
            source = random.Random(3)
            tasks = [(0.0, 0.02 + total / n * source.uniform(0.75, 1.25), written / n)
                     for _ in range(n)]
            took.append(run(tasks, GPUS, writers=most, overlap=True)[0])
        print(f"  {most:4d} writers: {took[0]:7.1f} s  {took[1]:7.1f} s")


if __name__ == "__main__":
    strong()
    order()
    blocks()
    writers()
