"""The text of a result that a model sees: within a budget, with what is cut kept in a file inside.

Head and tail of an output stay, cut at lines; what is no text is named, not garbled. The whole of
either lies in /tmp/output/N.txt, where the next run can read it.
"""

from __future__ import annotations

import stat

from .content import KINDS
from .running import describe_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .result import Result
    from .sandbox import Sandbox

#: Where whole outputs lie, and how many of them.
FOLDER = "/tmp/output"
KEPT = 20


def describe(
    result: Result,
    sandbox: Sandbox | None = None,
    budget: int | None = None,
    with_value: bool = False,
) -> str:
    """A result as a model sees it, in about ``budget`` characters of output; ``None`` for all. With
    ``with_value`` its value as well, as Python writes it: a cell has not printed it."""
    stdout = _Stream(result.stdout_bytes, result.stdout)
    if with_value and result.value is not None and not stdout.binary:
        lines = [*([stdout.text] if stdout.text else []), repr(result.value)]
        text = "\n".join(lines)
        stdout = _Stream(text.encode("utf-8", "surrogateescape"), text)
    stderr = _Stream(result.stderr_bytes, result.stderr)
    kept = _Kept(sandbox)
    room = None if budget is None else max(budget // 4, budget - len(stdout))
    err = stderr.shown(kept, room, "stderr.")
    rest = None if room is None or budget is None else budget - min(len(stderr), room)
    out = stdout.shown(kept, rest, "")
    parts = [out] if out else []
    if err:
        parts.append(f"[stderr]: {err}")
    if result.exit_code != 0:
        parts.append(f"[exit code]: {result.exit_code}")
    if result.limit is not None:
        parts.append(f"[error]: {describe_failure(result)}")
    cut = [name for name in ("stdout", "stderr") if getattr(result, f"{name}_truncated")]
    if cut:
        parts.append(f"[truncated]: {' and '.join(cut)} over the output limit")
    return "\n".join(parts) or "(no output)"


class _Stream:
    def __init__(self, data: bytes, text: str) -> None:
        self.data = data
        self.binary = is_binary(data, text)
        self.text = "" if self.binary else text.rstrip("\n")

    def __len__(self) -> int:
        return 100 if self.binary else len(self.text)

    def shown(self, kept: _Kept, room: int | None, mark: str) -> str:
        if self.binary:
            kind, suffix = _kind(self.data)
            place = kept.keep(self.data, mark + suffix)
            where = f"; it is in {place}" if place else ""
            return f"(binary output: {_count(len(self.data), 'byte')}, {kind}{where})"
        if room is None or len(self.text) <= room:
            return self.text
        place = kept.keep(self.data, mark + "txt")
        where = f"; all of it is in {place}" if place else ""
        return shorten(self.text, room, where)


def shorten(text: str, room: int, where: str = "") -> str:
    """Head and tail of a text, cut at lines where there are any, and what was left out between.

    >>> print(shorten("\\n".join(map(str, range(100))), 20, "; all of it is in /tmp/x"))
    0
    1
    2
    3
    4
    … 92 lines left out; all of it is in /tmp/x …
    97
    98
    99
    """
    head, tail = text[: room - room // 2], text[len(text) - room // 2 :]
    head_end, tail_start = head.rfind("\n"), tail.find("\n")
    # A line that is longer than the room is cut inside.
    if head_end >= 0 and tail_start >= 0:
        head, tail = head[:head_end], tail[tail_start + 1 :]
        left = text.count("\n") + 1 - (head.count("\n") + 1) - (tail.count("\n") + 1)
        what = _count(left, "line")
    else:
        what = _count(len(text) - len(head) - len(tail), "character")
    return f"{head}\n… {what} left out{where} …\n{tail}"


def is_binary(data: bytes, text: str) -> bool:
    """Is it something else than text? A few odd bytes are not enough."""
    if not data:
        return False
    odd = data[:8].startswith(tuple(mark for mark, *_ in KINDS))
    if odd and (b"\0" in data[:4096] or "\ufffd" in text[:4096]):
        return True
    sample = text[:65536]
    strange = sum(1 for c in sample if c == "\ufffd" or (c < " " and c not in "\t\n\r\f\b\x1b"))
    return strange * 10 > len(sample)


def _kind(data: bytes) -> tuple[str, str]:
    for mark, kind, suffix, _ in KINDS:
        if data.startswith(mark):
            return kind, suffix
    return "of no known kind", "bin"


def _count(number: int, what: str) -> str:
    digits = f"{number:,}".replace(",", " ")
    return f"{digits} {what}" + ("" if number == 1 else "s")


class _Kept:
    """The files in which whole outputs of one run lie."""

    def __init__(self, sandbox: Sandbox | None) -> None:
        self._sandbox = sandbox
        self._number: int | None = None

    def keep(self, data: bytes, suffix: str) -> str | None:
        """The path of a new file with that; ``None`` when there can be none."""
        if self._sandbox is None:
            return None
        files, machine = self._sandbox.files, self._sandbox._machine
        try:
            names = self._names()
            if self._number is None:
                self._number = 1 + max((int(name.partition(".")[0]) for name in names), default=0)
                for name in sorted(names, key=lambda n: int(n.partition(".")[0]))[:-KEPT]:
                    machine.file_remove(f"{FOLDER}/{name}")
            path = f"{FOLDER}/{self._number}.{suffix}"
            files[path] = data
        except (OSError, ValueError):  # no room, or something of the script's is in the way
            return None
        return path

    def _names(self) -> list[str]:
        assert self._sandbox is not None
        machine = self._sandbox._machine
        try:
            mode = machine.file_lstat(FOLDER)[0]
        except FileNotFoundError:
            return []
        if not stat.S_ISDIR(mode):  # a link may lead anywhere
            raise NotADirectoryError(FOLDER)
        return [name for name in machine.file_list(FOLDER) if name.partition(".")[0].isdecimal()]
