"""Approval by the person behind an MCP client: a call that asks is shown with its consequences.

`approve` is for ``approve=`` of a sandbox that is served (`pinfold.mcp_server`): it asks whoever's
``run`` is on, by an elicitation of the protocol. A client that cannot ask its user has nobody to
approve, and the call is denied.

Until 2025 the protocol lets a server ask in the middle of a request. From 2026-07-28 on a request
is answered with the question, and made again with what the user said: the run waits meanwhile, as
`Round` here.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from contextvars import ContextVar

from ._native import printable
from .choices import Edit, No
from .errors import SandboxStateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from .call import Call
    from .preview import Preview

#: Of the request that a run is for: the SDK's context, or a `Round`.
asking: ContextVar[Any] = ContextVar("asking", default=None)
#: A longer message is cut.
_MOST_CHARACTERS = 12_000
#: How often one call may be looked at with other arguments.
_ROUNDS = 20
_NOBODY = "it needs approval, and nobody is here to give it"


async def approve(call: Call) -> Any:
    """Asks about a call; gives the branch that was chosen."""
    context = asking.get()
    if context is None:
        return _NOBODY
    answers: list[Any] = [True, False]
    said = ""
    for _ in range(_ROUNDS):
        preview, text = await _shown(call, answers)
        try:
            reply = await _ask(context, f"{said}{text}", call)
            if isinstance(reply, str):
                return reply
            choice, arguments, why = reply
            if choice == "edit":
                edit = _edit_of(arguments)
                said = f"{edit}\n\n" if isinstance(edit, str) else ""
                answers = answers if isinstance(edit, str) else [edit, True, False]
                continue
            if choice == "no":
                return No(why or None)
            if preview is None:
                return True if choice == "yes" else answers[0]
            branch, preview = preview[choice], None
            return branch
        finally:
            if preview is not None:
                preview.close()
    return f"nobody decided about it in {_ROUNDS} rounds"


async def _shown(call: Call, answers: list[Any]) -> tuple[Preview | None, str]:
    try:
        preview = await call.apreview(answers)
    except (SandboxStateError, ValueError) as error:
        arguments = printable(call.params_json)
        why = f"What would come of it cannot be shown: {error}"
        return None, f"{call.method} is to be called with {arguments}\n\n{why}"
    return preview, str(preview)


async def _ask(context: Any, text: str, call: Call) -> tuple[str, str, str] | str:
    """(choice, arguments, why); or why there is none."""
    if len(text) > _MOST_CHARACTERS:
        text = f"{text[:_MOST_CHARACTERS]}\n… cut …"
    edited = "[edited]" in text
    choices = [*(["edited"] if edited else []), "yes", "no", "edit"]
    try:
        schema = _schema(choices, call)
        if isinstance(context, Round):
            reply = await context.ask(text, schema)
        else:
            reply = await context.session.elicit_form(
                message=text, requested_schema=schema, related_request_id=context.request_id
            )
    except Exception as error:  # of the SDK or of the connection
        return f"{_NOBODY}: this client cannot ask ({printable(str(error)) or 'no reason given'})"
    if reply.action != "accept":
        return "it was not approved"
    given = reply.content or {}
    choice = given.get("answer")
    if choice not in choices:
        return "it was not approved"
    return choice, str(given.get("arguments") or ""), str(given.get("why") or "")


def _schema(choices: list[str], call: Call) -> dict[str, Any]:
    """What the protocol takes: an object of texts."""
    return {
        "type": "object",
        "properties": {
            "answer": {
                "type": "string",
                "enum": choices,
                "description": "edit: look at it with other arguments first",
            },
            "arguments": {
                "type": "string",
                "description": f"with edit: JSON, instead of {printable(call.params_json)[:200]}",
            },
            "why": {"type": "string", "description": "with no: what the script is told"},
        },
        "required": ["answer"],
    }


def _edit_of(arguments: str) -> Edit | str:
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError) as error:
        return f"The arguments are not JSON: {printable(str(error))}"
    return Edit(given) if isinstance(given, dict) else "The arguments are no JSON object."


# ------------------------------------------------------------------ questions as results

#: The first version of the protocol in which a question is a result.
_ROUNDS_FROM = "2026-07-28"
#: Seconds after which a question that nobody answers is answered with no.
_PATIENCE = 1800.0


class Round:
    """A run whose questions are results of the request that it is for, and of those after it."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[str, dict[str, Any], asyncio.Future[Any]]] = {}
        self._asked = asyncio.Event()
        self._number = 0
        self.task: asyncio.Task[Any] | None = None

    async def ask(self, message: str, schema: dict[str, Any]) -> Any:
        self._number += 1
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[f"approve{self._number}"] = message, schema, reply
        self._asked.set()
        return await reply

    def answer(self, responses: Any) -> None:
        """What the user said; a question without an answer is declined."""
        from mcp.types import ElicitResult

        for name, (_, _, reply) in self._open.items():
            given = None if responses is None else responses.get(name)
            if not reply.done():
                known = given is not None and hasattr(given, "action")
                reply.set_result(given if known else ElicitResult(action="decline"))
        self._open.clear()
        self._asked.clear()

    async def go_on(self) -> Any:
        """Until the run is over, which gives its result, or asks: None."""
        assert self.task is not None
        asked = asyncio.ensure_future(self._asked.wait())
        try:
            await asyncio.wait({self.task, asked}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self.task.cancel()
            raise
        finally:
            asked.cancel()
        return self.task.result() if self.task.done() else None

    def questions(self, state: str) -> Any:
        from mcp.types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

        requests: dict[str, Any] = {
            name: ElicitRequest(
                params=ElicitRequestFormParams(message=message, requested_schema=schema)
            )
            for name, (message, schema, _) in self._open.items()
        }
        return InputRequiredResult(input_requests=requests, request_state=state)


class Rounds:
    """The runs of a server whose questions are with their users."""

    def __init__(self) -> None:
        self._waiting: dict[str, Round] = {}

    async def run(self, context: Any, work: Callable[[], Awaitable[Any]]) -> Any:
        """Does ``work`` for a request, or goes on with what an earlier one began."""
        from .errors import ToolError

        capabilities = context.client_capabilities
        if capabilities is None or capabilities.elicitation is None:
            return await _asked_by(None, work)
        if str(context.protocol_version or "") < _ROUNDS_FROM:
            return await _asked_by(context, work)
        state = context.request_state
        if state is None:
            on = Round()
            on.task = asyncio.ensure_future(_asked_by(on, work))
        else:
            found = self._waiting.pop(state, None)
            if found is None:
                raise ToolError("what this answers is not asked any more: run the script again")
            on = found
            on.answer(context.input_responses)
        result = await on.go_on()
        if result is not None:
            return result
        state = secrets.token_urlsafe(16)
        self._waiting[state] = on
        asyncio.get_running_loop().call_later(_PATIENCE, self._give_up, state)
        return on.questions(state)

    def _give_up(self, state: str) -> None:
        waiting = self._waiting.pop(state, None)
        if waiting is not None and waiting.task is not None:
            waiting.task.cancel()


async def _asked_by(who: Any, work: Callable[[], Awaitable[Any]]) -> Any:
    before = asking.set(who)
    try:
        return await work()
    finally:
        asking.reset(before)
