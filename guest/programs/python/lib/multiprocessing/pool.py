"""Pools without workers: a sandbox has one processor, so all is computed here, in its order.

Process, Pipe, Queue and locks are real: multiprocessing.Process forks.
"""

from multiprocessing import TimeoutError

__all__ = ["Pool", "ThreadPool"]


class AsyncResult:
    def __init__(self, function, callback=None, error_callback=None):
        self._error = self._value = None
        try:
            self._value = function()
        except Exception as error:
            self._error = error
        failed = self._error is not None
        done, given = (error_callback, self._error) if failed else (callback, self._value)
        if done is not None:
            done(given)

    def ready(self):
        return True

    def successful(self):
        return self._error is None

    def wait(self, timeout=None):
        pass

    def get(self, timeout=None):
        if self._error is not None:
            raise self._error
        return self._value


ApplyResult = MapResult = AsyncResult


class Pool:
    def __init__(
        self, processes=None, initializer=None, initargs=(), maxtasksperchild=None, context=None
    ):
        if processes is not None and processes < 1:
            raise ValueError("Number of processes must be at least 1")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        self._open = True
        if initializer is not None:
            initializer(*initargs)

    def _check(self):
        if not self._open:
            raise ValueError("Pool not running")

    def apply(self, func, args=(), kwds={}):
        return self.apply_async(func, args, kwds).get()

    def apply_async(self, func, args=(), kwds={}, callback=None, error_callback=None):
        self._check()
        return AsyncResult(lambda: func(*args, **kwds), callback, error_callback)

    def map(self, func, iterable, chunksize=None):
        return self.map_async(func, iterable).get()

    def map_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        self._check()
        return AsyncResult(lambda: [func(item) for item in iterable], callback, error_callback)

    def starmap(self, func, iterable, chunksize=None):
        return self.starmap_async(func, iterable).get()

    def starmap_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        self._check()
        return AsyncResult(lambda: [func(*items) for items in iterable], callback, error_callback)

    def imap(self, func, iterable, chunksize=1):
        self._check()
        return map(func, iterable)

    imap_unordered = imap

    def close(self):
        self._open = False

    terminate = close

    def join(self):
        if self._open:
            raise ValueError("Pool is still running")

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, *exc_info):
        self.terminate()


class ThreadPool(Pool):
    def __init__(self, processes=None, initializer=None, initargs=()):
        super().__init__(processes, initializer, initargs)


__all__ += ["AsyncResult", "TimeoutError"]
