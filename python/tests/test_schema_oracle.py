"""The engine's JSON Schema against the Python library jsonschema: random schemas, random values."""

import random

import pytest

jsonschema = pytest.importorskip("jsonschema")

from pinfold import MethodCapability, Sandbox, Tool

NAMES = ["a", "b", "c"]
TEXTS = ["", "a", "ab", "é", "🎉x", "abc", "10"]
NUMBERS = [-3, -1, 0, 1, 2, 3, 1.5, 2.0, 10, 2**60]


def value(r, depth=3):
    kind = r.randrange(7 if depth else 5)
    if kind == 0:
        return r.choice([None, True, False])
    if kind <= 2:
        return r.choice(NUMBERS)
    if kind <= 4:
        return r.choice(TEXTS)
    if kind == 5:
        return [value(r, depth - 1) for _ in range(r.randrange(4))]
    return {name: value(r, depth - 1) for name in r.sample(NAMES, r.randrange(4))}


def keyword(r, depth):
    small = r.randrange(4)

    def sub():
        return schema(r, depth - 1)

    kinds = ["null", "boolean", "integer", "number", "string", "array", "object"]
    choices = {
        "type": lambda: r.choice(kinds) if r.random() < 0.7 else r.sample(kinds, 2),
        "enum": lambda: [value(r, 1) for _ in range(3)],
        "const": lambda: value(r, 1),
        "minimum": lambda: r.choice(NUMBERS),
        "maximum": lambda: r.choice(NUMBERS),
        "exclusiveMinimum": lambda: r.choice(NUMBERS),
        "exclusiveMaximum": lambda: r.choice(NUMBERS),
        "multipleOf": lambda: r.choice([1, 2, 3]),
        "minLength": lambda: small,
        "maxLength": lambda: small,
        "pattern": lambda: r.choice(["^a", "b$", "[a-c]+", "^.$", "\\d"]),
        "minItems": lambda: small,
        "maxItems": lambda: small,
        "uniqueItems": lambda: True,
        "minProperties": lambda: small,
        "maxProperties": lambda: small,
        "required": lambda: r.sample(NAMES, r.randrange(1, 3)),
        "dependentRequired": lambda: {"a": ["b"]},
    }
    nested = {
        "properties": lambda: {name: sub() for name in r.sample(NAMES, 2)},
        "additionalProperties": lambda: r.choice([False, True, sub()]),
        "patternProperties": lambda: {"^[ab]": sub()},
        "propertyNames": lambda: {"maxLength": small},
        "items": sub,
        "prefixItems": lambda: [sub(), sub()],
        "contains": sub,
        "allOf": lambda: [sub(), sub()],
        "anyOf": lambda: [sub(), sub()],
        "oneOf": lambda: [sub(), sub()],
        "not": sub,
        "if": sub,
        "then": sub,
        "else": sub,
        "dependentSchemas": lambda: {"b": sub()},
    }
    if depth:
        choices |= nested
    name = r.choice(sorted(choices))
    return name, choices[name]()


def schema(r, depth=2):
    return dict(keyword(r, depth) for _ in range(r.randrange(1, 4)))


@pytest.mark.parametrize("seed", range(4))
def test_verdicts_agree(seed):
    r = random.Random(seed)
    schemas = []
    while len(schemas) < 150:
        made = {"type": "object", "properties": {"v": schema(r)}}
        jsonschema.Draft202012Validator.check_schema(made)
        schemas.append(made)
    values = [[{"v": value(r)} for _ in range(8)] for _ in schemas]
    tools = [Tool(f"t{i}", schema=made, handler=lambda **given: True) for i, made in enumerate(schemas)]
    program = """
        const out = [];
        const values = JSON.parse(await fs.readFile('values.json'));
        for (let i = 0; i < values.length; i++) {
            const row = [];
            for (const given of values[i])
                try { row.push(await tools[`t${i}`](given)) } catch (e) { row.push(e.code === 'invalid' ? false : e.message) }
            out.push(row);
        }
        return out;
    """
    import json

    from pinfold import Limits

    with Sandbox(tools=tools, capabilities=[MethodCapability("**")], files={"values.json": json.dumps(values)}, limits=Limits(tool_calls=None, cpu_seconds=60)) as sandbox:
        found = sandbox.run(program, "javascript").value
    valid = 0
    for made, row, verdicts in zip(schemas, values, found, strict=True):
        checker = jsonschema.Draft202012Validator(made)
        for given, verdict in zip(row, verdicts, strict=True):
            assert checker.is_valid(given) == verdict, (made, given)
            valid += verdict
    assert 100 < valid < 1100
