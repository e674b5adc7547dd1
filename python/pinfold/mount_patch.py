"""Two states of a directory as a patch that ``git apply`` takes."""

from __future__ import annotations

import difflib
import hashlib
import io
import os
import stat
import zlib
from base64 import b85encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .bounds import Look
    from .machine import Machine

#: A file: its mode as git has it, and its bytes (of a link: where it leads).
File = tuple[int, bytes]
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_LINES = 4_000_000  # lines of one side times lines of the other: more is one hunk
#: A text with more bytes or lines is put as binary, for each line is an object here.
_TEXT_BYTES, _TEXT_LINES = 16 << 20, 500_000
_PIECE = 1 << 20  # of work between two looks at the time
_NOTHING = "0" * 40


def write_patch(machine: Machine, place: str, directory: str, context: int, look: Look) -> str:
    """What a mount has become, beside the host directory as it is now."""
    out = io.StringIO()
    skip = len(place.rstrip("/")) + 1
    changes = machine.mount_changes(place, look.left("what has changed"), look.seconds())
    for path in sorted(path for _, path in changes):
        name = path[skip:]
        if not name or ".git" in name.lower().split("/"):
            continue
        new = _inside(machine, path, look)
        text = _one(name, _on_the_host(directory, name, look), new, context, look)
        look.spend("the patch", len(text))
        out.write(text)
    return out.getvalue()


def _inside(machine: Machine, path: str, look: Look) -> File | None:
    """What the sandbox has there; None: no file or link."""
    of = "what has changed"
    seconds = look.seconds()
    try:
        mode, size, _ = machine.file_lstat(path)
        if stat.S_ISLNK(mode):
            return 0o120000, machine.file_link(path)
        if not stat.S_ISREG(mode):
            return None
        look.spend(of, size)
        data = machine.file_read(path, size + 1, seconds) if size else b""
    except (FileNotFoundError, NotADirectoryError):
        return None
    look.spend(of, max(0, len(data) - size))
    return (0o100755 if mode & 0o100 else 0o100644), data


def _on_the_host(directory: str, path: str, look: Look) -> File | None:
    """What is there now; None: no file or link. No part of the way is followed when it is a link."""
    parts = path.split("/")
    look.seconds()
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        state = os.lstat(parts[-1], dir_fd=folder)
        if stat.S_ISLNK(state.st_mode):
            return 0o120000, os.fsencode(os.readlink(parts[-1], dir_fd=folder))
        if not stat.S_ISREG(state.st_mode):
            return None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # perhaps it is a FIFO by now
        with os.fdopen(os.open(parts[-1], flags, dir_fd=folder), "rb") as opened:
            state = os.fstat(opened.fileno())
            if not stat.S_ISREG(state.st_mode):
                return None
            mode = 0o100755 if state.st_mode & 0o100 else 0o100644
            return mode, _all_of(opened, look)
    except OSError:
        return None
    finally:
        os.close(folder)


def _all_of(file: io.BufferedReader, look: Look) -> bytes:
    pieces = []
    while piece := file.read(_PIECE):
        look.spend("what the host has", len(piece))
        pieces.append(piece)
    return b"".join(pieces)


def _one(path: str, old: File | None, new: File | None, context: int, look: Look) -> str:
    if old == new:
        return ""
    if old and new and stat.S_IFMT(old[0]) != stat.S_IFMT(new[0]):
        gone = _one(path, old, None, context, look)
        return gone + _one(path, None, new, context, look)
    a, b = _quoted("a/" + path), _quoted("b/" + path)
    out = [f"diff --git {a} {b}\n"]
    if old is None:
        out.append(f"new file mode {new[0]:06o}\n")  # type: ignore[index]
    elif new is None:
        out.append(f"deleted file mode {old[0]:06o}\n")
    elif old[0] != new[0]:
        out.append(f"old mode {old[0]:06o}\nnew mode {new[0]:06o}\n")
    before, after = old[1] if old else b"", new[1] if new else b""
    if old and new and before == after:
        return "".join(out)
    same = f" {old[0]:06o}" if old and new and old[0] == new[0] else ""
    out.append(f"index {_name(old, look)}..{_name(new, look)}{same}\n")
    if not (_is_text(before) and _is_text(after)):
        both = _binary(after, look) + "\n" + _binary(before, look)
        return "".join(out) + "GIT binary patch\n" + both + "\n"
    if before == after:
        return "".join(out)
    tabs = ["\t" if " " in name else "" for name in (a, b)]
    out.append(f"--- {a if old else '/dev/null'}{tabs[0] if old else ''}\n")
    out.append(f"+++ {b if new else '/dev/null'}{tabs[1] if new else ''}\n")
    return "".join(out) + _hunks(_lines(before), _lines(after), context, look)


