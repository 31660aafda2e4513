"""The program's bits, by every transform in f32 and f64: the package computes with the same library,
so those that go through a Fourier transform agree to the last bit, too."""

import numpy
import pytest

import wavesift

CONV = {"mask_formula": "morlet", "scales": "1:16:8"}
WORKS = {"emd": {"modes": 4}, "eemd": {"realizations": 3}, "ceemdan": {"realizations": 3},
         "iceemdan": {"realizations": 3}, "memd": {"directions": 16, "modes": 4},
         "hht": {"modes": 3, "parts": "modes,instantaneous,spectrum,mode-spectrum,marginal,cycles"},
         "cwt": {"freqs": "4:60:12"}, "cwt power": {"freqs": "4:60:12", "quantity": "power"},
         "bands": {"bands": "4:8,8:16"}, "conv direct": {**CONV, "method": "direct"},
         "conv fft": {**CONV, "method": "fft"}}


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("work", WORKS)
def test_bits(x, tmp_path, program, work, precision):
    """Of samples that lie otherwise, too: as epochs, with gaps, read-only, time first."""
    pytest.importorskip("h5py")
    method, options = work.split()[0], WORKS[work]
    given = x.astype("f4" if precision == "f32" else "f8")
    numpy.save(tmp_path / "x.npy", given)
    flags = [w for k, v in options.items() for w in (f"--{k.replace('_', '-')}", v)]
    program(method, tmp_path / "x.npy", "--fs", 200, "--precision", precision, "--device", "cpu",
            *flags, "-o", tmp_path / "program.h5")
    theirs = wavesift.load(tmp_path / "program.h5")
    call = getattr(wavesift, method)
    ours = call(given, fs=200, device="cpu", **options)
    names = set(theirs.arrays) & set(ours.arrays)
    assert names >= {a.name for a in ours.about.values() if a.name in ours and a.timed}
    for name in names:
        assert ours[name].dtype == theirs[name].dtype, name
        assert ours[name].tobytes() == theirs[name].tobytes(), name
    wide = numpy.zeros((4, 700, 2), given.dtype)
    wide[:, 50:650, 1] = given
    read_only = given.copy()
    read_only.flags.writeable = False
    for form in (wide[:, 50:650, 1], read_only, numpy.asfortranarray(given)):
        again = call(form, fs=200, device="cpu", **options)
        for name in names:
            assert again[name].tobytes() == ours[name].tobytes(), name
    if method == "memd":        # an epoch is a signal of its own
        return
    epochs = call(given.reshape(2, 2, -1), fs=200, device="cpu", **options)
    for name in names:
        assert epochs[name].tobytes() == ours[name].tobytes(), name
