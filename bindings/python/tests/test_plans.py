"""Copies of plans, and plans in other processes; how many threads a call has."""

import copy
import gc
import os
import pickle
import subprocess
import sys

import numpy
import pytest

import wavesift
from wavesift import _context, _threads

GIVEN = [
    ("emd", (4, 600), {"fs": 200, "modes": 3, "stop_rule": ("rilling", 0.05, 0.5, 0.05)}),
    ("iceemdan", (600,), {"realizations": 4, "seed": 9, "noise": numpy.float64(0.3)}),
    ("memd", (4, 600), {"directions": 8, "precision": "f32"}),
    ("cwt", (4, 600), {"fs": 200, "freqs": (4, 8, 12.5), "quantity": "power"}),
    ("trials", (3, 4, 600), {"fs": 200, "freqs": "8:30", "tmin": -1.5}),
    ("conv", (4, 600), {"fs": 200, "masks": [[1, 2.5, 1], [0.5, -0.5]],
                        "amplitude_error": lambda f, s: 0.75}),
]


def run(plan, x):
    samples = numpy.resize(x, plan.shape)
    return {n: a.tobytes() for n, a in plan(samples).arrays.items()}


@pytest.mark.parametrize("method, shape, options", GIVEN)
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy,
                                   lambda p: pickle.loads(pickle.dumps(p))])
def test_copies(x, method, shape, options, again):
    plan = wavesift.Plan(method, shape, **options)
    known = run(plan, x), plan.options, plan.facts if method != "conv" else None, repr(plan)
    other = again(plan)
    del plan
    gc.collect()
    with _no_kept_plans():
        assert (run(other, x), other.options, other.facts if method != "conv" else None,
                repr(other)) == known


class _no_kept_plans:
    """Memory that was freed is in use again."""

    def __enter__(self):
        self.others = [wavesift.Plan("emd", n, modes=2) for n in range(600, 620)]

    def __exit__(self, *_):
        self.others = None


def test_numbers_of_files_come_along(x, tmp_path):
    """What a file held when the plan was made, not what it holds later or elsewhere."""
    numpy.save(tmp_path / "w.npy", numpy.random.default_rng(3).standard_normal((4, 600)))
    vectors = numpy.random.default_rng(4).standard_normal((8, 4))
    plans = [wavesift.Plan("eemd", 600, realizations=4, noise_file=tmp_path / "w.npy"),
             wavesift.Plan("memd", (4, 600), direction_set=vectors)]
    known = [run(p, x) for p in plans]
    (tmp_path / "w.npy").unlink()
    vectors *= -0.5
    assert [run(pickle.loads(pickle.dumps(p)), x) for p in plans] == known


def test_planned_once_in_a_process(x):
    told = pickle.dumps(wavesift.Plan("emd", 599, fs=200, modes=2))
    assert pickle.loads(told) is pickle.loads(told)


def test_rate_of_another_plan(x):
    """A container's rate is the plan's, as its shape is."""
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(x.T, index=numpy.arange(600) / 200)
    assert wavesift.Plan("emd", (4, 600), fs=200)(table).fs == 200
    for fs in (250, None):
        with pytest.raises(ValueError, match="x has 200 samples a second, but the plan is for fs="):
            wavesift.Plan("emd", (4, 600), fs=fs)(table)


def test_plan_of_an_object(x):
    class Analysis:
        def __init__(self):
            self.plan = wavesift.Plan("emd", 600, modes=2)

    one = Analysis()
    assert run(copy.deepcopy(one).plan, x) == run(one.plan, x)


def test_joblib(x):
    joblib = pytest.importorskip("joblib")
    plan = wavesift.Plan("emd", 600, fs=200, modes=3)
    rows = joblib.Parallel(n_jobs=2)(joblib.delayed(plan)(row) for row in x)
    for row, made in zip(x, rows):
        assert made.modes.tobytes() == plan(row).modes.tobytes()


# ---- Threads ----------------------------------------------------------------------------------

def threads_of(x, **given):
    """Those that a call has."""
    before, seen = _context.get, []

    def get(*arguments):
        seen.append(before(*arguments).threads)
        return before(*arguments)

    _context.get = get
    try:
        wavesift.Plan("emd", x.shape, **given)
    finally:
        _context.get = before
    return seen[0]


@pytest.fixture
def three(monkeypatch):
    """A process that may use three processors."""
    monkeypatch.setattr(_threads, "all_processors", lambda: 3)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


@pytest.mark.parametrize("told, threads", [("1", 1), ("2", 2), ("2,1", 2), ("9", 3), ("", 0),
                                           ("many", 0), ("0", 0), ("-1", 0)])
def test_environment(three, monkeypatch, told, threads):
    monkeypatch.setenv("OMP_NUM_THREADS", told)
    assert _threads.number(None) == threads
    assert _threads.number(-1) == 0 and _threads.number(7) == 7


def test_environment_of_a_call(x, monkeypatch):
    every = threads_of(x, threads=-1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert threads_of(x) == 1 and threads_of(x, threads=-1) == every == _threads.all_processors()
    plain = wavesift.emd(x).modes       # and the plan that is kept is another
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert threads_of(x) == every and wavesift.emd(x).modes.tobytes() == plain.tobytes()


def test_threadpoolctl(three, monkeypatch):
    threadpoolctl = pytest.importorskip("threadpoolctl", "3.2")
    assert [p for p in threadpoolctl.threadpool_info() if p["internal_api"] == "wavesift"
            and p["num_threads"] == 3 and p["version"] == wavesift.__version__]
    with threadpoolctl.threadpool_limits(2):
        assert _threads.number(None) == 2 and _threads.number(-1) == 0
        with threadpoolctl.threadpool_limits({"wavesift": 1}):
            assert _threads.number(None) == 1
        with threadpoolctl.threadpool_limits(1, user_api="blas"):
            assert _threads.number(None) == 2
        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        assert _threads.number(None) == 1
        monkeypatch.delenv("OMP_NUM_THREADS")
    assert _threads.number(None) == 0


def test_joblib_shares_processors_out():
    """Its workers import the package, whose default is what joblib leaves them."""
    pytest.importorskip("joblib")
    script = ("import joblib, wavesift\n"
              "def f(_):\n"
              "    return wavesift.Plan('emd', 600).context.threads\n"
              "with joblib.parallel_config('loky', n_jobs=2, inner_max_num_threads=1):\n"
              "    print(joblib.Parallel()(joblib.delayed(f)(i) for i in range(2)))\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": ""}, timeout=60)
    assert done.stdout.strip() == "[1, 1]", done.stderr


def test_jobs(three, monkeypatch):
    """n_jobs as MNE has it."""
    pytest.importorskip("mne")
    joblib = pytest.importorskip("joblib")
    from wavesift import _mne as wm

    monkeypatch.setattr(wm, "all_processors", lambda: 3)
    assert [wm.threads(n) for n in (None, 1, 2, -1, -2, -9, numpy.int64(2))] == [
        1, 1, 2, 3, 2, 1, 2]
    with joblib.parallel_config("threading", n_jobs=2):
        assert wm.threads(None) == 2 and wm.threads(1) == 1
    for given, error, words in (("cuda", ValueError, "device='cuda'"), (0, ValueError, "not be 0"),
                                (1.5, TypeError, "a whole number")):
        with pytest.raises(error, match=words):
            wm.threads(given)
