"""``pinfold trace FILE``: a recording as one HTML page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _native
from ..command_options import Parser, recording, run_command
from ..errors import PinfoldError, SnapshotError, TraceError
from .looking import kept_files, no_files
from .writing import events_of, written

if TYPE_CHECKING:
    import argparse

_ABOUT = """\
Turns what `pinfold run --record FILE` recorded into one HTML page, which needs nothing but
itself: every event, and processes, calls, output and files as they were then. For the files the
recording is run again. `pinfold debug` serves the same page with a sandbox behind it.
"""
_EXIT = """\
Exit status: 0; 125 when FILE is no trace or the page cannot be written.
"""
#: Seconds that running it again may take, unless somebody says more.
_SECONDS = 60.0


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit status."""
    parser = Parser("trace", _ABOUT)
    parser.epilog = _EXIT
    add = parser.add_argument
    add("-o", "--output", metavar="HTML", help="where to (FILE.html); - is standard output")
    add("--no-files", action="store_true", help="do not run it again; the page has no files")
    parser.recording("file", json=False)
    given = parser.parse_args(list(arguments))
    if given.max_seconds is None:
        given.max_seconds = _SECONDS
    given.partial = True  # what there is of it is shown
    return run_command("trace", lambda: _write(given))


def read(path: str) -> bytes:
    """A recording, whoever's build made it; `TraceError`: it is none."""
    trace = Path(path).read_bytes()
    try:
        _native.trace_check(trace, True)
    except SnapshotError as error:
        raise TraceError(f"{path}: {error}") from None
    return trace


def _write(given: argparse.Namespace) -> int:
    trace = read(given.file)
    text = written(trace, Path(given.file).name, _files(given, trace))
    if given.output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return 0
    output = given.output or f"{given.file}.html"
    Path(output).write_text(text, "utf-8")
    print(_native.printable(output), file=sys.stderr)
    return 0


def _files(given: argparse.Namespace, trace: bytes) -> dict[str, Any]:
    why = "it was made with --no-files"
    if not given.no_files:
        try:
            with recording(given) as run:
                return kept_files(run, events_of(trace))
        except PinfoldError as error:
            why = _native.printable(str(error).splitlines()[0])
            print(f"pinfold trace: the page has no files: {why}", file=sys.stderr)
    return no_files(why)
