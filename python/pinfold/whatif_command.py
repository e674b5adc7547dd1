"""``pinfold what-if FILE --answer ID=JSON``: a recording with other answers to its calls."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._native import printable
from .command_options import (
    Parser,
    answer,
    command_tool,
    mount_of,
    pair,
    recording,
    run_command,
)
from .errors import ToolError
from .events import Events, shown

if TYPE_CHECKING:
    import argparse

    from .replaying import Replay
    from .tool import Tool
    from .whatif import Asked, WhatIf

_ABOUT = """\
Goes through a recording up to a call, gives that call another answer, and goes on from there. Later
calls with the same method and arguments get the answers that were recorded. A call that the
recording has no answer to ends it, and is named, unless --live and --tool say who answers it.
"""
_EXIT = """\
Tools and policy are as for pinfold run, but that without --policy the recording's own holds. Calls
without a --tool are answered from the recording only.

Exit status: 0 when it came to the recording's end; 1 when it stopped before; 125 when the recording
cannot be replayed, or has no such call.
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit status."""
    parser = Parser("what-if", _ABOUT)
    parser.epilog = _EXIT
    add = parser.add_argument
    parser.several(
        *("-a", "--answer"), metavar="ID=JSON", help="the other answer to the call with this number"
    )
    parser.several("--fail", metavar="ID=TEXT", help="let the call fail with this text")
    add("--live", action="store_true", help="let --tool answer what the recording does not")
    parser.several(
        *("-t", "--tool"), metavar="NAME=COMMAND", help="a tool, as for pinfold run; for --live"
    )
    add("-p", "--policy", metavar="FILE", help="what may be called, as for pinfold run; for --live")
    parser.several(
        "--mount",
        metavar="HOST:GUEST[:MODE]",
        help="the directory for a mount of the recording, as for pinfold run; or none:GUEST",
    )
    add("--get", metavar="GUEST", help="print a file as it is then, and nothing else")
    parser.recording("file")
    given = parser.parse_args(list(arguments))
    if not given.answer and not given.fail:
        parser.error("which call is to have another answer? --answer ID=JSON, or --fail ID=TEXT")
    if given.live != bool(given.tool):
        parser.error("--live and --tool belong together")
    if given.policy is not None and not given.live:
        parser.error("--policy is for --live")
    return run_command("what-if", lambda: _what_if(given))


def _answers(given: argparse.Namespace) -> dict[int, Any]:
    answers = dict(answer("--answer", text) for text in given.answer)
    for text in given.fail:
        id, message = pair("--fail", text, "=")
        if not id.isascii() or not id.isdigit():
            raise ValueError(f"--fail {text}: expected ID=TEXT with the number of a call")
        answers[int(id)] = ToolError(message)
    return answers


def _what_if(given: argparse.Namespace) -> int:
    answers = _answers(given)
    with recording(given) as run:
        events = Events(run._history.opening.trace)
        live = _live(given, run)
        if given.mount:
            live["mounts"] = dict(map(_mount, given.mount))
        found = run.what_if(answers, **live)
        with found.sandbox:
            if given.get is not None:
                sys.stdout.flush()
                sys.stdout.buffer.write(found.sandbox.files[given.get])
            elif given.json:
                print(json.dumps(_data(run, found), indent=2))
            else:
                _tell(run, events, answers, found)
    return 0 if found.stopped is None else 1


def _mount(text: str) -> tuple[str, Any]:
    if text.startswith("none:/"):
        return text[len("none:") :], None
    return mount_of(text)


def _live(given: argparse.Namespace, run: Replay) -> dict[str, Any]:
    return live_settings(run, given.tool, given.policy) if given.live else {}


def live_settings(run: Replay, texts: list[str], policy: str | None) -> dict[str, Any]:
    """The tools of a recording, those of ``NAME=COMMAND`` with their programs as handlers, and the
    policy of a file, else the recording's."""
    from .capability import load_policy
    from .tool import canonical
    from .whatif import recorded_settings

    settings = recorded_settings(run)
    tools: dict[str, Tool] = {canonical(tool.name): tool for tool in settings.get("tools", ())}
    for text in texts:
        name, command = pair("--tool", text, "=")
        tool = command_tool(name, command)
        known = tools.get(canonical(name))
        if known is not None:
            tool = type(tool)(known.name, known.description, known.schema, tool.handler)
        tools[canonical(name)] = tool
    capabilities = settings.get("capabilities", [])
    if policy is not None:
        capabilities = load_policy(Path(policy))
    return {"tools": [*tools.values()], "capabilities": capabilities}


