"""What the commands that are Python's read off their command lines alike."""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import re
import shlex
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from ._native import printable
from .errors import PinfoldError, ToolError
from .limits import DEFAULTS, Limits
from .tool import Tool

if TYPE_CHECKING:
    from .http import Http
    from .replaying import Replay

#: The exit status when `pinfold` itself could not do what was asked.
FAILURE = 125
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def pair(option: str, text: str, separator: str) -> tuple[str, str]:
    """Both sides of ``NAME=VALUE``."""
    name, found, value = text.partition(separator)
    if not found or not name:
        raise ValueError(f"{option} {text}: expected NAME{separator}VALUE")
    return name, value


def limit(text: str) -> tuple[str, float | int | None]:
    """``NAME=VALUE`` of a limit, as `pinfold run --limit` takes it."""
    name, _, value = text.partition("=")
    if name not in DEFAULTS:
        raise ValueError(f"--limit {text}: there is no limit of that name")
    try:
        if value == "none":
            return name, None
        if name.endswith("_seconds"):
            return name, float(value)
        unit = _UNITS.get(value[-1:])
        return name, int(value[:-1]) * unit if unit else int(value)
    except ValueError:
        raise ValueError(f"--limit {text}: not a number") from None


def command_tool(name: str, command: str, option: str = "--tool") -> Tool:
    """A tool that is a program of the host: it is run without a shell, gets the arguments as JSON on
    its standard input and prints the result."""
    words = shlex.split(command)
    if not words:
        raise ValueError(f"{option} {name}: {command!r} is no command")

    async def handler(**params: Any) -> Any:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, stderr=pipe)
        try:
            out, err = await process.communicate(json.dumps(params).encode())
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            raise
        text = out.decode("utf-8", "replace").strip()
        if process.returncode:
            why = err.decode("utf-8", "replace").strip() or text
            raise ToolError(why or f"{words[0]} ended with status {process.returncode}")
        try:
            return json.loads(text) if text else None
        except ValueError:
            return text

    return Tool(name, command, None, handler)


def declare_simulated(tools: Iterable[Tool], pure: list[str], simulate: list[str]) -> None:
    """What ``--pure NAME`` and ``--simulate NAME=COMMAND`` say of the tools of ``--tool``."""
    named = {tool.name: tool for tool in tools}
    simulated = dict(pair("--simulate", text, "=") for text in simulate)
    for option, names in (("--pure", pure), ("--simulate", simulated)):
        for name in names:
            if name not in named:
                raise ValueError(f"{option} {name}: there is no --tool of that name")
    for name in pure:
        named[name].pure = True
    for name, command in simulated.items():
        named[name].simulate = command_tool(name, command, "--simulate").handler


# ------------------------------------------------------------------ commands about recordings


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes end the program as `pinfold`'s own do."""

    def __init__(self, name: str, about: str) -> None:
        super().__init__(
            prog=f"pinfold {name}",
            description=about,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see {self.prog} --help", file=sys.stderr)
        raise SystemExit(FAILURE)

    def several(self, *names: str, metavar: str, help: str) -> None:
        """An option that may be there more than once."""
        self.add_argument(*names, action="append", default=[], metavar=metavar, help=help)

    def recording(self, *names: str, json: bool = True) -> None:
        """What is said of recordings that are replayed."""
        add = self.add_argument
        for name in names:
            add(name, metavar="FILE", help="what `pinfold run --record FILE` recorded")
        self.several(
            "--result",
            metavar="ID=JSON",
            help="the result of a call that was left out by --redact",
        )
        self.several(
            "--limit",
            metavar="NAME=VALUE",
            help="what the recording's limits may be at most, as for pinfold replay",
        )
        self.common(json)

    def common(self, json: bool = True) -> None:
        """What is said of all recordings."""
        add = self.add_argument
        add("--partial", action="store_true", help="accept a recording whose program was killed")
        add(
            "--max-seconds",
            metavar="N",
            type=_seconds,
            help="give up after this time; none: never",
        )
        if json:
            add("--json", action="store_true", help="print one JSON object")


def _seconds(text: str) -> float:
    return math.inf if text == "none" else float(text)


def byte_count(text: str) -> float:
    """``1000``, ``256M`` or ``none``."""
    if text == "none":
        return math.inf
    unit = _UNITS.get(text[-1:])
    return int(text[:-1]) * unit if unit else int(text)


def recording(given: argparse.Namespace) -> Replay:
    """The recording that a command line names, before its first act."""
    from .replaying import beginning

    results = dict(answer("--result", text) for text in given.result)
    limits = None
    if given.limit:
        named: dict[str, Any] = {"cpu_seconds": None, "wall_seconds": None}
        limits = Limits(**named | dict(map(limit, given.limit)))
    return beginning(
        given.file,
        results=results or None,
        partial=given.partial,
        limits=limits,
        max_seconds=given.max_seconds,
    )


def answer(option: str, text: str) -> tuple[int, Any]:
    """``ID=JSON``."""
    id, value = pair(option, text, "=")
    if not id.isascii() or not id.isdigit():
        raise ValueError(f"{option} {text}: expected ID=JSON with the number of a call")
    try:
        return int(id), json.loads(value)
    except ValueError as error:
        raise ValueError(
            f"{option} {text}: what stands behind the = is not JSON ({error}); a text has quotes:"
            f" {option} {id}='{json.dumps(value)}'"
        ) from None


def run_command(name: str, work: Callable[[], int]) -> int:
    """A command's exit status: 125, with its message, when it could not do what was asked."""
    try:
        return work()
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        text = f"{where}{error.strerror or error}"
    except (ValueError, TypeError, PinfoldError) as error:
        text = str(error)
    # Messages of the library have several lines when they show two sides; each is printable.
    said = "\n".join(printable(line) for line in text.splitlines())
    print(f"pinfold {name}: {said}", file=sys.stderr)
    return FAILURE


def http_tool(rules: list[str], secrets: list[str]) -> Http:
    """The requests that scripts may make, as `pinfold run --http --secret` takes them."""
    from .http import Http, Secret

    made = {}
    for text in secrets:
        name, place = pair("--secret", text, "=")
        found = re.fullmatch(r"env:([^@]+)@([^#]+)(?:#(.+))?", place)
        if found is None:
            form = "NAME=env:VARIABLE@HOST[,HOST]...[#HEADER[,HEADER]...]"
            raise ValueError(f"--secret {name}: expected {form}")
        headers = (found[3] or "Authorization").split(",")
        made[name] = Secret(env=found[1], hosts=found[2].split(","), headers=headers)
    return Http(rules, secrets=made)


def guest_file(text: str, option: str = "--file") -> tuple[str, str]:
    """The guest's path is absolute; a colon inside the host's path is no separator."""
    host, found, guest = text.rpartition(":/")
    if not found or not host:
        raise ValueError(f"{option} {text}: expected HOST:GUEST with an absolute GUEST")
    return host, f"/{guest}"


def mount_of(text: str) -> tuple[str, Any]:
    rest, mode = text, "ro"
    before, _, last = text.rpartition(":")
    if before and "/" not in last:
        rest, mode = before, last
    if mode not in ("ro", "copy"):
        raise ValueError(f"--mount {text}: {mode!r} is no mode: ro or copy")
    host, guest = guest_file(rest, "--mount")
    return guest, (host, "copy") if mode == "copy" else host
