"""``pinfold mcp``: what the Python package brings as a command. Scripts are run by the program
``pinfold`` that the C library comes with."""

from __future__ import annotations

import sys
from collections.abc import Sequence

USAGE = """\
usage: pinfold mcp [--http] [--port PORT] [--limit NAME=VALUE] [--isolation process] [--audit FILE]
       pinfold --version

mcp serves a sandbox to any MCP client; `pinfold mcp --help` has the details."""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["mcp"]:
        from .mcp_server import main as serve

        return serve(arguments[1:])
    if arguments == ["--version"]:
        from . import __version__

        print(f"pinfold {__version__}")
        return 0
    if arguments in (["--help"], ["-h"]):
        print(USAGE)
        return 0
    print(USAGE, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
