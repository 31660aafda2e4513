"""The alignment of modes of multivariate EMD, beside what docs/decisions/0017-alignment.md says it
is, computed here from the modes alone."""

import json

import numpy as np
import pytest

import wavesift

PER_OCTAVE, WIDTH, COUNTS = 8, 0.25, 0.01


def crossings(d):
    """First samples behind crossings of 0, and how far behind the sample before they lie."""
    above = d > 0
    i = np.flatnonzero(above[1:] != above[:-1]) + 1
    return i, d[i - 1] / (d[i - 1] - d[i])


def middle(x):
    """The mean that half waves are counted about: of few, that of whole waves."""
    d = x - x.mean()
    i, part = crossings(d)
    if not 3 <= len(i) < 64:
        return x.mean()
    areas = np.concatenate([[0], np.cumsum((d[1:] + d[:-1]) / 2)])
    areas, at = areas[i - 1] + d[i - 1] * part / 2, i - 1 + part
    ends = [(0, -1)] if len(i) % 2 else [(0, -2), (1, -1)]
    mean = x.mean() + (sum(areas[b] - areas[a] for a, b in ends)
                       / sum(at[b] - at[a] for a, b in ends))
    return mean if len(crossings(x - mean)[0]) + 2 >= len(i) else x.mean()


def goes_on(energy, whole, times, length, of_whole):
    """Is what lies `times` from a crossing part of a sine like the whole half wave beside it, of
    `length` and this energy at times `of_whole` from the crossing?"""
    if length < 2 or len(times) - 1 + times.min() > length + 1:
        return 0
    want = whole * (np.sin(np.pi * times / length) ** 2).sum()
    have = energy * (np.sin(np.pi * of_whole / length) ** 2).sum()
    return np.clip((0.2 - abs(want - have) / max(want, have)) / 0.15, 0, 1)


def half_waves(x):
    """Energies and frequencies, in cycles a sample, of the half waves of a row: decision 9."""
    d = x - middle(x)
    i, part = crossings(d)
    if len(i) == 0:
        return np.zeros(0), np.zeros(0)
    at = i + part
    length = np.concatenate([[2 * at[0] - 1], np.diff(at), [2 * (len(d) - at[-1] + 1) - 1]])
    squares = np.concatenate([[0], np.cumsum(d ** 2)])
    energy = np.diff(np.concatenate([[0], squares[i], [squares[-1]]]))
    steps = np.concatenate([[0], np.diff(d) ** 2])
    slopes = np.concatenate([[0], np.cumsum(steps)])[:-1]
    slopes = np.concatenate([slopes, [slopes[-1] + steps[-1]]])
    slope = np.diff(np.concatenate([[0], slopes[i] + part * steps[i], [slopes[-1]]]))
    f = 0.5 / np.maximum(length, 1)
    w2 = (2 * np.pi * f) ** 2
    sine = length ** 2 / np.pi ** 2 + (1 / 12 + w2 * (1 / 240 + w2 / 6048))
    excess = (0.25 + 0.125 * w2) * (slope * sine - energy)
    excess = np.where((excess > 0) & (length >= 2), excess, 0)
    whole = energy + excess
    f = f * (1 + excess / np.where(whole > 0, whole, 1))
    if len(i) > 1:
        for end, beside, one, other in ((0, 1, 0, 1), (-1, -2, -1, -2)):
            times = abs(np.arange(len(d)) + 1 - at[one])
            outer = np.arange(len(d)) < i[one] if end == 0 else np.arange(len(d)) >= i[one]
            inner = ~outer & ((np.arange(len(d)) < i[other]) if end == 0
                              else (np.arange(len(d)) >= i[other]))
            share = goes_on(energy[end], energy[beside], times[outer], length[beside],
                            times[inner])
            energy = np.append(energy, share * energy[end])
            f = np.append(f, f[beside])
            energy[end if end == 0 else len(length) - 1] *= 1 - share
            # Both ends see the half waves alone.
            if end == 0:
                first = energy[-1], f[-1]
                energy, f = energy[:-1], f[:-1]
        energy, f = np.append(energy, first[0]), np.append(f, first[1])
    return energy, f


