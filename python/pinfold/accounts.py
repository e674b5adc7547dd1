"""What the embedder's process itself knows of a sandbox in a worker, and decides about its calls.

The worker is believed in nothing here: each call that its machine lets through or refuses is judged
once more, from the guest's own words, by the gate of this process, and counted here. A statement
that a truthful worker cannot make is a `Lie`, which says what is wrong with it.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from . import _native
from .limits import DEFAULTS, OF_A_RUN
from .wire import ALLOWED, NO_MEMORY, TOO_MANY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._native import CallData, Decision, Outcome, Settings

    #: (outcome, method, name, params, capability, message)
    Verdict = tuple[str, str, str, str | None, int, str | None]

#: Calls that a sandbox may have unanswered: PF_OPS_MAX of abi/limits.h.
MOST_PENDING = 4096
#: What a request has besides its arguments, and what the machine takes for one that it holds.
REQUEST_BYTES = 4096
_CALL_BYTES = 512
_MOST_ID = 1 << 64
#: More is as good as no limit.
MOST_BYTES = 1 << 62
#: Limits that a result may name.
_STRIKES = ("cpu_seconds", "wall_seconds", "memory_bytes", "processes", None)

_REFUSED = ("denied", "limit", "invalid", "unknown")
#: What a machine has decided about a call of a snapshot, as `Decision`.
JUDGED = ((int,), (str,), (str,), (str,), (str, type(None)), (int,), (str, type(None)))
#: A machine's account of a call: its id or 0, the outcome, the request as the guest sent it, and
#: the limit that refused it before the gate was asked, or nothing.
DECISION = ((int,), (str,), (bytes,), (str,))
_OUTCOME: tuple[tuple[type, ...], ...] = (
    *((bytes,), (bytes,), (int,), (str, type(None)), (str, type(None))),
    *((bool,), (bool,), (bool,), (int,), (int,), (int,), (int,), (bool,)),
)


class Lie(Exception):
    """What no truthful worker says."""


def limit(settings: Settings, name: str) -> int:
    """In the C library's units; what is lifted is `MOST_BYTES`."""
    default = DEFAULTS[name.replace("_ms", "_seconds")]
    usual = int((default or 0) * (1000 if name.endswith("_ms") else 1))
    return min(dict(settings[0]).get(name, usual), MOST_BYTES)


def with_limits(settings: Settings, limits: list[tuple[str, int]]) -> Settings:
    """Settings with some limits exchanged."""
    return [*{**dict(settings[0]), **dict(limits)}.items()], *settings[1:]


def of_a_run(settings: Settings) -> list[tuple[str, int]]:
    """The limits that can be a run's own, as the settings have them."""
    names = sorted(name.replace("_seconds", "_ms") for name in OF_A_RUN)
    given = dict(settings[0])
    return [(name, given.get(name, limit(settings, name))) for name in names]


class Count(NamedTuple):
    """What changes with a call, exchanged together, in one step for the interpreter."""

    next: int | None  # id of the next call; None after a snapshot: any larger than the known ones
    made: int  # calls of this run, the refused ones too
    held: int  # bytes that calls take which wait
    allowed: int  # of those that were made
    refused: bool  # one for the limit tool_calls, which is told once

    def allow(self, id: int, held: int) -> Count:
        return Count(id + 1, self.made + 1, held, self.allowed + 1, self.refused)

    def refuse(self, over: bool) -> Count:
        made = self.made if over else self.made + 1
        return Count(self.next, made, self.held, self.allowed, self.refused or over)

    def at(self, next: int | None) -> Count:
        return Count(next, *self[1:])

    def holding(self, held: int) -> Count:
        return Count(self.next, self.made, held, self.allowed, self.refused)


