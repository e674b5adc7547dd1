"""What one run has of its own: ``run(cwd=..., env=..., limits=..., budget=...)``."""

from __future__ import annotations

import posixpath
from os import fspath
from threading import Lock

from ._native import pattern_matches
from .errors import ToolError
from .limits import Limits
from .settings import checked_env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from ._native import Place
    from .call import Call


def place_of(
    usual: Limits,
    cwd: str | PathLike[str] | None,
    env: Mapping[str, str] | None,
    limits: Limits | None,
) -> Place | None:
    """In the form that `_native.Machine.start` takes; ``usual`` are the sandbox's limits."""
    if cwd is None and env is None and limits is None:
        return None
    path = None if cwd is None else fspath(cwd)
    if path is not None and (not isinstance(path, str) or not path):
        raise TypeError(f"cwd is a path in the sandbox (str), not {cwd!r}")
    if limits is not None and not isinstance(limits, Limits):
        raise TypeError(f"limits is a Limits object, not {limits!r}")
    return (
        None if path is None else posixpath.join("/workspace", path),
        [f"{name}={value}" for name, value in checked_env(env)],
        None if limits is None else usual.of_a_run(limits),
    )


class Budget:
    """How many calls one run may make: all of them, or those that match a pattern.

    >>> Budget({"pay": 1, "stripe/**": 3})
    <Budget pay: 1, stripe/**: 3>
    """

    def __init__(self, given: int | Mapping[str, int]) -> None:
        named = {"**": given} if isinstance(given, int) else dict(_items(given))
        for pattern, most in named.items():
            pattern_matches(pattern, "any")  # refuses a malformed one
            if isinstance(most, bool) or not isinstance(most, int):
                raise TypeError(f"budget: how many calls of {pattern} is an int, not {most!r}")
            if most < 0:
                raise ValueError(f"budget: {pattern} cannot have {most!r} calls")
        self._most = named
        self._spent = dict.fromkeys(named, 0)
        self._lock = Lock()
        self._admitted: set[int] = set()

    def copy(self) -> Budget:
        """For a branch, whose calls have ids of their own."""
        copy = Budget(self._most)
        with self._lock:
            copy._spent = dict(self._spent)
        return copy

    def shared(self) -> Budget:
        """For a branch that spends from the same budget, perhaps on another thread."""
        other = Budget(self._most)
        other._spent, other._lock = self._spent, self._lock
        return other

    def twin(self) -> Budget:
        """For a preview, whose calls have the same ids."""
        copy = self.copy()
        copy._admitted = set(self._admitted)
        return copy

    def admit(self, call: Call) -> None:
        """Spends a call, once; `ToolError` when there is none left for it."""
        if call.id in self._admitted:
            return
        matching = [pattern for pattern in self._most if pattern_matches(pattern, call.method)]
        with self._lock:
            for pattern in matching:
                if self._spent[pattern] >= self._most[pattern]:
                    which = "" if pattern == "**" else f" of {pattern}"
                    raise ToolError(
                        f"{call.method} is denied: this run may make {self._most[pattern]}"
                        f" calls{which} (budget)",
                        "denied",
                    )
            for pattern in matching:
                self._spent[pattern] += 1
        self._admitted.add(call.id)

    def __repr__(self) -> str:
        left = {name: most - self._spent[name] for name, most in self._most.items()}
        return f"<Budget {', '.join(f'{name}: {number}' for name, number in left.items())}>"


def _items(given: Mapping[str, int]) -> Mapping[str, int]:
    if not hasattr(given, "items"):
        raise TypeError(f"budget is an int, or a dict from methods to ints, not {given!r}")
    return given
