"""Transforms that gather epochs: forms of x, the program's bits, what is refused."""

import copy

import numpy
import pytest

import wavesift

METHODS = ("trials", "coherence", "hhtrials")
FREQS = {"freqs": "8:40:5", "device": "cpu"}
TMIN = -0.25


@pytest.fixture
def epochs():
    """[epoch, channel, time] with a wave of the same phase in all, and noise."""
    rng = numpy.random.default_rng(3)
    t = TMIN + numpy.arange(150) / 200
    wave = numpy.exp(-40 * t ** 2) * numpy.cos(2 * numpy.pi * 20 * t)
    return wave + 0.3 * rng.standard_normal((6, 3, 150))


def same(a, b):
    assert set(a.arrays) == set(b.arrays)
    for name in a.arrays:
        assert a[name].shape == b[name].shape, name
        assert a[name].tobytes() == b[name].tobytes(), name


def test_averages(epochs):
    """Those of the epochs' own transforms."""
    w = wavesift.cwt(epochs, 200, quantity="complex", **FREQS).coefficients
    r = wavesift.trials(epochs, 200, tmin=TMIN, **FREQS)
    power, unit = numpy.abs(w) ** 2, w / numpy.abs(w)
    for name, expected in (("total_power", power.mean(0)),
                           ("evoked_power", numpy.abs(w.mean(0)) ** 2),
                           ("induced_power", (numpy.abs(w - w.mean(0)) ** 2).mean(0)),
                           ("itc", numpy.abs(unit.mean(0)))):
        assert r.dims(name) == ("channel", "frequency", "time")
        assert numpy.allclose(r[name], expected, rtol=0, atol=1e-12), name
    cross = (w * w[:, 1:2].conj()).mean(0)
    c = wavesift.coherence(epochs, 200, against=1, **FREQS)
    assert numpy.allclose(c.cross_spectrum, cross, rtol=0, atol=1e-12)
    square = numpy.abs(cross) ** 2 / (power.mean(0) * power.mean(0)[1])
    assert numpy.allclose(c.coherence, square, rtol=0, atol=1e-10)
    assert c.options["against"] == 1


@pytest.mark.parametrize("how", ["db", "ratio", "percent", "z"])
def test_baseline(epochs, how):
    plain = wavesift.trials(epochs, 200, tmin=TMIN, averages=["total"], **FREQS).total_power
    r = wavesift.trials(epochs, 200, tmin=TMIN, averages="total", baseline=(-0.2, -0.1, how),
                        **FREQS)
    assert set(r.arrays) == {"total_power", "scale", "width_time", "width_frequency", "cone"}
    before = plain[..., 10:31]
    mean, spread = before.mean(-1, keepdims=True), before.std(-1, keepdims=True)
    expected = {"db": 10 * numpy.log10(plain / mean), "ratio": plain / mean,
                "percent": 100 * (plain / mean - 1), "z": (plain - mean) / spread}[how]
    assert numpy.allclose(r.total_power, expected, rtol=1e-9, atol=1e-9)
    assert r.times[0] == TMIN and r.epochs == () and r.channels == 3


def test_hilbert_spectra(epochs):
    """Those of the epochs one by one, compared with a baseline."""
    given = {"freqs": "4:80:16", "time_bin": 0.05, "quantity": "power", "device": "cpu"}
    mean = epochs.mean(0)
    expected = {"total": wavesift.hht(epochs, 200, **given).spectrum.mean(0),
                "evoked": wavesift.hht(mean, 200, **given).spectrum,
                "induced": wavesift.hht(epochs - mean, 200, **given).spectrum.mean(0)}
    r = wavesift.hhtrials(epochs, 200, tmin=TMIN, **given)
    assert numpy.allclose(r.times, TMIN + 0.05 * numpy.arange(15) + 0.0225)
    for name, spectrum in expected.items():
        assert r.dims(f"{name}_spectrum") == ("channel", "frequency", "time")
        assert numpy.allclose(r[f"{name}_spectrum"], spectrum, rtol=1e-9, atol=1e-12), name
        assert numpy.allclose(r[f"{name}_marginal"], spectrum.mean(-1), rtol=1e-9, atol=1e-12)
    one = wavesift.hhtrials(epochs, 200, tmin=TMIN, averages="induced", baseline=(-0.2, 0, "ratio"),
                            **given)
    assert set(one.arrays) == {"induced_spectrum", "induced_marginal", "capped"}
    before = expected["induced"][..., 1:5].mean(-1, keepdims=True)
    assert numpy.allclose(one.induced_spectrum, expected["induced"] / before, rtol=1e-9)
    with pytest.raises(wavesift.ArgumentError, match="hhtrials takes samples"):
        wavesift.hhtrials(wavesift.emd(epochs, 200, device="cpu"))


