r"""Where the commands of docs/gallery.md spend their time, and calls of Python on epochs and on one
long channel: the first five functions of each, by `perf`.

    PYTHONPATH=bindings/python python3 bench/top_five.py BUILD [WORD ..]

WAVESIFT_BASE   another build folder, whose entries come first
WAVESIFT_DATA   where EEGLAB's sample recording is, as in scripts/gallery.sh

Words: only rows whose name has one of them.  One thread.  Of calls of Python what the library does
once it is loaded; of the program all that it does.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CALLS = {
    "emd": "", "eemd": "realizations=10", "ceemdan": "realizations=10",
    "iceemdan": "realizations=10", "memd": "modes=3", "hht": "", "cwt": "freqs='4:40:20'",
    "bands": "bands=[(4, 8), (8, 13)]", "superlets": "freqs='4:40:20'",
    "trials": "freqs='4:40:20'", "hhtrials": "freqs='4:40:20'",
    "coherence": "freqs='4:40:20', against=1",
    "conv": "mask_formula='morlet', scales='4:64:8'",
}
SHAPES = {"epochs, 20 x 4 x 1000": (20, 4, 1000), "one channel of 80 000": (80_000,)}
# Epochs, or channels, are what these are about.
NOT_OF_ONE = ("trials", "hhtrials", "coherence", "memd")
CALL = """
import os, time, warnings, numpy, wavesift
warnings.simplefilter("ignore")
x = numpy.cumsum(numpy.random.default_rng(1).standard_normal({shape}), -1)
call = lambda: wavesift.{name}(x, fs=250, threads=1, device="cpu", {options})
call()
with open({control!r}, "w") as to:
    to.write("enable\\n")
time.sleep(0.1)
end = time.process_time() + 1.0
while time.process_time() < end:
    call()
os._exit(0)
"""


def gallery():
    """Its commands, without the program."""
    with open(f"{ROOT}/docs/gallery.md") as f:
        text = re.sub(r"\\\n\s*", "", f.read())
    return re.findall(r"^    wavesift (.*)", text, re.M)


def top(folder, command, control=(), env=None):
    """The first five functions, with their shares."""
    subprocess.run(["perf", "record", "-q", "-F", "2000", "-o", f"{folder}/perf", *control, "--",
                    *command], check=True, cwd=folder, env=env, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    report = subprocess.run(["perf", "report", "-i", f"{folder}/perf", "--stdio", "-F",
                             "overhead,sym"], check=True, stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.DEVNULL).stdout
    lines = re.findall(r"^\s*([\d.]+)%\s+\[(.)\] (\S+)", report, re.M)
    return ", ".join(f"{float(share):.0f} {'kernel: ' if where == 'k' else ''}"
                     f"`{name.split('.')[0]}`" for share, where, name in lines[:5])


def of_command(build, folder, command):
    if "eeglab" in command and not os.path.exists(f"{folder}/eeglab_data.set"):
        return "NOT RUN"
    line = f"exec {build}/wavesift {command} --threads 1 --overwrite -q"
    return top(folder, ["sh", "-c", line])


def of_call(build, folder, name, shape):
    control = f"{folder}/control"
    if not os.path.exists(control):
        os.mkfifo(control)
    text = CALL.format(name=name, shape=SHAPES[shape], options=CALLS[name], control=control)
    env = dict(os.environ, WAVESIFT_LIBRARY=f"{build}/libwavesift.so",
               PYTHONPATH=f"{ROOT}/bindings/python")
    return top(folder, [sys.executable, "-c", text], ["-D", "-1", "--control", f"fifo:{control}"],
               env)


def main():
    builds = [os.path.abspath(b) for b in (os.environ.get("WAVESIFT_BASE"), sys.argv[1]) if b]
    words = sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/images/gallery")
        os.symlink(f"{ROOT}/examples", f"{folder}/examples")
        data = os.environ.get("WAVESIFT_DATA", f"{ROOT}/../shared/data") + "/eeg/eeglab"
        for name in os.listdir(data) if os.path.isdir(data) else []:
            os.symlink(f"{os.path.abspath(data)}/{name}", f"{folder}/{name}")
        rows = {f"`{c[:60]}`": (of_command, c) for c in gallery()}
        rows |= {f"`{n}`, {s}": (of_call, n, s) for n in CALLS for s in SHAPES
                 if len(SHAPES[s]) > 1 or n not in NOT_OF_ONE}
        print("| work |" + " before, % |" * (len(builds) - 1) + " of the time, % |")
        print("|---" * (1 + len(builds)) + "|")
        for name, (of, *what) in rows.items():
            if words and not any(w in name for w in words):
                continue
            found = [of(build, folder, *what) for build in builds]
            print(f"| {name} | " + " | ".join(found) + " |", flush=True)


if __name__ == "__main__":
    main()
