"""From a Python annotation to JSON Schema, and from the JSON value back to what was annotated.

``convert()`` answers both at once, so that the two cannot drift apart: the schema that the engine
checks arguments against, and a decoder that turns checked JSON into the dataclass or Enum that the
handler asked for (``None`` where the JSON value is already right). Common types are converted
here; what is not known here is left to pydantic if it is installed, otherwise refused. A type is
never quietly replaced by "anything".
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

Decoder = Callable[[Any], Any]

_SIMPLE = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}
_ARRAYS = (list, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection)
_SETS = (set, frozenset, collections.abc.Set)
_OBJECTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)


class Converted(NamedTuple):
    schema: dict[str, Any]
    decode: Decoder | None = None


class UnsupportedType(ValueError):
    """An annotation without a JSON Schema."""


def convert(annotation: Any, _open: tuple[type, ...] = ()) -> Converted:
    """The schema and the decoder of one annotation.

    >>> convert(list[int] | None).schema
    {'anyOf': [{'type': 'array', 'items': {'type': 'integer'}}, {'type': 'null'}]}
    """
    if annotation is Any or annotation is object:
        return Converted({})
    if annotation is None:
        return Converted({"type": "null"})
    if annotation is int:
        return Converted({"type": "integer"}, _whole)
    if isinstance(annotation, type) and annotation in _SIMPLE:
        return Converted({"type": _SIMPLE[annotation]})
    if isinstance(annotation, typing.NewType):
        return convert(annotation.__supertype__, _open)
    if hasattr(annotation, "__value__"):  # type X = ...
        return convert(annotation.__value__, _open)

    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _annotated(annotation, _open)
    if origin is typing.Literal:
        return _literal(args)
    if origin is typing.Union or origin is types.UnionType:
        return _union(args, _open)
    if origin in (typing.Required, typing.NotRequired, typing.Final):
        return convert(args[0], _open)
    base = origin or annotation
    if base in _ARRAYS:
        return _array(args, _open)
    if base in _SETS:
        return _set(base, args, _open)
    if base is tuple:
        return _tuple(args, _open)
    if base in _OBJECTS:
        return _mapping(args, _open)
    if isinstance(base, type):
        if base in _open:
            raise UnsupportedType(f"{base.__name__} contains itself")
        if issubclass(base, enum.Enum):
            return _enum(base)
        if typing.is_typeddict(base):
            return _typed_dict(base, (*_open, base))
        if dataclasses.is_dataclass(base) and not hasattr(base, "__pydantic_validator__"):
            return _dataclass(base, (*_open, base))
    return _pydantic(annotation)


def _whole(value: Any) -> int:
    """JSON has one kind of number: 5.0 and 5e0 are integers, too."""
    if type(value) is float and value.is_integer():
        return int(value)
    if type(value) is not int:
        raise TypeError(f"not an integer: {value!r}")
    return value


def _annotated(annotation: Any, _open: tuple[type, ...]) -> Converted:
    inner, *metadata = typing.get_args(annotation)
    texts = [m if isinstance(m, str) else getattr(m, "documentation", None) for m in metadata]
    if not all(isinstance(text, str) for text in texts):
        return _pydantic(annotation)  # Field(...), annotated_types: constraints are its subject
    schema, decode = convert(inner, _open)
    return Converted({**schema, "description": " ".join(texts)}, decode)  # type: ignore[arg-type]


def _literal(values: tuple[Any, ...]) -> Converted:
    for value in values:
        if isinstance(value, enum.Enum) or not isinstance(value, (str, int, bool, type(None))):
            raise UnsupportedType(f"Literal of {value!r}")
    if not any(type(value) is int for value in values):
        return Converted(_of_values(values))
    return Converted(_of_values(values), lambda given: _listed(given, values))


def _listed(given: Any, values: tuple[Any, ...]) -> Any:
    """The value of a list that was given, of the list's type."""
    for value in values:
        if value == given and isinstance(value, bool) == isinstance(given, bool):
            return value
    raise ValueError(f"not one of {list(values)!r}: {given!r}")


