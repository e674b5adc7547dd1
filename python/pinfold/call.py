"""Tool calls as an embedder meets them, and how they are answered."""

from __future__ import annotations

from ._native import printable
from .errors import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any

    from .capability import MethodCapability
    from .core import Core
    from .preview import Preview


def _first(text: str, at: int) -> tuple[Any, int]:
    """Imports what reads the arguments at the first call: most sandboxes make none."""
    global _read
    from json import JSONDecoder

    _read = JSONDecoder().scan_once  # type: ignore[attr-defined]
    return _read(text, at)


#: Reads the arguments, which the engine has written: one value without blanks around it.
_read: Callable[[str, int], tuple[Any, int]] = _first


def parse(params_json: str) -> dict[str, Any]:
    """The arguments of a call."""
    try:
        params: dict[str, Any] = _read(params_json, 0)[0]
        return params
    except RecursionError:
        raise ValueError("the arguments are nested too deeply for Python") from None


class Call:
    """One tool call that the capabilities allow, waiting for an answer.

    ``id`` stays the same in snapshots and restored sandboxes: an idempotency key.
    """

    __slots__ = ("id", "method", "name", "params_json", "capability", "ask", "_sandbox", "_params")

    def __init__(
        self,
        sandbox: Core,
        id: int,
        method: str,
        name: str,
        params_json: str,
        capability: MethodCapability,
        ask: bool = False,
    ) -> None:
        self.id = id
        #: The canonical method id, e.g. ``stripe/charges/create``.
        self.method = method
        #: The name as the script wrote it.
        self.name = name
        #: The checked arguments, as JSON text.
        self.params_json = params_json
        #: The capability that allowed the call.
        self.capability = capability
        #: The capability wants this call approved: answer it if somebody agrees, else `deny` it.
        self.ask = ask
        self._sandbox = sandbox
        self._params: dict[str, Any] | None = None

    @property
    def params(self) -> dict[str, Any]:
        """The checked arguments."""
        if self._params is None:
            self._params = parse(self.params_json)
        return self._params

    def twin(self) -> Call:
        """The same call as another object, with arguments of its own."""
        same = (self.id, self.method, self.name, self.params_json, self.capability, self.ask)
        return Call(self._sandbox, *same)

    def resume(self, value: Any = None) -> None:
        """Answers the call with a JSON value and runs the guest on."""
        self._sandbox._answer(self, value)

    def fail(self, message: str, code: str = "failed") -> None:
        """Fails the call: the guest gets a ToolError with this text, and runs on."""
        self._sandbox._fail(self, ToolError(message, code))

    def deny(self, message: str | None = None) -> None:
        """Refuses a call that was to be approved: the guest gets a CapabilityError, and runs on."""
        self._sandbox._deny(self, message)

    def span(self) -> AbstractContextManager[object]:
        """For ``with``, around what answers a call that `step` handed out: with OpenTelemetry,
        spans that start in there lie under the call's own, as those of a handler do."""
        from .drive import inside

        return inside(self._sandbox, self.id)

    def preview(self, answers: Any = (True, False), **how: Any) -> Preview:
        """What would come of these answers: `Sandbox.preview`. In ``approve`` return one of its
        branches to have exactly that."""
        preview: Preview = self._sandbox.preview(self, answers, **how)  # type: ignore[attr-defined]
        return preview

    async def apreview(self, answers: Any = (True, False), **how: Any) -> Preview:
        """As `preview`, for coroutines."""
        made: Preview = await self._sandbox.apreview(  # type: ignore[attr-defined]
            self, answers, **how
        )
        return made

    async def adeny(self, message: str | None = None) -> None:
        """As `deny`, with the guest in a worker thread."""
        await self._sandbox._offload(self.deny, message)

    async def aresume(self, value: Any = None) -> None:
        """As `resume`, with the guest in a worker thread."""
        await self._sandbox._offload(self.resume, value)

    async def afail(self, message: str, code: str = "failed") -> None:
        """As `fail`, with the guest in a worker thread."""
        await self._sandbox._offload(self.fail, message, code)

    def __repr__(self) -> str:
        arguments = printable(self.params_json)
        if len(arguments) > 100:
            arguments = arguments[:97] + "..."
        return f"<Call {self.id} {self.method}({arguments})>"
