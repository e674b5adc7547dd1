"""`Driver`: one session of a store, driven so that a process may end at any moment.

Before a tool is asked, the sandbox that waits for it is in the store; what the tool answered is in
the store's journal before the script goes on; a result is in the store before it is given. So who
takes the session over asks no tool again whose answer was noted, and makes no run again that has a
result. Between a tool's act and the note of its answer a process may still die: then the tool is
asked again.
"""

from __future__ import annotations

import json
import time
from typing import Any

from ..answer import encode, failure
from ..call import Call
from ..drive import Waiter, abandon, handled
from ..errors import SandboxStateError, ToolError
from ..observe import FAILURES
from ..result import Result
from ..sandbox import Sandbox
from ..store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..leases import Lease

_VERSION = 1


class Driver:
    """Belongs to one thread at a time. ``settings`` are those of `Sandbox`."""

    def __init__(
        self, store: Store, name: str, settings: Mapping[str, Any], *, timeout: float, holder: str
    ) -> None:
        self.name = name
        self._id = 0  # of the snapshot that the store has
        self._saved_calls: frozenset[int] = frozenset()  # that wait in it
        self._state: dict[str, Any] = {"v": _VERSION, "run": None, "result": None}
        self.used = time.monotonic()
        self._store = store
        self._lease: Lease = store.lease(name, holder=holder, timeout=timeout)
        try:
            self._open(dict(settings))
        except BaseException:
            self._lease.release()
            raise

    def _open(self, settings: dict[str, Any]) -> None:
        try:
            saved = self._store.find(self.name)
        except KeyError:
            self.sandbox = Sandbox(**{**settings, "key": self._store._key})
            return
        for name in ("files", "seed", "key"):  # the snapshot's, and the store's
            settings.pop(name, None)
        try:
            self._state = json.loads(saved.label)
            if self._state["v"] != _VERSION:
                raise ValueError("another version")
        except (ValueError, KeyError, TypeError):
            raise SandboxStateError(
                f"{self.name!r} in the store is not a pool's session: save it under another name"
            ) from None
        self.sandbox = self._store.load(saved.id, **settings)
        self._id = saved.id
        self._saved_calls = frozenset(call.id for call in self.sandbox.pending)

    @property
    def lost(self) -> bool:
        return self._lease.lost

    def run(self, run: str, code: str, language: str, how: dict[str, Any]) -> tuple[Any, ...]:
        """What came of a run, which has a name of its own: the second time it is not made again."""
        self.used = time.monotonic()
        state, machine = self._state, self.sandbox._machine
        mine = state["run"] == run
        if mine and state["result"] is not None:
            return _outcome(state["result"])
        if not mine or (not machine.running() and machine.result() is None):
            if machine.running():  # nobody wants it any more
                abandon(machine)
            self.sandbox.start(code, language, **how)
            self._state = {"v": _VERSION, "run": run, "result": None}
        outcome: tuple[Any, ...] = self._finish()
        self._state["result"] = _kept(outcome)
        self._save()
        self.used = time.monotonic()
        return outcome

    def _finish(self) -> Any:
        machine, waiter, attempts = self.sandbox._machine, Waiter(), 0
        try:
            while (outcome := machine.result()) is None:
                while self.sandbox.step() is not None:
                    pass
                pending = self.sandbox.pending
                if pending:
                    self._answer(pending[0], waiter)
                    continue
                wait = machine.wait_ns()
                if wait is not None:
                    time.sleep(wait / 1e9)
                elif attempts < 3:
                    attempts += 1
                    machine.interrupt()
                else:
                    abandon(machine)
                if machine.running():
                    machine.advance()
            return outcome
        finally:
            waiter.close()

    def _answer(self, call: Call, waiter: Waiter) -> None:
        """By the journal, or else by the tool."""
        if call.id not in self._saved_calls:
            self._save()
        note = self._noted(call)
        if note is None:
            note = self._asked(call, waiter)
            self._store.add_audit(self._journal(), [note])
        if "error" in note:
            self.sandbox._fail(call, ToolError(note["error"], note["code"]))
        else:
            call.resume(note["value"])

    def _asked(self, call: Call, waiter: Waiter) -> dict[str, Any]:
        try:
            value = handled(self.sandbox, call, waiter)
            return {"call": call.id, "value": json.loads(encode(call.method, value))}
        except Exception as error:
            kind, text = failure(error, self.sandbox._hide_tool_errors)
            return {"call": call.id, "error": text, "code": FAILURES[kind]}

    # ------------------------------------------------------------------ the store

    def _journal(self) -> str:
        return f"{self.name}\x1f{self._id}"

    def _noted(self, call: Call) -> dict[str, Any] | None:
        for _, entry in self._store.audit(self._journal()):
            if entry["call"] == call.id:
                found: dict[str, Any] = entry
                return found
        return None

    def _save(self) -> None:
        label = json.dumps(self._state)
        self._id = self._store.save(self.name, self.sandbox, label, lease=self._lease)
        self._saved_calls = frozenset(call.id for call in self.sandbox.pending)

    def close(self) -> None:
        """Out of memory: all of it is in the store."""
        try:
            self.sandbox.close()
        finally:
            self._lease.release()


def _kept(outcome: Any) -> list[Any]:
    out, err, *rest = outcome
    return [out.decode("latin-1"), err.decode("latin-1"), *rest]


def _outcome(kept: list[Any]) -> tuple[Any, ...]:
    out, err, *rest = kept
    return (out.encode("latin-1"), err.encode("latin-1"), *rest)


def result_of(outcome: Any) -> Result:
    return Result(tuple(outcome))
