"""Tools that stay in the process that made the pool: it is asked over the cluster.

A `Desk` is an actor that takes questions from sandboxes and hands them to threads of the driver.
A tool's handler is pickled as a question to it, so what the handler holds (a connection, a lock, a
window) never leaves its process.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from ..errors import ToolError
from ..tool import Tool
from .tools import called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: Calls that a driver has on at once; more wait for their turn.
_THREADS = 32


def in_driver(function: Callable[..., Any] | Tool) -> Tool:
    """A tool whose handler runs in the process that calls this, on a thread: up to 32 at once.
    Its arguments and results travel, the handler does not, so it may use what cannot be pickled.
    A call of it fails with ``ToolError`` when that process has ended. A session that goes on under
    another driver asks that one, by the tools of its own pool."""
    tool = function if isinstance(function, Tool) else Tool.from_function(function)
    if type(tool) is not Tool:
        raise TypeError(
            f"{type(tool).__name__} {tool.name!r} cannot run in the driver: "
            "give it to the pool as it is"
        )
    if tool.handler is None:
        raise ValueError(f"the tool {tool.name!r} has no handler")
    how: dict[str, Any] = {"timeout": tool.timeout, "returns": tool.returns, "pure": tool.pure}
    return Tool(tool.name, tool.description, tool.schema, _Handler(tool), **how)


class _Handler:
    """The handler in its own process. A copy of it, elsewhere, is a question to this one."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool

    def __call__(self, **params: Any) -> Any:
        return called(self._tool.call, {"params": params})

    def __reduce__(self) -> tuple[Any, ...]:
        desk, number = _driver().place(self)
        return _Question, (desk, number, self._tool.name)


class _Question:
    """The handler where a sandbox is."""

    def __init__(self, desk: Any, number: int, name: str) -> None:
        self._desk, self._number, self._name = desk, number, name

    def __call__(self, **params: Any) -> Any:
        try:
            error, value = ray.get(self._desk.ask.remote(self._number, params))
        except RayError as gone:
            raise ToolError(f"{self._name}: the process that has this tool is gone") from gone
        if error is not None:
            raise error
        return value


class Desk:
    """The actor. It runs on one event loop, so its state needs no lock."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[tuple[int, int, dict[str, Any]]] = asyncio.Queue()
        self._answers: dict[int, asyncio.Future[tuple[Any, Any]]] = {}
        self._numbers = itertools.count()

    async def ask(self, tool: int, params: dict[str, Any]) -> tuple[Any, Any]:
        """(the error, None) or (None, the value), when the driver has answered."""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        try:
            await self._waiting.put((number, tool, params))
            outcome: tuple[Any, Any] = await answer
            return outcome
        finally:
            del self._answers[number]

    async def take(self) -> list[tuple[int, int, dict[str, Any]]]:
        """What is asked now; waits for one."""
        taken = [await self._waiting.get()]
        while not self._waiting.empty():
            taken.append(self._waiting.get_nowait())
        return taken

    async def answer(self, number: int, error: Any, value: Any) -> None:
        waits = self._answers.get(number)
        if waits is not None and not waits.done():
            waits.set_result((error, value))


class _Driver:
    """This process, as long as it is in one job of Ray."""

    def __init__(self, job: str) -> None:
        self.job = job
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        how = {"num_cpus": 0, "max_concurrency": 10_000, "scheduling_strategy": here}
        make: Any = ray.remote(Desk).options(**how)
        self._desk = make.remote()
        self._handlers: list[_Handler] = []
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="pinfold tool")
        threading.Thread(target=self._listen, name="pinfold driver", daemon=True).start()

    def place(self, handler: _Handler) -> tuple[Any, int]:
        """The desk, and the number by which it knows a handler."""
        with _guard:
            if handler not in self._handlers:
                self._handlers.append(handler)
            return self._desk, self._handlers.index(handler)

    def _listen(self) -> None:
        # Ray raises SystemExit in a thread that waits while it shuts down.
        with contextlib.suppress(RayError, RuntimeError, SystemExit):
            while ray.is_initialized():
                for question in ray.get(self._desk.take.remote()):
                    self._threads.submit(self._work, *question)
        self._threads.shutdown(wait=False)

    def _work(self, number: int, tool: int, params: dict[str, Any]) -> None:
        error, value = None, None
        try:
            value = self._handlers[tool](**params)
        except Exception as raised:
            error = raised
        try:
            self._desk.answer.remote(number, error, value)
        except Exception as raised:  # it cannot be pickled
            given = error or type(value).__name__
            wrong = ToolError(f"what the tool gave cannot travel: {given}: {raised}")
            self._desk.answer.remote(number, wrong, None)


_guard = threading.Lock()
_known: _Driver | None = None


def _driver() -> _Driver:
    """This process's, made when a tool is pickled first in a job of Ray."""
    global _known
    if not ray.is_initialized():
        raise RuntimeError("a tool of in_driver() needs ray.init() before it is given to a pool")
    job = ray.get_runtime_context().get_job_id()
    with _guard:
        if _known is None or _known.job != job:
            _known = _Driver(job)
        return _known
