"""The threads in which ``arun()`` lets guests run: as many as guests run at once, used again.

The event loop's own executor has few threads, which belong to its user; a guest may hold one as
long as its limits allow. These here end when nothing came for a while, and hold up nobody's exit.
"""

from __future__ import annotations

import os
import queue
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Work = Callable[[], object]

#: Seconds that a thread waits for more work.
IDLE_SECONDS = 10.0

_lock = threading.Lock()
_idle: list[_Thread] = []


def submit(work: Work) -> None:
    """Does it in a thread of its own at once; it must not raise."""
    with _lock:
        thread = _idle.pop() if _idle else None
    if thread is None:
        thread = _Thread()
        thread.start()
    thread.work.put(work)


class _Thread(threading.Thread):
    def __init__(self) -> None:
        super().__init__(name="pinfold arun", daemon=True)
        self.work: queue.SimpleQueue[Work] = queue.SimpleQueue()

    def run(self) -> None:
        while True:
            try:
                work = self.work.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                with _lock:
                    if self in _idle:
                        _idle.remove(self)
                        return
                continue  # somebody has taken it just now
            work()
            del work  # and what it holds
            with _lock:
                _idle.append(self)


def _forked() -> None:
    global _lock
    _lock = threading.Lock()
    _idle.clear()  # they are the parent's


os.register_at_fork(after_in_child=_forked)
