"""Shell scripts: every command, substitution and redirection of the parsed tree is visited, also
those that a run may not come to."""

from __future__ import annotations

import re
from collections.abc import Callable

from .facts import Analysis, Command, FileUse, Unknown
from .trees import Parsers
from .words import ANYTHING, IDENTIFIER, Arg, Tree, Variables, arg_of, known, text_of

#: Variables that decide what runs, or how, when something else is started.
_POWERFUL = re.compile(
    r"(PATH|BASH_ENV|ENV|PS4|PROMPT_COMMAND|SHELL|SHELLOPTS|BASHOPTS|BASH_ALIASES|BASH_CMDS|POSIXLY_CORRECT"
    r"|FCEDIT|EDITOR|VISUAL|PAGER|MAKEFLAGS|MAKEFILES|GNUMAKEFLAGS|AWKPATH|AWKLIBPATH|TAR_OPTIONS"
    r"|NODE_\w*|PYTHON\w*|GIT_\w*|LD_\w*|BASH_FUNC_.*)\Z"
)
_MODES = {"<": "read", ">": "write", ">|": "write", ">>": "append", "<>": "read and write",
          "&>": "write", "&>>": "append"}  # fmt: skip
_ARITHMETIC_TESTS = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}
_DEEPEST = 8  # scripts within scripts


