"""Type hints to JSON Schema and back."""

import dataclasses
import enum
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NewType, NotRequired, Optional, TypedDict, Union

import pytest

from pinfold import Tool
from pinfold.schema import UnsupportedType, convert


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Address(TypedDict):
    street: str
    zip: NotRequired[str]


@dataclasses.dataclass
class Person:
    name: str
    address: Address
    level: Level = Level.LOW
    tags: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Tree:
    children: list["Tree"]


class Opaque:
    """Nothing says what its JSON is."""


UserId = NewType("UserId", str)
ADDRESS = {
    "type": "object",
    "properties": {"street": {"type": "string"}, "zip": {"type": "string"}},
    "required": ["street"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "annotation, schema",
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (Any, {}),
        (object, {}),
        (list, {"type": "array"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (set[str], {"type": "array", "uniqueItems": True, "items": {"type": "string"}}),
        (dict, {"type": "object"}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Mapping[str, Any], {"type": "object"}),
        (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a", 1], {"enum": ["a", 1]}),
        (Level, {"type": "integer", "enum": [1, 2]}),
        (UserId, {"type": "string"}),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
        (Address, ADDRESS),
    ],
)
def test_schemas(annotation, schema):
    assert convert(annotation).schema == schema


def test_a_dataclass_is_a_closed_object_and_comes_back():
    schema, decode = convert(Person)
    assert schema["properties"]["address"] == ADDRESS
    assert schema["required"] == ["name", "address"]
    assert schema["additionalProperties"] is False
    person = decode({"name": "x", "address": {"street": "y"}, "level": 2})
    assert person == Person("x", {"street": "y"}, Level.HIGH)
    assert person.level is Level.HIGH


def test_containers_are_decoded_inside_out():
    assert convert(dict[str, list[Level]]).decode({"a": [1, 2]}) == {"a": [Level.LOW, Level.HIGH]}
    assert convert(set[int]).decode([1, 2]) == {1, 2}
    assert convert(Level | None).decode(None) is None
    assert convert(Level | str).decode("x") == "x"


def test_plain_values_are_left_alone():
    for annotation in (str, float, list[str], dict[str, bool], str | None, Literal["a"], Address):
        assert convert(annotation).decode is None


@pytest.mark.parametrize(
    "annotation, given, built",
    [
        (int, 100.0, 100),
        (int, 7, 7),
        (int | None, 5.0, 5),
        (int | None, None, None),
        (int | str, "5", "5"),
        (int | float, 5.0, 5.0),
        (float, 5, 5),
        (bool | int, True, True),
        (list[int] | int, 5.0, 5),
        (list[int], [1.0, 2], [1, 2]),
        (dict[str, int], {"a": 1.0}, {"a": 1}),
        (Literal[1, 2], 2.0, 2),
        (Literal["a", 1, True], True, True),
        (Literal["a", 1, True], 1, 1),
    ],
)
def test_an_integer_is_an_int(annotation, given, built):
    """As pydantic has it: the JSON numbers 5, 5.0 and 5e0 are the same integer."""
    decode = convert(annotation).decode
    found = given if decode is None else decode(given)
    assert found == built and repr(found) == repr(built)


@pytest.mark.parametrize("annotation", [Opaque, list[Opaque], dict[int, str], tuple[int, Opaque], Tree])
def test_types_without_a_schema(annotation):
    with pytest.raises(UnsupportedType):
        convert(annotation)


@pytest.mark.parametrize(
    "docstring",
    [
        """Moves money.\n\n    Args:\n        to (str): who gets it\n            in the end\n        amount: how much\n    """,
        """Moves money.\n\n    Parameters\n    ----------\n    to : str\n        who gets it\n        in the end\n    amount : int\n        how much\n    """,
        """Moves money.\n\n    :param to: who gets it\n        in the end\n    :param amount: how much\n    """,
    ],
    ids=["google", "numpy", "sphinx"],
)
def test_docstrings(docstring):
    def transfer(to: str, amount: int = 5): ...

    transfer.__doc__ = docstring
    tool = Tool.from_function(transfer)
    assert tool.description == "Moves money."
    properties = tool.schema["properties"]
    assert " ".join(properties["to"]["description"].split()) == "who gets it in the end"
    assert properties["amount"] == {"type": "integer", "description": "how much", "default": 5}


def test_an_annotation_describes_before_the_docstring():
    def f(a: Annotated[int, "from the hint"]):
        """F.

        Args:
            a: from the docstring
        """

    assert Tool.from_function(f).schema["properties"]["a"]["description"] == "from the hint"


def test_open_ended_functions_take_anything():
    def f(a: int, **rest): ...

    assert "additionalProperties" not in Tool.from_function(f).schema


class TestPydantic:
    def test_models(self):
        pydantic = pytest.importorskip("pydantic")

        class Inner(pydantic.BaseModel):
            n: int = pydantic.Field(ge=1)

        class Outer(pydantic.BaseModel):
            inner: Inner
            title: str = "x"

        schema, decode = convert(Outer)
        assert "$defs" not in schema and "$ref" not in str(schema)
        assert schema["properties"]["inner"]["properties"]["n"] == {"type": "integer", "minimum": 1}
        assert "title" in schema["properties"]
        assert decode({"inner": {"n": 2}}) == Outer(inner=Inner(n=2))

    def test_fields(self):
        pydantic = pytest.importorskip("pydantic")
        schema, decode = convert(Annotated[int, pydantic.Field(gt=0, description="count")])
        assert schema == {"type": "integer", "exclusiveMinimum": 0, "description": "count"}
        assert decode(5) == 5

    def test_without_it_the_error_says_so(self, monkeypatch):
        import sys

        monkeypatch.setitem(sys.modules, "pydantic", None)
        with pytest.raises(UnsupportedType, match="pydantic, if installed"):
            convert(Opaque)