def _of_values(values: collections.abc.Sequence[Any]) -> dict[str, Any]:
    kinds = {_SIMPLE[type(value)] for value in values}
    schema: dict[str, Any] = {"enum": list(values)}
    return {"type": kinds.pop(), **schema} if len(kinds) == 1 else schema


def _enum(kind: type[enum.Enum]) -> Converted:
    values = [member.value for member in kind]
    if not values or not all(type(value) in _SIMPLE for value in values):
        raise UnsupportedType(f"{kind.__name__}: an Enum needs members with JSON values")
    return Converted(_of_values(values), kind)


def _union(members: tuple[Any, ...], _open: tuple[type, ...]) -> Converted:
    parts = [convert(member, _open) for member in members]
    schema = {"anyOf": [part.schema for part in parts]}
    if not any(part.decode for part in parts):
        return Converted(schema)
    return Converted(schema, _UnionDecoder(members, parts))


class _UnionDecoder:
    """Gives the first member that takes the value; plain JSON members are tried by their type."""

    def __init__(self, members: tuple[Any, ...], parts: list[Converted]) -> None:
        self.members = list(zip(members, parts, strict=True))

    def __call__(self, value: Any) -> Any:
        for member, part in self.members:
            simple = part.decode is None or part.decode is _whole
            if simple and isinstance(member, type) and type(value) is member:
                return value
        for _, part in self.members:
            if part.decode is None:
                continue
            try:
                return part.decode(value)
            except (TypeError, ValueError, KeyError):
                continue
        return value


def _array(args: tuple[Any, ...], _open: tuple[type, ...]) -> Converted:
    if not args:
        return Converted({"type": "array"})
    item = convert(args[0], _open)
    return Converted({"type": "array", "items": item.schema}, _each(item.decode, list))


def _set(base: Any, args: tuple[Any, ...], _open: tuple[type, ...]) -> Converted:
    make = frozenset if base is frozenset else set
    item = convert(args[0] if args else Any, _open)
    schema: dict[str, Any] = {"type": "array", "uniqueItems": True}
    if item.schema:
        schema["items"] = item.schema
    return Converted(schema, _each(item.decode, make) or make)


def _tuple(args: tuple[Any, ...], _open: tuple[type, ...]) -> Converted:
    if not args:
        return Converted({"type": "array"}, tuple)
    if len(args) == 2 and args[1] is Ellipsis:
        item = convert(args[0], _open)
        return Converted(
            {"type": "array", "items": item.schema}, _each(item.decode, tuple) or tuple
        )
    if args == ((),):  # tuple[()]
        args = ()
    parts = [convert(arg, _open) for arg in args]
    length: dict[str, Any] = {"minItems": len(parts), "maxItems": len(parts)}
    if parts and len({repr(part.schema) for part in parts}) == 1:
        schema = {"type": "array", "items": parts[0].schema, **length}
    else:
        schema = {"type": "array", "prefixItems": [part.schema for part in parts], **length}
        if not parts:
            del schema["prefixItems"]

    def decode(value: Any) -> tuple[Any, ...]:
        return tuple(
            part.decode(item) if part.decode else item
            for part, item in zip(parts, value, strict=True)
        )

    return Converted(schema, decode)


def _each(decode: Decoder | None, make: Callable[[Any], Any]) -> Decoder | None:
    if decode is None:
        return None
    return lambda values: make(decode(value) for value in values)


def _mapping(args: tuple[Any, ...], _open: tuple[type, ...]) -> Converted:
    if not args:
        return Converted({"type": "object"})
    if args[0] is not str and args[0] is not Any:
        raise UnsupportedType(f"keys of a JSON object are strings, not {args[0]!r}")
    value = convert(args[1], _open)
    schema: dict[str, Any] = {"type": "object"}
    if value.schema:
        schema["additionalProperties"] = value.schema
    decode = value.decode
    if decode is None:
        return Converted(schema)
    return Converted(schema, lambda members: {k: decode(v) for k, v in members.items()})


