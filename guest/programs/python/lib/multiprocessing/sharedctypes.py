"""Numbers that processes share, Value() and Array(), without ctypes and shared memory: in a file without a name.

What is read and written is the file, so all processes see it at once. Types are typecodes, with Linux's sizes.
"""

import operator
import os
import struct

from . import _fifos, get_context, reduction
from .context import assert_spawning

__all__ = ["RawValue", "RawArray", "Value", "Array", "copy", "synchronized"]

# By typecode: the name of C, and the format of struct with the same size.
_TYPES = {
    "c": ("c_char", "c"),
    "u": ("c_wchar", "i"),
    "b": ("c_byte", "b"),
    "B": ("c_ubyte", "B"),
    "h": ("c_short", "h"),
    "H": ("c_ushort", "H"),
    "i": ("c_int", "i"),
    "I": ("c_uint", "I"),
    "l": ("c_long", "q"),
    "L": ("c_ulong", "Q"),
    "q": ("c_long", "q"),
    "Q": ("c_ulong", "Q"),
    "f": ("c_float", "f"),
    "d": ("c_double", "d"),
}


class _Numbers:
    """`length` numbers of one type in a file; None: one, which is no array."""

    def __init__(self, kind, length, file=None):
        if kind not in _TYPES:
            raise TypeError(f"{kind!r} is no typecode, a letter such as 'i' or 'd': ctypes is not there")
        self._kind, self._length = kind, length
        self._name, self._format = _TYPES[kind]
        self._size = struct.calcsize("<" + self._format)
        count = 1 if length is None else length
        self._file = _fifos.Numbers(self._size * count) if file is None else file

    def _packed(self, value):
        if self._kind == "c":
            if isinstance(value, int) and 0 <= value < 256:
                return bytes((value,))
            if not isinstance(value, (bytes, bytearray)) or len(value) != 1:
                raise TypeError("one character bytes, bytearray or integer expected")
            return bytes(value)
        if self._kind == "u":
            if not isinstance(value, str):
                raise TypeError(f"unicode string expected instead of {type(value).__name__} instance")
            if len(value) != 1:
                raise TypeError("one character unicode string expected")
            return struct.pack("<i", ord(value))
        if self._kind in "fd":
            if not isinstance(value, (int, float)) and not hasattr(value, "__float__"):
                raise TypeError(f"must be real number, not {type(value).__name__}")
            return struct.pack("<" + self._format, float(value))
        bits = 8 * self._size
        number = operator.index(value) & ((1 << bits) - 1)  # as C cuts it off
        return number.to_bytes(self._size, "little")

    def _unpacked(self, text):
        values = struct.unpack(f"<{len(text) // self._size}{self._format}", text)
        return [chr(value) for value in values] if self._kind == "u" else list(values)

    def _read(self, first, count):
        return self._unpacked(os.pread(self._file._fd, self._size * count, self._size * first))

    def _write(self, first, values):
        os.pwrite(self._file._fd, b"".join(map(self._packed, values)), self._size * first)

    def __reduce__(self):
        assert_spawning(self)
        return type(self), (self._kind, self._length, self._file)


class _Value(_Numbers):
    @property
    def value(self):
        return self._read(0, 1)[0]

    @value.setter
    def value(self, value):
        self._write(0, [value])

    def __repr__(self):
        return f"{self._name}({self.value!r})"


