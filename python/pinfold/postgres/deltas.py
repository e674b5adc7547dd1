"""A snapshot as what differs from another: the contents of both are compared, not their zstd frames.

A delta is the snapshot's head, then one zstd frame of: how many instructions (u32), the
instructions (u64 offset in the base, or all ones for new bytes; u64 length), the new bytes. What
`patched` gives back has the contents of the original, compressed again: so its tag is made again,
too, which needs the key of a keyed snapshot. Who calls that has authenticated the delta before.
"""

from __future__ import annotations

import hashlib
import struct

import zstandard

from ..errors import SnapshotError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Head = tuple[bytes, int, int, bytes, int, int, int]

#: See docs/snapshot.md: magic, format, flags, build, length of the body, of the contents, counter.
_HEAD = struct.Struct("<8sII32sQQQ")
_TAG = 32
_KEYED = 1
_KEY_PURPOSE = b"pinfold snapshot key\0"
#: Larger ones are kept whole: a delta holds both in memory.
MAX_CONTENTS = 256 << 20
_BLOCK = 256
_NEW = (1 << 64) - 1
_STEP = struct.Struct("<QQ")


def contents(data: bytes) -> bytes | None:
    """What is in a snapshot's frame; ``None`` when it is too large to be held here."""
    head, size = _head(data)
    if size > MAX_CONTENTS:
        return None
    return _unpacked(data[_HEAD.size : len(data) - _TAG], size)


def delta(data: bytes, new: bytes, base: bytes) -> bytes:
    """A snapshot with the contents ``new`` as what differs from the contents ``base``."""
    steps = list(_steps(base, new))
    table = b"".join(_STEP.pack(_NEW if at is None else at, length) for at, _, length in steps)
    fresh = b"".join(new[start : start + length] for at, start, length in steps if at is None)
    body = struct.pack("<I", len(steps)) + table + fresh
    return data[: _HEAD.size] + zstandard.ZstdCompressor(level=3).compress(body)


def patched(delta: bytes, base: bytes, key: bytes | None) -> tuple[bytes, bytes]:
    """The snapshot that a delta is of, and its contents."""
    head, size = _head(delta)
    if size > MAX_CONTENTS:
        raise SnapshotError(f"a delta announces {size} bytes")
    room = 4 + size + _STEP.size * (size // 8 + 64)
    body = _unpacked(delta[_HEAD.size :], room, exactly=False)
    new = _apply(body, base, size)
    return _wrapped(head, new, key), new


def _head(data: bytes) -> tuple[Head, int]:
    if len(data) < _HEAD.size:
        raise SnapshotError("a snapshot is cut short")
    head = _HEAD.unpack_from(data)
    return head, head[5]


def _unpacked(frame: bytes, most: int, exactly: bool = True) -> bytes:
    try:
        size = zstandard.frame_content_size(frame)
        if not 0 <= size <= most or (exactly and size != most):
            raise SnapshotError(f"a frame announces {size} bytes, of {most}")
        return zstandard.ZstdDecompressor().decompress(frame, max_output_size=most)
    except zstandard.ZstdError as error:
        raise SnapshotError(f"a frame cannot be read: {error}") from None


def _wrapped(head: Head, new: bytes, key: bytes | None) -> bytes:
    magic, format, flags, build, _, size, counter = head
    if flags & _KEYED and key is None:
        raise SnapshotError("the snapshot is authenticated: give the key it was made with")
    body = zstandard.ZstdCompressor(level=1).compress(new)
    data = _HEAD.pack(magic, format, flags, build, len(body), size, counter) + body
    own = b""
    if flags & _KEYED and key is not None:
        own = hashlib.blake2b(_KEY_PURPOSE + key, digest_size=32).digest()
    return data + hashlib.blake2b(data, digest_size=_TAG, key=own).digest()


def _apply(body: bytes, base: bytes, size: int) -> bytes:
    """Each number is checked: a delta comes out of a database."""
    count = int.from_bytes(body[:4], "little")
    at = 4 + count * _STEP.size
    if len(body) < at:
        raise SnapshotError("a delta is cut short")
    parts = []
    for number in range(count):
        start, length = _STEP.unpack_from(body, 4 + number * _STEP.size)
        source, start = (body, at) if start == _NEW else (base, start)
        if start + length > len(source):
            raise SnapshotError("a delta points out of what it is against")
        parts.append(source[start : start + length])
        if source is body:
            at += length
        size -= length
        if size < 0:
            break
    if size or at != len(body):
        raise SnapshotError("a delta does not give as many bytes as it announces")
    return b"".join(parts)


def _steps(base: bytes, new: bytes) -> Iterator[tuple[int | None, int, int]]:
    """(offset in the base or ``None``, offset in the new one, length), in order, with no gap.

    Snapshots differ in some pages of 4096 bytes. So what goes on as before is looked at first, and
    only where it does not a block of the base is searched for, in growing steps where there is
    none: what is new altogether costs little time, and some of it its chance.
    """
    last = len(base) // _BLOCK * _BLOCK - _BLOCK
    index = {base[i : i + _BLOCK]: i for i in range(last, -1, -_BLOCK)}  # the first of equal ones
    at = begun = expected = 0  # of what is new; where the base would go on
    missed = 0
    while at < len(new):
        block = new[at : at + _BLOCK]
        here = expected + at - begun
        if base[here : here + len(block)] != block or not block:
            found = index.get(block)
            if found is None:
                missed += 1
                at += 1 + (missed >> 8)
                continue
            here = found
        back = 0
        while at - back > begun and here > back and base[here - back - 1] == new[at - back - 1]:
            back += 1
        length = _same(base, here, new, at)
        if at - back > begun:
            yield None, begun, at - back - begun
        yield here - back, at - back, length + back
        begun = at = at + length
        expected = here + length
        missed = 0
    if begun < len(new):
        yield None, begun, len(new) - begun


def _same(base: bytes, here: int, new: bytes, at: int) -> int:
    """How many bytes are equal from two places on."""
    most = min(len(base) - here, len(new) - at)
    length, step = 0, 1 << 12
    while length < most:
        step = min(step, most - length)
        if base[here + length : here + length + step] == new[at + length : at + length + step]:
            length += step
            step = min(step * 2, 1 << 20)
        elif step == 1:
            break
        else:
            step = max(step // 2, 1)
            if step < 8:
                while length < most and base[here + length] == new[at + length]:
                    length += 1
                break
    return length