def by_channel(x):
    return numpy.ascontiguousarray(x.transpose(1, 0, 2)).transpose(1, 0, 2)


def wide(x):
    room = numpy.zeros((3, 7, 6, 150))
    room[:, 2] = x.transpose(1, 0, 2)
    return room[:, 2].transpose(1, 0, 2)


FORMS = {"by_channel": by_channel, "with_room_between_channels": wide,
         "fortran": numpy.asfortranarray, "list": lambda x: x.tolist(),
         "backwards": lambda x: x[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1],
         "big_endian": lambda x: x.astype(">f8"), "two_axes": lambda x: x.reshape(2, 3, 3, 150),
         "every_second": lambda x: numpy.repeat(x, 2, -1)[..., ::2]}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("method", METHODS)
def test_forms(epochs, method, form):
    call = getattr(wavesift, method)
    x = FORMS[form](epochs)
    same(call(x, 200, **FREQS), call(epochs, 200, **FREQS))
    plan = wavesift.Plan(method, numpy.shape(x), 200, **FREQS)
    same(plan(x), call(epochs, 200, **FREQS))


def test_same_epoch_twice(epochs):
    twice = numpy.broadcast_to(epochs[:1], (2, 3, 150))
    same(wavesift.trials(twice, 200, **FREQS), wavesift.trials(twice.copy(), 200, **FREQS))


def test_no_copy(epochs):
    """Of x whose epochs of a channel lie together; of others one."""
    from wavesift import _signals

    for form in (by_channel, wide):
        x = form(epochs)
        assert numpy.shares_memory(_signals.take(x, None, True).x, x)
        assert not numpy.shares_memory(_signals.take(x, "f32", True).x, x)
    assert not numpy.shares_memory(_signals.take(epochs, None, True).x, epochs)


def test_coherence_without_epochs(epochs):
    """Of [channel, time], one row, and all pairs."""
    x = epochs[0]
    r = wavesift.coherence(x, fs=100, freqs="8:30", against=1)
    assert r.coherence.shape[0] == len(x) and r.coherence.shape[-1] == x.shape[-1]
    assert numpy.allclose(r.coherence[1], 1) and (r.coherence <= 1).all()
    pairs = wavesift.coherence(x, fs=100, freqs="8:30", against="all").coherence_pairs
    assert pairs.shape[:2] == (len(x), len(x)) and numpy.allclose(pairs[:, 1], r.coherence)
    assert numpy.allclose(wavesift.coherence(x[0], fs=100, freqs="8:30").coherence, 1)


def test_refused(epochs):
    method, call = "trials", wavesift.trials
    for x, words in ((epochs[0], r"x of \[epoch, channel, time\] with two epochs or more is "
                      r"needed, not \[3, 150\]; of one channel x\[:, None\]"),
                     (epochs[0, 0], r"not \[150\]"), (epochs[:1], r"not \[1, 3, 150\]")):
        with pytest.raises(wavesift.ArgumentError, match=words):
            call(x)
        with pytest.raises(wavesift.ArgumentError, match=words):
            wavesift.Plan(method, x.shape)
    with pytest.raises(ValueError, match="tmin: a number of seconds"):
        call(epochs, tmin=float("nan"))
    bad = epochs.copy()
    bad[4, 1, 7] = numpy.nan
    with pytest.raises(wavesift.SignalError, match=r"^x\[4, 1, 7\] is not finite"):
        call(bad, 200)
    with pytest.raises(TypeError, match="no option 'tmin'"):
        wavesift.emd(epochs, tmin=0)
    with pytest.raises(TypeError, match="has no option 'tmax'"):
        call(epochs, tmax=1)


