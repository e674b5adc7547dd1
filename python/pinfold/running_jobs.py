"""What still runs behind a run, in words for a model."""

from __future__ import annotations

import re
from itertools import islice

from ._native import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .core import Core

#: Prints the shell's own jobs that run, and leaves ``$?`` as it was.
LIST_JOBS = 'eval "builtin jobs -r; (exit $?)"'
_MOST = 10  # that are listed
_LOOKED_AT = 100  # of those that a script may have made up
_JOB = re.compile(r"^\[(\d+)\][-+ ]\s+Running\s+(.*?)(?: &)?$", re.MULTILINE)


def running_in_shell(sandbox: Core) -> bool:
    """Has the session's shell children that it goes on with?"""
    processes = sandbox._machine.processes()
    shells = {pid for pid, parent, _, name, _ in processes if parent == 1 and name == "bash"}
    return any(parent in shells for _, parent, *_ in processes)


def shell_jobs(listed: str) -> str:
    """Lines about the jobs of the shell, from what `jobs -r` printed."""
    found = _JOB.findall(listed)[:_MOST]
    lines = [f"\n[job %{number} running: {_short(command)}]" for number, command in found]
    if lines:
        lines.append(
            "\n(`jobs` lists them; their output comes with later runs; `wait %1`, `kill %1`)"
        )
    return "".join(lines)


def jobs_of(sandbox: Core) -> str:
    """Lines about the jobs that were started as such and still run."""
    from .jobs import Jobs

    newest = [*Jobs(sandbox)][-_LOOKED_AT:]  # type: ignore[arg-type]
    running = [*islice((job for job in newest if job.running), _MOST)]
    lines = [f"\n[job {job.id} running: {job._line()}]" for job in running]
    if lines:
        lines.append(
            "\n(of job N: /tmp/jobs/N/read prints what is new, /tmp/jobs/N/wait SECONDS waits,"
            " /tmp/jobs/N/stop ends it, /tmp/jobs/N/input is its standard input)"
        )
    return "".join(lines)


def _short(text: str) -> str:
    text = printable(text[:200])  # a script may have put itself in the place of `jobs`
    return text if len(text) <= 60 else f"{text[:59]}…"
