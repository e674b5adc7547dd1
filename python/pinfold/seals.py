"""Who may change the names of a `Store`, and whether somebody without its key has."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json

from .errors import LeaseError, StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .leases import Lease
    from .rows import Rows

PURPOSE = b"pinfold store names\0"
NAMES = "SELECT name, snapshot FROM name ORDER BY name"
_NUMBER, _TEXT, _BYTES = (int,), (str,), (bytes,)


class Seals:
    """The part of `Store` that changes names."""

    _db: Rows
    _key: bytes | None
    _seal_key: bytes
    _newest: int

    def names(self) -> list[str]:
        raise NotImplementedError

    @contextlib.contextmanager
    def _change_names(self, name: str, lease: Lease | None) -> Iterator[None]:
        """A change of what a name points at. Names that are sealed are sealed all together."""
        counter = 0
        with self._db.change(alone=self._key is not None):
            self._check_lease(name, lease)
            self._vouch()
            yield
            if self._key is not None:
                counter = self._newest + 1
                self._db.execute(
                    "INSERT INTO seal(id, counter, digest) VALUES (1, ?1, ?2)"
                    " ON CONFLICT(id) DO UPDATE SET counter = ?1, digest = ?2",
                    (counter, self._digest(counter)),
                )
        if self._key is not None:
            self._newest = counter

    def _check_lease(self, name: str, lease: Lease | None) -> None:
        if lease is not None and lease.name != name:
            raise ValueError(f"the lease is for {lease.name!r}, not for {name!r}")
        if lease is not None and lease.released:
            raise LeaseError(f"{self._db.path}: the lease for {name!r} was released")
        fence = self._db.fence(name)
        if fence is None and lease is None:
            return
        token, holder, held = fence or (0, "nobody", False)
        if lease is None and held:
            raise LeaseError(f"{self._db.path}: {name!r} is driven by {holder}")
        if lease is not None and lease.token != token:
            raise LeaseError(
                f"{self._db.path}: {name!r} was taken over by {holder} (lease {token}, and this one"
                f" is {lease.token}): nothing was written"
            )

    def _digest(self, counter: int) -> bytes:
        seal = hashlib.blake2b(str(counter).encode(), key=self._seal_key, digest_size=32)
        for name, id in self._db.rows(NAMES, (), _TEXT, _NUMBER):
            seal.update(json.dumps([name, id]).encode())
        return seal.digest()

    def _vouch(self) -> None:
        """Are the names those that somebody with the key has sealed, and not older ones?"""
        if self._key is None:
            return
        with self._db.together():
            row = self._db.one("SELECT counter, digest FROM seal", (), _NUMBER, _BYTES)
            if row is None:
                if self._newest or self.names():
                    raise self._altered(
                        "the names of the store are not sealed with a key: they were saved without"
                        " one, or somebody has removed the seal"
                    )
                return
            counter, digest = row
            if not hmac.compare_digest(digest, self._digest(counter)):
                raise self._altered(
                    "the names of the store are not those that were sealed with its key: somebody"
                    " has altered or rolled back some of them, or the key is another one"
                )
            if counter < self._newest:
                raise self._altered(
                    f"the store was rolled back: its counter is {counter}, and {self._newest} was"
                    " there"
                )
            self._newest = counter

    def _altered(self, what: str) -> StoreError:
        return StoreError(f"{self._db.path}: {what}")
