"""A worker process as `pinfold.remote` has it: how it starts and ends, what goes to and fro, and
how long anybody waits for it."""

from __future__ import annotations

import errno
import math
import os
import queue
import select
import signal
import socket
import sys
import threading
import time
from pathlib import Path

from . import _native
from .wire import Reader, Sending, frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from pinfold.worker import main; main()"
#: How often the processor time of a worker is looked at.
_LOOK_SECONDS = 1.0
#: How long one that closed its connection has to end by itself.
_FATE_SECONDS = 5.0
#: What poll(2) takes.
_LONGEST_POLL_MS = (1 << 31) - 1


class Late(Exception):
    """The worker did not do in time what it says."""


class Broken(Exception):
    """The system refuses what the connection needs."""


class Deadline:
    """Until when a worker may work: ``seconds`` from now, and ``cpu()`` says how many seconds of
    processor time are left. None for what has no end."""

    __slots__ = ("_cpu", "_look", "_until", "extended")

    def __init__(self, seconds: float | None, cpu: Callable[[], float] | None = None) -> None:
        now = time.monotonic()
        self._until = math.inf if seconds is None else now + seconds
        self.extended = 0.0  # by what was not the worker's
        self._cpu = cpu
        self._look = now + _LOOK_SECONDS if cpu else math.inf

    def outside(self, callback: Callable[..., object], *args: Any) -> None:
        """Calls that, in time that is not the worker's."""
        began = time.monotonic()
        try:
            callback(*args)
        finally:
            took = time.monotonic() - began
            self.extended += took
            self._until += took

    def wait(self, poll: select.poll, why: str) -> None:
        """Until the connection is ready. Whoever is always ready is late as well."""
        while True:
            now = time.monotonic()
            if now >= self._look and self._cpu is not None:
                if self._cpu() < 0:
                    raise Late("it uses more processor time than its limit (cpu_seconds)")
                self._look = now + _LOOK_SECONDS
            if now >= self._until:
                raise Late(why)
            left = (min(self._until, self._look) - now) * 1000
            if _system(poll.poll, math.ceil(min(left, _LONGEST_POLL_MS))):
                return


class Link:
    """The process and the two sockets to it."""

    def __init__(self, trace: int | None = None, home: str | None = None) -> None:
        program = sys.executable
        if not program:
            raise NotImplementedError('isolation="process" needs to know where Python is')
        self._child = Child()
        home = home or str(Path(__file__).absolute().parent.parent)
        arguments = [program, "-I", "-S", "-c", _BOOT, home]
        # Nothing worth stealing; where libpython is, if that has to be said.
        environment = [f"{k}={v}" for k, v in os.environ.items() if k == "LD_LIBRARY_PATH"]
        ours, theirs = socket.socketpair()
        try:
            self._requests = ours
            self._control, controlled = socket.socketpair()
            with controlled:
                null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
                try:
                    given = [null, null, null, theirs.fileno(), controlled.fileno()]
                    given += [] if trace is None else [trace]
                    self._child.start(program, arguments, environment, given)
                finally:
                    os.close(null)
        except BaseException:
            ours.close()
            if hasattr(self, "_control"):
                self._control.close()
            self._child.kill()
            raise
        finally:
            theirs.close()
        ours.setblocking(False)
        self._control.setblocking(False)
        self._reader = Reader(ours.fileno())
        self._readable = _poll(ours, select.POLLIN)
        self._writable = _poll(ours, select.POLLOUT)

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def namespaces(self) -> list[str]:
        return self._child.namespaces

    def sending(self, message: Any) -> Sending:
        return Sending(self._requests.fileno(), frame(message))

    def send(self, sending: Sending, deadline: Deadline) -> None:
        """What is left of it."""
        why = "it does not take what it is sent"
        _system(sending.go_on, lambda: deadline.wait(self._writable, why))

    def expect(self, size: int, values: int) -> None:
        """No frame is longer, or has more values, until the next call."""
        self._reader.limit = size
        self._reader.values = values

    def peek(self, deadline: Deadline) -> Any:
        why = "it did not stop at its limit of time"
        return _system(self._reader.peek, lambda: deadline.wait(self._readable, why))

    def consume(self) -> None:
        self._reader.consume()

    def answered(self) -> bool:
        """Is there an answer that was looked at and not consumed?"""
        return self._reader.peeked()

    def unread(self) -> bool:
        """Has it said more than it was asked?"""
        return self._reader.unread()

    def interrupt(self, how: str) -> bool:
        try:
            return self._control.send(how[:1].encode()) == 1
        except OSError:
            return False  # it is gone, which the next answer tells, or it does not even read these

    def cpu_seconds(self) -> float:
        """Processor time that it has used, by the kernel's own account."""
        try:
            return time.clock_gettime(~self.pid << 3 | 2)  # CLOCK_PROCESS_CPUTIME_ID of that one
        except OSError:
            return 0.0  # it is gone

    def fate(self) -> str:
        status = self._child.wait(_FATE_SECONDS)
        if status is None:
            return "it closed its connection"
        if status >= 0:
            return f"it ended with status {status}"
        name = signal.Signals(-status).name
        forbidden = ", by a system call that it may not make" if name == "SIGSYS" else ""
        return f"it died of {name}{forbidden}"

    def leave_to_parent(self) -> None:
        """In a child of fork(): it is another's."""
        self._requests.close()
        self._control.close()

    def end(self) -> None:
        self._requests.close()
        self._control.close()
        self._child.kill()


