"""How a process and its worker talk: frames of plain values over a socket.

A frame is a magic number, the number of blobs (32 bits), the length of the JSON text, the length of
each blob (64 bits, all little endian), the text, the blobs. In it ``{"b": 2}`` stands for blob
2 and ``{"t": [...]}`` for a tuple. Nothing in a frame can name code, as a pickle could: the worker
is not trusted, and what it says is data of a bounded size.
"""

from __future__ import annotations

import json
import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_HEAD = struct.Struct("<4sIQ")
_LENGTH = struct.Struct("<Q")
_MAGIC = b"pfw1"
_MAX_BLOBS = 65536


class WireError(Exception):
    """The other side sent what is no frame, or one that is too large."""


class Ended(Exception):
    """The other side is gone."""


def send(fd: int, value: Any) -> None:
    Sending(fd, value).go_on()


class Sending:
    """A frame on its way to a descriptor. What is no plain value is a `TypeError`."""

    def __init__(self, fd: int, value: Any) -> None:
        blobs: list[bytes] = []
        text = json.dumps(_plain(value, blobs), separators=(",", ":")).encode()
        head = [_HEAD.pack(_MAGIC, len(blobs), len(text))]
        head += [_LENGTH.pack(len(blob)) for blob in blobs]
        self._fd = fd
        self._parts = [memoryview(part) for part in (b"".join((*head, text)), *blobs)]
        self._sent: list[int] = []  # by each write

    def go_on(self, ready: Callable[[], None] | None = None) -> None:
        """Until all is sent; ``ready`` waits for room in a descriptor that does not block. Another
        call goes on where an exception, of a signal's handler or of ``ready``, ended this one."""
        while rest := self._rest():
            try:
                # One step for the interpreter: no handler comes between a write and its count.
                self._sent.extend(map(os.write, (self._fd,), (rest,)))
            except BlockingIOError:
                if ready is None:
                    raise
                ready()
            except (BrokenPipeError, ConnectionResetError):
                raise Ended from None

    def begun(self) -> bool:
        return bool(self._sent)

    def _rest(self) -> memoryview | None:
        """Of the part that is not sent; ``None`` when all are."""
        sent = sum(self._sent)
        for part in self._parts:
            if sent < len(part):
                return part[sent:]
            sent -= len(part)
        return None


class Reader:
    """What comes from the other side. ``limit``: bytes that a frame may have. ``ready`` waits until
    there is something to read. An exception, of a signal's handler or of ``ready``, that ends a
    method leaves everything for the next call."""

    def __init__(self, fd: int, limit: int) -> None:
        self._fd = fd
        self._limit = limit
        #: What was read and is no whole frame yet, and the value of the frame before it, in a
        #: tuple, until that is consumed. Exchanged together, in one step for the interpreter.
        self._state: tuple[list[bytes], tuple[Any] | None] = [], None

    def receive(self, ready: Callable[[], None] | None = None) -> Any:
        """The next frame."""
        value = self.peek(ready)
        self.consume()
        return value

    def peek(self, ready: Callable[[], None] | None = None) -> Any:
        """The next frame, which stays the next until `consume`."""
        parts, frame = self._state
        if frame is None:
            frame, rest = self._frame(parts, ready)
            self._state = [rest] if rest else [], frame
        return frame[0]

    def consume(self) -> None:
        parts, _ = self._state
        self._state = parts, None

    def _frame(
        self, parts: list[bytes], ready: Callable[[], None] | None
    ) -> tuple[tuple[Any], bytes]:
        """Its value, and what came behind it."""
        data = self._read(parts, _HEAD.size, ready)
        magic, count, text_size = _HEAD.unpack_from(data)
        if magic != _MAGIC or count > _MAX_BLOBS:
            raise WireError("what came is no frame")
        at = _HEAD.size + _LENGTH.size * count
        data = self._read(parts, at, ready)
        sizes = [size for (size,) in _LENGTH.iter_unpack(data[_HEAD.size : at])]
        total = text_size + sum(sizes)
        if total > self._limit:
            raise WireError(f"a frame of {total} bytes is over {self._limit}")
        data = self._read(parts, at + total, ready)
        text = data[at : at + text_size]
        at += text_size
        blobs = []
        for size in sizes:
            blobs.append(data[at : at + size])
            at += size
        try:
            value = json.loads(text, object_hook=lambda item: _value(item, blobs))
        except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            raise WireError(f"a frame cannot be read: {error}") from None
        return (value,), data[at:]

    def _read(self, parts: list[bytes], size: int, ready: Callable[[], None] | None) -> bytes:
        """All that was read so far, at least so many bytes."""
        while (have := sum(map(len, parts))) < size:
            if ready is not None:
                ready()
            most = max(1 << 16, min(size - have, 1 << 20))
            try:
                # One step for the interpreter: no handler comes between reading and keeping it.
                parts.extend(map(os.read, (self._fd,), (most,)))
            except ConnectionResetError:
                raise Ended from None
            if not parts[-1]:
                raise Ended
        if len(parts) > 1:
            parts[:] = [b"".join(parts)]
        return parts[0]


def _plain(value: Any, blobs: list[bytes]) -> Any:
    if isinstance(value, (bytes, bytearray, memoryview)):
        blobs.append(bytes(value))
        return {"b": len(blobs) - 1}
    if isinstance(value, tuple):
        return {"t": [_plain(item, blobs) for item in value]}
    if isinstance(value, list):
        return [_plain(item, blobs) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} cannot be sent")


def _value(item: dict[str, Any], blobs: list[bytes]) -> Any:
    if len(item) == 1 and "b" in item:
        index = item["b"]
        if not isinstance(index, int) or index < 0:
            raise ValueError("no blob has that index")
        return blobs[index]
    if len(item) == 1 and isinstance(item.get("t"), list):
        return tuple(item["t"])
    raise ValueError("an object that stands for nothing")
