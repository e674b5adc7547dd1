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


def encode(method: str, value: Any) -> str:
    """The JSON text of a result; ``ValueError`` when it has none.

    >>> encode("f", {"when": object()})
    Traceback (most recent call last):
    ValueError: f gave a result that is not JSON: object is not a JSON value
    """
    try:
        return to_json(value)
    except ValueError as error:
        raise ValueError(not_json(method, str(error))) from error


def to_json(value: Any) -> str:
    """The JSON text of a value; ``ValueError`` says why it has none."""
    kind = type(value)
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
        raise ValueError(_words(error)) from error


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
    if hasattr(kind, "keys") and hasattr(kind, "__getitem__"):
        return {key: value[key] for key in value}
    if hasattr(kind, "__await__"):
        raise TypeError("an awaitable; the handler's result was not awaited")
    if hasattr(kind, "__next__") or hasattr(kind, "__anext__"):
        raise TypeError("a generator or iterator; return a list")
    raise TypeError(f"{kind.__name__} is not a JSON value")


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
