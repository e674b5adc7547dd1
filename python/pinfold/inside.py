"""What is asked about the inside of a machine in a worker, and how its answers are taken: files,
directories, mounts, processes, tools. Each answer has a shape and a time, or the worker lies."""

from __future__ import annotations

from typing import NoReturn

from . import allowance
from .accounts import Lie, shaped, shown
from .bounds import DEFAULT_SECONDS
from .link import Deadline
from .replies import value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")

#: Questions about all of its memory or files.
_BULKY = frozenset(("new", "branch"))


class Inside:
    """The questions of a `_native.Machine` that are about the inside."""

    def tool_names(self) -> list[tuple[str, str, str, bool, bool]]:
        shape = ((str,), (str,), (str,), (bool,), (bool,))
        return [self._shaped("tool_names", item, shape) for item in self._list("tool_names")]

    def left_out(self) -> list[str]:
        return [self._is("left_out", text, str) for text in self._list("left_out")]

    def processes(self) -> list[tuple[int, int, str, str, int]]:
        shape = ((int,), (int,), (str,), (str,), (int,))
        return [self._shaped("processes", item, shape) for item in self._list("processes")]

    def file_write(self, path: str, data: bytes, *bounds: float) -> None:
        self._act("file_write", (path, data), bounds)

    def file_read(self, path: str, *bounds: float) -> bytes:
        return self._is("file_read", self._act("file_read", (path,), bounds), bytes)

    def file_link(self, path: str, *bounds: float) -> bytes:
        return self._is("file_link", self._act("file_link", (path,), bounds), bytes)

    def file_make(self, path: str, mode: int, mtime_ns: int, data: bytes, *bounds: float) -> None:
        self._act("file_make", (path, mode, mtime_ns, data), bounds)

    def file_tar(self, path: str, *bounds: float) -> bytes:
        return self._is("file_tar", self._act("file_tar", (path,), bounds), bytes)

    def file_digest(self, path: str, *bounds: float) -> bytes:
        return self._is("file_digest", self._act("file_digest", (path,), bounds), bytes)

    def file_remove(self, path: str, *bounds: float) -> None:
        self._act("file_remove", (path,), bounds)

    def file_stat(self, path: str, *bounds: float) -> tuple[int, int, int]:
        return self._facts("file_stat", path, bounds)

    def file_lstat(self, path: str, *bounds: float) -> tuple[int, int, int]:
        return self._facts("file_lstat", path, bounds)

    def file_list(self, path: str, *bounds: float) -> list[str]:
        names = self._is("file_list", self._act("file_list", (path,), bounds), list)
        return [self._is("file_list", name, str) for name in names]

    def mount_changes(self, guest: str, *bounds: float) -> list[tuple[str, str]]:
        changes = self._is("mount_changes", self._act("mount_changes", (guest,), bounds), list)
        return [self._shaped("mount_changes", item, ((str,), (str,))) for item in changes]

    def mount_export(self, guest: str, directory: str, *bounds: float) -> None:
        self._act("mount_export", (guest, directory), bounds)

    def mount_tar(self, guest: str, changed_only: bool, *bounds: float) -> bytes:
        return self._is("mount_tar", self._act("mount_tar", (guest, changed_only), bounds), bytes)

    # ------------------------------------------------------------------ asking

    def _ask_within(self, deadline: Deadline, name: str, *args: Any) -> Any:
        """The worker's answer to a question."""
        raise NotImplementedError

    def _die(self, why: str) -> NoReturn:
        """Gives the worker up."""
        raise NotImplementedError

    def _ask(self, name: str, *args: Any) -> Any:
        seconds = allowance.BULK_SECONDS if name in _BULKY else allowance.GRACE_SECONDS
        return self._ask_within(Deadline(seconds), name, *args)

    def _act(self, name: str, args: tuple[Any, ...], bounds: tuple[float, ...]) -> Any:
        """What has bounds of its own, which the worker keeps; it has a little more time."""
        lasts = (bounds[1:] or (0.0,))[0] or DEFAULT_SECONDS
        return self._ask_within(Deadline(lasts + allowance.GRACE_SECONDS), name, *args, *bounds)

    def _answer(self, message: Any) -> Any:
        try:
            return value_of(message)
        except Lie as lie:
            self._die(str(lie))

    def _facts(self, name: str, path: str, bounds: tuple[float, ...]) -> tuple[int, int, int]:
        answer = self._act(name, (path,), bounds)
        facts: tuple[int, int, int] = self._shaped(name, answer, ((int,),) * 3)
        mode, size, ns = facts
        if not (0 <= mode < 1 << 16 and 0 <= size < 1 << 63 and abs(ns) <= 1 << 63):
            self._die(f"its {name} is {shown(answer)}")
        return facts

    def _list(self, name: str, *args: Any) -> list[Any]:
        return self._is(name, self._ask(name, *args), list)

    def _is(self, name: str, value: Any, *types: type[T]) -> T:
        if type(value) not in types:
            self._die(f"its {name} is {shown(value)}")
        checked: T = value
        return checked

    def _shaped(self, name: str, value: Any, shape: tuple[tuple[type, ...], ...]) -> Any:
        try:
            return shaped(name, value, shape)
        except Lie as lie:
            self._die(str(lie))
