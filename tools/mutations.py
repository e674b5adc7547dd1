"""mutations.py: where tools/mutate.py changes C, how, and which tests have to notice.

A mutation takes one check away: a condition that is never true, an operand of && and || that does
not count, a comparison whose border moves by one. Conditions are found as text: our own C is
formatted, and has no macros around them. Assertions are left out: they say what is true anyway.
"""

import dataclasses
import functools
import pathlib
import re

# The files of the boundary and the test programs that know them, the quickest first.
KERNEL = ["api_hostile_kernel", "api_proofs", "api_snapshot"]
MACHINE = ["api_proofs", "api_misuse", "api_limits", "api_authority", "api_fork", "api_hostile_kernel",
           "api_snapshot", "api_hostile", "api_interrupt"]
CAPABILITY = [f"unit_test_capability_{n}" for n in
              ("gate", "constraint", "policy", "token", "schema", "pattern", "regex", "reserved",
               "random", "fault")]
TESTS = [
    ("host/machine/trampoline.c", ["api_hostile_kernel", "api_hostile", "api_proofs", "api_fork",
                                   "api_replay"]),
    ("host/machine/kernel.c", [*KERNEL, "api_replay", "api_fault"]),
    ("host/machine/loop.c", [*MACHINE, "api_replay"]),
    ("host/machine/calls.c", [*MACHINE, "api_replay"]),
    ("host/machine/fork.c", ["api_fork", *MACHINE, "api_fault"]),
    ("host/gate.c", ["api_authority", "api_misuse"]),
    ("host/authority.c", ["api_authority", "api_misuse"]),
    ("host/capability/gate.c", CAPABILITY),
    ("host/capability/decide.c", CAPABILITY),
    ("host/capability/counters.c", CAPABILITY),
    ("host/capability/attenuation.c", CAPABILITY),
    ("host/capability/constraint_eval.c", CAPABILITY),
    ("host/capability/implies.c", CAPABILITY),
    ("host/capability/match.c", CAPABILITY),
    ("host/capability/path.c", CAPABILITY),
    ("host/capability/reserved.c", CAPABILITY),
    ("host/capability/token.c", CAPABILITY),
    ("host/cpu/instance.c", ["unit_test_cpu", "api_hostile", "api_limits", "api_hostile_kernel",
                             "api_fault"]),
    ("host/cpu/memory.c", ["unit_test_cpu", "api_hostile", "api_limits", "api_fault"]),
    ("host/cpu/run.c", ["unit_test_cpu", "api_hostile", "api_hostile_kernel", "api_fault"]),
    ("host/cpu/trap.c", ["unit_test_cpu", "api_hostile", "api_hostile_kernel"]),
    ("host/cpu/wasm_rt.c", ["unit_test_cpu", "api_hostile", "api_limits", "api_fault"]),
    ("host/snapshot/codec.c", ["api_snapshot", "fuzz_snapshot", "api_fault"]),
    ("host/snapshot/frame.c", ["api_snapshot", "fuzz_snapshot", "api_fault"]),
    ("host/snapshot/memory.c", ["api_snapshot", "fuzz_snapshot", "api_fault"]),
    ("host/snapshot/snapshot.c", ["api_snapshot", "fuzz_snapshot", "api_fault"]),
]


def tests_of(file: str | None) -> list[str]:
    """The tests that know a file; without one, all the files."""
    if file is None:
        return [name for name, _ in TESTS]
    found = [tests for name, tests in TESTS if name == file]
    if not found:
        raise SystemExit(f"tools/mutations.py names no tests for {file}")
    return list(dict.fromkeys(found[0]))


@dataclasses.dataclass
class Mutation:
    name: str  # FILE FUNCTION KIND `TEXT`, and #N from the second of that name on
    file: str
    source: str
    start: int
    end: int
    new: str

    def text(self) -> str:
        return self.source[:self.start] + self.new + self.source[self.end:]


CONDITION = re.compile(r"\b(?:if|while) \(|\breturn ")
FUNCTION = re.compile(r"^[a-zA-Z_][^;={}#/]*?\b(\w+)\([^;{}]*\)\s*\{", re.M)
COMPARISON = re.compile(r"(?<![-<>=!])(<=|>=|<|>)(?![<>=])")
BORDERS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SKIPPED = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:.*\\\n)*.*$",
                     re.S | re.M)


