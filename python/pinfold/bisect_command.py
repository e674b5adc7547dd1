"""``pinfold bisect FILE --check SCRIPT``: the event of a recording that broke something."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .command_options import Parser, recording, run_command
from .events import Events

if TYPE_CHECKING:
    import argparse

    from .bisecting import Bisected

_ABOUT = """\
Finds the first event of a recording after which a check fails: a shell script that says with its
status whether all is well, such as 'test -s report.csv'. It runs in branches of the recording,
without tools, and what it does there is seen by nobody. Lines are halved, so it runs about log2 of
their number times.

The check has to fail at the end, or at --bad. Where it holds is found by looking at the beginning
and at some hundred lines between; --good names such a line.
"""
_EXIT = """\
Exit status: 0 when the event was found; 1 when there is none, because the check holds at the end or
nowhere; 125 when the recording cannot be replayed.
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit status."""
    parser = Parser("bisect", _ABOUT)
    parser.epilog = _EXIT
    parser.add_argument("-c", "--check", required=True, metavar="SCRIPT", help="what has to hold")
    parser.add_argument("--good", type=int, metavar="LINE", help="a line before which it holds")
    parser.add_argument("--bad", type=int, metavar="LINE", help="one before which it fails")
    parser.recording("file")
    given = parser.parse_args(list(arguments))
    return run_command("bisect", lambda: _bisect(given))


def _bisect(given: argparse.Namespace) -> int:
    with recording(given) as run:
        found = run.bisect(given.check, good=given.good, bad=given.bad)
        events = Events(run._history.opening.trace)
        lines = run._history.lines
    if given.json:
        print(json.dumps(_data(events, found), indent=2))
    elif found.line is None:
        print(f"{found.why} ({found.checks} checks)")
    else:
        print("\n".join(_words(events, found, lines)))
    return 0 if found.line is not None else 1


def _words(events: Events, found: Bisected, lines: int) -> list[str]:
    assert found.line is not None and found.good is not None
    said = []
    if found.good == found.line:
        said.append(f"line {found.line}: {events.say(events.all[found.line])}")
    else:
        said.append(f"lines {found.good} to {found.line}; nothing between can be looked at,")
        said.append("because a program waited in a synchronous call")
    said.append(f"in {events.where(found.line)}")
    for title, near in (
        ("the last answer before it", events.answer_before(found.line - 1)),
        ("what happened next", events.notable_after(found.line)),
    ):
        if near is not None:
            said.append(f"{title}: line {near['n']}: {events.say(near)}")
    said.append(f"({found.checks} checks, {lines} lines)")
    return said


def _data(events: Events, found: Bisected) -> dict[str, Any]:
    data: dict[str, Any] = dict(found._asdict())
    if found.line is not None:
        answer = events.answer_before(found.line)
        data["event"] = events.say(events.all[found.line])
        data["where"] = events.where(found.line)
        data["answer"] = answer and {"line": answer["n"], "id": answer["id"]}
    return data
