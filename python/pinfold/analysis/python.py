"""Python: which tools, commands and files a program names. It is known as far as the program stays
with modules that do no more than compute, and reaches others by names that are written out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from . import python_names as names
from .calls import canonical
from .facts import UNKNOWN, ToolUse
from .shell import Look
from .words import SOMETHING, Arg, known

Tree = dict[str, Any]


def look_at(look: Look, code: str, line: int) -> None:
    """A program that starts on this line of the script."""
    tree = look.parsers.tree(code, "python")
    if tree["_"] == "Error":
        return look.unknown("a syntax error", line)
    program = _Program(look, line)
    program.imports(tree)
    return program.walk(tree, [])


def children(node: Tree) -> Iterator[tuple[str, Tree]]:
    for name, value in node.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                yield name, each


def literal(node: Tree | None) -> Any:
    """The value of an expression that is written out; `UNKNOWN` for any other."""
    if node is None:
        return UNKNOWN
    kind = node["_"]
    if kind == "Constant":
        value = node["value"]
        return UNKNOWN if isinstance(value, dict) else value
    if kind in ("List", "Tuple"):
        return [literal(each) for each in node["elts"]]
    if kind == "Dict" and all(key is not None for key in node["keys"]):
        keys = [literal(key) for key in node["keys"]]
        if all(isinstance(key, str) for key in keys):
            return dict(zip(keys, map(literal, node["values"]), strict=True))
    if kind == "UnaryOp" and node["op"]["_"] == "USub":
        value = literal(node["operand"])
        return -value if isinstance(value, int) else UNKNOWN
    return UNKNOWN


class _Program:
    def __init__(self, look: Look, line: int) -> None:
        self.look = look
        self._first = line - 1
        #: What its names stand for: a module, or "module.name".
        self._bound: dict[str, str] = {}

    def line(self, node: Tree) -> int:
        return self._first + (node.get("line") or 1)

    def unknown(self, what: str, node: Tree) -> None:
        self.look.unknown(what, self.line(node))

    # -------------------------------------------------------------------- imports

    def imports(self, node: Tree) -> None:
        """Every import counts everywhere: whatever else a name is bound to, it may be this."""
        if node["_"] == "Import":
            for alias in node["names"]:
                self._module(alias["name"], node)
                bound = alias["asname"] or alias["name"].partition(".")[0]
                self._bind(bound, alias["name"] if alias["asname"] else bound, node)
        elif node["_"] == "ImportFrom":
            module = "." * (node["level"] or 0) + (node["module"] or "")
            self._module(module, node)
            for alias in node["names"]:
                if alias["name"] == "*" and module not in ("math", "typing"):
                    self.unknown(f"what is imported from {module}", node)
                elif alias["name"] != "*":
                    self._attribute(module, alias["name"], node)
                    self._bind(alias["asname"] or alias["name"], f"{module}.{alias['name']}", node)
        for _, child in children(node):
            self.imports(child)

    def _bind(self, name: str, what: str, node: Tree) -> None:
        if self._bound.setdefault(name, what) != what:
            self.unknown(f"what {name} is", node)

    def _module(self, module: str, node: Tree) -> None:
        if module not in names.HARMLESS and module not in names.LOOKED_INTO:
            self.unknown(f"what the module {module} does", node)

    def _attribute(self, module: str, name: str, node: Tree) -> None:
        inside = module.split(".")[0]
        known = f"{module}.{name}" in names.SUBMODULES or name in names.ALSO_FUNCTIONS
        hidden = name.startswith("_") or (name in names.MODULES and not known)
        if inside != "tools" and (hidden or name in names.REACHING):
            self.unknown(f"what {module}.{name} reaches", node)

    # -------------------------------------------------------------------- the tree

    def walk(self, node: Tree, above: list[Tree]) -> None:
        kind = node["_"]
        if kind == "Attribute":
            self._dot(node["attr"], node)
        elif kind == "MatchClass":
            for name in node["kwd_attrs"]:
                self._dot(name, node)
        elif kind == "Name":
            self._name(node, above)
        for _, child in children(node):
            self.walk(child, [*above, node])

    def _dot(self, name: str, node: Tree) -> None:
        special = name.startswith("__") and name not in names.PLAIN_SPECIAL
        if special or name in names.REACHING:
            self.unknown(f"what is reached by .{name}", node)

    def _name(self, node: Tree, above: list[Tree]) -> None:
        name = node["id"]
        if name in self._bound:
            return self._path(self._bound[name], node, above)
        if name == "open":
            return self._open(node, above)
        if name == "getattr":
            call = _call_of(node, above)
            wanted = literal(call["args"][1]) if call and len(call["args"]) > 1 else UNKNOWN
            if not isinstance(wanted, str):
                return self.unknown("what getattr reaches", node)
            return self._dot(wanted, node)
        special = name.startswith("__") and name not in ("__name__", "__file__", "__doc__")
        if name in names.POWERFUL or special:
            self.unknown(f"what {name} {'runs' if name in ('exec', 'eval') else 'reaches'}", node)
        return None

    def _path(self, path: str, node: Tree, above: list[Tree]) -> None:
        """A module or something of one, followed along the dots."""
        inner, place = node, len(above) - 1
        while place >= 0 and above[place]["_"] == "Attribute" and above[place]["value"] is inner:
            inner = above[place]
            if (
                path in names.HARMLESS
                or path in names.LOOKED_INTO
                or path.split(".")[0] in names.HARMLESS
            ):
                self._attribute(path, inner["attr"], inner)
            path, place = f"{path}.{inner['attr']}", place - 1
        root = path.partition(".")[0]
        call = _call_of(inner, above[: place + 1])
        if inner["_"] == "Name" and inner.get("ctx", {}).get("_") != "Load":
            return None
        if root == "tools":
            return self._tool(path, call, inner)
        if path in names.HARMLESS or path in names.LOOKED_INTO:
            return self.unknown(f"what is done with the module {path}", inner)
        handler = {
            "subprocess": self._subprocess,
            "os": self._os,
            "pathlib": self._pathlib,
            "sys": self._sys,
        }
        if root in handler:
            return handler[root](path.partition(".")[2], call, inner, above[: place + 1])
        if root in ("shutil", "glob", "io", "tempfile"):
            return self._other_files(path, call, inner)
        return None

    # -------------------------------------------------------------------- tools

    def _tool(self, path: str, call: Tree | None, node: Tree) -> None:
        segments = path.split(".")[1:]
        if segments[:1] == ["aio"]:
            segments = segments[1:]
        known_ids = set(self.look.tools.values())
        name = self.look.tools.get(".".join(segments), canonical(".".join(segments)))
        if not segments or (known_ids and name not in known_ids):
            return self.unknown("which tool is called", node)
        arguments: dict[str, Any] | None = None
        if call is not None and not call["args"] and all(each["arg"] for each in call["keywords"]):
            arguments = {each["arg"]: literal(each["value"]) for each in call["keywords"]}
        self.look.found.tools.append(ToolUse(name, arguments, self.look.at(self.line(node))))
        return None

    # -------------------------------------------------------------------- commands

    def _subprocess(self, name: str, call: Tree | None, node: Tree, above: list[Tree]) -> None:
        if name in names.SUBPROCESS_PLAIN:
            return None
        runs = (
            "run",
            "call",
            "check_call",
            "check_output",
            "Popen",
            "getoutput",
            "getstatusoutput",
        )
        given = {each["arg"]: each["value"] for each in call["keywords"]} if call else {}
        if (
            call is None
            or name not in runs
            or None in given
            or not call["args"]
            or len(call["args"]) > 1
            or ({"executable", "env", "preexec_fn", "args"} & given.keys())
        ):
            return self.unknown("which command subprocess runs", node)
        what = call["args"][0]
        words = literal(what)
        in_shell = name.startswith("get") or (
            "shell" in given and literal(given["shell"]) is not False
        )
        if in_shell:
            if not isinstance(words, str):
                return self.unknown("which command subprocess runs", node)
            return self.look.script(words, self.line(node))
        if isinstance(words, str):
            return self.look.command([known(words)], self.line(node))
        return self._words(words, what, node)

    def _words(self, words: Any, what: Tree, node: Tree) -> None:
        spread = what["_"] not in ("List", "Tuple") or any(
            each["_"] == "Starred" for each in what["elts"]
        )
        if not isinstance(words, list) or spread:
            return self.unknown("which command subprocess runs", node)
        args: list[Arg] = [known(word) if isinstance(word, str) else SOMETHING for word in words]
        return self.look.command(args, self.line(node))

    def _os(self, name: str, call: Tree | None, node: Tree, above: list[Tree]) -> None:
        if name in names.OS_PLAIN or name.startswith("path."):
            return None
        if name.startswith("environ"):
            outer = above[-1] if above else node
            stored = outer.get("ctx", {}).get("_") in ("Store", "Del")
            if (
                stored
                or name not in ("environ", "environ.get", "environ.items", "environ.keys")
                or (name == "environ" and outer["_"] not in ("Subscript", "Compare"))
            ):
                self.unknown("what the environment is changed to", node)
            return None
        if name in ("system", "popen"):
            text = literal(call["args"][0]) if call and call["args"] else UNKNOWN
            if not isinstance(text, str):
                return self.unknown(f"which command os.{name} runs", node)
            return self.look.script(text, self.line(node))
        if name not in names.OS_FILES:
            return self.unknown(f"what os.{name} does", node)
        return self._used(names.OS_FILES[name], call, node)

    def _sys(self, name: str, call: Tree | None, node: Tree, above: list[Tree]) -> None:
        if name.split(".")[0] not in names.SYS_PLAIN:
            self.unknown(f"what sys.{name} reaches", node)

    # -------------------------------------------------------------------- files

    def _open(self, node: Tree, above: list[Tree]) -> None:
        call = _call_of(node, above)
        given = {each["arg"]: each["value"] for each in call["keywords"]} if call else {}
        if call is None or None in given or "opener" in given:
            return self.unknown("which file is opened", node)
        mode = literal(
            call["args"][1]
            if len(call["args"]) > 1
            else given.get("mode", {"_": "Constant", "value": "r"})
        )
        if not isinstance(mode, str):
            mode = "+"
            self.unknown("how a file is opened", node)
        kind = (
            "read and write"
            if "+" in mode
            else "append"
            if "a" in mode
            else "write"
            if set(mode) & set("wx")
            else "read"
        )
        return self._used(
            kind, call if call["args"] else {**call, "args": [given.get("file")]}, node
        )

    def _used(self, mode: str, call: Tree | None, node: Tree) -> None:
        """A file that the first argument names; with mode "rename", and the second."""
        count = 2 if mode == "rename" else 1
        given = call["args"][:count] if call else []
        places = [*given, *[None] * (count - len(given))]
        if call and not given and not call["keywords"]:
            places = [{"_": "Constant", "value": "."}]  # of what lists a directory
        for place in places:
            path = literal(place)
            if not isinstance(path, str):
                self.unknown("which file is used", node)
            used = "write" if mode == "rename" else mode
            self.look.file(path if isinstance(path, str) else None, used, self.line(node))

    def _pathlib(self, name: str, call: Tree | None, node: Tree, above: list[Tree]) -> None:
        outer = above[-2] if call is not None and len(above) > 1 else node
        method = outer["attr"] if outer["_"] == "Attribute" and outer["value"] is call else ""
        if name not in ("Path", "PosixPath") or method not in names.PATH_FILES:
            if name not in ("PurePath", "PurePosixPath"):
                self.unknown("which files are used", node)
            return None
        return self._used(names.PATH_FILES[method], call, node)

    def _other_files(self, path: str, call: Tree | None, node: Tree) -> None:
        if path in names.OTHER_FILES:
            self._used(names.OTHER_FILES[path], call, node)
        elif path not in ("io.StringIO", "io.BytesIO", "io.SEEK_SET"):
            self.unknown(f"what {path} does", node)


_Handler = Callable[[str, "Tree | None", Tree, "list[Tree]"], None]


def _call_of(node: Tree, above: list[Tree]) -> Tree | None:
    """The call whose function this is."""
    outer = above[-1] if above else node
    is_call = outer["_"] == "Call" and outer["func"] is node
    return outer if is_call and not any(each["_"] == "Starred" for each in outer["args"]) else None
