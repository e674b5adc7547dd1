"""The sandbox's own parsers, run on a script in a sandbox of their own that has no tools."""

from __future__ import annotations

import json
from typing import Any

from ..limits import Limits
from ..sandbox import Sandbox

#: Python's own parser, as JSON: {"_": class, fields}.
_PYTHON = """\
import ast, json, sys
def plain(node):
    if isinstance(node, ast.AST):
        found = {"_": type(node).__name__, "line": getattr(node, "lineno", 0)}
        found.update((name, plain(value)) for name, value in ast.iter_fields(node))
        return found
    if isinstance(node, list):
        return [plain(each) for each in node]
    if isinstance(node, (str, bool, int, type(None))):
        return node
    return {"_": "Other", "line": 0}
flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
with open("/workspace/script") as script:
    text = script.read()
try:
    tree = plain(compile(text, "<cell>", "exec", flags))
except (SyntaxError, ValueError) as error:
    tree = {"_": "Error", "message": str(error), "line": getattr(error, "lineno", 0) or 0}
json.dump(tree, sys.stdout)
"""
_COMMANDS = {
    "shell": "bash --dump-tree < /workspace/script",
    "javascript": "js --dump-tree < /workspace/script",
    "python": "python3 /workspace/parser",
}
_SECONDS = 10
_BYTES = 64 << 20  # of a tree


class TooLarge(Exception):
    """A script that the parsers cannot take apart within their limits."""


class Parsers:
    """Throwaway sandboxes in which scripts are taken apart, each afresh."""

    def __init__(self) -> None:
        self._sandbox = Sandbox(
            limits=Limits(cpu_seconds=_SECONDS, wall_seconds=_SECONDS, output_bytes=_BYTES)
        )

    def __enter__(self) -> Parsers:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._sandbox.close()

    def tree(self, code: str, language: str) -> Any:
        """What the parser of this language makes of a script."""
        self._sandbox.files["/workspace/script"] = code.encode("utf-8", "surrogateescape")
        if language == "python":
            self._sandbox.files["/workspace/parser"] = _PYTHON
        result = self._sandbox.run(_COMMANDS[language], isolated=True)
        text = result.stdout_bytes.decode("utf-8", "surrogateescape")
        if not result.ok or result.truncated:
            raise TooLarge("the script is too large or too deep to be looked at")
        try:
            return json.loads(text)
        except RecursionError:
            raise TooLarge("the script is nested too deeply to be looked at") from None

    def sed_is_plain(self, scripts: list[str]) -> bool:
        """Does sed find no command in its scripts that runs, reads or writes anything?"""
        options = [word for script in scripts for word in ("-e", script)]
        self._sandbox.files["/workspace/words"] = b"".join(
            word.encode("utf-8", "surrogateescape") + b"\0"
            for word in ["--sandbox", "-n", *options]
        )
        asked = "xargs -0 sed < /workspace/words 2>&1"
        if not self._sandbox.run(asked, isolated=True).ok:
            return False
        self._sandbox.files["/workspace/words"] += b"-E\0"
        return self._sandbox.run(asked, isolated=True).ok
