"""A preview as a person reads it: branches side by side, or one below the other.

Nothing in it acts on a terminal: what a script could choose went through `printable`.
"""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from ._native import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .preview import Branch, Followed, Preview

#: Columns that a branch needs beside others.
_LEAST_COLUMNS = 38
#: Lines of one part: the rest is counted.
_MOST_LINES = 60
_MOST_CHARACTERS = 400

_SOURCES = {
    "pure": "answered by the tool, which changes nothing",
    "simulated": "with what the tool would probably give",
    "recorded": "with what it gave before",
    "given": "",
    "unknown": "",
}


def text_of(preview: Preview, width: int | None) -> str:
    call = preview.call
    head = f"{call.method} is to be called with {_short(call.params_json)}"
    columns = [lines_of(branch) for branch in preview.branches]
    room = 0 if width is None else (width - 3 * (len(columns) - 1)) // len(columns)
    if room < _LEAST_COLUMNS:
        parts = ["\n".join(lines) for lines in columns]
        return "\n\n".join([head, *parts])
    folded = [[piece for line in lines for piece in _fold(line, room)] for lines in columns]
    rows = [head, ""]
    for row in range(max(map(len, folded))):
        cells = [lines[row] if row < len(lines) else "" for lines in folded]
        padded = [cell + " " * (room - columns_of(cell)) for cell in cells[:-1]]
        rows.append(" │ ".join([*padded, cells[-1]]).rstrip())
    return "\n".join(rows)


def lines_of(branch: Branch) -> list[str]:
    """A branch in lines, the first of which names it."""
    lines = [f"[{branch.label}]{_about(branch)}"]
    if branch.refused is not None:
        return [*lines, f"  not possible: {printable(branch.refused)}"]
    if branch.answer is not None:
        source = _SOURCES[branch.source]
        lines.append(f"  answer: {_short(branch.answer)}" + (f" ({source})" if source else ""))
    if branch.changes:
        lines.append("  files:")
        for change in branch.changes[:_MOST_LINES]:
            lines.append(f"    {change}")
            lines += _some(change.diff.split("\n"), "      ")
        if len(branch.changes) > _MOST_LINES:
            lines.append(f"    … {len(branch.changes) - _MOST_LINES} more files …")
    for name, text in (("output", branch.stdout), ("errors", branch.stderr)):
        if text:
            lines += [f"  {name}:", *_some(text.rstrip("\n").split("\n"), "    ")]
    if branch.calls:
        lines += ["  then it calls:", *_some([_called(call) for call in branch.calls], "    ")]
    lines.append(f"  {_end(branch)}")
    return lines


def _about(branch: Branch) -> str:
    from .choices import Edit, No

    if isinstance(branch.choice, Edit):
        if branch.refused is None:
            return f" with {_short(branch._call.params_json)}"
        return f" with {_short(repr(branch.choice.params))}"
    if isinstance(branch.choice, No) and branch.choice.why:
        return f": {_short(branch.choice.why)}"
    return ""


def _called(call: Followed) -> str:
    from .answer import to_json

    text = f"{call.method} {to_json(call.params)}"
    if call.state == "answered":
        return f"{text} → {call.text}"
    if call.state == "denied":
        return f"{text}: denied: {call.text}"
    return f"{text}: {'somebody is asked' if call.state == 'asks' else 'not called yet'}"


def _end(branch: Branch) -> str:
    if branch.stopped is not None:
        return f"unknown: {printable(branch.stopped)}"
    if branch.result is None:
        return "the script then waits" if branch.calls else "the script still waits"
    status = f"the script ends with status {branch.result.exit_code}"
    if branch.result.limit is not None:
        return f"{status}, at the limit {branch.result.limit}"
    if not branch.changes and not branch.stdout and not branch.stderr:
        return f"{status}, without output, no file changed"
    return status


def _some(lines: list[str], indent: str) -> list[str]:
    shown = [f"{indent}{_short(line)}" for line in lines[:_MOST_LINES]]
    if len(lines) > _MOST_LINES:
        shown.append(f"{indent}… {len(lines) - _MOST_LINES} more lines …")
    return shown


def _short(text: str) -> str:
    """For one line."""
    if len(text) > _MOST_CHARACTERS:
        text = f"{text[:_MOST_CHARACTERS]}…"
    return printable(text)


def columns_of(text: str) -> int:
    """How wide a terminal shows it."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _fold(line: str, room: int) -> list[str]:
    """In pieces of so many columns; what goes on is indented as its line."""
    indent = line[: len(line) - len(line.lstrip(" "))][: room // 2]
    pieces, piece, used = [], "", 0
    for character in line:
        wide = columns_of(character)
        if used + wide > room:
            pieces.append(piece)
            piece, used = f"{indent}  ", len(indent) + 2
        piece += character
        used += wide
    return [*pieces, piece]
