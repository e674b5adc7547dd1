"""One HTML page out of the files beside this one, which are made for being read.

Nothing is fetched by it, and its policy allows no script and no style but those that are in it, by
their hashes. This imports nothing of pinfold: the build runs it for the C program.

usage: join.py FILE    writes the page of `pinfold trace` in C, which has @TRACE@ for the lines
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import sys
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HERE = Path(__file__).parent
#: In this order, as one script: what is defined in one is known in all.
_SCRIPTS = (
    *("text", "trace", "diff", "states", "list", "timeline", "panels", "files"),
    *("branches", "previews", "main"),
)
_STYLES = ("page", "layout", "panels")


def _text(name: str) -> str:
    return (_HERE / name).read_text("utf-8").rstrip("\n")


def _hash(text: str) -> str:
    """Of what stands in an element, with the ends of lines around it."""
    digest = hashlib.sha256(f"\n{text}\n".encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _style() -> str:
    return "\n\n".join(_text(f"{name}.css") for name in _STYLES)


def _script() -> str:
    return "\n\n".join(['"use strict";', *(_text(f"{name}.js") for name in _SCRIPTS)])


def policy(live: bool = False) -> str:
    """The page's Content-Security-Policy. ``live``: it may ask its server."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(_script())}",
            f"style-src {_hash(_style())}",
            "img-src data:",
            *(["connect-src 'self'"] if live else []),
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    )


def page(data: str, live: bool = False) -> str:
    """The page with what it shows: elements that hold `data`."""
    text = _text("page.html")
    for name, part in (("POLICY", policy(live)), ("STYLE", _style()), ("SCRIPT", _script())):
        text = text.replace(f"@{name}@", part, 1)
    return text.replace("@DATA@", data, 1) + "\n"


def as_json(id: str, value: Any) -> str:
    """An element with a value."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{id}">{text}</script>'


def packed(id: str, data: bytes) -> str:
    """An element with much: a tenth of its size."""
    text = base64.b64encode(gzip.compress(data, 6, mtime=0)).decode()
    return f'<script type="text/plain" id="{id}" data-packed="gzip">{text}</script>'


if __name__ == "__main__":
    lines = '<script type="application/x-ndjson" id="trace">\n@TRACE@\n</script>'
    Path(sys.argv[1]).write_text(page(lines), "utf-8")
