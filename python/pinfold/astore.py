"""`AsyncStore`: a `Store` for asyncio, whose methods do their work in threads."""

from __future__ import annotations

import asyncio

from .store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike
    from typing import Any, ParamSpec, Self, TypeVar, Unpack

    from .leases import Lease
    from .sandbox import GivenImages, Sandbox
    from .saved import Named, Saved, Trace
    from .typed import RestoreSettings

    P = ParamSpec("P")
    T = TypeVar("T")
    Records = list[Saved]
    Names = list[str]
    Page = list[Named]
    Traces = list[Trace]


class AsyncStore:
    """A `Store` whose methods are awaited: the event loop goes on while the disk is waited for. The
    arguments are those of `Store`. What was begun is done also when its task is cancelled.

    >>> import asyncio, tempfile
    >>> async def main():
    ...     async with AsyncStore(tempfile.mktemp(suffix=".db")) as store, Sandbox() as sandbox:
    ...         await sandbox.arun("echo draft > plan")
    ...         await store.save("alice", sandbox)
    ...         async with await store.load("alice") as again:
    ...             return (await again.arun("cat plan")).stdout
    >>> asyncio.run(main())
    'draft\\n'
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        key: bytes | None = None,
        timeout: float = 30.0,
        min_counter: int = 0,
        read_only: bool = False,
        portable: bool = True,
        lease_seconds: float = 20.0,
        schema: str | None = None,
        large: str | None = None,
        large_bytes: int | None = None,
    ) -> None:
        #: The store behind it, for what needs no waiting.
        self.store = Store(
            path,
            key=key,
            timeout=timeout,
            min_counter=min_counter,
            read_only=read_only,
            portable=portable,
            lease_seconds=lease_seconds,
            schema=schema,
            large=large,
            large_bytes=large_bytes,
        )

    async def save(
        self, name: str, sandbox: Sandbox, label: str = "", *, lease: Lease | None = None
    ) -> int:
        """See `Store.save`. The sandbox is in use meanwhile."""
        return await _done(self.store.save, name, sandbox, label, lease=lease)

    async def lease(self, name: str, *, holder: str = "", timeout: float = 0.0) -> Lease:
        """See `Store.lease`. One that comes when nobody waits for it any more is given back."""
        got: list[Lease] = []

        def work() -> Lease:
            got.append(self.store.lease(name, holder=holder, timeout=timeout))
            return got[0]

        try:
            return await _done(work)
        except asyncio.CancelledError:
            for lease in got:
                await _done(lease.release)
            raise

    async def holds(self, lease: Lease) -> bool:
        """See `Store.holds`."""
        return await _done(self.store.holds, lease)

    async def load(
        self,
        which: str | int,
        *,
        images: GivenImages | None = None,
        **how: Unpack[RestoreSettings],
    ) -> Sandbox:
        """See `Store.load`."""
        return await _done(self.store.load, which, images=images, **how)

    async def data(self, which: str | int) -> bytes:
        """See `Store.data`."""
        return await _done(self.store.data, which)

    async def branch(self, which: str | int, name: str, *, lease: Lease | None = None) -> int:
        """See `Store.branch`."""
        return await _done(self.store.branch, which, name, lease=lease)

    async def names(self, prefix: str = "", *, after: str = "", limit: int | None = None) -> Names:
        """See `Store.names`."""
        return await _done(self.store.names, prefix, after=after, limit=limit)

    async def count(self, prefix: str = "") -> int:
        """See `Store.count`."""
        return await _done(self.store.count, prefix)

    async def page(self, prefix: str = "", *, after: str = "", limit: int = 100) -> Page:
        """See `Store.page`."""
        return await _done(self.store.page, prefix, after=after, limit=limit)

    async def driver(self, name: str) -> str | None:
        """See `Store.driver`."""
        return await _done(self.store.driver, name)

    async def tree(self, which: str | int, *, limit: int = 1000) -> Records:
        """See `Store.tree`."""
        return await _done(self.store.tree, which, limit=limit)

    async def list(self) -> Records:
        """See `Store.list`."""
        return await _done(self.store.list)

    async def line(self, which: str | int, *, limit: int = 1000) -> Records:
        """See `Store.line`."""
        return await _done(self.store.line, which, limit=limit)

    async def now(self) -> float:
        """See `Store.now`."""
        return await _done(self.store.now)

    async def find(self, which: str | int) -> Saved:
        """See `Store.find`."""
        return await _done(self.store.find, which)

    async def history(self, which: str | int) -> Records:
        """See `Store.history`."""
        return await _done(self.store.history, which)

    async def diff(
        self,
        old: str | int,
        new: str | int,
        *,
        max_bytes: float | None = None,
        max_seconds: float | None = None,
    ) -> dict[str, Names]:
        """See `Store.diff`."""
        bounds = {"max_bytes": max_bytes, "max_seconds": max_seconds}
        return await _done(self.store.diff, old, new, **bounds)

    async def forget(self, name: str, *, lease: Lease | None = None) -> None:
        """See `Store.forget`."""
        await _done(self.store.forget, name, lease=lease)

    async def prune(self, keep: int = 1, *, older: float = 0.0) -> int:
        """See `Store.prune`."""
        return await _done(self.store.prune, keep, older=older)

    async def add_trace(
        self, name: str, trace: str | PathLike[str] | bytes, *, replaces: int | None = None
    ) -> int:
        """See `Store.add_trace`."""
        return await _done(self.store.add_trace, name, trace, replaces=replaces)

    async def traces(self, name: str | None = None) -> Any:
        """See `Store.traces`; a list."""
        return await _done(lambda: [*self.store.traces(name)])

    async def trace(self, id: int) -> bytes:
        """See `Store.trace`."""
        return await _done(self.store.trace, id)

    async def trace_page(
        self, name: str | None = None, *, before: int | None = None, limit: int = 100
    ) -> Traces:
        """See `Store.trace_page`."""
        return await _done(self.store.trace_page, name, before=before, limit=limit)

    async def drop_traces(
        self, name: str | None = None, *, keep: int = 0, older: float | None = None
    ) -> int:
        """See `Store.drop_traces`."""
        return await _done(self.store.drop_traces, name, keep=keep, older=older)

    async def add_audit(self, name: str, entries: Iterable[Any]) -> None:
        """See `Store.add_audit`."""
        await _done(self.store.add_audit, name, [*entries])

    async def audit(self, name: str | None = None) -> Any:
        """See `Store.audit`; a list."""
        return await _done(lambda: [*self.store.audit(name)])

    async def close(self) -> None:
        await _done(self.store.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()


async def _done(work: Callable[P, T], *args: P.args, **how: P.kwargs) -> T:
    """In a thread, to its end: half a cancelled save would be nobody's."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **how))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        task.exception() if not task.cancelled() else None
        raise
