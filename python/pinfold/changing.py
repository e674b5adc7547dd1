"""How a live sandbox changes: tools that come and go, and everything from the beginning."""

from __future__ import annotations

import sys

from .core import Core
from .errors import SandboxStateError
from .settings import checked, declared, machine_type, native_durable, policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ._native import Durable
    from .capability import MethodCapability
    from .machine import Machine
    from .tool import Handler, Tool


class Changing(Core):
    """The part of `Sandbox` that changes it."""

    def add_tools(
        self,
        tools: Iterable[Tool | Handler],
        capabilities: Iterable[MethodCapability] = (),
    ) -> None:
        """Declares more tools between two runs, and grants what ``capabilities`` says, behind those
        that there are; without any, nothing more may be called.

        Files, the session and what was spent of the budgets stay. It costs a snapshot and its
        restore, a few milliseconds. While a run is on it is a `SandboxStateError`; a name that is
        taken is a ``ValueError``. A recording goes on in a trace of its own, named as those of
        branches (``run.1.jsonl``).

        >>> def greet(name: str) -> str:
        ...     return f"hello {name}"
        >>> with Sandbox() as sandbox:
        ...     sandbox.add_tools([greet], [MethodCapability("greet")])
        ...     print(sandbox.run("greet --name Ada").stdout, end="")
        "hello Ada"
        """
        from .settings import by_method

        more = by_method(tools)
        for method, tool in more.items():
            if method in self._tools:
                raise ValueError(f"the sandbox has a tool {tool.name!r} already")
        self._exchange({**self._tools, **more}, [*self._capabilities, *checked(capabilities)])

    def remove_tools(self, *names: str) -> None:
        """Takes tools away between two runs, and the capabilities that are for one of them alone.
        The rest is as for `add_tools`; a tool that is not there is a ``KeyError``."""
        from .tool import canonical

        gone = {canonical(name) for name in names}
        for name in names:
            if canonical(name) not in self._tools:
                raise KeyError(name)
        tools = {method: tool for method, tool in self._tools.items() if method not in gone}
        kept = [c for c in self._capabilities if canonical(c.method_pattern) not in gone]
        self._exchange(tools, kept)

    def _exchange(self, tools: dict[str, Tool], capabilities: list[MethodCapability]) -> None:
        if self._ledger is not None and self._ledger.shared:
            raise SandboxStateError(
                "the budgets of this sandbox are shared with others (a server's sessions): its tools"
                " cannot change"
            )
        with self._entered():
            old, machine = (self._tools, self._capabilities), self._unwatched()
            self._refuse_run(machine, "tools")
            self._tools, self._capabilities = tools, capabilities
            try:
                if self._approve is not None:
                    from .approval import refuse_unreachable

                    refuse_unreachable(capabilities, tools, self._tool_handler is not None)
                named = [declared(method, self) for method in tools]
                granted = policy(capabilities) if capabilities else None
                settings = (*self._settings[:2], named, granted, *self._settings[4:])
                fresh = machine.fork(settings, self._next_durable())
            except BaseException:
                self._tools, self._capabilities = old
                raise
            if self._ledger is not None:
                self._ledger = self._ledger.follow(settings, capabilities)
            self._settings = settings
            self._given.update(tools=[*tools.values()], capabilities=[*capabilities])
            self._take(fresh)
        if len(tools) > len(old[0]):
            from .names import warn_of_names

            warn_of_names(self._machine.tool_names())

    def reset(self) -> None:
        """From the beginning: the files that the sandbox was made with, a new session, no jobs, a
        fixed clock and seed at their start. A run that is on is given up.

        What was spent of the budgets (``max_calls``) stays spent, and handlers and settings are
        as they are. A recording goes on in a trace of its own, named as those of branches. What was
        restored from a snapshot gets no files back: the snapshot is not kept.

        >>> with Sandbox(files={"a": "given"}) as sandbox:
        ...     _ = sandbox.run("rm a; touch b; x=1")
        ...     sandbox.reset()
        ...     sandbox.run("ls; echo ${x-unset}").stdout
        'a\\nunset\\n'
        """
        with self._entered():
            machine = self._unwatched()
            if machine.running():
                self._abandon()
            self._share_budgets()
            durable = self._next_durable(with_mounts=True)
            make = machine_type(self._given["isolation"])
            totals = self._totals
            self._take(make(self._settings, None, durable))
            self._rest()
            self._totals = totals
        for path, data in (self._given["files"] or {}).items():
            self.files[path] = data

    # ------------------------------------------------------------------ inside

    def _unwatched(self) -> Machine:
        machine: Machine = getattr(self._machine, "unwatched", self._machine)
        return machine

    def _refuse_run(self, machine: Machine, what: str) -> None:
        if machine.running():
            raise SandboxStateError(f"a run is on: {what} change between two runs")

    def _next_durable(self, with_mounts: bool = False) -> Durable:
        key, trace, redact, *_ = self._branch_durable(None)
        if not with_mounts:  # a fork has those of its trunk
            return key, trace, redact, [], 0
        assert not isinstance(trace, int)  # which only a worker has
        return native_durable(key, trace, redact, self._given["mounts"], 0)

    def _take(self, fresh: Any) -> None:
        """Goes on with another machine; that it had until now is closed."""
        old, self._machine = self._machine, self._watched(fresh)
        self.files._machine = self._machine
        self._last = None
        old.close()

    def _watched(self, machine: Any) -> Machine:
        """The machine, with whoever listens."""
        audit = self._given["audit"]
        if audit is None and "opentelemetry.trace" not in sys.modules:
            watched: Machine = machine
            return watched
        from .observe import observed

        watched = observed(machine, audit, self._capabilities)
        return watched

    def _branch_durable(self, record: Any) -> Durable:
        raise NotImplementedError  # of Copying

    def _share_budgets(self) -> None:
        raise NotImplementedError  # of Copying
