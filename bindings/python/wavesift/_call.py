"""A long call of the library: in a thread of its own, while the caller's waits in short steps.

Python handles Ctrl-C between two steps of its main thread only.  So that thread never waits in the
library itself; and it never leaves an execution before the library has, which writes into the
caller's arrays.
"""

import sys
import threading
import time

from . import _library as c
from ._errors import Cancelled

STEP = 0.05             # seconds between two looks at signals and progress


class Call:
    """execute(progress) in a thread of its own; progress is what the library takes."""

    def __init__(self, execute, report=None):
        self._execute, self._report = execute, report
        self._finished = threading.Event()
        self._lock = threading.Lock()
        self._began = self._cancelled = False
        self._done = 0.0
        self._failure = None
        # The library's threads call it; it only looks and notes.
        self._progress = c.Progress(self._note)

    def _note(self, _user, done):
        self._done = done
        return self._cancelled

    def _run(self):
        with self._lock:
            if self._cancelled:         # before this thread had its first moment
                self._failure = Cancelled("cancelled")
                self._finished.set()
                return
            self._began = True
        try:
            self._execute(self._progress)
        except BaseException as e:
            self._failure = e
        finally:
            self._finished.set()

    def _cancel(self):
        """Returns when the library has, however often the user asks."""
        while True:
            try:
                with self._lock:
                    self._cancelled = True
                if self._began:
                    self._finished.wait()
                return
            except BaseException:
                pass

    def run(self):
        """Raises what execute did; what report did, and KeyboardInterrupt, once the work has
        stopped."""
        thread = threading.Thread(target=self._run, name="wavesift", daemon=True)
        try:
            # Ctrl-C may come while the thread starts, too.
            thread.start()
            while not self._finished.wait(STEP):
                if self._report and self._report(self._done) is True:
                    self._cancelled = True      # the library leaves as soon as it can
            if self._report and self._failure is None:
                self._report(1.0)
            thread.join()
        except BaseException:
            self._cancel()
            try:
                thread.join()
            except RuntimeError:        # it had not started; it will do nothing
                pass
            raise
        if isinstance(self._failure, Cancelled):
            raise Cancelled("stopped, as progress returned True")
        if self._failure is not None:
            raise self._failure


class _Apart:
    def __init__(self, work):
        self._work = work
        self._finished = threading.Event()
        self._value = self._failure = None

    def _run(self):
        try:
            self._value = self._work()
        except BaseException as e:
            self._failure = e
        finally:
            self._work = None
            self._finished.set()

    def run(self):
        # No daemon: Python's end waits for it, since a driver may not be left half way.
        thread = threading.Thread(target=self._run, name="wavesift-apart", daemon=False)
        try:
            thread.start()
        except RuntimeError:    # Python is ending already, or there may be no more threads
            self._run()
        while not self._finished.wait(STEP):
            pass
        if self._failure is not None:
            raise self._failure
        return self._value


def apart(work):
    """work(), which nobody can stop, such as a plan's making or a driver's that opens a GPU.
    Ctrl-C is raised at once; the work then goes on to its end in a thread, so that it may write
    into nothing of the caller's, and what it has made goes with the last reference to it."""
    if threading.current_thread() is not threading.main_thread():
        return work()           # which hears no Ctrl-C
    return _Apart(work).run()


def await_stream(space):
    """Waits for what the stream of x has to do so far, as the library would, which hears no Ctrl-C
    meanwhile."""
    for _ in range(50):         # soon, mostly
        if space.idle():
            return
    pause = 2e-5
    while not space.idle():
        time.sleep(pause)
        pause = min(1.5 * pause, 1e-3)


class _Line:
    """Progress on a line of a terminal."""

    def __init__(self, title):
        self.title, self.began = title, time.monotonic()

    def __call__(self, done):
        spent = time.monotonic() - self.began
        left = f", {spent * (1 - done) / done:.0f} s left" if 0 < done < 1 else ""
        sys.stderr.write(f"\r{self.title}: {done:4.0%}{left}    " + ("\n" if done >= 1 else ""))
        sys.stderr.flush()

    def close(self):
        pass


class _Bar:
    """The same by tqdm."""

    def __init__(self, tqdm, title):
        self.bar = tqdm(total=100, desc=title, unit="%",
                        bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}")

    def __call__(self, done):
        self.bar.update(int(100 * done) - self.bar.n)

    def close(self):
        self.bar.close()


class _Function:
    def __init__(self, function):
        self.function = function

    def __call__(self, done):
        return self.function(done)

    def close(self):
        pass


def reporter(progress, title):
    """What progress= asks for: None and False nothing, True a bar, a function that function."""
    if not progress:
        return None
    if callable(progress):
        return _Function(progress)
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line(title)
    return _Bar(tqdm, title)
