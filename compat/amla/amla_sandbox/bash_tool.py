"""`create_sandbox_tool`: functions as the tools of a sandbox, with constraints and budgets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .capabilities import Constraint, ConstraintSet, Param
from .langgraph import SandboxTool
from .sandbox import Sandbox
from .tools.conversion import capability_from_function, name_of, tool_from_function
from .tools.handlers import handler_for

logger = logging.getLogger(__name__)

DEFAULT_MAX_CALLS = 100

_OPERATORS: dict[str, Callable[[Param, Any], Constraint]] = {
    "<=": lambda param, n: param <= n,
    ">=": lambda param, n: param >= n,
    "==": lambda param, n: param == n,
    "<": lambda param, n: param < n,
    ">": lambda param, n: param > n,
}


def _parse_string_constraint(param: str, spec: str) -> Constraint | None:
    """A constraint that is written as text; ``None`` for text that is none.

    >>> _parse_string_constraint("amount", "<= 99.99").value
    99.99
    >>> _parse_string_constraint("amount", "at most 5") is None
    True
    """
    if spec.startswith("startswith:"):
        return Param(param).starts_with(spec.removeprefix("startswith:"))
    for sign, make in _OPERATORS.items():
        if spec.startswith(sign):
            number = _number(spec.removeprefix(sign).strip())
            if number is None:
                logger.warning("the constraint %r of %r has no number and is ignored", spec, param)
                return None
            return make(Param(param), number)
    return None


def _number(text: str) -> int | float | None:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return None


def _parse_constraints(specs: Mapping[str, Any]) -> ConstraintSet:
    """The constraints of a mapping; what is no constraint is left out."""
    found = (_parse(param, spec) for param, spec in specs.items())
    return ConstraintSet([constraint for constraint in found if constraint is not None])


def _parse(param: str, spec: Any) -> Constraint | None:
    if isinstance(spec, str):
        return _parse_string_constraint(param, spec)
    if isinstance(spec, list):
        return Param(param).is_in(spec)
    if isinstance(spec, (int, float)):
        return Param(param) == spec
    return None


def _checked_constraints(tool: str, specs: Mapping[str, Any]) -> ConstraintSet:
    """As `_parse_constraints`, but a rule that cannot be read is an error: it must not be taken for
    one that holds."""
    constraints = []
    for param, spec in specs.items():
        constraint = _parse(param, spec)
        if constraint is None:
            raise ValueError(
                f"constraint of {tool}.{param}: {spec!r} is not understood; write '<=N', '>=N',"
                " '<N', '>N', '==N', 'startswith:TEXT', a list of values or a number"
            )
        constraints.append(constraint)
    return ConstraintSet(constraints)


def create_sandbox_tool(
    tools: Sequence[Callable[..., Any]] | None = None,
    *,
    constraints: Mapping[str, Mapping[str, Any]] | None = None,
    max_calls: int | Mapping[str, int] | None = None,
) -> SandboxTool:
    """A tool for a model that runs scripts, which may call these functions."""
    functions = list(tools or [])
    names = [name_of(func) for func in functions]
    constraints = constraints or {}
    for name in constraints:
        if name not in names:
            raise ValueError(f"constraints: there is no tool {name!r}, only {names}")
    by_name = dict(zip(names, functions, strict=True))
    sandbox = Sandbox(
        tools=[tool_from_function(func) for func in functions],
        capabilities=[
            capability_from_function(
                func,
                constraints=_checked_constraints(name, constraints.get(name, {})),
                max_calls=_budget(max_calls, name),
            )
            for name, func in by_name.items()
        ],
        tool_handler=handler_for(by_name) if by_name else None,
    )
    return SandboxTool(sandbox=sandbox, tools=functions, _tool_map=by_name)


def _budget(max_calls: int | Mapping[str, int] | None, name: str) -> int:
    if max_calls is None:
        return DEFAULT_MAX_CALLS
    if isinstance(max_calls, Mapping):
        return max_calls.get(name, DEFAULT_MAX_CALLS)
    return max_calls
