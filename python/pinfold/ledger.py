"""`Ledger`: one budget for several sandboxes.

Each sandbox counts its calls itself, so several that are made from the same settings would have a
budget each. Where they stand for one, as the sessions of a server do, each call passes the ledger,
too, before anybody is asked about it: it decides again, with counters that are common to all.
"""

from __future__ import annotations

import json

from ._native import Gate
from .errors import ToolError
from .wire import ALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._native import Settings
    from .call import Call
    from .capability import MethodCapability


class Ledger:
    """The common counters of sandboxes that have the same tools and capabilities."""

    def __init__(self, settings: Settings, capabilities: list[MethodCapability]) -> None:
        self._gate = Gate(settings)
        self._capabilities = capabilities
        self.shared = False  # by several sandboxes

    def follow(self, settings: Settings, capabilities: list[MethodCapability]) -> Ledger:
        """One for other tools and capabilities: those that stay have what they have left."""
        other = Ledger(settings, capabilities)
        for index, capability in enumerate(capabilities):
            if capability.max_calls is None or capability not in self._capabilities:
                continue
            left = self._gate.calls_left(self._capabilities.index(capability))
            other.spend(index, capability.max_calls - (left or 0))
        return other

    def spend(self, index: int, calls: int) -> None:
        """Takes calls that were made before off the budget of a capability, by its index."""
        self._gate.spend(index, calls)

    def calls_left(self, index: int, left: int | None) -> int | None:
        """How many calls a capability allows in a sandbox that itself has so many left."""
        common = self._gate.calls_left(index)
        return left if common is None else common if left is None else min(common, left)

    def refusal(self, method: str, params_json: str) -> str | None:
        """Why a call would not be admitted now, ``None`` when it would; spends nothing."""
        return self._gate.refusal(method, params_json)

    def admit(self, call: Call) -> None:
        """Decides about a call that its sandbox allows, and spends it; `ToolError` when no budget
        has room for it. It is to be asked about when either of the two says so."""
        decided = self._gate.decide(_request(call.name, call.params_json))
        outcome, _, _, _, capability, message = decided
        if outcome not in ALLOWED:
            raise ToolError(message or outcome, "denied")
        call.capability = self._capabilities[capability]
        call.ask = call.ask or outcome == "ask"


def _request(name: str, params_json: str) -> bytes:
    return f'{{"tool":{json.dumps(name)},"params":{params_json}}}'.encode()
