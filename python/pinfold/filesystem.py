"""The files of a sandbox for fsspec, and so for pandas, polars, DuckDB and whatever opens its URLs.

>>> import fsspec
>>> from pinfold import Sandbox
>>> with Sandbox(files={"a.csv": "x,y"}) as sandbox:
...     with fsspec.open("pinfold://a.csv", "r", sandbox=sandbox) as file:
...         file.read()
'x,y'

``pinfold:///tmp/x`` is the file ``/tmp/x``, ``pinfold://x`` is ``/workspace/x``. Which sandbox is
meant says the option ``sandbox`` (``storage_options={"sandbox": sandbox}`` of pandas).
"""

from __future__ import annotations

import errno
import io
import posixpath
import stat
from datetime import UTC, datetime
from typing import Any

from fsspec import AbstractFileSystem, register_implementation

from .sandbox import Sandbox


class SandboxFileSystem(AbstractFileSystem):
    """``fsspec.filesystem("pinfold", sandbox=sandbox)``: reading and writing whole files, with the
    bounds of `Files`. It is the embedder's view: every path may be written."""

    protocol = "pinfold"
    cachable = False  # a sandbox is a thing, not a setting
    root_marker = "/"

    def __init__(self, sandbox: Sandbox | None = None, **others: Any) -> None:
        sandbox = getattr(sandbox, "sandbox", sandbox)  # of a SandboxTool
        if not isinstance(sandbox, Sandbox):
            raise TypeError(
                "pinfold:// needs to know which sandbox is meant: the option sandbox="
                f' (storage_options={{"sandbox": sandbox}}), not {sandbox!r}'
            )
        super().__init__(**others)
        self.sandbox = sandbox

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        text = str(path).removeprefix("pinfold://")
        return posixpath.normpath(posixpath.join("/workspace", text)) if text else "/workspace"

    def unstrip_protocol(self, name: str) -> str:
        return f"pinfold://{self._strip_protocol(name)}"

    def info(self, path: str, **how: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        machine = self.sandbox.files._machine
        mode, size, ns = _found(machine.file_lstat, path)
        link = stat.S_ISLNK(mode)
        if link:
            mode, size, ns = _found(machine.file_stat, path)
        kind = "directory" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"
        return {
            "name": path,
            "size": size if kind == "file" else 0,
            "type": kind,
            "mode": mode,
            "mtime": ns / 1e9,
            "islink": link,
        }

    def ls(self, path: str, detail: bool = True, **how: Any) -> list[Any]:
        path = self._strip_protocol(path)
        here = self.info(path)
        if here["type"] != "directory":
            return [here] if detail else [path]
        names = [posixpath.join(path, name) for name in self.sandbox.files.list(path)]
        if not detail:
            return names
        found = []
        for name in names:
            try:
                found.append(self.info(name))
            except FileNotFoundError:  # a link to nowhere
                found.append({"name": name, "size": 0, "type": "other"})
        return found

    def _open(self, path: str, mode: str = "rb", **how: Any) -> io.BytesIO:
        path = self._strip_protocol(path)
        if mode == "rb":
            return io.BytesIO(self._content(path))
        if mode not in ("wb", "ab", "xb"):
            raise ValueError(f"a file of a sandbox is opened with rb, wb, ab or xb, not {mode!r}")
        there = self.exists(path)
        if mode == "xb" and there:
            raise FileExistsError(errno.EEXIST, "File exists", path)
        return _Written(self, path, self._content(path) if mode == "ab" and there else b"")

    def _content(self, path: str) -> bytes:
        if self.info(path)["type"] == "directory":
            raise IsADirectoryError(errno.EISDIR, "Is a directory", path)
        return self.sandbox.files[path]

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **how: Any
    ) -> bytes:
        return self._content(self._strip_protocol(path))[start:end]

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **how: Any) -> None:
        with self._open(path, "xb" if mode == "create" else "wb") as file:
            file.write(value)

    def mkdir(self, path: str, create_parents: bool = True, **how: Any) -> None:
        path = self._strip_protocol(path)
        if self.exists(path):
            raise FileExistsError(errno.EEXIST, "File exists", path)
        if not create_parents:
            self.info(posixpath.dirname(path))
        self._make(path)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        path = self._strip_protocol(path)
        if not (exist_ok and self.isdir(path)):
            self.mkdir(path)

    def _make(self, path: str) -> None:
        now = int(datetime.now(UTC).timestamp() * 1e9)
        self.sandbox.files._machine.file_make(path, stat.S_IFDIR | 0o755, now, b"")

    def rmdir(self, path: str) -> None:
        path = self._strip_protocol(path)
        if self.info(path)["type"] != "directory":
            raise NotADirectoryError(errno.ENOTDIR, "Not a directory", path)
        self._rm(path)

    def _rm(self, path: str) -> None:
        self.sandbox.files._machine.file_remove(self._strip_protocol(path))

    def cp_file(self, path1: str, path2: str, **how: Any) -> None:
        path1, path2 = self._strip_protocol(path1), self._strip_protocol(path2)
        if self.isdir(path1):
            self.makedirs(path2, exist_ok=True)
        else:
            self.sandbox.files[path2] = self._content(path1)

    def created(self, path: str) -> datetime:
        return self.modified(path)

    def modified(self, path: str) -> datetime:
        return datetime.fromtimestamp(self.info(path)["mtime"], UTC)


class _Written(io.BytesIO):
    """A file that goes into the sandbox when it is closed, unless an exception closes it."""

    def __init__(self, files: SandboxFileSystem, path: str, content: bytes) -> None:
        super().__init__(content)
        self.seek(0, io.SEEK_END)
        self._files, self._path = files, path

    def __exit__(self, kind: Any, *exc_info: Any) -> None:
        if kind is not None:
            super().close()
        self.close()

    def close(self) -> None:
        if not self.closed:
            self._files.sandbox.files[self._path] = self.getvalue()
        super().close()


def _found(look: Any, path: str) -> tuple[int, int, int]:
    try:
        found: tuple[int, int, int] = look(path)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno not in (errno.ENOENT, errno.ENOTDIR):
            raise
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", path) from None
    return found


# Also for whoever has the package on the path alone, where no entry point says it.
register_implementation("pinfold", SandboxFileSystem, clobber=True)
