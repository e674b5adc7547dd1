"""What is known of a script that was not run: plain data, and a sentence for who is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Command:
    """A program or builtin that a script names."""

    #: As it is written.
    name: str
    #: What it is given; None stands for an argument that is known only when it runs.
    arguments: tuple[str | None, ...]
    line: int
    #: The arguments that are known only when it runs, as they are written; ``…`` stands for what
    #: it is given from elsewhere, as by ``xargs``.
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class ToolUse:
    """A call of a tool that a script names."""

    name: str
    #: By name; a value that is known only when it runs is `UNKNOWN`. None: not even the names are
    #: known.
    arguments: dict[str, Any] | None
    line: int


@dataclass(frozen=True)
class FileUse:
    """A file that a redirection, or a program's own call, opens."""

    #: None: known only when it runs.
    path: str | None
    #: "read", "write", "append" or "read and write".
    mode: str
    line: int


@dataclass(frozen=True)
class Unknown:
    """Something that only a run can tell."""

    what: str
    line: int


class _UnknownValue:
    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        return False


#: In place of a value that is known only when it runs.
UNKNOWN: Any = _UnknownValue()


@dataclass
class Analysis:
    """What a script names, before it runs. When `complete`, a run of it in a fresh shell starts no
    command and calls no tool beyond these, and redirects to no other file; otherwise `unknown`
    says what stands in the way of knowing. What commands and tools are given may still be known only
    to the run: see `literal`."""

    language: str
    commands: list[Command] = field(default_factory=list)
    tools: list[ToolUse] = field(default_factory=list)
    files: list[FileUse] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Is everything known?"""
        return not self.unknown

    @property
    def literal(self) -> bool:
        """Is every argument of every command and tool written out as well? Of ``rm -rf $x`` it is
        complete that rm runs, and not literal what it removes."""
        known = not any(each.unknown for each in self.commands)
        calls = [use.arguments for use in self.tools]
        return self.complete and known and None not in calls and not any(map(_open, calls))

    @property
    def sentence(self) -> str:
        """What the script does, for a person who is asked to allow it.

        >>> from pinfold import analyze
        >>> analyze("sort names.txt > out.txt; tool pay --amount 5").sentence
        'Runs sort; calls pay(amount=5); writes out.txt.'
        """
        parts = [
            _listed("runs ", [command.name for command in self.commands if command.name != "tool"]),
            _listed("calls ", [_call(use) for use in self.tools]),
            *(_listed(verb, self._paths(mode)) for mode, verb in _VERBS.items()),
        ]
        text = "; ".join(part for part in parts if part) or "runs nothing that it names"
        text = text[0].upper() + text[1:] + "."
        given = [f"{' '.join(each.unknown)} of {each.name} (line {each.line})"
                 for each in self.commands if each.unknown]  # fmt: skip
        if given:
            text += f" Arguments that only the run knows: {_listed('', given)}."
        if self.unknown:
            reasons = _listed("", [f"{each.what} (line {each.line})" for each in self.unknown])
            text += f" Not known before it runs: {reasons}."
        return text

    def _paths(self, mode: str) -> list[str]:
        return [use.path or "a file" for use in self.files if use.mode == mode]

    def to_json(self) -> dict[str, Any]:
        """The same as plain data for JSON; an unknown value is ``{"unknown": true}``."""
        uses = [
            {"name": use.name, "arguments": _plain(use.arguments), "line": use.line}
            for use in self.tools
        ]
        return {
            "language": self.language,
            "complete": self.complete,
            "literal": self.literal,
            "sentence": self.sentence,
            "commands": [
                {**vars(each), "arguments": list(each.arguments), "unknown": list(each.unknown)}
                for each in self.commands
            ],
            "tools": uses,
            "files": [vars(each) for each in self.files],
            "unknown": [vars(each) for each in self.unknown],
        }


_VERBS = {
    "read": "reads ",
    "write": "writes ",
    "append": "appends to ",
    "read and write": "reads and writes ",
}
_LONGEST = 100  # characters of one thing in a sentence
_MOST = 12  # things of one kind in a sentence


def _listed(verb: str, things: list[str]) -> str:
    """Each thing once, on one line; "" without any."""
    shown = list(dict.fromkeys(_short(thing) for thing in things))
    more = len(shown) - _MOST
    if more > 0:
        shown = [*shown[:_MOST], f"{more} more"]
    if not shown:
        return ""
    last = shown.pop()
    return verb + (f"{', '.join(shown)} and {last}" if shown else last)


def _short(text: str) -> str:
    """Characters that could forge a line of a prompt are shown as what they are."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _call(use: ToolUse) -> str:
    if use.arguments is None:
        return f"{use.name}(…)"
    return f"{use.name}({', '.join(f'{k}={_value(v)}' for k, v in use.arguments.items())})"


def _open(value: Any) -> bool:
    """Is an argument, or part of one, known only when it runs?"""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is UNKNOWN or any(map(_open, inside))


def _value(value: Any) -> str:
    if value is UNKNOWN:
        return "…"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_value(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    from json import dumps

    return dumps(value, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if value is UNKNOWN:
        return {"unknown": True}
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return list(map(_plain, value)) if isinstance(value, list) else value
