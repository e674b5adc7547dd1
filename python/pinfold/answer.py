"""Answers to tool calls: from what a handler returned or raised to what the guest gets."""

from __future__ import annotations

import json
import sys

from .errors import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

#: The codes of ToolError as the library numbers them (pf_failure).
FAILURE_KINDS = {"failed": 0, "invalid": 1, "timeout": 2, "denied": 3}

# With Python's own bound lifted further than this, its encoder could overrun the C stack: values
# are then walked here first, and may be as deep as _DEPTH, which is more than the engine takes.
_TRUSTED_RECURSION = 2000
_DEPTH = 400

# What JSON Schema has as a string with a format, by name: a program that has no such value need not
# load their modules.
TEXTS = frozenset(
    ("decimal.Decimal", "fractions.Fraction", "uuid.UUID", "pydantic.networks._BaseUrl")
    + tuple(
        f"ipaddress.IPv{version}{kind}"
        for version in (4, 6)
        for kind in ("Address", "Interface", "Network")
    )
)


def encode(method: str, value: Any) -> str:
    """The JSON text of a result; ``ValueError`` when it has none.

    >>> encode("f", [{"when": object()}])
    Traceback (most recent call last):
    ValueError: f gave a result that is not JSON: at [0].when: object is not a JSON value
    """
    try:
        return to_json(value)
    except ValueError as error:
        raise ValueError(not_json(method, str(error))) from error


def to_json(value: Any) -> str:
    """The JSON text of a value; ``ValueError`` says why it has none."""
    kind, given = type(value), value
    try:
        if kind is int:
            return int.__repr__(value)
        if sys.getrecursionlimit() > _TRUSTED_RECURSION:
            value = _bounded(value, _DEPTH)
        text = _quote(value) if kind is str else "".join(_encode(value, 0))
        if not text.isascii():
            text.encode("utf-8")  # an unpaired surrogate has no UTF-8
        return text
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also what a method of the value raises, whatever that is
        place = "" if isinstance(error, RecursionError) else _place_of_fault(given)
        raise ValueError(f"at {place}: {_words(error)}" if place else _words(error)) from error


def not_json(method: str, why: str) -> str:
    return f"{method} gave a result that is not JSON: {why}"


def failure(error: Exception, hide: bool) -> tuple[int, str]:
    """How an exception of a handler reaches the guest: never with a traceback or arguments."""
    kind = 0
    if isinstance(error, ToolError) and isinstance(error.code, str):
        kind = FAILURE_KINDS.get(error.code, 0)
    if hide:
        return kind, "denied" if kind == FAILURE_KINDS["denied"] else "failed"
    text = _words(error)
    if isinstance(error, ToolError):
        return kind, text
    return kind, f"{type(error).__name__}: {text}" if text else type(error).__name__


def _words(error: BaseException) -> str:
    """The text of an exception, whose own methods may fail."""
    try:
        return str(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as failed:
        return f"its text cannot be had ({type(failed).__name__} in __str__)"


def _bounded(value: Any, left: int) -> Any:
    """The value in lists and dictionaries; ``ValueError`` when it is deeper than ``left``."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if left == 0:
        raise ValueError("it is nested too deeply")
    if isinstance(value, dict):
        return {key: _bounded(item, left - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_bounded(item, left - 1) for item in value]
    return _bounded(_plain(value), left - 1)


def _plain(value: Any) -> Any:
    """Called by the encoder for what the json module does not know."""
    kind = type(value)
    if hasattr(kind, "model_dump"):  # pydantic
        return value.model_dump(mode="json")
    if hasattr(kind, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in kind.__dataclass_fields__}
    if hasattr(kind, "__members__"):  # an Enum
        return value.value
    if hasattr(kind, "isoformat"):  # datetime, date, time
        return value.isoformat()
    if hasattr(kind, "__fspath__"):
        return value.__fspath__()
    if isinstance(value, (set, frozenset)):
        return _in_order(value)
    names = {f"{base.__module__}.{base.__qualname__}" for base in kind.__mro__}
    if not TEXTS.isdisjoint(names):
        return str(value)
    if "datetime.timedelta" in names:
        return _duration(value)
    if hasattr(kind, "keys") and hasattr(kind, "__getitem__"):
        return {key: value[key] for key in value}
    if hasattr(kind, "__await__"):
        raise TypeError("an awaitable; the handler's result was not awaited")
    if hasattr(kind, "__next__") or hasattr(kind, "__anext__"):
        raise TypeError("a generator or iterator; return a list")
    raise TypeError(f"{kind.__name__} is not a JSON value")


def _in_order(values: set[Any] | frozenset[Any]) -> list[Any]:
    """A set is a list to a script; in an order that is not another one in the next process."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=repr)


def _duration(value: Any) -> str:
    """A timedelta as ISO 8601 has it, which is how it comes in as an argument.

    >>> from datetime import timedelta
    >>> _duration(timedelta(days=1, seconds=90)), _duration(timedelta(microseconds=-5))
    ('P1DT90S', '-P0DT0.000005S')
    """
    if value.days < 0:
        return "-" + _duration(-value)
    fraction = f".{value.microseconds:06}" if value.microseconds else ""
    return f"P{value.days}DT{value.seconds}{fraction}S"


def _place_of_fault(value: Any) -> str:
    """Where in a value that has no JSON text the fault is; "" when it is the whole of it."""
    try:
        return (_fault(value, "", _DEPTH) or "").removeprefix(".")
    except KeyboardInterrupt:
        raise
    except BaseException:  # of a method of the value's, or it is too deep to say
        return ""


def _fault(value: Any, place: str, left: int) -> str | None:
    """The place of the first part that the encoder does not take, in the order of the encoder."""
    if left == 0:
        raise RecursionError
    if isinstance(value, dict):
        for key, item in value.items():
            if key is not None and not isinstance(key, (str, int, float)):
                return place
            found = _fault(key, place, 1) or _fault(item, f"{place}.{key}", left - 1)
            if found is not None:
                return found
        return None
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            found = _fault(item, f"{place}[{index}]", left - 1)
            if found is not None:
                return found
        return None
    if value is None or isinstance(value, (str, int, float)):
        return None if _is_taken(value) else place
    try:
        plain = _plain(value)
    except Exception:
        return place
    return _fault(plain, place, left - 1)


def _is_taken(value: str | float | None) -> bool:
    try:
        "".join(_encode(value, 0)).encode()
    except ValueError:  # NaN, a surrogate, an int of too many digits
        return False
    return True


def _portable_encode(value: Any, _level: int) -> Iterable[str]:
    return _encoder.iterencode(value, True)


_encoder = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain
)
_quote = json.encoder.encode_basestring
# The encoder's inner half, made once: JSONEncoder makes it anew for every value. Without the marks
# that find circles, which end in a RecursionError.
_encode: Callable[[Any, int], Iterable[str]] = _portable_encode
_make = getattr(json.encoder, "c_make_encoder", None)
if _make is not None:
    _encode = _make(None, _plain, _quote, None, ":", ",", False, False, False)