class Look:
    """One look at a script, and at the scripts in it."""

    def __init__(self, analysis: Analysis, parsers: Parsers, tools: dict[str, str]) -> None:
        self.found = analysis
        self.parsers = parsers
        #: Names by which commands call tools: the tool's own name.
        self.tools = tools
        self.variables = Variables()
        self._checks: list[Callable[[], None]] = []  # that need all variables
        self._depth = 0
        #: Lines of a script within another one are lines of the outer one.
        self._line: int | None = None

    # ------------------------------------------------------------------ what is found

    def at(self, line: int) -> int:
        return line if self._line is None else self._line

    def unknown(self, what: str, line: int) -> None:
        entry = Unknown(what, max(self.at(line), 1))
        if entry not in self.found.unknown:
            self.found.unknown.append(entry)

    def file(self, path: str | None, mode: str, line: int) -> None:
        self.found.files.append(FileUse(path, mode, self.at(line)))

    def script(self, text: str, line: int) -> None:
        """A script within the script: eval, bash -c, trap."""
        if self._depth >= _DEEPEST:
            return self.unknown("scripts are nested too deeply", line)
        outer, self._line = self._line, self.at(line)
        self._depth += 1
        self.text(text)
        self._depth -= 1
        self._line = outer
        return None

    def text(self, text: str) -> None:
        for node in self.parsers.tree(text, "shell"):
            self._top(node)

    def finish(self) -> None:
        for check in self._checks:
            check()

    # ------------------------------------------------------------------ the tree

    def _top(self, node: Tree) -> None:
        """A complete command: options that it sets count for how the next one is read."""
        while node["kind"] == "list" and len(node["commands"]) == 1:
            node = node["commands"][0]
        if node["kind"] == "simple":
            words = [word["text"] for word in node["words"]]
            if words[:1] == ["shopt"] and words[1:] in (["-s", "extglob"], ["-u", "extglob"]):
                self.found.commands.append(
                    Command("shopt", tuple(words[1:]), self.at(node["line"]))
                )
                return self.redirections(node)
        for command in node["commands"] if node["kind"] == "list" else [node]:
            self.node(command)
            if command["kind"] == "simple" and self._depth == 0:
                self._map(command)
        return None

    def _map(self, node: Tree) -> None:
        """declare -A outside of functions and conditions: what its keys are is no arithmetic."""
        words = [text_of(word) for word in node["words"]]
        if words[:1] == ["declare"] and len(words) > 2 and words[1] in ("-A", "-gA", "-Ag"):
            names = [re.match(r"\w*", word["text"])[0] for word in node["words"][2:]]  # type: ignore[index]
            self.variables.maps.update(set(names) - self.variables.other_arrays)

    def node(self, node: Tree) -> None:
        kind, line = node["kind"], node["line"]
        if kind == "error":
            return self.unknown("a syntax error", line)
        if kind == "text":
            return self.unknown("a substitution with aliases", line)
        if kind == "simple":
            from .programs import simple

            self.assignments(node["assigns"], line)
            for word in node["words"]:
                self.word(word)
            simple(self, node)
        elif kind in ("for", "select"):
            self._each(node)
        elif kind == "function":
            self.variables.functions.add(node["name"])
        elif kind == "cond":
            self._condition(node["test"], line)
        elif kind == "case":
            self.word(node["subject"])
            for item in node["items"]:
                for pattern in item["patterns"]:
                    self.word(pattern)
                self._maybe(item.get("body"))
        elif kind == "coproc" and node["name"]:
            self.variables.gives(node["name"], None)
        for name in ("init", "arithmetic", "step"):
            if name in node:
                self.arithmetic(node[name], line)
        for name in ("test", "left", "right", "then", "otherwise", "body"):
            if kind != "cond" and name in node:
                self.node(node[name])
        for command in node.get("commands", ()):
            self.node(command)
        return self.redirections(node)

    def _maybe(self, node: Tree | None) -> None:
        if node is not None:
            self.node(node)

    def _each(self, node: Tree) -> None:
        self._assigned(node["name"], node["line"])
        if "positional" in node:
            self.variables.gives(node["name"], None)
        for word in node["words"]:
            self.word(word)
            self.variables.gives(node["name"], word)
        if node["kind"] == "select":
            self.variables.gives("REPLY", None)

    def _condition(self, test: Tree, line: int) -> None:
        for side in ("left", "right"):
            if side in test:
                self._condition(test[side], line)
        words = [test[name] for name in ("a", "b") if name in test]
        for word in words:
            self.word(word)
            if test.get("op") in _ARITHMETIC_TESTS:
                self.number(word, line)
            if test.get("op") in ("-v", "-R"):
                self.reference(arg_of(word), line)

    # ------------------------------------------------------------------ redirections

    def redirections(self, node: Tree) -> None:
        for redir in node["redirs"]:
            self._redirection(redir)

    def _redirection(self, redir: Tree) -> None:
        op, line = redir["op"], redir["line"]
        if "variable" in redir:
            self._name_of(redir["variable"], line)
        target = redir.get("target")
        if target is None or "raw" in redir:
            return
        self.word(target)
        path = text_of(target)
        if op == ">&" and path is not None and not re.fullmatch(r"\d+-?|-", path):
            self.file(path, "write", line)
        elif op in ("<&", ">&") and path is None:
            if op == ">&":
                self.unnamed_file("write", target, line)
        elif op in _MODES:
            if re.match(r"[<>]\(.*\)\Z", target["text"], re.DOTALL) and len(target["parts"]) == 1:
                return  # the other end is a command
            if path is None or path.startswith("~"):
                self.unnamed_file(_MODES[op], target, line)
            else:
                self.file(path, _MODES[op], line)

    def unnamed_file(self, mode: str, word: Tree, line: int) -> None:
        self.file(None, mode, line)
        self.unknown(f"which file is {word['text']}", line)

    # ------------------------------------------------------------------ words

    def word(self, word: Tree | None) -> None:
        """What the expansion of a word does."""
        if word is None:
            return
        self._parts(word["parts"], word["line"])
        if "brace" in word and re.search(r"[$`]", word["text"]):
            self._braces(word)
        if "assigns" in word:
            self.assignments(word["assigns"], word["line"])

    def _braces(self, word: Tree) -> None:
        """Each word of a brace expansion is parsed by itself: ``{a,$}(b)`` and the like."""
        if re.search(r"[$`\\]\\?[,}]|\{[^}]*[$`][^}]*\}[({]", word["text"]):
            self.unknown(f"what {word['text']} expands to", word["line"])

    def _parts(self, parts: list[Tree], line: int) -> None:
        for part in parts:
            kind, inner = part["part"], part["is"]
            if kind in ("double", "subscript"):
                self._parts(inner, line)
            elif kind == "command":
                self._maybe(inner)
            elif kind == "backquote":
                outer, self._line = self._line, self.at(line)
                for node in inner:
                    self.node(node)
                self._line = outer
            elif kind == "arith":
                self.arithmetic(inner, line)
            elif kind == "param":
                self._parameter(inner, line)

    def _parameter(self, param: Tree, line: int) -> None:
        name = param["name"]
        if "sub" in param:
            self.subscript(name, param["sub"], line)
        if "indirect" in param or "names" in param:
            if "indirect" in param and not ("every" in param or self._plain_names(name)):
                self._checks.append(lambda: self._number_or(name, f"what ${{!{name}}} names", line))
        if param["op"] == ":":
            for place in ("arg", "arg2"):
                if place in param:
                    self.arithmetic(param[place], line)
            return
        for place in ("arg", "arg2"):
            if place in param:
                self.word(param[place])
        if param["op"] == "=":
            self.variables.gives(name, param.get("arg", ""))
            self._assigned(name, line)
        if param.get("mode") == "P":
            self.unknown(f"what ${{{name}@P}} expands to", line)

    def _plain_names(self, name: str) -> bool:
        """Special parameters hold no reference with a subscript."""
        return name in ("#", "?", "$", "!")

    def _number_or(self, name: str, what: str, line: int) -> None:
        values = self.variables._given.get(name, [None] if not name.isidentifier() else [])
        for value in values:
            text = value if isinstance(value, str) else text_of(value) if value else None
            if text is None or not re.fullmatch(r"\w*", text):
                return self.unknown(what, line)
        return None

    # ------------------------------------------------------------------ assignments

    def assignments(self, assigns: list[Tree], line: int) -> None:
        for assign in assigns:
            name = assign["name"]
            self._assigned(name, line)
            if "index" in assign:
                self.subscript(name, assign["index"], line)
            if "value" in assign:
                self.word(assign["value"])
                self.gives(name, assign["value"], line)
            for element in assign["elements"]:
                if "index" in element:
                    self.subscript(name, element["index"], line)
                if "whole" in element:
                    self.word(element["whole"])
                    self.gives(name, element["whole"], line)
                elif "value" in element:
                    self.word(element["value"])
                    self.gives(name, element["value"], line)
            if not assign["elements"] and "value" not in assign:
                self.variables.gives(name, "")

    def gives(self, name: str, value: Tree | str | None, line: int) -> None:
        """A value goes into a variable; into one that is declared an integer, by arithmetic."""
        self.variables.gives(name, value)
        self._checks.append(lambda: self._integer(name, value, line))

    def _integer(self, name: str, value: Tree | str | None, line: int) -> None:
        if name in self.variables.integers and not self.variables.numeric(value):
            self.unknown(f"what the number {name} is computed from", line)

    def _assigned(self, name: str, line: int) -> None:
        if _POWERFUL.match(name):
            self.unknown(f"what runs when {name} is changed", line)

    def _name_of(self, text: str, line: int) -> None:
        """A variable that gets something from outside."""
        match = IDENTIFIER.fullmatch(text) or re.fullmatch(r"([A-Za-z_]\w*)\[\d+\]", text)
        if not match:
            return self.unknown(f"which variable {text} is", line)
        name = text.partition("[")[0]
        self._assigned(name, line)
        return self.gives(name, None, line)

    def takes(self, arg: Arg, line: int) -> None:
        """An argument that names a variable to be set."""
        if arg.value is None:
            self.unknown(f"which variable {arg.text} is", line)
        else:
            self._name_of(arg.value, line)

    # ------------------------------------------------------------------ arithmetic

    def arithmetic(self, word: Tree, line: int) -> None:
        """An expression: commands in it, and texts of variables that it evaluates in turn."""
        self.word(word)
        self._checks.append(lambda: self._numbers(word["parts"], word["text"], line))
        for name in re.findall(
            r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)?[-+*/%&|^<>]*=(?!=)", word["text"]
        ):
            self._assigned(name, line)
            self.variables.gives(name, "0")

    def number(self, word: Tree, line: int) -> None:
        self._checks.append(lambda: self._numbers(word["parts"], word["text"], line))

    def _numbers(self, parts: list[Tree], text: str, line: int) -> None:
        for part in parts:
            kind, inner = part["part"], part["is"]
            if kind in ("double", "subscript"):
                self._numbers(inner, text, line)
            elif kind in ("text", "quoted"):
                for name in re.findall(r"(?<![\w#])[A-Za-z_]\w*", inner):
                    if not self.variables.is_number(name):
                        self.unknown(f"whether {name} is a number in {text}", line)
                if "$" in inner or "`" in inner:
                    self.unknown(f"what {text} computes", line)
            elif kind != "arith" and not self.variables._number(part, frozenset()):
                self.unknown(f"whether all in {text} are numbers", line)

    def subscript(self, name: str, word: Tree, line: int) -> None:
        """The index of an array, which is arithmetic, or a key of a map, which is not."""
        self.word(word)
        if name not in self.variables.maps:
            self._checks.append(lambda: self._numbers(word["parts"], word["text"], line))

    def reference(self, arg: Arg, line: int) -> None:
        """An argument that names a variable to look at, perhaps with a subscript."""
        if arg.value is None or "[" in arg.value:
            self.unknown(f"which variable {arg.text} is", line)

    # ------------------------------------------------------------------ commands

    def command(self, args: list[Arg], line: int, node: Tree | None = None) -> None:
        """A command that another one runs, as xargs does."""
        from .programs import run

        run(self, args, line, node, external=True)

    def add(self, args: list[Arg], line: int) -> None:
        arguments = tuple(arg.value for arg in args[1:])
        unknown = tuple(arg.text for arg in args[1:] if arg.value is None)
        self.found.commands.append(Command(args[0].value or "?", arguments, self.at(line), unknown))


__all__ = ["ANYTHING", "Look", "known"]
