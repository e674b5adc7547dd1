"""Semaphores that processes share: a pipe with a byte for each time they can be taken.

One with a name, which a process of its own opens, is a FIFO in the directory of temporary files.
"""

import os
import select
from _thread import get_ident
from time import monotonic

SEM_VALUE_MAX = 32767  # as POSIX has it at least; a pipe holds as many bytes
flags = {}
_RECURSIVE = 0


def _path(name):
    import tempfile

    return os.path.join(tempfile.gettempdir(), "sem." + name.lstrip("/"))


class SemLock:
    SEM_VALUE_MAX = SEM_VALUE_MAX

    def __init__(self, kind, value, maxvalue, name, unlink):
        if kind not in (0, 1):
            raise ValueError("unrecognized kind")
        if not 0 <= value <= maxvalue:
            raise ValueError("invalid value")
        if value > SEM_VALUE_MAX:
            raise OSError(22, f"a semaphore holds at most {SEM_VALUE_MAX}")
        if unlink:
            self._set(kind, maxvalue, None, *os.pipe())
        else:
            os.mkfifo(_path(name), 0o600)
            self._open(kind, maxvalue, name)
        while value:
            value -= os.write(self._gives, b"x" * value)

    def _set(self, kind, maxvalue, name, takes, gives):
        self.kind, self.maxvalue, self.name = kind, maxvalue, name
        self.handle = self._takes = takes
        self._gives = gives
        self._held, self._owner = 0, None
        os.set_blocking(takes, False)  # who waits looks again: another one may have been faster

    def _open(self, kind, maxvalue, name):
        both = os.open(_path(name), os.O_RDWR | os.O_CLOEXEC)
        takes = os.open(_path(name), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        self._set(kind, maxvalue, name, takes, both)

    @classmethod
    def _rebuild(cls, handle, kind, maxvalue, name):
        if name is None:
            raise RuntimeError("a semaphore without a name is given to a child by fork only")
        self = cls.__new__(cls)
        self._open(kind, maxvalue, name)
        return self

    def __del__(self):
        for fd in getattr(self, "_takes", None), getattr(self, "_gives", None):
            if fd is not None:
                os.close(fd)

    def _is_mine(self):
        return self._held > 0 and self._owner == get_ident()

    def acquire(self, block=True, timeout=None):
        if self.kind == _RECURSIVE and self._is_mine():
            self._held += 1
            return True
        end = None if timeout is None else monotonic() + max(0, timeout)
        while True:
            try:
                os.read(self._takes, 1)
                break
            except BlockingIOError:
                pass
            left = None if end is None else (end - monotonic()) * 1000
            if not block or (left is not None and left <= 0):
                return False
            poll = select.poll()
            poll.register(self._takes, select.POLLIN)
            poll.poll(left)
        self._held, self._owner = self._held + 1, get_ident()
        return True

    def release(self):
        if self.kind == _RECURSIVE:
            if not self._is_mine():
                raise AssertionError("attempt to release recursive lock not owned by thread")
            if self._held > 1:
                self._held -= 1
                return
        elif self._get_value() >= self.maxvalue:
            raise ValueError("semaphore or lock released too many times")
        self._held -= 1
        os.write(self._gives, b"x")

    def _count(self):
        return self._held

    def _get_value(self):
        import fcntl

        waiting = bytearray(4)
        fcntl.ioctl(self._takes, 0x541B, waiting)  # FIONREAD
        return int.from_bytes(waiting, "little")

    def _is_zero(self):
        return self._get_value() == 0

    def _after_fork(self):
        self._held = 0

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *exc_info):
        self.release()


def sem_unlink(name):
    os.unlink(_path(name))
