"""Watching a sandbox: a machine that tells observers what goes through it.

Only sandboxes with an audit log or with OpenTelemetry around have one; the others pay nothing.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Protocol

from . import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from .audit import AuditLog
    from .capability import MethodCapability
    from .machine import Machine

#: How `pf_failure` is called.
FAILURES = ("failed", "invalid", "timeout", "denied")


class Observer(Protocol):
    """What there is to see. An exception ends the run."""

    def run(self, code: str, language: str) -> None: ...

    def decided(
        self,
        id: int,
        outcome: str,
        method: str,
        name: str,
        params: str | None,
        capability: int,
        message: str | None,
    ) -> None: ...

    def answered(self, id: int, method: str, text: str | None, error: str | None) -> None: ...

    def result(self, outcome: _native.Outcome) -> None: ...

    def inside(self, id: int) -> AbstractContextManager[object]:
        """Around the time in which a call's handler is asked."""
        ...

    def edited(self, id: int, method: str, params: str) -> None: ...

    def branch(self) -> Observer: ...

    def preview(self) -> Observer | None: ...


class ObservedMachine:
    """A machine with observers. What is not about runs and calls goes straight through."""

    def __init__(self, machine: Machine, observers: list[Observer]) -> None:
        self._machine = machine
        self.observers = observers
        machine.on_decision(self._decided)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)

    def _decided(self, *decision: Any) -> None:
        for observer in self.observers:
            observer.decided(*decision)

    def start(self, code: str, language: str, *rest: Any) -> _native.Outcome | None:
        running = self._machine.running()
        if not running:  # else it is refused
            for observer in self.observers:
                observer.run(code, language)
        return self._ended(self._machine.start(code, language, *rest))

    def resume(self, id: int, text: str) -> _native.Outcome | None:
        refused = _native.json_refusal(text)
        if refused is not None:
            raise ValueError(refused)  # before anybody is told that this was the answer
        self._answered(id, text, None)
        return self._ended(self._machine.resume(id, text))

    def resume_step(
        self, id: int, text: str
    ) -> tuple[_native.Outcome | None, _native.CallData | None]:
        outcome = self.resume(id, text)
        return outcome, self._machine.step() if outcome is None else None

    def fail(self, id: int, kind: int, message: str) -> _native.Outcome | None:
        self._answered(id, None, f"{FAILURES[kind]}: {message}")
        return self._ended(self._machine.fail(id, kind, message))

    def advance(self) -> _native.Outcome | None:
        if not self._machine.running():
            return self._machine.advance()
        return self._ended(self._machine.advance())

    def inside(self, id: int) -> AbstractContextManager[object]:
        """Around the time in which a call's handler is asked, by who asks it."""
        around = contextlib.ExitStack()
        for observer in self.observers:
            around.enter_context(observer.inside(id))
        return around

    @property
    def unwatched(self) -> Machine:
        return self._machine

    def abandoned(self) -> None:
        """A run was ended that its embedder gave up, perhaps because an observer failed: its end is
        told if it can be."""
        outcome = self._machine.result()
        with contextlib.suppress(Exception):
            self._ended(outcome)

    def fork(self, *how: Any) -> ObservedMachine:
        observers = [observer.branch() for observer in self.observers]
        return ObservedMachine(self._machine.fork(*how), observers)

    def fork_shared(self) -> ObservedMachine:
        observers = [observer.branch() for observer in self.observers]
        return ObservedMachine(self._machine.fork_shared(), observers)

    def preview_observers(self) -> list[Observer]:
        """Who is told of what a preview of it does."""
        previews = [observer.preview() for observer in self.observers]
        return [preview for preview in previews if preview is not None]

    def _answered(self, id: int, text: str | None, error: str | None) -> None:
        pending = {call[0]: call[1] for call in self._machine.pending()}
        if id not in pending:
            return  # refused: it was answered already, or never was
        for observer in self.observers:
            observer.answered(id, pending[id], text, error)

    def _ended(self, outcome: _native.Outcome | None) -> _native.Outcome | None:
        if outcome is not None:
            for observer in self.observers:
                observer.result(outcome)
        return outcome


def observed(machine: Machine, audit: AuditLog | None, capabilities: list[MethodCapability]) -> Any:
    """The machine, watched if there is somebody to watch it."""
    observers: list[Observer] = []
    if audit is not None:
        from .audit import Auditor

        observers.append(Auditor(audit, capabilities))
    if "opentelemetry.trace" in sys.modules:
        from .telemetry import Spans

        observers.append(Spans(frozenset(tool[1] for tool in machine.tool_names())))
    return ObservedMachine(machine, observers) if observers else machine
