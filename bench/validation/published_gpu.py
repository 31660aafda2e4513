"""References ceemdan-gpu and memd-gpu beside what the programs of Wang & Juhasz (2023) gave on a GPU.

    published_gpu.py WAVESIFT

reads $WS_PEERS/gpu/*.npz, f32 arrays saved there after their functions ran on a card:

    ceemdan-NAME.npz   iceemdanS(): signal [n], noise [realization][n] (curandGenerateNormal,
                       seed 1234, as theirs draws it), modes [mode][n], residue last;
                       max_iter, and card, a text
    memd-NAME.npz      memd(): signal [channel][n], modes [mode][channel][n], residue last;
                       directions, max_iter, card.  n is such that their launch sees every
                       extremum: 240 ceil(n / 242) >= n

The programs are CEEMDAN-GPU (commit ed276b8) and MEMD-GPU (f348989) of github.com/EEGLab-Pannon.
Files of the page: EEG channel 4, 4096 and 10 000 samples, of std 1, 50 realizations of 0.2,
max_iter 10 and 100; their own two tones, of std 1, 100 realizations, max_iter 100; 4 channels x
1000 and 8 and 32 x 10 000 of the EEG, 64 directions, max_iter 10.

Their test of the stop rule comes before each subtraction and the last one is not followed by one:
max_iter is one more than our --max-sifts.  Each row: the similarity of every mode.  Goals: memd-gpu,
least over channels and modes, 0.999; ceemdan-gpu, first mode, 0.999, where single realizations
that meet the rule by one sample more or less in f32 make the difference.
"""
import glob
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np


def similarity(a, b):
    a, b = a - a.mean(-1, keepdims=True), b - b.mean(-1, keepdims=True)
    return (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))


def run(program, method, signal, noise, options):
    """Modes and residue, [channel][mode][n]."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "x.npy"), os.path.join(folder, "r.h5")
        np.save(source, signal.astype("f8"))
        if noise is not None:
            np.save(os.path.join(folder, "w.npy"), noise.astype("f8"))
            options = options + ["--noise-file", os.path.join(folder, "w.npy")]
        subprocess.run([program, method, source, "--reference", method.lstrip("i") + "-gpu", "-q",
                        "-o", result, *options], check=True)
        with h5py.File(result) as f:
            return np.concatenate([f["modes"][:], f["residue"][:][:, None]], axis=1)


def ceemdan(program, data):
    theirs = data["modes"].astype("f8")
    ours = run(program, "iceemdan", data["signal"], data["noise"],
               ["--realizations", str(len(data["noise"])), "--modes", str(len(theirs) - 1),
                "--max-sifts", str(int(data["max_iter"]) - 1)])[0]
    found = similarity(ours, theirs)
    return found, found[0] >= 0.999


def memd(program, data):
    theirs = data["modes"].astype("f8")
    ours = run(program, "memd", data["signal"], None,
               ["--directions", str(int(data["directions"])), "--sifts", str(int(data["max_iter"])),
                "--modes", str(len(theirs) - 1)])
    found = similarity(ours, theirs.transpose(1, 0, 2)).min(0)
    return found, found.min() >= 0.999


def main():
    files = sorted(glob.glob(os.path.join(os.environ.get("WS_PEERS", ""), "gpu", "*.npz")))
    if not files:
        print("published_gpu: NOT RUN (no $WS_PEERS/gpu/*.npz)")
        return 77
    failed = False
    for name in files:
        data = np.load(name)
        base = os.path.basename(name)[:-4]
        found, good = (memd if base.startswith("memd") else ceemdan)(sys.argv[1], data)
        failed |= not good
        print(f"{base} ({data['card']}): {'pass' if good else 'FAIL'}",
              " ".join(f"{s:.6f}" for s in found))
    return int(failed)


sys.exit(main())
