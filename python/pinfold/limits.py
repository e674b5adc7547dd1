"""The limits of a sandbox: all on by default, each can be set, ``None`` lifts it.

Only names and units live here. What each limit does and its hard bound are the C library's.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self

MIB = 1 << 20

#: What an embedder gets who says nothing.
DEFAULTS: dict[str, float | int | None] = {
    "cpu_seconds": 10.0,
    "wall_seconds": 60.0,
    "memory_bytes": 512 * MIB,
    "process_memory_bytes": 256 * MIB,
    "filesystem_bytes": 256 * MIB,
    "files": 100_000,
    "processes": 128,
    "open_files": 256,
    "output_bytes": 1 * MIB,
    "tool_calls": 1000,
    "tool_result_bytes": 10 * MIB,
    "tool_argument_bytes": 1 * MIB,
    "code_bytes": 16 * MIB,
    "stdin_bytes": 64 * MIB,
    "trace_bytes": 1024 * MIB,
}

#: What ``run(limits=...)`` takes; the others hold for what outlives a run.
OF_A_RUN = frozenset(
    ("cpu_seconds", "wall_seconds", "output_bytes", "tool_calls", "code_bytes", "stdin_bytes")
)

_UNLIMITED = (1 << 64) - 1


class Limits:
    """How much a sandbox may use. ``None`` lifts a limit.

    >>> Limits(cpu_seconds=2, output_bytes=4096)
    Limits(cpu_seconds=2, output_bytes=4096)
    >>> Limits().tool_calls
    1000
    >>> Limits(cpu_seconds=-1)
    Traceback (most recent call last):
    ValueError: cpu_seconds must not be negative, got -1
    """

    __slots__ = (*DEFAULTS, "_named")

    cpu_seconds: float | None
    wall_seconds: float | None
    memory_bytes: int | None
    process_memory_bytes: int | None
    filesystem_bytes: int | None
    files: int | None
    processes: int | None
    open_files: int | None
    output_bytes: int | None
    tool_calls: int | None
    tool_result_bytes: int | None
    tool_argument_bytes: int | None
    code_bytes: int | None
    stdin_bytes: int | None
    trace_bytes: int | None
    _named: frozenset[str]  # that were given, and not left at their defaults

    __signature__: ClassVar[Any]  # that of __init__

    def __new__(cls, *args: Any, **given: Any) -> Self:
        self = object.__new__(cls)
        object.__setattr__(self, "_named", frozenset(given))
        return self

    def __init__(
        self,
        *,
        cpu_seconds: float | None = 10.0,
        wall_seconds: float | None = 60.0,
        memory_bytes: int | None = 512 * MIB,
        process_memory_bytes: int | None = 256 * MIB,
        filesystem_bytes: int | None = 256 * MIB,
        files: int | None = 100_000,
        processes: int | None = 128,
        open_files: int | None = 256,
        output_bytes: int | None = 1 * MIB,
        tool_calls: int | None = 1000,
        tool_result_bytes: int | None = 10 * MIB,
        tool_argument_bytes: int | None = 1 * MIB,
        code_bytes: int | None = 16 * MIB,
        stdin_bytes: int | None = 64 * MIB,
        trace_bytes: int | None = 1024 * MIB,
    ) -> None:
        given = locals()
        for name in DEFAULTS:
            object.__setattr__(self, name, _checked(name, given[name]))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Limits do not change; make new ones")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Limits):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in DEFAULTS)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in DEFAULTS))

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), {name: getattr(self, name) for name in self._named})

    def __repr__(self) -> str:
        changed = (
            f"{name}={getattr(self, name)!r}"
            for name, default in DEFAULTS.items()
            if getattr(self, name) != default
        )
        return f"Limits({', '.join(changed)})"

    def changed(self) -> list[tuple[str, int]]:
        """The limits that differ from the defaults, under the C library's names and units."""
        return [
            self._native(name) for name, value in DEFAULTS.items() if getattr(self, name) != value
        ]

    def of_a_run(self, own: Limits) -> list[tuple[str, int]]:
        """These limits with those that ``own`` names for one run, under the C library's names and
        units: all that can be a run's."""
        others = sorted(own._named - OF_A_RUN)
        if others:
            raise ValueError(
                f"{others[0]} is no limit of one run, but of the whole sandbox:"
                f" Sandbox(limits=Limits({others[0]}=...))"
            )
        return [(own if name in own._named else self)._native(name) for name in sorted(OF_A_RUN)]

    def _native(self, name: str) -> tuple[str, int]:
        value = getattr(self, name)
        seconds = name.endswith("_seconds")
        number = _UNLIMITED if value is None else _milliseconds(value) if seconds else value
        return name.replace("_seconds", "_ms"), number


def _make(cls: type[Limits], values: dict[str, Any]) -> Limits:
    return cls(**values)


def _milliseconds(seconds: float) -> int:
    """Rounds up: a positive limit never becomes none at all."""
    return -int(-seconds * 1000 // 1)


def _checked(name: str, value: float | int | None) -> float | int | None:
    if value is None:
        return None
    allowed = (int, float) if name.endswith("_seconds") else int
    if isinstance(value, bool) or not isinstance(value, allowed):
        kind = "a number" if name.endswith("_seconds") else "an int"
        raise TypeError(f"{name} must be {kind} or None, got {value!r}")
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(f"{name} must be finite, got {value!r}; None lifts the limit")
    if value < 0:
        raise ValueError(f"{name} must not be negative, got {value!r}")
    if value > 1 << 53:
        raise ValueError(f"{name} is too large: {value!r}; None lifts the limit")
    return value
