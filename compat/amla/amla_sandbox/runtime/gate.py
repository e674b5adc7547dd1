"""What a call may do: amla's rules about capabilities, constraints and budgets.

pinfold's engine lets a call come here only when some capability may match it; here it is decided,
from the capabilities as they are at that moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..capabilities import (
    CallLimitExceededError,
    CapabilityError,
    ConstraintError,
    MethodCapability,
    method_matches_pattern,
)
from ..capabilities.method import key_spellings


def method_ids(name: str) -> tuple[str, ...]:
    """Every id that a pattern may be about: of the tool ``stripe.charges`` also the one with
    slashes, and each with and without ``mcp:``."""
    bare = name.removeprefix("mcp:")
    slashes = bare.replace(".", "/")
    return tuple(dict.fromkeys((f"mcp:{bare}", bare, slashes, f"mcp:{slashes}")))


def engine_patterns(capabilities: Iterable[MethodCapability]) -> list[str]:
    """The patterns as pinfold writes them, for calls of methods that no tool declares."""
    found: dict[str, None] = {}
    for capability in capabilities:
        pattern = capability.method_pattern.removeprefix("mcp:").replace(".", "/")
        if pattern and all(pattern.split("/")):
            found[pattern] = None
    return list(found)


class Budgets:
    """How many calls are left, by the key of a capability. What has no counter is unlimited."""

    def __init__(self, capabilities: Iterable[MethodCapability]) -> None:
        self._left = {c.key(): c.max_calls for c in capabilities if c.max_calls is not None}

    def left(self, key: str) -> int | None:
        for spelling in key_spellings(key):
            if spelling in self._left:
                return self._left[spelling]
        return None

    def spend(self, key: str) -> None:
        if key in self._left:
            self._left[key] -= 1

    def counts(self) -> dict[str, int]:
        return dict(self._left)


def can_call(
    capabilities: Iterable[MethodCapability],
    budgets: Budgets,
    method: str,
    params: Mapping[str, Any],
) -> bool:
    """Would the method, spelled exactly so, be allowed? Spends nothing."""
    for capability in capabilities:
        if not method_matches_pattern(method, capability.method_pattern):
            continue
        try:
            capability.constraints.evaluate(params)
        except ConstraintError:
            continue
        if budgets.left(capability.key()) != 0:
            return True
    return False


def authorize(
    capabilities: list[MethodCapability],
    budgets: Budgets,
    name: str,
    params: Mapping[str, Any],
) -> MethodCapability:
    """Spends one call of the first capability that allows it; raises why none does."""
    ids = method_ids(name)
    spent: CallLimitExceededError | None = None
    failures: list[tuple[MethodCapability, ConstraintError]] = []
    for capability in capabilities:
        if not any(method_matches_pattern(i, capability.method_pattern) for i in ids):
            continue
        try:
            capability.constraints.evaluate(params)
        except ConstraintError as error:
            failures.append((capability, error))
            continue
        if budgets.left(capability.key()) == 0:
            spent = spent or CallLimitExceededError(capability.key(), capability.max_calls or 0)
            continue
        budgets.spend(capability.key())
        return capability
    if spent is not None:
        raise spent
    if failures:
        reasons = "; ".join(f"{c.method_pattern}: {error}" for c, error in failures)
        raise CapabilityError(f"Call of {ids[0]} is not allowed by {reasons}") from failures[0][1]
    granted = ", ".join(c.method_pattern for c in capabilities) or "nothing"
    raise CapabilityError(f"No capability allows {ids[0]}; granted: {granted}")
