"""The embedder's tools as functions.

    from tools import pay
    pay(to="acct_7", amount=50)
    tools.stripe.charges.create(amount=50)      # names with dots are attributes
    await tools.aio.pay(to="acct_7", amount=50) # several at once with asyncio.gather

Parameters are those of the tool's schema. CapabilityError: the call is not allowed, or a limit is
reached; ToolError: it failed. /tools/NAME.md describes each.
"""

import json as _json
import keyword as _keyword

import _pinfold


class CapabilityError(Exception):
    """A call that is not allowed, or one too many."""

    def __init__(self, message, code="denied"):
        super().__init__(message)
        self.code = code


class ToolError(Exception):
    """A call that failed."""

    def __init__(self, message, code="failed"):
        super().__init__(message)
        self.code = code


# enum pf_op_outcome of abi/types.h
_OUTCOMES = {
    1: (CapabilityError, "denied"),
    2: (CapabilityError, "limit"),
    3: (ToolError, "failed"),
    4: (ToolError, "invalid"),
    5: (ToolError, "timeout"),
    6: (ToolError, "unknown"),
    7: (ToolError, "cancelled"),
}
_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}


class _Left:
    """The default of a parameter that need not be given, and is not sent then."""

    def __repr__(self):
        return "..."


_LEFT = _Left()


def _request(tool, arguments):
    arguments = {name: value for name, value in arguments.items() if value is not _LEFT}
    try:
        text = _json.dumps({"tool": tool, "params": arguments}, allow_nan=False)
    except ValueError as error:
        raise ToolError(f"{tool}: the arguments are not JSON: {error}", "invalid") from None
    return _pinfold.tool_start(text.encode("utf-8", "surrogatepass"))


def _result(outcome, reply):
    text = reply.decode("utf-8", "replace")
    if outcome == 0:
        return _json.loads(text)
    kind, code = _OUTCOMES.get(outcome, (ToolError, "failed"))
    raise kind(text, code)


def _call(tool, arguments):
    return _result(*_pinfold.tool_wait(_request(tool, arguments)))


# ---- calls that do not wait

_waiting = {}  # by number: the future that gets the answer


