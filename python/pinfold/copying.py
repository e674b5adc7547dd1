"""How a sandbox goes on elsewhere: snapshots, branches, and others of the same settings."""

from __future__ import annotations

from . import _native
from .bounds import bounds
from .core import Core
from .errors import BoundError
from .files import Files
from .settings import counter_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Literal, Self

    from ._native import Durable


#: Contents of a snapshot that a text is worth half a second for.
_SHRUNK_BYTES = 4 << 20


class Copying(Core):
    """The part of `Sandbox` that copies it."""

    def snapshot(
        self,
        *,
        portable: bool = False,
        counter: int | None = None,
        max_bytes: float | None = None,
        max_seconds: float | None = None,
    ) -> bytes:
        """The whole sandbox as bytes, also while tool calls wait for their answers.

        A sandbox with a ``key`` may put a number of yours into it, a rising one, say, that you keep
        in a safe place: ``restore(min_counter=...)`` then refuses an older snapshot, in which less
        of the budgets was spent. `Store` does that by itself.

        It is for this build of pinfold. ``portable=True`` makes one that any later version takes: of
        an idle sandbox, its files, the shell's and Python's state, budgets and ids of calls. What
        that does not hold is a `LeftOutWarning`, and in ``Sandbox.files_of(data).left_out``. While
        a run is on it is a `SandboxStateError`.

        Over ``max_bytes`` (default: ``memory_bytes``, at most 1 GiB) or ``max_seconds`` (60) it is
        a `BoundError`; ``math.inf`` lifts a bound.

        >>> with Sandbox() as first:
        ...     _ = first.run("echo precious > note; x=7")
        ...     data = first.snapshot()
        >>> with Sandbox.restore(data) as second:
        ...     second.run("cat note; echo $x").stdout
        'precious\\n7\\n'
        """
        number = counter_of("counter", counter)
        limits = bounds(max_bytes, max_seconds)
        if not portable:
            with self._entered():
                return self._machine.snapshot(number, *limits)
        from .portable import warn_of_left_out

        with self._entered():
            data, left = self._machine.snapshot_portable(number, *limits)
        warn_of_left_out(left, "a portable snapshot does not hold")
        return data

    def to_url(self, *, max_bytes: int | None = None) -> str:
        """The whole sandbox as one line of text, ``pinfold:…``, for a queue's entry, a checkpoint,
        a chat message or the fragment of a URL; also while tool calls wait. `Sandbox.from_url`
        continues it.

        The text is a `snapshot` in base64url (RFC 4648), so whoever has it sees what is in the
        sandbox. It needs a ``key``, without which nobody could tell it from one that was made up:
        ``ValueError``. With nothing but a waiting script in it, it has some 8 KB; a text of more
        than ``max_bytes`` characters is a `BoundError` that says how many it has.

        >>> key = b"sixteen bytes or more"
        >>> with Sandbox(key=key) as first:
        ...     _ = first.run("x=7")
        ...     text = first.to_url()
        >>> text[:8], len(text) < 8192
        ('pinfold:', True)
        >>> with Sandbox.from_url(text, key=key) as second:
        ...     second.run("echo $x").stdout
        '7\\n'
        """
        if self._durable[0] is None:
            raise ValueError("a sandbox as text needs a key: Sandbox(key=...)")
        if max_bytes is not None and (
            isinstance(max_bytes, bool) or not isinstance(max_bytes, int)
        ):
            raise TypeError(f"max_bytes is an int, not {max_bytes!r}")
        from .url import as_url

        data = self.snapshot()
        if _native.snapshot_info(data)[4] <= _SHRUNK_BYTES:
            data = _native.snapshot_shrink(data, self._durable[0])
        text = as_url(data)
        if max_bytes is not None and len(text) > max_bytes:
            raise BoundError(
                f"the sandbox is a text of {len(text)} characters, more than max_bytes"
                f" ({max_bytes}): remove files that it can do without, or keep its snapshot in a"
                " Store"
            )
        return text

    def fork(
        self,
        *,
        record: str | PathLike[str] | Literal[False] | None = None,
        budget: Literal["copy", "share"] = "copy",
    ) -> Self:
        """An independent copy of the whole sandbox, in well under a millisecond.

        Files, processes, variables, pending calls and what was spent of the capabilities are as
        they were; from here on the two know nothing of each other. Tools, handlers and capabilities
        are this sandbox's. Pending calls have ids of their own in the branch, in the same order.

        Branches are for trying what could be: each may spend all that is left of every capability's
        ``max_calls``, so ten branches can make ten times as many calls, and a pending call waits in
        each of them: answered in each, its handler has run as often. With ``budget="share"`` this
        sandbox and the branch, and their branches of that kind, spend from one and the same
        ``max_calls``, on whatever threads they are, and so do their parts of a run that is on from
        its ``budget``. A pending call then is judged in the branch as
        if it were made there now, and spends once more; what does not fit is denied there. Limits,
        ``tool_calls`` among them, stay each sandbox's own. A snapshot holds what was spent until
        then, and what is restored from it shares nothing. A recording and ``isolation="process"``
        exclude it.

        With ``record`` the branch has a trace of its own, which begins with a snapshot of it. The
        first branch of what is recorded as ``run.jsonl`` is recorded as ``run.1.jsonl`` unless
        another path is given, or False.

        >>> with Sandbox() as trunk:
        ...     _ = trunk.run("x=1; echo draft > plan")
        ...     with trunk.fork() as branch:
        ...         _ = branch.run("x=2; echo bold > plan")
        ...     trunk.run("echo $x; cat plan").stdout
        '1\\ndraft\\n'
        """
        if budget not in ("copy", "share"):
            raise ValueError(f'budget is "copy" or "share", not {budget!r}')
        durable = self._branch_durable(record)
        recorded = durable[1] is not None or self._durable[1] is not None
        if budget == "share" and recorded:
            raise ValueError(
                "a budget that is shared cannot be recorded: what others spend of it is not in the"
                " trace"
            )
        with self._entered():
            if budget == "share":
                machine = self._machine.fork_shared()
            elif recorded:
                machine = self._machine.fork(self._settings, durable)
            else:
                machine = self._machine.fork()
        branch = object.__new__(type(self))
        branch.__dict__.update(self.__dict__)
        held = self._held
        branch._rest()
        branch._held = held
        own = self._budget
        branch._budget = own and (own.shared() if budget == "share" else own.copy())
        branch._machine = machine
        branch._durable = durable
        branch._branches = 0
        branch._given = {**self._given, "record": durable[1]}
        branch.files = Files(machine)
        if budget == "share":
            branch._hear_of_refusals()
        return branch

    def _another(self) -> Self:
        """A sandbox with the same settings, whatever they are, and fresh files. What is recorded
        goes to a trace of its own, named as those of branches."""
        settings = {**self._given, "record": self._branch_durable(None)[1]}
        another = type(self)(**settings)
        another._ledger = self._ledger
        if self._ledger is not None:
            self._ledger.shared = True
        return another

    def _share_budgets(self) -> None:
        """From here on this sandbox and those made from it have the budgets together."""
        if self._ledger is not None or all(c.max_calls is None for c in self._capabilities):
            return
        from .ledger import Ledger

        ledger = Ledger(self._settings, self._capabilities)
        for index, capability in enumerate(self._capabilities):
            left = self._machine.calls_left(index)
            if left is not None and capability.max_calls is not None:
                ledger.spend(index, capability.max_calls - left)
        self._ledger = ledger

    def _branch_durable(self, record: str | PathLike[str] | Literal[False] | None) -> Durable:
        from os import fspath, path

        key, trace, redact, *_ = self._durable
        if record is not None:
            trace = None if record is False else fspath(record)
        elif trace is not None:
            assert isinstance(trace, str)  # a descriptor is what a worker gets instead
            self._branches += 1
            stem, suffix = path.splitext(trace)
            if suffix[1:].isdigit():  # that of a branch, without another
                stem, suffix = trace, ""
            trace = f"{stem}.{self._branches}{suffix}"
        return key, trace, redact, [], 0
