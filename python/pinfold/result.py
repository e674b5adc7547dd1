"""What a run gave."""

from __future__ import annotations

from ._native import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._native import Outcome


class Usage:
    """What a run cost; the time that handlers took is not counted."""

    __slots__ = ("cpu_seconds", "wall_seconds", "memory_bytes", "tool_calls")

    def __init__(self, cpu_ns: int, wall_ns: int, memory_bytes: int, tool_calls: int) -> None:
        self.cpu_seconds = cpu_ns / 1e9
        self.wall_seconds = wall_ns / 1e9
        #: The most memory that was charged to the sandbox at once.
        self.memory_bytes = memory_bytes
        #: Tool calls that were allowed.
        self.tool_calls = tool_calls

    def __repr__(self) -> str:
        return (
            f"Usage(cpu_seconds={self.cpu_seconds!r}, wall_seconds={self.wall_seconds!r},"
            f" memory_bytes={self.memory_bytes}, tool_calls={self.tool_calls})"
        )


class TotalUsage(Usage):
    """What several runs cost together."""

    __slots__ = ("runs",)

    def __init__(
        self, runs: int, cpu_ns: int, wall_ns: int, memory_bytes: int, tool_calls: int
    ) -> None:
        super().__init__(cpu_ns, wall_ns, memory_bytes, tool_calls)
        self.runs = runs

    def __repr__(self) -> str:
        return f"Total{super().__repr__()[:-1]}, runs={self.runs})"


class Result:
    """What a run gave: its output, its exit status, and what a JavaScript program returned.

    >>> from pinfold import Sandbox
    >>> with Sandbox() as sandbox:
    ...     result = sandbox.run("echo hello; exit 3")
    >>> result.stdout, result.exit_code, result.ok
    ('hello\\n', 3, False)
    """

    # Everything is read off the library's tuple when it is asked for: most runs are looked at for
    # their output alone, and making a result must not cost more than running `echo hi`.
    __slots__ = ("_outcome", "_stdout", "_stderr", "limit_value")

    def __init__(self, outcome: Outcome, limit_value: float | None = None) -> None:
        self._outcome = outcome
        #: What ``limit`` was: seconds, bytes or a number. None where there is none, or it is not
        #: known here.
        self.limit_value = limit_value

    @property
    def stdout(self) -> str:
        """Output as text; what is not UTF-8 is replaced."""
        try:
            return self._stdout
        except AttributeError:
            self._stdout: str = self._outcome[0].decode("utf-8", "replace")
            return self._stdout

    @property
    def stderr(self) -> str:
        """Error output as text; what is not UTF-8 is replaced."""
        try:
            return self._stderr
        except AttributeError:
            self._stderr: str = self._outcome[1].decode("utf-8", "replace")
            return self._stderr

    @property
    def stdout_bytes(self) -> bytes:
        """Output, exactly."""
        return self._outcome[0]

    @property
    def stderr_bytes(self) -> bytes:
        """Error output, exactly."""
        return self._outcome[1]

    @property
    def exit_code(self) -> int:
        """0..255; 128 + n of a program that signal n killed."""
        return self._outcome[2]

    @property
    def ok(self) -> bool:
        """The program ended with status 0."""
        return self._outcome[2] == 0

    @property
    def value(self) -> Any:
        """What a JavaScript program returned; ``None`` for undefined, null and shell."""
        text = self._outcome[3]
        return None if text is None else _parse(text)

    @property
    def value_json(self) -> str | None:
        """The JSON text of ``value``; ``None`` for undefined and shell."""
        return self._outcome[3]

    @property
    def limit(self) -> str | None:
        """``"cpu_seconds"`` or ``"wall_seconds"`` when that ended the run, ``"memory_bytes"`` or
        ``"processes"`` when it had no room for its program, ``"timeout"`` when ``run(timeout=...)``
        did; else ``None``."""
        return self._outcome[4]

    @property
    def truncated(self) -> bool:
        """Output over ``Limits.output_bytes`` was dropped."""
        return self._outcome[5] or self._outcome[6]

    @property
    def stdout_truncated(self) -> bool:
        return self._outcome[5]

    @property
    def stderr_truncated(self) -> bool:
        return self._outcome[6]

    @property
    def session_lost(self) -> bool:
        """The session's shell or Python was killed with the run; the next run starts a new one, as
        it does after a script that called ``exit``."""
        return self._outcome[7]

    @property
    def session_ended(self) -> bool:
        """The session's shell or Python is gone, with its variables and working directory: it was
        killed, or the script left it with ``exit`` (``os._exit()``) or by an error under
        ``set -e``. Files stay."""
        return self._outcome[12]

    @property
    def usage(self) -> Usage:
        """What the run cost."""
        return Usage(*self._outcome[8:12])

    def __repr__(self) -> str:
        parts = [f"stdout={_shorten(self.stdout)}"]
        if self.stderr_bytes:
            parts.append(f"stderr={_shorten(self.stderr)}")
        parts.append(f"exit_code={self.exit_code}")
        if self.value_json is not None:
            value = self.value_json
            parts.append(f"value={printable(value) if len(value) <= 200 else '...'}")
        parts += [f"{name}=True" for name in ("truncated", "session_lost") if getattr(self, name)]
        if self.limit is not None:
            parts.append(f"limit={self.limit!r}")
        return f"Result({', '.join(parts)})"


def _parse(text: str) -> Any:
    import json
    import sys

    try:
        if sys.getrecursionlimit() > _DEPTH and _deeper_than(text, _DEPTH):
            raise RecursionError  # Python itself would overrun the C stack
        return json.loads(text)
    except RecursionError:
        raise ValueError("the value is nested too deeply for Python; see value_json") from None


_DEPTH = 2000


def _deeper_than(text: str, bound: int) -> bool:
    if text.count("[") + text.count("{") <= bound:
        return False
    import re

    depth = 0
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|[][{}]', text):
        if found[0] in "[{":
            depth += 1
            if depth > bound:
                return True
        elif found[0] in "]}":
            depth -= 1
    return False


def _shorten(text: str, width: int = 200) -> str:
    shown = repr(text[:width])
    return shown if len(text) <= width else f"{shown}..."
