"""Words of the shell: what they stand for before they are expanded, and what is in variables.

A word is static when its text is known. Of others it matters whether they stay one word (quoted)
and how they begin, since a word that begins with a letter is no option.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

Tree = dict[str, Any]


class Arg(NamedTuple):
    """An argument of a command."""

    #: None: not known.
    value: str | None
    #: As it is written.
    text: str
    #: The part before the first thing that is not known.
    prefix: str
    #: It may become several words, or none.
    many: bool
    #: A ``*`` or the like made it unknown: it becomes names of files.
    tree: Tree | None = None

    @property
    def may_be_option(self) -> bool:
        """Can one of its words begin with a dash?"""
        if self.value is not None:
            return self.value.startswith("-") and self.value != "-"
        return self.many or self.prefix[:1] in ("", "-")


def known(value: str) -> Arg:
    return Arg(value, value, value, False)


#: Words from elsewhere, as those that xargs reads.
ANYTHING = Arg(None, "…", "", True)
#: One word from elsewhere.
SOMETHING = Arg(None, "…", "", False)


def arg_of(word: Tree) -> Arg:
    """What a word of a command stands for."""
    if word["text"] == "[":
        return known("[")
    value, prefix, many = _joined(word["parts"], False)
    if _braces(word):
        brace = re.match(r"[^\\{$`'\"*?\[~]*", word["text"])
        return Arg(None, word["text"], brace[0] if brace else "", True, word)
    return Arg(value, word["text"], prefix, many, word)


def text_of(word: Tree | None) -> str | None:
    """The text of a word that is expanded to one word; None: not known."""
    if word is None:
        return ""
    return None if _braces(word) else _joined(word["parts"], True)[0]


def _braces(word: Tree) -> bool:
    """May it be several words by a brace expansion? ``{}`` is none."""
    return "brace" in word and re.search(r"\{.*(,|\.\.)", word["text"], re.DOTALL) is not None


_GLOB = re.compile(r"[*?\[\\]|[@+!]\(")


def _joined(parts: list[Tree], quoted: bool) -> tuple[str | None, str, bool]:
    """Value (None: not known), what is known of its beginning, and whether it may be many words."""
    text, exact, many = "", True, False
    for part in parts:
        kind, inner = part["part"], part["is"]
        if kind == "quoted" or (kind == "text" and (quoted or not _GLOB.search(inner))):
            piece: str | None = inner
        elif kind == "double":
            piece, start, several = _joined(inner, True)
            many |= several
            if piece is None and exact:
                text += start
        else:
            piece = None
            every = kind == "param" and (inner["name"] in ("@", "*") or "every" in inner)
            many |= (
                every
                or "names" in (inner if kind == "param" else ())
                or not (quoted or kind == "text")
            )
        if piece is None:
            exact = False
        elif exact:
            text += piece
    return (text if exact else None), text, many and not exact


# ---------------------------------------------------------------------- numbers in variables

_NUMBER = re.compile(r"\s*[-+]?(0[xX][0-9a-fA-F]+|[0-9]+(#[0-9a-zA-Z]+)?)?\s*\Z")
_RANGE = re.compile(r"\{[-+]?\d+\.\.[-+]?\d+(\.\.[-+]?\d+)?\}\Z")
#: Variables that the shell itself gives a number, which cannot be given another value.
_NUMBERS = {"?", "#", "$", "!"}
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


class Variables:
    """What the script puts into its variables: for each, the words that were assigned. Arithmetic
    evaluates a variable's text once more, commands in subscripts included, so it matters whether
    that can be anything but a number."""

    def __init__(self) -> None:
        self._given: dict[str, list[Tree | str | None]] = {}
        self.integers: set[str] = set()
        self.maps: set[str] = set()
        self.functions: set[str] = set()
        #: Declared as something else than a map, somewhere.
        self.other_arrays: set[str] = set()

    def gives(self, name: str, value: Tree | str | None) -> None:
        """``value`` is a word, a text, or None: anything."""
        self._given.setdefault(name, []).append(value)

    def is_number(self, name: str, around: frozenset[str] = frozenset()) -> bool:
        """Is it a number, or unset, whenever it is read?"""
        if not name.isidentifier():
            return name in _NUMBERS
        if name in around:
            return True
        values = self._given.get(name, [])
        return all(self.numeric(value, around | {name}) for value in values)

    def numeric(self, value: Tree | str | None, around: frozenset[str] = frozenset()) -> bool:
        """Is a word a number, whatever it is expanded to?"""
        if value is None:
            return False
        if isinstance(value, str):
            return _NUMBER.match(value) is not None
        if _braces(value):
            return _RANGE.match(value["text"]) is not None
        if text_of(value) is not None:
            return _NUMBER.match(text_of(value) or "") is not None
        return all(self._number(part, around) for part in value["parts"])

    def _number(self, part: Tree, around: frozenset[str]) -> bool:
        kind, inner = part["part"], part["is"]
        if kind == "double":
            return all(self._number(each, around) for each in inner)
        if kind in ("text", "quoted"):
            return re.fullmatch(r"[-+ \d]*", inner) is not None
        if kind == "arith":
            return True
        if kind == "command":
            return self._prints_number(inner)
        if kind != "param" or "indirect" in inner or "names" in inner:
            return False
        if "length" in inner:
            return True
        fits = inner["op"] in ("", "-") and "every" not in inner
        return (
            fits
            and self.is_number(inner["name"], around)
            and self.numeric(inner.get("arg", "0"), around)
        )

    def _prints_number(self, node: Tree | None) -> bool:
        """Is what a command prints a number for sure? For the few that scripts count with."""
        while node and node["kind"] in ("list", "pipe"):
            if node["kind"] == "list" and len(node["commands"]) != 1:
                return False
            node = node["commands"][-1]
        if not node or node["kind"] != "simple" or not node["words"]:
            return False
        words = [arg_of(word) for word in node["words"]]
        rest = [word.value or "" for word in words[1:]]
        name = words[0].value
        if any(word.value is None for word in words) or name in self.functions:
            return False
        if name == "seq":
            return all(_NUMBER.match(word) for word in rest)
        if name == "nproc":
            return not rest
        if name == "wc":
            return len(rest) == 1 and rest[0] in ("-l", "-c", "-w", "-m")
        return name == "date" and rest in (["+%s"], ["+%Y"], ["+%s%N"])
