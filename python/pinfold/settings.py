"""What a sandbox is configured with: checked, and in the form that `_native.Machine` takes."""

from __future__ import annotations

from os import fspath

from . import _native
from .limits import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from os import PathLike
    from typing import Any, Literal

    from ._native import Durable, Settings
    from .capability import MethodCapability
    from .core import Core
    from .images import Images
    from .mounts import MountSource
    from .tool import Handler, Tool


def exceptions_of(given: Any) -> tuple[type[Exception], ...]:
    if given == ():
        return ()
    kinds = tuple(given) if isinstance(given, (list, tuple, set, frozenset)) else (given,)
    for kind in kinds:
        if not isinstance(kind, type) or not issubclass(kind, Exception):
            raise TypeError(f"passthrough is a list of exception classes, not {kind!r}")
    return kinds


def refuse_others(settings: Mapping[str, Any]) -> None:
    """What a snapshot brings is not given to who restores it."""
    for name in settings:
        if name in ("files", "seed") or name.startswith("_"):
            raise TypeError(
                f"Sandbox.restore() got an unexpected keyword argument {name!r}: that is the"
                " snapshot's"
            )


def settings_in(arguments: dict[str, Any]) -> dict[str, Any]:
    """The settings among the arguments of `Sandbox`, as they were given: who changes a mapping later
    changes nothing here."""
    for name in ("self", "_snapshot", "_min_counter"):
        del arguments[name]
    return {k: dict(v) if isinstance(v, dict) else v for k, v in arguments.items()}


def machine_type(isolation: Literal["process"] | None, images: Images | None = None) -> Any:
    """``images``: of the build whose worker it is to be, with ``isolation="process"``."""
    if isolation is None:
        return _native.Machine
    if isolation != "process":
        raise ValueError(f'isolation is None or "process", not {isolation!r}')
    from functools import partial

    from .remote import RemoteMachine

    return RemoteMachine if images is None else partial(RemoteMachine, _images=images)


def by_method(tools: Iterable[Tool | Handler] | None) -> dict[str, Tool]:
    if tools is None:
        return {}
    from .tool import as_tools, canonical

    by_method: dict[str, Tool] = {}
    for tool in as_tools(tools):
        other = by_method.setdefault(canonical(tool.name), tool)
        if other is not tool:
            raise ValueError(f"tools {other.name!r} and {tool.name!r} have the same name")
    return by_method


def checked(
    capabilities: Iterable[MethodCapability] | None,
) -> list[MethodCapability]:
    if capabilities is None:
        return []
    from .capability import checked_capabilities

    return checked_capabilities(capabilities)


def with_own(
    capabilities: list[MethodCapability], tools: dict[str, Tool]
) -> list[MethodCapability]:
    """With what tools grant by themselves whose calls no capability is about."""
    for method, tool in tools.items():
        own = tool.own_capabilities()
        if own and not any(_native.pattern_matches(c.method_pattern, method) for c in capabilities):
            capabilities = [*capabilities, *own]
    return capabilities


def with_placeholders(
    env: Mapping[str, str] | None, seed: int | None, tools: dict[str, Tool]
) -> Mapping[str, str] | None:
    """With the variables that tools need."""
    own: dict[str, str] = {}
    for tool in tools.values():
        for name, value in tool.environment(seed).items():
            if name in own or (env is not None and name in env):
                raise ValueError(f"env has {name!r}, and so does the tool {tool.name!r}")
            own[name] = value
    return {**(env or {}), **own} if own else env


def native_settings(
    sandbox: Core,
    limits: Limits | None,
    env: Mapping[str, str] | None,
    clock: Literal["host"] | datetime | float,
    seed: int | None,
    js_prelude: str | None,
) -> Settings:
    if limits is not None and not isinstance(limits, Limits):
        raise TypeError(f"limits is a Limits object, not {limits!r}")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise TypeError(f"seed is an int, not {seed!r}")
    if seed is not None and not 0 <= seed < 1 << 64:
        raise ValueError(f"seed is a number of 64 bits, not {seed!r}")
    return (
        limits.changed() if limits is not None else [],
        checked_env(env),
        [declared(method, sandbox) for method in sandbox._tools],
        policy(sandbox._capabilities) if sandbox._capabilities else None,
        sandbox._tool_handler is not None,
        _clock_ns(clock),
        seed,
        js_prelude,
    )


def checked_env(env: Mapping[str, str] | None) -> list[tuple[str, str]]:
    """Pairs of a name and a value."""
    if env is None:
        return []
    items = list(mapping("env", env, "names to values").items())
    for name, value in items:
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError(f"env has str for str, not {name!r}: {value!r}")
    return items


def mapping(name: str, given: Any, what: str) -> Any:
    if not hasattr(given, "items"):
        raise TypeError(f"{name} is a dict from {what}, not {given!r}")
    return given


def native_durable(
    key: bytes | None,
    record: str | PathLike[str] | None,
    redact: bool,
    mounts: Mapping[str, MountSource] | None,
    min_counter: int,
) -> Durable:
    places: list[tuple[str | None, str, bool]] = []
    if mounts:
        from .mounts import as_requests

        places = as_requests(mapping("mounts", mounts, "places to directories"))

    if key is not None and not isinstance(key, bytes):
        raise TypeError(f"key is bytes, not {type(key).__name__}")
    return key, None if record is None else fspath(record), bool(redact), places, min_counter


def counter_of(name: str, value: int | None) -> int:
    """0 for None."""
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is an int, not {value!r}")
    if not 0 < value < 1 << 63:
        raise ValueError(f"{name} is a number from 1 on, not {value!r}")
    return value


def declared(method: str, sandbox: Core) -> tuple[str, str, str | None]:
    """A tool as scripts are told of it: with what it gives, and when it may be called."""
    import json

    from .grants import granting, grants

    tool, schema = sandbox._tools[method], None
    given = tool.schema
    if tool.returns is not None:
        given = {**({"type": "object"} if given is None else given), "x-returns": tool.returns}
    if given is not None:
        schema = json.dumps(given, allow_nan=False)
    words = [tool.description, grants(method, sandbox._capabilities)]
    if not granting(method, sandbox._capabilities):
        words.reverse()  # lists show the first line
    return tool.name, "\n\n".join(text for text in words if text), schema


def policy(capabilities: list[MethodCapability]) -> str:
    from .capability import policy_json

    return policy_json(capabilities)


def _clock_ns(clock: Literal["host"] | datetime | float) -> int | None:
    if clock == "host":
        return None
    if not isinstance(clock, (int, float)) and hasattr(clock, "timestamp"):
        if clock.tzinfo is None:
            raise ValueError("a datetime for clock needs a time zone")
        clock = clock.timestamp()
    if isinstance(clock, bool) or not isinstance(clock, (int, float)):
        raise TypeError(f'clock is "host", a datetime or seconds since 1970, not {clock!r}')
    if not abs(clock) < _CLOCK_END:
        raise ValueError(f"clock is out of range: {clock!r} seconds since 1970")
    return round(clock * 1_000_000_000)


_CLOCK_END = 9e9  # seconds: what 64 bits of nanoseconds hold
