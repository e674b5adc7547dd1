"""Names of a JavaScript program: which are its own, and which are the sandbox's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Tree = dict[str, Any]

FUNCTIONS = ("FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression")
_BLOCKS = ("BlockStatement", "ForStatement", "ForInStatement", "ForOfStatement", "SwitchStatement",
           "CatchClause", "StaticBlock")  # fmt: skip


def children(node: Tree) -> Iterator[tuple[str, Tree]]:
    for name, value in node.items():
        if isinstance(value, dict):
            if "type" in value:
                yield name, value
        elif isinstance(value, list):
            for each in value:
                if isinstance(each, dict) and "type" in each:
                    yield name, each


def pattern_names(pattern: Tree | None) -> Iterator[str]:
    """The names that a pattern binds."""
    if pattern is None:
        return
    kind = pattern["type"]
    if kind == "Identifier":
        yield pattern["name"]
    elif kind == "ObjectPattern":
        for each in pattern["properties"]:
            yield from pattern_names(each.get("value") or each.get("argument"))
    elif kind == "ArrayPattern":
        for each in pattern["elements"]:
            yield from pattern_names(each)
    elif kind in ("AssignmentPattern", "RestElement"):
        yield from pattern_names(pattern.get("left") or pattern.get("argument"))


def opens_scope(node: Tree) -> bool:
    return node["type"] in FUNCTIONS or node["type"] in _BLOCKS or node["type"].startswith("Class")


def declared(node: Tree) -> set[str]:
    """The names that belong to the scope that a node opens."""
    names: set[str] = set()
    kind = node["type"]
    if kind in FUNCTIONS:
        for param in node["params"]:
            names.update(pattern_names(param))
        if kind != "ArrowFunctionExpression":
            names.add("arguments")
        if kind == "FunctionExpression" and node.get("id"):
            names.add(node["id"]["name"])
        _hoisted(node["body"], names)
        return names
    if kind == "Program":
        _hoisted(node, names)
    if kind.startswith("Class") and node.get("id"):
        names.add(node["id"]["name"])
    if kind == "CatchClause":
        names.update(pattern_names(node.get("param")))
    for _, child in children(node):
        _lexical(child, names)
        if child["type"] == "SwitchCase":
            for _, statement in children(child):
                _lexical(statement, names)
    return names


def _lexical(node: Tree, names: set[str]) -> None:
    kind = node["type"]
    if kind in ("ExportNamedDeclaration", "ExportDefaultDeclaration") and node.get("declaration"):
        return _lexical(node["declaration"], names)
    if kind == "VariableDeclaration" and node["kind"] != "var":
        for each in node["declarations"]:
            names.update(pattern_names(each["id"]))
    elif kind in ("FunctionDeclaration", "ClassDeclaration") and node.get("id"):
        names.add(node["id"]["name"])
    elif kind == "ImportDeclaration":
        names.update(each["local"]["name"] for each in node["specifiers"])
    return None


def _hoisted(node: Tree, names: set[str]) -> None:
    """``var`` below a function's body, and what its own statements declare."""
    for _, child in children(node):
        kind = child["type"]
        if kind == "VariableDeclaration" and child["kind"] == "var":
            for each in child["declarations"]:
                names.update(pattern_names(each["id"]))
        if kind not in FUNCTIONS and not kind.startswith("Class"):
            _hoisted(child, names)


class Numbers:
    """Which variables hold nothing but numbers, whatever scope a variable of the name is in."""

    def __init__(self, program: Tree) -> None:
        self._written: dict[str, list[Tree | None]] = {}
        self._collect(program)

    def _collect(self, node: Tree) -> None:
        kind = node["type"]
        if kind == "VariableDeclarator":
            self._write(node["id"], node.get("init") or None, loop=False)
        elif kind == "AssignmentExpression":
            operator = node["operator"]
            value = node["right"] if operator in ("=", "+=") else {"type": "Literal", "value": 0}
            logical = operator in ("&&=", "||=", "??=")
            self._write(node["left"], node["right"] if logical else value, loop=False)
        elif kind in ("ForInStatement", "ForOfStatement"):
            left = node["left"]
            targets = (
                [each["id"] for each in left["declarations"]] if "declarations" in left else [left]
            )
            for target in targets:
                self._write(target, None, loop=True)
        elif kind in FUNCTIONS:
            for param in node["params"]:
                self._write(param, None, loop=True)
        elif kind == "CatchClause":
            self._write(node.get("param"), None, loop=True)
        elif kind == "ImportDeclaration":
            for each in node["specifiers"]:
                self._write(each["local"], None, loop=True)
        for _, child in children(node):
            self._collect(child)

    def _write(self, target: Tree | None, value: Tree | None, loop: bool) -> None:
        if target is None or target["type"] == "MemberExpression":
            return
        plain = target["type"] == "Identifier"
        undefined: Tree = {"type": "Literal", "value": 0}
        for name in pattern_names(target):
            given = None if loop or not plain else (undefined if value is None else value)
            self._written.setdefault(name, []).append(given)

    def is_number(self, node: Tree | None, around: frozenset[str] = frozenset()) -> bool:
        if node is None:
            return False
        kind = node["type"]
        if kind == "Literal":
            return isinstance(node["value"], (int, float)) and not isinstance(node["value"], bool)
        if kind == "UpdateExpression":
            return True
        if kind == "UnaryExpression":
            return node["operator"] in ("-", "+", "~")
        if kind == "BinaryExpression":
            if node["operator"] == "+":
                return self.is_number(node["left"], around) and self.is_number(
                    node["right"], around
                )
            return node["operator"] in ("-", "*", "/", "%", "**", "|", "&", "^", "<<", ">>", ">>>")
        if kind == "Identifier":
            name = node["name"]
            if name in around:
                return True
            written = self._written.get(name)
            return written is not None and all(self.is_number(v, around | {name}) for v in written)
        return False
