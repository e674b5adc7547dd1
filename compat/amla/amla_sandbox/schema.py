"""From Python types to JSON Schema, as simply as tool descriptions need it."""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from typing import Any

_SIMPLE = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
}


def python_type_to_json_schema(t: Any) -> str | dict[str, Any]:
    """The name of a simple type, the schema of another one; "string" for what has none.

    >>> python_type_to_json_schema(list[int])
    {'type': 'array', 'items': {'type': 'integer'}}
    """
    if t is None or t is type(None):
        return {"type": "null"}
    if isinstance(t, type) and t in _SIMPLE and not typing.get_args(t):
        return _SIMPLE[t]
    origin, args = typing.get_origin(t), typing.get_args(t)
    if origin is typing.Annotated:
        return python_type_to_json_schema(args[0])
    if origin is typing.Union or origin is types.UnionType:
        members = [a for a in args if a is not type(None)]
        if len(members) == 1 and len(members) < len(args):
            return {**as_schema(members[0]), "nullable": True}
        return "string"
    if origin is list or t is typing.List:  # noqa: UP006
        return {"type": "array", "items": as_schema(args[0])} if args else "array"
    if origin is dict or t is typing.Dict:  # noqa: UP006
        return "object"
    if isinstance(t, type) and hasattr(t, "model_json_schema"):
        schema: dict[str, Any] = t.model_json_schema()
        return schema
    if isinstance(t, type) and dataclasses.is_dataclass(t):
        return dataclass_to_schema(t)
    return "string"


def as_schema(t: Any) -> dict[str, Any]:
    """The schema of a type as an object, always."""
    schema = python_type_to_json_schema(t)
    return {"type": schema} if isinstance(schema, str) else dict(schema)


def dataclass_to_schema(cls: Any) -> dict[str, Any]:
    """The schema of an object with the fields of a dataclass."""
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except (NameError, TypeError):
        hints = {}
    fields = dataclasses.fields(cls)
    properties = {f.name: as_schema(hints.get(f.name, str)) for f in fields}
    required = [
        f.name
        for f in fields
        if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
    ]
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema


def extract_param_description(doc: str | None, name: str) -> str | None:
    """What the `Args:` block of a docstring says about a parameter.

    >>> extract_param_description("Adds.\\n\\nArgs:\\n    a: the first\\n       number", "a")
    'the first number'
    """
    if not doc:
        return None
    found: list[str] | None = None
    inside, indent = False, 0
    for line in doc.expandtabs().splitlines():
        text = line.strip()
        depth = len(line) - len(line.lstrip())
        if text in ("Args:", "Arguments:", "Parameters:", "Params:"):
            inside, block = True, depth
            continue
        if not inside or not text:
            continue
        if depth <= block:
            break
        entry = re.match(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$", text)
        if found is not None and depth > indent:
            found.append(text)
        elif found is not None:
            break
        elif entry and entry.group(1) == name:
            found, indent = [entry.group(2)], depth
    return None if found is None else " ".join(part for part in found if part) or None