def shapes(energy, frequency, points):
    """The share of the power at each point of log2(frequency)."""
    if len(energy) == 0:
        return np.zeros(len(points))
    z = (points[:, None] - np.log2(frequency)) / WIDTH
    power = np.where(abs(z) <= 4, np.exp(-0.5 * z ** 2), 0) @ energy
    return power / power.sum()


def aligned(spectra, shares):
    """The mean overlap over all pairs of channels that have the mode, by their shares."""
    has = np.flatnonzero((shares >= COUNTS * shares.max()) & (shares > 0))
    pairs = [(i, k) for i in has for k in has if i < k]
    if not pairs:
        return np.nan
    weights = np.array([shares[i] * shares[k] for i, k in pairs])
    overlaps = np.array([np.sqrt(spectra[i] * spectra[k]).sum() for i, k in pairs])
    return (weights * overlaps).sum() / weights.sum()


def by_hand(modes, residue, of=half_waves):
    """The alignment of modes [channel][mode][time]."""
    variance = np.concatenate([modes.var(-1), residue.var(-1)[:, None]], 1)
    total = variance.sum(1, keepdims=True)
    shares = np.divide(variance, total, out=np.zeros_like(variance), where=total > 0)
    points = np.arange(-33 * PER_OCTAVE, PER_OCTAVE + 1) / PER_OCTAVE
    return np.array([aligned([shapes(*of(row), points) for row in modes[:, k]], shares[:, k])
                     for k in range(modes.shape[1])])


def periodogram(x):
    """Powers and frequencies of a row followed by its mirror image."""
    power = abs(np.fft.rfft(np.concatenate([x, x[::-1]]) - x.mean()))[1:] ** 2
    return power, np.arange(1, len(power) + 1) / (2 * len(x))


def tones(n=2000, seed=0):
    """Four channels of two rhythms, the slow one not in the last, with a little noise."""
    rng = np.random.default_rng(seed)
    t = np.arange(n) / 200
    x = 0.01 * rng.standard_normal((4, n))
    for c in range(4):
        x[c] += np.sin(2 * np.pi * 30 * t + c)
        x[c] += (c < 3) * 2 * np.sin(2 * np.pi * 4 * t + 2 * c)
    return x


@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_is_what_the_definition_gives(x, precision):
    for signal in (x, tones(), np.random.default_rng(5).standard_normal((3, 777))):
        r = wavesift.memd(signal, fs=200, precision=precision)
        want = by_hand(r.modes.astype(float), r.residue.astype(float))
        assert r.alignment.shape == r.modes.shape[:2]
        assert (r.alignment == r.alignment[:1]).all() or np.isnan(want).any()
        # Half waves of one class lie at their mean frequency.
        np.testing.assert_allclose(r.alignment[0], want, atol=2e-5)


def test_agrees_with_fourier_spectra():
    r = wavesift.memd(tones(), fs=200)
    want = by_hand(r.modes, r.residue, periodogram)
    loud = r.variance_share.max(0) > 0.05
    assert loud.sum() >= 2
    np.testing.assert_allclose(r.alignment[0][loud], want[loud], atol=0.02)
    assert (r.alignment[0][loud] > 0.98).all()


def test_channels_of_other_rhythms():
    """Each alone, they are not one: what channels decomposed one by one would have."""
    t = np.arange(4000) / 200
    rows = np.stack([np.sin(2 * np.pi * f * t) for f in (8, 16)])[:, None]
    overlap = by_hand(rows, 0 * rows[:, 0])
    np.testing.assert_allclose(overlap, np.exp(-1 / (8 * WIDTH ** 2)), atol=0.01)
    r = wavesift.memd(np.stack([rows[0, 0], rows[1, 0]]), fs=200)
    # Each lies in a mode of its own, of which the other channel has little or nothing.
    loud = r.variance_share.max(0) > 0.5
    assert loud.sum() == 2 and (np.nan_to_num(r.alignment[0][loud]) < 0.3).all()


