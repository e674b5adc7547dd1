"""``pinfold check FILE``: what a script names, on the command line."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import PinfoldError
from . import UNKNOWN, ToolUse, analyze

if TYPE_CHECKING:
    from ..sandbox import Sandbox

_ENDINGS = {".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".ts": "typescript",
            ".mts": "typescript", ".py": "python"}  # fmt: skip
_ABOUT = """\
Says which commands, tools and files a script names, and what can be known only when it runs.
Nothing of it is run. Exit status: 0 when everything is known, arguments included (and, with --policy, every call that
it names would pass); 1 when not; 125 when the script cannot be read.
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit status."""
    parser = argparse.ArgumentParser(
        prog="pinfold check",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="the script; - is standard input")
    parser.add_argument("-l", "--language", help="by default that of the file's name, or shell")
    parser.add_argument(
        "-t", "--tool", action="append", default=[], metavar="NAME", help="a tool that it will have"
    )
    parser.add_argument("-p", "--policy", metavar="FILE", help="say which calls it would let pass")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    given = parser.parse_args(list(arguments))
    try:
        code = sys.stdin.read() if given.file == "-" else _read(given.file)
        sandbox = None if given.policy is None else _judge(given.policy)
        ending = "." + given.file.rpartition(".")[2]
        language = given.language or _ENDINGS.get(ending, "shell")
        found = analyze(code, language, tools=given.tool)
    except (OSError, ValueError, PinfoldError) as error:
        print(f"pinfold check: {_words(error)}", file=sys.stderr)
        return 125
    judged = [] if sandbox is None else [(use, _verdict(sandbox, use)) for use in found.tools]
    if given.json:
        data = found.to_json()
        if sandbox is not None:
            data["calls"] = [
                {"tool": use.name, "line": use.line, "refused": why} for use, why in judged
            ]
        print(json.dumps(data, indent=2))
    else:
        print(found.sentence)
        for use, why in judged:
            print(f"line {use.line}: {use.name}: {why or 'would pass'}")
    return 0 if found.literal and not any(why for _, why in judged) else 1


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def _words(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _judge(path: str) -> Sandbox:
    from ..capability import load_policy
    from ..sandbox import Sandbox

    return Sandbox(capabilities=load_policy(_read(path)), tool_handler=lambda method, params: None)


def _verdict(sandbox: Sandbox, use: ToolUse) -> str | None:
    """Why a call would not pass; arguments that are not known cannot be judged."""
    arguments = use.arguments
    if arguments is None or any(value is UNKNOWN for value in arguments.values()):
        return "not known before it runs"
    return sandbox.why_not(use.name, arguments)
