"""What a `Store` asks of its database: `store_file` is SQLite, `postgres.server` is the other.

Statements are SQL that both know, with ``?`` or ``?1`` for values. Each has a method here for what
it does in its own way. Errors are `StoreError`, whose message begins with ``path``.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from .errors import StoreError

T = TypeVar("T")
Types = tuple[type, ...]


def check_types(
    rows: list[Any], types: tuple[Types | type, ...], damage: Callable[[str], StoreError]
) -> None:
    """Raises ``damage`` of the first value that is of none of its column's types."""
    for row in rows:
        for value, allowed in zip(row, types, strict=True):
            if type(value) not in (allowed if isinstance(allowed, tuple) else (allowed,)):
                raise damage(f"{type(value).__name__} in a row")


class Rows(Protocol):
    """For any number of threads."""

    #: Names the database in messages, without a password.
    path: str
    read_only: bool

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> int:
        """Gives how many rows it was about."""

    def executemany(self, statement: str, rows: list[tuple[Any, ...]]) -> None: ...

    def insert(self, statement: str, values: tuple[Any, ...]) -> int:
        """Adds a row to a table that numbers its rows; gives the number."""

    def rows(self, statement: str, values: tuple[Any, ...], *types: Types) -> list[Any]:
        """Rows whose columns are of these types, or it is damage."""

    def one(self, statement: str, values: tuple[Any, ...], *types: Types) -> Any:
        """The first row, or None."""

    def damage(self, what: str) -> StoreError: ...

    def change(self, alone: bool = False) -> AbstractContextManager[None]:
        """A transaction of this thread. ``alone``: with no other such one at the same time."""

    def together(self) -> AbstractContextManager[None]:
        """All that is read in it is of one moment."""

    def again(self, work: Callable[[int], T]) -> T:
        """Does work, with the number of attempts before; again when the server went away."""

    def identity(self) -> str:
        """Which database this is, in whatever process."""

    def close(self) -> None: ...

    def now(self) -> float:
        """The time, in seconds since 1970, by the clock that all who use the store share."""

    # ------------------------------------------------------------------ lists

    def named(self, where: str, values: tuple[Any, ...], limit: int) -> list[Any]:
        """(name, snapshot, time, size) of some names, in order."""

    def names_of(self, ids: set[int]) -> list[Any]:
        """(name, snapshot) of those that point at one of these."""

    def tree(self, root: int, limit: int) -> list[Any]:
        """As `saved`: a snapshot and all that went on from it, by id, and no more than so many."""

    def line(self, id: int, limit: int) -> list[Any]:
        """As `saved`: a snapshot and its ancestors, nearest first, and no more than so many."""

    def drivers(self, names: list[str]) -> dict[str, str]:
        """Who has a lease that lasts, by name."""

    # ------------------------------------------------------------------ snapshots

    def reserve(self, needed: bool) -> int | None:
        """The number of the next snapshot, which no other will have; None: not known yet."""

    def exists(self, id: int) -> bool: ...

    def prepare(
        self, id: int | None, likely: int | None, data: bytes, portable: bytes | None
    ) -> Any:
        """What takes time of adding a snapshot, and changes nothing; ``likely`` is its parent."""

    def keep(self, id: int | None, parent: int | None, label: str, prepared: Any) -> int | None:
        """Adds a snapshot of now, in a change. None: the one of that reserved id is there."""

    def quiet(self) -> None:
        """In a change, as its first act: nobody else adds, names or removes a snapshot until it is
        over."""

    def content(self, id: int) -> bytes | None: ...

    def portable(self, id: int) -> bytes | None: ...

    def portables(self) -> set[int]: ...

    def saved(self, id: int | None = None) -> list[Any]:
        """(id, parent, label, time, size, first 72 bytes) of one snapshot, or of all by id."""

    def drop(self, kept: dict[int, int | None], gone: list[int]) -> None:
        """Gives snapshots new parents and removes others, in a change."""

    def shrink(self) -> None:
        """Gives the room of what was removed back, as far as that goes."""

    # ------------------------------------------------------------------ leases

    def acquire(self, name: str, holder: str, seconds: float) -> int | str:
        """A new token, which is larger than all before; or who holds the lease."""

    def renew(self, tokens: dict[str, int], seconds: float) -> set[str]:
        """Holds leases for so many seconds from now on; gives those that are another's now."""

    def release(self, name: str, token: int) -> None: ...

    def fence(self, name: str) -> tuple[int, str, bool] | None:
        """In a change: token and holder of a name's lease, and whether it is held. Nobody acquires
        it before the change is over."""
