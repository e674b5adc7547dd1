"""What a tool cannot be called, because the name means something else to scripts."""

from __future__ import annotations

import os
import sys

from .errors import ToolNameWarning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_PACKAGE = os.path.dirname(__file__)


def warn_of_names(tools: Iterable[tuple[str, str, str, bool, bool]]) -> None:
    """Warns of tools that are reachable by fewer names than others: (name, id, flat name, whether
    that can be used, whether the dotted name can)."""
    for name, id, flat, flat_usable, dotted_usable in tools:
        if not flat_usable:
            why = "is taken, by a command, a global or another tool"
            if not (flat.isascii() and flat.isidentifier()):
                why = "is no name that a command and a function can have"
            # JavaScript asks what is awaited for `then`: the object `tools` has none.
            member = "" if id == "then" else f" and tools[{id!r}]"
            text = (
                f"tool {name!r}: the name {flat} {why}; scripts reach it as `tool {name}`{member}"
            )
        elif not dotted_usable and "/" in id and id.partition("/")[0].isidentifier():
            dotted = id.replace("/", ".")
            text = (
                f"tool {name!r}: {dotted}(...) is not available in JavaScript, where"
                f" {dotted.partition('.')[0]} is taken; scripts reach it as {flat}(...),"
                f" `tool {name}` and tools[{id!r}]"
            )
        else:
            continue
        import warnings

        warnings.warn(text, ToolNameWarning, stacklevel=outside())


def outside() -> int:
    """The stack level, for warn_of_names(), of the code that uses this package."""
    level = 1
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level += 1
        if frame.f_back is None:
            break
        frame = frame.f_back
    return level