BRAINVISION = """Brain Vision Data Exchange Header File Version 1.0
[Common Infos]
DataFile=x.eeg
MarkerFile=x.vmrk
DataFormat=BINARY
DataOrientation=MULTIPLEXED
NumberOfChannels=3
SamplingInterval=5000
[Binary Infos]
BinaryFormat=IEEE_FLOAT_32
[Channel Infos]
Ch1=Cz,,1,V
Ch2=Pz,,1,V
Ch3=Oz,,1,V
"""


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("method, flags, given", [
    ("trials", ["--baseline", "-0.2:-0.1:percent"], {"baseline": (-0.2, -0.1, "percent")}),
    ("trials", ["--averages", "itc", "--decimate", 3], {"averages": "itc", "decimate": 3}),
    ("coherence", ["--against", 2], {"against": 1}),
    ("hhtrials", ["--baseline", "-0.2:-0.1:z", "--modes", 3],
     {"baseline": (-0.2, -0.1, "z"), "modes": 3}),
], ids=["baseline", "decimate", "coherence", "hilbert"])
def test_bits_of_the_program(epochs, tmp_path, program, method, flags, given, precision):
    """Of a recording that the program cuts into epochs itself; each reads the other's file."""
    h5py = pytest.importorskip("h5py")
    x = epochs.astype("f4")
    recording = numpy.concatenate(list(x), axis=-1)
    recording.T.astype("<f4").tofile(tmp_path / "x.eeg")
    (tmp_path / "x.vhdr").write_text(BRAINVISION)
    events = [f"Mk{i + 2}=Stimulus,go,{150 * i + 51},1,0" for i in range(6)]
    (tmp_path / "x.vmrk").write_text("\n".join(
        ["Brain Vision Data Exchange Marker File, Version 1.0", "[Common Infos]",
         "DataFile=x.eeg", "[Marker Infos]", "Mk1=New Segment,,1,1,0", *events, ""]))
    program(method, tmp_path / "x.vhdr", "--epochs-at", "*go", "--tmin", TMIN, "--tmax", 0.5,
            "--freqs", FREQS["freqs"], "--precision", precision, "--device", "cpu", *flags, "-o",
            tmp_path / "program.h5")
    ours = getattr(wavesift, method)(x, 200, tmin=TMIN, precision=precision, **FREQS, **given)
    theirs = wavesift.load(tmp_path / "program.h5")
    assert theirs.method == method and theirs.channel_names == ["Cz", "Pz", "Oz"]
    for key in ours.provenance.keys() - {"command", "title"}:
        assert theirs.provenance[key] == ours.provenance[key], key
    assert all(str(ours.options[key]) == str(v) for key, v in given.items() if key != "baseline")
    assert all(str(theirs.options[key]) == str(v) for key, v in given.items() if key != "baseline")
    same(theirs, ours)
    for name in theirs.arrays:
        assert theirs.dims(name) == ours.dims(name)
    ours.save(tmp_path / "ours.h5")
    with h5py.File(tmp_path / "program.h5") as a, h5py.File(tmp_path / "ours.h5") as b:
        a, b = a[method], b[method]
        assert set(a) == set(b)
        for name in a:
            assert a[name].attrs.get("unit") == b[name].attrs.get("unit"), name
        for name in set(a) - {"channel"}:
            assert a[name].dtype == b[name].dtype
            if name.startswith("time"):
                assert numpy.allclose(a[name][()], b[name][()], rtol=0, atol=1e-12)
            else:
                assert a[name][()].tobytes() == b[name][()].tobytes(), name
    same(wavesift.load(tmp_path / "ours.h5"), ours)
    assert numpy.allclose(theirs.times, ours.times, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_file(epochs, tmp_path, method):
    pytest.importorskip("h5py")
    call = getattr(wavesift, method)
    whole = call(epochs, 200, tmin=TMIN, **FREQS)
    numpy.save(tmp_path / "x.npy", epochs)
    x = numpy.load(tmp_path / "x.npy", mmap_mode="r")
    with call(x, 200, tmin=TMIN, out=tmp_path / "r.h5", **FREQS) as r:
        assert set(r.arrays) == set(whole.arrays) and r.times[0] == whole.times[0]
        for name in whole.arrays:
            assert r[name][()].tobytes() == whole[name].tobytes(), name


@pytest.mark.parametrize("method", METHODS)
def test_result(epochs, method):
    r = getattr(wavesift, method)(epochs, 200, tmin=TMIN, **FREQS)
    assert copy.deepcopy(r).provenance == r.provenance
    plt = pytest.importorskip("matplotlib.pyplot")
    figure = r.plot(channel=1)
    first_time = TMIN + (0.0025 if method == "hhtrials" else 0)  # the middle of a time bin
    assert r.times[0] == pytest.approx(first_time)
    assert figure.axes[0].get_xlim()[0] <= first_time
    plt.close(figure)
    if method == "trials":
        changed = wavesift.trials(epochs, 200, tmin=TMIN, baseline=(-0.2, -0.1, "percent"), **FREQS)
        figure = changed.plot()
        assert figure.axes[-1].get_ylabel() == "total power, %"
        plt.close(figure)
    if method == "hhtrials":
        assert figure.axes[-1].get_ylabel() == "total density (1/Hz)"
        changed = wavesift.hhtrials(epochs, 200, tmin=TMIN, baseline=(-0.2, -0.1), **FREQS)
        figure = changed.plot()
        assert figure.axes[-1].get_ylabel() == "total spectrum, dB"
        plt.close(figure)
    pytest.importorskip("xarray")
    data = r.to_xarray()
    first = next(iter(r.arrays))
    assert data[first].dims == ("channel", "frequency", "time")
    assert float(data["time"][0]) == r.times[0]


def test_out(epochs):
    plan = wavesift.Plan("trials", epochs.shape, 200, averages="itc", **FREQS)
    room = {"itc": numpy.full(plan.full_shape("itc"), numpy.nan)}
    r = plan(epochs, out=room)
    assert numpy.shares_memory(r.itc, room["itc"]) and room["itc"].shape == (3, 5, 150)
    assert not numpy.isnan(room["itc"]).any()


def test_mne(epochs):
    mne = pytest.importorskip("mne")
    info = mne.create_info(["Cz", "Pz", "Oz"], 200.0, "eeg")
    inst = mne.EpochsArray(epochs, info, tmin=TMIN, verbose="error")
    r = wavesift.trials(inst, baseline=(-0.2, -0.1), **FREQS)
    same(r, wavesift.trials(epochs, 200, tmin=TMIN, baseline=(-0.2, -0.1), **FREQS))
    assert r.channel_names == ["Cz", "Pz", "Oz"] and r.times[0] == TMIN
    plan = wavesift.Plan("trials", epochs.shape, 200, tmin=-0.5, **FREQS)
    with pytest.raises(ValueError, match="begin at -0.25 s, but tmin says -0.5 s"):
        plan(inst)
    raw = mne.io.RawArray(epochs[0], info, verbose="error")
    with pytest.raises(ValueError, match=r"\[epoch, channel, time\]"):
        wavesift.trials(raw)


def test_average_of_modes(epochs, tmp_path, program):
    """That of the program, which sums in another order; modes add up to the signal."""
    numpy.save(tmp_path / "x.npy", epochs)
    r = wavesift.emd(epochs, 200, device="cpu").average()
    program("emd", tmp_path / "x.npy", "--fs", 200, "--average", "-o", tmp_path / "x.h5", "-q")
    theirs = wavesift.load(tmp_path / "x.h5")
    assert r.epochs == () and r.dims("modes_interval") == ("channel", "mode", "time")
    assert set(theirs.arrays) - {"signal", "signal_interval"} <= set(r.arrays)
    for name, array in theirs.arrays.items():
        if name in r.arrays:
            assert numpy.allclose(r[name], array, rtol=1e-9, atol=1e-12, equal_nan=True), name
    assert numpy.allclose(r.modes.sum(1) + r.residue, epochs.mean(0))
    assert (r.frequency_low <= r.frequency).all() and (r.mode_epochs <= 6).all()
    if pytest.importorskip("matplotlib"):
        assert all(len(axes.collections) == 1 for axes in r.plot(1).axes)
    r.save(tmp_path / "y.h5")
    assert numpy.array_equal(wavesift.load(tmp_path / "y.h5").modes_interval, r.modes_interval)


def test_average_needs_epochs(epochs):
    with pytest.raises(wavesift.ArgumentError, match="two epochs"):
        wavesift.emd(epochs[0], 200, device="cpu").average()
    with pytest.raises(wavesift.ArgumentError, match="not of cwt"):
        wavesift.cwt(epochs, 200, **FREQS).average()
    b = wavesift.bands(epochs, 200, bands=[(8, 13)], precision="f64", device="cpu")
    half = b.average().bands_interval
    assert numpy.allclose(half, 2.570582 * b.bands.std(0, ddof=1) / 6 ** 0.5, rtol=2e-4)
