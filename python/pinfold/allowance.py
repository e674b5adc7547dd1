"""What a worker is allowed: memory, time, and the length of what it answers, as the limits of its
sandbox have it. `pinfold.remote` holds it to that."""

from __future__ import annotations

import json
import time

from .accounts import MOST_BYTES, MOST_PENDING, limit
from .limits import MIB

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._native import Settings
    from .link import Link

#: What a worker may be late by, besides a fifth of its limits of time, and may take for a question.
GRACE_SECONDS = 10.0
#: What it has for one that is about all of its memory or files.
BULK_SECONDS = 60.0
#: Beyond the limits on memory: Python itself, the images' templates, what a result is copied into.
_OVERHEAD_BYTES = 512 * MIB
#: Of a program's memory: CPU_SLOT_BYTES of host/cpu/memory.h; and programs besides the limit.
_SLOT_BYTES = 9 << 30
_SPARE_SLOTS = 64
_MOST_PROCESSES = 1024
#: What a trace may be longer than its bound before the system ends it.
_TRACE_SPARE_BYTES = 1 * MIB
#: Bytes of a name in a directory, and of what is said about a process.
_NAME_BYTES = 300
_PROCESS_BYTES = 1 << 13
#: Bytes and values of an answer that is about nothing large.
_SMALL = (1 << 16, 64)

#: Texts of what a portable snapshot leaves out.
_MOST_LEFT_OUT = 1 << 16

#: What lets the guest run, and may be followed by events before it is answered.
DRIVES = frozenset(("start", "resume", "fail", "advance"))


class Allowance:
    """Of one worker; None is what has no limit."""

    def __init__(self, settings: Settings) -> None:
        memory = limit(settings, "memory_bytes") + limit(settings, "filesystem_bytes")
        self.memory = None if memory >= MOST_BYTES else memory + _OVERHEAD_BYTES
        processes = min(limit(settings, "processes"), _MOST_PROCESSES) + _SPARE_SLOTS
        self.address_space = processes * _SLOT_BYTES + min(memory, _SLOT_BYTES)
        trace = limit(settings, "trace_bytes")
        self.trace = None if trace >= MOST_BYTES else trace + _TRACE_SPARE_BYTES
        #: Seconds of a run.
        self.wall = _seconds(settings, "wall_ms")
        self.cpu = _seconds(settings, "cpu_ms")
        self.capabilities = _capabilities(settings)
        self._sizes = self._sizes_of(settings)

    def answer(self, name: str) -> tuple[int, int]:
        """What the answer to a question may be at most, in bytes and values."""
        return self._sizes.get(name, _SMALL)

    def _sizes_of(self, settings: Settings) -> dict[str, tuple[int, int]]:
        most = MOST_BYTES if self.memory is None else self.memory
        drive = limit(settings, "output_bytes") * 2 + limit(settings, "tool_result_bytes")
        drive += limit(settings, "tool_argument_bytes") + (1 << 17)
        files, tools = limit(settings, "files"), len(settings[2])
        return {
            **dict.fromkeys(
                ("file_read", "snapshot", "branch", "mount_tar", "file_tar"), (most, 8)
            ),
            **dict.fromkeys(DRIVES, (min(drive, most), MOST_PENDING + 32)),
            "snapshot_portable": (most, _MOST_LEFT_OUT + 8),
            "left_out": (most, _MOST_LEFT_OUT + 8),
            "file_list": (min(files * _NAME_BYTES + _SMALL[0], most), min(files, most) + 8),
            "processes": (_MOST_PROCESSES * _PROCESS_BYTES, _MOST_PROCESSES * 8),
            "tool_names": (tools * 1024 + _SMALL[0], tools * 6 + 8),
            "new": (most, MOST_PENDING * 9 + self.capabilities + 64),
        }


class RunTime:
    """What a run has used of it: the time that the worker had, and its processor time."""

    def __init__(self, allowance: Allowance) -> None:
        self._allowance = allowance
        self.begin(None)

    def begin(self, link: Link | None) -> None:
        """What a run may use counts from here on."""
        self._worked = 0.0  # seconds that the worker had
        self._idle_since = time.monotonic()
        self._cpu_before = 0.0 if link is None else link.cpu_seconds()

    def carry_on(self, link: Link | None, other: RunTime, others_link: Link | None) -> None:
        """What the run of another worker has used counts here."""
        self._worked = other._worked
        used = 0.0 if others_link is None else others_link.cpu_seconds() - other._cpu_before
        self._cpu_before = (0.0 if link is None else link.cpu_seconds()) - used

    def wall_left(self) -> float | None:
        most = self._allowance.wall
        return None if most is None else max(0.0, most - self._worked)

    def cpu_left(self, link: Link | None) -> float:
        most = self._allowance.cpu
        if link is None or most is None:
            return 0.0
        return most - (link.cpu_seconds() - self._cpu_before)

    def waited(self) -> None:
        """Since the last drive nobody but the worker was waited for."""
        self._worked += time.monotonic() - self._idle_since

    def drove(self, began: float, outside: float) -> None:
        """It had the time since then, but for seconds that were others'."""
        self._idle_since = time.monotonic()
        self._worked += self._idle_since - began - outside


def _seconds(settings: Settings, name: str) -> float | None:
    most = limit(settings, name)
    return None if most >= MOST_BYTES else most / 1000 * 1.2 + GRACE_SECONDS


def _capabilities(settings: Settings) -> int:
    return len(json.loads(settings[3]).get("capabilities", [])) if settings[3] else 0
