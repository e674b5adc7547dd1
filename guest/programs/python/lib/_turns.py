"""Threads of Python without threads of a kernel.

There is one stack, so threads take turns: one that is started runs when another one waits (for a
lock, a queue, an event, a thread's end, or in sleep()), on top of it, and until it ends. What waits
below goes on then. A thread that would have to wait for something below it cannot go on: a daemon,
such as a worker at an empty queue, ends there; another one gets a RuntimeError that says so.

threading is made of this (adapt_cpython.py), and what is made of threading.
"""

import _thread
import time as _time

MAIN = _thread.get_ident()
DEADLOCK = (
    "deadlock: nobody is left who could release this; threads of a sandbox take turns, "
    "and what waits below this thread goes on when it has ended"
)

_waiting = []  # threads that did not run yet: (ident, function, arguments, keywords)
_running = [MAIN]  # the thread that runs, on top of those below it
_last = MAIN
_sentinels = {}  # by ident: the lock that is released when the thread ends
_daemons = set()
_idle = []  # asked when nobody can run: is there something outside to wait for?
_sleep = _time.sleep


def get_ident():
    return _running[-1]


def start_new_thread(function, args, kwargs={}, daemon=False):
    global _last
    if not callable(function):
        raise TypeError("first arg must be callable")
    _last += 1
    if daemon:
        _daemons.add(_last)
    if _time.sleep is _sleep:
        _time.sleep = sleep
    _waiting.append((_last, function, args, kwargs))
    return _last


def next_ident():
    """That of the next thread."""
    return _last + 1


def sentinel(ident):
    """A lock that is held until the thread has ended."""
    lock = _sentinels[ident] = Lock()
    return lock


def run_one():
    """Runs the next thread to its end; False: there is none."""
    if not _waiting:
        return False
    ident, function, args, kwargs = _waiting.pop(0)
    _running.append(ident)
    try:
        function(*args, **kwargs)
    except SystemExit:
        pass
    except BaseException:
        import sys

        sys.excepthook(*sys.exc_info())
    finally:
        _running.pop()
        _daemons.discard(ident)
        lock = _sentinels.pop(ident, None)
        if lock is not None and lock.locked():
            lock.release()
    return True


def go_on(until=None):
    """Lets others run, or waits for what comes from outside; False: nothing comes before `until`."""
    if run_one():
        return True
    return any([idle(until) for idle in _idle])


def before_select(timeout):
    """What an event loop may wait after this: others run first."""
    ran = run_one()
    if not ran and _idle and timeout != 0:
        until = None if timeout is None else _time.monotonic() + timeout
        ran = any([idle(until) for idle in _idle])
    return 0 if ran else timeout


def sleep(seconds):
    until = _time.monotonic() + seconds if seconds > 0 else None
    while run_one():
        pass
    if until is None:
        return _sleep(seconds)
    left = until - _time.monotonic()
    if left > 0:
        _sleep(left)


class Lock:
    """As _thread.lock."""

    __slots__ = ("_held", "__weakref__")

    def __init__(self):
        self._held = False

    def acquire(self, blocking=True, timeout=-1):
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout != -1 and (timeout < 0 or timeout > _thread.TIMEOUT_MAX):
            if timeout < 0:
                raise ValueError("timeout value must be a non-negative number")
            raise OverflowError("timeout value is too large")
        if not self._held:
            self._held = True
            return True
        return self._wait(None if timeout == -1 else timeout) if blocking else False

    def _wait(self, timeout):
        until = None if timeout is None else _time.monotonic() + timeout
        while self._held:
            if go_on(until):
                continue
            if until is not None:
                left = until - _time.monotonic()
                if left > 0:
                    _sleep(left)
                if self._held:
                    return False
                break
            if _running[-1] in _daemons:
                raise SystemExit
            raise RuntimeError(DEADLOCK)
        self._held = True
        return True

    def release(self):
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    def locked(self):
        return self._held

    acquire_lock, release_lock, locked_lock = acquire, release, locked

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *exc_info):
        self.release()

    def _at_fork_reinit(self):
        self._held = False

    def __repr__(self):
        state = "locked" if self._held else "unlocked"
        return f"<{state} _thread.lock object at {id(self):#x}>"
