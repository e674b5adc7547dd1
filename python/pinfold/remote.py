"""``isolation="process"``: a machine that runs in a worker process of its own, under seccomp.

`RemoteMachine` has the methods of `_native.Machine` and asks the worker for each. The worker is not
trusted: what it says is checked for its shape and size; each tool call passes the capabilities once
more here, where the handlers are, with counters that the worker cannot reach; and a worker that
dies, lies or does not stop is one failed run: `SandboxDead`, with the reason.
"""

from __future__ import annotations

import _thread
import json
import math
import os
import select
import signal
import socket
import subprocess
import sys
import time
import weakref
from pathlib import Path

from . import _native, errors
from .bounds import DEFAULT_SECONDS
from .limits import DEFAULTS, MIB
from .wire import Ended, Reader, Sending, WireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TypeVar

    from ._native import CallData, Durable, Outcome, Settings

    T = TypeVar("T")

#: Beyond the limits on memory: Python itself, the images' templates, what a result is copied into.
_OVERHEAD_BYTES = 512 * MIB
#: What a worker may be late by, besides a fifth of wall_seconds, and may take for a question.
_GRACE_SECONDS = 10.0
#: What it has for one that is about all of its memory or files.
_BULK_SECONDS = 60.0
#: What it has for the last line of a recording.
_CLOSE_SECONDS = 2.0
_UNLIMITED = 1 << 63
#: More is as good as no limit.
_MOST_BYTES = 1 << 62
#: What poll(2) takes.
_LONGEST_POLL_MS = (1 << 31) - 1

_GIVEN_UP = "the worker process of the sandbox was given up"
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from pinfold.worker import main; main()"

#: Exceptions that a worker may name; anything else is a worker that lies.
_RAISABLE: dict[str, type[Exception]] = {
    error.__name__: error
    for error in (
        *(ValueError, TypeError, OverflowError, MemoryError, RuntimeError, NotImplementedError),
        *(KeyError, UnicodeEncodeError, UnicodeDecodeError, IndexError),
        *(errors.SandboxBusy, errors.SandboxClosed, errors.SandboxStateError, errors.SandboxDead),
        *(errors.SnapshotError, errors.ReplayError, errors.CapabilityError),
        *(errors.BoundError, errors.NoTimerError, errors.SandboxInterrupted),
    )
}
_RAISABLE["UnicodeEncodeError"] = _RAISABLE["UnicodeDecodeError"] = ValueError

_OUTCOME: tuple[tuple[type, ...], ...] = (
    *((bytes,), (bytes,), (int,), (str, type(None)), (str, type(None))),
    *((bool,), (bool,), (bool,), (int,), (int,), (int,), (int,)),
)
_BULKY = frozenset(("new", "branch"))
_CALL = ((int,), (str,), (str,), (str,), (int,), (bool,))
_DECISION = ((int,), (str,), (str,), (str,), (str, type(None)), (int,), (str, type(None)))


