#!/usr/bin/env python3
"""hht.py - Hilbert analysis beside the Python package emd, and on signals of known frequency.

    hht.py PROGRAM emd | cycles | holospectrum | truth | speed [WAVESIFT]

PROGRAM is bench/validation/hht.c, built; WAVESIFT the program, for cycles; WAVESIFT_DATA names the folder of recordings, whose EEG
is used where it is there.  Needs NumPy; emd and speed need emd 0.8.1, else they print NOT RUN.

emd     --reference emd: amplitude by the mode's deviation, phase in rad, frequency by the sampling
        rate, on modes that emd made: the largest difference of all samples, and of those that are
        32 extrema or more from both ends.  The spectrum of every cell of the bins [sample][bin]
        that emd sums, by its largest, without the samples whose frequency lies within 1e-9 (of the
        rate) of an edge; below the table these are listed.  The good cycles.  Status 1 beyond 1e-9
        away from the ends, or where a sample lies in another cycle.
cycles  the table of --cycle-table, of modes that emd made: start, duration, mean frequency, largest
        amplitude, peak, zero and trough, and the frequency at eight phases, as emd.cycles has
        them (get_cycle_stat, get_control_points with interpolation, which finds zeros to a
        thousandth of a sample, phase_align).  Status 1 where they differ by more than that, and
        by more than 1e-9 in what is not interpolated.
holospectrum  given the same modes and the same second modes of their amplitudes: every cell by the
        largest, emd.spectra.holospectrum.  Status 1 beyond 1e-9 where emd has an envelope of every
        second mode.
truth   a chirp, an amplitude modulated tone and a frequency modulated one: rms errors of frequency
        and amplitude outside 2 % at each end, all methods.  Status 1 where no method has at most
        0.5 % and 1 %.
speed   the same work (frequency_transform, hilberthuang summed over time) by both on one core, in
        turn; the least processor time of five.  Status 1 where one is not ten times as fast.
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

METHODS = {"hilbert": "hilbert", "nht": "nht", "quadrature": "quad"}


class Ours:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __call__(self, modes, fs, method, reference, edges, time_bin, runs=1):
        paths = [os.path.join(self.folder, name) for name in ("modes", "edges", "out")]
        modes = np.ascontiguousarray(modes, float)
        k, n = modes.shape
        modes.tofile(paths[0])
        np.asarray(edges, float).tofile(paths[1])
        command = [self.program, paths[0], str(k), repr(float(fs)), method, reference, paths[1],
                   repr(float(time_bin)), paths[2]] + ([str(runs)] if runs > 1 else [])
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        raw, self.seconds = np.fromfile(paths[2], np.int32), float(told)
        if runs == 1:
            self.cycles, raw = raw[-k * n:].reshape(k, n), raw[:-k * n]
        out = raw.view(float)
        self.amplitude, self.phase, self.frequency = out[:3 * k * n].reshape(3, k, n)
        rest, bins = out[3 * k * n:], len(edges) - 1
        cells = len(rest) - bins - 2 * k
        self.spectrum = rest[:cells].reshape(bins, -1)
        self.marginal = rest[cells:cells + bins]
        self.outside = rest[cells + bins:cells + bins + k]
        return self


def signals():
    """Name, rate, samples."""
    rng = np.random.default_rng(1)
    yield "white noise", 256, rng.standard_normal(10000)
    yield "random walk", 256, np.cumsum(rng.standard_normal(10001))
    t = np.arange(8192) / 1000
    yield "two tones", 1000, (np.sin(2 * np.pi * 31 * t) * (1 + 0.5 * np.sin(2 * np.pi * t))
                              + np.sin(2 * np.pi * 7 * t + 0.3))
    path = os.path.join(os.environ.get("WAVESIFT_DATA", ""), "eeg/pannon/EEGsample_32CH_30504.bin")
    if os.path.exists(path):
        eeg = np.fromfile(path, "<f4").reshape(32, -1).astype(float)
        yield "EEG 4", 128, eeg[3]
        yield "EEG 14", 128, eeg[13]


def inner(mode):
    """Samples that are 32 extrema or more from both ends."""
    d = np.diff(mode)
    at = np.flatnonzero(d[1:] * d[:-1] < 0) + 1
    return slice(at[31], at[-32]) if len(at) > 80 else slice(0, 0)


def against_emd(ours):
    import emd
    worst, at_edges = 0.0, []
    print(f"{'signal':12} {'method':10} modes   amplitude      phase  frequency   anywhere"
          "   spectrum  at edges  cycles")
    for name, fs, x in signals():
        modes = np.ascontiguousarray(emd.sift.sift(x, max_imfs=8).T)
        edges = emd.spectra.define_hist_bins(fs / 500, fs / 2, 80, scale="log")[0]
        for method, theirs in METHODS.items():
            ip, f, a = (v.T for v in emd.spectra.frequency_transform(modes.T, fs, theirs))
            o = ours(modes, fs, method, "emd", edges, 1 / fs)
            wrapped = ip
            ip = np.abs((o.phase - ip + np.pi) % (2 * np.pi) - np.pi)
            da = np.abs(o.amplitude - a) / modes.std(1)[:, None]
            df = np.abs(o.frequency - f) / fs
            good = np.isfinite(a).all(1)  # emd gives NaN where it has no envelope
            a[~good] = o.amplitude[~good]
            away = [0.0, 0.0, 0.0]
            for k in np.flatnonzero(good):
                s = inner(modes[k])
                for i, d in enumerate((da, ip, df)):
                    away[i] = max(away[i], d[k, s].max(initial=0.0))
            near = np.abs(f[:, :, None] - edges).min(2) < 1e-9 * fs
            theirs = emd.spectra.hilberthuang(f.T, a.T, edges, sum_time=False)[1]
            ds = np.abs(o.spectrum - theirs)[:, ~near.any(0)].max() / theirs.max()
            at_edges += [f"    {name}, {method}: mode {k + 1}, sample {i}: frequency "
                         f"{f[k, i]:.17g}, edge {e} {edges[e]:.17g}"
                         for k, i in np.argwhere(near)
                         for e in [np.abs(f[k, i] - edges).argmin()]]
            cycles = emd.cycles.get_cycle_vector(np.ascontiguousarray(wrapped.T)).T
            wrong = (cycles != o.cycles).sum()
            any_ = max(d[good].max() for d in (da, ip, df))
            print(f"{name:12} {method:10} {good.sum():2}/{len(good):2} {away[0]:11.1e} "
                  f"{away[1]:10.1e} {away[2]:10.1e} {any_:10.1e} {ds:10.1e} {near.sum():9}  "
                  + (f"{cycles.max(1).sum() + len(cycles)} the same" if not wrong
                     else f"{wrong} samples differ"), flush=True)
            worst = max(worst, *away, ds, wrong)
    print("samples within 1e-9 of an edge:", "" if at_edges else "none")
    print("\n".join(at_edges))
    print(f"worst {worst:.1e}, goal 1e-9")
    return bool(worst > 1e-9)


def emd_cycles(mode, ip, f, a):
    """The columns of the table but for its names, in samples and cycles a sample."""
    import emd
    cycles = emd.cycles.get_cycle_vector(ip[:, None])[:, 0]
    rows = []
    if cycles.max() < 0:
        return np.zeros((0, 17))
    control = emd.cycles.get_control_points(mode, cycles, interp=True).astype(float)
    p2t, a2d = emd.cycles.get_control_point_metrics(control)
    shape = emd.cycles.phase_align(ip, f, cycles, npoints=8)[0].T
    for c in range(cycles.max() + 1):
        at = np.flatnonzero(cycles == c)
        rows.append(np.r_[at[0], len(at), f[at].mean(), a[at].max(), control[c, 1:4], p2t[c],
                          a2d[c], shape[c]])
    return np.array(rows)


def against_cycles(ours):
    import csv
    import emd
    failed = False
    print(f"{'signal':12} {'method':10} cycles      start  duration  frequency  amplitude"
          "  peak, zero, trough    shape")
    for name, fs, x in signals():
        modes = np.ascontiguousarray(emd.sift.sift(x, max_imfs=8).T)
        path, table = (os.path.join(ours.folder, n) for n in ("stored.npy", "cycles.csv"))
        np.save(path, np.vstack([modes, np.zeros_like(x)])[None])
        for method, theirs in METHODS.items():
            subprocess.run([sys.argv[3], "hht", path, "--decomposition", "stored", "--reference",
                            "emd", "--frequency-method", method, "--cycle-table", table, "-q", "-o",
                            os.path.join(ours.folder, "out.h5"), "--overwrite"], check=True)
            with open(table) as f:
                got = list(csv.reader(f))[1:]
            ip, f, a = emd.spectra.frequency_transform(modes.T, 1, theirs)
            worst, count = np.zeros(6), 0
            for k in range(len(modes)):
                mine = np.array([[float(v or "nan") for v in row[3:]] for row in got
                                 if int(row[1]) == k + 1])
                want = emd_cycles(modes[k], ip[:, k], f[:, k], a[:, k])
                count += len(want)
                if len(mine) != len(want):
                    worst[:] = np.inf
                if len(mine) != len(want) or not len(want):
                    continue
                if np.isnan(a[:, k]).any():  # emd has no envelope
                    mine[:, 3] = want[:, 3] = 0
                d = np.abs(mine - want)
                d[np.isnan(mine) & np.isnan(want)] = 0
                d[:, 3] /= modes[k].std()
                d[:, 9:] /= np.abs(f[:, k]).max()
                parts = d[:, 0], d[:, 1], d[:, 2], d[:, 3], d[:, 4:9], d[:, 9:]
                worst = np.maximum(worst, [p.max() for p in parts])
            print(f"{name:12} {method:10} {count:6} {worst[0]:10.1e} {worst[1]:9.1e} "
                  f"{worst[2]:10.1e} {worst[3]:10.1e} {worst[4]:19.1e} {worst[5]:9.1e}",
                  flush=True)
            failed = failed or np.delete(worst, 4).max() > 1e-9 or worst[4] > 1e-3
    return bool(failed)


def against_holospectrum(ours):
    """Given the same modes of the first and of the second kind."""
    import emd
    worst = 0.0
    print(f"{'signal':12} {'method':10} modes   cells, by the largest   energy within   at edges")
    for name, fs, x in signals():
        modes = np.ascontiguousarray(emd.sift.sift(x, max_imfs=5).T)
        first, second, stored, out = (os.path.join(ours.folder, n + ".npy")
                                      for n in ("first", "second", "holo_in", "holo"))
        bins = [f"{fs / 500}:{fs / 2}:40", f"{fs / 2000}:{fs / 8}:30"]
        edges, edges2 = (emd.spectra.define_hist_bins(*map(float, b.split(":")[:2]),
                                                      int(b.split(":")[2]), scale="log")[0]
                         for b in bins)
        for method, theirs in METHODS.items():
            _, f, a = emd.spectra.frequency_transform(modes.T, fs, theirs)
            keep = np.isfinite(a).all(0)  # emd has an envelope
            f, a = f[:, keep], a[:, keep]
            np.save(stored, np.vstack([modes[keep], np.zeros_like(x)])[None])
            run = [sys.argv[3], "emd", first, "--modes", "12", "-q", "--overwrite", "-o", second]
            # A row each is a channel.
            np.save(first, np.ascontiguousarray(a.T))
            subprocess.run(run, check=True)
            imf2 = np.load(second)[:, :-1]  # [mode][second mode][time], the residue last
            subprocess.run([sys.argv[3], "hht", stored, "--decomposition", "stored",
                            "--reference", "emd", "--frequency-method", method, "--parts",
                            "holospectrum", "--freqs", bins[0], "--modulation-freqs", bins[1],
                            "--fs", repr(float(fs)), "-q", "--overwrite", "-o",
                            out.replace("npy", "mat")], check=True)
            import scipy.io
            got = scipy.io.loadmat(out.replace("npy", "mat"))["holospectrum"]
            got = got.reshape(40, 30)
            # All at once, as emd's tutorial has it: quadrature divides by the largest of all.
            _, f2, a2 = (v.transpose(1, 2, 0) for v in emd.spectra.frequency_transform(
                np.ascontiguousarray(imf2.transpose(2, 0, 1)), fs, theirs))
            none = np.abs(imf2).max(2) == 0
            f2[none] = a2[none] = 0
            bad = ~np.isfinite(a2).all(2)
            a2[bad] = 0
            near = ((np.abs(f.T[:, :, None] - edges).min(2) < 1e-9 * fs).sum()
                    + (np.abs(f2[..., None] - edges2).min(-1)[~bad] < 1e-9 * fs).sum())
            want = emd.spectra.holospectrum(f, f2.transpose(2, 0, 1), a2.transpose(2, 0, 1),
                                            edges, edges2)[2]
            want = np.asarray(want.todense() if hasattr(want, "todense") else want)
            d = np.abs(got - want).max() / want.max()
            if not bad.any():
                worst = max(worst, d)
            print(f"{name:12} {method:10} {(~bad).sum():3}/{bad.size:3} {d:18.1e} "
                  f"{want.sum() / (a2 ** 2).sum():17.3f} {near:10}", flush=True)
    return bool(worst > 1e-9)


def truths():
    """Name, mode, amplitude, frequency; 1 kHz, 20 s."""
    t = np.arange(20000) / 1000
    one = np.ones(len(t))
    am = 1 + 0.5 * np.cos(2 * np.pi * 2 * t)
    yield "chirp 5-45 Hz", np.cos(2 * np.pi * (5 * t + t * t)), one, 5 + 2 * t
    yield "AM 20 Hz", am * np.cos(2 * np.pi * 20 * t), am, 20 * one
    yield ("FM 30 Hz", np.cos(2 * np.pi * 30 * t + 4 * np.sin(2 * np.pi * t)), one,
           30 + 4 * np.cos(2 * np.pi * t))


def rms(a, b):
    return 100 * np.sqrt(np.mean((a - b) ** 2) / np.mean(b ** 2))


def against_truth(ours):
    failed = False
    print("rms errors of frequency and amplitude, %")
    print(f"{'mode':14}" + "".join(f" {r + ' ' + m:>24}" for r in ("ours", "emd")
                                   for m in METHODS))
    for name, x, a, f in truths():
        c, line, met = slice(len(x) // 50, -len(x) // 50), f"{name:14}", False
        for reference in ("none", "emd"):
            for method in METHODS:
                o = ours(x[None], 1000, method, reference, [0, 100], 1)
                e = rms(o.frequency[0, c], f[c]), rms(o.amplitude[0, c], a[c])
                line += f" {e[0]:14.5f} {e[1]:9.5f}"
                met = met or (reference == "none" and e[0] <= 0.5 and e[1] <= 1)
        print(line)
        failed = failed or not met
    return failed


def speed(ours):
    import emd
    name, fs, x = list(signals())[-1]
    modes = np.ascontiguousarray(emd.sift.sift(x, max_imfs=8).T)
    edges = np.linspace(0, fs / 2, 101)
    failed = False
    print(f"{name}, {modes.shape[0]} modes of {modes.shape[1]} samples, one core, ms")
    for method, theirs in METHODS.items():
        best = [1e9, 1e9, 1e9]
        for _ in range(5):
            start = time.process_time()
            _, f, a = emd.spectra.frequency_transform(modes.T, fs, theirs)
            middle = time.process_time()
            emd.spectra.hilberthuang(f, np.nan_to_num(a), edges)
            end = time.process_time()
            took = ours(modes, fs, method, "emd", edges, modes.shape[1] / fs / 1000, 3).seconds
            best = np.minimum(best, [middle - start, end - middle, took])
        best = np.array(best) * 1e3
        failed = failed or best[0] + best[1] < 10 * best[2]
        print(f"{method:10}  emd {best[0]:8.1f} + {best[1]:6.1f}   wavesift {best[2]:7.2f}   "
              f"{(best[0] + best[1]) / best[2]:6.1f} times as fast", flush=True)
    return bool(failed)


def main():
    what = {"emd": against_emd, "cycles": against_cycles,
            "holospectrum": against_holospectrum, "truth": against_truth,
            "speed": speed}[sys.argv[2]]
    if what is not against_truth:
        try:
            import emd
            if getattr(emd, "__version__", "0.8.1") != "0.8.1":
                print(f"NOT RUN: emd {emd.__version__}, not 0.8.1")
                return 0
        except ImportError as error:
            print(f"NOT RUN: {error}")
            return 0
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as folder:
        return what(Ours(sys.argv[1], folder))


sys.exit(main())
