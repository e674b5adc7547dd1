"""Constraints on the parameters of a call."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


class ConstraintError(Exception):
    """A constraint does not hold."""


class MissingParamError(ConstraintError):
    """The call leaves out a parameter that is constrained."""

    def __init__(self, param: str) -> None:
        self.param = param
        super().__init__(f"Missing parameter: {param}")


class TypeMismatchError(ConstraintError):
    """The parameter has a type that the constraint is not about."""

    def __init__(self, param: str, expected: str, actual: str) -> None:
        self.param, self.expected, self.actual = param, expected, actual
        super().__init__(f"Type mismatch for {param}: expected {expected}, got {actual}")


class ViolationError(ConstraintError):
    """The parameter has a value that the constraint does not allow."""

    def __init__(self, param: str, rule: str, actual: str) -> None:
        self.param, self.rule, self.actual = param, rule, actual
        super().__init__(f"Constraint violated: {param} must be {rule}, got {actual}")


_SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_TEXT = {"starts_with": "prefix", "ends_with": "suffix", "contains": "substring"}
_KNOWN = {*_SIGNS, *_TEXT, "in", "not_in", "exists", "not_exists", "and", "or"}
_MISSING = object()


@dataclass
class Constraint:
    """One condition; make it with `Param` or the functions below.

    >>> Constraint.le("amount", 1000).type
    'le'
    """

    type: str
    param: str = ""
    value: Any = None
    values: list[Any] = field(default_factory=list)
    prefix: str = ""
    suffix: str = ""
    substring: str = ""
    constraints: list[Constraint] = field(default_factory=list)

    @classmethod
    def lt(cls, param: str, value: Any) -> Constraint:
        return cls("lt", param, value)

    @classmethod
    def le(cls, param: str, value: Any) -> Constraint:
        return cls("le", param, value)

    @classmethod
    def gt(cls, param: str, value: Any) -> Constraint:
        return cls("gt", param, value)

    @classmethod
    def ge(cls, param: str, value: Any) -> Constraint:
        return cls("ge", param, value)

    @classmethod
    def eq(cls, param: str, value: Any) -> Constraint:
        return cls("eq", param, value)

    @classmethod
    def ne(cls, param: str, value: Any) -> Constraint:
        return cls("ne", param, value)

    @classmethod
    def is_in(cls, param: str, values: Iterable[Any]) -> Constraint:
        return cls("in", param, values=list(values))

    @classmethod
    def not_in(cls, param: str, values: Iterable[Any]) -> Constraint:
        return cls("not_in", param, values=list(values))

    @classmethod
    def starts_with(cls, param: str, prefix: str) -> Constraint:
        return cls("starts_with", param, prefix=prefix)

    @classmethod
    def ends_with(cls, param: str, suffix: str) -> Constraint:
        return cls("ends_with", param, suffix=suffix)

    @classmethod
    def contains(cls, param: str, substring: str) -> Constraint:
        return cls("contains", param, substring=substring)

    @classmethod
    def exists(cls, param: str) -> Constraint:
        return cls("exists", param)

    @classmethod
    def not_exists(cls, param: str) -> Constraint:
        return cls("not_exists", param)

    @classmethod
    def and_(cls, constraints: Iterable[Constraint]) -> Constraint:
        return cls("and", constraints=list(constraints))

    @classmethod
    def or_(cls, constraints: Iterable[Constraint]) -> Constraint:
        return cls("or", constraints=list(constraints))

    @property
    def param_name(self) -> str | None:
        """The parameter it is about; ``None`` of a combination."""
        return self.param or None

    def referenced_params(self) -> list[str]:
        """All parameters it is about, each once."""
        found = [self.param] if self.param else []
        for part in self.constraints:
            found += part.referenced_params()
        return list(dict.fromkeys(found))

    # ------------------------------------------------------------------ deciding

    def evaluate(self, params: Mapping[str, Any]) -> None:
        """Returns when it holds, raises a `ConstraintError` when it does not."""
        if self.type == "and":
            for part in self.constraints:
                part.evaluate(params)
            return
        if self.type == "or":
            self._evaluate_any(params)
            return
        actual = _find(params, self.param)
        if self.type == "not_exists":
            if actual is not _MISSING and actual is not None:
                raise ViolationError(self.param, "absent", repr(actual))
            return
        if actual is _MISSING or actual is None:
            raise MissingParamError(self.param)
        if self.type in _TEXT:
            self._evaluate_text(actual)
        elif self.type != "exists":
            self._evaluate_value(actual)

    def _evaluate_any(self, params: Mapping[str, Any]) -> None:
        error: ConstraintError = ViolationError("", "one of no alternatives", "nothing")
        for part in self.constraints:
            try:
                part.evaluate(params)
                return
            except ConstraintError as last:
                error = last
        raise error

    def _evaluate_text(self, actual: Any) -> None:
        if not isinstance(actual, str):
            raise TypeMismatchError(self.param, "string", type(actual).__name__)
        part = getattr(self, _TEXT[self.type])
        holds = {
            "starts_with": actual.startswith,
            "ends_with": actual.endswith,
            "contains": actual.__contains__,
        }[self.type](part)
        if not holds:
            raise ViolationError(self.param, f'{self.type} "{part}"', actual)

    def _evaluate_value(self, actual: Any) -> None:
        if self.type in ("in", "not_in"):
            found = any(_equal(actual, value) for value in self.values)
            if found != (self.type == "in"):
                words = "in" if self.type == "in" else "not in"
                raise ViolationError(self.param, f"{words} {self.values!r}", repr(actual))
            return
        if self.type not in _SIGNS:
            raise ConstraintError(f"there is no constraint of type {self.type!r}")
        if not _compare(self.type, actual, self.value):
            raise ViolationError(self.param, f"{_SIGNS[self.type]} {self.value!r}", repr(actual))

    # ------------------------------------------------------------------ attenuation

    def subsumes(self, other: Constraint) -> bool:
        """Is whatever `other` allows allowed by this one, too? Never a wrong yes."""
        return ConstraintSet([self]).subsumes(ConstraintSet([other]))

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {"type": self.type}
        if self.param:
            out["param"] = self.param
        if self.type in _SIGNS:
            out["value"] = self.value
        for name in ("values", "prefix", "suffix", "substring"):
            if getattr(self, name):
                out[name] = getattr(self, name)
        if self.constraints:
            out["constraints"] = [part.to_dict() for part in self.constraints]
        return out

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Constraint:
        if written.get("type") not in _KNOWN:
            raise ValueError(f"there is no constraint of type {written.get('type')!r}")
        given = dict(written)
        parts = [cls.from_dict(part) for part in given.pop("constraints", [])]
        return cls(**given, constraints=parts)


class Param:
    """A parameter to state conditions on.

    >>> (Param("amount") <= 10000).type
    'le'
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __lt__(self, value: Any) -> Constraint:
        return Constraint.lt(self.name, value)

    def __le__(self, value: Any) -> Constraint:
        return Constraint.le(self.name, value)

    def __gt__(self, value: Any) -> Constraint:
        return Constraint.gt(self.name, value)

    def __ge__(self, value: Any) -> Constraint:
        return Constraint.ge(self.name, value)

    def __eq__(self, value: object) -> Constraint:  # type: ignore[override]
        return Constraint.eq(self.name, value)

    def __ne__(self, value: object) -> Constraint:  # type: ignore[override]
        return Constraint.ne(self.name, value)

    __hash__ = None  # type: ignore[assignment]

    def is_in(self, values: Iterable[Any]) -> Constraint:
        return Constraint.is_in(self.name, values)

    def not_in(self, values: Iterable[Any]) -> Constraint:
        return Constraint.not_in(self.name, values)

    def starts_with(self, prefix: str) -> Constraint:
        return Constraint.starts_with(self.name, prefix)

    def ends_with(self, suffix: str) -> Constraint:
        return Constraint.ends_with(self.name, suffix)

    def contains(self, substring: str) -> Constraint:
        return Constraint.contains(self.name, substring)

    def exists(self) -> Constraint:
        return Constraint.exists(self.name)

    def not_exists(self) -> Constraint:
        return Constraint.not_exists(self.name)

    def __repr__(self) -> str:
        return f"Param({self.name!r})"


