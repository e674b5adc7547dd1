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


def send(fd: int, value: Any, ready: Callable[[], None] | None = None) -> None:
    """``ready`` waits until there is room in a descriptor that does not block."""
    blobs: list[bytes] = []
    text = json.dumps(_plain(value, blobs), separators=(",", ":")).encode()
    parts = [_HEAD.pack(_MAGIC, len(blobs), len(text))]
    parts += [_LENGTH.pack(len(blob)) for blob in blobs]
    parts.append(text)
    for part in (b"".join(parts), *blobs):
        view = memoryview(part)
        while view:
            try:
                view = view[os.write(fd, view) :]
            except BlockingIOError:
                if ready is None:
                    raise
                ready()
            except (BrokenPipeError, ConnectionResetError):
                raise Ended from None


class Reader:
    """What comes from the other side. ``limit``: bytes that a frame may have. ``ready`` waits until
    there is something to read."""

    def __init__(self, fd: int, limit: int) -> None:
        self._fd = fd
        self._limit = limit
        self._data = bytearray()  # that was read, from the beginning of a frame on
        self._at = 0  # how far it was looked at

    def receive(self, ready: Callable[[], None] | None = None) -> Any:
        """The next frame. One that a signal or an exception of ``ready`` cut off comes again."""
        self._at = 0
        magic, count, text_size = _HEAD.unpack(self._take(_HEAD.size, ready))
        if magic != _MAGIC or count > _MAX_BLOBS:
            raise WireError("what came is no frame")
        lengths = self._take(_LENGTH.size * count, ready)
        sizes = [size for (size,) in _LENGTH.iter_unpack(lengths)]
        if text_size + sum(sizes) > self._limit:
            raise WireError(f"a frame of {text_size + sum(sizes)} bytes is over {self._limit}")
        text = self._take(text_size, ready)
        blobs = [self._take(size, ready) for size in sizes]
        try:
            value = json.loads(text, object_hook=lambda item: _value(item, blobs))
        except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            raise WireError(f"a frame cannot be read: {error}") from None
        del self._data[: self._at]
        return value

    def _take(self, size: int, ready: Callable[[], None] | None) -> bytes:
        end = self._at + size
        while len(self._data) < end:
            if ready is not None:
                ready()
            try:
                part = os.read(self._fd, max(1 << 16, min(end - len(self._data), 1 << 20)))
            except ConnectionResetError:
                raise Ended from None
            if not part:
                raise Ended
            self._data += part
        taken = bytes(memoryview(self._data)[self._at : end])
        self._at = end
        return taken


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