def _typed_dict(kind: Any, _open: tuple[type, ...]) -> Converted:
    hints = _hints_of(kind)
    parts = {name: convert(hint, _open) for name, hint in hints.items()}
    required = [name for name in hints if name in kind.__required_keys__]
    return Converted(closed_object(parts, required), _members(parts, dict))


def _dataclass(kind: Any, _open: tuple[type, ...]) -> Converted:
    hints = _hints_of(kind)
    fields = [field for field in dataclasses.fields(kind) if field.init]
    parts = {field.name: convert(hints[field.name], _open) for field in fields}
    required = [
        field.name
        for field in fields
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    make = _members(parts, lambda members: kind(**members))
    return Converted(closed_object(parts, required), make)


def _hints_of(kind: Any) -> dict[str, Any]:
    """The types of its members, of which one may name the class itself, wherever that stands."""
    try:
        return typing.get_type_hints(kind, None, {kind.__name__: kind}, include_extras=True)
    except NameError as error:
        raise UnsupportedType(
            f"{kind.__name__}: {error} in its annotations; types of tools are importable names"
        ) from None


def closed_object(parts: dict[str, Converted], required: list[str]) -> dict[str, Any]:
    """The schema of an object with these members and no others."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: part.schema for name, part in parts.items()},
    }
    if required:
        schema["required"] = required
    return {**schema, "additionalProperties": False}


def _members(parts: dict[str, Converted], make: Callable[[Any], Any]) -> Decoder | None:
    decoders = {name: part.decode for name, part in parts.items() if part.decode is not None}
    if not decoders and make is dict:
        return None

    def decode(members: dict[str, Any]) -> Any:
        return make(
            {
                name: decoders[name](value) if name in decoders else value
                for name, value in members.items()
            }
        )

    return decode


def _pydantic(annotation: Any) -> Converted:
    try:
        from pydantic import TypeAdapter
        from pydantic.errors import PydanticUserError
    except ImportError:
        raise UnsupportedType(f"{_show(annotation)} (pydantic, if installed, knows more)") from None
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        schema = adapter.json_schema()
    except PydanticUserError as error:
        raise UnsupportedType(f"{_show(annotation)}: {error.message}") from None
    return Converted(inlined(schema), adapter.validate_python)


def inlined(schema: dict[str, Any], circles: bool = False) -> dict[str, Any]:
    """The schema with its ``$ref`` put in place and without titles, which only repeat names. What
    contains itself is refused, or is anything there, with ``circles``."""
    definitions = schema.pop("$defs", {})

    def inline(node: Any, inside: tuple[str, ...], names: bool = False) -> Any:
        if isinstance(node, list):
            return [inline(item, inside) for item in node]
        if not isinstance(node, dict):
            return node
        reference = None if names else node.get("$ref")
        if reference is not None:
            name = reference.removeprefix("#/$defs/")
            if circles and name in inside:
                return {}
            if name in inside or name not in definitions:
                raise UnsupportedType(f"{name} contains itself")
            siblings = {k: v for k, v in node.items() if k != "$ref"}
            return inline({**definitions[name], **siblings}, (*inside, name))
        out = {}
        for key, value in node.items():
            if names:  # members of "properties": any key is a name
                out[key] = inline(value, inside)
            elif key in ("default", "enum", "const"):
                out[key] = value
            elif key != "title":
                out[key] = inline(value, inside, names=key == "properties")
        return out

    inlined: dict[str, Any] = inline(schema, ())
    return inlined


def _show(annotation: Any) -> str:
    return getattr(annotation, "__name__", None) or repr(annotation)