def test_neither_order_nor_unit_of_channels_matters():
    x, order = tones(), [2, 0, 3, 1]
    v = np.random.default_rng(1).standard_normal((32, 4))
    a = wavesift.memd(x, fs=200, direction_set=v).alignment[0]
    b = wavesift.memd(x[order], fs=200, direction_set=v[:, order]).alignment[0]
    n = min(len(a), len(b), 3)
    np.testing.assert_allclose(a[:n], b[:n], atol=1e-6)
    for scale in (1e-200, 1e-7, 8, 1e150):
        c = wavesift.memd(scale * x, fs=200, direction_set=v).alignment[0]
        np.testing.assert_allclose(a[:3], c[:3], atol=1e-6)
    d = wavesift.memd(1000 + x, fs=200, direction_set=v).alignment[0]
    np.testing.assert_allclose(a[:3], d[:3], atol=1e-6)


def test_equal_channels_are_aligned():
    one = tones()[0]
    r = wavesift.memd(np.stack([one, -2 * one, one]), fs=200)
    assert (r.alignment > 1 - 1e-9).all() and (r.alignment <= 1).all()


def test_flat_channels_do_not_count():
    x = tones()
    flat = np.concatenate([x, np.full((1, x.shape[1]), 3.0)])
    r = wavesift.memd(flat, fs=200)
    np.testing.assert_allclose(r.alignment[0], by_hand(r.modes, r.residue), atol=2e-5)
    only = wavesift.memd(np.stack([x[0], 0 * x[0]]), fs=200)
    assert np.isnan(only.alignment).all()


def test_where_there_is_nothing_to_align(x):
    assert "alignment" not in wavesift.memd(x[:1], fs=200)
    assert "alignment" not in wavesift.emd(x, fs=200)
    assert wavesift.memd(np.ones((2, 300)), fs=200).alignment.shape == (2, 0)


def test_epochs_have_their_own():
    x = np.stack([tones(600, seed) for seed in range(3)])
    r = wavesift.memd(x, fs=200)
    assert r.alignment.shape == r.modes.shape[:3]
    for e in range(3):
        alone = wavesift.memd(x[e], fs=200)
        k = alone.modes.shape[1]
        np.testing.assert_array_equal(r.alignment[e][:, :k], alone.alignment)
        assert (r.alignment[e][:, k:] == 0).all()


def test_of_threads_and_blocks_the_same_bits(x):
    want = wavesift.memd(x, fs=200, threads=1).alignment
    np.testing.assert_array_equal(wavesift.memd(x, fs=200, threads=2).alignment, want)


def test_is_kept_in_files(x, tmp_path):
    r = wavesift.memd(x, fs=200)
    r.save(tmp_path / "a.h5")
    np.testing.assert_array_equal(wavesift.load(tmp_path / "a.h5").alignment, r.alignment)
    with wavesift.memd(x, fs=200, out=str(tmp_path / "out.h5")) as out:
        np.testing.assert_array_equal(out.alignment[:], r.alignment)


def test_the_program_gives_the_same(x, tmp_path, program):
    want = wavesift.memd(x, fs=200)
    np.save(tmp_path / "x.npy", x)
    told = json.loads(program("memd", tmp_path / "x.npy", "--fs", "200", "--json",
                              "-o", tmp_path / "p.h5"))
    np.testing.assert_array_equal(wavesift.load(tmp_path / "p.h5").alignment, want.alignment)
    for channel, row in zip(told["signals"], want.alignment):
        np.testing.assert_array_equal(channel["alignment"], row)
    shares = want.variance_share
    assert told["alignment"] == pytest.approx((want.alignment * shares).sum() / shares.sum())
    io = pytest.importorskip("scipy.io")
    program("memd", tmp_path / "x.npy", "--fs", "200", "-q", "-o", tmp_path / "p.mat")
    np.testing.assert_array_equal(io.loadmat(tmp_path / "p.mat")["alignment"], want.alignment)
