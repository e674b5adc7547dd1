"""``isolation="process"``: a machine that runs in a worker process of its own, under seccomp.

`RemoteMachine` has the methods of `_native.Machine` and asks the worker for each that is about the
inside. This side knows and decides all that is about the outside: budgets, calls and their ids,
limits on what comes out, the decisions that an audit log gets (`pinfold.accounts`). The worker is
not trusted: what it says is bounded before it is read, checked for its shape, its order and its
time; and a worker that dies, lies or does not stop is one failed run: `SandboxDead`, with the
reason.
"""

from __future__ import annotations

import _thread
import os
import time
import weakref

from . import _native, allowance, errors
from .accounts import DECISION, JUDGED, Ledger, Lie, of_a_run, shaped, with_limits
from .allowance import DRIVES, Allowance, RunTime
from .link import Broken, Deadline, Late, Link, opened
from .outside import Outside
from .remote_preview import Twins
from .replies import MADE, OUTPUT, REPLY, STATE, is_error, is_event
from .wire import TRACE, Ended, Sending, WireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from ._native import CallData, Durable, OnDecision, Outcome, Place, Settings
    from .images import Images

#: The worker's part of the last line of a recording.
_CLOSE_SECONDS = 2.0
#: The longest that anybody sleeps because a worker says so, before it is asked again.
_LONGEST_SLEEP = 3600.0
_GIVEN_UP = "the worker process of the sandbox was given up"


