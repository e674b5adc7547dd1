"""``pinfold debug FILE``: the page of a recording, with a live sandbox behind it."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _native
from ..choices import NotKnown, key_of
from ..command_options import Parser, declare_simulated, recording, run_command
from ..tool import canonical
from ..whatif import Recorded, recorded_settings
from ..whatif_command import live_settings
from .join import page, policy
from .serving import Server
from .session import Session
from .trace_command import read
from .writing import data_of, events_of

if TYPE_CHECKING:
    import argparse

    from ..replaying import Replay

_ABOUT = """\
Serves a page on this machine in which one moves about in a recording: processes, files and output
at any event, branches that go on from there live, and previews of answers to calls that wait. The
address that it prints has a random part: whoever has it can use the branches. Ctrl-C ends it.

A call of a branch waits for an answer that is typed, or the recorded one. Programs of the host are
run only for --tool, when it is said of a call.
"""
_EXIT = """\
Tools and policy are as for pinfold run, but that without --policy the recording's own holds.

Exit status: 0 after Ctrl-C; 125 when the recording cannot be replayed or the port is taken.
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit status."""
    parser = Parser("debug", _ABOUT)
    parser.epilog = _EXIT
    add, several = parser.add_argument, parser.several
    add("--port", type=_port, default=0, metavar="N", help="the port on 127.0.0.1; else a free one")
    add("--open", action="store_true", help="open it in a browser")
    add("--line", type=int, metavar="N", help="begin at this line of the recording")
    several("-t", "--tool", metavar="NAME=COMMAND", help="a tool that branches may call")
    several("--pure", metavar="NAME", help="a --tool that changes nothing: a preview may call it")
    several("--simulate", metavar="NAME=COMMAND", help="what previews ask instead of a --tool")
    add("-p", "--policy", metavar="FILE", help="what branches may call, as for pinfold run")
    parser.recording("file", json=False)
    given = parser.parse_args(list(arguments))
    return run_command("debug", lambda: _debug(given))


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port < 65536:
        raise ValueError(text)
    return port


def _debug(given: argparse.Namespace) -> int:
    trace = read(given.file)
    events = events_of(trace)
    line = len(events) - 1 if given.line is None else given.line
    if not 0 <= line < len(events):
        raise ValueError(f"--line: the trace has the lines 0 to {len(events) - 1}, not {line}")
    _tell(f"running {_native.printable(given.file)} again")
    with recording(given) as run:
        session = Session(run, events, _settings(given, run))
        text = page(
            "\n".join(data_of(trace, Path(given.file).name, live=True, line=line)), live=True
        )
        try:
            _serve(Server(given.port, text, policy(live=True), session), given.open)
        finally:
            session.close()
    return 0


def _tell(text: str) -> None:
    """To a person at a terminal."""
    if sys.stderr.isatty():
        print(f"pinfold debug: {text}", file=sys.stderr, flush=True)


def _serve(server: Server, open_it: bool) -> None:
    def end(*_: object) -> None:
        raise KeyboardInterrupt

    with server:
        before = signal.signal(signal.SIGTERM, end)
        print(server.url, flush=True)
        _tell("open this address in a browser; Ctrl-C ends it")
        if open_it:
            import webbrowser

            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass
        finally:
            signal.signal(signal.SIGTERM, before)


def _settings(given: argparse.Namespace, run: Replay) -> dict[str, Any]:
    """What branches are made with."""
    settings = {**recorded_settings(run), "limits": run._history.opening.limits}
    settings.update(live_settings(run, given.tool, given.policy))
    tools = settings["tools"]
    declare_simulated(
        [tool for tool in tools if tool.handler is not None], given.pure, given.simulate
    )
    simulated = _from_recording(run)
    for tool in tools:
        if tool.simulate is None:
            tool.simulate = simulated(canonical(tool.name))
    return settings


def _from_recording(run: Replay) -> Callable[[str], Callable[..., Any]]:
    """Functions that give what the recording has for calls with the same arguments."""
    known = {
        (method, key_of(json.loads(params))): answers[-1].value
        for (method, params), answers in Recorded(run._history.opening).answers(0).items()
    }

    def of(method: str) -> Callable[..., Any]:
        def simulate(**params: Any) -> Any:
            if (method, key_of(params)) not in known:
                raise NotKnown(f"the recording has no answer to {method} with these arguments")
            value = known[method, key_of(params)]
            if isinstance(value, Exception):
                raise value
            return value

        return simulate

    return of