class _Selector:
    """An event loop's selector that finished calls wake, too."""

    def __init__(self, inner, selectors):
        self._inner, self._selectors = inner, selectors

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def select(self, timeout=None):
        if not _waiting:
            return self._inner.select(timeout)
        keys = {key.fd: key for key in self._inner.get_map().values()}
        wanted = [
            (fd, (1 if key.events & 1 else 0) | (4 if key.events & 2 else 0))
            for fd, key in keys.items()
        ]
        wait = -1 if timeout is None else max(0, -int(-timeout * 1000 // 1))
        ready = [
            (keys[fd], keys[fd].events & ((1 if events & ~4 else 0) | (2 if events & ~1 else 0)))
            for fd, events in _pinfold.poll(wanted, wait)
        ]
        while _waiting and (number := _pinfold.tool_next()) is not None:
            future = _waiting.pop(number, None)
            if future is None:  # another thread's, which waits for it
                continue
            answer = _pinfold.tool_take(number)
            if not future.done():
                future.set_result(answer)
        return ready


async def _call_later(tool, arguments):
    import asyncio
    import selectors

    loop = asyncio.get_running_loop()
    if not isinstance(loop._selector, _Selector):
        loop._selector = _Selector(loop._selector, selectors)
    number = _request(tool, arguments)
    future = _waiting[number] = loop.create_future()
    try:
        answer = await future
    except BaseException:
        if _waiting.pop(number, None) is not None:
            _pinfold.tool_close(number)
        raise
    return _result(*answer)


# ---- functions from schemas


def _annotation(schema):
    kind = schema.get("type") if isinstance(schema, dict) else None
    kinds = kind if isinstance(kind, list) else [kind]
    return " | ".join(_TYPES[k] for k in kinds) if kinds and all(k in _TYPES for k in kinds) else ""


def _plain(name):
    return name.isidentifier() and not _keyword.iskeyword(name) and not name.startswith("__")


def _function(tool, call):
    """A function of Python's own, so that a mistake is told in Python's own words."""
    schema = tool.get("parameters") or {}
    properties = schema.get("properties") or {}
    required = [name for name in properties if name in (schema.get("required") or ())]
    names = [*required, *(name for name in properties if name not in required)]
    if not all(map(_plain, names)):
        required, names = [], []
    parameters = []
    for name in names:
        kind = _annotation(properties[name])
        parameters.append(
            name + (f": {kind!r}" if kind else "") + ("" if name in required else " = __left")
        )
    if not names or schema.get("additionalProperties") not in (None, False):
        parameters.append("**__more")
    sent = (
        "{"
        + ", ".join(
            [
                *(f"{name!r}: {name}" for name in names),
                *(["**__more"] if "**__more" in parameters else []),
            ]
        )
        + "}"
    )
    last = tool["id"].rpartition("/")[2]
    title = last if _plain(last) else "tool"
    scope = {"__left": _LEFT, "__call": call, "__name__": "tools"}
    exec(f"def {title}({', '.join(parameters)}):\n    return __call({tool['id']!r}, {sent})", scope)
    function = scope[title]
    function.__doc__ = tool.get("description") or None
    function.__qualname__ = tool["id"].replace("/", ".")
    return function


class _Names:
    """What begins with the same segments; an attribute for each that follows."""

    def __init__(self, path, call):
        self._path, self._call = path, call

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _find((*self._path, name), self._call)

    def __dir__(self):
        depth = len(self._path)
        return sorted(
            {
                parts[depth]
                for parts in map(_parts, _list()["tools"])
                if len(parts) > depth and parts[:depth] == self._path
            }
        )

    def __repr__(self):
        return f"<tools {'.'.join(self._path)}.*>"

    def __call__(self, **arguments):
        raise AttributeError(f"there is no tool {'.'.join(self._path)}")


def _parts(tool):
    return tuple(tool["id"].split("/"))


_listed = None


def _list():
    global _listed
    if _listed is None:
        try:
            with open("/tools/tools.json", encoding="utf-8") as file:
                _listed = _json.load(file)
        except FileNotFoundError:
            _listed = {"tools": []}
    return _listed


_made = {}
_seen = None  # of the list: when it was written, and its size


def _refresh():
    """Forgets what is known of the tools if they are others now, as in a restored sandbox."""
    global _listed, _seen
    import os

    try:
        status = os.stat("/tools/tools.json")
        now = (status.st_ino, status.st_mtime_ns, status.st_size)
    except OSError:
        now = None
    if _seen is not None and now != _seen:
        _listed = None
        _made.clear()
    _seen = now


def _find(path, call):
    made = _made.get((path, call))
    if made is not None:
        return made
    listed = _list()
    tools = [
        tool
        for tool in listed["tools"]
        if _parts(tool) == path or (len(path) == 1 and tool.get("flat") == path[0])
    ]
    if tools:
        made = _function(tools[-1], call)
    elif any(_parts(tool)[: len(path)] == path for tool in listed["tools"]):
        made = _Names(path, call)
    elif path[0] in listed.get("namespaces", ()):
        made = _Open(path, call)
    else:
        known = (
            ", ".join(sorted(tool["id"].replace("/", ".") for tool in listed["tools"])) or "none"
        )
        raise AttributeError(f"there is no tool {'.'.join(path)}; there are: {known[:500]}")
    _made[path, call] = made
    return made


class _Open(_Names):
    """A name below which any granted method may be called."""

    def __call__(self, **arguments):
        return self._call("/".join(self._path), arguments)


aio = _Names((), _call_later)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _find((name,), _call)


def __dir__():
    return sorted(
        {*(_parts(tool)[0] for tool in _list()["tools"]), "aio", "ToolError", "CapabilityError"}
    )