class Ledger:
    """Budgets, calls and output of one sandbox.

    A signal's handler may raise in the middle of `decide` and `settle`: they can be done again, and
    then change nothing more.
    """

    def __init__(self, settings: Settings, gate: _native.Gate | None = None) -> None:
        self._settings = settings
        self._gate = gate or _native.Gate(settings)
        self.limit(settings)
        self._value_bytes = limit(settings, "tool_result_bytes")
        self._request_bytes = limit(settings, "tool_argument_bytes") + REQUEST_BYTES
        self._memory_bytes = limit(settings, "memory_bytes")
        #: Allowed and unanswered, oldest first.
        self.calls: dict[int, CallData] = {}
        #: How many were handed out.
        self.handed = 0
        self._new: dict[int, None] = {}  # of the calls those that were not handed out
        self._untold: dict[int, Decision] = {}  # decisions about them that nobody was told
        self._count = Count(1, 0, 0, 0, False)
        self._last: tuple[object, Decision | None] = None, None  # event and what was decided
        self._restored: list[Decision] = []  # of calls that came with a snapshot, for who listens
        self._judged: list[tuple[object, Verdict]] = []  # the last event and the gate's verdict
        self._told = [0, 0]  # bytes of output of this run
        self._elsewhere = False  # this run began there, and may have used more than is known here

    def limit(self, settings: Settings) -> None:
        """A run begins, and these are its limits."""
        self._tool_calls = limit(settings, "tool_calls")
        self._output_bytes = limit(settings, "output_bytes")

    def branch(self, settings: Settings) -> Ledger:
        """Of a copy of the sandbox, perhaps with other tools and capabilities, of which those that
        stay have what they have left; `renumber` completes it."""
        same = settings[2:4] == self._settings[2:4]
        copy = Ledger(settings, self._gate.clone() if same else self._gate_of(settings))
        copy.calls = dict(self.calls)
        copy._new = dict(self._new)
        copy._count = self._count
        copy._told = list(self._told)
        copy._elsewhere = self._elsewhere
        copy._tool_calls, copy._output_bytes = self._tool_calls, self._output_bytes
        return copy

    def _gate_of(self, settings: Settings) -> _native.Gate:
        gate = _native.Gate(settings)
        before = _capabilities(self._settings)
        for index, capability in enumerate(_capabilities(settings)):
            most = capability.get("max_calls")
            if most is None or capability not in before:
                continue
            at = before.index(capability)
            before[at] = {}  # an equal one is another one
            gate.spend(index, most - (self._gate.calls_left(at) or 0))
        return gate

    def renumber(self, judged: list[Decision], waiting: tuple[int, ...], new: int) -> None:
        """A branch's calls have ids of their own, in the same order."""
        ours = list(self.calls.values())
        given = {decision[0]: decision[2:5] for decision in judged if decision[1] in ALLOWED}
        if list(given) != list(waiting) or new != len(self._new):
            raise Lie(f"a branch's calls are {shown(waiting)}")
        if [call[1:4] for call in ours] != list(given.values()):
            raise Lie("a branch has calls that its trunk did not have")
        first = waiting[0] if waiting else 0
        if list(waiting) != list(range(first, first + len(waiting))):
            raise Lie(f"a branch's calls are {shown(waiting)}")
        self.calls = {id: (id, *call[1:]) for id, call in zip(waiting, ours, strict=True)}
        self._new = dict.fromkeys(waiting[len(waiting) - new :])
        self._count = self._count.at(waiting[-1] + 1 if waiting else None)

    def retake(
        self, judged: list[Decision], waiting: tuple[int, ...], new: int, trunk: Ledger
    ) -> None:
        """A twin's calls are those of its trunk."""
        given = {decision[0]: decision[2:5] for decision in judged if decision[1] in ALLOWED}
        ours = {id: call[1:4] for id, call in trunk.calls.items()}
        if given != ours or tuple(ours) != waiting or new != len(trunk._new):
            raise Lie(f"the calls of a preview are {shown(waiting)}, not {shown(tuple(ours))}")
        self._untold = dict(trunk._untold)

    def restore(
        self, judged: list[Decision], waiting: tuple[int, ...], new: int, left: list[int | None]
    ) -> None:
        """What came with a snapshot: calls that its worker has judged again, of which those that it
        allows wait and the last ``new`` were not handed out; and what the capabilities have left.
        The calls that it allows are judged here as if they were made now."""
        self._elsewhere = True
        # Before them, as in the worker: a capability that is spent is passed over. What they
        # spend themselves comes with them.
        for index, number in enumerate(left):
            allowed = self._gate.calls_left(index)
            own = sum(call[1] in ALLOWED and call[5] == index for call in judged)
            if number is not None and allowed is not None:
                self._gate.spend(index, max(allowed - max(number, 0) - own, 0))
        for id, outcome, _, name, params, capability, message in judged:
            if outcome not in ALLOWED:
                if id <= 0 or message is None or outcome not in _REFUSED:
                    raise Lie(f"it restores call {id} as {shown(outcome)}")
                capability = capability if -1 <= capability < len(left) else -1
                self._restored.append((id, outcome, _, name, params, capability, message))
                continue
            tool = json.dumps(name, ensure_ascii=False)
            request = f'{{"tool":{tool},"params":{params}}}'.encode("utf-8", "replace")
            self.later()  # ids may lie apart
            self._restored.append(self.decide(id, outcome, request, "", request))
        if tuple(self.calls) != waiting or not 0 <= new <= len(waiting):
            raise Lie(f"the calls that wait are {shown(waiting)}, not {shown(tuple(self.calls))}")
        self._count = self._count.at(None)
        self._new = dict.fromkeys(waiting[len(waiting) - new :])

    def judged(self) -> list[Decision]:
        """What became of the calls that a snapshot brought, once, for who begins to listen."""
        restored, self._restored = self._restored, []
        for decision in restored:
            self._untold.pop(decision[0], None)
        return restored

    # ------------------------------------------------------------------ runs

    def begin(self) -> None:
        """A run starts."""
        self._count = Count(self._count.next, 0, self._count.held, 0, False)
        self._told = [0, 0]
        self._elsewhere = False

    def output(self, stream: int, data: bytes) -> None:
        """The run has written that."""
        if stream not in (1, 2) or not data:
            raise Lie(f"its output is {len(data)} bytes of stream {stream}")
        self._told[stream - 1] += len(data)
        if self._told[stream - 1] > self._output_bytes:
            raise Lie(f"its output is over {self._output_bytes} bytes (output_bytes)")

    def result(self, given: Any) -> Outcome:
        """What a run gave, checked."""
        outcome: Outcome = shaped("outcome", given, _OUTCOME)
        out, err, code, value, struck, *_, cpu_ns, wall_ns, memory, made, _ = outcome
        if not 0 <= code <= 255 or min(cpu_ns, wall_ns, memory) < 0 or struck not in _STRIKES:
            raise Lie(f"its outcome is {shown(outcome[2:])}")
        if len(value or "") > self._value_bytes:
            raise Lie(f"its value is over {self._value_bytes} bytes (tool_result_bytes)")
        if self._elsewhere:
            return outcome
        if max(len(out), len(err)) > self._output_bytes:
            raise Lie(f"its output is over {self._output_bytes} bytes (output_bytes)")
        if made != self._count.allowed:
            raise Lie(f"it counts {made} tool calls where there were {self._count.allowed}")
        return outcome

    # ------------------------------------------------------------------ calls

    def decide(self, id: int, outcome: str, request: bytes, by: str, event: object) -> Decision:
        """The decision about a call, made here and now, as the audit log has it. The worker's
        machine has decided ``outcome``, by its gate or because of the limit named by ``by``, and
        says so with ``event``, which comes once."""
        told, decision = self._last
        if told is event and decision is not None:
            return decision
        if len(request) > self._request_bytes:
            raise Lie(f"a call of {len(request)} bytes is over tool_argument_bytes")
        count = self._count
        over = count.made >= self._tool_calls or (by == "tool_calls" and self._elsewhere)
        if over or by:
            decision = self._over(id, outcome, by, over)
            self._last, self._count = (event, decision), count.refuse(over)
            return decision
        verdict, method, name, params, capability, message = self._verdict(request, event)
        if params is None or verdict not in ALLOWED:
            if id or verdict != outcome:
                raise Lie(f"it let a call through that is not allowed: {message}")
            decision = 0, verdict, method, name, params, capability, message
            self._last, self._count = (event, decision), count.refuse(False)
            return decision
        if verdict != outcome or not id:
            raise Lie(f"it refuses a call of {method}, which is allowed")
        held = count.held + _held(params)
        self._check_room(id, count.next, held)
        decision = id, verdict, method, name, params, capability, None
        self._untold[id] = decision
        self._new[id] = None
        self.calls[id] = id, method, name, params, capability, verdict == "ask"
        self._last, self._count = (event, decision), count.allow(id, held)
        return decision

    def _over(self, id: int, outcome: str, by: str, over: bool) -> Decision:
        """A call that was refused before the gate was asked."""
        too_many = f"{TOO_MANY}: {self._tool_calls})"
        why = {"tool_calls": too_many, "memory_bytes": NO_MEMORY}.get(by)
        if outcome != "limit" or id or why is None or over != (by == "tool_calls"):
            raise Lie(f"it makes call {self._count.made + 1} of {self._tool_calls} (tool_calls)")
        if over and self._count.refused:
            raise Lie("it says twice that a run may make no more calls (tool_calls)")
        return 0, "limit", "", "", None, -1, why

    def _verdict(self, request: bytes, event: object) -> Verdict:
        """The gate's, once for each call, which is spent."""
        if not self._judged or self._judged[-1][0] is not event:
            self._judged.clear()
            # One step for the interpreter: no handler comes between a verdict and its keeping.
            self._judged.extend(zip((event,), map(self._gate.decide, (request,)), strict=True))
        return self._judged[-1][1]

    def _check_room(self, id: int, next_id: int | None, held: int) -> None:
        if next_id is None:  # known ones were made before
            next_id = max(id, max(self.calls, default=0) + 1)
        if id != next_id or id >= _MOST_ID:
            raise Lie(f"its next call is {id}, not {next_id}")
        if held > self._memory_bytes or len(self.calls) >= MOST_PENDING:
            raise Lie(f"{len(self.calls) + 1} calls that wait are more than a sandbox can hold")

    def later(self) -> None:
        """The next call's id is any that is larger than the known ones."""
        self._count = self._count.at(None)

    def settle(self, waiting: tuple[Any, ...], answered: int | None) -> None:
        """These calls still wait, after that one was answered; what else is known was given up by
        the guest or ended with its run."""
        if len(waiting) > MOST_PENDING or not all(type(id) is int for id in waiting):
            raise Lie(f"the calls that wait are {shown(waiting)}")
        still = set(waiting)
        if tuple(id for id in self.calls if id in still) != waiting or answered in still:
            raise Lie(f"the calls that wait are {shown(waiting)}, not {shown(tuple(self.calls))}")
        for id in [id for id in self.calls if id not in still]:
            self._new.pop(id, None)
            self._untold.pop(id, None)
            self.calls.pop(id, None)
        held = sum(_held(call[3]) for call in self.calls.values())
        self._count = self._count.holding(held)

    def next_call(self) -> CallData | None:
        """The oldest call that was not handed out yet."""
        return self.calls[next(iter(self._new))] if self._new else None

    def new_calls(self) -> list[int]:
        """Those that were not handed out."""
        return list(self._new)

    def was_handed_out(self, id: int) -> bool:
        return id in self.calls and id not in self._new

    def hand_out(self, id: int) -> None:
        self.handed += 1
        del self._new[id]

    def untold(self, id: int) -> Decision | None:
        return self._untold.get(id)

    def told(self, id: int) -> None:
        self._untold.pop(id, None)

    # ------------------------------------------------------------------ authority

    def refusal(self, method: str, params: str) -> str | None:
        return self._gate.refusal(method, params)

    def calls_left(self, capability: int) -> int | None:
        return self._gate.calls_left(capability)


def _held(params: str) -> int:
    """Bytes that a machine takes for a call that waits."""
    return _CALL_BYTES + 2 * len(params)


def shaped(name: str, value: Any, shape: tuple[tuple[type, ...], ...]) -> Any:
    """A tuple with items of exactly these types."""
    if type(value) is not tuple or len(value) != len(shape):
        raise Lie(f"its {name} is {shown(value)}")
    for item, types in zip(value, shape, strict=True):
        if type(item) not in types:
            raise Lie(f"its {name} is {shown(value)}")
    return value


def shown(value: Any) -> str:
    """A value for a message; long values are cut before they are written out."""
    if isinstance(value, (list, tuple)):
        items = ", ".join(shown(item) for item in value[:8])
        return f"({items}{', ...' if len(value) > 8 else ''})"
    if isinstance(value, (str, bytes)):
        return repr(value[:80]) + ("..." if len(value) > 80 else "")
    return repr(value)


def _capabilities(settings: Settings) -> list[dict[str, Any]]:
    """As the policy has them."""
    if not settings[3]:
        return []
    granted: list[dict[str, Any]] = json.loads(settings[3]).get("capabilities", [])
    return granted
