"""What a worker answers, as `pinfold.remote` takes it: values of known shapes, and exceptions of a
known list, whose texts are made fit to be shown. Anything else is a `Lie`."""

from __future__ import annotations

from . import _native, errors
from .accounts import Lie, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NONE = type(None)

#: Exceptions that a worker may name.
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

#: Of a new machine: the version of Landlock, and what a snapshot brought.
MADE = ((int,), (tuple, _NONE))
#: An event: its name, the stream, what was written.
OUTPUT = ((str,), (int,), (bytes,))
#: The end of a drive: an outcome, when a sleeper is due, the calls that wait.
REPLY = ((tuple, _NONE), (int, _NONE), (tuple,))
#: What a snapshot brought: is a run on, when is a sleeper due, the last outcome, what the
#: capabilities have left, what became of calls, those that wait, how many of them are new.
STATE: tuple[tuple[type, ...], ...] = (
    *((bool,), (int, _NONE), (tuple, _NONE), (list,), (list,), (tuple,), (int,)),
)


def is_event(message: Any, kind: str) -> bool:
    return isinstance(message, tuple) and message[:1] == (kind,)


def is_error(message: Any) -> bool:
    """Is this answer an exception?"""
    return is_event(message, "error")


def value_of(message: Any) -> Any:
    """What was asked for, or the exception that the worker had."""
    if is_event(message, "value") and len(message) == 2:
        return message[1]
    if is_error(message) and len(message) == 3 and isinstance(message[2], list):
        _, name, args = message
        if name == "OSError" and _are(args, (int, _NONE), (str, _NONE), (str, _NONE)):
            number, why, path = args  # the path is shown as a Python literal
            raise OSError(number, _native.printable(why or "it failed"), path)
        if name in _RAISABLE and _are(args, (str,)):
            raise _RAISABLE[name](_native.printable(args[0]))
    raise Lie(f"it answered with {shown(message)}")


def _are(args: list[Any], *types: tuple[type, ...]) -> bool:
    """Are these the arguments of an exception?"""
    return len(args) == len(types) and all(
        type(arg) in allowed for arg, allowed in zip(args, types, strict=True)
    )
