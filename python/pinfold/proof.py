"""Proofs: a state, inputs, and the state that they lead to, signed by who says so.

A sandbox is a function of its inputs, so that what it did can be checked by running it again, by
anybody who has the same build: ``pinfold verify FILE``, or `Proof.verify`.
"""

from __future__ import annotations

from . import _native
from .bounds import seconds
from .errors import BoundError, ProofError, SnapshotError, TraceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from typing import Any

    from .limits import Limits
    from .sandbox import Sandbox
    from .tokens import Issuer


class Proof:
    """What `Sandbox.proof` gives. ``data`` is the proof as bytes, to be stored or sent; it holds the
    recording, and is as public as that.

    >>> import tempfile
    >>> from pinfold import Sandbox
    >>> from pinfold.tokens import Issuer
    >>> me = Issuer()
    >>> with Sandbox(record=tempfile.mktemp()) as sandbox:
    ...     _ = sandbox.run("echo $((6 * 7)) > answer")
    ...     data = sandbox.proof(me).data
    >>> Proof(data).verify(trusted=[me.public_key])
    >>> Proof(data.replace(b"6 * 7", b"6 * 8")).verify()
    Traceback (most recent call last):
    pinfold.errors.ProofError: the trace in the proof is not the one that was signed
    """

    __slots__ = (
        *("data", "build", "this_build", "before", "inputs", "after"),
        *("public_key", "_trace_bytes", "_wrong"),
    )

    def __init__(self, data: bytes) -> None:
        if not isinstance(data, bytes):
            raise TypeError(f"a proof is bytes, not {type(data).__name__}")
        status, message, *_ = checked = _native.proof_check(data, None)
        if status not in ("PF_OK", "PF_FORMAT"):
            raise ProofError(message)
        self.data = data
        self._wrong = None if status == "PF_OK" else message
        #: Of the build that made it, in hexadecimal; and whether that is this one.
        self.build: str = checked[2]
        self.this_build: bool = checked[3]
        #: The hash of the state before the first input, of the recording, and of the state after it.
        self.before: bytes = checked[4]
        self.inputs: bytes = checked[5]
        self.after: bytes = checked[6]
        #: Whose signature it has.
        self.public_key: bytes = checked[7]
        self._trace_bytes: int = checked[8]

    @classmethod
    def of(
        cls,
        trace: str | PathLike[str] | bytes,
        issuer: Issuer,
        *,
        limits: Limits | None = None,
        max_seconds: float | None = None,
    ) -> Proof:
        """Runs a recording again and signs what came of it; ``limits`` and ``max_seconds`` are as for
        `pinfold.replay`, and so are the errors. A recording without its tools' results
        (``redact=True``) cannot be run by others, and is refused: `TraceError`."""
        from .replaying import read_trace
        from .tokens import Issuer

        if not isinstance(issuer, Issuer):
            raise TypeError(f"who signs is a pinfold.tokens.Issuer, not {issuer!r}")
        try:
            data = _native.proof_new(read_trace(trace), _bounds(limits, max_seconds), issuer.seed)
        except (LookupError, SnapshotError) as error:
            raise TraceError(str(error)) from None
        return cls(data)

    @property
    def trace(self) -> bytes:
        """The recording that lies in it."""
        return self.data[len(self.data) - self._trace_bytes :]

    def verify(
        self,
        trusted: Iterable[bytes] | None = None,
        *,
        limits: Limits | None = None,
        max_seconds: float | None = None,
    ) -> None:
        """Checks it by running it again. `ProofError`: it was altered, is not so, is of another build,
        or none of the ``trusted`` public keys has signed it (None: whoever has).

        What is run again is the recording of whoever made the proof: ``limits`` and ``max_seconds``
        bound it as they do `pinfold.replay` (`BoundError`).
        """
        if self._wrong is not None:
            raise ProofError(self._wrong)
        if trusted is not None and self.public_key not in list(trusted):
            raise ProofError("the proof is signed, but by no key that is trusted")
        status, message, *_ = _native.proof_check(self.data, _bounds(limits, max_seconds))
        if status == "PF_BOUND":
            raise BoundError(message)
        if status != "PF_OK":
            raise ProofError(message)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Proof) and self.data == other.data

    def __hash__(self) -> int:
        return hash(self.data)

    def __repr__(self) -> str:
        return f"<Proof by {self.public_key.hex()[:16]}…, {len(self.data)} bytes>"


def _bounds(limits: Limits | None, max_seconds: float | None) -> Any:
    return (None if limits is None else limits.changed()), seconds(max_seconds)


def proof_of(sandbox: Sandbox, issuer: Issuer, how: dict[str, Any]) -> Proof:
    """What a sandbox has recorded so far."""
    path, redacted = sandbox._durable[1:3]
    if path is None:
        raise ValueError("a proof is of what was recorded: Sandbox(record=...)")
    if redacted:
        raise ValueError("a proof needs the tools' results, and redact=True leaves them out")
    if sandbox._given["isolation"] is not None:
        raise ValueError(
            "a proof runs the recording again in this process, and isolation says that scripts run"
            " in another: Proof.of(trace, issuer) where that is meant"
        )
    assert isinstance(path, str)
    if sandbox.closed:
        return Proof.of(path, issuer, **how)
    with sandbox._entered():
        return Proof.of(path, issuer, **how)
