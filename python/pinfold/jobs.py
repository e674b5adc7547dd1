"""Jobs: what a sandbox goes on with behind the run that started it.

A job is a process group inside and a folder, /tmp/jobs/N, so that it is in snapshots, branches and
recordings as everything else: `input` is a pipe to it, `output` what it printed so far, `status`
its exit status once it has ended. `read`, `wait` and `stop` in that folder are small programs, for
scripts; the methods here run the same, not what lies there. A sandbox stands still between runs, and
so do its jobs: they go on while a run is on, `wait` included.

Scripts can write in that folder, so what is read back is what a stranger says: of some size, a
number or not, a file or something else. It never decides about anything outside.
"""

from __future__ import annotations

import asyncio
import re
import stat
import time

from ._native import printable
from .errors import BoundError, PinfoldError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .result import Result
    from .sandbox import Sandbox

FOLDER = "/tmp/jobs"

#: Starts the job, keeps its input open until `close`, and writes down how it ended.
_RUN = """\
#!/bin/bash
dir=${0%/*}
mkfifo "$dir/input" "$dir/ended"
exec 4<>"$dir/input" 5<>"$dir/ended"
trap 'exec 4>&-' USR1
trap : TERM INT HUP
"${@}" <"$dir/input" 4>&- 5>&- >>"$dir/output" 2>&1 &
job=$!
echo $$ >"$dir/pid"
while wait $job; status=$?; kill -0 $job 2>/dev/null; do :; done
wait $job 2>/dev/null
echo $status >"$dir/status"
echo >&5
"""
_READ = """\
#!/bin/bash
# Prints what the job has printed since the last time.
dir=${0%/*}
seen=$(cat "$dir/seen")
size=$(stat -c %s "$dir/output")
tail -c +$((seen + 1)) "$dir/output" | head -c $((size - seen))
echo $size >"$dir/seen"
"""
_WAIT = """\
#!/bin/bash
# Waits until the job has ended, at most so many seconds; its status, or 124.
dir=${0%/*}
[ -p "$dir/ended" ] && exec 5<>"$dir/ended"
[ -e "$dir/status" ] || read -r -t "${1-10}" -u 5 || [ -e "$dir/status" ] || exit 124
exit "$(cat "$dir/status")"
"""
_STOP = """\
#!/bin/bash
# Ends the job: SIGTERM, and SIGKILL when it is still there after so many seconds.
dir=${0%/*}
[ -e "$dir/status" ] && exit
pid=$(cat "$dir/pid")
kill -TERM -- -$pid 2>/dev/null
(exec 5<>"$dir/ended" && read -r -t "${1-2}" -u 5)
[ -e "$dir/status" ] && exit
kill -KILL -- -$pid 2>/dev/null
echo 137 >"$dir/status"
"""
_PROGRAMS = {"run": _RUN, "read": _READ, "wait": _WAIT, "stop": _STOP}
#: The same for who is outside, without a look at what may hold one up: a script can put a FIFO there.
_AWAIT = """\
cd {folder} && [ -p ended ] && exec 5<>ended || exit 0
[ -e status ] || read -r -t {seconds:.3f} -u 5
exit 0
"""
#: What runs a script of a language, from its file.
_INTERPRETERS = {
    "shell": "/bin/bash",
    "javascript": "/usr/bin/js",
    "typescript": "/usr/bin/js --typescript",
    "python": "/usr/bin/python3 -u",
}
#: A larger file of a job's folder is not looked at; its output may have any size.
_CODE_BYTES, _NUMBER_BYTES = 1 << 20, 32
_MOST = 1000  # that are listed: those with the highest numbers
_LAST = 999_999_999  # the highest number
_PAUSE = 0.01
_GRACE = 2.0  # seconds between SIGTERM and SIGKILL
_LATE = 2.0  # that a script of this module may take beyond those it waits
_SLICE = 4.0  # seconds of one wait, since a run has limits of its own


class JobError(PinfoldError):
    """A job cannot do what was asked of it."""


