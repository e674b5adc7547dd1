"""OpenAI's patches: what ``apply_patch`` takes, on the text of files.

A patch of one file is made of chunks; ``@@ text`` says below which line a chunk is, and its lines
begin with a blank (as it is), ``-`` (taken away) or ``+`` (added). A whole patch, between
``*** Begin Patch`` and ``*** End Patch``, has such chunks for several files.
"""

from __future__ import annotations

from typing import NamedTuple

from .editor import EditError

BEGIN, END = "*** Begin Patch", "*** End Patch"
_EOF = "*** End of File"


class Operation(NamedTuple):
    """What becomes of one file: ``"create_file"``, ``"update_file"`` or ``"delete_file"``."""

    type: str
    path: str
    diff: str
    move_to: str | None = None


_HEADS = (
    ("*** Add File: ", "create_file"),
    ("*** Update File: ", "update_file"),
    ("*** Delete File: ", "delete_file"),
)


def operations(patch: str) -> list[Operation]:
    """What a whole patch asks for, in its order."""
    lines = patch.strip().split("\n")
    if lines[0].strip() != BEGIN or lines[-1].strip() != END:
        raise EditError(f"a patch begins with {BEGIN!r} and ends with {END!r}")
    found: list[Operation] = []
    for line in lines[1:-1]:
        head = next(
            ((kind, line[len(mark) :]) for mark, kind in _HEADS if line.startswith(mark)), None
        )
        if head is not None:
            found.append(Operation(head[0], head[1].strip(), ""))
        elif not found:
            raise EditError(f"before the first '*** … File: ' line: {line!r}")
        elif line.startswith("*** Move to: "):
            found[-1] = found[-1]._replace(move_to=line.partition(": ")[2].strip())
        else:
            diff = f"{found[-1].diff}\n{line}" if found[-1].diff else line
            found[-1] = found[-1]._replace(diff=diff)
    return found


def created(diff: str) -> str:
    """The content of a new file: every line of its diff begins with +.

    >>> created("+one\\n+two")
    'one\\ntwo\\n'
    """
    lines = diff.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    for line in lines:
        if not line.startswith("+"):
            raise EditError(f"a line of a new file begins with +: {line!r}")
    return "".join(f"{line[1:]}\n" for line in lines)


def updated(text: str, diff: str) -> str:
    """The text with the chunks of a diff applied.

    >>> updated("a\\nb\\nc\\n", "@@ a\\n-b\\n+B\\n c")
    'a\\nB\\nc\\n'
    """
    lines = text.split("\n")
    made: list[str] = []
    at = 0
    for chunk in _chunks(diff):
        for anchor in chunk.anchors:
            found = _line(lines, anchor, at)
            if found is None:
                where = f" below line {at}" if at else ""
                raise EditError(f"there is no line {anchor!r}{where}")
            at_least = found + 1
            made += lines[at:at_least]
            at = at_least
        start = _find(lines, chunk.old, at, chunk.at_end)
        if start is None:
            wanted = "\n".join(chunk.old)
            where = f", below line {at}" if at else ""
            raise EditError(f"these lines are not in the file{where}:\n{wanted}")
        made += lines[at:start] + chunk.new(lines[start : start + len(chunk.old)])
        at = start + len(chunk.old)
    return "\n".join(made + lines[at:])


class _Chunk:
    def __init__(self) -> None:
        self.anchors: list[str] = []
        self.lines: list[tuple[str, str]] = []
        self.at_end = False

    @property
    def old(self) -> list[str]:
        return [line for mark, line in self.lines if mark != "+"]

    def new(self, found: list[str]) -> list[str]:
        """The lines in the place of those that were found, which may differ in blanks."""
        kept = iter(found)
        out: list[str] = []
        for mark, line in self.lines:
            if mark == "+":
                out.append(line)
                continue
            was = next(kept)
            if mark == " ":
                out.append(was)
        return out


def _chunks(diff: str) -> list[_Chunk]:
    chunks: list[_Chunk] = []
    lines = diff.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    for line in lines:
        if line.startswith("@@"):
            if not chunks or chunks[-1].lines:
                chunks.append(_Chunk())
            anchor = line[2:].strip()
            if anchor:
                chunks[-1].anchors.append(anchor)
            continue
        if not chunks:
            chunks.append(_Chunk())
        if line == _EOF:
            chunks[-1].at_end = True
        elif line[:1] in (" ", "+", "-"):
            chunks[-1].lines.append((line[0], line[1:]))
        elif line == "":
            chunks[-1].lines.append((" ", ""))
        else:
            raise EditError(f"a line of a diff begins with a blank, + or -: {line!r}")
    return chunks


def _line(lines: list[str], anchor: str, at: int) -> int | None:
    for clean in (str, str.strip):
        for index in range(at, len(lines)):
            if clean(lines[index]) == clean(anchor):
                return index
    return None


def _find(lines: list[str], old: list[str], at: int, at_end: bool) -> int | None:
    """Where these lines stand; at first exactly, then whatever blanks they end or begin with."""
    if not old:
        # Nothing but additions: below the anchor, or at the end of the file.
        return at if at and not at_end else len(lines) - (lines[-1] == "")
    last = len(lines) - (lines[-1] == "")
    for clean in (str, str.rstrip, str.strip):
        wanted = [clean(line) for line in old]
        starts = range(at, len(lines) - len(old) + 1)
        for start in starts:
            if at_end and start + len(old) < last:
                continue
            if [clean(line) for line in lines[start : start + len(old)]] == wanted:
                return start
    return None
