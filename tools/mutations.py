"""mutations.py: where tools/mutate.py changes C, and how.

A mutation takes one check away: a condition that is never true, an operand of && and || that does
not count, a comparison whose border moves by one. Conditions are found as text: our own C is
formatted, and has no macros around them. Assertions are left out: they say what is true anyway.

All mutations of a file stand in one text, each behind its number: tests/mutation/mutant.h.
"""

import dataclasses
import hashlib
import pathlib
import re

# What decides about authority. Other files can be named as arguments.
FILES = [
    "host/gate.c", "host/authority.c", "host/machine/rejudge.c",
    *(f"host/capability/{n}.c" for n in
      ("gate", "decide", "counters", "attenuation", "constraint_eval", "implies", "match", "path",
       "pattern", "reserved", "token", "cbor")),
]


@dataclasses.dataclass(frozen=True)
class Mutation:
    name: str  # FILE FUNCTION KIND `TEXT`, and #N from the second of that name on
    file: str
    function: str  # a digest of its text
    start: int  # the expression in the file's text
    end: int
    value: str  # what it is then: "0", "1" or, with another border, the whole expression

    def expression(self, number: int, inner: str) -> str:
        """What stands for the expression; `inner` is it, with the mutations inside."""
        if self.value == "0":
            return f"(!mutant({number}) && ({inner}))"
        if self.value == "1":
            return f"(mutant({number}) || ({inner}))"
        return f"(mutant({number}) ? ({self.value}) : ({inner}))"


CONDITION = re.compile(r"\b(?:if|while) \(|\breturn |(?<![=!<>])= ")
FUNCTION = re.compile(r"^[a-zA-Z_][^;={}#/]*?\b(\w+)\([^;{}]*\)\s*\{.*?^\}", re.M | re.S)
COMPARISON = re.compile(r"(?<= )(<=|>=|<|>)(?= )")
BORDERS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SKIPPED = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
                     r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
# What parts expressions; and what binds less than < does.
SEPARATOR = r"[?:,;]|(?<![=!<>])=(?!=)"
WEAKER = r"&&|\|\||[=!]=|(?<=[\w)\]] )[&|^] |" + SEPARATOR


def blank(source: str) -> str:
    """The source with _ for comments, strings and preprocessor lines, at the same places."""
    return SKIPPED.sub(lambda m: re.sub(r"[^\n]", "_", m[0]), source)