class ConstraintSet:
    """Constraints that must all hold."""

    def __init__(self, constraints: Iterable[Constraint] | None = None) -> None:
        self.constraints: list[Constraint] = list(constraints or [])

    def evaluate(self, params: Mapping[str, Any]) -> None:
        """Returns when all hold, raises the first `ConstraintError` otherwise."""
        for constraint in self.constraints:
            constraint.evaluate(params)

    def is_empty(self) -> bool:
        return not self.constraints

    def merge(self, other: ConstraintSet) -> ConstraintSet:
        """A new set with the constraints of both."""
        return ConstraintSet([*self.constraints, *other.constraints])

    def extend(self, constraints: ConstraintSet | Iterable[Constraint]) -> None:
        """Adds constraints to this set."""
        more = constraints.constraints if isinstance(constraints, ConstraintSet) else constraints
        self.constraints.extend(more)

    def add(self, constraint: Constraint) -> None:
        self.constraints.append(constraint)

    def subsumes(self, other: ConstraintSet) -> bool:
        """Is whatever `other` allows allowed by this set, too? Never a wrong yes."""
        from pinfold import _native

        if not self.constraints:
            return True
        try:
            child, parent = _policy(other, _substrings(self.constraints)), _policy(self)
            return _native.policy_gap(child, parent) is None
        except (ValueError, TypeError):  # what the engine cannot read, it cannot vouch for
            return self == other

    def to_list(self) -> list[dict[str, Any]]:
        return [constraint.to_dict() for constraint in self.constraints]

    def __len__(self) -> int:
        return len(self.constraints)

    def __iter__(self) -> Iterator[Constraint]:
        return iter(self.constraints)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConstraintSet):
            return NotImplemented
        return self.constraints == other.constraints

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ConstraintSet({self.constraints!r})"