def blank(source: str) -> str:
    """The source with spaces for comments, strings and preprocessor lines, at the same places."""
    def spaces(match: re.Match) -> str:
        return "".join("\n" if c == "\n" else "_" for c in match[0])
    out, at = [], 0
    for match in SKIPPED.finditer(source):
        text = match[0]
        if text[0].isspace() or text[0] == "#":  # '.' of re.S must not run past the line
            text = re.match(r"[ \t]*#(?:[^\n]*\\\n)*[^\n]*", text)[0]
        if match.start() < at:
            continue
        out.append(source[at:match.start()])
        out.append("".join(c if c == "\n" else "_" for c in text))
        at = match.start() + len(text)
    return "".join(out) + source[at:]


def closing(text: str, at: int) -> int:
    """Where the parenthesis that opens at `at` closes."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    raise ValueError("a parenthesis is open")


def operands(text: str, start: int, end: int) -> list[tuple[int, int, str]]:
    """The operands of && and || in [start, end), with the operator that joins them: of every level."""
    found, depth, cuts = [], 0, []
    at = start
    while at < end:
        c = text[at]
        if c == "(":
            close = closing(text, at)
            found += operands(text, at + 1, min(close, end))
            at = close
        elif text[at:at + 2] in ("&&", "||"):
            cuts.append((at, text[at:at + 2]))
            at += 1
        elif c in "?:,;" and depth == 0:
            cuts.append((at, c))
        at += 1
    # Only where one operator joins all: our C puts parentheses where both stand.
    kinds = {kind for _, kind in cuts}
    if kinds in ({"&&"}, {"||"}):
        edges = [start, *(at + 2 for at, _ in cuts)], [*(at for at, _ in cuts), end]
        for a, b in zip(*edges):
            found.append((a + len(text[a:b]) - len(text[a:b].lstrip()), b, cuts[0][1]))
    elif kinds == {"&&", "||"}:
        last, joined = start, [(at, kind) for at, kind in cuts if kind == "||"]
        for at, _ in [*joined, (end, "")]:
            stripped = last + len(text[last:at]) - len(text[last:at].lstrip())
            found.append((stripped, at, "||"))
            inner = [c for c in cuts if c[1] == "&&" and last <= c[0] < at]
            if inner:
                edges = [last, *(i + 2 for i, _ in inner)], [*(i for i, _ in inner), at]
                found += [(a + len(text[a:b]) - len(text[a:b].lstrip()), b, "&&")
                          for a, b in zip(*edges)]
            last = at + 2
    return found


def spots(source: str) -> list[tuple[int, int, str, str]]:
    """All changes of a file: from where to where, what stands there then, and what kind it is."""
    text = blank(source)
    changes = set()
    for match in CONDITION.finditer(text):
        start = match.end()
        if match[0].startswith("return"):
            end = text.index(";", start)
            is_condition = False
        else:
            end = closing(text, start - 1)
            is_condition = True
        parts = operands(text, start, end)
        for a, b, kind in parts:
            a, b = a, a + len(text[a:b].rstrip())
            changes.add((a, b, f"{int(kind == '&&')}", "operand"))
        if is_condition and match[0].startswith("if"):
            top = [k for a, b, k in parts if "||" == k]
            if not top:
                changes.add((start, end, f"0 && ({source[start:end]})", "never"))
        for found in COMPARISON.finditer(text, start, end):
            if text[found.start() - 1] == " " and text[found.end()] == " ":
                changes.add((found.start(), found.end(), BORDERS[found[1]], "border"))
    return sorted(changes)


@functools.cache
def find(root: pathlib.Path, file: str) -> list[Mutation]:
    """The mutations of a file, in the order in which they stand there."""
    source = (root / file).read_text()
    text = blank(source)
    heads = [(m.start(), m[1]) for m in FUNCTION.finditer(text)]
    found, seen = [], {}
    for start, end, new, kind in spots(source):
        function = next((name for at, name in reversed(heads) if at <= start), "?")
        if kind == "border":  # the whole line tells which
            a, b = source.rindex("\n", 0, start) + 1, source.index("\n", end)
        else:
            a, b = start, end
        shown = " ".join(source[a:b].split())
        name = f"{file} {function} {kind} `{shown}`"
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name += f" #{seen[name]}"
        found.append(Mutation(name, file, source, start, end, new))
    return found
