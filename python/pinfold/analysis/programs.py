"""What commands do with their arguments, as far as they run others with them."""

from __future__ import annotations

import re
from collections.abc import Callable

from .builtins import BUILTINS
from .shell import Look
from .words import ANYTHING, SOMETHING, Arg, Tree, arg_of, known

Runner = Callable[[Look, list[Arg], int, "Tree | None"], None]

#: Folders of the sandbox's own programs, which nobody inside can write.
_OWN = re.compile(r"(?:/usr)?/bin/([^/]+)\Z|/tools/bin/([^/]+)\Z")


def simple(look: Look, node: Tree) -> None:
    """A simple command of the tree."""
    if node["words"]:
        run(look, [arg_of(word) for word in node["words"]], node["line"], node)


def run(look: Look, args: list[Arg], line: int, node: Tree | None, external: bool = False) -> None:
    """A command by its words; ``external``: another program starts it, builtins do not count."""
    if not args:
        return
    name = args[0].value
    if name is None:
        return look.unknown(f"which command {args[0].text} is", line)
    if name == "":
        return look.add([known("''"), *args[1:]], line)
    own = _OWN.match(name)
    short = (own[1] or own[2]) if own else name
    builtin = own is None and not external and short in BUILTINS
    if short in look.tools and not builtin and short not in PROGRAMS:
        from .calls import called

        return called(look, look.tools[short], args[1:], line, node)
    look.add(args, line)
    if "/" in name and not own:
        return look.unknown(f"what the program {name} does", line)
    if builtin:
        return BUILTINS[short](look, args, line, node)
    if short in PROGRAMS:
        return PROGRAMS[short](look, args, line, node)
    return None


# ---------------------------------------------------------------------- options


class _Options:
    """Reads past the options of a command; a word that may be anything ends the reading."""

    def __init__(
        self, look: Look, args: list[Arg], line: int, takes: str, long_takes: str = ""
    ) -> None:
        self._look, self._line = look, line
        self.rest = args[1:]
        self._takes, self._long = takes, long_takes.split()
        self.given: dict[str, Arg] = {}

    def read(self) -> bool:
        """False: not known where they end, which was said."""
        while self.rest:
            arg = self.rest[0]
            if arg.value is None:
                if arg.may_be_option:
                    self._look.unknown(f"what {arg.text} stands for", self._line)
                    return False
                return True
            if arg.value == "--":
                self.rest.pop(0)
                return True
            if not arg.may_be_option:
                return True
            self.rest.pop(0)
            if not self._option(arg.value):
                return False
        return True

    def _option(self, text: str) -> bool:
        if text.startswith("--"):
            name, equals, value = text[2:].partition("=")
            if equals:
                self.given[name] = known(value)
            elif any(long.startswith(name) for long in self._long):
                return self._value(name)
            else:
                self.given[name] = known("")
            return True
        for place, letter in enumerate(text[1:], 1):
            if letter in self._takes:
                if text[place + 1 :]:
                    self.given[letter] = known(text[place + 1 :])
                    return True
                return self._value(letter)
            self.given[letter] = known("")
        return True

    def _value(self, name: str) -> bool:
        if not self.rest:
            return True
        arg = self.rest.pop(0)
        if arg.many:
            self._look.unknown(f"what {arg.text} stands for", self._line)
            return False
        self.given[name] = arg
        return True