def _value(value: Any) -> str:
    if isinstance(value, Exception):
        return f"fails: {value}"
    return json.dumps(value, ensure_ascii=False)


def _changes(run: Replay, found: WhatIf) -> dict[str, list[str]]:
    """The files that came out otherwise than in the recording."""
    from .saved import FilesOf, Left, differences

    with run.at(run._history.lines) as end:
        before = FilesOf(end._machine, Left(0, 0))
    return differences(before, FilesOf(found.sandbox._machine, Left(0, 0)))


def _tell(run: Replay, events: Events, answers: dict[int, Any], found: WhatIf) -> None:
    for event in events.all:
        if event.get("do") in ("resume", "fail") and event["id"] in answers:
            print(f"line {event['n']}, in {events.where(event['n'])}")
            print(f"  recorded  {events.say(event)}")
            print(f"  what if   {shown(_value(answers[event['id']]))}")
    print("\nCalls from there on")
    for call in found.calls:
        print(f"  {call.source:9} {_call(call)}")
    if not found.calls:
        print("  none")
    _tell_results(run, found)
    changes = _changes(run, found)
    for title, what in (
        ("Files that the recording has not", "added"),
        ("Files with other contents than in the recording", "changed"),
        ("Files that only the recording has", "removed"),
    ):
        if changes[what]:
            print(f"\n{title}", *(f"  {shown(path)}" for path in changes[what]), sep="\n")
    if found.stopped is not None:
        print(f"\nStopped: {printable(found.stopped)}")


def _call(call: Asked) -> str:
    params = json.dumps(call.params, ensure_ascii=False)
    return f"call {call.id}, {shown(call.method)}({shown(params)}): {shown(_value(call.answer))}"


def _tell_results(run: Replay, found: WhatIf) -> None:
    """The runs, beside what they gave in the recording."""
    recorded = run.results[found.runs_before :]
    for index, result in enumerate(found.results):
        was = recorded[index] if index < len(recorded) else None
        status = f"status {result.exit_code}"
        if was is not None and was.exit_code != result.exit_code:
            status += f" (recorded: {was.exit_code})"
        print(f"\n{'Then a run' if index else 'The run'} ends with {status}")
        for name in ("stdout", "stderr"):
            text = getattr(result, name)
            if was is not None and getattr(was, name) == text:
                if text:
                    print(f"  {name} as in the recording")
            elif text or was is not None:
                print(f"  {name}:" + ("" if text else " nothing"))
                for line in text.splitlines():
                    print(f"    {printable(line)}")


def _data(run: Replay, found: WhatIf) -> dict[str, Any]:
    def answer_of(call: Asked) -> dict[str, Any]:
        if isinstance(call.answer, Exception):
            return {"error": str(call.answer)}
        return {"answer": call.answer}

    return {
        "calls": [
            {"id": c.id, "method": c.method, "params": c.params, "source": c.source, **answer_of(c)}
            for c in found.calls
        ],
        "results": [
            {"stdout": r.stdout, "stderr": r.stderr, "exit_code": r.exit_code, "value": r.value}
            for r in found.results
        ],
        "files": _changes(run, found),
        "stopped": found.stopped,
    }
