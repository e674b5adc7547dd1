"""`MethodCapability`: which methods may be called, with which parameters, how often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from .constraints import Constraint, ConstraintError, ConstraintSet
from .patterns import method_matches_pattern, pattern_is_subset

METHOD_CAPABILITY_TYPE = "method"
TOOL_CALL_CAP_TYPE = "tool-call"


class CapabilityError(Exception):
    """A call that no capability allows."""


class CallLimitExceededError(CapabilityError):
    """A call that a capability would allow, had it any calls left."""

    def __init__(self, capability_key: str, max_calls: int) -> None:
        self.capability_key, self.max_calls = capability_key, max_calls
        super().__init__(f"Call limit exceeded: {capability_key} allows {max_calls} calls")


@dataclass
class MethodCapability:
    """Grants the methods that a pattern matches, within constraints and a budget."""

    method_pattern: str
    constraints: ConstraintSet = field(default_factory=ConstraintSet)
    max_calls: int | None = None
    input_schema: dict[str, Any] | None = None

    _type: ClassVar[str] = METHOD_CAPABILITY_TYPE

    def key(self) -> str:
        """The name of this capability's budget."""
        return f"cap:{self._type}:{self.method_pattern}"

    def validate_call(self, method: str, params: Mapping[str, Any]) -> None:
        """`CapabilityError` unless pattern and constraints allow the call; looks at no budget."""
        if not method_matches_pattern(method, self.method_pattern):
            raise CapabilityError(f"{method} does not match the pattern {self.method_pattern}")
        try:
            self.constraints.evaluate(params)
        except ConstraintError as error:
            raise CapabilityError(
                f"{method} is not allowed by {self.method_pattern}: {error}"
            ) from error

    def is_subset_of(self, parent: MethodCapability) -> bool:
        """Is every call that this allows allowed by the parent, too? Never a wrong yes."""
        if not pattern_is_subset(self.method_pattern, parent.method_pattern):
            return False
        if parent.max_calls is not None and (
            self.max_calls is None or self.max_calls > parent.max_calls
        ):
            return False
        return parent.constraints.subsumes(self.constraints)

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {"method_pattern": self.method_pattern}
        if len(self.constraints):
            out["constraints"] = self.constraints.to_list()
        if self.max_calls is not None:
            out["max_calls"] = self.max_calls
        if self.input_schema is not None:
            out["input_schema"] = self.input_schema
        return out

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        constraints = [Constraint.from_dict(item) for item in written.get("constraints", [])]
        return cls(
            method_pattern=written["method_pattern"],
            constraints=ConstraintSet(constraints),
            max_calls=written.get("max_calls"),
            input_schema=written.get("input_schema"),
        )


@dataclass
class ToolCallCap(MethodCapability):
    """`MethodCapability` under its newer name, with keys of its own."""

    _type: ClassVar[str] = TOOL_CALL_CAP_TYPE


def key_spellings(key: str) -> tuple[str, ...]:
    """A budget's key in all spellings that mean the same."""
    for kind in (METHOD_CAPABILITY_TYPE, TOOL_CALL_CAP_TYPE):
        prefix = f"cap:{kind}:"
        if key.startswith(prefix):
            pattern = key[len(prefix) :]
            return (
                f"cap:{METHOD_CAPABILITY_TYPE}:{pattern}",
                f"cap:{TOOL_CALL_CAP_TYPE}:{pattern}",
            )
    return (key,)
