"""`Lease`: one driver at a time for a name of a `Store`, and none that comes back from the dead.

A lease lasts while it is renewed, which a thread of the store does. Its token rises whenever a
lease is given for the name: what an earlier driver still wants to write is refused by its token, however
long it slept in between.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref

from .errors import LeaseError, StoreError
from .log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from .rows import Rows

#: Between two looks at a lease that somebody else has.
_PAUSE = 0.05


class Lease:
    """Who has it drives a name: `Store.lease` gives it, `Store.save` takes it.

    Ends with ``with``, `release` or the process. ``lost`` says that somebody took it over, which
    they may when it was not renewed in its time: a save with it is then a `LeaseError`.
    """

    def __init__(self, keeper: Keeper, name: str, token: int) -> None:
        self.name = name
        #: Larger than that of every lease of this name before.
        self.token = token
        self._keeper = keeper
        self.lost = False
        #: It was given back, here.
        self.released = False

    def release(self) -> None:
        """Lets somebody else drive, at once. More than once is harmless."""
        self._keeper.release(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        with contextlib.suppress(StoreError):  # it ends by itself
            self.release()

    def __repr__(self) -> str:
        return f"<Lease {self.name!r} {self.token}{' lost' if self.lost else ''}>"


class Keeper:
    """The leases of one store, and the thread that renews them while there are some."""

    def __init__(self, rows: Rows, seconds: float) -> None:
        self._rows = rows
        self._seconds = seconds
        self._held: dict[str, Lease] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def acquire(self, name: str, holder: str, timeout: float) -> Lease:
        until = time.monotonic() + timeout
        while True:
            with self._changed:
                other = self._held.get(name)
                got: int | str = "this process"
                if other is None or other.lost:
                    got = self._rows.acquire(name, holder, self._seconds)
                if isinstance(got, int):
                    lease = self._held[name] = Lease(self, name, got)
                    self._watch()
                    return lease
            if time.monotonic() >= until:
                raise LeaseError(f"{self._rows.path}: {name!r} is driven by {got}")
            time.sleep(_PAUSE)

    def release(self, lease: Lease) -> None:
        with self._changed:
            if self._held.get(lease.name) is not lease:
                return
            del self._held[lease.name]
            self._changed.notify_all()
            lease.released = True
            self._rows.release(lease.name, lease.token)

    def close(self) -> None:
        for lease in [*self._held.values()]:
            with contextlib.suppress(StoreError):
                lease.release()

    def _watch(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            args = (weakref.ref(self), self._changed, self._seconds / 3)
            self._thread = threading.Thread(
                target=_renew, args=args, name="pinfold leases", daemon=True
            )
            self._thread.start()

    def renew(self) -> bool:
        """False: there are none any more."""
        with self._changed:
            tokens = {name: lease.token for name, lease in self._held.items()}
            if not tokens:
                self._thread = None
                return False
            try:
                lost = self._rows.renew(tokens, self._seconds)
            except (StoreError, ValueError) as error:  # away, or closed: they may end by themselves
                log.warning("leases were not renewed: %s", error)
                return not isinstance(error, ValueError) or isinstance(error, StoreError)
            for name in lost:
                self._held.pop(name).lost = True
        return True


def _renew(keeper: weakref.ref[Keeper], changed: threading.Condition, pause: float) -> None:
    while True:
        with changed:
            changed.wait(pause)
        strong = keeper()
        if strong is None or not strong.renew():
            return
        del strong