def _name(file: File | None, look: Look) -> str:
    if file is None:
        return _NOTHING
    digest = hashlib.sha1(b"blob %d\0" % len(file[1]), usedforsecurity=False)
    for piece in _pieces(file[1], look):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(data: bytes, look: Look) -> Iterator[memoryview]:
    view = memoryview(data)
    for at in range(0, len(data), _PIECE):
        look.seconds()
        yield view[at : at + _PIECE]


def _is_text(data: bytes) -> bool:
    if b"\0" in data[:8000] or len(data) > _TEXT_BYTES or data.count(b"\n") > _TEXT_LINES:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _lines(data: bytes) -> list[str]:
    lines = data.decode().split("\n")
    ends = [line + "\n" for line in lines[:-1]]
    return ends + lines[-1:] if lines[-1] else ends


def _quoted(path: str) -> str:
    raw = os.fsencode(path)
    if all(32 <= c < 127 and c not in (34, 92) for c in raw):
        return path
    return (
        '"'
        + "".join(
            "\\" + _ESCAPES[c] if c in _ESCAPES else f"\\{c:03o}" if c < 32 or c >= 127 else chr(c)
            for c in raw
        )
        + '"'
    )


def _binary(data: bytes, look: Look) -> str:
    packer = zlib.compressobj(9)
    packed = b"".join([*map(packer.compress, _pieces(data, look)), packer.flush()])
    out = io.StringIO()
    out.write(f"literal {len(data)}\n")
    for at in range(0, len(packed), 52):
        piece = packed[at : at + 52]
        size = len(piece)
        letter = chr(ord("A") + size - 1) if size <= 26 else chr(ord("a") + size - 27)
        out.write(letter + b85encode(piece, pad=True).decode() + "\n")
        if at % (52 << 14) == 0:
            look.seconds()
    return out.getvalue()


class _Matcher(difflib.SequenceMatcher[str]):
    """Looks at the time: who chooses the lines chooses how long it takes."""

    def __init__(self, old: list[str], new: list[str], look: Look) -> None:
        self._look = look
        super().__init__(None, old, new, autojunk=False)

    def find_longest_match(self, *where: int) -> difflib.Match:  # type: ignore[override]
        self._look.seconds()
        return super().find_longest_match(*where)


def _groups(
    old: list[str], new: list[str], context: int, look: Look
) -> list[list[tuple[str, int, int, int, int]]]:
    if len(old) * len(new) <= _LINES:
        return [list(group) for group in _Matcher(old, new, look).get_grouped_opcodes(context)]
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    before, behind = min(first, context), min(last, context)
    i, k = len(old) - last, len(new) - last
    codes = [
        ("equal", first - before, first, first - before, first),
        ("replace", first, i, first, k),
        ("equal", i, i + behind, k, k + behind),
    ]
    return [[code for code in codes if code[1] < code[2] or code[3] < code[4]]]


def _hunks(old: list[str], new: list[str], context: int, look: Look) -> str:
    out = []
    for group in _groups(old, new, context, look):
        i, j, k, m = group[0][1], group[-1][2], group[0][3], group[-1][4]
        out.append(f"@@ -{_range(i, j)} +{_range(k, m)} @@\n")
        for tag, a, b, c, d in group:
            if tag == "equal":
                out += [_line(" ", line) for line in old[a:b]]
                continue
            out += [_line("-", line) for line in old[a:b]]
            out += [_line("+", line) for line in new[c:d]]
    return "".join(out)


def _line(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def _range(start: int, end: int) -> str:
    count = end - start
    first = start + 1 if count else start
    return f"{first}" if count == 1 else f"{first},{count}"