class RemoteMachine:
    """A `_native.Machine` elsewhere. Belongs to one thread at a time, `interrupt()` to all.

    A signal's handler may raise wherever the interpreter looks: when a function of Python's begins,
    when one of C's returns, when a loop goes round. What must not be cut in two is one such step.
    """

    unclaim: Callable[[object], None]

    def __init__(self, settings: Settings, snapshot: bytes | None, durable: Durable) -> None:
        if durable[3]:
            raise ValueError(
                'mounts are read from the host\'s files, which the worker of isolation="process"'
                " cannot open: give the files with files="
            )
        self._settings = settings
        self._durable = durable
        limits = {name: value for name, value in settings[0]}
        memory = _limit(limits, "memory_bytes") + _limit(limits, "filesystem_bytes")
        self._memory = None if memory >= _MOST_BYTES else memory + _OVERHEAD_BYTES
        wall = limits.get("wall_ms", int(DEFAULTS["wall_seconds"] or 0) * 1000)
        self._patience = None if wall >= _UNLIMITED else wall / 1000 * 1.2 + _GRACE_SECONDS
        self._gate = _native.Gate(settings)
        self._calls: dict[int, CallData] = {}  # that were checked and wait for an answer
        self._on_output: Callable[[int, bytes], object] | None = None
        self._on_decision: _native.OnDecision | None = None
        self._busy = False
        self._set_free()
        self._for_run = False
        self._interrupts = 0  # that the worker was sent
        self._before = 0  # of these, before the run that is on or begins
        self._why_dead: str | None = None
        self._running = False
        self._worker: _Worker | None = _Worker(self._memory or _UNLIMITED)
        self._of_parent = False
        _machines.add(self)
        try:
            self._ask("new", settings, snapshot, durable, self._memory)
            if snapshot is not None:
                self._continue()
        except BaseException:
            self._end()
            raise

    # ------------------------------------------------------------------ the guest runs

    def start(
        self,
        code: str,
        language: str,
        stdin: bytes | None,
        isolated: bool,
        on_output: Callable[[int, bytes], object] | None,
    ) -> Outcome | None:
        if not self._running:
            self._on_output = on_output
        watched = on_output is not None
        return self._drive("start", code, language, stdin, isolated, watched, self._before)

    def resume(self, id: int, text: str) -> Outcome | None:
        outcome = self._drive("resume", id, text)
        self._calls.pop(id, None)
        return outcome

    def fail(self, id: int, kind: int, message: str) -> Outcome | None:
        outcome = self._drive("fail", id, int(kind), message)
        self._calls.pop(id, None)
        return outcome

    def advance(self) -> Outcome | None:
        return self._drive("advance")

    def result(self) -> Outcome | None:
        return self._outcome(self._ask("result"))

    def interrupt(self) -> None:
        self._end_run("interrupt")

    def stop(self) -> None:
        self._end_run("stop")

    def kill(self) -> None:
        self._end_run("kill")

    def _end_run(self, how: str) -> None:
        worker = self._worker
        if worker is None:
            return
        if self._busy or (self._for_run and self._owners):
            self._interrupt(worker, how)
        elif self._running:
            self._ask(how)

    def _interrupt(self, worker: _Worker, how: str) -> None:
        """The worker counts as well, and so knows the run that is meant, however late it hears."""
        with self._counting:
            if worker.interrupt(how):
                self._interrupts += 1

    def claim(self, run: bool, owner: object) -> bool:
        with self._counting:
            if self._owners:
                return False
            self._owners.add(owner)
            self._for_run = run and not self._running
            if self._for_run:
                self._before = self._interrupts
        return True

    def _set_free(self) -> None:
        self._owners: set[object] = set()  # who has it in use: nobody or one
        self.unclaim = self._owners.discard
        self._counting = _thread.RLock()  # a signal's handler may interrupt as well

    def hold(self) -> bool:
        return False  # a worker hears of Ctrl-C from Python's own handler

    def let_go(self) -> None:
        raise AssertionError("nothing is held")

    # ------------------------------------------------------------------ its calls

    def step(self) -> CallData | None:
        given = self._ask("step")
        return None if given is None else self._admitted(self._call(given))

    def pending(self) -> list[CallData]:
        return [self._admitted(self._call(given)) for given in self._list("pending")]

    def refusal(self, method: str, params: str) -> str | None:
        return self._is("refusal", self._ask("refusal", method, params), str, type(None))

    def calls_left(self, capability: int) -> int | None:
        return self._gate.calls_left(capability)

    def on_decision(self, callback: _native.OnDecision | None) -> None:
        self._on_decision = callback
        self._ask("on_decision", callback is not None)

    # ------------------------------------------------------------------ asking

    def has_work(self) -> bool:
        return self._is("has_work", self._ask("has_work"), bool)

    def running(self) -> bool:
        if self._worker is None:
            self._ask("running")  # says why not
        return self._running

    def wait_ns(self) -> int | None:
        return self._is("wait_ns", self._ask("wait_ns"), int, type(None))

    def tool_names(self) -> list[tuple[str, str, str, bool, bool]]:
        shape = ((str,), (str,), (str,), (bool,), (bool,))
        return [self._shaped("tool_names", item, shape) for item in self._list("tool_names")]

    def processes(self) -> list[tuple[int, int, str, str, int]]:
        shape = ((int,), (int,), (str,), (str,), (int,))
        return [self._shaped("processes", item, shape) for item in self._list("processes")]

    def file_write(self, path: str, data: bytes, *bounds: float) -> None:
        self._act("file_write", (path, data), bounds)

    def file_read(self, path: str, *bounds: float) -> bytes:
        return self._is("file_read", self._act("file_read", (path,), bounds), bytes)

    def file_digest(self, path: str, *bounds: float) -> bytes:
        return self._is("file_digest", self._act("file_digest", (path,), bounds), bytes)

    def file_remove(self, path: str, *bounds: float) -> None:
        self._act("file_remove", (path,), bounds)

    def file_stat(self, path: str, *bounds: float) -> tuple[int, int, int]:
        return self._facts("file_stat", path, bounds)

    def file_lstat(self, path: str, *bounds: float) -> tuple[int, int, int]:
        return self._facts("file_lstat", path, bounds)

    def file_list(self, path: str, *bounds: float) -> list[str]:
        names = self._is("file_list", self._act("file_list", (path,), bounds), list)
        return [self._is("file_list", name, str) for name in names]

    def mount_changes(self, guest: str, *bounds: float) -> list[tuple[str, str]]:
        changes = self._is("mount_changes", self._act("mount_changes", (guest,), bounds), list)
        return [self._shaped("mount_changes", item, ((str,), (str,))) for item in changes]

    def mount_export(self, guest: str, directory: str, *bounds: float) -> None:
        self._act("mount_export", (guest, directory), bounds)

    def mount_tar(self, guest: str, changed_only: bool, *bounds: float) -> bytes:
        return self._is("mount_tar", self._act("mount_tar", (guest, changed_only), bounds), bytes)

    # ------------------------------------------------------------------ its life

    def snapshot(self, counter: int = 0, *bounds: float) -> bytes:
        return self._is("snapshot", self._act("snapshot", (counter,), bounds), bytes)

    def fork_shared(self) -> RemoteMachine:
        raise ValueError('budget="share" is not possible with isolation="process"')

    def fork(
        self, settings: Settings | None = None, durable: Durable | None = None
    ) -> RemoteMachine:
        """A branch has a worker of its own, which continues a snapshot; what was spent is known
        here."""
        ours = durable or (self._durable[0], None, False, [], 0)
        known = [call[1:] for call in self.pending()]
        data = self._is("branch", self._ask("branch"), bytes)
        branch = RemoteMachine(settings or self._settings, data, ours)
        branch._gate = self._gate.clone()
        if any(call[1:] not in known for call in branch._calls.values()):
            branch._die("a branch has calls that its trunk did not have")
        return branch

    def close(self) -> None:
        try:
            if self._worker is not None and self._durable[1] is not None:
                self._ask_within(_CLOSE_SECONDS, "close")  # the trace gets its last line
        except errors.SandboxDead as dead:
            raise errors.SandboxStateError(f"the recording is incomplete: {dead}") from None
        finally:
            self._end()

    def condition(self) -> Any:
        return "closed" if self._worker is None else "busy" if self._busy else "open"

    def __del__(self) -> None:
        worker = getattr(self, "_worker", None)
        if worker is not None:
            worker.end()

    def leave_to_parent(self) -> None:
        """In a child of fork(): the worker goes on working for the parent."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.leave_to_parent()
            self._of_parent = True
        self._set_free()  # another thread may have had it, which the child does not have
        self._busy = False

    # ------------------------------------------------------------------ inside

    def _continue(self) -> None:
        """Takes over what a snapshot has spent and waits for: it is as good as its data, as for a
        machine in this process."""
        for index in range(len(json.loads(self._settings[3] or "{}").get("capabilities", []))):
            left = self._is("calls_left", self._ask("calls_left", index), int, type(None))
            allowed = self._gate.calls_left(index)
            if left is not None and allowed is not None:
                self._gate.spend(index, allowed - left)
        self._running = self._ask_running()
        self._calls = {call[0]: call for call in map(self._call, self._list("pending"))}

    def _admitted(self, call: CallData) -> CallData:
        """The call as the capabilities of this process allow it; asked once for each."""
        known = self._calls.get(call[0])
        if known is not None:
            return known
        request = f'{{"tool":{json.dumps(call[2])},"params":{call[3]}}}'
        verdict = self._gate.check(request)
        if isinstance(verdict, str):
            self._die(f"it let a call through that is not allowed: {verdict}")
        admitted = (call[0], *verdict)
        self._calls[call[0]] = admitted
        return admitted

    def _ask_running(self) -> bool:
        return self._is("running", self._ask("running"), bool)

    def _drive(self, name: str, *args: Any) -> Outcome | None:
        before, self._running = self._running, True  # it may be, whatever is raised from now on
        try:
            outcome = self._outcome(self._ask_within(self._patience, name, *args))
        except errors.PinfoldError:
            self._running = before
            raise
        except BaseException:
            if self._worker is not None:
                self._running = self._ask_running()
            raise
        self._running = outcome is None
        if outcome is not None:
            self._on_output = None
            self._calls.clear()
        return outcome

    def _ask(self, name: str, *args: Any) -> Any:
        return self._ask_within(_BULK_SECONDS if name in _BULKY else _GRACE_SECONDS, name, *args)

    def _act(self, name: str, args: tuple[Any, ...], bounds: tuple[float, ...]) -> Any:
        """What has bounds of its own, which the worker keeps; it has a little more time than that."""
        lasts = (bounds[1:] or (0.0,))[0] or DEFAULT_SECONDS
        return self._ask_within(lasts + _GRACE_SECONDS, name, *args, *bounds)

    def _ask_within(self, patience: float | None, name: str, *args: Any) -> Any:
        """The worker's answer. Events that come before it go to their callbacks; an exception of
        theirs, or Ctrl-C, interrupts the guest and is raised when the answer is there."""
        worker = self._worker
        if worker is None:
            if self._of_parent:
                raise errors.SandboxStateError(
                    "the sandbox belongs to the process that made it: after fork() it is not usable"
                    ' in the child, because isolation="process" has one worker for it'
                )
            if self._why_dead is not None:
                raise errors.SandboxDead(self._why_dead)
            raise errors.SandboxClosed("the sandbox is closed")
        if self._busy:
            raise errors.SandboxBusy("the sandbox is in use by another thread")
        worker.consume()  # an answer that nobody took, because a signal's handler raised
        sending = worker.sending((name, self._interrupts, *args))
        until = None if patience is None else time.monotonic() + patience
        try:
            self._busy = True
            message, failure = self._exchange(worker, sending, until)
        except Ended:
            self._die(worker.fate())
        except _Late as late:
            self._die(str(late))
        except WireError as error:
            self._die(str(error))
        except BaseException:  # the answer is not waited for, and would be taken for the next one
            if self._worker is not None and sending.begun():
                self._why_dead = f"{_GIVEN_UP}: it was interrupted three times"
                self._end()
            raise
        finally:
            self._busy = False
        worker.consume()
        if failure is not None:
            raise failure
        return self._answer(message)

    def _exchange(
        self, worker: _Worker, sending: Sending, until: float | None
    ) -> tuple[Any, BaseException | None]:
        """The answer, and what was raised before it came."""
        failure: BaseException | None = None
        impatient = False
        while True:
            try:
                while True:
                    worker.send(sending, until)
                    message = worker.peek(until)
                    came = time.monotonic()
                    if not self._event(worker, message, failure is None):
                        return message, failure
                    if until is not None:
                        until += time.monotonic() - came
            except (Ended, WireError, _Late):
                raise
            except BaseException as error:
                # A lie among the events has ended it; the third Ctrl-C does not wait.
                if impatient or self._worker is None:
                    raise
                impatient = failure is not None
                failure = error
                self._interrupt(worker, "kill" if impatient else "stop")

    def _event(self, worker: _Worker, message: Any, wanted: bool) -> bool:
        """Is it one? Then it is told, once, to whom it is for if that is wanted."""
        kind = message[0] if isinstance(message, tuple) and message else None
        if kind == "output":
            worker.consume()
            _, stream, data = self._shaped("output", message, ((str,), (int,), (bytes,)))
            if wanted and self._on_output is not None:
                self._on_output(stream, data)
            return True
        if kind == "decision":
            worker.consume()
            decision = self._shaped("decision", message[1:], _DECISION)
            if wanted and self._on_decision is not None:
                self._on_decision(*decision)
            return True
        return False

    def _answer(self, message: Any) -> Any:
        kind = message[0] if isinstance(message, tuple) and message else None
        if kind == "value" and len(message) == 2:
            return message[1]
        if kind == "error" and len(message) == 3 and isinstance(message[2], list):
            if message[1] == "OSError" and len(message[2]) == 3:
                raise OSError(*message[2])
            if message[1] in _RAISABLE:
                raise _RAISABLE[message[1]](*message[2])
        self._die(f"it answered with {str(message)[:200]}")

    def _outcome(self, value: Any) -> Outcome | None:
        return None if value is None else self._shaped("outcome", value, _OUTCOME)

    def _call(self, value: Any) -> CallData:
        call: CallData = self._shaped("call", value, _CALL)
        return call

    def _facts(self, name: str, path: str, bounds: tuple[float, ...]) -> tuple[int, int, int]:
        answer = self._act(name, (path,), bounds)
        facts: tuple[int, int, int] = self._shaped(name, answer, ((int,),) * 3)
        return facts

    def _list(self, name: str, *args: Any) -> list[Any]:
        return self._is(name, self._ask(name, *args), list)

    def _is(self, name: str, value: Any, *types: type[T]) -> T:
        if type(value) not in types:
            self._die(f"its {name} is {str(value)[:200]}")
        checked: T = value
        return checked

    def _shaped(self, name: str, value: Any, shape: tuple[tuple[type, ...], ...]) -> Any:
        good = type(value) is tuple and len(value) == len(shape)
        if not good or any(
            type(item) not in types for item, types in zip(value, shape, strict=True)
        ):
            self._die(f"its {name} is {str(value)[:200]}")
        return value

    def _die(self, why: str) -> NoReturn:
        self._why_dead = f"{_GIVEN_UP}: {_native.printable(why)}"
        self._end()
        raise errors.SandboxDead(self._why_dead)

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()


_machines: weakref.WeakSet[RemoteMachine] = weakref.WeakSet()


def _forked() -> None:
    for machine in list(_machines):
        machine.leave_to_parent()


os.register_at_fork(after_in_child=_forked)


def _limit(limits: dict[str, int], name: str) -> int:
    return limits.get(name, int(DEFAULTS[name] or 0))


def _poll(connection: socket.socket, events: int) -> select.poll:
    poll = select.poll()
    poll.register(connection, events)
    return poll


class _Late(Exception):
    """The worker did not do in time what it says."""


def _wait(poll: select.poll, until: float | None, why: str) -> None:
    while True:
        left = math.inf if until is None else max(0.0, until - time.monotonic()) * 1000
        if poll.poll(min(left, _LONGEST_POLL_MS)):
            return
        if left == 0:
            raise _Late(why)


class _Worker:
    """The process and the two sockets to it."""

    def __init__(self, frame_limit: int) -> None:
        if not sys.executable:
            raise NotImplementedError('isolation="process" needs to know where Python is')
        ours, theirs = socket.socketpair()
        control, controlled = socket.socketpair()
        home = str(Path(__file__).parent.parent)
        with theirs, controlled:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BOOT, home]
                + [str(theirs.fileno()), str(controlled.fileno())],
                pass_fds=(theirs.fileno(), controlled.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Nothing worth stealing; where libpython is, if that has to be said.
                env={k: v for k, v in os.environ.items() if k == "LD_LIBRARY_PATH"},
                start_new_session=True,  # Ctrl-C is for this process
            )
        self._requests, self._control = ours, control
        ours.setblocking(False)
        control.setblocking(False)
        self._reader = Reader(ours.fileno(), frame_limit)
        self._readable = _poll(ours, select.POLLIN)
        self._writable = _poll(ours, select.POLLOUT)

    def sending(self, message: Any) -> Sending:
        return Sending(self._requests.fileno(), message)

    def send(self, sending: Sending, until: float | None) -> None:
        """What is left of it."""
        why = "it does not take what it is sent"
        sending.go_on(lambda: _wait(self._writable, until, why))

    def peek(self, until: float | None) -> Any:
        why = "it did not stop at its limit of time"
        return self._reader.peek(lambda: _wait(self._readable, until, why))

    def consume(self) -> None:
        self._reader.consume()

    def interrupt(self, how: str) -> bool:
        try:
            return self._control.send(how[:1].encode()) == 1
        except OSError:
            return False  # it is gone, which the next answer tells, or it does not even read these

    def fate(self) -> str:
        try:
            status = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "it closed its connection"
        if status >= 0:
            return f"it ended with status {status}"
        name = signal.Signals(-status).name
        forbidden = ", by a system call that it may not make" if name == "SIGSYS" else ""
        return f"it died of {name}{forbidden}"

    def leave_to_parent(self) -> None:
        self._requests.close()
        self._control.close()
        self._process.poll()  # it is no child of this process, and so nothing to wait for

    def end(self) -> None:
        self._requests.close()
        self._control.close()
        self._process.kill()
        self._process.wait()
