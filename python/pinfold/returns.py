"""What a tool gives, for who reads about it: from a function's annotation to JSON Schema.

Nothing is checked against it, so there is nothing to refuse: what has no schema may be anything.
The schema is that of the JSON which `answer.encode` makes of a value.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import types
import typing
from typing import Any

from .answer import TEXTS
from .schema import inlined

_SIMPLE = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_ARRAYS = (list, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection)
_SETS = (set, frozenset, collections.abc.Set)
_OBJECTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_QUALIFIERS = (typing.Required, typing.NotRequired, typing.Final)
_AWAITED = (collections.abc.Awaitable, collections.abc.Coroutine)
#: By name: a program that has no such value need not load their modules.
_TIMES = {
    "datetime.datetime": "date-time",
    "datetime.date": "date",
    "datetime.time": "time",
    "datetime.timedelta": "duration",
}


def result_schema(annotation: Any) -> dict[str, Any]:
    """The schema of what a function with this annotation gives; empty for anything.

    >>> result_schema(list[str] | None)
    {'anyOf': [{'type': 'array', 'items': {'type': 'string'}}, {'type': 'null'}]}
    """
    return _schema(annotation, ())


def _schema(annotation: Any, inside: tuple[Any, ...]) -> dict[str, Any]:
    if annotation is None:
        return {"type": "null"}
    if isinstance(annotation, type) and annotation in _SIMPLE:
        return {"type": _SIMPLE[annotation]}
    if isinstance(annotation, typing.NewType):
        return _schema(annotation.__supertype__, inside)
    if hasattr(annotation, "__value__"):  # type X = ...
        return _schema(annotation.__value__, inside)
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _annotated(args, inside)
    if origin is typing.Literal:
        return {"enum": [_plain_member(value) for value in args]}
    if origin is typing.Union or origin is types.UnionType:
        return {"anyOf": [_schema(member, inside) for member in args]}
    if origin in _QUALIFIERS:
        return _schema(args[0], inside)
    return _structured(origin or annotation, args, inside)


def _structured(base: Any, args: tuple[Any, ...], inside: tuple[Any, ...]) -> dict[str, Any]:
    if base in _AWAITED:
        return _schema(args[-1], inside) if args else {}
    if base in _ARRAYS or base in _SETS:
        return {"type": "array"} | ({"items": _schema(args[0], inside)} if args else {})
    if base is tuple:
        return _tuple(args, inside)
    if base in _OBJECTS:
        value = _schema(args[1], inside) if len(args) == 2 else {}
        return {"type": "object"} | ({"additionalProperties": value} if value else {})
    if not isinstance(base, type) or base in inside:
        return {}
    if issubclass(base, enum.Enum):
        return {"enum": [_plain_member(member) for member in base]}
    if hasattr(base, "__pydantic_validator__") or hasattr(base, "__pydantic_core_schema__"):
        return _pydantic(base)
    if typing.is_typeddict(base):
        return _object(base, list(_required(base)), (*inside, base))
    if dataclasses.is_dataclass(base):
        return _object(base, [f.name for f in dataclasses.fields(base)], (*inside, base))
    names = {f"{kind.__module__}.{kind.__qualname__}" for kind in base.__mro__}
    for time, form in _TIMES.items():
        if time in names:
            return {"type": "string", "format": form}
    if not names.isdisjoint(TEXTS) or hasattr(base, "__fspath__"):
        return {"type": "string"}
    return {}


def _required(kind: Any) -> Any:
    return kind.__required_keys__


def _annotated(args: tuple[Any, ...], inside: tuple[Any, ...]) -> dict[str, Any]:
    texts = [m if isinstance(m, str) else getattr(m, "documentation", None) for m in args[1:]]
    texts += [getattr(m, "description", None) for m in args[1:]]  # pydantic's Field
    described = " ".join(text for text in texts if isinstance(text, str))
    schema = _schema(args[0], inside)
    return {**schema, "description": described} if described else schema


def _plain_member(value: Any) -> Any:
    return value.value if isinstance(value, enum.Enum) else value


def _tuple(args: tuple[Any, ...], inside: tuple[Any, ...]) -> dict[str, Any]:
    if not args:
        return {"type": "array"}
    if len(args) == 2 and args[1] is Ellipsis:
        return {"type": "array", "items": _schema(args[0], inside)}
    return {"type": "array", "prefixItems": [_schema(arg, inside) for arg in args]}


def _object(kind: Any, required: list[str], inside: tuple[Any, ...]) -> dict[str, Any]:
    try:
        hints = typing.get_type_hints(kind, include_extras=True)
    except (NameError, TypeError):
        return {"type": "object"}
    if dataclasses.is_dataclass(kind):
        hints = {name: hints[name] for name in required if name in hints}
    members = {name: _schema(hint, inside) for name, hint in hints.items()}
    return {
        "type": "object",
        "properties": members,
        "required": [name for name in members if name in required],
    }


def _pydantic(kind: Any) -> dict[str, Any]:
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

    class Whole(GenerateJsonSchema):  # type: ignore[misc, unused-ignore]
        """A model is given with all its fields, also those that have defaults."""

        def field_is_required(self, field: Any, *how: Any, **more: Any) -> bool:
            of_model = field["type"] != "typed-dict-field"
            return of_model or bool(super().field_is_required(field, *how, **more))

    try:
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        schema = adapter.json_schema(mode="serialization", schema_generator=Whole)
        return inlined(schema, circles=True)
    except Exception:  # whatever a schema of its own says: it is only described
        return {}
