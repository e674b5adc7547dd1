"""ThreadPoolExecutor without threads of a kernel.

What is submitted runs at once, to its end; its future is done then. A tool's function is different:
the call is made, and the future is done when its answer is asked for, so that several calls are in
flight at once.
"""

import _turns
import itertools

from concurrent.futures import _base

BROKEN = "A thread initializer failed, the thread pool is not usable anymore"
_in_flight = {}  # by the call's number: its future


class BrokenThreadPool(_base.BrokenExecutor):
    """Raised when an initializer of a ThreadPoolExecutor fails."""


def _settle(number, answer):
    import tools

    future = _in_flight.pop(number)
    try:
        result = tools._result(*answer)
    except Exception as error:
        future.set_exception(error)
    else:
        future.set_result(result)


def _idle(until):
    """Somebody waits, and nobody runs: takes the answers that are there, or waits for one."""
    if not _in_flight:
        return False
    import _pinfold
    import time

    if until is None:
        number = next(iter(_in_flight))
        _settle(number, _pinfold.tool_wait(number))
        return True
    _pinfold.poll([], max(0, int((until - time.monotonic()) * 1000)))
    found = False
    while (number := _pinfold.tool_next()) is not None:
        if number in _in_flight:
            _settle(number, _pinfold.tool_take(number))
            found = True
    return found


_turns._idle.append(_idle)


class ThreadPoolExecutor(_base.Executor):
    _counter = itertools.count().__next__

    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        if max_workers is None:
            max_workers = 5
        if max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        self._max_workers = max_workers
        self._thread_name_prefix = thread_name_prefix or f"ThreadPoolExecutor-{self._counter()}"
        self._initializer, self._initargs = initializer, initargs
        self._broken = self._shutdown = False

    def submit(self, fn, /, *args, **kwargs):
        if self._broken:
            raise BrokenThreadPool(BROKEN)
        if self._shutdown:
            raise RuntimeError("cannot schedule new futures after shutdown")
        self._initialize()
        future = _base.Future()
        future.set_running_or_notify_cancel()
        start = getattr(fn, "_start_call", None)
        try:
            if start is not None:
                _in_flight[start(*args, **kwargs)] = future
            else:
                future.set_result(fn(*args, **kwargs))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            future.set_exception(error)
        return future

    submit.__doc__ = _base.Executor.submit.__doc__

    def _initialize(self):
        initializer, self._initializer = self._initializer, None
        if initializer is None:
            return
        try:
            initializer(*self._initargs)
        except BaseException:
            _base.LOGGER.critical("Exception in initializer:", exc_info=True)
            self._broken = True
            raise BrokenThreadPool(BROKEN)

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._shutdown = True
        while wait and _in_flight:
            _idle(None)
