"""The lines of a trace in words: for a person who looks for the one that matters."""

from __future__ import annotations

import base64
import json

from ._native import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .bounds import Look

    Event = dict[str, Any]

#: How long a piece of script, a value or an output may be in a sentence.
_SHOWN = 160
#: What failed calls are called, by the number in a trace (PF_OP_*).
FAILURES = {1: "denied", 3: "failed", 4: "invalid", 5: "timeout"}
_STRIKES = {
    "interrupt": "the embedder interrupts the run",
    "stop": "the embedder gives the run up",
    "kill": "the embedder kills the run",
    "cpu_limit": "the run is at its limit cpu_seconds",
    "wall_limit": "the run is at its limit wall_seconds",
    "cut": "a program that made no calls is ended",
    "preempt": "the slice of a process ends",
}


def text_of(event: Event, name: str) -> str | bytes:
    """A string member, whose bytes may be no UTF-8; empty when it is not there."""
    if f"{name}_base64" in event:
        return base64.b64decode(event[f"{name}_base64"])
    return str(event.get(name, ""))


def bytes_of(event: Event, name: str) -> bytes:
    text = text_of(event, name)
    return text.encode() if isinstance(text, str) else text


def has(event: Event, name: str) -> bool:
    return name in event or f"{name}_base64" in event


def shown(text: str | bytes, most: int = _SHOWN) -> str:
    """On one line, without what acts on a terminal."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    cut = text if len(text) <= most else text[: most - 1] + "…"
    return printable(cut)


class Events:
    """The lines of a trace, parsed, and what one of them refers to."""

    def __init__(self, trace: bytes, look: Look | None = None) -> None:
        self.all: list[Event] = []
        for line in trace.splitlines():
            if look is not None:
                look.seconds()
            self.all.append(json.loads(line))
        #: By call id: the method, and the parameters as JSON text.
        self.asked: dict[int, tuple[str, str]] = {}
        self._starts: list[int] = []
        for event in self.all:
            if event.get("out") == "call" and "id" in event:
                self.asked[event["id"]] = event["method"], str(text_of(event, "params"))
            elif event.get("do") == "start":
                self._starts.append(event["n"])

    def run_of(self, line: int) -> int:
        """The number of the run that a line belongs to, from 1 on; 0 before the first."""
        from bisect import bisect_right

        return bisect_right(self._starts, line)

    def start_of(self, run: int) -> Event | None:
        return self.all[self._starts[run - 1]] if 0 < run <= len(self._starts) else None

    def answer_before(self, line: int) -> Event | None:
        """The last answer to a call at a line or before it, in its run."""
        for n in range(min(line, len(self.all) - 1), -1, -1):
            what = self.all[n].get("do")
            if what in ("resume", "fail"):
                return self.all[n]
            if what == "start":
                return None
        return None

    def notable_after(self, line: int) -> Event | None:
        """The next line that is more than the time or a slice."""
        for event in self.all[line + 1 :]:
            if event.get("in") not in ("time", "preempt"):
                return event
        return None

    def call(self, id: int) -> str:
        method, params = self.asked.get(id, ("?", ""))
        return f"call {id}, {shown(method)}({shown(params)})"

    def where(self, line: int) -> str:
        """The run of a line: ``run 3, shell: python3 report.py``."""
        run = self.run_of(line)
        start = self.start_of(run)
        if start is None:
            return "before the first run"
        return f"run {run}, {start['language']}: {shown(text_of(start, 'code'), 100)}"

    def say(self, event: Event) -> str:
        """What a line says happened."""
        if "do" in event:
            return self._act(event)
        if "in" in event:
            what = event["in"]
            if what == "time":
                return f"the clock shows {event['ns'] / 1e9:.6f} s"
            if what == "fill":
                return f"{shown(str(event.get('source')))} comes in from a mounted directory"
            return _STRIKES.get(what, str(what))
        if "out" in event:
            return self._effect(event)
        return "the recording ends" if event.get("end") else "the recording begins"

    def _act(self, event: Event) -> str:
        what = event["do"]
        if what == "start":
            return f"a run starts: {event['language']}: {shown(text_of(event, 'code'))}"
        if what == "resume":
            value = (
                "a result that was left out" if event.get("redacted") else text_of(event, "json")
            )
            return f"{self.call(event['id'])}: answered {shown(value)}"
        if what == "fail":
            how = FAILURES.get(event["outcome"], "failed")
            return f"{self.call(event['id'])}: {how}: {shown(text_of(event, 'message'))}"
        if what == "advance":
            return "the embedder lets the run go on"
        path = shown(text_of(event, "path"))
        if what in ("write", "make"):
            return f"the embedder writes {path} ({len(bytes_of(event, 'data'))} bytes)"
        if what == "remove":
            return f"the embedder removes {path}"
        if what == "mount":
            return f"a directory of the host is mounted at {path}"
        return f"the embedder looks at {path}"

    def _effect(self, event: Event) -> str:
        what = event["out"]
        if what in ("stdout", "stderr"):
            return f"{what}: {shown(text_of(event, 'text'))}"
        if what == "call":
            asked = f"{shown(text_of(event, 'method'))}({shown(text_of(event, 'params'))})"
            id = f"call {event['id']}, " if "id" in event else "a call, "
            message = text_of(event, "message")
            return f"{id}{asked}: {event['decision']}" + (f": {shown(message)}" if message else "")
        if what == "cancel":
            return f"{self.call(event['id'])}: nobody waits for it any more"
        if what == "result":
            limit = event.get("limit")
            return f"the run ends with status {event['exit_code']}" + (
                f", at its limit {limit}" if limit else ""
            )
        name = f" ({shown(str(event['name']))})" if "name" in event else ""
        verb = {"exec": "runs a program", "fork": "is made", "end": "ends"}.get(what, what)
        return f"process {event.get('pid')}{name} {verb}"
