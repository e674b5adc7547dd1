"""``python -m pinfold``: the program ``pinfold``, and those of its commands that are Python's."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

PROGRAM = Path(__file__).with_name("_program")
#: Commands that are Python's, and the modules whose ``main(arguments)`` they are. launcher.c and cli/main.c
#: have their names, too.
COMMANDS = {
    "mcp": "mcp_command",
    "check": "analysis.command",
    "images": "images_command",
    "trace": "page.trace_command",
    "what-if": "whatif_command",
    "bisect": "bisect_command",
    "diff": "diff_command",
    "debug": "page.debug_command",
    "serve": "service.command",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command that ``argv`` (default: the process's arguments) names.

    All that is not Python's replaces the process by the program that lies in the package. Returns
    the exit status: 125 when that program is missing.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in COMMANDS:
        from importlib import import_module

        module = import_module(f".{COMMANDS[arguments[0]]}", __package__)
        status: int = module.main(arguments[1:])
        return status
    sys.stdout.flush()
    try:
        os.execv(PROGRAM, ["pinfold", *arguments])
    except OSError as error:
        print(f"pinfold: {PROGRAM}: {error.strerror}: install pinfold again", file=sys.stderr)
        return 125


if __name__ == "__main__":
    sys.exit(main())
