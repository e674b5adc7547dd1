"""What is asked about the calls of a machine in a worker, and about where it stands: answered here,
from the ledger and from what it said last, without asking the worker."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._native import CallData, OnDecision
    from .accounts import Ledger
    from .link import Link


class Outside:
    """The questions of a `_native.Machine` that the worker has no say in."""

    _ledger: Ledger
    _on_decision: OnDecision | None
    _running: bool
    _due: float | None  # when its next timer is due, by the clock of `time.monotonic`

    def step(self) -> CallData | None:
        self._alive()
        call = self._ledger.next_call()
        if call is not None:
            self._tell_late(call[0])
            self._ledger.hand_out(call[0])
        return call

    def pending(self) -> list[CallData]:
        self._alive()
        return list(self._ledger.calls.values())

    def pending_ids(self) -> tuple[int, ...]:
        self._alive()
        return tuple(self._ledger.calls)

    def refusal(self, method: str, params: str) -> str | None:
        self._alive()
        return self._ledger.refusal(method, params)

    def calls_left(self, capability: int) -> int | None:
        self._alive()
        return self._ledger.calls_left(capability)

    def on_decision(self, callback: OnDecision | None) -> None:
        self._alive()
        self._on_decision = callback
        if callback is not None:
            for decision in self._ledger.judged():
                callback(*decision)

    def on_request(self, callback: object) -> None:
        raise NotImplementedError("decisions about the calls of a worker are made here")

    def has_work(self) -> bool:
        self._alive()
        return self._ledger.next_call() is not None

    def running(self) -> bool:
        self._alive()
        return self._running

    def wait_ns(self) -> int | None:
        self._alive()
        if self._due is None or not self._running:
            return None
        return int(max(0.0, self._due - time.monotonic()) * 1e9)

    def _alive(self) -> Link:
        """The link to the worker; raises when there is none any more."""
        raise NotImplementedError

    def _tell_late(self, id: int) -> None:
        """Tells who listens of a call that nobody was told of."""
        raise NotImplementedError
