"""Capabilities and constraints: what a script may call, with which arguments, how often.

Objects here only write the policy document (docs/policy.md) that the C engine evaluates; nothing
is decided in Python. Each object is checked by the engine when it is made, so that a mistake shows
where it stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from os import PathLike, fspath

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

    def matches_url(self, pattern: str) -> Constraint:
        """The string is the URL of a page that a pattern like ``https://*.example.com/v1/**`` is about;
        docs/http.md has the language of these patterns. ``Param("url.host")`` is a part of a URL.

        >>> Param("url").matches_url("https://api.example.com/**")
        Constraint({'param': 'url', 'op': 'matches_url', 'value': 'https://api.example.com/**'})
        """
        return self._rule("matches_url", pattern)

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

    @property
    def is_empty(self) -> bool:
        """Nothing is constrained."""
        return not self._rules

    def merge(self, other: Constraints) -> ConstraintSet:
        """What holds only when both hold.

        >>> ConstraintSet({"amount": "<=1000"}).merge([Param("currency") == "USD"])
        ConstraintSet(2 constraints)
        """
        both = ConstraintSet()
        both._rules = _long(self._rules) + _long(ConstraintSet(other)._rules)
        return both

    def is_subset_of(self, parent: Constraints) -> bool:
        """Is every call that these allow allowed by the parent's? Never a wrong yes.

        >>> ConstraintSet({"amount": "<=10"}).is_subset_of({"amount": "<=1000"})
        True
        >>> ConstraintSet().is_subset_of({"amount": "<=1000"})
        False
        """
        return MethodCapability("**", self).is_subset_of(MethodCapability("**", parent))

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
    when a call is allowed, whether or not its handler then fails. With ``ask``, each call that it
    allows waits until somebody approves it.

    >>> MethodCapability("stripe/charges/*", [Param("amount") <= 10000], max_calls=100)
    MethodCapability('stripe/charges/*', 1 constraint, max_calls=100)
    >>> MethodCapability("stripe//charges")
    Traceback (most recent call last):
        ...
    pinfold.errors.CapabilityError: ...
    """

    __slots__ = ("method_pattern", "constraints", "max_calls", "ask")

    def __init__(
        self,
        method_pattern: str,
        constraints: Constraints = (),
        max_calls: int | None = None,
        *,
        ask: bool = False,
    ) -> None:
        if not isinstance(ask, bool):
            raise TypeError(f"ask is True or False, not {ask!r}")
        if not isinstance(method_pattern, str):
            raise TypeError(f"a method pattern is str, not {method_pattern!r}")
        if max_calls is not None and (
            isinstance(max_calls, bool) or not isinstance(max_calls, int)
        ):
            raise TypeError(f"max_calls is an int or None, not {max_calls!r}")
        self.method_pattern = method_pattern
        self.constraints = ConstraintSet(constraints)
        self.max_calls = max_calls
        self.ask = ask
        _check([self.to_dict()])

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> MethodCapability:
        """A capability as it stands in a policy document.

        >>> MethodCapability.from_dict({"method": "pay", "constraints": {"amount": "<=5"}})
        MethodCapability('pay', 1 constraint)
        """
        plain: dict[str, Any] = _json_value("a capability", dict(written))
        _check([plain])
        constraints = plain.get("constraints", ())
        made = cls(plain["method"], (), plain.get("max_calls"), ask=plain.get("ask", False))
        made.constraints._rules = constraints if constraints else []
        return made

    def to_dict(self) -> dict[str, Any]:
        """The capability as it stands in a policy document."""
        out: dict[str, Any] = {"method": self.method_pattern}
        if self.max_calls is not None:
            out["max_calls"] = self.max_calls
        if len(self.constraints):
            out["constraints"] = self.constraints.to_json()
        if self.ask:
            out["ask"] = True
        return out

    def is_subset_of(self, parent: MethodCapability | Iterable[MethodCapability]) -> bool:
        """Is every call that this allows allowed by the parent (or one of them), too?

        Sound: never a wrong yes, perhaps a cautious no; `widening` says why it is no.

        >>> pay = MethodCapability("bank/**", [Param("amount") <= 1000], max_calls=10)
        >>> MethodCapability("bank/pay", [Param("amount") <= 50], max_calls=3).is_subset_of(pay)
        True
        >>> MethodCapability("bank/pay", [Param("amount") <= 50]).is_subset_of(pay)
        False
        """
        return self.widening(parent) is None

    def widening(self, parent: MethodCapability | Iterable[MethodCapability]) -> str | None:
        """What the parent does not cover, ``None`` when it covers all.

        >>> MethodCapability("pay").widening(MethodCapability("pay", [Param("amount") <= 5]))
        'capability 0 (pay) is not covered: it does not ensure: amount must be <= 5'
        """
        return widening([self], [parent] if isinstance(parent, MethodCapability) else parent)

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
        if self.ask:
            parts.append("ask=True")
        return f"MethodCapability({', '.join(parts)})"


