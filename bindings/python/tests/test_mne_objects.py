"""wavesift.mne: modes of Raw, Epochs and Evoked, and time-frequency objects as MNE's own."""

import warnings

import numpy
import pytest

import wavesift

mne = pytest.importorskip("mne")
import wavesift.mne as wm  # noqa: E402
from wavesift import _mne  # noqa: E402

SFREQ = 100.0
NAMES = ["Fz", "Cz", "STI", "Pz", "EOG"]


@pytest.fixture
def raw():
    """Five channels of 12 s, one bad, with a montage, a date, a first sample, annotations."""
    rng = numpy.random.default_rng(3)
    t = numpy.arange(1200) / SFREQ
    data = rng.standard_normal((5, 1200)).cumsum(-1) * 1e-6
    data += 1e-5 * numpy.sin(2 * numpy.pi * 10 * t)
    data[2] = 0
    data[2, 100::200] = 1
    info = mne.create_info(NAMES, SFREQ, ["eeg", "eeg", "stim", "eeg", "eog"])
    raw = mne.io.RawArray(data, info, first_samp=150, verbose="error")
    places = {n: [0.01 * i, 0.02, 0.08] for i, n in enumerate(NAMES) if n not in ("STI", "EOG")}
    raw.set_montage(mne.channels.make_dig_montage(places, coord_frame="head"))
    raw.set_meas_date(1_600_000_000)
    raw.info["bads"] = ["Cz"]
    raw.set_annotations(mne.Annotations([3.0, 5.5], [0.5, 0.0], ["blink", "go"],
                                        orig_time=None))
    return raw


@pytest.fixture
def epochs(raw):
    events = mne.find_events(raw, "STI", verbose="error")
    pandas = pytest.importorskip("pandas")
    meta = pandas.DataFrame({"trial": range(len(events))})
    e = mne.Epochs(raw, events, {"go": 1}, -0.5, 0.99, baseline=(None, 0), metadata=meta,
                   reject={"eeg": 1.0}, preload=True, verbose="error")
    return e


def annotate(raw, *notes):
    """Adds (second, duration, text), seconds from the first sample."""
    raw.annotations.append([n[0] + raw.first_time for n in notes], [n[1] for n in notes],
                           [n[2] for n in notes])


def same_place(a, b):
    for one, other in zip(a.info["chs"], [b.info["chs"][b.ch_names.index(n)]
                                          for n in a.ch_names]):
        assert numpy.array_equal(one["loc"], other["loc"], equal_nan=True)
    assert a.info["meas_date"] == b.info["meas_date"] and a.info["sfreq"] == b.info["sfreq"]
    assert a.get_montage().get_positions()["ch_pos"].keys() >= {"Fz", "Pz"} & set(a.ch_names)


# ---- Modes ------------------------------------------------------------------------------------

