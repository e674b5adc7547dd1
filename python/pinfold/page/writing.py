"""The page with a recording in it."""

from __future__ import annotations

import json
import re

from .join import as_json, packed, page
from .looking import kept_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..events import Event
    from ..replaying import Replay


def events_of(trace: bytes) -> list[Event]:
    """The lines of a trace, parsed."""
    return [json.loads(line) for line in trace.splitlines()]


def data_of(trace: bytes, name: str, **settings: Any) -> list[str]:
    """The elements that every page has: the settings, and the lines without their sums."""
    lines = re.sub(rb',"sum":"[0-9a-f]*"\}(?=\n|\Z)', b"}", trace).split(b"\n")
    head = json.loads(lines[0])
    for member in ("snapshot", "snapshot_base64"):
        if member in head:
            head[member] = f"({len(head[member])} characters)"
    lines[0] = json.dumps(head, separators=(",", ":")).encode()
    return [as_json("settings", {"name": name, **settings}), packed("trace", b"\n".join(lines))]


def written(trace: bytes, name: str, files: dict[str, Any]) -> str:
    """A page that stands alone, with these files (`kept_files`)."""
    element = packed("files", json.dumps(files, separators=(",", ":")).encode())
    return page("\n".join([*data_of(trace, name), element]))


def page_of(run: Replay, name: str) -> str:
    """The same of a replay."""
    trace = run._history.opening.trace
    return written(trace, name, kept_files(run, events_of(trace)))