class Job:
    """Something that a sandbox goes on with behind the run that started it."""

    __slots__ = ("_sandbox", "id")

    def __init__(self, sandbox: Sandbox, id: int) -> None:
        self._sandbox = sandbox
        #: Its number, from 1 on.
        self.id = id

    @property
    def folder(self) -> str:
        """Its folder inside."""
        return f"{FOLDER}/{self.id}"

    @property
    def code(self) -> str:
        """The script that it runs."""
        return self._read("code").decode(errors="replace")

    @property
    def exit_code(self) -> int | None:
        """How it ended; ``None`` while it runs. 137 when it was killed."""
        code = self._number("status")
        if code is not None and code < 256:
            return code
        return None if self._alive() else 137

    @property
    def running(self) -> bool:
        """Has it not ended yet?"""
        return self.exit_code is None

    @property
    def output(self) -> str:
        """All that it has printed so far, to both streams."""
        return self._read("output").decode(errors="replace")

    def read(self, *, max_bytes: float | None = None) -> str:
        """What it has printed since the last `read`, to both streams. An output of more than
        ``max_bytes`` altogether (``memory_bytes`` of the sandbox) is a `BoundError`."""
        data = self._read("output", max_bytes)
        seen = self._number("seen") or 0
        self._put("seen", f"{len(data)}\n")
        return data[seen:].decode(errors="replace")

    def write(self, data: bytes | str) -> None:
        """Sends it this on its standard input. What it does not read at once waits inside; while
        more waits than a pipe holds (64 KiB), a further write is a `JobError`."""
        self._done(self._sandbox.run(self._written(data), isolated=True))

    def close_input(self) -> None:
        """Ends its standard input."""
        self._started()
        self._done(self._sandbox.run(self._closing(), isolated=True))

    def wait(self, timeout: float | None = None) -> int | None:
        """Lets the sandbox run until the job has ended, at most ``timeout`` seconds; gives its exit
        code, or ``None`` when it still runs. Tool calls that it makes are answered."""
        for seconds in self._slices(timeout):
            began = time.monotonic()
            result = self._sandbox.run(self._await(seconds), isolated=True, timeout=seconds + _LATE)
            if not self.running or result.limit is not None:
                break
            if self._hurried(seconds, began):
                time.sleep(_PAUSE)
        return self.exit_code

    def stop(self) -> int | None:
        """Ends it: SIGTERM, and SIGKILL when it is still there after two seconds. Gives its exit
        code."""
        for script in self._ends():
            self._sandbox.run(script, isolated=True, timeout=_GRACE + _LATE)
        return self.exit_code

    async def awrite(self, data: bytes | str) -> None:
        """As `write`, async."""
        self._done(await self._sandbox.arun(self._written(data), isolated=True))

    async def aclose_input(self) -> None:
        """As `close_input`, async."""
        self._started()
        self._done(await self._sandbox.arun(self._closing(), isolated=True))

    async def await_(self, timeout: float | None = None) -> int | None:
        """As `wait`, async."""
        for seconds in self._slices(timeout):
            began = time.monotonic()
            result = await self._sandbox.arun(
                self._await(seconds), isolated=True, timeout=seconds + _LATE
            )
            if not self.running or result.limit is not None:
                break
            if self._hurried(seconds, began):
                await asyncio.sleep(_PAUSE)
        return self.exit_code

    async def astop(self) -> int | None:
        """As `stop`, async."""
        for script in self._ends():
            await self._sandbox.arun(script, isolated=True, timeout=_GRACE + _LATE)
        return self.exit_code

    # ------------------------------------------------------------------ inside

    def _read(self, name: str, max_bytes: float | None = None) -> bytes:
        """A file of its folder; empty when there is none, or something else of that name."""
        try:
            return self._sandbox.files.read(f"{self.folder}/{name}", max_bytes=max_bytes)
        except (KeyError, OSError):
            return b""

    def _number(self, name: str) -> int | None:
        try:
            text = self._read(name, _NUMBER_BYTES)
        except BoundError:
            return None
        found = re.fullmatch(rb"\s*([0-9]{1,18})\s*", text)
        return int(found[1]) if found else None

    def _put(self, name: str, data: bytes | str) -> None:
        try:
            self._sandbox.files[f"{self.folder}/{name}"] = data
        except OSError as error:
            raise JobError(f"job {self.id}: its file {name!r}: {error.strerror}") from None

    def _alive(self) -> bool:
        """Is its first process there, and no other one of that number?"""
        pid = self._number("pid")
        if pid is None:
            return False
        try:
            words = self._sandbox.files.read(f"/proc/{pid}/cmdline", max_bytes=_CODE_BYTES)
        except (KeyError, OSError, BoundError):
            return False
        return f"{self.folder}/run".encode() in words.split(b"\0")

    def _await(self, seconds: float) -> str:
        return _AWAIT.format(folder=self.folder, seconds=seconds)

    def _ends(self) -> Iterator[str]:
        """Runs that end it; it may have written down itself that it has ended."""
        pid = self._number("pid")
        if not pid or pid == 1 or not self._alive():  # 1 would be everybody
            return
        yield f"kill -TERM -- -{pid} 2>/dev/null\n{self._await(_GRACE)}"
        if self._alive():
            yield f"kill -KILL -- -{pid}"

    def _closing(self) -> str:
        return f"kill -USR1 {self._number('pid') or 0}"

    def _started(self) -> None:
        if not self.running:
            raise JobError(f"job {self.id} has ended, with status {self.exit_code}")

    def _written(self, data: bytes | str) -> str:
        """Puts down what is to be written; gives the script that hands it to the pipe. The writer
        stays behind the run when the pipe is full; one at a time keeps the order."""
        self._started()
        if f"{self.folder}/unread" in self._sandbox.files:
            raise JobError(f"job {self.id} has not read what it was sent before")
        self._put("unread", data)
        return f"cd {self.folder}; {{ cat unread; rm unread; }} >input &"

    def _done(self, result: Result) -> None:
        if not result.ok:
            why = printable(result.stderr.strip()[:200])
            raise JobError(f"job {self.id}: {why or 'it cannot be reached'}")

    def _slices(self, timeout: float | None) -> Iterator[float]:
        """One run may take only so long, so a wait is several."""
        import math

        if timeout is not None and (not math.isfinite(timeout) or timeout < 0):
            raise ValueError(f"timeout is seconds from 0 on, or None, not {timeout!r}")
        limits = self._sandbox.limits
        bounds = [limit / 2 for limit in (limits.cpu_seconds, limits.wall_seconds) if limit]
        most = min([_SLICE, *bounds])
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = most if end is None else end - time.monotonic()
            yield max(0.001, min(most, left))
            if end is not None and time.monotonic() >= end:
                return

    def _hurried(self, seconds: float, began: float) -> bool:
        """It did not wait, because of what a script has put into the folder, or of a fixed clock:
        whoever waits is not to do nothing but ask."""
        return time.monotonic() - began < min(_PAUSE, seconds / 2)

    def __repr__(self) -> str:
        code = self.exit_code
        state = "running" if code is None else f"ended with {code}"
        return f"<Job {self.id} {state}: {self._line()}>"

    def _line(self) -> str:
        try:
            text = self._read("code", _CODE_BYTES)[:1000].decode(errors="replace")
        except BoundError:
            text = "\n"  # no script of ours is so long
        lines = text.strip().splitlines()
        line = printable(lines[0]) if lines else ""
        return line if len(line) <= 60 and len(lines) < 2 else f"{line[:59]}…"


