"""What capabilities grant, in words: for models, which need not find out by being denied."""

from __future__ import annotations

import json

from . import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .capability import MethodCapability

_NAMED = {
    "in": "one of {}",
    "not_in": "none of {}",
    "starts_with": "begins with {}",
    "ends_with": "ends with {}",
    "contains": "contains {}",
    "matches": "matches {}",
    "matches_url": "matches {}",
    "is_type": "is of type {}",
    "exists": "is given",
    "not_exists": "is not given",
}


def granting(method: str, capabilities: Iterable[MethodCapability]) -> list[MethodCapability]:
    """The capabilities that can allow calls of a method, which is a canonical id."""
    return [c for c in capabilities if _native.pattern_matches(c.method_pattern, method)]


def grants(method: str, capabilities: Iterable[MethodCapability]) -> str:
    """When calls of a method are allowed; "" when they always are.

    >>> from pinfold import MethodCapability, Param
    >>> grants("pay", [MethodCapability("pay", [Param("amount") <= 5], max_calls=3)])
    'Allowed: amount <= 5; at most 3 calls.'
    >>> grants("pay", [])
    'Not granted: every call is denied.'
    """
    found = granting(method, capabilities)
    return conditions(found) if found else "Not granted: every call is denied."


def conditions(found: Iterable[MethodCapability]) -> str:
    """When these capabilities, of which the first that can allows a call, do; "" for always."""
    ways: list[str] = []
    for capability in found:
        parts = _parts(capability)
        if not parts:
            if not ways:
                return ""
            parts = ["anything else"]
        ways.append("; ".join(parts))
        if parts == ["anything else"]:
            break
    if len(ways) == 1:
        return f"Allowed: {ways[0]}."
    numbered = ". ".join(f"({number}) {way}" for number, way in enumerate(ways, 1))
    return f"Allowed in these cases: {numbered}."


def _parts(capability: MethodCapability) -> list[str]:
    rules = _rules(capability)
    parts = [", ".join(_words(rule, len(rules) > 1) for rule in rules)] if rules else []
    if capability.max_calls is not None:
        calls = "call" if capability.max_calls == 1 else "calls"
        parts.append(f"at most {capability.max_calls} {calls}")
    if capability.ask:
        parts.append("each call has to be approved")
    return parts


def _rules(capability: MethodCapability) -> list[dict[str, Any]]:
    """Its constraints in the long form."""
    policy = json.dumps({"capabilities": [capability.to_dict()]}, ensure_ascii=False)
    (normal,) = json.loads(_native.policy_normalize(policy))["capabilities"]
    rules: list[dict[str, Any]] = normal.get("constraints", [])
    return rules


def _words(rule: dict[str, Any], beside: bool = True) -> str:
    """A rule; in parentheses, if it has several parts and more stands beside it."""
    for kind, between in (("all", " and "), ("any", " or ")):
        if kind in rule:
            several = len(rule[kind]) > 1
            text = between.join(_words(part, several or beside) for part in rule[kind])
            return f"({text})" if several and beside else text
    if "not" in rule:
        return f"not ({_words(rule['not'], False)})"
    name = f"length of {rule['param']}" if rule.get("of") == "length" else rule["param"]
    value = rule.get("value")
    if rule["op"] == "in" and isinstance(value, list) and len(value) == 1:
        rule = {**rule, "op": "==", "value": value[0]}
        text = json.dumps(value[0], ensure_ascii=False)
    elif rule["op"] in ("in", "not_in") and isinstance(value, list):
        text = ", ".join(json.dumps(item, ensure_ascii=False) for item in value)
    else:
        text = json.dumps(value, ensure_ascii=False)
    op = _NAMED.get(rule["op"], f"{rule['op']} {{}}").format(text)
    return f"{name} {op}" + (" if given" if rule.get("optional") else "")
