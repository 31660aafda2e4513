"""Convolution against NumPy's correlate in f64, on 200 random sets of 1 to 5000 masks, real and
complex, of 1 tap to more than the signal has, by every method and every kind of sums.

    WAVESIFT_LIBRARY=libwavesift.so conv_numpy.py [SETS]

Direct sums: the error of each response over sum |x m| there, at most 1e-13; transforms: over the
largest response of their mask, at most 1e-13.  f32 with sums in f64: within 1 ulp of the result
+ 2^-44 sum |x m|; with compensated sums: within 1 ulp + L 2^-46 sum |x m|."""
import sys

import numpy as np
import wavesift


def correlate(x, mask, extent):
    """sum_k x[n + k - L / 2] mask[k]; x counts as zero beyond its ends."""
    length, before = len(mask), len(mask) // 2
    after = length - 1 - before
    if extent == "valid":
        return np.correlate(x, np.conj(mask), "valid")
    # `full` adds as many outputs as the longest mask has; masks of one length here.
    more = (after, before) if extent == "full" else (0, 0)
    wide = np.concatenate([np.zeros(before + more[0]), x, np.zeros(after + more[1])])
    return np.correlate(wide, np.conj(mask), "valid")


def draw(rng, trial):
    n = int(10 ** rng.uniform(0.5, 3.5))
    count = 5000 if trial % 25 == 9 else int(rng.integers(1, 40))
    longest = 30 if count > 40 else int(1 + 1.5 * n)
    extent = "same" if trial % 4 else "full"
    lengths = rng.integers(1, longest + 1, count)
    if extent == "full":
        lengths[:] = lengths[0]
    masks = [rng.standard_normal(k) * 10.0 ** rng.uniform(-2, 2) for k in lengths]
    if trial % 3 == 1:
        masks = [m + 1j * rng.standard_normal(len(m)) for m in masks]
    return rng.standard_normal(n) + rng.choice([0.0, 100.0]), masks, extent


def responses(x, masks, extent, **words):
    return wavesift.conv(x[None], masks=masks, extent=extent, **words).responses[0]


def f64_errors(x, masks, extent, worst):
    want = [correlate(x, m, extent) for m in masks]
    for method in ("direct", "fft", "overlap-save"):
        got = responses(x, masks, extent, method=method)
        for m, w, g in zip(masks, want, got):
            scale = np.abs(w).max()
            if method == "direct":
                # Of a complex mask each part has sums of its own.
                size = correlate(np.abs(x), np.maximum(np.abs(m.real), np.abs(m.imag)), extent)
                scale = np.where(size > 0, size, 1.0)
            worst[method] = max(worst[method], (np.abs(g - w) / scale).max())


def f32_errors(x, masks, extent, worst):
    x = x.astype("f4")
    masks = [m.astype("c8" if np.iscomplexobj(m) else "f4") for m in masks]
    for sums in ("f64", "compensated"):
        got = responses(x, masks, extent, method="direct", sums=sums)
        for m, g in zip(masks, got):
            for part in ("real", "imag")[:2 if np.iscomplexobj(m) else 1]:
                taps = getattr(m, part).astype("f8")
                want = correlate(x.astype("f8"), taps, extent)
                size = correlate(np.abs(x.astype("f8")), np.abs(taps), extent)
                bound = np.spacing(np.abs(want).astype("f4")).astype("f8") + size * (
                    2.0 ** -44 if sums == "f64" else len(m) * 2.0 ** -46)
                got_part = getattr(g, part).astype("f8")
                ratio = np.abs(got_part - want) / np.where(bound > 0, bound, 1.0)
                worst[sums] = max(worst[sums], ratio.max())


def main():
    rng = np.random.default_rng(21)
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    worst = dict.fromkeys(("direct", "fft", "overlap-save", "f64", "compensated"), 0.0)
    for trial in range(sets):
        x, masks, extent = draw(rng, trial)
        f64_errors(x, masks, extent, worst)
        f32_errors(x, masks, extent, worst)
    print(f"conv against NumPy, {sets} sets: direct {worst['direct']:.1e} of sum |x m|; fft "
          f"{worst['fft']:.1e} and overlap-save {worst['overlap-save']:.1e} of the largest; f32 "
          f"with f64 sums {worst['f64']:.2f} and compensated {worst['compensated']:.2f} of the "
          "bound")
    bad = max(worst["direct"], worst["fft"], worst["overlap-save"]) > 1e-13
    bad |= max(worst["f64"], worst["compensated"]) > 1
    print("FAIL" if bad else "pass")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
