"""Capabilities: patterns, constraints, attenuation, dictionaries, errors."""

import pytest

from amla_sandbox.capabilities import (
    METHOD_CAPABILITY_TYPE,
    TOOL_CALL_CAP_TYPE,
    CallLimitExceededError,
    CapabilityError,
    Constraint,
    ConstraintSet,
    MethodCapability,
    MissingParamError,
    Param,
    ToolCallCap,
    TypeMismatchError,
    ViolationError,
    method_matches_pattern,
    pattern_is_subset,
)
from amla_sandbox.capabilities.constraints import ConstraintError


@pytest.mark.parametrize(
    "method, pattern, matches",
    [
        ("stripe/charges/create", "stripe/charges/create", True),
        ("stripe/charges/create", "stripe/charges/*", True),
        ("stripe/charges/create", "stripe/*", False),
        ("stripe", "stripe/**", True),
        ("stripe/a/b", "stripe/**", True),
        ("create", "**/create", True),
        ("a/b/create", "**/create", True),
        ("stripe/charges", "stripe/**/charges", True),
        ("stripe/a/b/charges", "stripe/**/charges", True),
        ("a/x/b/y/c", "a/**/b/**/c", True),
        ("a/x/b/y/d", "a/**/b/**/c", False),
        ("", "", True),
        ("", "**", True),
        ("", "*", False),
        ("foo", "", False),
        ("mcp:math.add", "mcp:math.*", False),
        ("a" + "/a" * 60, "**/" * 20 + "b", False),
    ],
)
def test_patterns(method, pattern, matches):
    assert method_matches_pattern(method, pattern) is matches


@pytest.mark.parametrize(
    "child, parent, inside",
    [
        ("a", "a", True),
        ("a", "*", True),
        ("*", "**", True),
        ("stripe/**", "**", True),
        ("**", "*", False),
        ("**", "**", True),
        ("x/**", "x/*", False),
        ("x/*", "x/**", True),
        ("api/*/users/*", "api/**/users/*", True),
        ("api/**/users/*", "api/*/users/*", False),
        ("", "", True),
        ("", "**", True),
        ("foo", "", False),
        ("*", "a", False),
    ],
)
def test_patterns_within_patterns(child, parent, inside):
    assert pattern_is_subset(child, parent) is inside


@pytest.mark.parametrize(
    "constraint, kind, good, bad",
    [
        (Param("n") < 5, "lt", {"n": 4}, {"n": 5}),
        (Param("n") <= 5, "le", {"n": 5}, {"n": 6}),
        (Param("n") > 5, "gt", {"n": 6}, {"n": 5}),
        (Param("n") >= 5, "ge", {"n": 5}, {"n": 4}),
        (Param("n") == 5, "eq", {"n": 5}, {"n": 6}),
        (Param("n") != 5, "ne", {"n": 6}, {"n": 5}),
        (Param("s").is_in(["a", "b"]), "in", {"s": "a"}, {"s": "c"}),
        (Param("s").not_in(["a", "b"]), "not_in", {"s": "c"}, {"s": "a"}),
        (Param("s").starts_with("x_"), "starts_with", {"s": "x_1"}, {"s": "y"}),
        (Param("s").ends_with(".txt"), "ends_with", {"s": "a.txt"}, {"s": "a"}),
        (Param("s").contains("mid"), "contains", {"s": "a mid b"}, {"s": "a"}),
        (Param("s").exists(), "exists", {"s": 0}, {}),
        (Param("s").not_exists(), "not_exists", {}, {"s": 0}),
        (Param("a/b/0") == 1, "eq", {"a": {"b": [1]}}, {"a": {"b": [2]}}),
        (Param("/a/b") == 1, "eq", {"a": {"b": 1}}, {"a": {"b": 2}}),
        (Param("s") <= "b", "le", {"s": "a"}, {"s": "c"}),
        (Constraint.and_([Param("n") > 1, Param("n") < 3]), "and", {"n": 2}, {"n": 3}),
        (Constraint.or_([Param("n") < 1, Param("n") > 3]), "or", {"n": 4}, {"n": 2}),
    ],
)
def test_constraints(constraint, kind, good, bad):
    assert constraint.type == kind
    constraint.evaluate(good)
    with pytest.raises(ConstraintError):
        constraint.evaluate(bad)


def test_names_of_constraints():
    both = Constraint.and_([Param("a") <= 1, Constraint.or_([Param("b") == 1, Param("a") > 0])])
    assert (Param("a") <= 1).param_name == "a" and both.param_name is None
    assert both.referenced_params() == ["a", "b"]


