"""reconstruct.py PROGRAM: recordings of every format made by other programs, decomposed, and
written anew without a mode; read by MNE and SciPy.  Prints what is wrong; exits 77 without these."""

import json
import os
import subprocess
import sys

try:
    import h5py
    import mne
    import numpy as np
    import scipy.io.wavfile as wavfile
    from scipy.io import loadmat, savemat
except ImportError as missing:
    print("SKIPPED:", missing)
    sys.exit(77)

program = sys.argv[1]
failures = 0
rng = np.random.default_rng(5)
FS, N = 200, 1600


def check(what, good):
    global failures
    if not good:
        print("FAIL ", what)
        failures += 1


def wavesift(*args):
    r = subprocess.run([program, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if r.returncode != 0:
        print("FAIL ", *args, r.stderr.strip())
        sys.exit(1)
    return r.stdout


def signals(channels):
    t = np.arange(N) / FS
    x = np.sin(2 * np.pi * 9 * t) + 0.5 * np.sin(2 * np.pi * 2 * t) + 0.2 * rng.normal(size=N)
    return np.array([x * (1 + c) + 0.1 * c for c in range(channels)])


def run(name, read, channels=("--channels", "2"), part=("--from", "1", "--to", "7")):
    """Decomposes a part of channel 2, and takes mode 1 off it; read gives [channel][time]."""
    stem, ending = os.path.splitext(name)
    wavesift("emd", name, *channels, *part, "--modes", "3", "-q", "-o", stem + ".h5")
    kept, less = stem + "_kept" + ending, stem + "_less" + ending
    wavesift("reconstruct", stem + ".h5", name, "--keep", "all", "-o", kept, "-q")
    told = json.loads(wavesift("reconstruct", stem + ".h5", name, "--drop", "1", "-o", less,
                               "--json"))
    before, after, same = read(name), read(less), read(kept)
    check(name + ": all modes kept is the input", np.array_equal(before, same))
    with h5py.File(stem + ".h5") as h:
        mode = h["modes"][..., 0, :]
    want = before.copy()
    first, n = told["first_sample"] - 1, told["samples"]
    if mode.ndim == 2 and before.ndim == 2:
        want[1, first : first + n] -= mode[0]
    else:
        want[:, 1, first : first + n] -= mode[:, 0]
    step = told["signals"][0]["step"]
    error = np.abs(after - want).max()
    check(f"{name}: without mode 1, to the file's steps ({error:g} of {step:g})",
          error <= 0.5001 * step + 1e-6 * np.abs(want).max())
    check(name + ": mode 1 was something", np.abs(after - before).max() > 0.05)
    others = np.delete(np.arange(before.shape[-2]), 1)
    check(name + ": other channels", np.array_equal(after[..., others, :], before[..., others, :]))
    outside = np.r_[0:first, first + n : before.shape[-1]]
    check(name + ": other times", np.array_equal(after[..., outside], before[..., outside]))


def raw():
    info = mne.create_info(["Fz", "Cz", "Pz"], FS, "eeg")
    made = mne.io.RawArray(signals(3) * 1e-6 * 50, info, verbose="error")
    made.set_annotations(mne.Annotations([2.5], [0], ["go"]))
    return made


def by_mne(reader):
    def read(name):
        made = reader(name, preload=True, verbose="error")
        check(name + ": its event", [a["description"][-2:] for a in made.annotations][-1:] == ["go"])
        return made.get_data() * 1e6
    return read


def with_pip(module):
    try:
        return __import__(module)
    except ImportError:
        print("NOT RUN: no", module)
        return None


def brainvision():
    def read(name):
        text = open(name, encoding="utf-8").read()
        stem = os.path.splitext(name)[0]
        markers = open(stem + ".vmrk", encoding="utf-8").read()
        for line in (f"DataFile={stem}.eeg", f"MarkerFile={stem}.vmrk"):
            check(f"{name}: {line}", line in text)
        check(name + ": data file of the markers", f"DataFile={stem}.eeg" in markers)
        return by_mne(mne.io.read_raw_brainvision)(name)
    for name, how in (("i.vhdr", {"fmt": "binary_int16", "resolution": 0.1}),
                      ("f.vhdr", {"fmt": "binary_float32"})):
        pybv.write_brainvision(data=raw().get_data(), sfreq=FS, ch_names=["Fz", "Cz", "Pz"],
                               fname_base=name[0], folder_out=".", unit="µV",
                               events=[{"onset": 500, "description": "go", "type": "Comment"}],
                               **how)
        run(name, read)


def sounds():
    x = signals(2).T / 8
    for name, data in (("s16.wav", np.int16(x * 30000)), ("s32.wav", np.int32(x * 2e9)),
                       ("u8.wav", np.uint8(x * 100 + 128)), ("f32.wav", np.float32(x)),
                       ("f64.wav", x)):
        wavfile.write(name, FS, data)
        if data.dtype.kind == "f":
            scale, shift = 1, 0
        else:
            shift = 128 if data.dtype == np.uint8 else 0
            scale = 1 / 2.0 ** (8 * data.itemsize - 1)

        def read(file):
            return (wavfile.read(file)[1].T.astype(float) - shift) * scale
        run(name, read)


def arrays():
    x = signals(3)
    for name, data in (("double.npy", x), ("single.npy", np.float32(x)), ("n.npy", np.int16(x * 1000)),
                       ("big.npy", x.astype(">f4")), ("order.npy", np.asfortranarray(x)),
                       ("epochs.npy", np.array([x, 2 * x]))):
        np.save(name, data)
        run(name, lambda file: np.load(file).astype(float), part=("--from", "200", "--to", "1400"))
        check(name + ": type and order", np.load(name).dtype == np.load(
            os.path.splitext(name)[0] + "_less.npy").dtype)


def tables():
    x = signals(2)
    t = np.arange(N) / FS
    for name, delimiter, mark, end in (("comma.csv", ",", ".", "\n"), ("decimal.csv", ";", ",", "\r\n"),
                                       ("tab.tsv", "\t", ".", "\n")):
        lines = [delimiter.join(["time", "left", "right"])]
        for i in range(N):
            cells = [f"{t[i]:.3f}", f"{x[0, i]:.4f}", f"{x[1, i]:.4f}"]
            lines.append(delimiter.join(c.replace(".", mark) for c in cells))
        with open(name, "w", newline="") as f:
            f.write(end.join(lines) + end)

        def read(file):
            with open(file, newline="") as f:
                rows = f.read().split(end)[1:-1]
            return np.array([[float(c.replace(mark, ".")) for c in row.split(delimiter)]
                             for row in rows]).T[1:]
        run(name, read)
        a, b = open(name, newline="").readlines(), open(
            os.path.splitext(name)[0] + "_less" + os.path.splitext(name)[1], newline="").readlines()
        check(name + ": lines of other times", a[:201] == b[:201] and a[1401:] == b[1401:])


def sets():
    x = signals(3)
    places = np.array([(n,) for n in ("Fz", "Cz", "Pz")], dtype=[("labels", "O")])
    eeg = {"setname": "some", "nbchan": 3.0, "pnts": float(N), "trials": 1.0, "srate": float(FS),
           "xmin": 0.0, "xmax": (N - 1) / FS, "chanlocs": places, "ref": "common",
           "icaact": np.ones((3, N)), "icaweights": np.eye(3), "icasphere": np.eye(3),
           "icawinv": np.eye(3), "icachansind": np.arange(1.0, 4), "epoch": [],
           "event": np.array([(500.0, "go", 1.0)], dtype=[("latency", "O"), ("type", "O"),
                                                          ("duration", "O")])}
    for name, packed, dtype in (("inside.set", False, np.float32), ("packed.set", True, np.float64),
                                ("beside.set", False, None), ("fields.set", False, np.float32)):
        if dtype is None:
            np.float32(x.T).tofile("beside.fdt")
        data = "beside.fdt" if dtype is None else x.astype(dtype)
        both = {**eeg, "data": data, "datfile": data if dtype is None else ""}
        savemat(name, both if name == "fields.set" else {"EEG": both, "other": 5.0},
                do_compression=packed)
        run(name, by_mne(mne.io.read_raw_eeglab))
        less = loadmat(os.path.splitext(name)[0] + "_less.set", simplify_cells=True)
        got = less.get("EEG", less)
        check(name + ": icaact is empty", got["icaact"].size == 0)
        check(name + ": the rest", got["icaweights"].shape == (3, 3) and got["setname"] == "some")
        if dtype is None:
            check(name + ": names", got["data"] == got["datfile"] == "beside_less.fdt")
            check(name + ": its file", os.path.getsize("beside_less.fdt") == x.size * 4)


edfio, pybv = with_pip("edfio"), with_pip("pybv")
if edfio:
    raw().export("e.edf", physical_range=(-400, 400), verbose="error")
    run("e.edf", by_mne(mne.io.read_raw_edf))
    raw().export("b.bdf", fmt="bdf", physical_range=(-400, 400), verbose="error")
    run("b.bdf", by_mne(mne.io.read_raw_bdf))
if pybv:
    brainvision()
sets()
sounds()
arrays()
tables()
sys.exit(failures != 0)
