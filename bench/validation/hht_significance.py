"""How often noise is called more than noise: p of the modes of signals that are nothing else.

    WAVESIFT_LIBRARY=libwavesift.so hht_significance.py METHOD [SHARE]

METHOD: emd, iceemdan, memd or locking; SHARE: so many times the signals (0.05: for a look).

Signals of white noise, AR(1) noise of 0.9, a random walk, 1/f noise and noise with a bend (flat
below 0.05 of the sampling rate, f^-2.5 above) each pass hht with
noise_signals; of each mode that half of the signals have, the share of p <= 0.05 is printed,
and the share of signals of which any mode has p_any <= 0.05.  It passes where these lie between
3.5 and 6.5 %, or within three standard errors of that where the signals are few.  Beside it the
power: of the same noise with a sine, the share of signals of which any mode stands out.

Of locking: the share of pairs of unrelated channels whose phase locking is above its level, by
memd of three channels; each channel has a rhythm of its own, AR(2) noise of 12 samples a wave, as
peaks of a spectrum lock by chance most.  Levels are of each pair and mode: any is not told, and the
power is of the mode that stands out most often.

Each seed has ten signals: those of one seed are compared with the same noise.
"""
import concurrent.futures
import os
import sys

import numpy as np

# 119 signals of noise: 5 % of 120, and of the 60 that a mode and its peers are, are whole.
SETUPS = {  # signals, samples, noise signals, options
    "emd": (2000, 1024, 119, {}),
    "iceemdan": (600, 1024, 119, {"decomposition": "iceemdan", "realizations": 10}),
    "memd": (300, 256, 119, {"decomposition": "memd", "directions": 16}),
    "locking": (240, 256, 59, {"decomposition": "memd", "directions": 16}),
}
TOGETHER = {"memd": 3, "locking": 3}
MODES = 10
PERIOD = 12.0
LEVEL = 0.05 + 1e-9


def autoregressive(lag1, rng, count, n):
    x = rng.standard_normal((count, n + 400))
    for t in range(1, n + 400):
        x[:, t] += lag1 * x[:, t - 1]
    return x[:, 400:]


def pink(rng, count, n):
    points = 16 * n
    f = np.arange(1, points // 2 + 1) / points
    x = np.zeros((count, points // 2 + 1), complex)
    x[:, 1:] = (rng.standard_normal((count, len(f), 2)) @ [1, 1j]) / np.sqrt(f)
    return np.fft.irfft(x, axis=1)[:, :n] * np.sqrt(points)


BEND = 0.05


def bent(rng, count, n):
    points = 16 * n
    f = np.arange(points // 2 + 1) / points
    x = (rng.standard_normal((count, len(f), 2)) @ [1, 1j]) * (1 + (f / BEND) ** 2) ** -0.625
    x[:, 0] = 0
    return np.fft.irfft(x, axis=1)[:, :n] * np.sqrt(points)


NOISE = {
    "white": lambda rng, count, n: rng.standard_normal((count, n)),
    "AR(0.9)": lambda rng, count, n: autoregressive(0.9, rng, count, n),
    "random walk": lambda rng, count, n: rng.standard_normal((count, n)).cumsum(axis=1),
    "1/f": pink,
    "bend": bent,
}


# Of noise, density at that period times frequency times ln 2: its power in an octave.
OCTAVE = {"white": 0.116, "AR(0.9)": 0.461, "random walk": 0.431, "1/f": 2.77,
          "bend": 0.0439}


def sine(kind, n):
    """Of 12 samples a wave, with as much power as the noise has in an octave there."""
    return np.sqrt(2 * OCTAVE[kind]) * np.sin(2 * np.pi * np.arange(n) / PERIOD + 1)


def some(task):
    import wavesift
    method, kind, seed, with_sine = task
    _, n, noise_signals, options = SETUPS[method]
    rng = np.random.default_rng([seed, list(NOISE).index(kind)])
    x = NOISE[kind](rng, TOGETHER.get(method, 10), n)
    if with_sine:
        x = x + sine(kind, n)
    if method == "locking":
        return locking(x, rng, noise_signals, seed, options)
    r = wavesift.hht(x, noise_signals=noise_signals, parts="marginal", seed=seed, threads=1,
                     modes=MODES, **options)
    p, p_any = np.array(r.p), np.array(r.p_any)
    for channel, count in enumerate(np.array(r.mode_count)):
        p[channel, count:] = p_any[channel, count:] = np.nan
    more = ((0, 0), (0, MODES - p.shape[1]))
    return np.pad(p, more, constant_values=np.nan), np.pad(p_any, more, constant_values=np.nan)


def locking(x, rng, noise_signals, seed, options):
    """As p of modes is: of each pair and mode 0 where it is above its level, else 1; NaN where it
    has none."""
    import wavesift
    wave = rng.standard_normal((len(x), x.shape[1] + 400))
    for t in range(2, wave.shape[1]):
        wave[:, t] += (1.9 * np.cos(2 * np.pi / PERIOD) * wave[:, t - 1]
                       - 0.95 ** 2 * wave[:, t - 2])
    wave = wave[:, 400:] * 2 * x.std(1, keepdims=True) / wave.std()
    r = wavesift.hht(x + wave, noise_signals=noise_signals, parts="connectivity", seed=seed,
                     threads=1, modes=MODES, **options)
    value, level = np.array(r.phase_locking), np.array(r.locking_level)
    p = np.full((3, MODES), np.nan)
    for i, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
        count = min(np.array(r.mode_count)[[a, b]])
        own = level[a, :count, b]
        p[i, :count] = np.where(np.isnan(own), np.nan, value[a, :count, b] <= own)
    return p, p


def rates(method, kind, seeds, with_sine, pool):
    found = list(pool.map(some, [(method, kind, s, with_sine) for s in seeds]))
    p, p_any = (np.concatenate(a) for a in zip(*found))
    there = np.isfinite(p).sum(0)
    modes = [k for k in range(p.shape[1]) if there[k] >= len(p) / 2]
    each = [((p[:, k] <= LEVEL).sum() / there[k], there[k]) for k in modes]
    if method == "locking":
        return each, max(each)[0] if with_sine else np.nan, len(p)
    return each, (np.nanmin(p_any, axis=1) <= LEVEL).mean(), len(p)


def lawful(rate, n, few):
    margin = 3 * np.sqrt(0.05 * 0.95 / n) if few else 0
    return 0.035 - margin <= rate <= 0.065 + margin


def main():
    method = sys.argv[1]
    share = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    signals, n, noise_signals, options = SETUPS[method]
    together = TOGETHER.get(method, 10)
    count = max(1, round(signals * share / together))
    told = ", ".join(f"{k} {v}" for k, v in options.items())
    print(f"{method}{', ' + told if told else ''}: {count * together} signals of {n} samples, "
          f"{noise_signals} signals of noise; share of p <= 0.05, %")
    print(f"{'noise':12}  {'any':>5}  each mode{'':43}  with a sine, any")
    good = True
    with concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for kind in NOISE:
            each, any_mode, total = rates(method, kind, range(1, count + 1), False, pool)
            power = rates(method, kind, range(1, max(2, count // 5)), True, pool)[1]
            good &= method == "locking" or lawful(any_mode, total, total < 2000)
            good &= all(lawful(rate, there, there < 2000) for rate, there in each)
            print(f"{kind:12}  {100 * any_mode:5.1f}  "
                  f"{' '.join(f'{100 * rate:5.1f}' for rate, _ in each):52}  {100 * power:5.1f}",
                  flush=True)
    print(f"{'PASS' if good else 'FAIL'}: noise is called more than noise as often as p says")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
