"""All sessions of a server: those in memory, and the store that has them all."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ..capability import MethodCapability, load_policy, policy_json
from ..errors import LeaseError, PinfoldError, SnapshotError, StoreUnavailable
from ..leases import Lease
from ..limits import DEFAULTS, Limits
from ..sandbox import Sandbox
from ..store import Store
from ..tool import Tool
from .addresses import place_of
from .authority import OWN, Principal
from .config import NAME, Config, Tenant
from .metrics import Metrics
from .models import SessionSpec
from .peers import Peers
from .problems import Elsewhere, Problem
from .recording import Recording
from .session import Session, after_place, dumped, store_problem
from .state import Pending, State
from .webhook import Webhook

T = TypeVar("T")
#: Another server may be about to give a session up.
_LEASE_WAIT = 1.0
#: How far back a session's snapshots are looked at.
_HISTORY = 200


class Sessions:
    """Belongs to one event loop. ``holder`` is what others say about a session of this server."""

    def __init__(self, config: Config, store: Store, holder: str) -> None:
        self.config, self.store, self.holder = config, store, holder
        self.key: bytes | None = store._key
        self.metrics = Metrics()
        self.log = logging.getLogger("pinfold.service")
        self.draining = False
        self._threads = ThreadPoolExecutor(config.threads, "pinfold service")
        self._live: dict[str, Session] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        #: Of each tenant: sandboxes that are about to be in memory, sessions that are about to be
        #: in the store. Requests that come together count each other.
        self._coming: Counter[str] = Counter()
        self._new: Counter[str] = Counter()
        self._webhook = Webhook(self)
        self._skew = 0.0  # of this machine's clock
        self.peers = Peers(config.peers, self._driver, self.log)
        self._reaper: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._probe: asyncio.Task[bool] | None = None
        self._stopping: asyncio.Task[None] | None = None

    async def work(self, function: Callable[[], T]) -> T:
        """In a thread, to its end: who is cancelled meanwhile waits for that."""
        future = asyncio.get_running_loop().run_in_executor(self._threads, function)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await asyncio.wait([future])
            raise

    # ------------------------------------------------------------------ opening

    async def create(self, who: Principal, spec: SessionSpec) -> Session:
        """A new session; that it exists is in the store when this returns."""
        who.allow("create", spec.name)
        self._refuse_new()
        if not NAME.fullmatch(spec.name):
            raise Problem(422, "invalid", "a name has letters, digits, ., _ and -, at most 100")
        kept = self._spec(who, spec)
        key = f"{who.tenant.name}/{spec.name}"
        async with self._alone(key):
            if await self._stored(lambda: self.store._find(key)) is not None:
                raise Problem(409, "exists", f"there is a session {spec.name!r} already")
            async with self._one_more(who.tenant), self._room(who.tenant):
                await self._look_at_clock()
                with self.metrics.startup.time():
                    lease = await self._lease(key)
                    session = await self._made(who.tenant, spec, kept, lease)
                self._live[key] = session
                self._measure()
        return session

    async def _made(
        self, tenant: Tenant, spec: SessionSpec, kept: dict[str, Any], lease: Lease
    ) -> Session:
        sandbox: Sandbox | None = None
        settings, recording = self.settings(tenant, kept)
        try:
            sandbox = await self.work(
                lambda: Sandbox(**settings, env=spec.env, seed=spec.seed, key=self.key)
            )
            session = Session(self, tenant, spec.name, sandbox, lease, State(kept), 0, recording)
            await session.save()
            return session
        except BaseException as error:
            await self.work(lambda: _end(sandbox, lease, recording))
            if isinstance(error, SnapshotError):
                raise store_problem(error) from error
            if isinstance(error, (ValueError, TypeError)):
                raise Problem(422, "invalid", str(error)) from error
            raise

    async def get(self, who: Principal, action: str, name: str) -> Session:
        """A session that is there, in memory or from the store, for who may do this with it."""
        who.allow(action, name)
        key = f"{who.tenant.name}/{name}"
        session = self._live.get(key)
        if session is not None and await self.is_ours(session):
            self.metrics.warm.inc()
        else:
            async with self._alone(key):
                session = self._live.get(key)
                if session is None or not await self.is_ours(session):
                    session = await self._resume(who.tenant, name)
        who.allow_tools(_policy(session.state.spec))
        return session

    async def is_ours(self, session: Session) -> bool:
        """Is it here, and what is in memory the newest? After a pause of this server, or of the
        store, another one may have gone on with it."""
        if session.ended is not None:
            return False
        return await self._stored(lambda: self.store.holds(session.lease))

    async def _resume(self, tenant: Tenant, name: str) -> Session:
        key = f"{tenant.name}/{name}"
        old = self._live.get(key)
        if old is not None and old.ended is None:  # its lease is another's
            await old.discard(Problem(409, "moved", "another server has taken the session over"))
        self.metrics.cold.inc()
        async with self._room(tenant):
            session = await self._brought(tenant, name)
        await session.awake()
        return session

    async def _brought(self, tenant: Tenant, name: str) -> Session:
        """From the store into memory."""
        key = f"{tenant.name}/{name}"
        await self._look_at_clock()
        with self.metrics.resume.time():
            try:
                saved = await self._stored(lambda: self.store.find(key))
            except KeyError:
                raise Problem(404, "no_session", f"there is no session {name!r}") from None
            lease = await self._lease(key)
            sandbox: Sandbox | None = None
            recording: Recording | None = None
            try:
                saved = await self._stored(lambda: self.store.find(key))
                state = State.read(saved.label, self.key, tenant.name)
                settings, recording = self.settings(tenant, state.spec)
                sandbox = await self.work(lambda: self.store.load(saved.id, **settings))
            except BaseException as error:
                await self.work(lambda: _end(sandbox, lease, recording))
                if isinstance(error, (PinfoldError, ValueError, TypeError)):
                    self.log.warning("session %s: %s", key, error)
                    raise damaged(error) from error
                raise
            session = Session(self, tenant, name, sandbox, lease, state, saved.id, recording)
        self._live[key] = session
        self._measure()
        return session

    async def _lease(self, key: str) -> Lease:
        try:
            return await self.work(
                lambda: self.store.lease(key, holder=self.holder, timeout=_LEASE_WAIT)
            )
        except LeaseError as error:
            driver = await self._driver(key)
            raise Elsewhere(
                key,
                place_of(driver or ""),
                f"another server drives the session: {after_place(error)}",
            ) from error
        except SnapshotError as error:
            raise store_problem(error) from error

    def clock(self) -> float:
        """The store's, as far as it is known: what waits may be waited for by another server."""
        return time.time() + self._skew

    async def _look_at_clock(self) -> None:
        self._skew = await self._stored(self.store.now) - time.time()

    async def _driver(self, key: str) -> str | None:
        return await self._stored(lambda: self.store.driver(key))

    async def _stored(self, function: Callable[[], T]) -> T:
        """What is read there."""
        try:
            return await self.work(function)
        except StoreUnavailable as error:
            raise store_problem(error) from error
        except SnapshotError as error:
            raise damaged(error) from error

    @contextlib.asynccontextmanager
    async def _alone(self, key: str) -> Any:
        lock = self._opening.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                yield
        finally:  # also when there is no such session: anybody may ask for names
            if not lock.locked() and not lock._waiters:
                self._opening.pop(key, None)

    # ------------------------------------------------------------------ what a sandbox is made with

    def _spec(self, who: Principal, spec: SessionSpec) -> dict[str, Any]:
        """What is kept of a request, when all of it is allowed."""
        try:
            if spec.capabilities is None:
                wanted = who.capabilities
            else:
                wanted = load_policy(dumped({"capabilities": spec.capabilities}))
            for tool in spec.tools:
                if tool.name.split("/")[0].split(".")[0] == OWN:
                    raise ValueError(
                        f"the tool {tool.name!r}: names below {OWN}/ are the service's"
                    )
                Tool(tool.name, tool.description, tool.parameters)
            Limits(**spec.limits)  # type: ignore[arg-type]
        except (ValueError, TypeError) as error:
            raise Problem(422, "invalid", str(error)) from None
        who.allow_tools(wanted)
        return {
            "tools": [tool.model_dump() for tool in spec.tools],
            "policy": policy_json(wanted),
            "limits": spec.limits,
            "record": spec.record,
        }

    def settings(
        self, tenant: Tenant, spec: dict[str, Any]
    ) -> tuple[dict[str, Any], Recording | None]:
        """How its sandbox is made, and its recording, which is whose it becomes to end."""
        tools = [Tool(t["name"], t["description"], t["parameters"]) for t in spec["tools"]]
        settings: dict[str, Any] = {
            "tools": tools,
            "capabilities": _policy(spec),
            "limits": _limits(tenant.limits, spec["limits"]),
            "isolation": self.config.isolation,
        }
        if not spec.get("record"):
            return settings, None
        recording = Recording(tenant.record_bytes, tenant.traces)
        return {**settings, "record": recording.path}, recording

    # ------------------------------------------------------------------ room

    def running(self, tenant: Tenant) -> int:
        return sum(
            s.tenant is tenant and s.run is not None and s.run.state == "running"
            for s in self._live.values()
        )

    @contextlib.asynccontextmanager
    async def _one_more(self, tenant: Tenant) -> AsyncIterator[None]:
        """While a session comes into the store. One that is there already, and is not told of yet,
        counts twice: rather one too few."""
        self._new[tenant.name] += 1
        new = self._new[tenant.name]
        try:
            own = await self._stored(lambda: self.store.count(f"{tenant.name}/"))
            if own + new > tenant.sessions:
                self.metrics.denials.labels("sessions").inc()
                raise Problem(429, "quota", f"the tenant has {own} sessions: delete some")
            yield
        finally:
            self._new[tenant.name] -= 1

    @contextlib.asynccontextmanager
    async def _room(self, tenant: Tenant) -> AsyncIterator[None]:
        """While a sandbox comes into memory. Those that were not used for the longest leave it."""
        while (crowd := self._too_many(tenant)) is not None:
            sessions, most = crowd
            for session in sorted(sessions, key=lambda s: s.touched):
                if not session.lock.locked() and await session.suspend():
                    break
            else:
                self.metrics.denials.labels("live").inc()
                raise Problem(429, "quota", f"{most} sandboxes are at work: try again later")
        self._coming[tenant.name] += 1  # nobody came since it was looked at
        try:
            yield
        finally:
            self._coming[tenant.name] -= 1

    def _too_many(self, tenant: Tenant) -> tuple[list[Session], int] | None:
        """Those of whom one has to leave before another comes, and how many there may be."""
        own = [s for s in self._live.values() if s.tenant is tenant]
        if len(own) + self._coming[tenant.name] >= tenant.live:
            return own, tenant.live
        if len(self._live) + self._coming.total() >= self.config.live:
            return [*self._live.values()], self.config.live
        return None

    def left(self, session: Session) -> None:
        if self._live.get(session.key) is session:
            del self._live[session.key]
        self._measure()

    def _measure(self) -> None:
        self.metrics.active.set(len(self._live))

    def live(self) -> dict[str, str | None]:
        """Those in memory, and what their runs do."""
        return {
            key: None if session.run is None else session.run.state
            for key, session in self._live.items()
        }

    def measured(self) -> bytes:
        states = [s.run.state for s in self._live.values() if s.run is not None]
        self.metrics.running.set(states.count("running"))
        self.metrics.waiting.set(states.count("waiting"))
        return self.metrics.text()

    async def reap(self) -> None:
        """Lets what nobody uses leave memory, for ever."""
        while True:
            await asyncio.sleep(min(self.config.idle_seconds / 4, 5.0))
            limit = time.monotonic() - self.config.idle_seconds
            for session in [*self._live.values()]:
                if session.touched < limit:
                    await session.suspend()

    # ------------------------------------------------------------------ the tree

    async def names(self, who: Principal) -> list[str]:
        prefix = f"{who.tenant.name}/"
        names = await self._stored(lambda: self.store.names(prefix))
        return [name.removeprefix(prefix) for name in names]

    async def history(self, who: Principal, name: str) -> list[Any]:
        """Its snapshots, newest first. Also of one that cannot go on."""
        key = f"{who.tenant.name}/{name}"
        try:
            return await self._stored(lambda: self.store.line(key, limit=_HISTORY))
        except KeyError:
            raise Problem(404, "no_session", f"there is no session {name!r}") from None

    async def traces(self, who: Principal, name: str) -> list[Any]:
        """What there is of a session's recordings, newest first."""
        who.allow("read", name)
        key = f"{who.tenant.name}/{name}"
        return await self._stored(lambda: self.store.trace_page(key))

    async def trace(self, who: Principal, name: str, id: int) -> bytes:
        if id not in {trace.id for trace in await self.traces(who, name)}:
            raise Problem(404, "no_trace", f"trace {id} is not one of {name!r}'s")
        try:
            return await self._stored(lambda: self.store.trace(id))
        except KeyError:  # dropped meanwhile
            raise Problem(404, "no_trace", f"trace {id} is not there any more") from None

    async def of_history(self, who: Principal, name: str, id: int | None) -> int:
        line = await self.history(who, name)
        if id is not None and id not in {saved.id for saved in line}:
            raise Problem(404, "no_snapshot", f"snapshot {id} is not one of {name!r}'s")
        return int(line[0].id if id is None else id)

    async def fork(self, who: Principal, name: str, id: int | None, new: str) -> None:
        who.allow("fork", name)
        who.allow("create", new)
        self._refuse_new()
        if not NAME.fullmatch(new):
            raise Problem(422, "invalid", "a name has letters, digits, ., _ and -, at most 100")
        found = await self.of_history(who, name, id)
        saved = await self._stored(lambda: self.store.find(found))
        who.allow_tools(_policy(State.read(saved.label, self.key, who.tenant.name).spec))
        async with self._one_more(who.tenant):
            try:
                await self._stored(lambda: self.store.branch(found, f"{who.tenant.name}/{new}"))
            except ValueError:
                raise Problem(409, "exists", f"there is a session {new!r} already") from None

    async def delete(self, who: Principal, name: str) -> None:
        """Of a session that cannot go on, too."""
        who.allow("delete", name)
        key = f"{who.tenant.name}/{name}"
        async with self._alone(key):
            session = self._live.get(key)
            if session is not None:
                if session.run is not None and session.run.state == "running":
                    raise Problem(409, "busy", "a run is on: interrupt it first")
                await session.discard(Problem(404, "no_session", "the session was deleted"))
            lease = await self._lease(key)
            try:
                await self._stored(lambda: self.store.forget(key, lease=lease))
                await self._stored(lambda: self.store.drop_traces(key))
            except KeyError:
                raise Problem(404, "no_session", f"there is no session {name!r}") from None
            finally:
                await self.work(lambda: _end(None, lease, None))

    def hand_out(self, session: Session, pending: Pending) -> None:
        self.metrics.calls.labels("handed_out").inc()
        if session.tenant.webhook is not None:
            session._task(self._webhook.ask(session, pending))

    # ------------------------------------------------------------------ beginning and ending

    def _refuse_new(self) -> None:
        if self.draining:
            raise Problem(503, "draining", "the server is about to stop: ask another one")

    def refuse_runs(self) -> None:
        self._refuse_new()

    async def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._reaper = asyncio.get_running_loop().create_task(self.reap())

    async def ready(self) -> str | None:
        """Why no request should come here, if so."""
        if self.draining:
            return "draining"
        if self._probe is None or self._probe.done():  # one that hangs is enough
            probe = self.work(lambda: self.store._db.exists(0))
            self._probe = asyncio.get_running_loop().create_task(probe)
        await asyncio.wait([self._probe], timeout=2)
        if not self._probe.done() or self._probe.exception() is not None:
            return "the store is away"
        return None

    def stop_soon(self) -> None:
        """From a signal's handler: streams come to their end, so that the server can stop."""
        self.draining = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._begin_stop)

    def _begin_stop(self) -> None:
        if self._stopping is None:
            self._stopping = asyncio.get_running_loop().create_task(self._stop())

    async def close(self) -> None:
        self._begin_stop()
        assert self._stopping is not None
        await asyncio.shield(self._stopping)

    async def _stop(self) -> None:
        """Runs that are on may end, for a time; then everything leaves memory. What computes still
        is as if it had not begun: it was not acknowledged."""
        self.draining = True
        await asyncio.sleep(0)
        until = time.monotonic() + self.config.grace_seconds
        while time.monotonic() < until and any(s.lock.locked() for s in self._live.values()):
            await asyncio.sleep(0.05)
        if self._reaper is not None:
            self._reaper.cancel()
        stopped = Problem(503, "stopped", "the server stopped; the session is in the store")
        for session in [*self._live.values()]:
            if not await session.suspend():
                session.sandbox.interrupt()
                await session.discard(stopped)
        await self._webhook.close()
        await self.peers.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(self.store.close)


def damaged(error: Exception) -> Problem:
    return Problem(
        500,
        "damaged",
        "the session in the store cannot go on; an earlier one of its snapshots may (fork it):"
        f" {after_place(error)}",
    )


def _policy(spec: dict[str, Any]) -> list[MethodCapability]:
    return load_policy(spec["policy"])


def _limits(most: Limits, wanted: dict[str, Any]) -> Limits:
    """What is wanted, and no more than there may be."""
    both = {}
    for name in DEFAULTS:
        limit = getattr(most, name)
        want = wanted.get(name, limit)
        both[name] = limit if want is None else want if limit is None else min(want, limit)
    return Limits(**both)


def _end(sandbox: Sandbox | None, lease: Lease, recording: Recording | None) -> None:
    if recording is not None:
        recording.drop()
    for end in ([sandbox.close] if sandbox is not None else []) + [lease.release]:
        with contextlib.suppress(PinfoldError):
            end()
