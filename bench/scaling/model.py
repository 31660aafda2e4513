"""What a run on several GPUs takes: one table of constants, and the formula.

    seconds = start + read + serial + kernel * share / GPUs + write

start    of the program and of CUDA, which begins with every GPU that it sees, and MPI's
read     bytes of the recording over the rate at which one process turns them into samples
kernel   the work that is shared out: units (samples, realizations, frequencies, channels) by the
         time of one, on one GPU
share    how much more than an equal part the one has that has most: blocks are whole
serial   work that every GPU does itself or for which all wait: the exchange of partial sums, the
         noise that all make, the host's side of the link, figures of modes, a result's one writer
write    bytes of the result over the disk's rate, where it does not go on beside the work

measure.py prints a machine's own figures beside it; simulate.py asks what a cluster would do.
"""
import math

# What it is, its value, its unit, and where it comes from.  H100, H200: one node of up to four with
# NVLink.
CONSTANTS = {
    "start_program": (0.20, "s", "a command on one GPU less cuInit and a context, H100"),
    "start_cuda": (0.15, "s", "cuInit with one GPU visible, H100"),
    "start_cuda_more": (0.127, "s", "for each further GPU visible: 0.53 s with four, H100"),
    "start_context": (0.11, "s", "of each GPU, one after another, H100"),
    "start_mpi": (0.40, "s", "mpirun of Open MPI 4.1 until two ranks have met, two cores"),
    "rank": (0.01, "s", "assumed: more for each rank"),
    "read": (1.5e9, "bytes/s", "assumed: a file in the system's cache into samples"),
    "link": (55e9, "bytes/s", "host link of one GPU, each way, H100"),
    "host": (10.5e9, "bytes/s", "17.9 GB of power in 1.72 s, H100"),
    "disk": (2.0e9, "bytes/s", "assumed: a local disk past the cache"),
    "iceemdan_one": (0.994, "ns", "sample, realization, mode: one channel, I = 2000, f32, H200"),
    "iceemdan_one_serial": (0.114, "ns", "likewise, that does not become less with GPUs"),
    "iceemdan_many": (0.394, "ns", "likewise, 64 channels, I = 100, by channels, H200"),
    "iceemdan_many_serial": (0.079, "ns", "likewise, that does not become less"),
    "memd": (0.346, "ns", "sample, channel, direction: 128 x 256 x 100 000, defaults, f32, H200"),
    "memd_serial": (0.292, "ns", "likewise, that does not become less"),
    "cwt": (0.342, "ns", "sample, frequency, channel of power: 64 x 1 M x 70, H100"),
    "cwt_serial": (0.042, "ns", "likewise, that does not become less with GPUs"),
}


def constant(name):
    return CONSTANTS[name][0]


def start(gpus, ranks=1):
    """Seconds before the work.  Ranks see one GPU each, and begin side by side."""
    if ranks > 1:
        gpus = 1
    seconds = constant("start_program") + constant("start_cuda")
    seconds += (gpus - 1) * constant("start_cuda_more") + gpus * constant("start_context")
    return seconds + (constant("start_mpi") + ranks * constant("rank") if ranks > 1 else 0)


def share(blocks, workers):
    """The work of the one that has most, as a multiple of an equal part."""
    return math.ceil(blocks / workers) * workers / blocks


def work(kernel, serial, workers, blocks=0):
    """Seconds of the work alone."""
    return serial + kernel / workers * (share(blocks, workers) if blocks else 1)


def read(size):
    return size / constant("read")


def write(size, gpus):
    """Of a result that is not written beside the work: links side by side, then one memory."""
    return max(size / gpus / constant("link"), size / constant("host"))


# The published rows: title, seconds of one GPU's work that is shared and that is not, blocks, and
# what was measured, by GPUs.  A run of measure.py adds a machine's own.
SAMPLES, MODES = 102401, 16


def _ensemble():
    units = SAMPLES * 2000 * MODES * 1e-9
    return constant("iceemdan_one") * units, constant("iceemdan_one_serial") * units


def _channels():
    units = 64 * SAMPLES * 100 * MODES * 1e-9
    return constant("iceemdan_many") * units, constant("iceemdan_many_serial") * units


def _joint():
    units = 128 * 256 * 100000 * 1e-9
    return constant("memd") * units, constant("memd_serial") * units


def _cwt():
    units = 64 * 1e6 * 70 * 1e-9
    return constant("cwt") * units, constant("cwt_serial") * units


# Title, seconds of one GPU's work that is shared and that is not, blocks, and seconds of work as
# measured: of whole commands less their start, in f32; the last is of the library alone.
ROWS = (
    ("iceemdan, 1 x 102 401, I = 2000, H200", _ensemble, 63, {1: 3.63, 2: 2.05, 4: 1.20}),
    ("iceemdan, 64 x 102 401, I = 100, H200", _channels, 64, {1: 4.96, 2: 3.19, 4: 1.86}),
    ("the same by ranks, H100", _channels, 64, {2: 3.18, 4: 2.00}),
    ("memd, 128 x 256 x 100 000, H200", _joint, 391, {1: 2.09, 2: 1.53, 4: 1.24}),
    ("cwt, 64 x 1 M x 70, power, H100", _cwt, 0, {1: 1.72, 4: 0.57}),
)
NOT_RUN = 8


def predicted(row, workers):
    _, of, blocks, _ = row
    return work(*of(), workers, blocks)


def main():
    print("constant                   value  unit     source")
    for name, (value, unit, source) in CONSTANTS.items():
        print(f"{name:22s} {value:9.4g}  {unit:8s} {source}")
    worst = 0
    print("\nseconds of work, measured beside the model")
    for row in ROWS:
        print(row[0])
        for workers, measured in row[3].items():
            model = predicted(row, workers)
            error = model / measured - 1
            worst = max(worst, abs(error))
            print(f"    {workers} GPU{'s' if workers > 1 else ' '}  measured {measured:6.2f}"
                  f"  model {model:6.2f}  {100 * error:+5.1f} %")
        model = predicted(row, NOT_RUN)
        print(f"    {NOT_RUN} GPUs  not run          model {model:6.2f}, "
              f"{predicted(row, 1) / model:.1f} times one")
    print(f"largest difference {100 * worst:.1f} %")


if __name__ == "__main__":
    main()
