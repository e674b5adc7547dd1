"""Who is asked before a call: which capabilities ask, and whether `approve` can be reached at all.

An approver that no call can come to looks like a check and is none, so it is an error when a
sandbox is made. Called by `Sandbox` for every face, and by `create_sandbox_tool` for its ``ask``.
"""

from __future__ import annotations

from functools import cache

from ._native import pattern_is_subset, pattern_matches
from .capability import MethodCapability, checked_capabilities, widening
from .errors import CapabilityError
from .tool import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_HOW = (
    "say which calls it is for: ask=True or ask=[names] with create_sandbox_tool,"
    " MethodCapability(..., ask=True) otherwise"
)


class NeverAsked(CapabilityError):
    """An approver is given that no call can reach."""

    def __init__(self, message: str, reason: str | None = None) -> None:
        super().__init__(message)
        #: What keeps calls from it, in words that every face can use; None: nothing asks.
        self.reason = reason


def asking(
    capabilities: Iterable[MethodCapability], ask: bool | Iterable[str]
) -> list[MethodCapability]:
    """The capabilities, those of them asking that ``ask`` names, in the same order.

    >>> asking([MethodCapability("pay"), MethodCapability("look")], ask=["pay"])
    [MethodCapability('pay', ask=True), MethodCapability('look')]
    >>> asking([MethodCapability("bank/**")], ask=["bank/pay"])
    Traceback (most recent call last):
    pinfold.errors.CapabilityError: ...
    """
    granted = checked_capabilities(capabilities)
    if isinstance(ask, bool):
        return [_that_asks(capability) for capability in granted] if ask else granted
    made, used = [], set()
    patterns = _patterns(ask)
    for capability in granted:
        method = capability.method_pattern
        covering = [pattern for pattern in patterns if pattern_is_subset(method, pattern)]
        partly = [pattern for pattern in patterns if _overlap(method, pattern)]
        if partly and not covering:
            raise CapabilityError(
                f"ask: {partly[0]!r} is about some of the calls that {method!r} grants, and a"
                " capability asks about all or none: grant them by two capabilities"
            )
        used.update(covering)
        made.append(_that_asks(capability) if covering else capability)
    for pattern in patterns:
        if pattern not in used:
            names = [capability.method_pattern for capability in granted]
            raise CapabilityError(f"ask: {pattern!r} is about nothing that is granted: {names}")
    return made


def refuse_unreachable(
    capabilities: Iterable[MethodCapability], methods: Collection[str], any_method: bool
) -> None:
    """Raises when no call can come to an approver, or none that some capability asks about.

    ``methods`` are the ids of the tools; ``any_method`` says that there may be others.
    """
    freely: dict[str, list[MethodCapability]] = {}  # by method: what grants it unasked, so far
    unasked: list[MethodCapability] = []
    reached, why_not = False, None
    for capability in capabilities:
        about = _about(capability.method_pattern, methods)
        if not capability.ask:
            if capability.max_calls is None:
                unasked.append(capability)
                for method in about:
                    freely.setdefault(method, []).append(capability)
            continue
        if capability.max_calls == 0:
            why_not = f"{capability.method_pattern!r} asks, but its max_calls is 0"
        elif not about and not any_method:
            why_not = f"{capability.method_pattern!r} asks, but no tool has such a name"
        elif all(_covered(capability, method, freely.get(method, [])) for method in about) and not (
            any_method and not _covered(capability, capability.method_pattern, unasked)
        ):
            before = "a capability before it allows the same calls without asking, and the first"
            what = f"{capability.method_pattern!r}: {before} one decides"
            raise NeverAsked(f"approve would never be asked about {what}", what)
        else:
            reached = True
    if not reached:
        how = why_not or _HOW
        raise NeverAsked(f"approve is given, and no call can ever reach it: {how}", why_not)


def _that_asks(capability: MethodCapability) -> MethodCapability:
    return MethodCapability(
        capability.method_pattern, capability.constraints, capability.max_calls, ask=True
    )


def _patterns(ask: Iterable[str]) -> list[str]:
    wrong = TypeError(f"ask is True, False or a list of names and patterns of tools, not {ask!r}")
    if isinstance(ask, str):
        raise wrong
    try:
        patterns = list(ask)
    except TypeError:
        raise wrong from None
    if not all(isinstance(pattern, str) for pattern in patterns):
        raise wrong
    return patterns


def _about(pattern: str, methods: Collection[str]) -> list[str]:
    if "*" not in pattern:
        method = canonical(pattern)
        return [method] if method in methods else []
    return [method for method in methods if pattern_matches(pattern, method)]


def _covered(capability: MethodCapability, method: str, by: list[MethodCapability]) -> bool:
    """Are the calls of this method that the capability allows allowed by the others? Never a wrong
    yes."""
    return bool(by) and widening([MethodCapability(method, capability.constraints)], by) is None


def _overlap(a: str, b: str) -> bool:
    """Is there a method that both patterns match?"""
    first, second = canonical(a).split("/"), canonical(b).split("/")

    @cache
    def meet(i: int, j: int) -> bool:
        left, right = first[i:], second[j:]
        if not left or not right:
            return all(segment == "**" for segment in left or right)
        if left[0] == "**":
            return meet(i + 1, j) or meet(i, j + 1)
        if right[0] == "**":
            return meet(i, j + 1) or meet(i + 1, j)
        same = left[0] == right[0] or "*" in (left[0], right[0])
        return same and meet(i + 1, j + 1)

    return meet(0, 0)
