"""Runs that were seen before are restored instead of run: `Cache`.

With clock and seed fixed a run is a function of the sandbox before it, its text and settings, and
the answers to its calls. So a run is a path through a tree: it begins at the hash of all that it
starts from, and each answer leads on to the hash of what came before and the answer. A place holds
a snapshot: of a sandbox that waits for answers, or of one whose run is over, with its result.

Authority never comes from here. Tools, policy, limits and what was spent of the budgets are part of
the hash, so that other ones are other runs. Calls that wait are restored as `Sandbox.restore` does
it: each call is judged by the capabilities that hold now, before its handler is asked.
"""

from __future__ import annotations

import json
import weakref
from hashlib import blake2b
from typing import NamedTuple

from . import _native
from .answer import encode, failure, not_json
from .drive import InPlace, NoLoop, Stuck, Waiter, handled
from .errors import SandboxStateError, StoreError
from .memo_file import MemoFile
from .memo_machine import (
    Judge,
    Known,
    Origin,
    Standing,
    real,
    state_digest,
    waiting_calls,
    was_struck,
)
from .running import ISOLATED, SESSION, _bytes
from .settings import machine_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike
    from typing import Any, Self

    from ._native import Durable, Outcome, Place
    from .call import Call
    from .core import Own
    from .limits import Limits
    from .machine import Machine
    from .memo_machine import Act
    from .result import Result
    from .sandbox import Sandbox

_PURPOSE = b"pinfold memo 1\0"


class Counts(NamedTuple):
    """What a `Cache` was good for, and what it holds."""

    #: Runs that were not run at all, and those that were, also if only from some call on.
    hits: int
    misses: int
    #: Calls of remembered tools whose handler was not asked.
    remembered: int
    #: What is in the file.
    entries: int
    bytes: int


class _Course:
    """One run, as far as it is known, and from there on live."""

    def __init__(self, cache: Cache, sandbox: Sandbox, owner: object) -> None:
        self._cache = cache
        self._sandbox = sandbox
        self._owner = owner
        #: Where it is in the tree; None: it is nowhere, because something came that is no answer.
        self._key: bytes | None = None
        self._waiter = Waiter()
        self.live = False

    def go(self, start: bytes, begin: Act) -> Outcome:
        """``start`` is the hash of what the run starts from, ``begin`` starts it in a machine."""
        self._key = start
        try:
            outcome = self._arrive(begin)
            while outcome is None:
                outcome = self._next()
            return outcome
        finally:
            self._waiter.close()

    def _arrive(self, act: Act) -> Outcome | None:
        """At the place of ``_key``: it is known, or the act leads there and it is kept."""
        sandbox, key = self._sandbox, self._key
        known = None if key is None else self._cache._file.find(key)
        if known is None:
            self.live = True
            outcome = act(_changing(sandbox))
            if key is not None:
                self._keep(key, outcome)
            return outcome
        self._cache._stand(sandbox, self._owner, known, act)
        if known.outcome is None:
            self._check_waiting()
        return known.outcome

    def _check_waiting(self) -> None:
        """Calls that came back with a snapshot were judged anew. What was refused now was not
        then: the way on is another one than the one that is known."""
        standing = self._sandbox._machine
        assert isinstance(standing, Standing)
        if standing.is_judged():
            return
        machine = standing.real()
        if machine.wait_ns() == 0:
            self._key = None
            self.live = True
            _changing(self._sandbox).advance()

    def _keep(self, key: bytes, outcome: Outcome | None) -> None:
        """What a clock decided is not kept: a limit of time, an interrupt."""
        sandbox = self._sandbox
        machine = real(sandbox._machine)
        at_limit = outcome is not None and outcome[4] is not None
        if at_limit or machine.was_struck():
            self._key = None
            return
        try:
            data = machine.snapshot()
        except SandboxStateError:  # a program is parked: there is nothing to keep at this place
            self._cache._remember_state(sandbox, Known(b"", outcome, None))
            return
        calls = waiting_calls(machine) if outcome is None else None
        known = Known(state_digest(data), outcome, calls)
        self._cache._file.keep(key, known, data)
        self._cache._remember_state(sandbox, known)

    def _next(self) -> Outcome | None:
        machine = self._sandbox._machine
        if not machine.running():
            return machine.result()
        pending = machine.pending()
        if not pending:
            self._key = None
            return Stuck(_changing(self._sandbox)).go_on()
        given = pending[0]
        if isinstance(machine, Standing):
            machine.watch()
        answered = self._answer(self._sandbox._call(given))
        if isinstance(answered, InPlace):  # a branch of a preview was accepted: it goes on there
            self._key = None
            self.live = True
            return answered.take_as_answer()
        kind, text = answered
        if was_struck(machine):  # which the way that is known does not know of
            self._key = None
        if isinstance(machine, Standing) and self._key is not None:
            changed = machine.changed()  # by a handler: that is an input, too
            self._key = None if changed is None else _hash(self._key, changed)
        if self._key is not None:
            self._key = _hash(self._key, _json([given[0], given[1], given[3], kind, text]))
        return self._arrive(lambda machine: _tell(machine, given[0], kind, text))

    def _answer(self, call: Call) -> tuple[int | None, str] | InPlace:
        """What the embedder says now: JSON, or the kind and text of a failure."""
        sandbox = self._sandbox
        try:
            value = handled(sandbox, call, self._waiter, self._cache._known_answer)
        except NoLoop as error:
            raise RuntimeError(str(error)) from None
        except Exception as error:
            if isinstance(error, sandbox._passthrough):
                sandbox._held = True
                raise
            return failure(error, sandbox._hide_tool_errors)
        if isinstance(value, InPlace):
            return value
        try:
            text = value.text if isinstance(value, _Text) else encode(call.method, value)
        except ValueError as error:
            return 0, str(error)
        refused = _native.json_refusal(text)
        if refused is not None:
            return 0, not_json(call.method, refused)
        if not isinstance(value, _Text):
            self._cache._learn(call, text)
        return None, text