def _wrapper(takes: str, long_takes: str = "", operands: int = 0) -> Runner:
    """A command that runs what stands behind its options and operands."""

    def runner(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
        options = _Options(look, args, line, takes, long_takes)
        if not options.read():
            return None
        for arg in options.rest[:operands]:
            if arg.many:
                return look.unknown(f"what {arg.text} stands for", line)
        return look.command(options.rest[operands:], line, node)

    return runner


def _env(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    options = _Options(look, args, line, "uCS", "unset chdir split-string")
    if not options.read():
        return None
    if {"S", "split-string"} & options.given.keys():
        return look.unknown("what env -S runs", line)
    rest = options.rest
    while rest and (rest[0].value is None or "=" in rest[0].value):
        name = (rest[0].value or rest[0].prefix).partition("=")
        if not name[1]:
            return look.unknown(f"which command {rest[0].text} is", line)
        look._assigned(name[0], line)
        if rest.pop(0).many:
            return look.unknown("what the arguments of env stand for", line)
    return look.command(rest, line, node)


def _xargs(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    long = "arg-file delimiter max-lines max-args max-procs max-chars process-slot-var"
    options = _Options(look, args, line, "adEILnPs", long)
    if not options.read():
        return None
    given = options.given
    rest = options.rest or [known("echo")]
    mark = given.get("I")
    if {"i", "replace"} & given.keys():
        mark = known(given.get("replace", known("")).value or "{}")
    if mark is not None and mark.value is None:
        return look.unknown("what xargs replaces", line)
    if mark is None:
        return look.command([*rest, ANYTHING], line)
    words = [
        SOMETHING if arg.value is not None and (mark.value or "{}") in arg.value else arg
        for arg in rest
    ]
    if words[0] is SOMETHING:
        return look.unknown(f"which command {rest[0].text} is", line)
    return look.command(words, line)


def _find(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    words = args[1:]
    loose = [arg for arg in words if arg.may_be_option and arg.value is None]
    if any(arg.many for arg in loose) or len(loose) > 1:
        return look.unknown("what the arguments of find stand for", line)
    place = 0
    while place < len(words):
        if words[place].value in ("-exec", "-execdir", "-ok", "-okdir"):
            start = place = place + 1
            while place < len(words) and words[place].value != ";":
                if words[place].value == "+" and words[place - 1].value == "{}":
                    break
                place += 1
            command = [SOMETHING if "{}" in (a.value or "") else a for a in words[start:place]]
            if command and command[0] is SOMETHING:
                look.unknown("which command {} is", line)
            else:
                look.command(command, line)
        elif words[place].value in ("-fprint", "-fprint0", "-fls", "-fprintf"):
            target = words[place + 1].value if place + 1 < len(words) else None
            look.file(target, "write", line)
            if target is None:
                look.unknown("which file find writes", line)
        place += 1
    return None


def _watch(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    options = _Options(look, args, line, "nq", "interval equexit")
    if not options.read():
        return None
    words = [arg.value for arg in options.rest]
    if None in words:
        return look.unknown("what watch runs", line)
    return look.script(" ".join(word or "" for word in words), line)


def _split(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    options = _Options(
        look,
        args,
        line,
        "abCnlt",
        "additional-suffix bytes line-bytes number lines separator suffix-length filter",
    )
    if not options.read():
        return None
    script = next((arg for name, arg in options.given.items() if name.startswith("fi")), None)
    rest = [arg for arg in options.rest if arg.many or (arg.value or "-").startswith("-")]
    if any(arg.value != "-" for arg in rest) or (script and script.value is None):
        return look.unknown("what split runs", line)
    return look.script(script.value or "", line) if script else None


# ---------------------------------------------------------------------- programs with a language


def _sed(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    words, scripts, operands = args[1:], [], []
    while words:
        arg = words.pop(0)
        text = arg.value
        if text is None and arg.may_be_option:
            return look.unknown(f"what {arg.text} tells sed", line)
        if text is None or not arg.may_be_option:
            operands.append(arg)
            continue
        if text == "--":
            operands += words
            break
        option = re.match(r"-[nErszubi]*?(e|f|l|i)(.*)|--(e|f|l)[a-z-]*(=.*)?", text, re.DOTALL)
        if option is None or (option[1] == "i" and "e" not in text and "f" not in text):
            continue
        kind = option[1] or option[3]
        value = option[2] or (option[4] or "")[1:]
        if kind in ("f", "i") or (not value and not words):
            return look.unknown(f"what {text} tells sed", line)
        given = known(value) if value else words.pop(0)
        if kind == "e":
            scripts.append(given)
    texts = [script.value for script in scripts or operands[:1]]
    if None in texts or not look.parsers.sed_is_plain([text or "" for text in texts]):
        return look.unknown("what the script of sed runs, reads or writes", line)
    return None


_AWK_PART = re.compile(
    r'"(?:\\.|[^"\\])*"|#[^\n]*|\\\n|/(?:\\.|\[\^?\]?[^\]\n]*\]|[^/\\\n\[])*/|.', re.DOTALL
)
_AWK_OTHER = re.compile(r"system|@|(?<!\|)\|(?!\|)|getline|\bprintf?\b[^;}]*>")


def awk_is_plain(program: str) -> bool:
    """Does a program of awk surely run, read and write nothing beyond its input and output?"""
    bare, place = "", 0
    while place < len(program):
        part = _AWK_PART.match(program, place)
        assert part is not None
        text = part[0]
        if len(text) > 1 and text[0] == "/":
            before = bare.rstrip(" \t")[-1:]
            if before not in ("", *"~(,!{;}&|\n"):  # a division, as far as one can see
                if before in ")]" and '"' in text:
                    return False
                text = "/"
        place += len(text)
        bare += '""' if text[0] == '"' else " 0 " if len(text) > 1 else text
    return _AWK_OTHER.search(bare) is None


def _awk(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    options = _Options(
        look, args, line, "FvefiEl", "field-separator assign source file include exec load"
    )
    if not options.read():
        return None
    others = [name for name in options.given if name not in ("F", "v", "field-separator", "assign")]
    if others or not options.rest:
        return look.unknown("what the options of awk make it run", line)
    program = options.rest[0].value
    if program is None or not awk_is_plain(program):
        return look.unknown("what the program of awk runs, reads or writes", line)
    return None


_SQLITE_PLAIN = re.compile(
    r"\s*\.(tables|schema|mode|headers?|separator|nullvalue|width|dump|indexes|databases)\b"
)


def _sqlite(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    """Statements read and write the database that is named; dot commands other files."""
    for arg in args[1:]:
        for text in (arg.value or "").splitlines() or [""]:
            if text.lstrip().startswith(".") and not _SQLITE_PLAIN.match(text):
                look.unknown("which files sqlite3 opens", line)
    return None


def _shell(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    options = _Options(look, args, line, "oO", "rcfile init-file")
    letters = [arg.value or "" for arg in args[1:]]
    clustered = next(
        (i for i, a in enumerate(letters, 1) if re.fullmatch(r"-[a-zA-Z]*c[a-zA-Z]*", a)), 0
    )
    if not options.read():
        return None
    if {"i", "l", "login", "rcfile", "init-file", "O"} & options.given.keys():
        return look.unknown("what the shell reads when it starts", line)
    if clustered and "c" in options.given:
        script = options.rest[0].value if options.rest else ""
        if script is None:
            return look.unknown(f"what {args[0].text} -c runs", line)
        return look.script(script, line)
    if {"help", "version"} & options.given.keys():
        return None
    if options.rest and "s" not in options.given and options.rest[0].value != "-":
        return look.unknown(f"what the script {options.rest[0].text} does", line)
    return _from_stdin(look, args, line, node, look.script)


def stdin_of(node: Tree | None) -> str | None:
    """The text that a command's own redirections give it, when that is known."""
    from .words import text_of

    texts = [
        text_of(redir["target"]) if redir["op"] in ("<<", "<<<") and "target" in redir else None
        for redir in (node or {}).get("redirs", ())
        if redir["op"] in ("<", "<<", "<<<", "<>", "<&")
    ]
    return texts[0] if len(texts) == 1 else None


def _from_stdin(
    look: Look, args: list[Arg], line: int, node: Tree | None, then: Callable[[str, int], None]
) -> None:
    text = stdin_of(node)
    if text is None:
        return look.unknown(f"what {args[0].text} reads and runs", line)
    return then(text, line)


def _javascript(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    from .javascript import look_at

    options = _Options(look, args, line, "epr", "eval print require import input-type")
    if not options.read():
        return None
    given = options.given
    if {"version", "help", "v", "h"} & given.keys():
        return None
    if {"r", "require", "import"} & given.keys():
        return look.unknown("what node requires first", line)
    codes = [given[name] for name in ("e", "eval", "p", "print") if name in given]
    if codes and codes[0].value is not None:
        return look_at(look, codes[0].value, line)
    if codes or (options.rest and options.rest[0].value != "-"):
        return look.unknown(f"what the program of {args[0].text} does", line)
    return _from_stdin(look, args, line, node, lambda text, at: look_at(look, text, at))


#: Modules that are programs, and do no more than they say.
_MODULES = {"json.tool", "base64", "calendar", "this", "tokenize", "uuid", "textwrap", "platform"}


def _python(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    from .python import look_at

    options = _Options(look, args, line, "cmWX")
    first = next((arg for arg in args[1:] if arg.value in ("-c", "-m")), None)
    if first is not None:  # what comes behind it is the program's
        place = args.index(first) + 2
        options = _Options(look, args[:place], line, "cmWX")
        options.rest = [*args[1:place]]
    if not options.read():
        return None
    given = options.given
    if {"V", "version", "h", "help"} & given.keys():
        return None
    if "m" in given:
        if given["m"].value not in _MODULES:
            look.unknown(f"what the module {given['m'].text} does", line)
        return None
    if "c" in given:
        if given["c"].value is None:
            return look.unknown(f"what {args[0].text} -c runs", line)
        return look_at(look, given["c"].value, line)
    if options.rest and options.rest[0].value != "-":
        return look.unknown(f"what the program {options.rest[0].text} does", line)
    return _from_stdin(look, args, line, node, lambda text, at: look_at(look, text, at))


_GIT_PLAIN = set(
    "add branch blame cat-file describe diff init log ls-files rev-parse show status tag rm mv"
    " version --version show-ref".split()
)


def _git(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    if len(args) > 1 and args[1].value not in _GIT_PLAIN:
        look.unknown(f"what git {args[1].text} runs and calls", line)


def _asks(what: str) -> Runner:
    def runner(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
        look.unknown(what, line)

    return runner


def _network(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    from .calls import requests

    requests(look, args, line)


def _tool(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    from .calls import tool_command

    tool_command(look, args, line, node)


def _through(*names: str) -> Runner:
    """A command that gives its arguments to others: zgrep is gzip and grep."""

    def runner(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
        for name in names:
            look.command([known(name), *args[1:]], line)

    return runner


def _packed(after: str) -> dict[str, Runner]:
    """The commands that show `after` what gzip, bzip2, xz, lzma or zstd packed."""
    programs = ("gzip", "bzip2", "xz", "lzma", "zstd")
    kinds = {"z": programs[:1], "bz": programs[1:2], "xz": programs, "lz": programs, "zstd": ("zstd",)}
    names = {"grep": ("grep", "egrep", "fgrep"), "diff": ("diff",), "cmp": ("cmp",)}.get(
        after, ("less", "more")
    )
    return {
        kind + name: _through(*packers, after) for kind, packers in kinds.items() for name in names
    }


def _flock(look: Look, args: list[Arg], line: int, node: Tree | None) -> None:
    options = _Options(look, args, line, "wEc", "timeout conflict-exit-code command")
    if not options.read():
        return None
    rest = options.rest[1:]
    if {"c", "command"} & options.given.keys() or (rest and rest[0].value == "-c"):
        return look.unknown("what flock -c runs", line)
    return look.command(rest, line, node) if rest else None


#: Programs that run others, or call tools. Every other program of the sandbox does neither.
PROGRAMS: dict[str, Runner] = {
    "env": _env,
    "chroot": _wrapper("", "userspec groups", 1),
    "flock": _flock,
    "nice": _wrapper("n", "adjustment"),
    "nohup": _wrapper(""),
    "setsid": _wrapper(""),
    "stdbuf": _wrapper("ioe", "input output error"),
    "time": _wrapper("fo", "format output"),
    "timeout": _wrapper("ks", "kill-after signal", 1),
    "xargs": _xargs,
    "find": _find,
    "watch": _watch,
    "split": _split,
    "sed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "sqlite3": _sqlite,
    "ed": _asks("what ed runs, reads or writes"),
    "make": _asks("what the makefile runs"),
    "scp": _through("cp"),
    "parallel": _asks("what parallel runs"),
    **_packed("grep"),
    **_packed("diff"),
    **_packed("cmp"),
    **_packed("cat"),
    "git": _git,
    "curl": _network,
    "wget": _network,
    "tool": _tool,
    **dict.fromkeys(("sh", "bash"), _shell),
    **dict.fromkeys(("js", "node"), _javascript),
    **dict.fromkeys(("python", "python3", "python3.11"), _python),
}
