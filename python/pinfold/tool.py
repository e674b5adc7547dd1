"""Tools: what the host lets a sandbox call.

A tool has a name, a description, a JSON Schema for its one object argument, and a handler. All of
that can be read from a plain function with type hints, which is what `Tool.from_function` does.
Arguments arrive here checked: the engine has validated them against the schema and the
capabilities before a handler is called.
"""

from __future__ import annotations

import enum
import functools
import inspect
import json
import typing
from collections.abc import Callable, Mapping
from typing import Any

from .errors import ToolError
from .returns import result_schema
from .schema import Decoder, UnsupportedType, closed_object, convert

if typing.TYPE_CHECKING:
    from .capability import MethodCapability

Handler = Callable[..., Any]


class Tool:
    """One tool.

    ``schema`` is a JSON Schema of type object, ``None`` for any object; ``returns`` is that of the
    result, which describes it to models and checks nothing. Without a handler, calls go
    to the sandbox's ``tool_handler`` or to whoever steps it. ``timeout`` is in seconds: a call that
    takes longer fails with code ``"timeout"``. An async handler is cancelled then; a sync one runs
    in a thread of its own, which goes on until it ends, with nobody waiting for it.

    ``pure=True`` says that calling the handler changes nothing anywhere: then a preview
    (`Sandbox.preview`) may call it. ``simulate``, called with the same arguments, gives what the
    handler would probably give, and changes nothing either: a preview shows what would come of
    that. Without both, a preview stops before a call of the tool.

    >>> tool = Tool("weather", "The weather of a city.", handler=lambda city: f"sunny in {city}")
    >>> tool.call({"city": "Oslo"})
    'sunny in Oslo'
    """

    __slots__ = (
        "name",
        "description",
        "schema",
        "handler",
        "async_handler",
        "timeout",
        "returns",
        "pure",
        "simulate",
        "_decoders",
        "_read_from",
    )

    def __init__(
        self,
        name: str,
        description: str = "",
        schema: Mapping[str, Any] | None = None,
        handler: Handler | None = None,
        *,
        timeout: float | None = None,
        async_handler: Handler | None = None,
        returns: Mapping[str, Any] | None = None,
        pure: bool = False,
        simulate: Handler | None = None,
    ) -> None:
        if not isinstance(name, str):
            raise TypeError(f"a tool's name is a str, not {type(name).__name__}")
        if schema is not None and not isinstance(schema, Mapping):
            raise TypeError(f"the schema of tool {name!r} is a dict, not {type(schema).__name__}")
        if returns is not None and not isinstance(returns, Mapping):
            raise TypeError(f"what tool {name!r} returns is a dict, not {type(returns).__name__}")
        if handler is not None and not callable(handler):
            raise TypeError(f"the handler of tool {name!r} cannot be called: {handler!r}")
        if not isinstance(pure, bool):
            raise TypeError(f"tool {name!r}: pure is True or False, not {pure!r}")
        if simulate is not None and not callable(simulate):
            raise TypeError(f"tool {name!r}: simulate cannot be called: {simulate!r}")
        self.name = name
        self.description = description
        self.schema = None if schema is None else dict(schema)
        if handler is not None:
            refuse_generator(handler, name)
        if timeout is not None and not (_is_number(timeout) and 0 < timeout < float("inf")):
            raise ValueError(f"the timeout of tool {name!r} is a number of seconds: {timeout!r}")
        self.handler = handler
        #: What ``arun()`` calls instead of ``handler``, if there is one.
        self.async_handler = async_handler
        self.timeout = timeout
        self.returns = None if returns is None else dict(returns)
        #: Calling the handler changes nothing anywhere.
        self.pure = pure
        #: What a preview calls instead of the handler.
        self.simulate = simulate
        self._decoders: dict[str, Decoder] = {}
        self._read_from: Handler | None = None  # the function whose annotations made the decoders

    @classmethod
    def from_function(
        cls,
        function: Handler,
        *,
        name: str | None = None,
        description: str | None = None,
        timeout: float | None = None,
        pure: bool = False,
        simulate: Handler | None = None,
    ) -> Tool:
        """Reads a tool off a function: its name, docstring, parameters and type hints. What the
        docstring says of failures goes into the description, what it says of the result and the
        annotation of that are ``returns``.

        >>> def transfer(to: str, amount: int, note: str | None = None) -> dict:
        ...     \"\"\"Moves money.
        ...
        ...     Args:
        ...         to: the account that gets it
        ...     \"\"\"
        >>> tool = Tool.from_function(transfer)
        >>> tool.name, tool.description, tool.schema["required"]
        ('transfer', 'Moves money.', ['to', 'amount'])
        >>> tool.schema["properties"]["to"]
        {'type': 'string', 'description': 'the account that gets it'}
        """
        if not callable(function):
            raise TypeError(f"a tool is a function or a Tool, not {function!r}")
        name = name or _name_of(function)
        refuse_generator(function, name)
        documented = _docstring(function)
        schema, decoders = _schema_of(function, name, documented.parameters)
        text = documented.text if description is None else description
        returns = _returns_of(function, name, documented.returns)
        how: dict[str, Any] = {"timeout": timeout, "pure": pure, "simulate": simulate}
        tool = cls(name, text, schema, function, returns=returns, **how)
        tool._decoders = decoders
        tool._read_from = function
        return tool

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: functions go by their names, decoders are made anew."""
        state = {name: getattr(self, name) for name in Tool.__slots__ if name != "_decoders"}
        return state | getattr(self, "__dict__", {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        source = self._read_from
        self._decoders = {} if source is None else _schema_of(source, self.name, {})[1]

    def call(self, params: dict[str, Any]) -> Any:
        """Calls the handler with checked arguments; an async one gives its awaitable."""
        if self.handler is None:
            raise TypeError(f"tool {self.name!r} has no handler")
        return self.handler(**(self._decoded(params) if self._decoders else params))

    def acall(self, params: dict[str, Any]) -> Any:
        """As `call`, by the async handler if there is one."""
        if self.async_handler is None:
            return self.call(params)
        return self.async_handler(**(self._decoded(params) if self._decoders else params))

    def simulated(self, params: dict[str, Any]) -> Any:
        """What ``simulate`` gives for checked arguments; an async one gives its awaitable."""
        if self.simulate is None:
            raise TypeError(f"tool {self.name!r} has no simulate")
        return self.simulate(**(self._decoded(params) if self._decoders else params))

    @property
    def concurrent(self) -> bool:
        """Its handler may be called by several threads at once, and is when several calls wait."""
        return False

    def own_capabilities(
        self, constraints: Any = (), max_calls: int | None = None
    ) -> list[MethodCapability]:
        """What a tool grants that says by itself what is allowed, narrowed by these."""
        return []

    def environment(self, seed: int | None) -> dict[str, str]:
        """Variables that a new sandbox with this tool has."""
        return {}

    @property
    def is_async(self) -> bool:
        """The handler that ``arun()`` calls is a coroutine function."""
        if self.async_handler is not None:
            return True
        if self.handler is None:
            return False
        return inspect.iscoroutinefunction(_code_of(self.handler))

    def _decoded(self, params: dict[str, Any]) -> dict[str, Any]:
        decoded = dict(params)
        for name, decode in self._decoders.items():
            if name in params:
                try:
                    decoded[name] = decode(params[name])
                except (TypeError, ValueError) as error:
                    raise ToolError(f"{self.name}: {name}: {error}", "invalid") from error
        return decoded

    def __repr__(self) -> str:
        return f"<Tool {self.name!r}>"


def as_tools(tools: typing.Iterable[Tool | Handler] | None) -> list[Tool]:
    """Functions and tools as tools."""
    if tools is None:
        return []
    if isinstance(tools, (str, Tool, Mapping)) or not isinstance(tools, typing.Iterable):
        raise TypeError(f"tools is a list of functions, not {tools!r}")
    return [as_tool(tool) for tool in tools]


def as_tool(given: Any) -> Tool:
    """A tool, a function, or a tool of LangChain's or PydanticAI's, as a tool."""
    if isinstance(given, Tool):
        return given
    if not inspect.isroutine(given):
        from .langchain import from_langchain, is_langchain_tool
        from .pydantic_ai import from_pydantic_ai, is_pydantic_ai_tool

        if is_langchain_tool(given):
            return from_langchain(given)
        if is_pydantic_ai_tool(given):
            return from_pydantic_ai(given)
    return Tool.from_function(given)


def canonical(name: str) -> str:
    """The method id of a tool name, as the library forms it: the key to find a tool again."""
    return name.removeprefix("mcp:").replace(".", "/")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# ------------------------------------------------------------------ functions


def _innermost(function: Handler) -> Handler:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _name_of(function: Handler) -> str:
    name: str | None = getattr(_innermost(function), "__name__", None)
    if name is None or name == "<lambda>":
        what = "a lambda" if name else f"a {type(function).__name__}"
        raise ValueError(
            f"{what} has no name that a script could call: use Tool.from_function(f, name=...)"
        )
    return name


def _code_of(function: Handler) -> Any:
    """What runs when a handler is called: of an object, its ``__call__``."""
    inner = inspect.unwrap(_innermost(function))
    if inspect.isroutine(inner) or inspect.isclass(inner):
        return inner
    return type(inner).__call__


def refuse_generator(function: Handler, name: str) -> None:
    """A tool answers once; a function that yields would answer with an object nobody can send."""
    inner = _code_of(function)
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise ValueError(f"tool {name!r} is a generator; return a list instead")


def _schema_of(
    function: Handler, name: str, descriptions: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, Decoder]]:
    parts, required, open_ended = {}, [], False
    hints = _hints(function, name)
    for parameter in _parameters(function, name):
        if parameter.kind is parameter.VAR_KEYWORD:
            open_ended = True
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
            star = "*" if parameter.kind is parameter.VAR_POSITIONAL else "positional-only "
            raise ValueError(
                f"tool {name!r}: {star}{parameter.name}: arguments of a tool go by name"
            )
        try:
            part = convert(hints.get(parameter.name, Any))
        except UnsupportedType as error:
            raise ValueError(
                f"tool {name!r}, parameter {parameter.name!r}: no JSON Schema for {error}"
            ) from None
        schema = dict(part.schema)
        if parameter.name in descriptions and not _has_words(hints.get(parameter.name)):
            schema["description"] = descriptions[parameter.name]
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        else:
            _add_default(schema, parameter.default)
        parts[parameter.name] = part._replace(schema=schema)
    whole = closed_object(parts, required)
    if open_ended:
        del whole["additionalProperties"]
    return whole, {key: part.decode for key, part in parts.items() if part.decode is not None}


def _parameters(function: Handler, name: str) -> list[inspect.Parameter]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise ValueError(f"tool {name!r}: its parameters cannot be read: {error}") from None
    fixed = _fixed_by_partial(function)
    return [p for p in signature.parameters.values() if p.name not in fixed]


def _fixed_by_partial(function: Handler) -> set[str]:
    """What a partial has bound by name is the host's: a script neither sees nor changes it."""
    fixed: set[str] = set()
    while isinstance(function, functools.partial):
        fixed |= set(function.keywords)
        function = function.func
    return fixed