class _Text(NamedTuple):
    """An answer that is remembered, as JSON."""

    text: str


class Cache:
    """A file of runs. `run` is `Sandbox.run`, but that what was seen before is not run again.

    The same means: an equal sandbox before it (files, session, what was spent of the budgets), the
    same text, standard input and settings, the same tools, policy and limits, and the same answers
    to its calls. Handlers are asked as in any run, since only they know what they say today; what
    they answered before takes the sandbox to where it was then. Afterwards the sandbox is as if it
    had run: it is restored when something else is asked of it.

    It needs a sandbox with ``clock`` and ``seed`` fixed: then nothing else comes in. A run that a
    clock ended (a limit of time, an interrupt) is not kept.

    >>> import tempfile
    >>> from pinfold import Sandbox
    >>> with Cache(tempfile.mktemp()) as cache:
    ...     for _ in range(3):
    ...         with Sandbox(clock=0, seed=1) as sandbox:
    ...             _ = cache.run(sandbox, "seq 1000 > numbers")
    ...             print(cache.run(sandbox, "wc -l < numbers; echo $RANDOM").stdout.split())
    ...     cache.counts()[:2]
    ['1000', '24453']
    ['1000', '24453']
    ['1000', '24453']
    (4, 2)

    * ``key``: with these secret bytes, 16 or more, what is in the file is authenticated. Without
      them whoever can write the file decides what a known run gives, within the tools, capabilities
      and budgets of who uses it.
    * ``remember`` names tools, or patterns of them, whose answers are kept as well: the same
      arguments get the answer that they got first, without asking the handler. The call is judged,
      charged and, where its capability says so, approved before.
    * ``max_bytes`` is how large the file may grow; the entry that was not used for longest goes
      first.
    * ``timeout`` is how many seconds to wait while another process writes.

    A file that is damaged, altered or of another program is a `StoreError`. Threads and processes
    may share a file; a `Cache` serves one run at a time.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        key: bytes | None = None,
        remember: Iterable[str] = (),
        max_bytes: int = 1 << 30,
        timeout: float = 30.0,
    ) -> None:
        if key is not None and not isinstance(key, bytes):
            raise TypeError(f"key is bytes, not {type(key).__name__}")
        if key is not None and len(key) < 16:
            raise ValueError(f"a key has 16 bytes or more, not {len(key)}")
        if isinstance(remember, str):
            raise TypeError(f"remember is a list of patterns, not {remember!r}")
        self._patterns = list(remember)
        for pattern in self._patterns:
            _native.pattern_matches(pattern, "any")  # refuses a malformed one
        if isinstance(max_bytes, bool) or not isinstance(max_bytes, int) or max_bytes < 1:
            raise ValueError(f"max_bytes is a number from 1 on, not {max_bytes!r}")
        self._file = MemoFile(path, key, max_bytes, timeout)
        self._hits = self._misses = self._remembered = 0
        #: Sandboxes that may still need a state of the file.
        self._standing: weakref.WeakSet[Standing] = weakref.WeakSet()
        #: Limits of the run that is on.
        self._own_limits: list[tuple[str, int]] | None = None

    def run(
        self,
        sandbox: Sandbox,
        code: str,
        language: str = "shell",
        stdin: bytes | str | None = None,
        *,
        isolated: bool = False,
        cwd: str | PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        budget: int | Mapping[str, int] | None = None,
    ) -> Result:
        """As `Sandbox.run`, with its arguments, handlers, approvals and errors.

        A `Result` of a run that was not run has used no time. A sandbox that is recorded, has
        mounts, an audit log or ``isolation``, or whose clock or seed is not fixed, is a
        ``ValueError``, which says why.
        """
        own = sandbox._own(cwd, env, limits, budget)
        how = ISOLATED if isolated else SESSION
        data = _bytes(stdin)
        entered = sandbox._entered(run=True)
        with entered:
            _refuse(sandbox)
            machine = sandbox._machine
            if machine.running():
                raise SandboxStateError("a run is on: finish() completes it")
            sandbox._held = False
            digest = self._state_of(sandbox)
            place = None if own is None else own[0]
            start = _hash(
                _PURPOSE,
                digest,
                _json([_settings(sandbox), code, language, how, place]),
                data or b"",
                b"stdin" if data is not None else b"",
            )
            outcome = self._go(sandbox, entered, start, (code, language, data, how), own)
        sandbox._count(outcome)
        return sandbox._result(outcome)

    def _go(
        self,
        sandbox: Sandbox,
        owner: object,
        start: bytes,
        what: tuple[str, str, bytes | None, int],
        own: Own | None,
    ) -> Outcome:
        sandbox._last = None
        sandbox._budget, sandbox._own_limits = (None, None) if own is None else own[1:]
        place = None if own is None else own[0]
        self._own_limits = None if place is None else place[2]
        if isinstance(sandbox._machine, Standing):
            sandbox._machine.begin_with(self._own_limits)
        course = _Course(self, sandbox, owner)
        try:
            outcome = course.go(start, lambda machine: _started(machine, what, place))
        except BaseException:
            if not sandbox._held:
                sandbox._abandon()
            raise
        if course.live:
            self._misses += 1
        else:
            self._hits += 1
        return outcome

    def counts(self) -> Counts:
        """How often it served since it was opened, and what the file holds."""
        return Counts(self._hits, self._misses, self._remembered, *self._file.size())

    def clear(self) -> None:
        """Forgets everything, for all who use the file."""
        self._fetch()
        self._file.clear()

    def close(self) -> None:
        """Writes what is not written yet. Sandboxes go on."""
        try:
            self._fetch()
        finally:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Cache {self._file.path}, {self._hits} hits, {self._misses} misses>"

    # ------------------------------------------------------------------ inside

    def _fetch(self) -> None:
        """What sandboxes need of the file is taken from it."""
        for standing in list(self._standing):
            standing.fetch()

    def _state_of(self, sandbox: Sandbox) -> bytes:
        machine = sandbox._machine
        if isinstance(machine, Standing) and machine.digest:
            return machine.digest
        return state_digest(real(machine).snapshot())

    def _stand(self, sandbox: Sandbox, owner: object, known: Known, act: Act) -> None:
        """Puts the sandbox into a state that is known."""
        old = sandbox._machine
        origin = old.onward(act) if isinstance(old, Standing) else None
        if origin is None:
            base = real(old)
            judge = Judge(sandbox._settings, base, len(sandbox._capabilities))
            judge.begin_with(self._own_limits)
            base.unclaim(owner)
            origin = Origin(base, [act], judge, self._restoring(sandbox))
        standing = Standing(origin, known)
        standing.claim(True, owner)
        self._standing.add(standing)
        sandbox._machine = sandbox.files._machine = standing

    def _restoring(self, sandbox: Sandbox) -> Callable[[bytes, list[float]], Machine | None]:
        settings = sandbox._settings
        durable: Durable = (sandbox._durable[0], None, False, [], 0)
        file, watched = self._file, sandbox._watched

        def restore(digest: bytes, left: list[float]) -> Machine | None:
            data = file.state(digest)
            if data is None:
                return None
            made: Machine = machine_type(None)(settings, data, durable)
            now = [made.calls_left(index) for index in range(len(left))]
            for more, before in zip(now, left, strict=True):
                if before != float("inf") and (more is None or more > before):
                    made.close()
                    raise StoreError(
                        f"{file.path}: a state in it gives back what was spent of a budget:"
                        " somebody has altered it"
                    )
            return watched(made)

        return restore

    def _remember_state(self, sandbox: Sandbox, known: Known) -> None:
        """A sandbox that runs by itself has come to a state whose hash is known."""
        machine = sandbox._machine
        if isinstance(machine, Standing):
            machine.stands_at(known)
        else:
            sandbox._machine = sandbox.files._machine = Standing(None, known, machine)

    def _is_remembered(self, call: Call) -> bool:
        return any(_native.pattern_matches(pattern, call.method) for pattern in self._patterns)

    def _known_answer(self, call: Call) -> _Text | None:
        if not self._is_remembered(call):
            return None
        text = self._file.answer(_answer_key(call))
        if text is None:
            return None
        self._remembered += 1
        return _Text(text)

    def _learn(self, call: Call, text: str) -> None:
        if self._is_remembered(call):
            self._file.learn(_answer_key(call), text)


def _hash(*parts: bytes) -> bytes:
    state = blake2b(digest_size=32)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _answer_key(call: Call) -> bytes:
    return _hash(_PURPOSE, b"answer", _json([call.method, call.params_json]))


def _settings(sandbox: Sandbox) -> Any:
    """What tools, policy and limits a run has: all that a machine is made with."""
    return [_native.version, sandbox._settings]


def _changing(sandbox: Sandbox) -> Machine:
    """The machine, whose state is another one from now on."""
    machine = sandbox._machine
    if not isinstance(machine, Standing):
        return machine
    machine.digest = None
    return machine.real()


def _started(
    machine: Machine, what: tuple[str, str, bytes | None, int], place: Place | None
) -> Outcome | None:
    code, language, stdin, how = what
    if place is None:
        return machine.start(code, language, stdin, how, None)
    try:
        return machine.start(code, language, stdin, how, None, place)
    except OSError as error:
        error.add_note("cwd is a directory in the sandbox; files.upload() brings one there.")
        raise


def _tell(machine: Machine, id: int, kind: int | None, text: str) -> Outcome | None:
    if kind is None:
        return machine.resume(id, text)
    return machine.fail(id, kind, text)


def _refuse(sandbox: Sandbox) -> None:
    given = sandbox._given
    for name, why in (
        ("record", "what it does would not be in its recording"),
        ("mounts", "what comes in from them is in no key"),
        (
            "audit",
            "the log has to hear of each call that is refused, and what is restored is silent",
        ),
        ("isolation", "who keeps what a worker gave believes a worker that was taken over"),
    ):
        if given.get(name):
            raise ValueError(f"a Cache is not for a sandbox with {name}=: {why}")
    machine: Any = sandbox._machine
    if not machine.is_fixed():
        raise ValueError(
            "a Cache is for a sandbox whose runs depend on nothing else:"
            " Sandbox(clock=..., seed=...) fixes both"
        )
