"""A look at a script before it runs: `analyze`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .facts import UNKNOWN, Analysis, Command, FileUse, ToolUse, Unknown

if TYPE_CHECKING:
    from ..tool import Handler, Tool

__all__ = ["UNKNOWN", "Analysis", "Command", "FileUse", "ToolUse", "Unknown", "analyze"]

_LANGUAGES = {
    "shell": "shell", "bash": "shell", "sh": "shell",
    "javascript": "javascript", "js": "javascript", "node": "javascript",
    "typescript": "javascript", "ts": "javascript",
    "python": "python", "py": "python", "python3": "python",
}  # fmt: skip


def analyze(
    code: str, language: str = "shell", *, tools: Iterable[Tool | Handler | str] | None = None
) -> Analysis:
    """What a script names, without running it: commands and tools with the arguments that are
    written out, files that it redirects to, and what can be known only when it runs.

    ``tools`` are the tools that the script will have, or their names: then a command of such a name
    is a call of the tool, and its arguments have the tool's types. The script is parsed by the
    shell, JavaScript and Python of a sandbox of its own, in which nothing is granted.

    When the answer is ``complete``, a run in a fresh shell of a sandbox starts nothing and calls
    nothing else. What stands in branches that a run may not come to counts. What an earlier run
    left in the session (functions, aliases, variables) is not looked at.

    >>> found = analyze("cat notes.txt | mail --to ada > sent.json", tools=["mail"])
    >>> [use.name for use in found.tools], [file.path for file in found.files], found.complete
    (['mail'], ['sent.json'], True)
    >>> print(analyze("$EDITOR notes.txt").sentence)
    Runs nothing that it names. Not known before it runs: which command $EDITOR is (line 1).
    """
    from .trees import Parsers, TooLarge

    if not isinstance(code, str):
        raise TypeError(f"code is str, not {type(code).__name__}")
    if language not in _LANGUAGES:
        raise ValueError(
            f"there is no language {language!r}: shell, javascript, typescript or python"
        )
    analysis = Analysis(language)
    names, schemas = _named(tools)
    with Parsers(schemas) as parsers:
        from .shell import Look

        look = Look(analysis, parsers, names)
        try:
            _look(look, code, _LANGUAGES[language])
            look.finish()
        except (TooLarge, RecursionError):
            analysis.unknown.append(
                Unknown("a script that is too large or too deep to be looked at", 1)
            )
    return analysis


def _look(look: Any, code: str, language: str) -> None:
    if language == "shell":
        look.text(code)
    elif language == "javascript":
        from .javascript import look_at

        look_at(look, code, 1)
    else:
        from .python import look_at

        look_at(look, code, 1)


def _named(
    tools: Iterable[Tool | Handler | str] | None,
) -> tuple[dict[str, str], dict[str, Mapping[str, Any]]]:
    """The names that call a tool, with its id; and the schemas, by id."""
    from ..tool import as_tools
    from .calls import canonical

    names: dict[str, str] = {}
    schemas: dict[str, Mapping[str, Any]] = {}
    for tool in tools or ():
        made = None if isinstance(tool, str) else as_tools([tool])[0]
        name = tool if isinstance(tool, str) else made.name  # type: ignore[union-attr]
        id = canonical(name)
        if made is not None and made.schema is not None:
            schemas[id] = made.schema
        for spelling in (name, id, id.replace("/", "."), id.replace("/", "_")):
            names[spelling] = id
    return names, schemas
