"""``pinfold diff A B``: where two recordings part, and what followed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .command_options import Parser, byte_count, run_command

if TYPE_CHECKING:
    import argparse

_ABOUT = """\
Says where two recordings part and what followed: calls, output, status and files. Times and the order
in which processes took turns are not compared. Recordings of any build can be compared; their files
only by the build that recorded them, since both are replayed for that.
"""
_EXIT = """\
Exit status: 0 when both went the same way; 1 when not; 125 when one of them cannot be read.
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit status."""
    parser = Parser("diff", _ABOUT)
    parser.epilog = _EXIT
    parser.add_argument("a", metavar="A", help="what `pinfold run --record` recorded")
    parser.add_argument("b", metavar="B", help="another one")
    parser.add_argument("--no-files", action="store_true", help="compare no files: replay nothing")
    parser.common()
    parser.add_argument(
        "--max-bytes",
        metavar="N",
        type=byte_count,
        help="the most that one of them may be (256M); none: any",
    )
    given = parser.parse_args(list(arguments))
    return run_command("diff", lambda: _diff(given))


def _diff(given: argparse.Namespace) -> int:
    from .tracediff import as_text, compare_traces

    found = compare_traces(
        given.a,
        given.b,
        files=not given.no_files,
        partial=given.partial,
        max_bytes=given.max_bytes,
        max_seconds=given.max_seconds,
    )
    if given.json:
        print(json.dumps(found.to_json(), indent=2))
    else:
        print(as_text(found, (given.a, given.b)))
    return 0 if found.alike else 1