def opened(path: str | int | None) -> int | None:
    """A trace, which a worker could not open."""
    if path is None:
        return None
    assert isinstance(path, str)  # a descriptor is what a worker gets instead
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ValueError(f"the trace {path} cannot be made: {error.strerror}") from None


class Child:
    """A process of ours, with namespaces of its own where they are to be had."""

    def __init__(self) -> None:
        self._started: list[tuple[int, list[str]]] = []
        self._status: int | None = None

    def start(
        self, program: str, arguments: list[str], environment: list[str], descriptors: list[int]
    ) -> None:
        given = (
            (os.fsencode(program),),
            ([os.fsencode(text) for text in arguments],),
            ([os.fsencode(text) for text in environment],),
            (descriptors,),
        )
        # One step for the interpreter: no handler comes between a process and its number.
        _in_lasting_thread(lambda: self._started.extend(map(_native.spawn, *given)))

    @property
    def pid(self) -> int:
        return self._started[0][0]

    @property
    def namespaces(self) -> list[str]:
        return self._started[0][1]

    def poll(self) -> int | None:
        """Its status, negative for a signal; None while it lives."""
        if self._status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else waited for it
                self._status = 0
            else:
                self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status

    def wait(self, seconds: float) -> int | None:
        until = time.monotonic() + seconds
        pause = 0.0005
        while self.poll() is None and time.monotonic() < until:
            time.sleep(pause)
            pause = min(2 * pause, 0.05)
        return self._status

    def kill(self) -> None:
        if not self._started or self.poll() is not None:
            return
        try:
            os.kill(self.pid, signal.SIGKILL)
            _, status = os.waitpid(self.pid, 0)
            self._status = os.waitstatus_to_exitcode(status)
        except (ChildProcessError, ProcessLookupError):
            self._status = 0


# A worker is killed when the thread that started it ends, so that none outlives this process
# whatever becomes of it. The main thread ends last; others may not, and have one that starts
# workers for them.

_Task = tuple["Callable[[], Any]", "queue.SimpleQueue[tuple[Any, BaseException | None]]"]
_tasks: queue.SimpleQueue[_Task] | None = None
_lock = threading.Lock()


def _in_lasting_thread(work: Callable[[], Any]) -> Any:
    if threading.get_native_id() == os.getpid():
        return work()
    global _tasks
    with _lock:
        if _tasks is None:
            tasks: queue.SimpleQueue[_Task] = queue.SimpleQueue()
            thread = threading.Thread(target=_serve, args=(tasks,), name="pinfold spawn")
            thread.daemon = True
            thread.start()
            _tasks = tasks
    done: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
    _tasks.put((work, done))
    value, error = done.get()
    if error is not None:
        raise error
    return value


def _serve(tasks: queue.SimpleQueue[_Task]) -> None:
    while True:
        work, done = tasks.get()
        try:
            done.put((work(), None))
        except BaseException as error:
            done.put((None, error))
        del work, done


def _forked() -> None:
    global _tasks, _lock
    _tasks = None  # its thread is the parent's
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_forked)


def _poll(connection: socket.socket, events: int) -> select.poll:
    poll = select.poll()
    poll.register(connection, events)
    return poll


def _system(call: Callable[..., Any], *args: Any) -> Any:
    """What the system refuses is told from what a signal's handler raises meanwhile, which may be
    a `TimeoutError`."""
    try:
        return call(*args)
    except OSError as error:
        if type(error) is OSError and error.errno in (errno.ENOMEM, errno.ENOBUFS, errno.EIO):
            raise Broken(f"its connection failed: {os.strerror(error.errno)}") from None
        raise
