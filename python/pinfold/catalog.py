"""The functions that scripts can call, in words for a model: as much as a budget has room for.

The declarations are those that programs find in /tools/tools.d.ts; what no capability grants is
left out.
"""

from __future__ import annotations

import re

from .grants import conditions, granting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .sandbox import Sandbox

_CALLS = (
    "Scripts call these functions; each takes one object and gives a promise. Do many steps in"
    " one script, in parallel with Promise.all, and print only what you need."
    " In Python: `import tools`, then `tools.NAME(param=value)`, which waits, or"
    " `await tools.aio.NAME(...)` for several at once."
    " In shell: `tool NAME --param value`, which prints JSON. A call that fails throws ToolError,"
    " one that is denied CapabilityError (in shell: status 1 and 126). In JavaScript integers"
    " beyond 2^53 are BigInt (123n), in results and in arguments; `return` and console.log show"
    " them exactly."
)
_SHORTENED = (
    "This list is shortened: `tool --help NAME` in shell tells all about a function,"
    " `tool --search WORD` finds one, /tools/tools.d.ts has the types of all."
)
_ANY = (
    'Scripts also reach every method that is granted, as tools.a.b({…}), tools["a/b"]({…}) or, in'
    " shell, `tool a/b`:"
)


class _Declared:
    """One function, as tools.d.ts has it."""

    def __init__(self, id: str, comment: str, signature: str) -> None:
        self.id = id
        #: Without marks, one line for each.
        self.comment = comment
        #: `(params: …): Promise<…>`
        self.signature = signature
        self.flat: str | None = None

    @property
    def name(self) -> str:
        return self.flat or f'tools["{self.id}"]'

    @property
    def first_words(self) -> str:
        """The first sentence of what it does."""
        line = self.comment.partition("\n")[0]
        sentence = re.match(r".*?[.!?](?=\s|$)", line)
        return (sentence[0] if sentence else line)[:200]

    def whole(self) -> str:
        return _commented(self.comment) + self._typed()

    def brief(self) -> str:
        return _commented(self.first_words) + self._typed()

    def line(self) -> str:
        return f"{self.name}: {self.first_words}".removesuffix(": ")

    def _typed(self) -> str:
        if self.flat is not None:
            return f"declare function {self.flat}{self.signature};"
        return f'declare const tools: {{ "{self.id}"{self.signature} }};'


def declarations(sandbox: Sandbox) -> str:
    """Every function that may be called, in TypeScript; "" when there is none."""
    return "\n".join(function.whole() for function in _declared(sandbox))


def describe_calls(sandbox: Sandbox, budget: int | None) -> str:
    """What scripts can call and how, in at most so many characters, if that is enough for names."""
    functions = _declared(sandbox)
    parts = [_CALLS] if functions else []
    others = _granted_beyond(sandbox)
    if others:
        parts.append(f"{_ANY}\n{others}")
    if not functions:
        return "\n\n".join(parts)
    left = None if budget is None else budget - sum(map(len, parts)) - 2 * len(parts)
    return "\n\n".join([*parts, _fitting(functions, left)])


def _fitting(functions: list[_Declared], budget: int | None) -> str:
    shapes: tuple[Callable[[_Declared], str], ...] = (
        _Declared.whole,
        _Declared.brief,
        _Declared.line,
        lambda function: function.name,
    )
    for shape in shapes:
        text = "\n".join(map(shape, functions))
        if shape is not _Declared.whole:
            text = f"{_SHORTENED}\n\n{text}"
        if budget is None or len(text) <= budget:
            return text
    return _some(functions, budget or 0)


def _some(functions: list[_Declared], budget: int) -> str:
    """As many names as there is room for."""
    left = budget - len(_SHORTENED) - 60
    shown: list[str] = []
    for function in functions:
        left -= len(function.name) + 1
        if left < 0:
            break
        shown.append(function.name)
    more = f"… and {len(functions) - len(shown)} more: `tool --list` names them all"
    return "\n".join([_SHORTENED, "", *shown, more])


_ENTRY = re.compile(r'^  "(?P<id>[^"]*)"(?P<signature>\(params: .*);$', re.MULTILINE)
_FLAT = re.compile(r'^declare const ([\w$]+): \(typeof tools\)\["([^"]*)"\];$', re.MULTILINE)


def _declared(sandbox: Sandbox) -> list[_Declared]:
    """What is declared and granted, in the order of its declaration."""
    if not sandbox.tools:
        return []
    text = sandbox.files.text("/tools/tools.d.ts")
    head, _, tail = text.partition("\n};\n")
    found: dict[str, _Declared] = {}
    begin = head.index("{\n") + 2
    for entry in _ENTRY.finditer(head, begin):
        comment = _uncommented(head[begin : entry.start()])
        found[entry["id"]] = _Declared(entry["id"], comment, entry["signature"])
        begin = entry.end() + 1
    for flat, id in _FLAT.findall(tail):
        found[id].flat = flat
    return [f for f in found.values() if granting(f.id, sandbox.capabilities)]


def _uncommented(text: str) -> str:
    lines = text.strip().removeprefix("/**").removesuffix("*/").strip().split("\n")
    return "\n".join(re.sub(r"^\s*\* ?\s?", "", line).rstrip() for line in lines)


def _commented(text: str) -> str:
    if not text:
        return ""
    lines = [line for line in text.split("\n") if line]
    return "/** " + "\n *  ".join(lines) + " */\n"


def _granted_beyond(sandbox: Sandbox) -> str:
    """What a handler of all methods makes callable, beside the tools: a line for each pattern."""
    if sandbox._tool_handler is None:
        return ""
    lines = []
    for capability in sandbox.capabilities:
        if capability.method_pattern.replace(".", "/") in sandbox._tools:
            continue
        how = conditions([capability]).removeprefix("Allowed: ")  # one case, so without a number
        lines.append(f"- {capability.method_pattern}" + (f" ({how[:-1]})" if how else ""))
    return "\n".join(lines)
