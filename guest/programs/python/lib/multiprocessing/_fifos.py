"""Connections without sockets: of two ways by two pipes, and listeners by FIFOs.

A listener is a FIFO at its address. Who connects makes two FIFOs, one for each direction, and writes
where they are. Nobody waits in open(): until the listener answers, by a byte, the client holds both
ends of both.
"""

import contextlib
import errno
import os
import stat
import tempfile

from .connection import Connection, reduction
from . import util

_names = tempfile._RandomNameSequence()
_ROOM = 512  # of one line: written at once or not at all
_opener = getattr(os, "O_CLOEXEC", 0)


class PairConnection(Connection):
    """Reads from one descriptor and writes to another."""

    def __init__(self, reads, writes, held=()):
        super().__init__(reads)
        self._writes, self._held = writes, held

    def _close(self):
        writes, self._writes = self._writes, None
        super()._close()
        os.close(writes)
        self._let_go()

    def _let_go(self):
        held, self._held = self._held, ()
        for fd in held:
            os.close(fd)

    def _answered(self):
        """Reads the byte by which the listener takes the connection."""
        if self._held:
            os.read(self._handle, 1)
            self._let_go()

    def _send(self, buf, write=os.write):
        view = memoryview(buf)
        while view:
            view = view[write(self._writes, view) :]

    def _recv(self, size, read=os.read):
        self._answered()
        return super()._recv(size, read)

    def _poll(self, timeout):
        if self._held:
            if not super()._poll(timeout):
                return False
            self._answered()
            timeout = 0
        return super()._poll(timeout)


def pair():
    """Both ends of a pipe of two ways."""
    a_reads, b_writes = os.pipe()
    b_reads, a_writes = os.pipe()
    return PairConnection(a_reads, a_writes), PairConnection(b_reads, b_writes)


def _reduce(connection):
    connection._answered()
    return _rebuild, tuple(map(reduction.DupFd, (connection.fileno(), connection._writes)))


def _rebuild(reads, writes):
    return PairConnection(reads.detach(), writes.detach())


reduction.register(PairConnection, _reduce)


class Numbers:
    """Some integers that processes share, of so many bytes: in a file without a name."""

    def __init__(self, size, fd=None):
        self._size = size
        if fd is None:
            fd, name = tempfile.mkstemp(dir=util.get_temp_dir())
            os.unlink(name)
            os.ftruncate(fd, size)
        self._fd = fd
        util.Finalize(self, os.close, (fd,))

    def create_memoryview(self):
        return self

    def cast(self, kind):
        return self

    def __getitem__(self, index):
        return int.from_bytes(os.pread(self._fd, 4, 4 * index), "little", signed=True)

    def __setitem__(self, index, value):
        os.pwrite(self._fd, value.to_bytes(4, "little", signed=True), 4 * index)

    def __reduce__(self):
        return _numbers, (self._size, reduction.DupFd(self._fd))


def _numbers(size, fd):
    return Numbers(size, fd.detach())


class FifoListener:
    def __init__(self, address, family, backlog=1):
        try:
            os.mkfifo(address, 0o600)
        except FileExistsError:
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE)) from None
        self._address, self._family, self._last_accepted = address, family, None
        self._fd = os.open(address, os.O_RDWR | _opener)
        self._unlink = util.Finalize(self, _forget, args=(address,), exitpriority=0)

    def accept(self):
        while True:
            if self._fd is None:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            line = os.read(self._fd, _ROOM)
            base = os.fsdecode(line.rstrip(b"\0"))
            with contextlib.suppress(OSError):  # who asked may have gone
                reads = os.open(base + ".to", os.O_RDONLY | os.O_NONBLOCK | _opener)
                try:
                    writes = os.open(base + ".from", os.O_WRONLY | os.O_NONBLOCK | _opener)
                except OSError:
                    os.close(reads)
                    raise
                finally:
                    _forget(base + ".to")
                    _forget(base + ".from")
                os.set_blocking(reads, True)
                os.set_blocking(writes, True)
                os.write(writes, b"!")
                return PairConnection(reads, writes)

    def close(self):
        fd, self._fd = self._fd, None
        if fd is None:
            return
        os.close(fd)
        self._unlink()


def _forget(path):
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def FifoClient(address):
    try:
        if not stat.S_ISFIFO(os.stat(address).st_mode):
            raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
        listener = os.open(address, os.O_WRONLY | os.O_NONBLOCK | _opener)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED)) from None
    try:
        os.set_blocking(listener, True)
        base = os.path.join(tempfile.gettempdir(), f"connection-{os.getpid()}-{next(_names)}")
        line = os.fsencode(base).ljust(_ROOM, b"\0")
        if len(line) > _ROOM:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        held = []
        for end in ".to", ".from":
            os.mkfifo(base + end, 0o600)
            held.append(os.open(base + end, os.O_RDWR | _opener))
        writes = os.open(base + ".to", os.O_WRONLY | _opener)
        reads = os.open(base + ".from", os.O_RDONLY | _opener)
        os.write(listener, line)
    finally:
        os.close(listener)
    return PairConnection(reads, writes, tuple(held))
