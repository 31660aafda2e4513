"""The rows of docs/validation.md: what is compared with what, how well it must agree, and the
command that does it.  validate.py runs them and writes the page.

A row's command prints its verdicts as lines that begin with PASS or FAIL, then a colon and the
figures; other lines are for reading.  It exits with 1 if one fails, and prints NOT RUN, or exits
with 77, where a peer, a package or a recording is absent.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    name: str
    section: str            # the table of the page it stands in
    what: str
    against: str
    goal: str
    command: str            # {build}: the build folder; {program}; {python}
    gpu: bool = False
    output: bool = False    # the page shows what the command prints
    minutes: float = 1.0    # what it takes, about, on two cores
    numerics: int = 3       # the last version that changed any number that it looks at


def run_sh(name, section, what, against, goal, **more):
    """A row that bench/validation/run.sh knows."""
    return Row(name, section, what, against, goal, f"bench/validation/run.sh {name}", **more)


def tests(name, section, what, against, goal, pattern, **more):
    """A row that tests of the build check: ctest -R PATTERN."""
    return Row(name, section, what, against, goal,
               f"ctest --test-dir {{build}} --no-tests=error -R '{pattern}'", **more)


def script(name, section, what, against, goal, path, arguments="{program}", **more):
    return Row(name, section, what, against, goal, f"{{python}} {path} {arguments}", **more)


EMD = [
    run_sh("golden-fix10", "emd", "EMD, 10 sifts", "emd.m, golden vectors (synth 2000, EEG 4096)",
           "every mode to 1e-9 of the signal's std"),
    run_sh("golden-rilling", "emd", "EMD, Rilling's rule", "the same",
           "same number of modes, similarity >= 0.99999"),
    run_sh("golden-colominas", "emd", "Improved CEEMDAN, both noise scalings",
           "ceemdan.m on the same noise, golden vectors (two tones; EEG 1000)",
           "same number of modes, similarity >= 0.9999"),
    tests("golden-torres", "emd", "CEEMDAN, `--reference torres`",
          "its authors' code of 2011 on the same noise, golden vectors (1000 samples with steps, "
          "33 samples)", "every row to 1e-10 of std", "^test_golden$"),
    script("torres", "emd", "the same, 30 signals of 20 to 500 samples, noise at random",
           "the same written down in NumPy, sifting included", "every row to 1e-10 of std",
           "bench/validation/torres.py", "{program} 30"),
    script("published-gpu", "emd", "`ceemdan-gpu` from its own noise, `memd-gpu`, on EEG and two "
           "tones", "what CEEMDAN-GPU and MEMD-GPU gave on a card, f32",
           "`memd-gpu`: least similarity over channels and modes 0.999; `ceemdan-gpu`: first mode "
           "0.999 ([decision 16](decisions/0016-numerics-3.md))",
           "bench/validation/published_gpu.py"),
    run_sh("libeemd-emd", "emd", "EMD, 10 sifts and S = 4, six signals up to 100 000 samples",
           "libeemd", "every row to 1e-9 of std, up to the first extremum decided by less than "
           "1e-12"),
    run_sh("libeemd-eemd", "emd", "EEMD, 50 members, 3 signals, both rules",
           "libeemd, its own noise", "similarity >= 0.9999; rows below 1e-12 of the signal's std, "
           "which are rounding, to 1e-12 of it"),
    run_sh("libeemd-ceemdan", "emd", "CEEMDAN, the same", "libeemd, its own noise",
           "similarity >= 0.9999"),
    run_sh("two-tone-golden", "emd",
           "two tones (Colominas et al. 2014), `--reference colominas`",
           "ceemdan.m on the same noise",
           "similarity to the true components within 1e-4 of ceemdan.m's"),
    run_sh("two-tone-defaults", "emd", "two tones, defaults, 20 seeds", "true components",
           "burst >= 0.9963, tone >= 0.9985 with every seed"),
    run_sh("eeg", "emd", "EEG channel 4, first 10 000 samples (SAMPLES=30504: all), modes 1-12, "
           "independent noise, 50 realizations", "ceemdan.m, two runs of its own noise",
           "mean similarity > 0.89 (Wang & Juhasz 2023)", output=True, minutes=60),
    run_sh("precision", "emd", "f32, four splines, nine signals by four boundaries",
           "f64, and f64 with the resolution of f32",
           "measured ([decision 4](decisions/0004-resolution.md))", output=True),
]

MEMD = [
    tests("memd-golden", "memd", "`--reference memd`, fix_h 2, default rule; EEG, 4 channels x "
          "1000", "memd.m, golden vectors", "similarity >= 0.9999, same number of modes",
          "^test_golden$"),
    Row("memd-direct", "memd", "8 channels x 1000 and x 10 000, 64 directions",
        "memd.m under Octave, and the same written down in NumPy", "similarity >= 0.9999",
        "bench/memd/run.sh {program}", minutes=10),
    script("memd-gpu-numpy", "memd", "`memd-gpu`, 3, 40 and 64 channels x 600, 48 directions",
           "the same written down in NumPy", "every row to 1e-10 of std",
           "bench/memd/memd_gpu.py"),
    run_sh("memd-rules", "memd", "the two sets of tones of MEMD's papers (Rehman & Mandic 2010; Wang "
           "& Juhasz 2023), 20 seeds of phases, ten stop rules", "true tones",
           "the default: least similarity 0.954 on set 1, 0.971 on set 2", output=True,
           minutes=15),
    tests("memd-windows", "memd", "windows of knots: uniform, noise, heavy-tailed, alternating, "
          "log-uniform, growing spacings", "direct solves",
          "f64 1e-14 of the envelope, f32 2e-6; spacings that grow by 1.3 a knot, 1.74: 1e-10, "
          "2e-4", "^test_math$"),
    tests("memd-invariance", "memd", "scale 1e-7 and 1e9, 2^k, offsets of 50 std, channels "
          "permuted with directions", "itself", "same number of modes, similarity >= 0.9999",
          "^test_memd"),
]

WAVELETS = [
    run_sh("cwt-references", "wavelets", "`--reference NAME` on EEG, ECG, NINO3",
           "ssqueezepy, PyWavelets, MNE, pycwt, fCWT, formulae",
           "1e-12 (f64), 1e-6 (f32) of each scale's largest coefficient; the package fCWT 1e-5"),
    run_sh("cwt-significance", "wavelets", "`--significance` of white and AR(1) noise, levels 0.95 "
           "and 0.99, Morlet, Paul, Mexican hat, on NINO3 and EEG", "pycwt.significance",
           "1e-12 relative"),
    run_sh("cwt-trials", "wavelets", "`trials --reference mne` on 80 epochs of an EEGLAB recording, "
           "without and with each baseline", "the averages of MNE's coefficients",
           "1e-10 of each frequency's peak"),
    run_sh("cwt-coherence", "wavelets", "`coherence --reference mne` on the same epochs; "
           "`--reference tc-pycwt` over time", "mne-connectivity; pycwt.wct", "1e-10"),
    run_sh("coherence-levels", "wavelets", "levels of `coherence`, 2000 pairs each of white noise, "
           "AR(0.9), random walks and 1/f noise, over 20 epochs, over time (59 pairs of signals), "
           "and over 20 epochs with the same response in all channels (59 orders); clusters",
           "unrelated channels", "3.5 to 6.5 % above the 5 % level; 5 % of pairs, within 3 "
           "standard errors, with a cluster of p <= 0.05", minutes=25, numerics=4),
    run_sh("cwt-superlets", "wavelets", "`superlets --reference superlets`, 15 frequencies, orders "
           "1, 5, 2.5 and 1 to 8", "the authors' Python code (Moca et al. 2021)",
           "1e-5 of each frequency's peak"),
    tests("cwt-truth", "wavelets", "each way of computing a scale: white noise, offsets of 1000 "
          "std, drift, a random walk, a line 1000 times as strong", "direct sums",
          "1e-12 (f64), 1e-6 (f32) of the scale's peak", "^test_cwt", numerics=4),
    tests("cwt-octaves", "wavelets", "one array an octave, any wavelet, quantity, padding, length, "
          "memory", "the transform at every sample", "1e-12 (f64), 1e-6 (f32)",
          "^test_octaves$", numerics=4),
]

CONV = [
    tests("conv-truth", "conv", "direct sums, 200 random sets of masks, on every instruction set",
          "the letter of `src/math/conv.h`; long double",
          "the same bits; 1e-13 of sum |x m|; transforms 1e-13 of the largest response (f32: "
          "3e-5)", "^test_conv"),
    run_sh("conv-numpy", "conv", "200 random sets of 1 to 5000 masks, real and complex",
           "NumPy's correlate in f64", "1e-13; f32 within 1 of its bound"),
    Row("conv-tables", "conv", "the tables of Jerome & Yan (2021), one core", "serial C",
        "measured", "{build}/bench/conv_tables convolutions", output=True, minutes=10),
]

HHT = [
    run_sh("hht-emd", "hht", "five signals, three methods", "emd 0.8.1",
           "instantaneous quantities to 1e-9, spectra cell by cell"),
    run_sh("hht-cycles", "hht", "stored modes, `--cycle-table`", "the same modes by emd 0.8.1",
           "number, times, frequency, amplitude and shape of cycles to 1e-9; zeros, which emd "
           "seeks in steps, to 1/1000 sample"),
    run_sh("hht-holospectrum", "hht", "five signals, three methods",
           "emd 0.8.1 given the same modes of both kinds",
           "every cell to 1e-9 of the largest where emd has an envelope of every second mode"),
    run_sh("hht-truth", "hht", "a chirp of 5 to 45 Hz, AM and FM, rms outside 2 % at each end",
           "the truth", "frequency 0.5 %, amplitude 1 %, by the best method", output=True),
    run_sh("hht-significance-emd", "hht", "`hht --noise-signals`: white, AR(1), random walk, 1/f "
           "and bent noise, 2000 signals of each",
           "the share of modes that p of 5 % allows",
           "3.5 to 6.5 % within three standard errors, of each mode and of any", minutes=13, output=True),
    run_sh("hht-significance-iceemdan", "hht", "the same by Improved CEEMDAN, 600 signals of each",
           "the same", "the same", minutes=30, output=True),
    run_sh("hht-significance-memd", "hht", "the same by multivariate EMD of three channels, 300 of "
           "each", "the same", "the same", minutes=22, output=True),
    run_sh("hht-significance-locking", "hht", "phase locking of modes of unrelated channels by "
           "multivariate EMD of three, 240 pairs of each noise with a rhythm",
           "the level of 5 %", "3.5 to 6.5 % within three standard errors, of each mode",
           minutes=20, output=True),
    run_sh("frequency", "hht", "the frequency of 664 modes of thirteen recordings",
           "the centroid of the periodogram of the mode and its mirror image",
           "within 5 % where a mode has 30 half waves ([decision "
           "9](decisions/0009-mode-frequency.md))", minutes=6, output=True),
]

TABLES = [
    run_sh("two-tone-scan", "tables", "two tones by rule, noise and realizations, 20 seeds",
           "true components", "see [two tones](#two-tones)", output=True, minutes=10),
    run_sh("stop-rules", "tables", "EMD of 4096 EEG samples by each stop rule", "Rilling's",
           "measured", output=True),
    run_sh("check-every", "tables", "the same, the rule tested every N-th sift", "N = 1",
           "measured", output=True, minutes=3),
]


SUITES = [
    script("suite-" + name, "suites", f"{name}'s own tests of {what}", "what they assert",
           "no failure but those of which `bench/suites/known.json` says why",
           "bench/suites/run.py", name, output=True, minutes=minutes)
    for name, what, minutes in (
        ("EMD-signal", "EMD, EEMD and CEEMDAN (package PyEMD)", 2),
        ("emd", "sifting and frequency transforms", 1),
        ("PyWavelets", "the continuous transform", 3),
        ("scipy", "convolution (scipy.signal)", 3), ("neurodsp", "wavelets and Hilbert", 1),
        ("elephant", "signal processing", 1), ("mne-connectivity", "spectral connectivity", 4))
]


def cuda(name, what, goal, **more):
    return Row("gpu-" + name, "gpu", what, "the CPU", goal,
               f"bench/cuda/validation.sh {{build}} {name}", gpu=True, **more)


GPU = [
    cuda("bits", "tests/test_gpu*.c and the results of tests/data/bits.txt",
         "every bit the CPU's; wavelets 1e-6 and 1e-13", numerics=4),
    cuda("ensembles", "Improved CEEMDAN, N = 4096 .. 358 401 x I = 100 .. 500 x S = 10, 20, 50 "
         "(Wang & Juhasz 2023)", "measured", output=True, minutes=2),
    cuda("long", "500 000 and 1 000 000 x 500, where the paper extrapolates", "measured",
         output=True),
    cuda("length", "one signal over N, all modes by ten sifts, beside one core; the way that each "
         "mode goes (Waskito et al. 2011, figures 12 and 13)", "measured", output=True),
    cuda("rules", "ten sifts beside Rilling's rule (their figure 15)", "measured", output=True),
    cuda("joint", "multivariate EMD over N (Wang & Juhasz 2023, figures 13 to 18)", "measured",
         output=True, minutes=2),
    cuda("shares", "where the time of 32 x 64 x 30 504 goes, by kernel (their tables 5 and 6)",
         "measured", output=True, minutes=2),
    cuda("voice", "20 segments of 65 536 samples at 44.1 kHz, 8 modes x 1000 sifts (Waskito et "
         "al. 2011)", "f32 the CPU's bits; drift of f32 against f64 measured", output=True,
         minutes=2),
    cuda("memcheck", "compute-sanitizer on small jobs of every way", "no error", minutes=3),
    cuda("racecheck", "the same", "no error", minutes=5),
    cuda("initcheck", "the same", "no error", minutes=3),
    cuda("synccheck", "the same", "no error", minutes=3),
]

def gpu_bench(name, what, against, command, **more):
    """A program of -DWAVESIFT_BENCH=ON."""
    return Row("gpu-" + name, "gpu", what, against, "measured", "{build}/bench/" + command,
               gpu=True, output=True, **more)


GPU += [
    gpu_bench("deng-scales", "Deng et al. (2012), table by scales: one channel of 5.76 M samples",
              "serial C; the cuFFT way", "cwt_gpu scales 5760000"),
    gpu_bench("deng-recording", "their whole recording, 64 channels, at 10 to 70 scales: complex; "
              "power by 16", "the link", "cwt_gpu recording 2 5760000"),
    gpu_bench("deng-radix", "their table by threads and radix", "the cuFFT way", "cwt_radix"),
    *(gpu_bench(f"conv-{what}", f"Jerome & Yan (2021): {text}", "the CPU; naive kernels",
                f"conv_gpu_tables {what}")
      for what, text in (("masks", "masks"), ("profile", "where the time goes"),
                         ("convolutions", "convolutions"), ("scalogram", "a scalogram"))),
]

ROWS = EMD + MEMD + WAVELETS + CONV + HHT + TABLES + SUITES + GPU