def test_errors_of_constraints():
    with pytest.raises(MissingParamError, match="Missing parameter") as missing:
        (Param("amount") <= 5).evaluate({})
    assert missing.value.param == "amount"
    with pytest.raises(MissingParamError):
        (Param("amount") != 5).evaluate({"amount": None})
    with pytest.raises(TypeMismatchError) as mismatch:
        Param("s").starts_with("x").evaluate({"s": 3})
    assert (mismatch.value.param, mismatch.value.expected, mismatch.value.actual) == ("s", "string", "int")
    with pytest.raises(ViolationError) as violation:
        (Param("amount") <= 1000).evaluate({"amount": 5000})
    assert (violation.value.rule, violation.value.actual) == ("<= 1000", "5000")
    assert all(word in str(violation.value) for word in ("amount", "<= 1000", "5000"))
    with pytest.raises(ViolationError):
        Constraint.or_([]).evaluate({})
    for value in ("3", True, [1], {}):
        with pytest.raises(ViolationError):
            (Param("n") <= 5).evaluate({"n": value})
    with pytest.raises(TypeError):
        hash(Param("n"))


def test_sets():
    empty = ConstraintSet()
    assert empty.is_empty() and len(empty) == 0 and not empty
    one = ConstraintSet([Param("a") <= 1])
    both = one.merge(ConstraintSet([Param("b") <= 1]))
    assert len(one) == 1 and len(both) == 2 and both.constraints[1].param == "b"
    one.extend(ConstraintSet([Param("c") <= 1]))
    assert len(one) == 2


@pytest.mark.parametrize(
    "parent, child, inside",
    [
        (Param("n") <= 10, Param("n") <= 5, True),
        (Param("n") <= 10, Param("n") <= 11, False),
        (Param("n") >= 10, Param("n") >= 11, True),
        (Param("n") >= 10, Param("n") >= 9, False),
        (Param("n") <= 10, Param("n") == 3, True),
        (Param("s").is_in(["a", "b"]), Param("s").is_in(["a"]), True),
        (Param("s").is_in(["a"]), Param("s").is_in(["a", "b"]), False),
        (Param("s").not_in(["a"]), Param("s").not_in(["a", "b"]), True),
        (Param("s").not_in(["a", "b"]), Param("s").not_in(["a"]), False),
        (Param("s").starts_with("ab"), Param("s").starts_with("abc"), True),
        (Param("s").starts_with("abc"), Param("s").starts_with("ab"), False),
        (Param("s").ends_with(".txt"), Param("s").ends_with("a.txt"), True),
        (Param("s").contains("b"), Param("s").contains("abc"), True),
        (Param("n") <= 10, Param("m") <= 5, False),
        (Param("a/b") <= 10, Param("a/b") <= 5, True),
        (Param("s").exists(), Param("s") == 5, True),
        (Param("s").not_exists(), Param("s").not_exists(), True),
        (Param("s") != 5, Param("s") != 5, True),
    ],
)
def test_constraints_within_constraints(parent, child, inside):
    assert parent.subsumes(child) is inside
    more = ConstraintSet([child, Param("extra") == 1])
    assert ConstraintSet([parent]).subsumes(more) is inside
    assert ConstraintSet().subsumes(more)
    assert not ConstraintSet([parent]).subsumes(ConstraintSet())


def test_capabilities():
    capability = MethodCapability("stripe/**", ConstraintSet([Param("amount") <= 10]), max_calls=3)
    assert capability.key() == "cap:method:stripe/**"
    assert (METHOD_CAPABILITY_TYPE, TOOL_CALL_CAP_TYPE) == ("method", "tool-call")
    assert ToolCallCap("a").key() == "cap:tool-call:a"
    capability.validate_call("stripe/charge", {"amount": 10})
    with pytest.raises(CapabilityError):
        capability.validate_call("paypal/charge", {"amount": 10})
    with pytest.raises(CapabilityError) as error:
        capability.validate_call("stripe/charge", {})
    assert isinstance(error.value.__cause__, MissingParamError)
    assert MethodCapability("a").to_dict() == {"method_pattern": "a"}
    assert MethodCapability.from_dict(capability.to_dict()) == capability
    assert isinstance(ToolCallCap.from_dict({"method_pattern": "a"}), ToolCallCap)


def test_capabilities_within_capabilities():
    parent = MethodCapability("stripe/**", ConstraintSet([Param("amount") <= 10]), max_calls=3)
    tight = ConstraintSet([Param("amount") <= 5])
    assert MethodCapability("stripe/x", tight, max_calls=3).is_subset_of(parent)
    assert not MethodCapability("stripe/x", tight).is_subset_of(parent)
    assert not MethodCapability("stripe/x", tight, max_calls=4).is_subset_of(parent)
    assert not MethodCapability("**", tight, max_calls=1).is_subset_of(parent)
    assert not MethodCapability("stripe/x", max_calls=1).is_subset_of(parent)


def test_the_limit_error():
    for limit in (0, 5):
        error = CallLimitExceededError("cap:method:x", limit)
        assert isinstance(error, CapabilityError)
        assert (error.capability_key, error.max_calls) == ("cap:method:x", limit)
        text = str(error).lower()
        assert "cap:method:x" in text and str(limit) in text and "exceeded" in text
