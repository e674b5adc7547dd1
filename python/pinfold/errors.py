"""Every exception that pinfold raises of its own.

Wrong arguments are plain ``ValueError`` and ``TypeError``, file operations inside the sandbox are
``OSError`` with the guest's errno. What a script does wrong is never an exception of ``run()``: it
is in the ``Result``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .result import Result


class PinfoldError(Exception):
    """The base of the exceptions below."""


class SandboxBusy(PinfoldError):
    """The sandbox is in use: by another thread, or by the run whose handler is asking."""


class SandboxClosed(PinfoldError, RuntimeError):
    """The sandbox was closed."""


class SandboxStateError(PinfoldError):
    """Not possible now: a run is on, no run is on, the call was answered already, or the recording
    that this belongs to could not be written."""


class SandboxInterrupted(SandboxStateError):
    """`interrupt()` came, from another thread, while something was done that is no run: a file was
    read, a replay was on."""


class NoTimerError(PinfoldError, RuntimeError):
    """The system refuses the timer (or, in a build without signals, the thread) that limits of time
    need, so nothing ran. Raise RLIMIT_SIGPENDING (``ulimit -i``) or RLIMIT_NPROC (``ulimit -u``) of
    this process, or use fewer threads."""


class BoundError(PinfoldError):
    """What was asked for is over ``max_bytes`` or ``max_seconds`` of that one call, or a replay asks
    for more than its ``limits``. The message names the bound; raise it if that is meant."""


class SandboxDead(PinfoldError):
    """The sandbox had to be given up (its kernel failed or hung). Only closing it is left."""


class SnapshotError(PinfoldError, ValueError):
    """A snapshot that is cut short, altered or from another build of pinfold."""


class StoreError(SnapshotError):
    """The file of a `Store` is damaged, altered or rolled back, belongs to another program, or cannot be
    read or written; the message begins with its path."""


class StoreUnavailable(StoreError):
    """The server of a `Store` was away for its ``timeout``, or went away in the middle of a change: the
    message says that nothing was written, or that this is not known. A `Store.save` is settled."""


class LeaseError(StoreError):
    """Somebody else drives what a `Lease` was wanted for, or took it over meanwhile: nothing was
    written."""


class ReplayError(PinfoldError):
    """A replay did something else than its trace says; the message shows both."""


class TraceError(ReplayError, ValueError):
    """A trace that is cut short, altered or from another build of pinfold, or lacks a result that was
    left out of it."""


class ProofError(PinfoldError, ValueError):
    """A proof that does not hold, or that cannot be checked here: altered, of another build, signed by
    nobody who is trusted, or not so."""


class CapabilityError(PinfoldError, ValueError):
    """A capability, constraint or policy that cannot be accepted. Nothing is ever ignored."""


class AuditFull(RuntimeError):
    """A run came to the bound of its `AuditLog`: what is not logged does not happen."""


class LeftOutWarning(UserWarning):
    """A portable snapshot does not hold, or did not bring, all of a sandbox: the message says what."""


class ToolNameWarning(UserWarning):
    """A tool whose name means something else to scripts: only ``tool NAME`` reaches it. A command that
    scripts do not take for granted (``make``, ``look``) yields its name instead, without a word."""


class ToolError(PinfoldError):
    """Raise it in a tool handler to fail the call with exactly this text.

    Any other exception reaches the guest as ``Type: message``. ``code`` is what the guest's
    ``ToolError`` says: ``"failed"``, ``"invalid"`` or ``"timeout"``; with ``"denied"`` the guest
    gets a ``CapabilityError``, as if no capability had allowed the call.
    """

    def __init__(self, message: str, code: str = "failed") -> None:
        if code not in ("failed", "invalid", "timeout", "denied"):
            raise ValueError(f'code is "failed", "invalid", "timeout" or "denied", not {code!r}')
        super().__init__(message)
        self.code = code


class ExecutionError(PinfoldError):
    """``execute()`` or ``shell()`` ran a program that failed; ``result`` has all of it."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (*self.args, self.result), self.__dict__
