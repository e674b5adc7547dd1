"""Method patterns: `/` separates segments, `*` is one of them, `**` any number."""

from __future__ import annotations

from functools import cache


def _segments(text: str) -> tuple[str, ...]:
    return tuple(text.split("/")) if text else ()


def method_matches_pattern(method: str, pattern: str) -> bool:
    """Does the pattern match the whole method?

    >>> method_matches_pattern("stripe/charges/create", "stripe/**")
    True
    >>> method_matches_pattern("stripe/charges", "stripe/*/create")
    False
    """
    return _matches(_segments(method), _segments(pattern))


def _matches(method: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    # The places in the pattern that the segments so far can have led to: linear, no backtracking.
    places = _skip({0}, pattern)
    for segment in method:
        reached = set()
        for place in places:
            if place < len(pattern):
                part = pattern[place]
                if part == "**":
                    reached.add(place)
                elif part in ("*", segment):
                    reached.add(place + 1)
        places = _skip(reached, pattern)
        if not places:
            return False
    return len(pattern) in places


def _skip(places: set[int], pattern: tuple[str, ...]) -> set[int]:
    """`**` may also stand for nothing."""
    closed = set()
    for place in places:
        closed.add(place)
        while place < len(pattern) and pattern[place] == "**":
            place += 1
            closed.add(place)
    return closed


def pattern_is_subset(child: str, parent: str) -> bool:
    """Does the parent match every method that the child matches? Never a wrong yes.

    >>> pattern_is_subset("api/*/users/*", "api/**/users/*")
    True
    >>> pattern_is_subset("**", "*")
    False
    """

    @cache
    def covered(c: tuple[str, ...], p: tuple[str, ...]) -> bool:
        if not c:
            return all(part == "**" for part in p)
        if not p:
            return False
        if p[0] == "**":
            # It takes nothing, or one more segment of the child's.
            return covered(c, p[1:]) or covered(c[1:], p)
        if c[0] == "**":
            return False
        if p[0] == "*" or p[0] == c[0]:
            return covered(c[1:], p[1:])
        return False

    return covered(_segments(child), _segments(parent))
