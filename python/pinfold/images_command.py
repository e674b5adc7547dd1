"""``pinfold images``: the images of this build as one file, for versions to come."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from . import _native
from .errors import PinfoldError
from .images import Images, export

_ABOUT = """\
Keeps the images of this build, so that a later version can continue snapshots that were made in
the middle of a run: Sandbox.restore(data, images=FILE, isolation="process"). Snapshots of idle
sandboxes need none: their portable form is for any later version.
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit status: 0, 125 when a file cannot be read or written."""
    parser = argparse.ArgumentParser(
        prog="pinfold images",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, words in (("export", "write them to FILE"), ("show", "say what FILE holds")):
        command = commands.add_parser(name, help=words)
        command.add_argument("file", metavar="FILE")
    given = parser.parse_args(list(arguments))
    try:
        images = export(given.file) if given.command == "export" else Images(given.file)
    except (OSError, PinfoldError) as error:
        print(f"pinfold images: {_native.printable(str(error))}", file=sys.stderr)
        return 125
    print(f"version   {_native.printable(images.version)}")
    print(f"build     {_native.printable(images.build)}")
    print(f"protocol  {images.protocol}")
    print(f"machine   {_native.printable(images.machine)}")
    print(f"sha256    {images.digest}")
    return 0
