"""Editing files inside as a model's text editor does: Anthropic's commands, on a sandbox's files.

What is read comes from the files of the sandbox; what is written is written by a program inside, so
that permissions and limits hold. Every message is for the model; its mistakes are `EditError`.
"""

from __future__ import annotations

import posixpath
import shlex
import stat

from .errors import BoundError
from .files import HOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .sandbox import Sandbox

#: Bytes of a file that is edited, states that can be gone back to, lines around an edit.
_FILE_BYTES = 16 << 20
_UNDO = 20
_AROUND = 4


class EditError(ValueError):
    """A command that cannot be done, in words for the model."""


class Editor:
    """The text editor of one sandbox, with what `undo_edit` goes back to.

    >>> from pinfold import Sandbox
    >>> editor = Editor(Sandbox(files={"a.txt": "one\\ntwo\\n"}))
    >>> edit = {"command": "str_replace", "path": "a.txt", "old_str": "two", "new_str": "2"}
    >>> print(editor.handle(edit).expandtabs())
    The file /workspace/a.txt has been edited. Here's the result of running `cat -n` on a snippet:
         1  one
         2  2
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._before: dict[str, list[bytes | None]] = {}

    def handle(self, given: Mapping[str, Any]) -> str:
        """Does one command and gives what the model is to see of it."""
        command = given.get("command")
        commands = {
            "view": self._view,
            "create": self._create,
            "str_replace": self._replace,
            "insert": self._insert,
            "undo_edit": self._undo,
        }
        if command not in commands:
            raise EditError(f"there is no command {command!r}, only {', '.join(commands)}")
        return commands[command](self._path(given), given)

    # ------------------------------------------------------------------ commands

    def _view(self, path: str, given: Mapping[str, Any]) -> str:
        if self._is_directory(path):
            if given.get("view_range") is not None:
                raise EditError("view_range is for files, and this is a directory")
            return self._listing(path)
        lines = self.text(path).split("\n")
        first, last = _range(given.get("view_range"), len(lines))
        shown = _numbered(lines[first - 1 : last], first)
        return f"Here's the result of running `cat -n` on {path}:\n{shown}"

    def _create(self, path: str, given: Mapping[str, Any]) -> str:
        self.write(path, _text(given, "file_text").encode())
        return f"File created successfully at: {path}"

    def _replace(self, path: str, given: Mapping[str, Any]) -> str:
        old, new = _text(given, "old_str"), _text(given, "new_str", "")
        text = self.text(path)
        if not old:
            raise EditError("old_str is empty: `insert` adds text at a line")
        count = text.count(old)
        if count == 0:
            raise EditError(
                f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
            )
        if count > 1:
            lines = ", ".join(map(str, _lines_with(text, old)))
            raise EditError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines"
                f" {lines}. Please ensure it is unique"
            )
        at = text.index(old)
        self.write(path, f"{text[:at]}{new}{text[at + len(old) :]}".encode())
        return _edited(path, self.text(path), text.count("\n", 0, at) + 1, new.count("\n") + 1)

    def _insert(self, path: str, given: Mapping[str, Any]) -> str:
        line = given.get("insert_line")
        key = "insert_text" if "insert_text" in given else "new_str"
        new = _text(given, key)
        lines = self.text(path).split("\n")
        most = len(lines) - (lines[-1] == "")
        if isinstance(line, bool) or not isinstance(line, int) or not 0 <= line <= most:
            raise EditError(f"insert_line is a number from 0 to {most} (the file's lines)")
        added = new.removesuffix("\n").split("\n")
        self.write(path, "\n".join([*lines[:line], *added, *lines[line:]]).encode())
        return _edited(path, self.text(path), line + 1, len(added))

    def _undo(self, path: str, given: Mapping[str, Any]) -> str:
        before = self._before.get(path)
        if not before:
            raise EditError(f"No edit history found for {path}.")
        data = before.pop()
        if data is None:
            self._inside(f"rm -f -- {shlex.quote(path)}")
            return f"Last edit to {path} undone successfully: the file is gone again."
        self._put(path, data)
        return f"Last edit to {path} undone successfully."

    # ------------------------------------------------------------------ files

    def read(self, path: str) -> bytes | None:
        """The content of a file, ``None`` when there is none."""
        try:
            return self._sandbox.files.read(path, max_bytes=_FILE_BYTES)
        except KeyError:
            return None
        except (OSError, BoundError) as error:
            raise EditError(f"{path} cannot be read: {error}") from None

    def text(self, path: str) -> str:
        if self._is_directory(path):
            raise EditError(f"{path} is a directory")
        data = self.read(path)
        if data is None:
            raise EditError(f"The path {path} does not exist. Please provide a valid path.")
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise EditError(f"{path} is no text: it has bytes that are not UTF-8") from None

    def write(self, path: str, data: bytes) -> None:
        """Writes a file, and keeps what it was."""
        before = self.read(path)
        self._put(path, data)
        states = self._before.setdefault(path, [])
        states.append(before)
        del states[:-_UNDO]

    def remove(self, path: str) -> None:
        before = self.read(path)
        if before is None:
            raise EditError(f"The path {path} does not exist. Please provide a valid path.")
        self._inside(f"rm -- {shlex.quote(path)}")
        self._before.setdefault(path, []).append(before)

    def _put(self, path: str, data: bytes) -> None:
        folder, file = shlex.quote(posixpath.dirname(path)), shlex.quote(path)
        self._inside(f"mkdir -p -- {folder} && cat > {file}", data)

    def _inside(self, code: str, stdin: bytes = b"") -> None:
        result = self._sandbox.run(code, stdin=stdin, isolated=True)
        if not result.ok:
            lines = result.stderr.strip().splitlines() or [f"status {result.exit_code}"]
            raise EditError(lines[-1].removeprefix("bash: line 1: "))

    def _path(self, given: Mapping[str, Any]) -> str:
        path = _text(given, "path")
        if not path or "\0" in path:
            raise EditError("path is empty" if not path else "path has a NUL character")
        return posixpath.normpath(posixpath.join(HOME, path))

    def _is_directory(self, path: str) -> bool:
        try:
            return stat.S_ISDIR(self._sandbox.files.mode(path))
        except (OSError, ValueError):
            return False

    def _listing(self, path: str) -> str:
        command = f"cd {shlex.quote(path)} && find . -maxdepth 2 -not -path '*/.*' | sort"
        result = self._sandbox.run(command, isolated=True)
        names = [posixpath.normpath(posixpath.join(path, n)) for n in result.stdout.splitlines()]
        head = f"the files and directories up to 2 levels deep in {path}, excluding hidden items"
        return "\n".join([f"Here're {head}:", *names])


def _text(given: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = given.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise EditError(f"{given.get('command', 'this')} needs {name}, a string")
    return value


def _range(given: Any, count: int) -> tuple[int, int]:
    if given is None:
        return 1, count
    good = isinstance(given, (list, tuple)) and len(given) == 2
    if not good or not all(type(number) is int for number in given):
        raise EditError("view_range is a list of two line numbers, the second perhaps -1")
    first, last = given
    last = count if last == -1 else last
    if not 1 <= first <= count or not first <= last:
        raise EditError(f"view_range {list(given)} is not within the file's {count} lines")
    return first, min(last, count)


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, first))


def _edited(path: str, text: str, line: int, count: int) -> str:
    lines = text.removesuffix("\n").split("\n")
    first = max(1, line - _AROUND)
    shown = _numbered(lines[first - 1 : line + count - 1 + _AROUND], first)
    what = f"The file {path} has been edited."
    return f"{what} Here's the result of running `cat -n` on a snippet:\n{shown}"


def _lines_with(text: str, part: str) -> list[int]:
    found, at = [], text.find(part)
    while at >= 0:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(part, at + 1)
    return found
