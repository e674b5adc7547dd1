"""The sandbox's own parsers, run on a script in a sandbox of their own that has no tools."""

from __future__ import annotations

import json
import shlex
import warnings
from collections.abc import Mapping
from typing import Any

from ..capability import MethodCapability
from ..limits import Limits
from ..sandbox import Sandbox
from ..tool import Tool

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
_LIMITS = Limits(cpu_seconds=_SECONDS, wall_seconds=_SECONDS, output_bytes=_BYTES)
_CALLS = 500  # of tools whose words are read


class TooLarge(Exception):
    """A script that the parsers cannot take apart within their limits."""


class Parsers:
    """Throwaway sandboxes in which scripts are taken apart, each afresh. ``schemas`` are those of the
    tools that scripts will have, by id."""

    def __init__(self, schemas: Mapping[str, Mapping[str, Any]]) -> None:
        self.schemas = schemas
        self._sandbox = Sandbox(limits=_LIMITS)
        self._callers: dict[str, Sandbox] = {}
        self._asked: dict[tuple[str, ...], dict[str, Any] | None] = {}

    def __enter__(self) -> Parsers:
        return self

    def __exit__(self, *exc_info: object) -> None:
        for sandbox in (self._sandbox, *self._callers.values()):
            sandbox.close()

    def arguments(self, tool: str, words: list[str]) -> dict[str, Any] | None:
        """What a call of a tool by these words gets: the shell's own reading of them, from a sandbox in
        which nobody answers. None: not known; the words are refused, or too many were asked about."""
        asked = (tool, *words)
        if asked not in self._asked and len(self._asked) < _CALLS:
            caller = self._callers.get(tool)
            if caller is None:
                caller = self._callers[tool] = self._caller(tool)
            caller.start(shlex.join(["tool", *asked]), isolated=True)
            call = caller.step()
            self._asked[asked] = None if call is None else call.params
            if call is not None:
                call.fail("it was only looked at")
                caller.finish()
        return self._asked.get(asked)

    def _caller(self, tool: str) -> Sandbox:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of names that are commands as well
            made = Tool(tool, schema=self.schemas.get(tool))
            return Sandbox(tools=[made], capabilities=[MethodCapability(tool)], limits=_LIMITS)

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