def closing(text: str, at: int) -> int:
    """Where the bracket that opens at `at` closes."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i
    raise ValueError("a bracket is open")


def flat(text: str, start: int, end: int) -> str:
    """The text of [start, end) with _ for what is in brackets."""
    out, at = [], start
    while at < end:
        close = min(closing(text, at), end - 1) if text[at] in "([{" else at
        out.append(text[at] if close == at else "_" * (close + 1 - at))
        at = close + 1
    return "".join(out)


def end_of(text: str, start: int) -> int:
    """Where the expression at `start` ends: at ; or , or a bracket that closes around it."""
    at = start
    while text[at] not in ";,)]}":
        at = closing(text, at) + 1 if text[at] in "([{" else at + 1
    return at


def pieces(text: str, separator: str) -> list[tuple[int, int, str]]:
    """The pieces between separators, without the spaces around them, and what follows each."""
    found, at = [], 0
    for match in [*re.finditer(separator, text), None]:
        end = match.start() if match else len(text)
        piece = text[at:end]
        found.append((at + len(piece) - len(piece.lstrip()), at + len(piece.rstrip()),
                      match[0] if match else ""))
        at = match.end() if match else end
    return found


def operands(text: str, start: int, end: int) -> set[tuple[int, int, str, str]]:
    """Operands of && and ||, and conditions before ?, of every level in [start, end): from where
    to where, what value takes the check away, and the kind."""
    found, at = set(), start
    while at < end:
        if text[at] in "([{":
            close = closing(text, at)
            found |= operands(text, at + 1, min(close, end))
            at = close
        at += 1
    level = flat(text, start, end)
    for a, b, after in pieces(level, SEPARATOR):
        if after == "?":
            found.add((start + a, start + b, "0", "never"))
        either = pieces(level[a:b], r"\|\|")
        for c, d, _ in either:
            both = pieces(level[a + c:a + d], "&&")
            if len(either) > 1:
                found.add((start + a + c, start + a + d, "0", "operand"))
            if len(both) > 1:
                found |= {(start + a + c + e, start + a + c + f, "1", "operand")
                          for e, f, _ in both}
    return found


def around(text: str, start: int, end: int, at: int) -> tuple[int, int]:
    """The operands of the comparison at `at`, and it, in [start, end)."""
    depth, a = 0, at
    while a > start:
        depth += {")": 1, "]": 1, "}": 1, "(": -1, "[": -1, "{": -1}.get(text[a - 1], 0)
        if depth < 0:
            break
        a -= 1
    b = end_of(text, at)
    while b < end and text[b] == ",":
        b = end_of(text, b + 1)
    b = min(b, end)
    for c, d, _ in pieces(flat(text, a, b), WEAKER):
        if a + c <= at < a + d:
            return a + c, a + d
    raise ValueError(text[a:b])


def bodies(text: str) -> list[tuple[int, int, str]]:
    return [(m.start(), m.end(), m[1]) for m in FUNCTION.finditer(text)]


def spots(source: str) -> list[tuple[int, int, str, str, int]]:
    """All changes of a file: from where to where, the value, the kind, and where < stands."""
    text, changes = blank(source), set()
    for first, last, _ in bodies(text):
        for match in CONDITION.finditer(text, first, last):
            start = match.end()
            statement = max(text.rfind(c, 0, match.start()) for c in ";{}")
            if re.match(r"[;{}\s]*static\b", text[statement:match.start()]):
                continue
            condition = match[0][0] in "iw"
            end = closing(text, start - 1) if condition else end_of(text, start)
            parts = operands(text, start, end)
            changes |= {(*part, 0) for part in parts}
            level = flat(text, start, end)
            if match[0].startswith("if") and "||" not in level:
                changes.add((start, end, "0", "never", 0))
            for found in COMPARISON.finditer(text, start, end):
                a, b = around(text, start, end, found.start())
                value = source[a:found.start()] + BORDERS[found[1]] + source[found.end():b]
                changes.add((a, b, value, "border", found.start()))
    return sorted(changes, key=lambda c: (c[4] or c[0], c[0], -c[1], c[3]))


def find(root: pathlib.Path, file: str) -> list[Mutation]:
    """The mutations of a file, in the order in which they stand there."""
    source = (root / file).read_text()
    heads = bodies(blank(source))
    found, seen = [], {}
    for start, end, value, kind, sign in spots(source):
        first, last, function = next(head for head in heads if head[0] <= start < head[1])
        a, b = start, end
        if kind == "border":  # the whole line tells which
            a, b = source.rindex("\n", 0, sign) + 1, source.index("\n", sign)
        shown = " ".join(source[a:b].split())
        name = f"{file} {function} {kind} `{shown}`"
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name += f" #{seen[name]}"
        digest = hashlib.sha256(source[first:last].encode()).hexdigest()[:16]
        found.append(Mutation(name, file, digest, start, end, value))
    return found


def changed(source: str, mutations: list[tuple[int, Mutation]]) -> str:
    """The text with all of its mutations, each behind its number."""
    def write(start: int, end: int, inside: list[tuple[int, Mutation]]) -> str:
        out, at = [], start
        while inside:
            (number, outer), *rest = inside
            nested = [m for m in rest if m[1].start < outer.end]
            assert all(m.end <= outer.end for _, m in nested), outer
            inner = write(outer.start, outer.end, nested)
            out += [source[at:outer.start], outer.expression(number, inner)]
            at, inside = outer.end, rest[len(nested):]
        return "".join(out) + source[at:end]
    ordered = sorted(mutations, key=lambda m: (m[1].start, -m[1].end, m[1].value not in "01"))
    return '#include "tests/mutation/mutant.h"\n#line 1\n' + write(0, len(source), ordered)