class RemoteMachine(Outside, Twins):
    """A `_native.Machine` elsewhere. Belongs to one thread at a time, `interrupt()` to all.

    A signal's handler may raise wherever the interpreter looks: when a function of Python's begins,
    when one of C's returns, when a loop goes round. What must not be cut in two is one such step,
    or can be done again.
    """

    unclaim: Callable[[object], None]

    def __init__(
        self,
        settings: Settings,
        snapshot: bytes | None,
        durable: Durable,
        _trunk: RemoteMachine | None = None,
        _in_force: Settings | None = None,
        _images: Images | None = None,
        _twin: bool = False,
    ) -> None:
        if durable[3]:
            raise ValueError(
                'mounts are read from the host\'s files, which the worker of isolation="process"'
                " cannot open: give the files with files="
            )
        self._settings = settings
        self._durable = durable
        self._images = _images  # of the build that the worker is of; None: this one
        #: With the limits of the run that is on, or of the last; and what the worker started with.
        self._in_force = self._worker_settings = _in_force or settings
        self._allowance = Allowance(self._in_force)
        self._time = RunTime(self._allowance)
        self._ledger: Ledger = (
            _trunk._ledger.branch(settings) if _trunk is not None else Ledger(settings)
        )
        self._on_output: Callable[[int, bytes], object] | None = None
        self._on_decision: OnDecision | None = None
        self._busy = False
        self._set_free()
        self._for_run = False
        self._interrupts = 0  # that the worker was sent
        self._before = 0  # of these, before the run that is on or begins
        self._why_dead: str | None = None
        self._running = False
        self._result: Outcome | None = None  # of the last run
        self._due: float | None = None  # when a sleeper is
        self._steps = 0  # that the worker has heard of
        #: Of a drive whose end was not taken over yet: the call that it answered, in a tuple.
        self._unsettled: tuple[int | None] | None = None
        self._of_parent = False
        self._link: Link | None = None
        trace = opened(durable[1])
        try:
            self._link = Link(trace, None if _images is None else _images.home())
            _machines.add(self)
            self._time.begin(self._link)
            record = None if trace is None else TRACE
            how = durable[0], record, *durable[2:]
            self._make(self._in_force, snapshot, how, _trunk, _twin)
        except BaseException:
            self._end()
            raise
        finally:
            if trace is not None:
                os.close(trace)

    def _make(
        self,
        settings: Settings,
        snapshot: bytes | None,
        durable: Durable,
        trunk: RemoteMachine | None,
        twin: bool,
    ) -> None:
        may = self._allowance
        limits = may.memory, may.address_space, may.trace, may.capabilities
        answer = self._ask("new", settings, snapshot, durable, *limits)
        made = self._shaped("beginning", answer, MADE)
        link = self._alive()
        #: The confinement of the worker, as far as the system offers it.
        self.report: dict[str, Any] = {
            "seccomp": True,
            "landlock": made[0],
            "namespaces": link.namespaces,
        }
        if (made[1] is None) != (snapshot is None):
            self._die("it does not say what a snapshot brought")
        if snapshot is not None:
            self._continue(made[1], trunk, twin)

    # ------------------------------------------------------------------ the guest runs

    def start(
        self,
        code: str,
        language: str,
        stdin: bytes | None,
        how: int,
        on_output: Callable[[int, bytes], object] | None,
        place: Place | None = None,
    ) -> Outcome | None:
        if not self._running:
            self._on_output = on_output
            place = self._limit(place)
            self._ledger.begin()
            self._time.begin(self._link)
        watched = on_output is not None
        what = code, language, stdin, how, place, watched, self._before
        return self._drive(None, "start", *what)

    def _limit(self, place: Place | None) -> Place | None:
        """Limits of a run hold here as well, and the worker is told of them if it has others."""
        own = None if place is None else place[2]
        in_force = with_limits(self._settings, own) if own else self._settings
        if in_force is not self._in_force:
            self._in_force = in_force
            self._allowance = Allowance(in_force)
            self._time = RunTime(self._allowance)
            self._ledger.limit(in_force)
        if own is None and self._worker_settings is not self._settings:
            own = of_a_run(self._settings)
        cwd, env, _ = place or (None, [], None)
        return (cwd, env, own) if place is not None or own is not None else None

    def resume(self, id: int, text: str) -> Outcome | None:
        return self._drive(id, "resume", id, text)

    def resume_step(self, id: int, text: str) -> tuple[Outcome | None, CallData | None]:
        outcome = self.resume(id, text)
        return outcome, self.step() if outcome is None else None

    def fail(self, id: int, kind: int, message: str) -> Outcome | None:
        return self._drive(id, "fail", id, int(kind), message)

    def advance(self) -> Outcome | None:
        if not self._ledger.calls:  # nobody but the worker is waited for
            self._time.waited()
        return self._drive(None, "advance")

    def result(self) -> Outcome | None:
        self._alive()
        return None if self._running else self._result

    def interrupt(self) -> None:
        self._end_run("interrupt")

    def stop(self) -> None:
        self._end_run("stop")

    def kill(self) -> None:
        self._end_run("kill")

    def _end_run(self, how: str) -> None:
        link = self._link
        if link is None:
            return
        if self._busy or (self._for_run and self._owners):
            self._interrupt(link, how)
        elif self._running:
            self._ask(how)

    def _interrupt(self, link: Link, how: str) -> None:
        """The worker counts as well, and so knows the run that is meant, however late it hears."""
        with self._counting:
            if link.interrupt(how):
                self._interrupts += 1
                self._changes += 1

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

    # ------------------------------------------------------------------ its life

    def snapshot(self, counter: int = 0, *bounds: float) -> bytes:
        return self._is("snapshot", self._act("snapshot", (counter,), bounds), bytes)

    def snapshot_portable(self, counter: int = 0, *bounds: float) -> tuple[bytes, list[str]]:
        made = self._act("snapshot_portable", (counter,), bounds)
        data, left = self._shaped("snapshot_portable", made, ((bytes,), (list,)))
        return data, [self._is("snapshot_portable", text, str) for text in left]

    def fork_shared(self) -> RemoteMachine:
        raise ValueError('budget="share" is not possible with isolation="process"')

    def fork(
        self, settings: Settings | None = None, durable: Durable | None = None
    ) -> RemoteMachine:
        """A branch has a worker of its own, which continues a snapshot; what was spent and what
        waits is known here."""
        ours = durable or (self._durable[0], None, False, [], 0)
        data = self._is("branch", self._ask("branch"), bytes)
        own = None if settings is not None or not self._running else self._in_force
        images = self._images
        return RemoteMachine(settings or self._settings, data, ours, self, own, images)

    def close(self) -> None:
        try:
            if self._link is not None and self._durable[1] is not None:
                # The trace gets its last line.
                self._ask_within(Deadline(_CLOSE_SECONDS), "close")
        except errors.SandboxDead as dead:
            raise errors.SandboxStateError(f"the recording is incomplete: {dead}") from None
        finally:
            self._end()

    def condition(self) -> Any:
        return "closed" if self._link is None else "busy" if self._busy else "open"

    def __del__(self) -> None:
        link = getattr(self, "_link", None)
        if link is not None:
            link.end()

    def leave_to_parent(self) -> None:
        """In a child of fork(): the worker goes on working for the parent."""
        link, self._link = self._link, None
        if link is not None:
            link.leave_to_parent()
            self._of_parent = True
        self._set_free()  # another thread may have had it, which the child does not have
        self._busy = False

    # ------------------------------------------------------------------ driving

    def _continue(self, state: Any, trunk: RemoteMachine | None, twin: bool) -> None:
        """Takes over what a snapshot brought."""
        shape = self._shaped("state", state, STATE)
        running, due, result, left, judged, pending, new = shape
        for number in left:
            self._is("calls_left", number, int, type(None))
        try:
            decisions = [shaped("decision", decision, JUDGED) for decision in judged]
            if trunk is None:
                self._ledger.restore(decisions, pending, new, left)
            elif twin:
                self._ledger.retake(decisions, pending, new, trunk._ledger)
            else:
                self._ledger.renumber(decisions, pending, new)
            self._result = None if result is None else self._ledger.result(result)
        except Lie as lie:
            self._die(str(lie))
        self._running = running
        self._set_due(due)

    def _drive(self, answered: int | None, name: str, *args: Any) -> Outcome | None:
        """Lets the guest run, with the answer to a call or without."""
        link = self._alive()
        cpu = None if self._allowance.cpu is None else lambda: self._time.cpu_left(self._link)
        deadline = Deadline(self._time.wall_left(), cpu)
        began = time.monotonic()
        self._unsettled = (answered,)
        try:
            message, failure = self._exchange(link, deadline, name, args)
        finally:
            self._time.drove(began, deadline.extended)
        outcome = None
        try:
            outcome = self._settled(message, answered)
        except BaseException as error:
            if not is_error(message):  # of a signal's handler: it is taken over by who comes next
                raise
            failure = failure or error
        link.consume()
        self._unsettled = None
        if failure is not None:
            raise failure
        return outcome

    def _settled(self, message: Any, answered: int | None) -> Outcome | None:
        """How a drive ended, taken over; the second time changes nothing."""
        reply = self._shaped("reply", self._answer(message), REPLY)
        ended, due, waiting = reply
        outcome: Outcome | None = None
        try:
            if ended is not None:
                outcome = self._ledger.result(ended)
            self._ledger.settle(waiting, answered)
            if outcome is None and not waiting:
                raise Lie("it waits for nothing")
        except Lie as lie:
            self._die(str(lie))
        self._set_due(due)
        if outcome is not None:
            self._result = outcome
            self._on_output = None
        self._running = outcome is None
        return outcome

    def _set_due(self, ns: int | None) -> None:
        if ns is not None and ns < 0:
            self._die(f"a sleeper is due in {ns} ns")
        longest = _LONGEST_SLEEP if self._allowance.wall is None else self._allowance.wall
        self._due = None if ns is None else time.monotonic() + min(ns / 1e9, longest)

    def _alive(self) -> Link:
        """The worker, with nothing left to be taken over from it."""
        link = self._link
        if link is None:
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
        if self._unsettled is not None:  # a signal's handler raised when it was just there
            if link.answered():
                message = link.peek(Deadline(allowance.GRACE_SECONDS))
                if not is_error(message):  # an answer that is an exception changes nothing
                    self._settled(message, *self._unsettled)
                link.consume()
            self._unsettled = None
        return link

    # ------------------------------------------------------------------ inside

    def _ask_within(self, deadline: Deadline, name: str, *args: Any) -> Any:
        link = self._alive()
        message, failure = self._exchange(link, deadline, name, args)
        link.consume()
        if failure is not None:
            raise failure
        return self._answer(message)

    def _exchange(
        self, link: Link, deadline: Deadline, name: str, args: tuple[Any, ...]
    ) -> tuple[Any, BaseException | None]:
        """The worker's answer, which is not consumed, and what was raised before it came."""
        link.consume()  # an answer that nobody took, because a signal's handler raised
        self._asked(name)
        steps = self._ledger.handed - self._steps
        sending = link.sending((name, self._interrupts, steps, *args))
        drives = name in DRIVES
        try:
            self._busy = True
            if link.unread():
                raise Lie("it answers what it was not asked")
            link.expect(*self._allowance.answer(name))
            answer = self._await(link, sending, deadline, drives)
            self._steps += steps
            return answer
        except Ended:
            self._die(link.fate())
        except (Broken, Late, Lie, WireError) as error:
            self._die(str(error))
        except BaseException:  # the answer is not waited for, and would be taken for the next one
            if self._link is not None and sending.begun():
                self._why_dead = f"{_GIVEN_UP}: it was interrupted three times"
                self._end()
            raise
        finally:
            self._busy = False

    def _await(
        self, link: Link, sending: Sending, deadline: Deadline, drives: bool
    ) -> tuple[Any, BaseException | None]:
        """Events that come before the answer go to their callbacks; an exception of theirs, or
        Ctrl-C, interrupts the guest and is raised when the answer is there."""
        failure: BaseException | None = None
        impatient = False
        while True:
            try:
                while True:
                    link.send(sending, deadline)
                    message = link.peek(deadline)
                    if not drives or not self._event(link, message, deadline, failure is None):
                        return message, failure
            except (Broken, Ended, Late, Lie, WireError):
                raise
            except BaseException as error:
                # The third Ctrl-C does not wait.
                if impatient or self._link is None:
                    raise
                impatient = failure is not None
                failure = error
                self._interrupt(link, "kill" if impatient else "stop")

    def _event(self, link: Link, message: Any, deadline: Deadline, wanted: bool) -> bool:
        """Is it one? Then it is told, once, to whom it is for if that is wanted."""
        if is_event(message, "output"):
            _, stream, data = shaped("output", message, OUTPUT)
            link.consume()
            self._ledger.output(stream, data)
            if wanted and self._on_output is not None:
                deadline.outside(self._on_output, stream, data)
            return True
        if is_event(message, "call"):
            id, outcome, request, by = shaped("call", message[1:], DECISION)
            decision = self._ledger.decide(id, outcome, request, by, message)
            link.consume()
            if wanted and self._on_decision is not None:
                deadline.outside(self._on_decision, *decision)
                self._ledger.told(decision[0])
            return True
        return False

    def _tell_late(self, id: int) -> None:
        """A call is handed out only after the observers were told of it."""
        decision = self._ledger.untold(id)
        if decision is not None and self._on_decision is not None:
            self._on_decision(*decision)
        self._ledger.told(id)

    def _die(self, why: str) -> NoReturn:
        self._why_dead = f"{_GIVEN_UP}: {_native.printable(why)}"
        self._end()
        raise errors.SandboxDead(self._why_dead)

    def _end(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.end()


_machines: weakref.WeakSet[RemoteMachine] = weakref.WeakSet()


def _forked() -> None:
    for machine in list(_machines):
        machine.leave_to_parent()


os.register_at_fork(after_in_child=_forked)
