"""Addresses of servers: what a lease says of one, and which the operator has named."""

from __future__ import annotations

import contextlib
import re
from typing import Any
from urllib.parse import urlsplit


def place_of(holder: str) -> str:
    """The address that a lease's text begins with; nothing: there is none in it."""
    first = holder.split(" ")[0]
    with contextlib.suppress(ValueError):
        parts = urlsplit(first)
        if parts.scheme in ("http", "https") and parts.hostname and not parts.username:
            return first
    return ""


def known(place: str, patterns: tuple[str, ...]) -> bool:
    """Is it one of these?"""
    return any(re.fullmatch(_regex(pattern), place) for pattern in patterns)


def _regex(pattern: str) -> str:
    """A star is a part of a name, up to the next dot."""
    return "[A-Za-z0-9_-]+".join(map(re.escape, pattern.split("*")))


def checked(value: Any) -> tuple[str, ...]:
    """What the configuration says of them: ``["http://10.0.0.*:8080"]``."""
    if not isinstance(value, list):
        raise ValueError("server: peers is a list of URLs, in which * is a part of a host's name")
    for pattern in value:
        parts = urlsplit(pattern) if isinstance(pattern, str) else urlsplit("")
        bare = parts.netloc.strip("*.:") and not (parts.path or parts.query or parts.fragment)
        if parts.scheme not in ("http", "https") or not bare or "@" in parts.netloc:
            raise ValueError(
                f"server: peers: {pattern!r} is no http or https URL of a host, without a path"
            )
    return tuple(value)
