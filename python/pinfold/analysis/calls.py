"""Calls of tools that commands make, with the arguments that are written out."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from typing import Any

from .facts import UNKNOWN, ToolUse
from .shell import Look
from .words import Arg, Tree


def tool_command(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    """The command ``tool NAME …``."""
    rest = args[1:]
    if not rest or rest[0].value in ("--list", "--search", "--help", "-h"):
        return None
    name = rest[0].value
    if name is None:
        return look.unknown(f"which tool {rest[0].text} is", line)
    return called(look, look.tools.get(name, canonical(name)), rest[1:], line, node)


def canonical(name: str) -> str:
    """A tool by its id, however it is written."""
    return name.removeprefix("mcp:").replace(".", "/")


def called(look: Look, name: str, args: list[Arg], line: int, node: Tree | None) -> None:
    """A tool by name, with the words of its command."""
    if any(arg.value in ("--help", "-h") for arg in args):
        return
    words = [arg.value for arg in args]
    if not words:
        arguments = _from_stdin(node)
    elif all(word is not None for word in words):
        arguments = look.parsers.arguments(name, [word or "" for word in words])
    else:
        arguments = _typed(_arguments(args), look.parsers.schemas.get(name) or {})
    look.found.tools.append(ToolUse(name, arguments, look.at(line)))


def _from_stdin(node: Tree | None) -> dict[str, Any] | None:
    from .programs import stdin_of

    redirected = [
        r for r in (node or {}).get("redirs", ()) if r["op"] in ("<", "<<", "<<<", "<&", "<>")
    ]
    if not redirected:
        return None  # what a pipe brings, or nothing
    return _object(stdin_of(node))


def _object(text: str | None) -> dict[str, Any] | None:
    try:
        value = json.loads(text or "null")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _typed(arguments: dict[str, Any] | None, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Texts become what the tool's schema says, beside arguments that are not known."""
    properties = schema.get("properties", {})
    for name, value in (arguments or {}).items():
        kind = properties.get(name, {}).get("type")
        if isinstance(value, str) and kind in ("integer", "number", "boolean", "array", "object"):
            with contextlib.suppress(ValueError, RecursionError):
                assert arguments is not None
                arguments[name] = json.loads(value)
    return arguments


def _arguments(args: list[Arg]) -> dict[str, Any] | None:
    """Options as parameters, of which some are not known; the known ones as texts."""
    found: dict[str, Any] = {}
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        match = re.match(
            r"--([^=]+?)(?:=(.*))?\Z", arg.value if arg.value is not None else arg.prefix, re.DOTALL
        )
        if not match or arg.many or (arg.value is None and match[2] is None):
            return None
        name, value = match[1], match[2] if arg.value is not None else UNKNOWN
        if name == "raw":
            continue
        if value is None:
            following = rest[0] if rest else None
            if following is None or (following.value or "").startswith("--"):
                value = True
            else:
                rest.pop(0)
                if following.many:
                    return None
                value = UNKNOWN if following.value is None else following.value
        if name == "json":
            given = _object(value if isinstance(value, str) else None)
            if given is None:
                return None
            found.update(given)
        elif name in found:
            before = found[name] if isinstance(found[name], list) else [found[name]]
            found[name] = [*before, value]
        else:
            found[name] = value
    return found


def requests(look: Look, args: list[Arg], line: int) -> None:
    """curl and wget: calls of the tool http/request."""
    urls = [arg.value for arg in args[1:] if re.match(r"https?://", arg.value or "")]
    if not urls or any(arg.value is None for arg in args[1:]):
        look.found.tools.append(ToolUse("http/request", None, look.at(line)))
        return
    for url in urls:
        look.found.tools.append(ToolUse("http/request", {"url": url}, look.at(line)))
