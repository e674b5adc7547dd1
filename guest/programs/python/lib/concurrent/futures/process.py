"""ProcessPoolExecutor: what is submitted is computed here, as in multiprocessing.pool."""

from concurrent.futures import _base
from concurrent.futures.thread import ThreadPoolExecutor


class BrokenProcessPool(_base.BrokenExecutor):
    """Raised when an initializer of a ProcessPoolExecutor fails."""


class ProcessPoolExecutor(ThreadPoolExecutor):
    def __init__(
        self,
        max_workers=None,
        mp_context=None,
        initializer=None,
        initargs=(),
        *,
        max_tasks_per_child=None,
    ):
        super().__init__(max_workers, "", initializer, initargs)

    def map(self, fn, *iterables, timeout=None, chunksize=1):
        if chunksize < 1:
            raise ValueError("chunksize must be >= 1.")
        return super().map(fn, *iterables, timeout=timeout)
