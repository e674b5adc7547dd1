"""A recording with other answers: `Replay.what_if()`."""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from .drive import Waiter
from .errors import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from .call import Call
    from .replaying import Opening, Replay
    from .result import Result
    from .sandbox import Sandbox

#: What a trace says of a call that failed (PF_OP_*), as `Call.fail` has it.
_CODES = {1: "denied", 3: "failed", 4: "invalid", 5: "timeout"}


class Asked(NamedTuple):
    """A call after the point where the recording was left, and who answered it."""

    method: str
    params: dict[str, Any]
    #: What the script got, or the exception that the call failed with.
    answer: Any
    #: ``"given"`` to `Replay.what_if`, as ``"recorded"``, or by a ``"live"`` handler.
    source: Literal["given", "recorded", "live"]


class WhatIf(NamedTuple):
    """What would have come of other answers."""

    #: Of each run from that point on, as far as they went.
    results: list[Result]
    #: The calls from that point on.
    calls: list[Asked]
    #: Why it went no further than that; None: it came to its end.
    stopped: str | None
    #: As it is now, to look at and to go on with; to be closed.
    sandbox: Sandbox


class _Answer(NamedTuple):
    line: int
    id: int
    value: Any


class _Recorded:
    """What the embedder of a recording did from some line on."""

    def __init__(self, opening: Opening) -> None:
        self.events = [json.loads(line) for line in opening.trace.splitlines()]
        self._left_out = {id: json.loads(text) for id, text in opening.answers}

    def line_of(self, ids: Mapping[int, Any]) -> int:
        """Of the first answer to one of these calls; ValueError: none was answered."""
        answered = [e for e in self.events if e.get("do") in ("resume", "fail")]
        unknown = set(ids) - {event["id"] for event in answered}
        if not ids or unknown:
            known = ", ".join(str(event["id"]) for event in answered[:20]) or "none"
            which = ", ".join(map(str, sorted(unknown))) or "no call"
            raise ValueError(f"{which} was not answered in the recording; answered were {known}")
        return int(next(event["n"] for event in answered if event["id"] in ids))

    def answers(self, line: int) -> dict[tuple[str, str], deque[_Answer]]:
        """By method and parameters, what was answered from a line on, in that order."""
        asked: dict[int, tuple[str, str]] = {}
        found: dict[tuple[str, str], deque[_Answer]] = {}
        for event in self.events:
            if event.get("out") == "call" and "id" in event:
                asked[event["id"]] = (event["method"], str(_text(event, "params")))
            elif event.get("do") in ("resume", "fail") and event["n"] >= line:
                answer = _Answer(event["n"], event["id"], self._value(event))
                found.setdefault(asked[event["id"]], deque()).append(answer)
        return found

    def _value(self, event: dict[str, Any]) -> Any:
        if event["do"] == "fail":
            code = _CODES.get(event["outcome"], "failed")
            return ToolError(str(_text(event, "message")), code)
        if event.get("redacted"):
            return self._left_out[event["id"]]
        return json.loads(_text(event, "json"))

    def starts(self, line: int) -> list[dict[str, Any]]:
        """What the embedder did to the sandbox besides answering, from a line on."""
        names = ("start", "write", "remove", "mount")
        return [e for e in self.events[line:] if e.get("do") in names]

    def settings(self) -> dict[str, Any]:
        """The tools and capabilities of the recording. No tool has a handler."""
        from .capability import load_policy
        from .tool import Tool

        head = self.events[0]
        settings: dict[str, Any] = {}
        if head.get("policy"):
            settings["capabilities"] = load_policy(head["policy"])
        if head.get("catch_all"):
            settings["tool_handler"] = _nobody
        tools = head.get("tools") or []
        settings["tools"] = [
            Tool(t["name"], t.get("description") or "", json.loads(t.get("schema") or "null"))
            for t in tools
        ]
        return settings


def _nobody(method: str, params: dict[str, Any]) -> Any:
    raise AssertionError("every call is answered from the recording")


def _text(event: dict[str, Any], name: str) -> str | bytes:
    """A string member, whose bytes may be no UTF-8."""
    if name in event:
        return str(event[name])
    return base64.b64decode(event.get(f"{name}_base64", ""))


def _bytes(event: dict[str, Any], name: str) -> bytes:
    text = _text(event, name)
    return text.encode() if isinstance(text, str) else text