def _hints(function: Handler, name: str) -> dict[str, Any]:
    inner = _innermost(function)
    if not hasattr(inner, "__annotations__"):  # an object with __call__
        inner = type(inner).__call__
    try:
        return typing.get_type_hints(inner, include_extras=True)
    except NameError as error:
        raise ValueError(
            f"tool {name!r}: {error} in its annotations; types of tools are importable names"
        ) from None
    except TypeError:
        return {}  # builtins have no annotations


def _add_default(schema: dict[str, Any], default: Any) -> None:
    if isinstance(default, enum.Enum):
        default = default.value
    try:
        schema["default"] = json.loads(json.dumps(default, allow_nan=False))
    except (TypeError, ValueError):
        pass  # a sentinel: the parameter is optional, its default is the host's


def _returns_of(function: Handler, name: str, described: str | None) -> dict[str, Any] | None:
    """The schema of what a function gives; ``None`` when nothing is known of that."""
    hints = _hints(function, name)
    schema = result_schema(hints["return"]) if "return" in hints else {}
    if described and not _has_words(hints.get("return")):
        schema["description"] = described
    return schema or None


def _has_words(annotation: Any) -> bool:
    """Does an annotation say by itself what it is about? What its class says is of the class."""
    return typing.get_origin(annotation) is typing.Annotated and any(
        isinstance(getattr(word, "description", word), str)
        or isinstance(getattr(word, "documentation", None), str)
        for word in annotation.__metadata__
    )


class _Documented(typing.NamedTuple):
    text: str
    parameters: dict[str, str] = {}
    returns: str | None = None


def _docstring(function: Handler) -> _Documented:
    """The description of a function, and those of its parameters and its result."""
    text = inspect.getdoc(_innermost(function)) or ""
    if "\n" not in text:
        return _Documented(text)
    try:
        from docstring_parser import ParseError, parse
    except ImportError:  # installed without dependencies: the text as it is
        return _Documented(text)
    try:
        parsed = parse(text)
    except ParseError:
        return _Documented(text)
    paragraphs = [p for p in (parsed.short_description, parsed.long_description) if p]
    paragraphs += [
        f"Fails with {raised.type_name or 'an error'}: {raised.description}"
        for raised in parsed.raises
        if raised.description
    ]
    return _Documented(
        "\n\n".join(paragraphs),
        {p.arg_name: p.description for p in parsed.params if p.description},
        parsed.returns.description if parsed.returns else None,
    )
