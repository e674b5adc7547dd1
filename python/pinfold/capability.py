"""Capabilities and constraints: what a script may call, with which arguments, how often.

Objects here only write the policy document (docs/policy.md) that the C engine evaluates; nothing
is decided in Python. Each object is checked by the engine when it is made, so that a mistake shows
where it stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from . import _native
from .errors import CapabilityError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


class Constraint:
    """A condition on the arguments of a call. Combine with ``&``, ``|`` and ``~``."""

    __slots__ = ("_rule",)

    def __init__(self, rule: dict[str, Any]) -> None:
        self._rule = rule

    def to_dict(self) -> dict[str, Any]:
        """The constraint as it stands in a policy document."""
        return self._rule

    def optional(self) -> Constraint:
        """Holds as well when the call leaves the parameter out."""
        if "op" not in self._rule:
            raise CapabilityError("optional() belongs to one parameter: Param(...).optional()")
        return Constraint({**self._rule, "optional": True})

    def __and__(self, other: Constraint) -> Constraint:
        return _combined("all", self, other)

    def __or__(self, other: Constraint) -> Constraint:
        return _combined("any", self, other)

    def __invert__(self) -> Constraint:
        return Constraint({"not": self._rule})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constraint):
            return NotImplemented
        return _exact(self._rule) == _exact(other._rule)

    def __hash__(self) -> int:
        return hash(_exact(self._rule))

    def __bool__(self) -> bool:
        raise TypeError(
            "a constraint is neither true nor false: combine with & | ~ instead of and, or, not,"
            " and write 0 < x < 9 as (Param('x') > 0) & (Param('x') < 9)"
        )

    def __repr__(self) -> str:
        return f"Constraint({self._rule!r})"


class Param:
    """One parameter of a call, by name or path, to state conditions on.

    >>> Param("amount") <= 10000
    Constraint({'param': 'amount', 'op': '<=', 'value': 10000})
    >>> Param("currency").is_in(["USD", "EUR"]) | Param("test").exists()
    Constraint({'any': [{'param': 'currency', 'op': 'in', 'value': ['USD', 'EUR']}, \
{'param': 'test', 'op': 'exists'}]})

    Paths lead into nested values: ``Param("customer.country")``, ``Param("items[0].price")``, and
    ``Param("items[*].price")`` for all of them.
    """

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        if not isinstance(path, str):
            raise TypeError(f"a parameter is named by str, not {path!r}")
        self.path = path

    def _rule(self, op: str, *value: Any, **how: Any) -> Constraint:
        rule: dict[str, Any] = {"param": self.path, "op": op}
        if value:
            rule["value"] = _json_value(self.path, value[0])
        rule |= how
        _check([{"method": "**", "constraints": [rule]}])
        return Constraint(rule)

    def __le__(self, value: Any) -> Constraint:
        return self._rule("<=", value)

    def __lt__(self, value: Any) -> Constraint:
        return self._rule("<", value)

    def __ge__(self, value: Any) -> Constraint:
        return self._rule(">=", value)

    def __gt__(self, value: Any) -> Constraint:
        return self._rule(">", value)

    def __eq__(self, value: object) -> Constraint:  # type: ignore[override]
        return self._rule("==", value)

    def __ne__(self, value: object) -> Constraint:  # type: ignore[override]
        return self._rule("!=", value)

    __hash__ = None  # type: ignore[assignment]

    def is_in(self, values: Iterable[Any]) -> Constraint:
        return self._rule("in", _several(self.path, values))

    def not_in(self, values: Iterable[Any]) -> Constraint:
        return self._rule("not_in", _several(self.path, values))

    def starts_with(self, prefix: str) -> Constraint:
        return self._rule("starts_with", prefix)

    def ends_with(self, suffix: str) -> Constraint:
        return self._rule("ends_with", suffix)

    def contains(self, part: Any) -> Constraint:
        """A string contains a part, an array an element."""
        return self._rule("contains", part)

    def matches(self, pattern: str) -> Constraint:
        """The whole string matches a regular expression; docs/policy.md lists its syntax."""
        return self._rule("matches", pattern)

    def exists(self) -> Constraint:
        return self._rule("exists")

    def not_exists(self) -> Constraint:
        return self._rule("not_exists")

    def is_type(self, name: str) -> Constraint:
        """A JSON type: string, number, integer, boolean, null, array or object."""
        return self._rule("is_type", name)

    def length(self) -> Length:
        """The number of characters of a string or elements of an array, to be compared."""
        return Length(self.path)

    def optional(self) -> Optional:
        """The next condition also holds when the parameter is left out."""
        return Optional(self.path)

    def __repr__(self) -> str:
        return f"Param({self.path!r})"


class Optional(Param):
    """A parameter that may be left out: ``Param("note").optional().starts_with("ok")``."""

    __slots__ = ()

    def _rule(self, op: str, *value: Any, **how: Any) -> Constraint:
        return super()._rule(op, *value, **{**how, "optional": True})


class Length(Param):
    """The length of a parameter: ``Param("to").length() <= 40``."""

    __slots__ = ()

    def _rule(self, op: str, *value: Any, **how: Any) -> Constraint:
        return super()._rule(op, *value, **{**how, "of": "length"})


class ConstraintSet:
    """Constraints that must all hold: a list of them, or the short form.

    >>> ConstraintSet([Param("amount") <= 1000, Param("currency").is_in(["USD", "EUR"])])
    ConstraintSet(2 constraints)
    >>> ConstraintSet({"amount": "<=1000", "currency": ["USD", "EUR"], "to": "startswith:acct_"})
    ConstraintSet(3 constraints)
    >>> ConstraintSet({"amount": "at most 10"})
    Traceback (most recent call last):
        ...
    pinfold.errors.CapabilityError: ...
    """

    __slots__ = ("_rules",)

    def __init__(self, constraints: Constraints = ()) -> None:
        self._rules = _rules(constraints)
        if self._rules:
            _check([{"method": "**", "constraints": self._rules}])

    def to_json(self) -> list[Any] | dict[str, Any]:
        """The constraints as they stand in a policy document, which knows both forms."""
        return self._rules

    def __len__(self) -> int:
        return len(self._rules)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConstraintSet):
            return NotImplemented
        return _exact(self._rules) == _exact(other._rules)

    def __hash__(self) -> int:
        return hash(_exact(self._rules))

    def __repr__(self) -> str:
        return f"ConstraintSet({_counted(len(self))})"


class MethodCapability:
    """Grants the calls whose method matches, whose arguments hold and whose budget is not spent.

    Patterns are literal segments, ``*`` for one segment, ``**`` for any number. The budget is spent
    when a call is allowed, whether or not its handler then fails.

    >>> MethodCapability("stripe/charges/*", [Param("amount") <= 10000], max_calls=100)
    MethodCapability('stripe/charges/*', 1 constraint, max_calls=100)
    >>> MethodCapability("stripe//charges")
    Traceback (most recent call last):
        ...
    pinfold.errors.CapabilityError: ...
    """

    __slots__ = ("method_pattern", "constraints", "max_calls")

    def __init__(
        self,
        method_pattern: str,
        constraints: Constraints = (),
        max_calls: int | None = None,
    ) -> None:
        if not isinstance(method_pattern, str):
            raise TypeError(f"a method pattern is str, not {method_pattern!r}")
        if max_calls is not None and (
            isinstance(max_calls, bool) or not isinstance(max_calls, int)
        ):
            raise TypeError(f"max_calls is an int or None, not {max_calls!r}")
        self.method_pattern = method_pattern
        self.constraints = ConstraintSet(constraints)
        self.max_calls = max_calls
        _check([self.to_dict()])

    def to_dict(self) -> dict[str, Any]:
        """The capability as it stands in a policy document."""
        out: dict[str, Any] = {"method": self.method_pattern}
        if self.max_calls is not None:
            out["max_calls"] = self.max_calls
        if len(self.constraints):
            out["constraints"] = self.constraints.to_json()
        return out

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MethodCapability):
            return NotImplemented
        return _exact(self.to_dict()) == _exact(other.to_dict())

    def __hash__(self) -> int:
        return hash(_exact(self.to_dict()))

    def __repr__(self) -> str:
        parts = [repr(self.method_pattern)]
        if len(self.constraints):
            parts.append(_counted(len(self.constraints)))
        if self.max_calls is not None:
            parts.append(f"max_calls={self.max_calls}")
        return f"MethodCapability({', '.join(parts)})"


Constraints = ConstraintSet | Constraint | Mapping[str, "Any"] | Iterable[Constraint]


def policy_json(capabilities: Iterable[MethodCapability]) -> str:
    """The policy document of these capabilities."""
    return _dump({"capabilities": [capability.to_dict() for capability in capabilities]})


# ------------------------------------------------------------------ writing policies


def _rules(constraints: Constraints) -> list[Any] | dict[str, Any]:
    if isinstance(constraints, ConstraintSet):
        return constraints.to_json()
    if isinstance(constraints, Constraint):
        return [constraints.to_dict()]
    if isinstance(constraints, Mapping):
        return {
            name: _json_value(name, _several(name, spec) if _is_set(spec) else spec)
            for name, spec in constraints.items()
        }
    if isinstance(constraints, str) or not isinstance(constraints, Iterable):
        raise TypeError(f"constraints are a list or a mapping, not {constraints!r}")
    rules = []
    for constraint in constraints:
        if not isinstance(constraint, Constraint):
            raise TypeError(
                f"{constraint!r} is not a constraint; write one with Param: Param('x') <= 1"
            )
        rules.append(constraint.to_dict())
    return rules


def _counted(count: int) -> str:
    return f"{count} constraint{'' if count == 1 else 's'}"


def _is_set(value: Any) -> bool:
    return isinstance(value, (set, frozenset))


def _combined(kind: str, left: Constraint, right: Constraint) -> Constraint:
    if not isinstance(right, Constraint):
        raise TypeError(f"a constraint combines with another one, not with {right!r}")
    rules: list[dict[str, Any]] = []
    for rule in (left.to_dict(), right.to_dict()):
        rules += rule[kind] if kind in rule else [rule]
    return Constraint({kind: rules})


def _several(path: str, values: Iterable[Any]) -> list[Any]:
    if isinstance(values, (str, bytes, Mapping)):
        raise CapabilityError(f"constraint of {path!r}: a list of values is needed, not {values!r}")
    found = list(values)
    return sorted(found, key=repr) if _is_set(values) else found


def _json_value(path: str, value: Any) -> Any:
    try:
        return json.loads(_dump(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise CapabilityError(f"constraint of {path!r}: {value!r} is not JSON: {error}") from None


def _check(capabilities: list[dict[str, Any]]) -> None:
    _native.policy_check(_dump({"capabilities": capabilities}))


def _dump(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def _exact(value: Any) -> str:
    """Tells 1, 1.0 and true apart, as the engine does."""
    return json.dumps(value, sort_keys=True)
