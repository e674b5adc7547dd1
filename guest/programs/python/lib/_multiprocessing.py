"""Semaphores that processes share: a pipe with a byte for each time they can be taken."""

import os

SEM_VALUE_MAX = 32767  # as POSIX has it at least; a pipe holds as many bytes
flags = {}


class SemLock:
    SEM_VALUE_MAX = SEM_VALUE_MAX

    def __init__(self, kind, value, maxvalue, name, unlink):
        if not 0 <= value <= maxvalue:
            raise ValueError("invalid value")
        if value > SEM_VALUE_MAX:
            raise OSError(22, f"a semaphore holds at most {SEM_VALUE_MAX}")
        self.kind, self.maxvalue, self.name = kind, min(maxvalue, SEM_VALUE_MAX), None
        self._takes, self._gives = os.pipe()
        self.handle = self._takes
        self._held, self._owner = 0, None
        while value:
            value -= os.write(self._gives, b"x" * value)

    @classmethod
    def _rebuild(cls, *args):
        raise RuntimeError("a semaphore is given to a child by fork only")

    def _is_mine(self):
        return self._held > 0 and self._owner == os.getpid()

    def acquire(self, block=True, timeout=None):
        if self.kind == 0 and self._is_mine():  # recursive
            self._held += 1
            return True
        if not block or timeout is not None:
            import select

            poll = select.poll()
            poll.register(self._takes, select.POLLIN)
            if not poll.poll(max(0, timeout) * 1000 if block else 0):
                return False
        os.read(self._takes, 1)
        self._held, self._owner = (self._held if self._is_mine() else 0) + 1, os.getpid()
        return True

    def release(self):
        if self.kind == 0:
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
        return self._held if self._owner in (None, os.getpid()) else 0

    def _get_value(self):
        import fcntl

        waiting = bytearray(4)
        fcntl.ioctl(self._takes, 0x541B, waiting)  # FIONREAD
        return int.from_bytes(waiting, "little")

    def _is_zero(self):
        return self._get_value() == 0

    def _after_fork(self):
        self._held, self._owner = 0, None

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *exc_info):
        self.release()


def sem_unlink(name):
    raise FileNotFoundError(2, "No such file or directory")