class _Course:
    """The sandbox that goes another way, and what it still finds in the recording."""

    def __init__(
        self, sandbox: Sandbox, recorded: _Recorded, line: int, given: Mapping[int, Any], live: bool
    ) -> None:
        self._sandbox = sandbox
        self._recorded = recorded.answers(line)
        self._starts = recorded.starts(line)
        self._given = given
        self._live = live
        self.results: list[Result] = []
        self.calls: list[Asked] = []
        self._waiter = Waiter()
        self._running = sandbox._machine.running()

    def go(self) -> str | None:
        """To the end of the recording; else why not."""
        try:
            for start in [None, *self._starts]:
                why = (start and self._begin(start)) or self._finish()
                if why:
                    return why
        finally:
            self._waiter.close()
        return None

    def _finish(self) -> str | None:
        """The run that is on."""
        sandbox = self._sandbox
        while sandbox._machine.running():
            pending = sandbox.pending
            if not pending:
                sandbox.finish()
                break
            chosen = self._choose(pending)
            if chosen is None:
                names = "; ".join(f"{c.method}({c.params_json})" for c in pending)
                return f"the recording has no answer to {names}: give it, or tools that do"
            self._answer(*chosen)
        result = sandbox.result
        if result is not None and self._running:
            self.results.append(result)
        self._running = False
        return None

    def _choose(self, pending: list[Call]) -> tuple[Call, _Answer | None] | None:
        """The call whose answer came first in the recording; then what a handler answers."""
        found = []
        for call in pending:
            answers = self._recorded.get((call.method, call.params_json))
            if answers:
                found.append((answers[0].line, call, answers))
        if found:
            _, call, answers = min(found, key=lambda item: item[0])
            return call, answers.popleft()
        return (pending[0], None) if self._live else None

    def _ask(self, call: Call) -> None:
        """Its handler, as in any run."""
        from .drive import NoLoop, fail, handled, succeed

        try:
            value = handled(self._sandbox, call, self._waiter)
        except NoLoop as error:
            raise RuntimeError(str(error)) from None
        except Exception as error:
            self.calls.append(Asked(call.method, call.params, error, "live"))
            fail(self._sandbox, call.id, call.method, error)
            return
        self.calls.append(Asked(call.method, call.params, value, "live"))
        succeed(self._sandbox, call.id, call.method, value)

    def _answer(self, call: Call, answer: _Answer | None) -> None:
        if answer is None:
            self._ask(call)
            return
        given = answer.id in self._given
        value = self._given[answer.id] if given else answer.value
        self.calls.append(Asked(call.method, call.params, value, "given" if given else "recorded"))
        if not isinstance(value, ToolError):
            call.resume(value)
        elif value.code == "denied":
            call.deny(str(value))
        else:
            call.fail(str(value), value.code)

    def _begin(self, event: dict[str, Any]) -> str | None:
        sandbox, what = self._sandbox, event["do"]
        if what == "mount":
            return f"line {event['n']} mounts a directory of the host, which is not here"
        if what == "write":
            sandbox.files[event["path"]] = _bytes(event, "data")
        elif what == "remove":
            sandbox.files.pop(event["path"], None)
        elif any(name in event for name in ("cwd", "env", "limits", "end_options")):
            return f"line {event['n']} starts a run with settings of its own (cwd, env, limits)"
        else:
            stdin = _bytes(event, "stdin") if "stdin" in event or "stdin_base64" in event else None
            code = _text(event, "code")
            if isinstance(code, bytes):
                return f"line {event['n']} starts a script that is not UTF-8"
            isolated = bool(event.get("isolated"))
            sandbox.start(code, event["language"], stdin=stdin, isolated=isolated)
            self._running = True
        return None


def what_if(replay: Replay, answers: Mapping[int, Any], live: dict[str, Any]) -> WhatIf:
    opening = replay._history.opening
    recorded = _Recorded(opening)
    line = recorded.line_of(answers)
    settings = live or {**recorded.settings(), "limits": opening.limits}
    with replay.at(line) as there:
        sandbox = there.branch(**settings)
    course = _Course(sandbox, recorded, line, answers, bool(live))
    try:
        stopped = course.go()
    except BaseException:
        sandbox.close()
        raise
    return WhatIf(course.results, course.calls, stopped, sandbox)
