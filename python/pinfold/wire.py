"""How a process and its worker talk: frames of plain values over a socket.

A frame is a magic number, the length of what follows (64 bits, little endian as all numbers), and
one value: a byte that names its kind, then

* ``N``, ``T``, ``F``: nothing more, for None, True and False;
* ``I``: 9 bytes of an integer with a sign, which hold any of 64 bits;
* ``D``: the 8 bytes of a float;
* ``B``, ``S``: a length (64 bits) and as many bytes, or bytes of UTF-8;
* ``L``, ``U``: a count (32 bits) and as many values, for a list and a tuple.

Nothing in a frame can name code, as a pickle could, and nothing in it takes much more memory than
its bytes: the worker is not trusted. The reader says how long a frame may be and how many values it
may have, and both are checked before anything is made of it.
"""

from __future__ import annotations

import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The questions to a worker, their shapes, and its answers. A change to any of it raises the
#: number: workers of earlier builds (`pinfold.images`) are asked by later versions.
PROTOCOL = 1
#: The descriptors of a worker beside 0, 1 and 2.
REQUESTS, CONTROL, TRACE = 3, 4, 5
#: The refusals of a machine before it asks its gate, in its words.
TOO_MANY = "this run has made as many tool calls as it may (tool_calls"
NO_MEMORY = "the sandbox has no memory left for another call (memory_bytes)"
#: Outcomes of a call that is handed out.
ALLOWED = ("allowed", "ask")

_HEAD = struct.Struct("<4sQ")
_SIZED = struct.Struct("<cQ")
_COUNTED = struct.Struct("<cI")
_FLOATING = struct.Struct("<cd")
_FLOAT = struct.Struct("<d")
_SIZE = struct.Struct("<Q")
_COUNT = struct.Struct("<I")
_MAGIC = b"pfw2"
_INT = 9
#: Lists in lists: the settings have five levels.
_DEPTH = 8
#: Bytes from which on a part is written by itself, and not copied first.
_LARGE = 1 << 16
_ANY = 1 << 62

_NONE, _TRUE, _FALSE, _INTEGER, _REAL, _BYTES, _TEXT, _LIST, _TUPLE = b"NTFIDBSLU"


class WireError(Exception):
    """The other side sent no frame, or one that is too large."""


class Ended(Exception):
    """The other side is gone."""


def encoded(value: Any) -> bytes:
    """A frame. What is no plain value is a `TypeError`."""
    return b"".join(frame(value))


def send(fd: int, value: Any) -> None:
    Sending(fd, frame(value)).go_on()


def send_all(fd: int, parts: list[bytes]) -> None:
    """Frames, or parts of them; at once when they are short."""
    short = len(parts) > 1 and sum(map(len, parts)) < _LARGE
    Sending(fd, [b"".join(parts)] if short else parts).go_on()


class Sending:
    """Bytes on their way to a descriptor."""

    def __init__(self, fd: int, parts: list[bytes]) -> None:
        self._fd = fd
        self._parts = [memoryview(part) for part in parts]
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
            except ConnectionError:
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
    """What comes from the other side. ``ready`` waits until there is something to read. An
    exception, of a signal's handler or of ``ready``, that ends a method leaves everything for the
    next call."""

    def __init__(self, fd: int, limit: int = _ANY, values: int = _ANY) -> None:
        self._fd = fd
        #: Bytes and values that the next frame may have.
        self.limit = limit
        self.values = values
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

    def peeked(self) -> bool:
        """Is there a frame that was looked at and not consumed?"""
        return self._state[1] is not None

    def unread(self) -> bool:
        """Was more read than the frames that were looked at?"""
        return any(self._state[0])

    def _frame(
        self, parts: list[bytes], ready: Callable[[], None] | None
    ) -> tuple[tuple[Any], bytes]:
        """Its value, and what came behind it."""
        data = self._read(parts, _HEAD.size, ready)
        magic, size = _HEAD.unpack_from(data)
        if magic != _MAGIC:
            raise WireError("what came is no frame")
        if size > self.limit:
            raise WireError(f"a frame of {size} bytes is over {self.limit}")
        end = _HEAD.size + size
        data = self._read(parts, end, ready)
        parser = _Parser(data, end, self.values)
        value = parser.value(_HEAD.size, _DEPTH)
        if parser.at != end:
            raise WireError("a frame cannot be read: it is longer than its value")
        return (value,), data[end:]

    def _read(self, parts: list[bytes], size: int, ready: Callable[[], None] | None) -> bytes:
        """All that was read so far, at least so many bytes."""
        while (have := sum(map(len, parts))) < size:
            if ready is not None:
                ready()
            most = max(1 << 16, min(size - have, 1 << 20))
            try:
                # One step for the interpreter: no handler comes between reading and keeping it.
                parts.extend(map(os.read, (self._fd,), (most,)))
            except BlockingIOError:
                if ready is None:
                    raise
                continue  # it is waited for again
            except ConnectionError:
                raise Ended from None
            if not parts[-1]:
                raise Ended
        if len(parts) > 1:
            parts[:] = [b"".join(parts)]
        return parts[0]


