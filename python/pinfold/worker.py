"""The worker of ``isolation="process"``: a process that does nothing but run one machine.

Started by `pinfold.link`. It answers requests, one after the other, on one socket; a byte on the
other one interrupts the guest. Before anything untrusted is looked at, it gives up whatever a
machine does not need: files and other processes by Landlock, memory and descriptors by limits, all
but some system calls by seccomp (``_native/confine.c``).
"""

from __future__ import annotations

import os
import resource
import threading

from . import _native, errors

# Nothing else: what is imported here is waited for by each new sandbox.
from .wire import (
    ALLOWED,
    CONTROL,
    NO_MEMORY,
    REQUESTS,
    TOO_MANY,
    Ended,
    Reader,
    encoded,
    frame,
    send_all,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from ._native import Machine, Outcome

#: What refuses a call before the gate is asked.
_BY_MACHINE = {TOO_MANY: "tool_calls", NO_MEMORY: "memory_bytes"}
#: Decisions that wait for the next frame, at most.
_HELD_BYTES = 1 << 16


def main() -> NoReturn:
    _native.prepare()
    worker = _Worker(_native.shut())
    threading.Thread(target=_listen, args=(worker,), daemon=True).start()
    reader = Reader(REQUESTS)
    try:
        while True:
            name, interrupts, steps, *args = reader.receive()
            worker.wait_for(interrupts)
            worker.say(worker.answer(name, steps, args))
    except Ended:
        os._exit(0)


def _listen(worker: _Worker) -> None:
    """A byte ends the run, and says how; the end means that nobody is interested any more."""
    while how := os.read(CONTROL, 1):
        worker.interrupted({b"s": "stop", b"k": "kill"}.get(how, "interrupt"))
    os._exit(0)


def _restrict(limit: int, most: int | None) -> None:
    """Or less, if the process that started it has less."""
    if most is None:
        return
    _, hard = resource.getrlimit(limit)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(limit, (most, most))


class _Worker:
    def __init__(self, landlock: int) -> None:
        self.machine: Machine | None = None
        self._landlock = landlock
        self._held: list[bytes] = []  # frames that go with the next one
        self._heard = threading.Condition()
        self._interrupts = 0  # that came
        self._before = 0  # of these, for earlier runs than the one that is on
        self._unrecorded: Any = ()  # how to make a branch that leaves no trace

    def answer(self, name: str, steps: int, args: list[Any]) -> tuple[Any, ...]:
        """``("value", value)`` or ``("error", type, arguments)``."""
        try:
            if name == "new":
                return "value", self._new(*args)
            machine = self.machine
            if machine is None:
                raise errors.SandboxClosed("the sandbox is closed")
            for _ in range(steps):  # which were made elsewhere
                machine.step()
            if name == "start":
                *what, watched, before = args
                return "value", self._driven(self._start(machine, what, watched, before))
            if name in ("resume", "fail", "advance"):
                return "value", self._driven(getattr(machine, name)(*args))
            if name == "watch":  # also what is written after a snapshot
                machine.on_output(self._emit)
                return "value", None
            if name == "branch":  # a fork, with ids of its own for the pending calls, as data
                branch = machine.fork(*self._unrecorded)
                try:
                    return "value", branch.snapshot()
                finally:
                    branch.close()
            return "value", getattr(machine, name)(*args)
        except OSError as error:
            return "error", "OSError", [error.errno, error.strerror, error.filename]
        except Exception as error:
            return "error", type(error).__name__, [str(error)]

    def say(self, message: tuple[Any, ...]) -> None:
        """With what waits for it."""
        held, self._held = self._held, []
        send_all(REQUESTS, [*held, *frame(message)])

    def interrupted(self, how: str) -> None:
        with self._heard:
            self._interrupts += 1
            if self.machine is not None and self._interrupts > self._before:
                getattr(self.machine, how)()
            self._heard.notify()

    def wait_for(self, interrupts: int) -> None:
        """Until as many came: those that were sent before a request count before it is answered."""
        with self._heard:
            self._heard.wait_for(lambda: self._interrupts >= interrupts)

    def _driven(self, outcome: Outcome | None) -> tuple[Any, ...]:
        """How a drive ended: its outcome, when a sleeper is due, the calls that wait."""
        machine = self.machine
        assert machine is not None
        return outcome, machine.wait_ns(), machine.pending_ids()

    def _start(
        self, machine: Machine, what: list[Any], watched: bool, before: int
    ) -> Outcome | None:
        code, language, stdin, how, place = what
        if machine.running():  # else it is refused
            return machine.start(code, language, stdin, how, None)
        self._before = before
        machine.claim(True, self)
        try:
            if self._interrupts > before:  # it came before the run that it is for
                machine.interrupt()
            emit = self._emit if watched else None
            return machine.start(code, language, stdin, how, emit, place)
        finally:
            machine.unclaim(self)

    def _new(
        self,
        settings: Any,
        snapshot: bytes | None,
        durable: Any,
        memory: int | None,
        address_space: int | None,
        trace_bytes: int | None,
        capabilities: int,
    ) -> tuple[Any, ...]:
        records = durable[1] is not None
        if records:
            self._unrecorded = (settings, (durable[0], None, False, [], 0))
        _restrict(resource.RLIMIT_CORE, 0)
        _restrict(resource.RLIMIT_NOFILE, 64)
        _restrict(resource.RLIMIT_DATA, memory)
        _restrict(resource.RLIMIT_AS, address_space)
        _restrict(resource.RLIMIT_NPROC, 0)
        _restrict(resource.RLIMIT_FSIZE, trace_bytes if records else 0)
        _native.confine(None)
        machine = _native.Machine(settings, snapshot, durable)
        self.machine = machine
        judged: list[Any] = []  # calls that came with the snapshot, and what became of them
        machine.on_decision(lambda *decision: judged.append(decision))
        machine.on_request(self._request)
        if snapshot is None:
            return self._landlock, None
        left = [machine.calls_left(index) for index in range(capabilities)]
        return self._landlock, self._state(machine, left, judged)

    def _state(
        self, machine: Machine, left: list[int | None], judged: list[Any]
    ) -> tuple[Any, ...]:
        """What a snapshot brought."""
        pending = machine.pending_ids()
        new = 0  # that were not handed out: the branch is asked, which does not matter
        if machine.has_work():
            branch = machine.fork(*self._unrecorded)
            while branch.step() is not None:
                new += 1
            branch.close()
        return machine.running(), machine.wait_ns(), machine.result(), left, judged, pending, new

    def _emit(self, stream: int, data: bytes) -> None:
        self.say(("output", stream, data))

    def _request(self, id: int, outcome: str, request: bytes, message: str | None) -> None:
        by = next((by for text, by in _BY_MACHINE.items() if (message or "").startswith(text)), "")
        frame = encoded(("call", id, outcome, request, by))
        self._held.append(frame)
        # What is allowed comes to nothing before the guest waits for it. What is refused is told
        # at once: nothing else may follow.
        if outcome not in ALLOWED or sum(map(len, self._held)) > _HELD_BYTES:
            held, self._held = self._held, []
            send_all(REQUESTS, held)
