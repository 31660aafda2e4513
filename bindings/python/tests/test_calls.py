"""Long calls: Ctrl-C, progress, threads, forks."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy
import pytest

import wavesift
from wavesift import _context
from wavesift import _library as c

# Takes long when nobody stops it, again and again: shape of x, then options.
LONG = {"emd": ((4, 20_000), "modes=3, sifts=100000"),
        "eemd": ((4, 20_000), "modes=3, realizations=2000, sifts=2000"),
        "ceemdan": ((4, 20_000), "modes=3, realizations=2000, sifts=2000"),
        "iceemdan": ((4, 20_000), "modes=3, realizations=2000, sifts=2000"),
        "memd": ((4, 20_000), "modes=3, sifts=100000"),
        "hht": ((4, 20_000), "decomposition='eemd', modes=3, realizations=2000, sifts=2000"),
        "hhtrials": ((8, 2, 20_000), "decomposition='eemd', modes=3, realizations=2000, "
                                     "sifts=2000"),
        "cwt": ((2, 1 << 18), "freqs='0.001:0.4:200', quantity='power', precision='f32'"),
        "bands": ((2, 1 << 18), "freqs='0.001:0.4:200', bands='0.001:0.01,0.01:0.4'"),
        "superlets": ((2, 1 << 16), "freqs='0.001:0.4:200'"),
        "trials": ((8, 2, 1 << 16), "freqs='0.001:0.4:200'"),
        "coherence": ((8, 2, 1 << 16), "freqs='0.001:0.4:200'"),
        "conv": ((2, 200_000), "mask_formula='morlet', scales='1:2000:500', method='direct', "
                             "decimate=32")}

# How often each is stopped; 50 takes ten minutes.
TIMES = int(os.environ.get("WAVESIFT_INTERRUPTS", "5"))


@pytest.mark.parametrize("method", list(wavesift.transforms()))
def test_ctrl_c(method):
    """Each time within 0.2 s, no thread stays, and memory does not grow.  (Linux.)"""
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("no /proc here")
    assert method in LONG, f"write a long call of {method} here"
    shape, options = LONG[method]
    code = textwrap.dedent(f"""
        import os, random, signal, sys, threading, time, numpy, wavesift
        x = numpy.random.default_rng(0).standard_normal({shape})
        # Ends it however it hangs.
        threading.Timer(60 + {TIMES}, lambda: os._exit(9)).start()

        def resident():
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def threads():
            return len(os.listdir("/proc/self/task"))

        # Plans take time of their own, in which nobody waits: they are kept.
        plan = wavesift.Plan("{method}", x.shape, device="cpu", {options})
        for i in range({TIMES} + 3):
            began = []
            def interrupt():
                time.sleep(random.uniform(0.02, 0.15))
                began.append(time.perf_counter())
                os.kill(os.getpid(), signal.SIGINT)
            striker = threading.Thread(target=interrupt)
            striker.start()
            try:
                while True:
                    plan(x)
            except KeyboardInterrupt:
                print(time.perf_counter() - began[0])
            striker.join()
            for _ in range(100):    # a thread that has ended is told a moment later
                left = [t.name for t in threading.enumerate() if t.name == "wavesift"]
                if not left:
                    break
                time.sleep(0.02)
            assert not left, left
            if i == 2:
                before = resident(), threads()
        for _ in range(100):        # the system forgets ended threads when it comes to that
            if threads() <= before[1]:
                break
            time.sleep(0.02)
        print(resident() - before[0], threads() - before[1])
        assert wavesift.emd(x[0, ..., :100]).modes.any()
        sys.stdout.flush()
        os._exit(0)
        """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          timeout=100 + 2 * TIMES)
    assert done.returncode == 0, done.stderr
    *waits, grown, threads = done.stdout.split()
    assert len(waits) == TIMES + 3
    waits = sorted(map(float, waits))
    print(f"{method}: at most {waits[-1]:.3f} s, median {waits[len(waits) // 2]:.3f} s, memory "
          f"{int(grown) >> 20} MiB more, {threads} threads more")
    assert waits[len(waits) // 2] < _soon() and waits[-1] < 5 * _soon(), waits
    assert int(threads) <= 0 and int(grown) < 48 << 20


def _soon():
    """0.2 s where nothing else runs; what else does has its share of the time."""
    return 0.2 * max(1.0, os.getloadavg()[0] / os.cpu_count())


def _interrupt(work):
    """Seconds until work(), struck after 0.1 s, has heard it."""
    began, done = [], False

    def strike():
        time.sleep(0.1)
        began.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=strike)
    # Python itself loses a KeyboardInterrupt that strikes while an older plan is collected.
    gc.collect()
    gc.disable()
    try:
        thread.start()
        try:
            work()
            done = True
            thread.join()       # not struck yet: here, and not in the tests that follow
        except KeyboardInterrupt:
            heard = time.perf_counter() - began[0]
        thread.join()
    finally:
        gc.enable()
    assert not done, "it was done before it was struck"
    return heard


def test_ctrl_c_while_a_gpu_is_made_ready(monkeypatch):
    """The driver goes on to its end, and nothing is left behind."""
    create, destroy, opened, destroyed = c.lib.ws_plan_create, c.lib.ws_plan_destroy, [], []

    def slow(*arguments):
        time.sleep(1.0)
        status = create(*arguments)
        opened.append(arguments[0]._obj.value)
        return status

    monkeypatch.setattr(c.lib, "ws_plan_create", slow)
    monkeypatch.setattr(c.lib, "ws_plan_destroy",
                        lambda plan: (destroyed.append(plan), destroy(plan)))
    monkeypatch.setattr(_context, "_contexts", {})
    assert _interrupt(lambda: wavesift.Plan("emd", (2, 1000), device="auto")) < _soon()
    assert not opened
    for _ in range(200):
        gc.collect()
        if destroyed:
            break
        time.sleep(0.02)
    assert opened and destroyed == opened
    assert not [t for t in threading.enumerate() if t.name.startswith("wavesift")]
    plan = wavesift.Plan("emd", (2, 1000), device="auto")
    assert plan(numpy.random.default_rng(0).standard_normal((2, 1000))).modes.any()


def test_at_exit():
    """When Python has no more threads to give."""
    code = textwrap.dedent("""
        import atexit, numpy, wavesift
        x = numpy.arange(50.0) % 7
        atexit.register(lambda: print(wavesift.emd(x, device="cpu").modes.any()))
        """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.stdout == "True\n", done.stderr


def test_progress(x):
    seen = []
    long = numpy.tile(x, 20)
    r = wavesift.iceemdan(long, realizations=20, modes=4, progress=seen.append)
    assert seen[-1] == 1.0 and all(a <= b for a, b in zip(seen, seen[1:]))
    assert r.modes.tobytes() == wavesift.iceemdan(long, realizations=20, modes=4).modes.tobytes()


def test_progress_bar(x, capsys):
    wavesift.emd(x, progress=True)
    assert "EMD" in capsys.readouterr().err


def test_progress_that_fails():
    def fail(done):
        raise ZeroDivisionError("mine")

    x = numpy.random.default_rng(0).standard_normal(20000)
    began = time.perf_counter()
    with pytest.raises(ZeroDivisionError, match="mine"):
        wavesift.eemd(x, realizations=2000, sifts=2000, progress=fail)
    assert time.perf_counter() - began < 20
    assert not [t for t in threading.enumerate() if t.name == "wavesift"]


def test_threads_of_python(x):
    """Eight at once, each with signals of its own."""
    results, failures = {}, []

    def work(i):
        try:
            for _ in range(5):
                results[i] = wavesift.emd(x * (i + 1), threads=2).modes
        except BaseException as e:
            failures.append(e)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert not failures
    for i, modes in results.items():
        assert modes.tobytes() == wavesift.emd(x * (i + 1)).modes.tobytes()


def test_number_of_threads(x):
    long = numpy.tile(x, 30)
    assert wavesift.emd(long, threads=1).modes.tobytes() == wavesift.emd(
        long, threads=3).modes.tobytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork(x):
    expected = wavesift.emd(x).modes.tobytes()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        same = False
        try:
            same = wavesift.emd(x).modes.tobytes() == expected
        finally:
            os.write(write, b"y" if same else b"n")
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 1) == b"y"


def test_fork_after_gpu(x, monkeypatch):
    from wavesift import _context

    monkeypatch.setattr(_context, "_gpu_before_fork", True)
    monkeypatch.setattr(_context, "_contexts", {})
    with pytest.raises(RuntimeError, match="spawn"):
        wavesift.emd(x, device="cuda")
    assert wavesift.emd(x).device == "cpu"


def test_memory(x):
    """Contiguous input is not copied, and what is not needed is not kept."""
    code = textwrap.dedent("""
        import resource, numpy, wavesift
        x = numpy.random.default_rng(0).standard_normal((8, 1000000))
        plan = wavesift.Plan("emd", x.shape, modes=2, sifts=1, threads=1)
        room = {n: numpy.ones(plan.full_shape(n)) for n in ("modes", "residue")}
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        plan(x, out=room)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(grown * 1024 - plan.workspace, x.nbytes)
        """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    grown, size = map(int, done.stdout.split())
    assert grown < size / 4


def test_errors_name_keywords():
    from wavesift._errors import in_python

    assert in_python("leave out `max_sifts`, or take `stop_rule fixed:3` (`device cpu`)") == \
        "leave out max_sifts, or take stop_rule='fixed:3' (device='cpu')"
    assert in_python("choose one, such as `variable 'x{1}'`") == "choose one, such as variable='x{1}'"
    # What a file is called is its own.
    for own in ("a`b.npy: `", "d/`fs`.npy: no", "`` and ` c` and `d,e`"):
        assert in_python(own) == own
    with pytest.raises(wavesift.ArgumentError, match="^sifts and stop_rule contradict each other"):
        wavesift.emd([1.0, 2.0, 1.0], sifts=3, stop_rule="sd")


@pytest.mark.parametrize("how", [{}, {"out": "r.h5"}])
def test_progress_stops(x, tmp_path, how):
    """Where it returns True, and nothing else."""
    if "out" in how:
        pytest.importorskip("h5py")
        how = {"out": tmp_path / how["out"]}
    long, told = numpy.tile(x, (1, 100)), []
    with pytest.raises(wavesift.Cancelled, match="progress returned True"):
        wavesift.iceemdan(long, realizations=500, progress=lambda done: told.append(done) or True,
                          **how)
    assert len(told) < 20 and told[-1] < 1 and not list(tmp_path.iterdir())
    r = wavesift.emd(x, progress=lambda done: 7)
    assert r.modes.tobytes() == wavesift.emd(x).modes.tobytes()


def test_progress_stops_an_inverse(x):
    r = wavesift.cwt(numpy.tile(x, (1, 300)), fs=200, freqs="2:60:40", padding="reflect")
    with pytest.raises(wavesift.Cancelled, match="progress returned True"):
        wavesift.icwt(r, progress=lambda done: True)
