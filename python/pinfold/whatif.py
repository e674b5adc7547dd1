"""A recording with other answers: `Replay.what_if()`."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from .drive import Waiter
from .errors import ToolError
from .events import FAILURES, Events, bytes_of, has, text_of
from .running import ISOLATED, OWN_OPTIONS, SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from .call import Call
    from .events import Event
    from .replaying import Opening, Replay
    from .result import Result
    from .sandbox import Sandbox


#: Settings that say who answers calls, and which.
_ANSWERING = ("tools", "capabilities", "tool_handler", "approve")


class Asked(NamedTuple):
    """A call after the point where the recording was left, and who answered it."""

    id: int
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
    #: How many runs of the recording were over before: ``results`` goes on behind them.
    runs_before: int


class Answer(NamedTuple):
    """What a call got in a recording, at a line of it."""

    line: int
    id: int
    value: Any


class Recorded:
    """What the embedder of a recording did from some line on."""

    def __init__(self, opening: Opening) -> None:
        self._events = Events(opening.trace)
        self._left_out = {id: json.loads(text) for id, text in opening.answers}

    def line_of(self, ids: Mapping[int, Any]) -> int:
        """Of the first answer to one of these calls; ValueError: none was answered."""
        answered = [e for e in self._events.all if e.get("do") in ("resume", "fail")]
        unknown = set(ids) - {event["id"] for event in answered}
        known = ", ".join(str(event["id"]) for event in answered[:20]) or "none"
        if not ids:
            raise ValueError(f"no call is given another answer; answered were {known}")
        if unknown:
            which = ", ".join(map(str, sorted(unknown)))
            raise ValueError(
                f"call {which} was not answered in the recording; answered were {known}"
            )
        return int(next(event["n"] for event in answered if event["id"] in ids))

    def answers(self, line: int) -> dict[tuple[str, str], deque[Answer]]:
        """By method and parameters, what was answered from a line on, in that order."""
        found: dict[tuple[str, str], deque[Answer]] = {}
        for event in self._events.all:
            if event.get("do") in ("resume", "fail") and event["n"] >= line:
                answer = Answer(event["n"], event["id"], self._value(event))
                found.setdefault(self._events.asked[event["id"]], deque()).append(answer)
        return found

    def _value(self, event: Event) -> Any:
        if event["do"] == "fail":
            code = FAILURES.get(event["outcome"], "failed")
            return ToolError(str(text_of(event, "message")), code)
        if event.get("redacted"):
            return self._left_out[event["id"]]
        return json.loads(text_of(event, "json"))

    def starts(self, line: int) -> list[Event]:
        """What the embedder did to the sandbox besides answering, from a line on."""
        names = ("start", "write", "make", "remove")
        return [e for e in self._events.all[line:] if e.get("do") in names]

    def settings(self) -> dict[str, Any]:
        """Those of the recording. No tool has a handler."""
        from .capability import load_policy
        from .tool import Tool

        head = self._events.all[0]
        settings: dict[str, Any] = {}
        if head.get("policy"):
            settings["capabilities"] = load_policy(head["policy"])
        if head.get("catch_all"):
            settings["tool_handler"] = _nobody
        if head.get("env_changed"):
            settings["env"] = dict(entry.split("=", 1) for entry in head["env"])
        if has(head, "prelude"):
            settings["js_prelude"] = str(text_of(head, "prelude"))
        settings["tools"] = [
            Tool(t["name"], t.get("description") or "", json.loads(t.get("schema") or "null"))
            for t in head.get("tools") or []
        ]
        return settings


def give(call: Call, value: Any) -> None:
    """Answers a call with a value, or with the failure that a recording has."""
    if not isinstance(value, ToolError):
        call.resume(value)
    elif value.code == "denied":
        call.deny(str(value))
    else:
        call.fail(str(value), value.code)


def _nobody(method: str, params: dict[str, Any]) -> Any:
    raise AssertionError("every call is answered from the recording")


class _Course:
    """The sandbox that goes another way, and what it still finds in the recording."""

    def __init__(
        self, sandbox: Sandbox, recorded: Recorded, line: int, given: Mapping[int, Any], live: bool
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

    def _choose(self, pending: list[Call]) -> tuple[Call, Answer | None] | None:
        """The call whose answer came first in the recording; then what a handler answers."""
        found = []
        for call in pending:
            answers = self._recorded.get((call.method, call.params_json))
            if answers:
                found.append((answers[0].line, call, answers))
        if found:
            _, call, answers = min(found, key=lambda item: item[0])
            return call, answers.popleft()
        return next(((call, None) for call in pending if self._has_handler(call)), None)

    def _has_handler(self, call: Call) -> bool:
        if not self._live:
            return False
        tool = self._sandbox._tools.get(call.method)
        return self._sandbox._tool_handler is not None or (
            tool is not None and tool.handler is not None
        )

    def _ask(self, call: Call) -> None:
        """Its handler, as in any run."""
        from .drive import NoLoop, fail, handled, succeed

        try:
            value = handled(self._sandbox, call, self._waiter)
        except NoLoop as error:
            raise RuntimeError(str(error)) from None
        except Exception as error:
            self.calls.append(Asked(call.id, call.method, call.params, error, "live"))
            fail(self._sandbox, call.id, call.method, error)
            return
        self.calls.append(Asked(call.id, call.method, call.params, value, "live"))
        succeed(self._sandbox, call.id, call.method, value)

    def _answer(self, call: Call, answer: Answer | None) -> None:
        if answer is None:
            self._ask(call)
            return
        given = answer.id in self._given
        value = self._given[answer.id] if given else answer.value
        source: Literal["given", "recorded"] = "given" if given else "recorded"
        self.calls.append(Asked(call.id, call.method, call.params, value, source))
        give(call, value)

    def _begin(self, event: Event) -> str | None:
        """Does again what the embedder did; else says why not."""
        sandbox, what = self._sandbox, event["do"]
        if what == "write":
            sandbox.files[event["path"]] = bytes_of(event, "data")
        elif what == "make":
            data = bytes_of(event, "data")
            sandbox._machine.file_make(event["path"], event["mode"], event["mtime_ns"], data)
        elif what == "remove":
            sandbox.files.pop(event["path"], None)
        else:
            return self._start(event)
        return None

    def _start(self, event: Event) -> str | None:
        sandbox = self._sandbox
        stdin = bytes_of(event, "stdin") if has(event, "stdin") else None
        code, env = text_of(event, "code"), text_of(event, "env")
        if isinstance(code, bytes) or isinstance(env, bytes):
            return f"line {event['n']} starts a script that is not UTF-8"
        how = ISOLATED if event.get("isolated") else SESSION
        if event.get("end_options"):
            how = OWN_OPTIONS
        limits = event.get("limits")
        own = None
        if "cwd" in event or env or limits:
            named = None if limits is None else list(limits.items())
            own = (event.get("cwd"), env.split("\0")[:-1], named), None, None
        try:
            with sandbox._entered(run=True):
                sandbox._last = None
                sandbox._count(sandbox._begin(code, event["language"], stdin, how, None, own))
        except OSError as error:  # its cwd is not there now
            return f"the run of line {event['n']} cannot start: {error}"
        self._running = True
        return None


def recorded_settings(replay: Replay) -> dict[str, Any]:
    """Those that the recording was made with; no tool has a handler."""
    return Recorded(replay._history.opening).settings()


def what_if(replay: Replay, answers: Mapping[int, Any], live: dict[str, Any]) -> WhatIf:
    opening = replay._history.opening
    recorded = Recorded(opening)
    line = recorded.line_of(answers)
    settings = {**recorded.settings(), "limits": opening.limits}
    answer = any(name in live for name in _ANSWERING)
    if answer:  # what may be called is what is given
        for name in _ANSWERING:
            settings.pop(name, None)
    with replay.at(line) as there:
        runs_before = len(there.results)
        sandbox = there.branch(**{**settings, **live})
    course = _Course(sandbox, recorded, line, answers, answer)
    try:
        stopped = course.go()
    except BaseException:
        sandbox.close()
        raise
    return WhatIf(course.results, course.calls, stopped, sandbox, runs_before)
