"""The files of a sandbox as a mapping from path to bytes."""

from __future__ import annotations

import errno
import posixpath
import stat
import time

# What collections.abc gives, without importing collections, which nobody else here needs.
from _collections_abc import Iterator, MutableMapping
from os import fspath

from .bounds import DEFAULT_SECONDS, bounds, seconds
from .errors import BoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import Any

    from .machine import Machine

#: In `Files`, `list` is a method.
_List = list

#: Where programs can write, and where relative paths of the host start.
HOME = "/workspace"
WRITABLE = (HOME, "/tmp")
#: What a path without a file fails with, also one that a script has made odd on purpose: a file on
#: the way to it, links in a circle, a name that is too long.
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)


class Files(MutableMapping[str, bytes]):
    """Files in and out. The host may read and write every path, programs only some.

    Relative paths are below ``/workspace``. Writing makes the directories on the way. Iterating
    gives the regular files in ``/workspace`` and ``/tmp``.

    The output is bounded, because scripts decide how much there is: by default a file of as many
    bytes as ``memory_bytes``, holes included, and 60 seconds for each call; else it is a
    `BoundError`. `read`, `list` and `walk` take other bounds.

    >>> from pinfold import Sandbox
    >>> with Sandbox(files={"names.txt": "b\\na\\n"}) as sandbox:
    ...     _ = sandbox.run("sort names.txt > sorted.txt")
    ...     sandbox.files["sorted.txt"]
    b'a\\nb\\n'
    """

    __slots__ = ("_machine",)

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def __getitem__(self, path: str) -> bytes:
        try:
            return self._machine.file_read(_absolute(path))
        except OSError as error:
            if error.errno not in _NOT_THERE:
                raise
            raise _no_file(path) from None

    def read(
        self, path: str, *, max_bytes: float | None = None, max_seconds: float | None = None
    ) -> bytes:
        """As ``files[path]``, with other bounds; ``math.inf`` lifts one.

        >>> from pinfold import Sandbox
        >>> with Sandbox() as sandbox:
        ...     _ = sandbox.run("truncate -s 1G hole")
        ...     sandbox.files.read("hole", max_bytes=1 << 20)
        Traceback (most recent call last):
        pinfold.errors.BoundError: reading /workspace/hole: more than max_bytes, 1048576, ...
        """
        limits = bounds(max_bytes, max_seconds)
        try:
            return self._machine.file_read(_absolute(path), *limits)
        except OSError as error:
            if error.errno not in _NOT_THERE:
                raise
            raise _no_file(path) from None

    def __setitem__(self, path: str, data: bytes | str | PathLike[str]) -> None:
        if isinstance(data, str):
            data = data.encode()
        elif hasattr(data, "__fspath__"):  # a file of the host
            with open(data, "rb") as file:
                data = file.read()
        try:
            memoryview(data)
        except TypeError:
            kind = type(data).__name__
            raise TypeError(
                f"the content of {path!r} is bytes, str or a Path of the host, not {kind}"
            ) from None
        self._machine.file_write(_absolute(path), data)

    def __delitem__(self, path: str) -> None:
        try:
            self._machine.file_remove(_absolute(path))
        except OSError as error:
            if error.errno not in _NOT_THERE:
                raise
            raise _no_file(path) from None

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        try:
            return not stat.S_ISDIR(self._machine.file_stat(_absolute(path))[0])
        except ValueError:  # empty, with NUL, too long: no file has such a path
            return False
        except OSError as error:
            if error.errno not in _NOT_THERE:
                raise
            return False

    def __iter__(self) -> Iterator[str]:
        return self.walk()

    def walk(self, *, max_seconds: float | None = None) -> Iterator[str]:
        """The regular files in ``/workspace`` and ``/tmp``, within ``max_seconds`` of looking."""
        left = [seconds(max_seconds) or DEFAULT_SECONDS]
        for top in WRITABLE:
            yield from self._walk(top, left)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def upload(
        self,
        source: str | PathLike[str],
        path: str = HOME,
        *,
        max_bytes: float | None = None,
        max_seconds: float | None = None,
    ) -> int:
        """Copies a file of the host to ``path``, or all that is in a directory of the host into the
        directory ``path``, which is made, and gives how many bytes of contents that were.

        Modes and times are taken over. Symbolic links of the host are not followed: they become
        links inside, to the same text. Devices, sockets and the like are left out. Files that are
        there already stay, unless one of the same name comes. Over ``max_bytes`` of contents (1
        GiB) or ``max_seconds`` (60) it is a `BoundError`, and what came until then is there; a file
        that does not fit into ``filesystem_bytes`` is an ``OSError``.

        >>> import pathlib, tempfile
        >>> from pinfold import Sandbox
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.csv").write_text("1,2")
        >>> with Sandbox() as sandbox:
        ...     sandbox.files.upload(folder, "data")
        ...     sandbox.run("cat data/a.csv").stdout
        3
        '1,2'
        """
        from .transfer import upload

        return upload(
            self._machine, fspath(source), _absolute(path), bounds(max_bytes, max_seconds)
        )

    def download(
        self,
        path: str,
        target: str | PathLike[str],
        *,
        max_bytes: float | None = None,
        max_seconds: float | None = None,
    ) -> int:
        """Copies a directory of the sandbox into a directory of the host that is new or empty, or a
        file to a file of the host, which is replaced, and gives how many bytes of contents that
        were.

        Modes (without set-user-id and the like) and times are taken over, names of one file become
        hard links, holes stay holes. Symbolic links that would lead out of ``target`` are left out,
        and so are FIFOs. Nothing is written outside of ``target``, whatever a script has made.
        Over ``max_bytes`` (default: ``memory_bytes``, at most 1 GiB) or ``max_seconds`` (60) it is a
        `BoundError`; ``math.inf`` lifts a bound.
        """
        from .transfer import download

        return download(
            self._machine, _absolute(path), fspath(target), bounds(max_bytes, max_seconds)
        )

    def tar(
        self,
        path: str = HOME,
        *,
        max_bytes: float | None = None,
        max_seconds: float | None = None,
    ) -> bytes:
        """A directory as a tar archive (pax), with modes, times, links and holes. The bounds are
        those of `download`.

        >>> import io, tarfile
        >>> from pinfold import Sandbox
        >>> with Sandbox(files={"a/b": "x"}) as sandbox:
        ...     tarfile.open(fileobj=io.BytesIO(sandbox.files.tar())).getnames()
        ['a', 'a/b']
        """
        return self._machine.file_tar(_absolute(path), *bounds(max_bytes, max_seconds))

    def text(self, path: str) -> str:
        """The content of a file as text; what is not UTF-8 is replaced."""
        return self[path].decode("utf-8", "replace")

    def list(
        self,
        path: str = HOME,
        *,
        max_bytes: float | None = None,
        max_seconds: float | None = None,
    ) -> list[str]:
        """The names in a directory, sorted."""
        return self._machine.file_list(_absolute(path), *bounds(max_bytes, max_seconds))

    def size(self, path: str) -> int:
        """The number of its bytes."""
        return self._machine.file_stat(_absolute(path))[1]

    def mode(self, path: str) -> int:
        """Type and permission bits, for the functions of the module `stat`."""
        return self._machine.file_stat(_absolute(path))[0]

    def _walk(self, directory: str, left: _List[float]) -> Iterator[str]:
        todo = [directory]
        began = time.monotonic()
        while todo:
            here = todo.pop()
            below = []
            # Links are not gone into, and what cannot be looked at (a link to nowhere, a path that
            # is too long) is no file: scripts make such things, and must not disturb their host.
            for name in _or_nothing(self._machine.file_list, here) or ():
                path = f"{here}/{name}"
                found = _or_nothing(self._machine.file_lstat, path)
                if time.monotonic() - began > left[0]:
                    raise BoundError(
                        f"looking through {directory}: not done after max_seconds, which is the"
                        " bound of one walk: raise it with files.walk(max_seconds=...)"
                    )
                if found and stat.S_ISDIR(found[0]):
                    below.append(path)
                    continue
                if found and stat.S_ISLNK(found[0]):
                    found = _or_nothing(self._machine.file_stat, path)
                if found and stat.S_ISREG(found[0]):
                    left[0] -= time.monotonic() - began
                    yield path  # what is done with it meanwhile does not count
                    began = time.monotonic()
            todo += reversed(below)
        left[0] -= time.monotonic() - began

    def __repr__(self) -> str:
        return f"<Files of a sandbox below {' and '.join(WRITABLE)}>"


def _or_nothing(look: Callable[[str], Any], path: str) -> Any:
    try:
        return look(path)
    except (OSError, ValueError):  # the latter for a path that is too long
        return None


def _no_file(path: str) -> KeyError:
    missing = KeyError(path)
    missing.add_note(
        f"There is no file {_absolute(path)} in the sandbox: files.list() says what is."
    )
    return missing


def _absolute(path: str) -> str:
    if not isinstance(path, str):
        raise TypeError(f"a path is str, not {type(path).__name__}")
    if not path:
        raise ValueError("a path must not be empty")
    return posixpath.join(HOME, path)
