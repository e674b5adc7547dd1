"""The little CBOR that tokens are made of: definite lengths, maps in the order they were given."""

from __future__ import annotations

import struct
from typing import Any


def dumps(value: Any) -> bytes:
    """
    >>> dumps({"a": [1, None]}).hex()
    'a161618201f6'
    """
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return _head(0, value) if value >= 0 else _head(1, -1 - value)
    if isinstance(value, bytes):
        return _head(2, len(value)) + value
    if isinstance(value, str):
        text = value.encode()
        return _head(3, len(text)) + text
    if isinstance(value, (list, tuple)):
        return _head(4, len(value)) + b"".join(map(dumps, value))
    if isinstance(value, dict):
        pairs = (dumps(key) + dumps(item) for key, item in value.items())
        return _head(5, len(value)) + b"".join(pairs)
    raise TypeError(f"{type(value).__name__} has no CBOR here")


def _head(kind: int, number: int) -> bytes:
    if number < 24:
        return bytes([kind << 5 | number])
    for code, form in ((24, ">B"), (25, ">H"), (26, ">I"), (27, ">Q")):
        size = struct.calcsize(form)
        if number < 1 << 8 * size:
            return bytes([kind << 5 | code]) + struct.pack(form, number)
    raise ValueError("the number is too large")


def loads(data: bytes) -> Any:
    """The one value in the data; ``ValueError`` for anything else."""
    value, end = _read(data, 0, 0)
    if end != len(data):
        raise ValueError("the CBOR goes on after its value")
    return value


def _read(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    if depth > 32:
        raise ValueError("the CBOR is nested too deeply")
    kind, number, at = _read_head(data, at)
    if kind == 0:
        return number, at
    if kind == 1:
        return -1 - number, at
    if kind in (2, 3):
        if number > len(data) - at:
            raise ValueError("the CBOR is cut short")
        part = data[at : at + number]
        return (part if kind == 2 else part.decode()), at + number
    if kind == 4:
        items = []
        for _ in range(number):
            item, at = _read(data, at, depth + 1)
            items.append(item)
        return items, at
    if kind == 5:
        members: dict[Any, Any] = {}
        for _ in range(number):
            key, at = _read(data, at, depth + 1)
            value, at = _read(data, at, depth + 1)
            if not isinstance(key, (str, int, bytes)) or key in members:
                raise ValueError("a key of a CBOR map is wrong or there twice")
            members[key] = value
        return members, at
    if kind == 7 and number in (20, 21, 22):
        return {20: False, 21: True, 22: None}[number], at
    raise ValueError("the CBOR has a value of an unknown kind")


def _read_head(data: bytes, at: int) -> tuple[int, int, int]:
    if at >= len(data):
        raise ValueError("the CBOR is cut short")
    kind, number = data[at] >> 5, data[at] & 31
    at += 1
    if number < 24:
        return kind, number, at
    if number > 27:
        raise ValueError("the CBOR has an indefinite length")
    size = 1 << (number - 24)
    if size > len(data) - at:
        raise ValueError("the CBOR is cut short")
    return kind, int.from_bytes(data[at : at + size], "big"), at + size