class Jobs:
    """The jobs of a sandbox, by their numbers.

    >>> from pinfold import Sandbox
    >>> with Sandbox() as sandbox:
    ...     job = sandbox.jobs.start("read name; echo hello $name; sleep 100")
    ...     job.write("Ada\\n")
    ...     job.wait(0.1), job.read(), job.stop()
    (None, 'hello Ada\\n', 143)
    """

    __slots__ = ("_sandbox",)

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def start(self, code: str, language: str = "shell") -> Job:
        """Starts a script and goes on: the job has the working directory and the environment of
        the sandbox's shell, but not its other variables. A Python script is a program, not a
        cell."""
        job, script = self._prepared(code, language)
        self._sandbox.run(script)
        return job

    async def astart(self, code: str, language: str = "shell") -> Job:
        """As `start`, async."""
        job, script = self._prepared(code, language)
        await self._sandbox.arun(script)
        return job

    def _prepared(self, code: str, language: str) -> tuple[Job, str]:
        if language not in _INTERPRETERS:
            known = ", ".join(_INTERPRETERS)
            raise ValueError(f"there is no language {language!r} for jobs: {known}")
        job = Job(self._sandbox, self._free())
        for name, text in _PROGRAMS.items():
            job._put(name, text)
        job._put("code", code)
        job._put("output", "")
        job._put("seen", "0\n")
        folder, how = job.folder, _INTERPRETERS[language]
        programs = " ".join(f"{folder}/{name}" for name in _PROGRAMS)
        # Through a shell in between, so that the session's own list of jobs stays as it is.
        return job, (
            f"(command chmod +x {programs};"
            f" command setsid {folder}/run {how} {folder}/code </dev/null >/dev/null 2>&1 &)"
        )

    def _free(self) -> int:
        """The number behind the highest; one that is free when a script has taken the last."""
        ids = self._ids()
        if not ids or ids[-1] < _LAST:
            return max([0, *ids]) + 1
        taken = {*ids}
        return next(id for id in range(_LAST, 0, -1) if id not in taken and id not in self)

    def _ids(self) -> list[int]:
        try:
            names = self._sandbox.files.list(FOLDER)
        except (OSError, BoundError):  # there was none yet, or a script has put what is no folder
            return []
        return sorted(int(name) for name in names if re.fullmatch(r"[1-9][0-9]{0,8}", name))[
            -_MOST:
        ]

    def __getitem__(self, id: int) -> Job:
        if id not in self:
            raise KeyError(f"there is no job {id!r}")
        return Job(self._sandbox, id)

    def __iter__(self) -> Iterator[Job]:
        return iter([Job(self._sandbox, id) for id in self._ids()])

    def __len__(self) -> int:
        return len(self._ids())

    def __contains__(self, id: Any) -> bool:
        if isinstance(id, bool) or not isinstance(id, int) or not 0 < id <= _LAST:
            return False
        try:
            return stat.S_ISDIR(self._sandbox._machine.file_lstat(f"{FOLDER}/{id}")[0])
        except OSError:
            return False

    @property
    def running(self) -> list[Job]:
        """Those that have not ended."""
        return [job for job in self if job.running]

    def __repr__(self) -> str:
        return f"<Jobs {list(self)!r}>"
