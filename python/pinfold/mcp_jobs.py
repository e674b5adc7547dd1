"""The tools of the MCP server that are about jobs: what goes on behind the call that started it."""

from __future__ import annotations

from .errors import BoundError, ToolError
from .jobs import JobError
from .shown import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from typing import Any

    from .jobs import Job
    from .sandbox_tool import SandboxTool

    #: The sandbox of a session, by its id and who calls, while it is in use.
    Using = Callable[[str, str | None], AbstractAsyncContextManager[SandboxTool]]

_OUTPUT_BYTES = 64 << 20
_LONGEST = 60.0  # seconds that one call waits
_WITHOUT_SESSION = "jobs live in a session, and this client has none: open_session gives one"


def job_tools(
    using: Using, own: Callable[[Any], str | None], language_of: Callable[[str], str], first: str
) -> list[tuple[Any, str]]:
    """The functions, each with its description. ``language_of`` refuses languages that clients may
    not use; ``first`` is that of a job whose starter names none."""

    def session_of(context: Any, session: str) -> AbstractAsyncContextManager[SandboxTool]:
        if not session and own(context) is None:
            raise ToolError(_WITHOUT_SESSION)
        return using(session, own(context))

    async def start_job(context: Any, code: str, language: str = first, session: str = "") -> str:
        async with session_of(context, session) as tool:
            job = await tool.sandbox.jobs.astart(code, language_of(language))
            return _state(job, tool)

    async def list_jobs(context: Any, session: str = "") -> str:
        async with session_of(context, session) as tool:
            lines = [_line(job) for job in tool.sandbox.jobs]
        return "\n".join(lines) or "(no jobs)"

    async def read_job(context: Any, job: int, session: str = "") -> str:
        async with session_of(context, session) as tool:
            return _state(_found(tool, job), tool)

    async def write_job(
        context: Any, job: int, input: str, end: bool = False, session: str = ""
    ) -> str:
        async with session_of(context, session) as tool:
            found = _found(tool, job)
            try:
                if input:
                    await found.awrite(input)
                if end:
                    await found.aclose_input()
            except JobError as error:
                raise ToolError(str(error)) from None
            return _state(found, tool)

    async def wait_job(context: Any, job: int, seconds: float = 10, session: str = "") -> str:
        if not 0 <= seconds <= _LONGEST:
            raise ToolError(f"seconds is a number from 0 to {_LONGEST:g}")
        async with session_of(context, session) as tool:
            found = _found(tool, job)
            await found.await_(seconds)
            return _state(found, tool)

    async def stop_job(context: Any, job: int, session: str = "") -> str:
        async with session_of(context, session) as tool:
            found = _found(tool, job)
            await found.astop()
            return _state(found, tool)

    return [
        (
            start_job,
            "Starts a script that goes on behind this call, and gives its number. It runs while"
            " other calls of the session run, and in wait_job.",
        ),
        (list_jobs, "Lists the jobs of the session."),
        (read_job, "Gives what a job has printed since it was last asked."),
        (write_job, "Sends text to a job's standard input; end=true ends the input after it."),
        (wait_job, "Waits until a job has ended, at most `seconds` (10); gives what it printed."),
        (stop_job, "Ends a job."),
    ]


def _found(tool: SandboxTool, id: int) -> Job:
    if id not in tool.sandbox.jobs:
        raise ToolError(f"there is no job {id}; list_jobs lists them")
    return tool.sandbox.jobs[id]


def _line(job: Job) -> str:
    code = job.exit_code
    state = "running" if code is None else f"ended with {code}"
    return f"[job {job.id} {state}: {job._line()}]"


def _state(job: Job, tool: SandboxTool) -> str:
    try:
        text = job.read(max_bytes=_OUTPUT_BYTES)
    except BoundError:
        text = f"(more than can be given: it is in {job.folder}/output)"
    most = tool.output_characters
    if most is not None and len(text) > most:
        text = shorten(text, most)
    return f"{text.rstrip()}\n{_line(job)}".lstrip("\n")
