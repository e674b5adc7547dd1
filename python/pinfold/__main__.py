"""``python -m pinfold``: the program ``pinfold``, and its commands ``mcp`` and ``check``, which are Python's."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

PROGRAM = Path(__file__).with_name("_program")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command that ``argv`` (default: the process's arguments) names.

    All but ``mcp`` and ``check`` replaces the process by the program that lies in the package. Returns the exit
    status: 125 when that program is missing.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["mcp"]:
        from .mcp_command import main as serve

        status: int = serve(arguments[1:])
        return status
    if arguments[:1] == ["check"]:
        from .analysis.command import main as check

        found: int = check(arguments[1:])
        return found
    sys.stdout.flush()
    try:
        os.execv(PROGRAM, ["pinfold", *arguments])
    except OSError as error:
        print(f"pinfold: {PROGRAM}: {error.strerror}: install pinfold again", file=sys.stderr)
        return 125


if __name__ == "__main__":
    sys.exit(main())
