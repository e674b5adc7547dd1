"""The builtins of bash, as far as they run texts, or set and evaluate variables."""

from __future__ import annotations

import re
from collections.abc import Callable

from .facts import FileUse
from .shell import Look
from .words import Arg, Tree, known

Runner = Callable[[Look, list[Arg], int, "Tree | None"], None]


def _plain(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    """A builtin that does what it says."""


def _eval(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    texts = [arg.value for arg in args[1:]]
    if None in texts:
        return look.unknown("what eval runs", line)
    return look.script(" ".join(text or "" for text in texts if text != "--"), line)


def _source(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    if len(args) > 1:
        look.found.files.append(FileUse(args[1].value, "read", look.at(line)))
        look.unknown(f"what is in {args[1].text}", line)


def _prefixed(letters: str, quiet: str = "") -> Runner:
    """exec, command and builtin: a command behind options."""

    def runner(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
        rest = args[1:]
        while rest and (rest[0].value is None or rest[0].value.startswith("-")):
            text = rest.pop(0).value
            if text is None:
                return look.unknown(f"what {args[0].text} runs", line)
            if text == "--":
                break
            if any(letter in text for letter in quiet):
                return None
            if any(letter in text for letter in letters) and rest:
                rest.pop(0)
        from .programs import run

        return run(look, rest, line, node, external=args[0].value == "exec")

    return runner


def _trap(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    rest = [arg for arg in args[1:] if arg.value != "--"]
    if rest and rest[0].value is None:
        return look.unknown("what trap runs", line)
    if len(rest) > 1 and rest[0].value not in ("", "-", "-l", "-p"):
        return look.script(rest[0].value or "", line)
    return None


def _declare(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    flags = ""
    words = args[1:]
    while words and (words[0].value or "")[:1] in ("-", "+") and words[0].value != "--":
        flags += words.pop(0).value or ""
    for arg in words:
        match = re.match(
            r"([A-Za-z_]\w*)(\[|\+?=|\Z)", arg.prefix if arg.value is None else arg.value
        )
        is_word = arg.tree is not None and "assigns" in arg.tree
        if not match or (match[2] == "[" and not is_word) or (arg.many and not is_word):
            look.unknown(f"what {args[0].text} sets with {arg.text}", line)
            continue
        name = match[1]
        look._assigned(name, line)
        if "i" in flags:
            look.variables.integers.add(name)
        if "A" not in flags and args[0].value not in ("export", "readonly"):
            look.variables.other_arrays.add(name)
            look.variables.maps.discard(name)
        if not is_word and match[2]:
            value = arg.value
            look.gives(name, None if value is None else value.partition("=")[2], line)
        elif arg.value is not None and "(" in arg.value:
            look.gives(name, None, line)
    if "n" in flags and args[0].value != "export":
        look.unknown("which variable a reference names", line)
    if "f" in flags and args[0].value == "export":
        look.unknown("what runs when a function is exported", line)


def _setting(first: str, named: str) -> Runner:
    """Builtins whose operands, and values of options ``named``, are variables that they set.
    ``first`` are the options with a value."""

    def runner(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
        rest = args[1:]
        while rest:
            arg = rest.pop(0)
            text = arg.value
            if text is None:
                return look.unknown(f"which variable {arg.text} is", line)
            if text == "--":
                break
            if not text.startswith("-") or text == "-":
                rest.insert(0, arg)
                break
            for place, letter in enumerate(text[1:], 1):
                if letter in first:
                    value = (
                        known(text[place + 1 :])
                        if text[place + 1 :]
                        else (rest or [known("")]).pop(0)
                    )
                    if letter in named:
                        look.takes(value, line)
                    elif value.many:
                        return look.unknown(f"which variable {value.text} is", line)
                    break
        for arg in rest:
            look.takes(arg, line)
        if args[0].value == "read" and not rest:
            look.takes(known("REPLY"), line)
        return None

    return runner


def _printf(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    if len(args) < 2:
        return None
    if args[1].value is None and args[1].may_be_option:
        return look.unknown("whether printf sets a variable", line)
    text = args[1].value or ""
    if text.startswith("-v"):
        named = known(text[2:]) if len(text) > 2 else (args[2:3] or [known("")])[0]
        return look.takes(named, line)
    return None


def _mapfile(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    names, rest = [], args[1:]
    while rest:
        arg = rest.pop(0)
        if arg.value is None:
            return look.unknown(f"what {arg.text} tells mapfile", line)
        if not arg.value.startswith("-"):
            names.append(arg)
        elif re.fullmatch(r"-t*C", arg.value):
            script = rest.pop(0).value if rest else ""
            if script is None:
                return look.unknown("what mapfile runs", line)
            look.script(script, line)
        elif "C" in arg.value:
            return look.unknown("what mapfile runs", line)
        elif re.fullmatch(r"-t*[dnOsuc]", arg.value) and rest and rest.pop(0).many:
            return look.unknown("what mapfile reads", line)
    for arg in names or [known("MAPFILE")]:
        look.takes(arg, line)
    return None


_BINARY = {
    "=",
    "==",
    "!=",
    "<",
    ">",
    "-eq",
    "-ne",
    "-lt",
    "-le",
    "-gt",
    "-ge",
    "-ef",
    "-nt",
    "-ot",
    "-a",
    "-o",
}
_NO_WORDS = re.compile(r'\$[?#$!]\Z|"?\$\{#')


def _test(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    words = args[1:]
    for place, arg in enumerate(words):
        before = words[place - 1].value if place else None
        after = words[place + 1].value if place + 1 < len(words) else None
        if before in ("-v", "-R"):
            look.reference(arg, line)
        if arg.value is not None or _NO_WORDS.match(arg.text):
            continue
        operand = after in _BINARY or (before or "").startswith("-") or before in _BINARY
        if arg.many or not (operand or arg.prefix[:1] not in ("", "-") or len(words) == 1):
            tree = arg.tree
            look._checks.append(lambda arg=arg, tree=tree: _number_or(look, arg, tree, line))  # type: ignore[misc]


def _number_or(look: Look, arg: Arg, tree: Tree | None, line: int) -> None:
    if tree is None or not look.variables.numeric(tree):
        look.unknown(f"what {arg.text} makes of the test", line)


def _let(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    for arg in args[1:]:
        if arg.value is None or "[" in arg.value or "$" in arg.value:
            look.unknown(f"what {arg.text} computes", line)
            continue
        part = {"part": "quoted", "is": arg.value}
        look.arithmetic({"text": arg.value, "line": line, "parts": [part]}, line)


def _unset(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    for arg in args[1:]:
        if arg.value is None or not re.fullmatch(
            r"-[fvn]+|\w+(\[\w*\])?|--|\w+\[[@*]\]", arg.value
        ):
            look.unknown(f"which variable {arg.text} is", line)
        else:
            name, bracket, index = arg.value.partition("[")
            look.variables.maps.discard(name)
            look._assigned(name, line)
            if bracket and not re.fullmatch(r"\d+\]|[@*]\]", index):
                look.unknown(f"which variable {arg.text} is", line)


def _set(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    for place, arg in enumerate(args[1:], 1):
        if arg.value is None and arg.may_be_option:
            return look.unknown(f"which options {arg.text} sets", line)
        if arg.value in ("--", "-") or not (arg.value or "x").startswith(("-", "+")):
            return None
        text = arg.value or ""
        named = args[place + 1].value if place + 1 < len(args) else ""
        if "k" in text or ("o" in text and named in (None, "keyword", "posix")):
            return look.unknown("what set changes", line)
        if "o" in text:
            return None if place + 2 >= len(args) else _set(look, args[place + 1 :], line, node)
    return None


def _shopt(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    for arg in args[1:]:
        if arg.value is None:
            look.unknown(f"which options {arg.text} sets", line)
        elif arg.value in ("extglob", "expand_aliases", "keyword", "posix"):
            look.unknown(f"how what follows is read with {arg.value}", line)


def _alias(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    if any(arg.value is None or "=" in arg.value for arg in args[1:]):
        look.unknown("what an alias makes of commands", line)


def _unless(harmless: str, what: str) -> Runner:
    """A builtin that is plain with none but these options."""
    pattern = re.compile(harmless)

    def runner(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
        if not all(arg.value is not None and pattern.fullmatch(arg.value) for arg in args[1:]):
            look.unknown(what, line)

    return runner


def _wait(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    for arg, value in zip(args[1:], [*args[2:], known("")], strict=False):
        if arg.value is None and arg.may_be_option and not re.match(r'"?\$[!?\d{\w]', arg.text):
            look.unknown(f"what {arg.text} tells wait", line)
        elif (arg.value or "").startswith("-") and "p" in (arg.value or ""):
            look.takes(value, line)


def _getopts(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    if len(args) > 2:
        look.takes(args[2], line)
    look.variables.gives("OPTARG", None)


def _tool(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    from .calls import tool_command

    tool_command(look, args, line, node)


BUILTINS: dict[str, Runner] = {
    **dict.fromkeys(
        (
            ": true false echo cd pwd dirs pushd popd exit return break continue shift umask"
            " ulimit times type caller"
            " disown suspend logout help bg fg kill history"
        ).split(),
        _plain,
    ),
    "eval": _eval,
    "source": _source,
    ".": _source,
    "exec": _prefixed("a"),
    "command": _prefixed("", "vV"),
    "builtin": _prefixed(""),
    "trap": _trap,
    **dict.fromkeys(("declare", "typeset", "local", "export", "readonly"), _declare),
    "read": _setting("adinNptu", "a"),
    "printf": _printf,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "test": _test,
    "[": _test,
    "let": _let,
    "unset": _unset,
    "set": _set,
    "shopt": _shopt,
    "alias": _alias,
    "unalias": _plain,
    "jobs": _unless(r"-[lnprs]+|%?\w*", "what jobs runs"),
    "hash": _unless(r"-[rldt]+|\w+", "which program a name is"),
    "enable": _unless(r"-[aps]+", "which builtins there are"),
    "fc": _unless(r"-l\w*|-?\d+", "what fc runs"),
    "bind": _unless(r"-[lpPsSvVX]", "what bind runs"),
    "complete": _unless(r"-p|-r", "what complete runs"),
    "compgen": _unless(r"-[abcdefgjksuv]+|--|[\w.]*", "what compgen runs"),
    "compopt": _plain,
    "wait": _wait,
    "getopts": _getopts,
    "tool": _tool,
}