Constraints = ConstraintSet | Constraint | Mapping[str, "Any"] | Iterable[Constraint]


def policy_json(capabilities: Iterable[MethodCapability]) -> str:
    """The policy document of these capabilities."""
    checked = checked_capabilities(capabilities)
    return _dump({"capabilities": [capability.to_dict() for capability in checked]})


def checked_capabilities(capabilities: Iterable[MethodCapability]) -> list[MethodCapability]:
    """The capabilities as a list; ``TypeError`` when they are something else."""
    if isinstance(capabilities, (str, MethodCapability)) or not isinstance(capabilities, Iterable):
        raise TypeError(f"capabilities are a list of MethodCapability, not {capabilities!r}")
    checked = list(capabilities)
    for capability in checked:
        if not isinstance(capability, MethodCapability):
            raise TypeError(f"capabilities are MethodCapability objects, not {capability!r}")
    return checked


def load_policy(text: str | bytes | PathLike[str]) -> list[MethodCapability]:
    """The capabilities of a policy document: its text, or the path (a `pathlib.Path`) of its file.
    A document that cannot be accepted is a `CapabilityError`, which names the file.

    >>> load_policy('{"capabilities": [{"method": "get_weather", "max_calls": 3}]}')
    [MethodCapability('get_weather', max_calls=3)]
    """
    if isinstance(text, PathLike):
        with open(text, "rb") as file:
            content = file.read()
        try:
            return load_policy(content)
        except ValueError as error:  # also of bytes that are no text
            raise CapabilityError(f"{fspath(text)}: {error}") from None
    if isinstance(text, bytes):
        text = text.decode()
    if not isinstance(text, str):
        raise TypeError(
            "load_policy takes the text of a policy (json.dumps() of a dict) or the Path of a file,"
            f" not {text!r}"
        )
    if text.strip() and not text.lstrip().startswith(("{", "[")):
        refused = CapabilityError(
            f"load_policy takes the text of a policy, in JSON, not {text[:80]!r}"
        )
        if "\n" not in text:
            refused.add_note("If that is the path of a file: load_policy(pathlib.Path(...))")
        raise refused
    normal = json.loads(_native.policy_normalize(text))
    return [MethodCapability.from_dict(written) for written in normal["capabilities"]]


def widening(child: Iterable[MethodCapability], parent: Iterable[MethodCapability]) -> str | None:
    """Why the capabilities of a child are not a subset of the parent's; ``None`` when they are.

    >>> widening([MethodCapability("a"), MethodCapability("b")], [MethodCapability("*")]) is None
    True
    """
    return _native.policy_gap(policy_json(child), policy_json(parent))


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


def _long(rules: list[Any] | dict[str, Any]) -> list[Any]:
    """Rules in the long form, which can be joined."""
    if isinstance(rules, list):
        return rules
    policy = _native.policy_normalize(
        _dump({"capabilities": [{"method": "**", "constraints": rules}]})
    )
    long: list[Any] = json.loads(policy)["capabilities"][0].get("constraints", [])
    return long


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
