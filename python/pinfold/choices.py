"""What a person may say to a call that waits: yes, yes with other arguments, no, or an answer."""

from __future__ import annotations

from _collections_abc import Mapping  # as files.py says

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    from .tool import Handler


class _Nothing:
    def __repr__(self) -> str:
        return "..."


#: No result is known.
NOTHING: Any = _Nothing()


class Choice:
    """One of `Yes`, `Edit`, `No`, `Give`."""

    __slots__ = ()
    #: How it is called beside others.
    label = ""


class Yes(Choice):
    """The call is made. ``result`` is what it would probably give, where that is known, from a
    recording say: a preview shows what would come of it, and the tool is asked all the same when it
    is accepted."""

    __slots__ = ("result",)
    label = "yes"

    def __init__(self, *, result: Any = NOTHING) -> None:
        self.result = result

    def __repr__(self) -> str:
        return "Yes()" if self.result is NOTHING else f"Yes(result={self.result!r})"


class Edit(Choice):
    """The call is made with these arguments instead of the script's. They are checked as the
    script's were: by the tool's schema and by the capability that allowed the call."""

    __slots__ = ("params", "result")
    label = "edited"

    def __init__(self, params: Mapping[str, Any], *, result: Any = NOTHING) -> None:
        if not isinstance(params, Mapping):
            raise TypeError(f"edited arguments are a dict from names to values, not {params!r}")
        self.params = dict(params)
        self.result = result

    def __repr__(self) -> str:
        return f"Edit({self.params!r})"


class No(Choice):
    """The call is denied; the script is told ``why``."""

    __slots__ = ("why",)
    label = "no"

    def __init__(self, why: str | None = None) -> None:
        if why is not None and not isinstance(why, str):
            raise TypeError(f"why a call is denied is a str, not {why!r}")
        self.why = why

    def __repr__(self) -> str:
        return "No()" if self.why is None else f"No({self.why!r})"


class Give(Choice):
    """The call is answered with this value, and nobody is called."""

    __slots__ = ("value",)
    label = "answered"

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Give({self.value!r})"


def as_choice(given: Any) -> Choice:
    """A choice, also one in short: True and False, a text that says why not, a dict of other
    arguments.

    >>> as_choice(True), as_choice("too much"), as_choice({"amount": 5})
    (Yes(), No('too much'), Edit({'amount': 5}))
    """
    if isinstance(given, Choice):
        return given
    if isinstance(given, bool):
        return Yes() if given else No()
    if isinstance(given, str):
        return No(given)
    if isinstance(given, Mapping):
        return Edit(given)
    raise TypeError(
        "an answer is True, False, a text that says why not, a dict of other arguments, or one of"
        f" Yes, Edit, No and Give, not {given!r}"
    )


class NotKnown(Exception):
    """Raised by a ``simulate`` function: it does not know what the tool would give."""


def recorded(trace: str | PathLike[str] | bytes, method: str) -> Handler:
    """A ``simulate`` function from a recording: it gives what the call of this tool with the same
    arguments gave there, the last one if there were several. One that failed fails again; what was
    not called is `NotKnown`.

    >>> import tempfile
    >>> from pinfold import MethodCapability, Sandbox
    >>> trace = tempfile.mktemp()
    >>> def stock(item: str) -> int:
    ...     return 3
    >>> with Sandbox(
    ...     tools=[stock], capabilities=[MethodCapability("stock")], record=trace
    ... ) as sandbox:
    ...     _ = sandbox.run("stock --item pen")
    >>> recorded(trace, "stock")(item="pen")
    3
    """
    import json

    from .errors import ToolError
    from .events import FAILURES, text_of
    from .replaying import read_trace
    from .tool import canonical

    name, asked, answers = canonical(method), {}, {}
    for line in read_trace(trace).splitlines():
        event = json.loads(line)
        if event.get("out") == "call" and event["method"] == name and "id" in event:
            asked[event["id"]] = key_of(json.loads(text_of(event, "params")))
        elif event.get("do") in ("resume", "fail") and event["id"] in asked:
            answers[asked[event["id"]]] = event

    def simulate(**params: Any) -> Any:
        event = answers.get(key_of(params))
        if event is None or event.get("redacted"):
            raise NotKnown(f"the recording has no answer to {method} with these arguments")
        if event["do"] == "fail":
            code = FAILURES.get(event["outcome"], "failed")
            raise ToolError(str(text_of(event, "message")), code)
        return json.loads(text_of(event, "json"))

    return simulate


def key_of(params: Mapping[str, Any]) -> str:
    """The same for equal arguments, in whatever order."""
    from .answer import to_json

    return to_json({name: params[name] for name in sorted(params)})