class _Array(_Numbers):
    def __len__(self):
        return self._length

    def _at(self, index):
        at = operator.index(index)
        if at < 0:
            at += self._length
        if not 0 <= at < self._length:
            raise IndexError("invalid index")
        return at

    def _joined(self, values):
        return {"c": b"", "u": ""}[self._kind].join(values) if self._kind in "cu" else values

    def __getitem__(self, index):
        if not isinstance(index, slice):
            return self._read(self._at(index), 1)[0]
        start, stop, step = index.indices(self._length)
        if step == 1:
            return self._joined(self._read(start, max(0, stop - start)))
        return self._joined(self._read(0, self._length)[index])

    def __setitem__(self, index, value):
        if not isinstance(index, slice):
            self._write(self._at(index), [value])
            return
        places = range(*index.indices(self._length))
        if self._kind == "c":
            value = [value[at : at + 1] for at in range(len(value))]
        values = list(value)
        if len(values) != len(places):
            raise ValueError("Can only assign sequence of same size")
        if places.step == 1:
            self._write(places.start, values)
        else:
            for at, one in zip(places, values):
                self._write(at, [one])

    def __iter__(self):
        return iter(self._read(0, self._length))

    def _text(self, values):
        if len(values) > self._length:
            raise ValueError(f"byte string too long ({len(values)}, maximum length {self._length})")
        if len(values) < self._length:
            values += self._end()
        self[: len(values)] = values

    def _end(self):
        return "\0" if self._kind == "u" else b"\0"

    def _is_text(self, name):
        if self._kind not in ("c", "u")[: 1 if name == "raw" else 2]:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def value(self):
        self._is_text("value")
        return self[:].partition(self._end())[0]

    @value.setter
    def value(self, value):
        self._is_text("value")
        self._text(value)

    @property
    def raw(self):
        self._is_text("raw")
        return self[:]

    @raw.setter
    def raw(self, value):
        self._is_text("raw")
        self[: len(value)] = value

    def __repr__(self):
        return f"<multiprocessing.sharedctypes.{self._name}_Array_{self._length} object at {id(self):#x}>"


def RawValue(typecode_or_type, *args):
    """A number in memory that processes share."""
    result = _Value(typecode_or_type, None)
    if len(args) > 1:
        raise TypeError("too many initializers")
    if args:
        result.value = args[0]
    return result


def RawArray(typecode_or_type, size_or_initializer):
    """Numbers in memory that processes share."""
    if isinstance(size_or_initializer, int):
        if size_or_initializer < 0:
            raise ValueError("Array length must be >= 0")
        return _Array(typecode_or_type, size_or_initializer)
    result = _Array(typecode_or_type, len(size_or_initializer))
    result[:] = size_or_initializer
    return result


def _locked(obj, lock, ctx):
    if lock is False:
        return obj
    if lock in (True, None):
        lock = (ctx or get_context()).RLock()
    if not hasattr(lock, "acquire"):
        raise AttributeError(f"{lock!r} has no method 'acquire'")
    return synchronized(obj, lock, ctx=ctx)


def Value(typecode_or_type, *args, lock=True, ctx=None):
    """A number that processes share, with a lock."""
    return _locked(RawValue(typecode_or_type, *args), lock, ctx)


def Array(typecode_or_type, size_or_initializer, *, lock=True, ctx=None):
    """Numbers that processes share, with a lock."""
    return _locked(RawArray(typecode_or_type, size_or_initializer), lock, ctx)


def copy(obj):
    result = type(obj)(obj._kind, obj._length)
    result._write(0, list(obj) if isinstance(obj, _Array) else [obj.value])
    return result


def synchronized(obj, lock=None, ctx=None):
    assert not isinstance(obj, SynchronizedBase), "object already synchronized"
    if isinstance(obj, _Value):
        return Synchronized(obj, lock, ctx)
    return (SynchronizedString if obj._kind == "c" else SynchronizedArray)(obj, lock, ctx)


class SynchronizedBase:
    def __init__(self, obj, lock=None, ctx=None):
        self._obj = obj
        self._lock = lock or (ctx or get_context(force=True)).RLock()
        self.acquire, self.release = self._lock.acquire, self._lock.release

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *args):
        return self._lock.__exit__(*args)

    def __reduce__(self):
        assert_spawning(self)
        return synchronized, (self._obj, self._lock)

    def get_obj(self):
        return self._obj

    def get_lock(self):
        return self._lock

    def __repr__(self):
        return f"<{type(self).__name__} wrapper for {self._obj}>"


def _shared(name):
    def get(self):
        with self._lock:
            return getattr(self._obj, name)

    def put(self, value):
        with self._lock:
            setattr(self._obj, name, value)

    return property(get, put)


class Synchronized(SynchronizedBase):
    value = _shared("value")


class SynchronizedArray(SynchronizedBase):
    def __len__(self):
        return len(self._obj)

    def __getitem__(self, index):
        with self._lock:
            return self._obj[index]

    def __setitem__(self, index, value):
        with self._lock:
            self._obj[index] = value

    def __getslice__(self, start, stop):
        return self[start:stop]

    def __setslice__(self, start, stop, values):
        self[start:stop] = values


class SynchronizedString(SynchronizedArray):
    value = _shared("value")
    raw = _shared("raw")
