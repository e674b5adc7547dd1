"""The worker of ``isolation="process"``: a process that does nothing but run one machine.

Started by `pinfold.remote`. It answers requests, one after the other, on one socket; a byte on the
other one interrupts the guest. Before anything untrusted is looked at, seccomp takes away every
system call that a machine does not need (``_native.confine``): no files, no network, no other
process.
"""

from __future__ import annotations

import os
import resource
import sys
import threading

from . import _native, errors
from .wire import Ended, Reader, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from ._native import Machine, Outcome

#: What the host sends is its own: the socket's other side is trusted here.
_ANY_SIZE = 1 << 62


def main() -> NoReturn:
    requests, control = int(sys.argv[2]), int(sys.argv[3])
    worker = _Worker(requests)
    threading.Thread(target=_listen, args=(worker, control), daemon=True).start()
    reader = Reader(requests, _ANY_SIZE)
    try:
        while True:
            name, interrupts, *args = reader.receive()
            worker.wait_for(interrupts)
            send(requests, worker.answer(name, args))
    except Ended:
        os._exit(0)


def _listen(worker: _Worker, control: int) -> None:
    """A byte ends the run, and says how; the end means that nobody is interested any more."""
    while how := os.read(control, 1):
        worker.interrupted({b"s": "stop", b"k": "kill"}.get(how, "interrupt"))
    os._exit(0)


def _restrict(limit: int, most: int) -> None:
    """Or less, if the process that started it has less."""
    _, hard = resource.getrlimit(limit)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(limit, (most, most))


class _Worker:
    def __init__(self, requests: int) -> None:
        self._requests = requests
        self.machine: Machine | None = None
        self._heard = threading.Condition()
        self._interrupts = 0  # that came
        self._before = 0  # of these, for earlier runs than the one that is on
        self._unrecorded: Any = ()  # how to make a branch that leaves no trace

    def answer(self, name: str, args: list[Any]) -> tuple[Any, ...]:
        """``("value", value)`` or ``("error", type, arguments)``."""
        try:
            if name == "new":
                self._new(*args)
                return "value", None
            machine = self.machine
            if machine is None:
                raise errors.SandboxClosed("the sandbox is closed")
            if name == "start":
                *what, watched, before = args
                return "value", self._start(machine, what, watched, before)
            if name == "branch":  # a fork, with ids of its own for the pending calls, as data
                branch = machine.fork(*self._unrecorded)
                try:
                    return "value", branch.snapshot()
                finally:
                    branch.close()
            if name == "on_decision":
                machine.on_decision(self._decision if args[0] else None)
                return "value", None
            return "value", getattr(machine, name)(*args)
        except OSError as error:
            return "error", "OSError", [error.errno, error.strerror, error.filename]
        except Exception as error:
            return "error", type(error).__name__, [str(error)]

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

    def _start(
        self, machine: Machine, what: list[Any], watched: bool, before: int
    ) -> Outcome | None:
        code, language, stdin, isolated = what
        if machine.running():  # else it is refused
            return machine.start(code, language, stdin, isolated, None)
        self._before = before
        machine.claim(True, self)
        try:
            if self._interrupts > before:  # it came before the run that it is for
                machine.interrupt()
            emit = self._emit if watched else None
            return machine.start(code, language, stdin, isolated, emit)
        finally:
            machine.unclaim(self)

    def _new(self, settings: Any, snapshot: bytes | None, durable: Any, memory: int | None) -> None:
        _restrict(resource.RLIMIT_CORE, 0)
        _restrict(resource.RLIMIT_NOFILE, 64)
        if memory is not None:
            _restrict(resource.RLIMIT_DATA, memory)
        records = durable[1] is not None
        if records:
            self._unrecorded = (settings, (durable[0], None, False, [], 0))
        _native.confine(records)
        self.machine = _native.Machine(settings, snapshot, durable)
        if records:
            _native.confine(False)

    def _emit(self, stream: int, data: bytes) -> None:
        send(self._requests, ("output", stream, data))

    def _decision(self, *decision: Any) -> None:
        send(self._requests, ("decision", *decision))
