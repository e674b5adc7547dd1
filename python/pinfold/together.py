"""Calls of ``run()`` whose handlers may be asked by several threads at once: they are on together.

Everything about the sandbox is done by the thread that runs it; the others only wait for handlers.
"""

from __future__ import annotations

import contextvars
import queue
import threading

from .call import parse
from .drive import fail, succeed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._native import CallData, Outcome
    from .core import Core


class Together:
    """The calls of one run that were begun and not answered."""

    def __init__(self, sandbox: Core) -> None:
        self._sandbox = sandbox
        self._done: queue.SimpleQueue[tuple[int, str, Any, Exception | None]] = queue.SimpleQueue()
        #: Of calls without an answer.
        self.ids: set[int] = set()

    def begin(self, given: CallData) -> None:
        id, method, _, params_json, *_ = given
        tool = self._sandbox._tools[method]

        def work() -> None:
            value, error = None, None
            try:
                value = tool.call(parse(params_json))
            except Exception as failed:
                error = failed
            except BaseException as failed:
                error = RuntimeError(f"{type(failed).__name__} in a handler")
            self._done.put((id, method, value, error))

        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(work,), name=f"pinfold {method}")
        thread.daemon = True  # left behind when nobody wants its answer any more
        self.ids.add(id)
        thread.start()

    def wait(self) -> Outcome | None:
        """Answers the first that is done; or lets a process go on that has slept enough."""
        machine = self._sandbox._machine
        sleeping = machine.wait_ns()
        try:
            done = self._done.get(timeout=None if sleeping is None else sleeping / 1e9)
        except queue.Empty:
            return machine.advance()
        id, method, value, error = done
        self.ids.discard(id)
        if all(id != pending for pending in machine.pending_ids()):
            return machine.advance()  # the script gave it up meanwhile
        if error is not None:
            return fail(self._sandbox, id, method, error)
        return succeed(self._sandbox, id, method, value)

    def close(self) -> None:
        self.ids.clear()