class _Parser:
    """The values of one frame, which ends at ``end`` in ``data``."""

    __slots__ = ("_data", "_end", "_left", "at")

    def __init__(self, data: bytes, end: int, values: int) -> None:
        self._data = data
        self._end = end
        self._left = values
        self.at = 0

    def value(self, at: int, depth: int) -> Any:
        """The value that begins there; `at` is where it ends."""
        if at >= self._end:
            raise WireError("a frame cannot be read: it ends in the middle of a value")
        if self._left <= 0:
            raise WireError("a frame has too many values")
        self._left -= 1
        kind = self._data[at]
        at += 1
        if kind == _INTEGER:
            self.at = at = self._until(at, _INT)
            return int.from_bytes(self._data[at - _INT : at], "little", signed=True)
        if kind == _REAL:
            self.at = self._until(at, _FLOAT.size)
            (real,) = _FLOAT.unpack_from(self._data, at)
            return real
        if kind == _TEXT or kind == _BYTES:
            start = self._until(at, _SIZE.size)
            (size,) = _SIZE.unpack_from(self._data, at)
            self.at = self._until(start, size)
            data = self._data[start : self.at]
            return data if kind == _BYTES else _text(data)
        if kind == _LIST or kind == _TUPLE:
            self.at = self._until(at, _COUNT.size)
            (count,) = _COUNT.unpack_from(self._data, at)
            if depth == 0:
                raise WireError("a frame is nested too deeply")
            if count > self._left:
                raise WireError("a frame has too many values")
            items = [self.value(self.at, depth - 1) for _ in range(count)]
            return items if kind == _LIST else tuple(items)
        self.at = at
        if kind == _NONE:
            return None
        if kind == _TRUE or kind == _FALSE:
            return kind == _TRUE
        raise WireError(f"a frame cannot be read: no value begins with {bytes([kind])!r}")

    def _until(self, start: int, size: int) -> int:
        if size > self._end - start:
            raise WireError("a frame cannot be read: it ends in the middle of a value")
        return start + size


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise WireError(f"a frame cannot be read: {error.reason}") from None


def frame(value: Any) -> list[bytes]:
    """The parts of a frame with that value: what is large is not copied. What is no plain value is
    a `TypeError`."""
    pieces: list[bytes] = []
    _put(value, pieces.append)
    parts = [_HEAD.pack(_MAGIC, sum(map(len, pieces)))]
    small: list[bytes] = parts[:]
    parts.clear()
    for piece in pieces:
        if len(piece) < _LARGE:
            small.append(piece)
            continue
        parts += [b"".join(small), piece]
        small.clear()
    if small:
        parts.append(b"".join(small))
    return parts


def _put(value: Any, add: Callable[[bytes], None]) -> None:
    if value is None or value is True or value is False:
        add(b"N" if value is None else b"T" if value else b"F")
    elif isinstance(value, str):
        data = value.encode("utf-8", "surrogatepass")
        add(_SIZED.pack(b"S", len(data)))
        add(data)
    elif isinstance(value, int):
        add(b"I" + value.to_bytes(_INT, "little", signed=True))
    elif isinstance(value, float):
        add(_FLOATING.pack(b"D", value))
    elif isinstance(value, (list, tuple)):
        add(_COUNTED.pack(b"L" if isinstance(value, list) else b"U", len(value)))
        for item in value:
            _put(item, add)
    elif isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value)
        add(_SIZED.pack(b"B", len(data)))
        add(data)
    else:
        raise TypeError(f"{type(value).__name__} cannot be sent")