def test_refused_modes(raw, epochs):
    modes = wm.decompose(raw, "emd")
    for given, words in (([], "at least one"), ([0.5], r"must be 0 \(IMF 1\) to"),
                         ([99], "must be 0 ")):
        with pytest.raises(wavesift.ArgumentError, match=words):
            modes.to_inst(given)
    with pytest.raises(wavesift.ArgumentError, match="inst has no epochs"):
        wm.decompose(epochs.copy().drop(range(len(epochs)), verbose="error"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")          # MNE's time is the last axis, however short
        assert wm.decompose(raw.copy().crop(0, 0), "emd").get_data().shape[-1] == 1


def test_raw(raw):
    modes = wm.decompose(raw, "emd")
    assert modes.ch_names == ["Fz", "Pz"]
    plain = wavesift.emd(raw.get_data(["Fz", "Pz"]), fs=SFREQ)
    assert modes.get_data().tobytes() == plain.modes.tobytes()
    assert modes.get_data("Pz", [0, "residue"])[0, 1].tobytes() == plain.residue[1].tobytes()
    back = modes.to_inst()
    assert isinstance(back, mne.io.BaseRaw) and back.first_samp == 150
    assert back.ch_names == NAMES and back.info["bads"] == ["Cz"]
    assert numpy.allclose(back.get_data(), raw.get_data(), rtol=0, atol=1e-18)
    same_place(back, raw)
    assert list(back.annotations.description) == ["blink", "go"]
    assert numpy.array_equal(back.annotations.onset, raw.annotations.onset)
    two, good = modes.to_inst([1, 2]), ["Fz", "Pz"]
    assert numpy.array_equal(two.get_data(good), 0 + plain.modes[:, 1] + plain.modes[:, 2])
    others = ["Cz", "STI", "EOG"]       # as they were
    assert numpy.array_equal(two.get_data(others), raw.get_data(others))
    parts = [modes.to_inst(exclude=[0]), modes.to_inst([0])]
    assert numpy.allclose(sum(p.get_data(good) for p in parts), back.get_data(good), rtol=0,
                          atol=1e-18)
    assert "2 channels" in repr(modes) and modes.n_modes == plain.modes.shape[1]


@pytest.mark.parametrize("dated", [True, False])
def test_annotations_of_a_part(raw, dated):
    """Where they were, by the recording's time, and so are the events that are made of them."""
    if not dated:
        raw.set_meas_date(None)
    for k in range(10):
        annotate(raw, (k, 0.25, f"mark {k}"))
    part = raw.copy().crop(2.5, 9)
    if not dated:
        assert part.annotations.orig_time is None and part.first_time == 4
    made = wm.decompose(part, "emd").to_inst()
    assert len(made.annotations) == len(part.annotations) > 5
    assert list(made.annotations.description) == list(part.annotations.description)
    for name in ("onset", "duration"):
        assert numpy.allclose(getattr(made.annotations, name), getattr(part.annotations, name),
                              rtol=0, atol=1e-9)
    theirs, ours = (mne.events_from_annotations(r, verbose="error")[0] for r in (part, made))
    assert numpy.array_equal(theirs, ours)


def test_annotations_of_epochs(raw):
    """Those of each epoch; also of one sample in two, whose events count samples before."""
    raw.set_meas_date(None)
    raw = raw.crop(2, 11)
    annotate(raw, (1.5, 0.25, "a"), (5.1, 0.25, "b"))
    events = mne.find_events(raw, "STI", verbose="error")
    epochs = mne.Epochs(raw, events, 1, -0.5, 0.99, baseline=None, decim=2, preload=True,
                        verbose="error")
    made = wm.decompose(epochs, "emd").to_inst()
    theirs = epochs.get_annotations_per_epoch()
    assert any(theirs) and made.get_annotations_per_epoch() == theirs


def test_files_of_mne(raw, tmp_path):
    """What MNE wrote and read, not in memory; and back through its file."""
    raw.save(tmp_path / "x_raw.fif", verbose="error")
    read = mne.io.read_raw_fif(tmp_path / "x_raw.fif", preload=False, verbose="error")
    modes = wm.decompose(read, "emd", picks=["Pz", "Fz"])
    assert modes.ch_names == ["Pz", "Fz"] and not read.preload
    made = modes.to_inst([0, 1])
    made.save(tmp_path / "y_raw.fif", verbose="error")
    again = mne.io.read_raw_fif(tmp_path / "y_raw.fif", verbose="error")
    assert again.ch_names == NAMES and again.first_samp == 150
    assert numpy.allclose(again.get_data(), made.get_data(), rtol=1e-6, atol=0)
    assert list(again.annotations.description) == ["blink", "go"]


@pytest.mark.parametrize("suffix, write", [
    (".edf", lambda raw, p: mne.export.export_raw(p, raw, verbose="error")),
    (".vhdr", lambda raw, p: mne.export.export_raw(p, raw, verbose="error")),
    (".set", lambda raw, p: mne.export.export_raw(p, raw, verbose="error"))])
def test_other_formats(raw, tmp_path, suffix, write):
    path = tmp_path / f"x{suffix}"
    try:
        write(raw.copy().pick(["Fz", "Pz"]), path)
    except (ImportError, ModuleNotFoundError, RuntimeError) as e:
        pytest.skip(f"MNE does not write {suffix}: {e}")
    read = mne.io.read_raw(path, verbose="error")
    made = wm.decompose(read, "emd").to_inst()
    assert made.ch_names == ["Fz", "Pz"]
    assert numpy.allclose(made.get_data(), read.get_data(), rtol=0, atol=1e-15)


def test_epochs(epochs):
    modes = wm.decompose(epochs)
    assert modes.result.method == "memd"
    data = modes.get_data()
    assert data.shape == (len(epochs), 2, modes.n_modes, len(epochs.times))
    x = epochs.get_data(["Fz", "Pz"])
    for i in (0, len(epochs) - 1):
        one = wavesift.memd(x[i], fs=SFREQ)
        k = one.modes.shape[1]
        assert data[i, :, :k].tobytes() == one.modes.tobytes() and not data[i, :, k:].any()
    some = modes.to_inst([2, 3])
    assert isinstance(some, mne.BaseEpochs) and some.ch_names == NAMES
    assert numpy.array_equal(some.events, epochs.events) and some.event_id == epochs.event_id
    assert some.tmin == epochs.tmin and some.drop_log == epochs.drop_log
    assert some.metadata.equals(epochs.metadata)
    assert numpy.array_equal(some.selection, epochs.selection)
    assert numpy.array_equal(some.get_data(["Fz", "Pz"]), data[:, :, 2] + data[:, :, 3])
    assert numpy.array_equal(some.get_data("stim"), epochs.get_data("stim"))
    assert len(some["trial > 2"]) == len(epochs["trial > 2"])
    same_place(some, epochs)
    assert list(some.annotations.description) == list(epochs.annotations.description)


def test_epochs_not_in_memory(raw):
    """Those that are rejected when they are read are not there."""
    raw._data[0, 310:320] = 1e-3
    events = mne.find_events(raw, "STI", verbose="error")
    epochs = mne.Epochs(raw, events, 1, -0.5, 0.99, baseline=None, reject={"eeg": 9e-4},
                        verbose="error")
    modes = wm.decompose(epochs, "emd", modes=3)
    made = modes.to_inst()
    assert 0 < len(made) < len(events) and len(made.get_data()) == len(made.events)
    assert not epochs.preload


def test_evoked(epochs):
    evoked = epochs.average(picks=["Fz", "Cz", "Pz"])
    evoked.comment = "mine"
    modes = wm.decompose(evoked, "emd")
    made = modes.to_inst()
    assert isinstance(made, mne.Evoked) and made.comment == "mine" and made.nave == evoked.nave
    assert made.tmin == evoked.tmin and made.ch_names == evoked.ch_names
    assert numpy.allclose(made.data, evoked.data, rtol=0, atol=1e-18)


def test_picks(raw):
    assert wm.decompose(raw, "emd", "eog").ch_names == ["EOG"]
    assert wm.decompose(raw, "emd", ["Cz"]).ch_names == ["Cz"]
    assert wm.decompose(raw, "emd", [0, 3]).ch_names == ["Fz", "Pz"]
    with pytest.raises(ValueError, match="picks"):
        wm.decompose(raw, "emd", ["Oz"])
    with pytest.warns(UserWarning, match="eeg, eog"):
        wm.decompose(raw, "memd", ["Fz", "EOG"], modes=2)


@pytest.mark.parametrize("note", [(7.0, 0.0, "EDGE boundary"), (3.0, 0.5, "BAD_ACQ_SKIP"),
                                  (6.0, 9.0, "boundary"), (0.0, 1.0, "bad_acq_skip")])
def test_pauses_are_refused(raw, note):
    annotate(raw, (1.5, 0.5, "BAD_move"), (0.0, 0.0, "New Segment/"))
    wavesift.bands(raw, bands=[(4, 8)])
    annotate(raw, note)
    with pytest.raises(wavesift.SignalError, match="x was interrupted.*get_data"):
        wavesift.bands(raw, bands=[(4, 8)])
    piece = raw.copy().crop(8.0, 11.0, include_tmax=False)
    assert wavesift.emd(piece, modes=1).modes.shape[-1] == 300


@pytest.mark.parametrize("keywords, pieces", [
    ({}, [(0, 300), (350, 700), (700, 1200)]),
    ({"skip_by_annotation": ()}, [(0, 1200)]),
    ({"reject_by_annotation": True}, [(0, 300), (350, 700), (700, 900), (1000, 1200)])])
def test_bad_spans(raw, keywords, pieces):
    annotate(raw, (3.0, 0.5, "BAD_ACQ_SKIP"), (7.0, 0.0, "EDGE boundary"), (9.0, 1.0, "BAD_move"))
    modes = wm.decompose(raw, "emd", **keywords)
    assert modes.pieces == pieces
    x, data = raw.get_data(["Fz", "Pz"]), modes.get_data()
    k = wavesift.emd(x[:, :max(b - a for a, b in pieces)], fs=SFREQ).options["modes"]
    covered = numpy.zeros(1200, bool)
    for a, b in pieces:
        one = wavesift.emd(x[:, a:b], fs=SFREQ, modes=k)
        assert data[:, :one.modes.shape[1], a:b].tobytes() == one.modes.tobytes()
        covered[a:b] = True
    assert not data[..., ~covered].any()
    assert numpy.allclose(modes.to_inst().get_data(["Fz", "Pz"]), x, rtol=0, atol=1e-18)


def test_interruptions(raw):
    """Marks that files bring along cut, and take no samples away."""
    annotate(raw, (2.995, 3.0, "boundary"), (5.0, 0.01, "New Segment/"), (7.0, 0.0, "BAD boundary"),
             (8.0, 0.0, "Recording ends"), (0.0, 0.01, "New Segment/"))
    cut = [(0, 300), (300, 500), (500, 700), (700, 800), (800, 1200)]
    modes = wm.decompose(raw, "emd")
    assert modes.pieces == cut and "in 5 pieces" in repr(modes)
    assert wm.decompose(raw, "emd", reject_by_annotation=True).pieces == cut
    assert wm.decompose(raw, "emd", skip_by_annotation=()).pieces == [(0, 1200)]
    whole = wm.compute_tfr(raw, [20.0], n_cycles=2.0, skip_by_annotation=(),
                           reject_by_annotation=False)
    parts = wm.compute_tfr(raw, [20.0], n_cycles=2.0)
    assert numpy.isfinite(parts.data).all()
    assert numpy.allclose(parts.data[..., 350:450], whole.data[..., 350:450], rtol=1e-5, atol=0)
    assert not numpy.allclose(parts.data[..., 290:310], whole.data[..., 290:310], rtol=1e-3, atol=0)


def test_pieces_are_those_of_filter(raw):
    """The same samples as MNE's own splitting."""
    from mne.annotations import _annotations_starts_stops

    annotate(raw, (0.0, 0.2, "bad_acq_skip"), (3.0, 0.5, "BAD_ACQ_SKIP 2"), (3.2, 1.0, "edge"),
             (7.0, 0.0, "EDGE boundary"), (11.5, 9.0, "bad_acq_skip"))
    kinds = ("edge", "bad_acq_skip")
    ours = _mne.pieces(raw, kinds)
    theirs = [(int(a), int(b)) for a, b in zip(*_annotations_starts_stops(
        raw, kinds, invert=True)) if b > a]
    assert ours == theirs


def test_n_jobs(raw):
    modes = [wm.decompose(raw, "emd", n_jobs=n).get_data().tobytes() for n in (None, 1, 2, -1)]
    assert len(set(modes)) == 1
    with pytest.raises(ValueError, match="n_jobs"):
        wm.decompose(raw, "emd", n_jobs=0)


@pytest.mark.parametrize("call, error, words", [
    (lambda raw: wm.decompose(raw.get_data()), TypeError, "Raw, Epochs or Evoked"),
    (lambda raw: wm.decompose(raw, "cwt"), ValueError, "method 'cwt'"),
    (lambda raw: wm.decompose(raw, "emd", threads=2), TypeError, "n_jobs"),
    (lambda raw: wm.decompose(raw, "emd").to_inst([40]), ValueError, "modes: 40"),
    (lambda raw: wm.decompose(raw, "emd").to_inst(fmin=20, fmax=3), ValueError, "fmin, fmax: noth"),
    (lambda raw: wm.decompose(raw, "emd").to_inst(fmin="8"), ValueError, "fmin: a number"),
    (lambda raw: wavesift.emd(raw.compute_psd(verbose="error")), ValueError, "x is a Spectrum: s"),
    (lambda raw: wm.compute_tfr(raw, [10.0], average=True), ValueError, "of Epochs"),
    (lambda raw: wm.tfr_array_wavesift(raw.get_data(), 1.0, [0.1]), ValueError, "n_epochs"),
])
def test_refused(raw, call, error, words):
    with pytest.raises(error, match=words):
        call(raw)


def test_save_and_plot(raw, tmp_path):
    pytest.importorskip("h5py")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    modes = wm.decompose(raw, "emd")
    modes.save(tmp_path / "m.h5")
    again = wavesift.load(tmp_path / "m.h5")
    assert again.channel_names == ["Fz", "Pz"] and again.units == ["V", "V"]
    assert again.modes.tobytes() == modes.get_data().tobytes()
    assert again.attributes["start_time"].startswith("2020-09-13")
    figure = modes.plot("Pz")
    assert len(figure.axes) == int(modes.mode_count[1]) + 2
    annotate(raw, (7.0, 0.0, "EDGE boundary"))
    cut = wm.decompose(raw, "emd")
    cut.save(tmp_path / "n.h5")
    assert wavesift.load(tmp_path / "n.h5").modes.tobytes() == cut.get_data().tobytes()
    cut.plot("Pz")
    matplotlib.pyplot.close("all")


def test_by_frequency(raw, epochs):
    """Modes of a channel, of each epoch, whose frequency lies there; of memd the same of all."""
    modes = wm.decompose(raw, "emd")
    f, data = modes.result.frequency, modes.get_data()
    made = modes.to_inst(fmin=8, fmax=13).get_data(["Fz", "Pz"])
    for c in range(2):
        inside = (f[c] >= 8) & (f[c] <= 13)
        assert inside.any() and numpy.array_equal(made[c], 0 + data[c, inside].sum(0))
    parts = [modes.to_inst(fmax=8), modes.to_inst(fmin=8.0000001)]
    assert numpy.allclose(sum(p.get_data(["Fz", "Pz"]) for p in parts), raw.get_data(["Fz", "Pz"]),
                          rtol=0, atol=1e-18)
    with pytest.warns(RuntimeWarning, match="no mode of Fz, Pz lies from 49 to 50 Hz"):
        assert not modes.to_inst(fmin=49, fmax=50).get_data("Fz").any()
    with pytest.warns(RuntimeWarning, match="lies from 49 Hz on"):
        modes.to_inst(fmin=49)
    assert numpy.array_equal(modes.to_inst(slice(1, 3)).get_data(),
                             modes.to_inst([1, 2]).get_data())
    with pytest.raises(ValueError, match="either numbers or frequencies"):
        modes.to_inst([1], fmin=8)
    many = wm.decompose(epochs)
    f, real = many.result.frequency, numpy.arange(many.n_modes) < many.mode_count[..., None]
    made = many.to_inst(fmin=8, fmax=13).get_data(["Fz", "Pz"])
    for e in range(len(epochs)):
        middle = numpy.median(f[e], axis=0)
        inside = (middle >= 8) & (middle <= 13) & real[e].all(0)
        assert numpy.allclose(made[e], many.get_data()[e][:, inside].sum(1), rtol=0, atol=1e-18)


def test_frequency_of_pieces(raw):
    annotate(raw, (7.0, 0.0, "EDGE boundary"))
    modes = wm.decompose(raw, "emd", modes=4)
    x = raw.get_data(["Fz", "Pz"])
    parts = [wavesift.emd(x[:, a:b], fs=SFREQ, modes=4) for a, b in ((0, 700), (700, 1200))]
    energy = [numpy.square(p.modes).sum(-1) for p in parts]
    mean = sum(e * p.frequency for e, p in zip(energy, parts)) / sum(energy)
    assert numpy.allclose(modes.result.frequency, mean, rtol=1e-12)
    assert modes.to_inst(fmin=8, fmax=13).get_data("Fz").any()


def test_averages_of_epochs(epochs):
    """Never by number alone."""
    modes = wm.decompose(epochs, "emd")
    data, f = modes.get_data(), modes.result.frequency
    with pytest.raises(ValueError, match="align: modes of one number may be other rhythms"):
        modes.average([1])
    by_number = modes.average([1], align="number")
    assert isinstance(by_number, mne.Evoked) and by_number.nave == len(epochs)
    assert numpy.allclose(by_number.data[:1], data[:, :1, 1].mean(0), rtol=0, atol=1e-18)
    by_rhythm = modes.average("IMF 2", align="frequency")
    middle = numpy.exp(numpy.median(numpy.log(f[:, 0, 1])))
    nearest = numpy.abs(numpy.log(f[:, 0] / middle)).argmin(-1)
    assert numpy.allclose(by_rhythm.data[0], data[range(len(epochs)), 0, nearest].mean(0), rtol=0,
                          atol=1e-18)
    assert numpy.array_equal(modes.average(fmin=8, fmax=13).data,
                             modes.to_inst(fmin=8, fmax=13).average().data)
    with pytest.raises(ValueError, match="average is of Epochs"):
        wm.decompose(epochs.average(), "emd").average([1], align="number")


def test_told(raw, caplog):
    """Projectors that wait; pieces and bad spans, as verbose says."""
    waiting = raw.copy().set_eeg_reference(projection=True, verbose="error")
    with pytest.warns(RuntimeWarning, match="projectors that are not applied .Average EEG"):
        wm.decompose(waiting, "emd", modes=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wm.decompose(waiting.copy().apply_proj(verbose="error"), "emd", modes=2)
        wm.decompose(waiting, "emd", modes=2, verbose="error")
    annotate(raw, (3.0, 0.5, "BAD_ACQ_SKIP"))
    mne.utils.logger.propagate = True
    try:
        modes = wm.decompose(raw, "emd", modes=2, verbose="info")
        assert "Decomposed in 2 pieces between annotations; 0.5 s of 12 s left out" in caplog.text
        caplog.clear()
        modes.compute_hht(decim=5, verbose="error")
        assert not caplog.text
    finally:
        mne.utils.logger.propagate = False


def test_bad_spans_of_hilbert_spectra(raw):
    """NaN, as MNE's own."""
    modes = wm.decompose(raw, "emd", modes=3)
    annotate(modes._inst, (9.0, 1.0, "BAD_move"))
    made = modes.compute_hht("2:40:12", decim=5).get_data()
    lost = numpy.isnan(made).all((0, 1))
    assert list(numpy.flatnonzero(lost)) == list(range(180, 200))
    kept = modes.compute_hht("2:40:12", decim=5, reject_by_annotation=False).get_data()
    assert numpy.isfinite(kept).all()
    assert numpy.array_equal(kept[..., ~lost], made[..., ~lost])


# ---- Time and frequency -----------------------------------------------------------------------

FREQS = numpy.array([4.0, 7.5, 12.0, 30.0])


@pytest.mark.parametrize("output", ["complex", "power", "phase", "avg_power", "itc",
                                    "avg_power_itc"])
@pytest.mark.parametrize("n_cycles, zero_mean, decim", [
    (7.0, True, 1), (2.0, False, 3), (numpy.array([2.0, 3.0, 4.0, 7.0]), True, slice(5, 200, 4))])
def test_tfr_array(output, n_cycles, zero_mean, decim):
    x = numpy.random.default_rng(0).standard_normal((5, 3, 700))
    theirs = mne.time_frequency.tfr_array_morlet(x, SFREQ, FREQS, n_cycles, zero_mean,
                                                 decim=decim, output=output, verbose="error")
    ours = wm.tfr_array_wavesift(x, SFREQ, FREQS, n_cycles, zero_mean, decim, output)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    difference = ours - theirs
    if output == "phase":
        difference = numpy.angle(numpy.exp(1j * difference))
    assert numpy.abs(difference).max() <= 1e-10 * max(1.0, numpy.abs(theirs).max())
    assert theirs.any()


@pytest.mark.parametrize("output", ["avg_power", "itc", "avg_power_itc"])
def test_tfr_array_averages_of_one_epoch(output):
    x = numpy.random.default_rng(0).standard_normal((1, 2, 700))
    theirs = mne.time_frequency.tfr_array_morlet(x, SFREQ, FREQS, output=output, verbose="error")
    ours = wm.tfr_array_wavesift(x, SFREQ, FREQS, output=output)
    assert ours.dtype == theirs.dtype and numpy.allclose(ours, theirs, rtol=1e-10, atol=0)


@pytest.mark.parametrize("output", ["complex", "power", "phase"])
@pytest.mark.parametrize("decim", [1, 4])
def test_objects(raw, epochs, output, decim):
    for inst, made in ((raw, mne.time_frequency.RawTFRArray),
                       (epochs, mne.time_frequency.EpochsTFRArray),
                       (epochs.average(picks="eeg"), mne.time_frequency.AverageTFRArray)):
        given = {"n_cycles": 2.0, "output": output, "decim": decim}
        theirs = inst.compute_tfr("morlet", FREQS, verbose="error", **given)
        ours = wm.compute_tfr(inst, FREQS, **given)
        assert isinstance(ours, made) and ours.method == "wavesift"
        assert ours.ch_names == theirs.ch_names == ["Fz", "Pz"]
        assert numpy.allclose(ours.times, theirs.times) and ours.info["sfreq"] == SFREQ / decim
        a, b = ours.get_data(), theirs.get_data()
        assert a.shape == b.shape
        d = numpy.angle(numpy.exp(1j * (a - b))) if output == "phase" else a - b
        assert numpy.abs(d).max() <= 1e-10 * numpy.abs(b).max()


def test_times_of_a_part(raw, epochs):
    """Those of MNE: of a Raw they do not begin anew."""
    for inst, tmin, tmax, decim in ((raw, 3, 6, 4), (epochs, -0.3, 0.7, 1)):
        given = {"n_cycles": 2.0, "decim": decim, "tmin": tmin, "tmax": tmax}
        theirs = inst.compute_tfr("morlet", FREQS, output="power", verbose="error", **given)
        ours = wm.compute_tfr(inst, FREQS, **given)
        assert numpy.array_equal(ours.times, theirs.times) and ours.times[0] == tmin


def test_objects_of_files(raw, epochs, tmp_path):
    """Whose method is wavesift."""
    pytest.importorskip("h5py")
    for k, inst in enumerate((raw, epochs, epochs.average(picks="eeg"))):
        made = wm.compute_tfr(inst, FREQS, n_cycles=2.0, decim=4)
        try:
            made.save(tmp_path / f"{k}-tfr.h5", verbose="error")
        except (ImportError, RuntimeError) as e:
            pytest.skip(f"MNE does not write: {e}")
        again = mne.time_frequency.read_tfrs(tmp_path / f"{k}-tfr.h5", verbose="error")
        assert again.method == "wavesift" and numpy.array_equal(again.get_data(), made.get_data())
        assert "wavesift" in repr(again) or again.freqs.shape == made.freqs.shape


def test_object_averages(epochs):
    power, itc = wm.compute_tfr(epochs, FREQS, n_cycles=2.0, average=True, return_itc=True)
    theirs = epochs.compute_tfr("morlet", FREQS, n_cycles=2.0, average=True, return_itc=True,
                                verbose="error")
    for a, b in zip((power, itc), theirs):
        assert isinstance(a, mne.time_frequency.AverageTFR) and a.nave == len(epochs)
        assert numpy.allclose(a.get_data(), b.get_data(), rtol=1e-10, atol=0)


@pytest.mark.parametrize("decim", [1, 3])
def test_tfr_of_bad_spans(raw, decim):
    """Bad samples are NaN and reach nobody."""
    annotate(raw, (3.0, 1.0, "BAD_move"))
    raw._data[:, 300:400] = 1e3
    ours = wm.compute_tfr(raw, FREQS, n_cycles=2.0, decim=decim).get_data()
    grid = numpy.arange(0, 1200, decim)
    inside = (grid >= 300) & (grid < 400)
    assert numpy.isnan(ours[..., inside]).all() and numpy.isfinite(ours[..., ~inside]).all()
    for a, b in ((0, 300), (400, 1200)):
        alone = wm.tfr_array_wavesift(raw.get_data(["Fz", "Pz"])[None, :, a:b], SFREQ, FREQS, 2.0,
                                      output="power")[0]
        took = grid[(grid >= a) & (grid < b)]
        assert numpy.allclose(alone[..., took - a], ours[..., took // decim], rtol=1e-10,
                              atol=1e-14 * alone.max())


def test_hht(raw, epochs):
    t = numpy.arange(1200) / SFREQ
    raw._data[0] = 2e-5 * numpy.cos(2 * numpy.pi * 10 * t)
    for inst, made in ((raw, mne.time_frequency.RawTFRArray),
                       (epochs, mne.time_frequency.EpochsTFRArray),
                       (epochs.average(picks="eeg"), mne.time_frequency.AverageTFRArray)):
        modes = wm.decompose(inst, "emd", picks=["Fz", "Pz"])
        tfr = modes.compute_hht("2:40:38:lin", decim=5)
        assert isinstance(tfr, made) and tfr.ch_names == ["Fz", "Pz"]
        assert tfr.info["sfreq"] == SFREQ / 5
        assert len(tfr.times) == len(inst.times) // 5
        whole = modes.compute_hht("2:40:38:lin", decim=5, modes=[0]).get_data()
        assert (whole <= tfr.get_data() * (1 + 1e-12)).all() and whole.any()
    raw_hht = wm.decompose(raw, "emd").compute_hht("2:40:38:lin", decim=5, quantity="power")
    power = raw_hht.get_data()[0]
    peak = raw_hht.freqs[power.sum(-1).argmax()]
    assert abs(peak - 10) < 1
    assert abs(power.sum(0)[20:-20].mean() - (2e-5) ** 2 / 2) < 0.02 * 2e-10


def test_connectivity(epochs):
    """mne-connectivity works on from our objects as from MNE's.  (Its 0.9.0 takes no EpochsTFRArray
    of anybody's in spectral_connectivity_epochs.)"""
    connectivity = pytest.importorskip("mne_connectivity")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = wm.compute_tfr(epochs, FREQS[1:], n_cycles=2.0, output="complex")
        theirs = epochs.compute_tfr("morlet", FREQS[1:], n_cycles=2.0, output="complex",
                                    verbose="error")
        made = [connectivity.spectral_connectivity_time(t, method="plv", average=True,
                                                        verbose="error").get_data()
                for t in (ours, theirs)]
    assert made[0].any() and numpy.allclose(made[0], made[1], atol=1e-10)


@pytest.mark.parametrize("dated", [True, False])
def test_hilbert_spectra_of_pieces(raw, dated):
    """Each piece's own; a bin that a mark cuts is no number."""
    if not dated:
        raw.set_meas_date(None)
    annotate(raw, (7.02, 0.0, "EDGE boundary"), (9.0, 0.5, "bad_acq_skip"))
    modes = wm.decompose(raw, "emd", modes=4)
    assert modes.pieces == [(0, 702), (702, 900), (950, 1200)]
    tfr = modes.compute_hht("2:40:38:lin", decim=5)
    made = tfr.get_data()
    assert isinstance(tfr, mne.time_frequency.RawTFRArray) and made.shape == (2, 38, 240)
    lost = numpy.isnan(made).all((0, 1))
    assert numpy.isfinite(made[..., ~lost]).all()
    assert list(numpy.flatnonzero(lost)) == [140, *range(180, 190)]
    alone = wm.decompose(raw.copy().crop(0, 7.01), "emd", modes=4).compute_hht("2:40:38:lin",
                                                                              decim=5)
    first = made[..., :140]
    assert numpy.allclose(first, alone.get_data(), rtol=1e-6, atol=first.max() * 1e-9)
    by_default = modes.compute_hht(decim=5)         # bins of the longest piece
    assert numpy.array_equal(by_default.freqs, alone_freqs(raw, 700))
    with pytest.raises(ValueError, match="decim: 703 samples are more than a piece has"):
        modes.compute_hht(decim=703)


def alone_freqs(raw, samples):
    return wavesift.Plan("hht", samples, SFREQ, decomposition="none", parts="spectrum",
                         time_bin=5 / SFREQ).axes["frequency"]


def test_hilbert_spectra_of_nothing(raw):
    """Of what has no modes 0; beside a channel that has some, too."""
    still = raw.copy().pick(["Fz", "Pz"])
    still._data[:] = numpy.arange(1200) * 1e-6
    modes = wm.decompose(still, "emd")
    assert modes.n_modes == 0
    made = modes.compute_hht("2:40:38:lin", decim=5).get_data()
    assert made.shape == (2, 38, 240) and not made.any()
    still._data[1] = raw.get_data("Pz")
    made = wm.decompose(still, "emd").compute_hht("2:40:38:lin", decim=5).get_data()
    assert not made[0].any() and made[1].any()


@pytest.mark.parametrize("freqs, text", [
    ((2, 40, 38, "lin"), "2:40:38:lin"), ((2, 40, 38), "2:40:38"), ([2, 40], "2:40"),
    (numpy.arange(2.5, 40), "2:40:38:lin"), (range(3, 41), "2.5:40.5:38:lin"),
    (list(numpy.geomspace(4, 32, 7)), "3.363585661014858:38.05462768008707:7:log")])
def test_bins(raw, freqs, text):
    """As text, numbers or the middles of bins."""
    modes = wm.decompose(raw, "emd", modes=3)
    a, b = (modes.compute_hht(f, decim=5) for f in (freqs, text))
    assert numpy.allclose(a.freqs, b.freqs, rtol=1e-12) and (numpy.diff(a.freqs) > 0).all()
    assert numpy.allclose(a.get_data(), b.get_data(), rtol=1e-6, atol=b.get_data().max() * 1e-9)
    if len(freqs) > 4:
        assert numpy.allclose(a.freqs, freqs, rtol=1e-12)


@pytest.mark.parametrize("given, error, words", [
    ({"freqs": numpy.array([4.0, 5, 9])}, ValueError, "freqs: middles of bins must be evenly"),
    ({"freqs": numpy.array([4.0])}, ValueError, "freqs: LO, HI, COUNT"),
    ({"freqs": range(40, 3, -1)}, ValueError, "ascending"),
    ({"baseline": (None, 0)}, TypeError, "has apply_baseline"),
    ({"precision": numpy.float16}, ValueError, "precision: must be f32 or f64, not <class"),
    ({"n_jobs": "cuda"}, ValueError, "device='cuda'"), ({"threads": 2}, TypeError, "n_jobs"),
    ({"decim": 0}, ValueError, "decim: a whole number"), ({"decim": 2.5}, ValueError, "decim"),
    ({"nonsense": 1}, TypeError, "no option 'nonsense'")])
def test_refused_hilbert_spectra(raw, given, error, words):
    with pytest.raises(error, match=words):
        wm.decompose(raw, "emd", modes=2).compute_hht(**given)


def test_ranges_of_frequencies(raw):
    """In MNE's order, from the lowest on."""
    one, other = (wm.compute_tfr(raw, f, n_cycles=2) for f in ("4:40:37:lin",
                                                               numpy.arange(4.0, 41)))
    assert numpy.allclose(one.freqs, other.freqs, rtol=1e-12)
    assert numpy.allclose(one.get_data(), other.get_data(), rtol=1e-6, atol=0)