# ------------------------------------------------------------------ values


def _find(params: Any, path: str) -> Any:
    """What a path like ``items/0/price`` leads to; `_MISSING` when it leads nowhere."""
    if isinstance(params, Mapping) and path in params:
        return params[path]
    at = params
    for step in path.removeprefix("/").split("/"):
        if isinstance(at, Mapping) and step in at:
            at = at[step]
        elif isinstance(at, (list, tuple)) and step.isdecimal() and int(step) < len(at):
            at = at[int(step)]
        else:
            return _MISSING
    return at


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _equal(left: Any, right: Any) -> bool:
    """JSON equality: true is not 1, and neither inside of lists and objects."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(_equal, left, right))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_equal(left[k], right[k]) for k in left)
    return bool(left == right)


def _compare(kind: str, actual: Any, bound: Any) -> bool:
    if kind == "eq":
        return _equal(actual, bound)
    if kind == "ne":
        return not _equal(actual, bound)
    both_numbers = _is_number(actual) and _is_number(bound)
    both_texts = isinstance(actual, str) and isinstance(bound, str)
    if not both_numbers and not both_texts:
        return False
    if kind == "lt":
        return bool(actual < bound)
    if kind == "le":
        return bool(actual <= bound)
    if kind == "gt":
        return bool(actual > bound)
    return bool(actual >= bound)


# ------------------------------------------------------------------ as the engine's policy


def _policy(constraints: ConstraintSet, wanted: Iterable[tuple[str, str]] = ()) -> str:
    """The constraints as a policy of pinfold, for calls without JSON nulls (which here count as
    missing, so that every call means the same as one without them). Of the substrings that are
    wanted it says explicitly when they follow: the engine does not look into texts for them."""
    rules = [_rule(constraint, list(wanted)) for constraint in constraints.constraints]
    return json.dumps({"capabilities": [{"method": "**", "constraints": rules}]})


def _substrings(constraints: Iterable[Constraint]) -> set[tuple[str, str]]:
    found = set()
    for constraint in constraints:
        if constraint.type == "contains":
            found.add((constraint.param, constraint.substring))
        found |= _substrings(constraint.constraints)
    return found


def _rule(constraint: Constraint, wanted: list[tuple[str, str]]) -> dict[str, Any]:
    kind = constraint.type
    if kind in ("and", "or"):
        parts = [_rule(part, wanted) for part in constraint.constraints]
        return {"all" if kind == "and" else "any": parts}
    text = getattr(constraint, _TEXT.get(kind, "value"))
    implied = [
        _leaf(Constraint.contains(param, part))
        for param, part in wanted
        if param == constraint.param and kind in (*_TEXT, "eq") and isinstance(text, str)
        if part in text
    ]
    return {"all": [_leaf(constraint), *implied]}


def _leaf(constraint: Constraint) -> dict[str, Any]:
    kind = constraint.type
    rule: dict[str, Any] = {"param": _path(constraint.param), "op": _SIGNS.get(kind, kind)}
    if kind in _SIGNS:
        rule["value"] = constraint.value
    elif kind in ("in", "not_in"):
        rule["value"] = constraint.values
    elif kind in _TEXT:
        rule["value"] = getattr(constraint, _TEXT[kind])
    if kind == "contains":  # of strings only
        return {"all": [rule, {"param": rule["param"], "op": "is_type", "value": "string"}]}
    return rule


def _path(param: str) -> str:
    """``items/0/price`` as pinfold writes it. A step that is a number may be a key as well, so it
    is kept as one: two equal paths stay equal, which is all that is asked of it."""
    steps = param.removeprefix("/").split("/")
    return ".".join(f"[{json.dumps(step)}]" for step in steps).replace(".[", "[")
