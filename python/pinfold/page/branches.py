"""The branches of `pinfold debug`: live sandboxes that went on from a moment of a recording.

A call that a branch makes waits until somebody says what it gets. A tool of the host's is called
only when that is what was said, or by an accepted preview.
"""

from __future__ import annotations

import contextlib
import json
from collections import deque
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from .._native import printable
from ..choices import Edit, Give, No, Yes
from ..drive import Stuck, Waiter, admit, asked_in_time, fail, succeed
from ..errors import PinfoldError, SandboxStateError, ToolError
from ..whatif import give
from .looking import look, processes

if TYPE_CHECKING:
    from ..call import Call
    from ..choices import Choice
    from ..preview import Branch as Tried
    from ..preview import Preview
    from ..result import Result
    from ..sandbox import Sandbox
    from ..whatif import Answer
    from .looking import Looked

    Answers = dict[tuple[str, str], deque[Answer]]

#: Characters of output that a branch keeps.
_KEPT = 1 << 20
#: Entries of its log.
_ENTRIES = 2000
#: Seconds that a sleeping run is waited for at a time.
_SLEEP = 60.0


class Origin(NamedTuple):
    """Where a branch comes from."""

    line: int | None
    branch: int | None


class Branch:
    """One of them. It is used by one thread at a time."""

    def __init__(
        self, id: int, origin: Origin, sandbox: Sandbox, recorded: Answers, all_recorded: Answers
    ) -> None:
        self.id = id
        self.origin = origin
        self.sandbox = sandbox
        self._recorded = recorded  # from its line on, each once
        self._all_recorded = all_recorded
        self._log: list[dict[str, Any]] = []
        self._written = 0
        self._preview: Preview | None = None
        self._ended = not sandbox._machine.running()
        self._listen()

    # ------------------------------------------------------------------ what there is to see

    def shown(self) -> dict[str, Any]:
        running = self.sandbox._machine.running()
        calls = self.sandbox.pending if running else []
        return {
            "id": self.id,
            "line": self.origin.line,
            "parent": self.origin.branch,
            "state": "waits" if calls else "runs" if running else "idle",
            "calls": [self._call(call) for call in calls],
            "log": self._log,
            "processes": self.processes(),
        }

    def _call(self, call: Call) -> dict[str, Any]:
        tool = self.sandbox._tools.get(call.method)
        known = self._known(call)
        return {
            "id": str(call.id),  # more digits than JavaScript's numbers have
            "method": call.method,
            "params": call.params_json,
            "asks": call.ask,
            "recorded": None if known is None else _words(known.value),
            "live": tool is not None and tool.handler is not None,
        }

    def processes(self) -> list[list[Any]]:
        return processes(self.sandbox._machine)

    def look(self, mounts: list[str]) -> Looked:
        return look(self.sandbox._machine, mounts)

    # ------------------------------------------------------------------ going on

    def run(self, code: str, language: str) -> None:
        """Types something into it: runs to the end, or to a call that waits."""
        self.drop_preview()  # it is outdated by what comes
        if self.sandbox._machine.running():
            raise SandboxStateError("a run is on in this branch: answer its calls, or end it")
        self._add("input", text=code, language=language)
        self._ended = False
        self.sandbox.start(code, language, on_output=self._out)
        self.go()

    def go(self) -> None:
        """On to the next call, or to the end."""
        sandbox, machine = self.sandbox, self.sandbox._machine
        stuck, until = Stuck(machine), monotonic() + _SLEEP
        while machine.running() and not machine.pending():
            wait = machine.wait_ns()
            if wait is not None and monotonic() + wait / 1e9 > until:
                self._add(
                    "note", text=f"it sleeps for {wait / 1e9:g} s more: go on, or end the run"
                )
                return
            sandbox._count(stuck.go_on())
        self._tell_end()

    def answer(self, id: int, kind: str, value: Any) -> None:
        """Says what a call gets."""
        call = self._waiting(id)
        self.drop_preview()  # it is outdated by what comes
        if kind == "recorded":
            self._answer_recorded(call)
        elif kind == "live":
            self._ask(call)
        else:
            if kind == "give":
                said: Any = value
            elif kind in ("fail", "deny"):
                said = ToolError(str(value or "it was not approved"), _CODES[kind])
            else:
                raise ValueError(f"there is no answer of the kind {kind!r}")
            self._give(call, said, "given")
        self.go()

    def go_recorded(self) -> None:
        """Gives its calls what the recording gave, as long as it has an answer."""
        self.drop_preview()  # it is outdated by what comes
        for _ in range(_ENTRIES):
            self.go()
            known = [(self._next(call), call) for call in self.sandbox.pending]
            found = [(answer.line, call) for answer, call in known if answer is not None]
            if not self.sandbox._machine.running():
                return
            if not found:
                self._add("note", text="the recording has no answer to what it calls now")
                return
            self._answer_recorded(min(found, key=lambda item: item[0])[1])

    def end(self) -> None:
        """Gives the run up that is on."""
        self.drop_preview()
        self.sandbox._abandon()
        self._tell_end()

    def _waiting(self, id: int) -> Call:
        for call in self.sandbox.pending:
            if call.id == id:
                return call
        raise SandboxStateError(f"call {id} does not wait in this branch: it was answered")

    def _next(self, call: Call) -> Answer | None:
        answers = self._recorded.get((call.method, call.params_json))
        return answers[0] if answers else None

    def _known(self, call: Call) -> Answer | None:
        """What the recording gave next, else what it gave last, to a call with these arguments."""
        answers = self._all_recorded.get((call.method, call.params_json))
        return self._next(call) or (answers[-1] if answers else None)

    def _answer_recorded(self, call: Call) -> None:
        known = self._known(call)
        if known is None:
            raise SandboxStateError("the recording has no answer to this call")
        if self._next(call) is not None:
            self._recorded[call.method, call.params_json].popleft()
        self._give(call, known.value, "recorded")

    def _give(self, call: Call, value: Any, source: str) -> None:
        self._answered(call, source, value)
        give(call, value)

    def _ask(self, call: Call) -> None:
        """Its tool, once: who said so has approved."""
        sandbox, waiter = self.sandbox, Waiter()
        try:
            admit(sandbox, call)
            value = asked_in_time(sandbox, call, waiter)
        except Exception as error:
            self._answered(call, "live", error)
            sandbox._count(fail(sandbox, call.id, call.method, error))
            return
        finally:
            waiter.close()
        self._answered(call, "live", value)
        sandbox._count(succeed(sandbox, call.id, call.method, value))

    # ------------------------------------------------------------------ previews

    def preview(self, id: int, answers: list[dict[str, Any]]) -> dict[str, Any]:
        """What would come of some answers to a call that waits."""
        call = self._waiting(id)
        self.drop_preview()
        choices = [self._choice(call, given) for given in answers]
        self._preview = self.sandbox.preview(call, choices)
        return {"call": self._call(call), "branches": [self._tried(b) for b in self._preview]}

    def _choice(self, call: Call, given: dict[str, Any]) -> Choice:
        kind = given.get("kind")
        if kind == "yes":
            known, tool = self._known(call), self.sandbox._tools.get(call.method)
            simulated = tool is not None and tool.handler is not None and tool.simulate is not None
            if known is None or simulated or isinstance(known.value, ToolError):
                return Yes()
            return Yes(result=known.value)
        if kind == "no":
            return No(given.get("why") or None)
        if kind == "edit":
            return Edit(given["params"])
        if kind == "give":
            return Give(given["value"])
        raise ValueError(f"there is no answer of the kind {kind!r}")

    def _tried(self, tried: Tried) -> dict[str, Any]:
        result = tried.result
        tool = self.sandbox._tools.get(tried._call.method)
        calls_tool = tried.source in ("simulated", "recorded", "unknown") and (
            tool is not None and tool.handler is not None
        )
        answered = tried._answered
        return {
            "label": tried.label,
            "params": tried._call.params_json,
            "source": tried.source,
            "answer": None if answered is None else str(answered),
            "refused": tried.refused,
            "stopped": tried.stopped,
            "changes": [[c.kind, c.path, c.diff] for c in tried.changes],
            "stdout": tried.stdout[-_KEPT:],
            "stderr": tried.stderr[-_KEPT:],
            "calls": [
                [c.method, json.dumps(c.params, ensure_ascii=False), c.state, c.text]
                for c in tried.calls
            ],
            "result": None if result is None else _result(result),
            "calls_tool": calls_tool,
            "possible": tried.refused is None and (answered is not None or calls_tool),
        }

    def accept(self, label: str) -> None:
        """The branch is what the preview has shown of an answer."""
        preview = self._preview
        if preview is None or preview.closed:
            raise SandboxStateError("there is no preview of this branch any more: make another")
        tried, call = preview[label], preview.call
        self._preview = None
        answered = tried._answered
        tool = self.sandbox._tools.get(call.method)
        by_handler = tool is not None and tool.handler is not None
        if tried.source in ("simulated", "recorded") and not by_handler and answered is not None:
            # Nobody is to be called: what the recording gave is what it gets.
            if not answered.ok:
                known = self._known(call)
                preview.close()
                self._give(call, _failure(known, answered.text), "recorded")
                self.go()
                return
            accepted = tried.accept(result=json.loads(answered.text))
        else:
            accepted = tried.accept()
        text = str(answered) if answered is not None else "what its tool gave"
        self._add("answer", call=_brief(call), source=tried.label, text=text)
        if accepted.why is not None:
            self._add("note", text=accepted.why)
        self._move_output()
        self.go()

    def drop_preview(self) -> None:
        if self._preview is not None:
            self._preview.close()
            self._preview = None

    # ------------------------------------------------------------------ others

    def fork(self, id: int) -> Branch:
        sandbox = self.sandbox.fork(record=False)
        answers = {asked: deque(known) for asked, known in self._recorded.items()}
        return Branch(id, Origin(None, self.id), sandbox, answers, self._all_recorded)

    def kill(self) -> None:
        """From any thread: what runs there ends at once."""
        with contextlib.suppress(PinfoldError):
            self.sandbox._machine.kill()

    def close(self) -> None:
        self.drop_preview()
        self.sandbox.close()

    # ------------------------------------------------------------------ the log

    def _listen(self) -> None:
        """What a run that was on already writes."""
        machine: Any = self.sandbox._machine
        names = {1: "stdout", 2: "stderr"}
        machine.on_output(
            lambda stream, data: self._out(data.decode("utf-8", "replace"), names[stream])
        )

    def _out(self, text: str, stream: str) -> None:
        if self._written > _KEPT:
            return
        self._written += len(text)
        if self._written > _KEPT:
            text += "\n… more than is kept here …\n"
        last = self._log[-1] if self._log else None
        if last is not None and last["kind"] == stream:
            last["text"] += text
        else:
            self._add(stream, text=text)

    def _move_output(self) -> None:
        """What a preview had written came before its answer was told: the answer stands first."""
        entry = self._log.pop()
        at = len(self._log)
        while at and self._log[at - 1]["kind"] in ("stdout", "stderr"):
            at -= 1
        self._log.insert(at, entry)

    def _answered(self, call: Call, source: str, value: Any) -> None:
        self._add("answer", call=_brief(call), source=source, text=_words(value))

    def _tell_end(self) -> None:
        if self._ended or self.sandbox._machine.running():
            return
        self._ended = True
        result = self.sandbox.result
        if result is not None:
            self._add("result", **_result(result))

    def _add(self, kind: str, **more: Any) -> None:
        if len(self._log) < _ENTRIES:
            self._log.append({"kind": kind, **more})


_CODES = {"fail": "failed", "deny": "denied"}


def _brief(call: Call) -> str:
    text = f"{call.method} {call.params_json}"
    return printable(text if len(text) <= 300 else f"{text[:300]}…")


def _words(value: Any) -> str:
    """An answer, for a person."""
    if isinstance(value, ToolError) and value.code == "denied":
        return f"denied: {value}"
    if isinstance(value, Exception):
        return f"failed: {value}"
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return repr(value)


def _failure(known: Answer | None, text: str) -> ToolError:
    if known is not None and isinstance(known.value, ToolError):
        return known.value
    return ToolError(text)


def _result(result: Result) -> dict[str, Any]:
    return {"exit_code": result.exit_code, "limit": result.limit, "value": result.value}
