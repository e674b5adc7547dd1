"""The audit log: every run, decision and answer as an entry, in a file or given to a function.

An entry is written before anything comes of it: the decision about a call before its handler is
called, its answer before the guest gets it. A file is opened with O_APPEND and each entry is one
line and one write, so several sandboxes and processes may share it, and nothing that was written
is lost when the process dies.
"""

from __future__ import annotations

import json
import os
import stat
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, TypedDict

from ._native import printable
from .capability import MethodCapability
from .errors import AuditFull
from .limits import MIB

REDACTED = "[redacted]"


class Entry(TypedDict, total=False):
    """One entry. ``event`` decides what is in it; `AuditLog` explains them."""

    time: float
    sandbox: str
    event: Literal["run", "decision", "answer", "edit", "result", "full"]
    preview: bool
    language: str
    code: str
    id: int
    method: str
    name: str
    params: Any
    outcome: str
    rule: dict[str, Any] | None
    message: str
    ok: bool
    error: str
    duration: float
    result_bytes: int
    exit_code: int
    limit: str | None
    cpu_seconds: float
    wall_seconds: float
    tool_calls: int


def _is_torn(path: str | os.PathLike[str]) -> bool:
    """Did somebody stop in the middle of one? What cannot be read (a pipe) is not looked at."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb") as file:
            if file.seek(0, os.SEEK_END) == 0:
                return False
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"
    except OSError:
        return False


class AuditLog:
    """Where a sandbox writes what it does: ``Sandbox(audit=AuditLog("calls.jsonl"))``.

    ``to`` is a path (JSON Lines, appended to) or a function that is given each `Entry`. Values of
    parameters named in ``redact``, at any depth, are replaced by ``"[redacted]"``, also where a
    message or an error would repeat them. ``code=True`` adds the text of programs. ``fields`` are
    added to every entry.

    All entries have ``time`` (seconds since 1970), ``sandbox`` (an id) and ``event``:

    * ``run``: a run starts: ``language``.
    * ``decision``: the gate has decided about a call: ``outcome`` (``allowed``, ``ask``,
      ``denied``, ``limit``, ``invalid``, ``unknown``), ``method``, ``name``, ``params``, ``rule``
      (the capability that allowed it, or the first that is about the method), and ``id`` when it
      is allowed, else ``message``. The calls that wait in a snapshot are decided about anew when it
      is restored; these entries have the ``id`` in any case.
    * ``answer``: a call is answered: ``id``, ``method``, ``ok``, ``duration`` in seconds, and
      ``result_bytes`` or ``error``.
    * ``edit``: a call was approved with other arguments: ``id``, ``method``, ``params``, which its
      handler is called with.
    * ``result``: a run is over: ``exit_code``, ``limit``, ``cpu_seconds``, ``wall_seconds``,
      ``tool_calls``.
    * ``full``: the run has come to ``max_entries`` or ``max_bytes``; ``message`` says which.

    What a preview does (`Sandbox.preview`) has the ``sandbox`` and the ids of what it is of, and
    ``preview: true``; when it is accepted, the same entries come again without that.

    A script cannot fill a disk by what it asks for: one run writes ``max_entries`` and about
    ``max_bytes`` at most; ``None`` lifts a bound. The entry that would go over becomes one of the
    event ``full``, the last of that run, and the run ends with `AuditFull`: what is not logged does
    not happen. Of calls over the limit ``tool_calls`` a run logs the first.

    >>> from pinfold import Sandbox
    >>> entries = []
    >>> with Sandbox(audit=AuditLog(entries.append)) as sandbox:
    ...     _ = sandbox.run("tool pay --card 4111")
    >>> [entry["event"] for entry in entries]
    ['run', 'decision', 'result']
    >>> entries[1]["outcome"], entries[1]["params"]
    ('unknown', {'card': 4111})
    """

    def __init__(
        self,
        to: str | os.PathLike[str] | Callable[[Entry], object],
        *,
        redact: Iterable[str] = (),
        code: bool = False,
        fields: Mapping[str, Any] | None = None,
        max_entries: int | None = 100_000,
        max_bytes: int | None = 256 * MIB,
    ) -> None:
        for name, most in (("max_entries", max_entries), ("max_bytes", max_bytes)):
            if most is not None and (isinstance(most, bool) or not isinstance(most, int)):
                raise TypeError(f"{name} is an int or None, not {most!r}")
            if most is not None and most < 1:
                raise ValueError(f"{name} is 1 or more, not {most!r}; None lifts the bound")
        self.max_entries, self.max_bytes = max_entries, max_bytes
        if isinstance(redact, str):
            raise TypeError(f"redact is a list of parameter names, not {redact!r}")
        self._redact = frozenset(redact)
        self._fields = dict(fields or {})
        self.with_code = code
        self._give: Callable[[Entry], object]
        if callable(to):
            self._give = to
        else:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            self._file = os.open(to, flags, 0o600)
            self._torn = _is_torn(to)
            self._give = self._append

    def _append(self, entry: Entry) -> None:
        text = json.dumps(entry, ensure_ascii=False, default=str)
        # A surrogate is written as JSON writes it, and so is what a terminal would act on.
        text = text.encode("utf-8", "backslashreplace").decode()
        data = printable(text).encode() + b"\n"
        if self._torn:  # what is there stays a line of its own
            data = b"\n" + data
        written = os.write(self._file, data)
        self._torn = 0 < written < len(data) or (self._torn and written == 0)
        if written != len(data):
            raise OSError("the audit log could not be written completely")

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            os.close(self._file)

    def write(self, entry: Entry) -> None:
        """Adds an entry. An exception here ends the run: what is not logged does not happen."""
        self._give({**self._fields, "time": time.time(), **entry})  # type: ignore[typeddict-item]

    # ------------------------------------------------------------------ redaction

    def clean(self, value: Any) -> Any:
        """The value with what is secret replaced."""
        if not self._redact:
            return value
        if isinstance(value, dict):
            return {
                key: REDACTED if key in self._redact else self.clean(item)
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [self.clean(item) for item in value]
        return value

    def secrets(self, value: Any) -> list[str]:
        """The texts that must not be repeated: of everything below a redacted name."""
        found: list[str] = []
        if isinstance(value, dict):
            for key, item in value.items():
                found += _texts(item) if key in self._redact else self.secrets(item)
        elif isinstance(value, list):
            for item in value:
                found += self.secrets(item)
        return found

    def clean_text(self, text: str, secrets: Iterable[str]) -> str:
        """A message without the secrets. Where one is named, what comes after it may show a part
        of its value, so that is cut."""
        for secret in sorted(secrets, key=len, reverse=True):
            text = text.replace(secret, REDACTED)
        for name in self._redact:
            before, found, _ = text.partition(name)
            if found:
                text = f"{before}{name} {REDACTED}"
        return text


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    text = value if isinstance(value, str) else json.dumps(value)
    if not text:
        return []
    quoted = [json.dumps(text, ensure_ascii=ascii)[1:-1] for ascii in (True, False)]
    return [text, *quoted, *(printable(written) for written in (text, quoted[1]))]


class Auditor:
    """An `AuditLog` at work for one sandbox."""

    def __init__(self, log: AuditLog, capabilities: list[MethodCapability]) -> None:
        self._log = log
        self._capabilities = capabilities
        self._sandbox = uuid.uuid4().hex
        self._started: dict[int, tuple[float, list[str]]] = {}
        self._entries = self._bytes = 0  # of the run that is on
        self._full: str | None = None
        self._preview = False

    def _write(self, entry: Entry) -> None:
        """What it has of texts that come from the script is most of its size."""
        log = self._log
        if self._preview:
            entry["preview"] = True
        if self._full is None:
            self._entries += 1
            self._bytes += 300 + sum(len(text) for text in entry.values() if isinstance(text, str))
            self._bytes += _size(entry.get("params"))
            if log.max_entries is not None and self._entries > log.max_entries:
                self._full = f"a run has written {log.max_entries} entries (max_entries)"
            elif log.max_bytes is not None and self._bytes > log.max_bytes:
                self._full = f"a run has written {log.max_bytes} bytes (max_bytes)"
            if self._full is None:
                log.write(entry)
                return
            log.write({"sandbox": self._sandbox, "event": "full", "message": self._full})
        raise AuditFull(f"the audit log takes no more of this run: {self._full}")

    def inside(self, id: int) -> AbstractContextManager[object]:
        return nullcontext()

    def branch(self) -> Auditor:
        """Of a fork."""
        return Auditor(self._log, self._capabilities)

    def preview(self) -> Auditor:
        """Of what might be."""
        made = Auditor(self._log, self._capabilities)
        made._sandbox, made._preview = self._sandbox, True
        made._entries, made._bytes = self._entries, self._bytes
        made._started = dict(self._started)
        return made

    def edited(self, id: int, method: str, params: str) -> None:
        """A call is made with other arguments, which have secrets of their own."""
        given = _parsed(params)
        started, secrets = self._started.get(id, (time.perf_counter(), []))
        self._started[id] = started, [*secrets, *self._log.secrets(given)]
        self._write(
            {
                "sandbox": self._sandbox,
                "event": "edit",
                "id": id,
                "method": method,
                "params": self._log.clean(given),
            }
        )

    def run(self, code: str, language: str) -> None:
        self._entries = self._bytes = 0
        self._full = None
        entry: Entry = {"sandbox": self._sandbox, "event": "run", "language": language}
        if self._log.with_code:
            entry["code"] = code
        self._write(entry)

    def decided(
        self,
        id: int,
        outcome: str,
        method: str,
        name: str,
        params: str | None,
        capability: int,
        message: str | None,
    ) -> None:
        given = _parsed(params)
        rule = self._capabilities[capability].to_dict() if capability >= 0 else None
        secrets = self._log.secrets(given)
        entry: Entry = {
            "sandbox": self._sandbox,
            "event": "decision",
            "outcome": outcome,
            "method": method,
            "name": name,
            "params": self._log.clean(given),
            "rule": rule,
        }
        if id:
            entry["id"] = id
        if message is not None:
            entry["message"] = self._log.clean_text(message, secrets)
        else:
            self._started[id] = time.perf_counter(), secrets
        self._write(entry)

    def answered(self, id: int, method: str, text: str | None, error: str | None) -> None:
        started, secrets = self._started.pop(id, (None, []))
        entry: Entry = {
            "sandbox": self._sandbox,
            "event": "answer",
            "id": id,
            "method": method,
            "ok": error is None,
        }
        if started is not None:  # else it was made before a snapshot
            entry["duration"] = time.perf_counter() - started
        if error is not None:
            entry["error"] = self._log.clean_text(error, secrets)
        elif text is not None:
            entry["result_bytes"] = len(text.encode("utf-8", "replace"))
        self._write(entry)

    def result(self, outcome: Any) -> None:
        self._started.clear()
        self._write(
            {
                "sandbox": self._sandbox,
                "event": "result",
                "exit_code": outcome[2],
                "limit": outcome[4],
                "cpu_seconds": outcome[8] / 1e9,
                "wall_seconds": outcome[9] / 1e9,
                "tool_calls": outcome[11],
            }
        )


def _size(value: Any) -> int:
    """About the bytes of a JSON value; it is no deeper than the engine lets arguments be."""
    size, todo = 0, [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            todo += item.keys()
            todo += item.values()
        elif isinstance(item, list):
            todo += item
        size += 4 + (len(item) if isinstance(item, str) else 4)
    return size


def _parsed(params: str | None) -> Any:
    if params is None:
        return None
    try:
        return json.loads(params)
    except (ValueError, RecursionError):
        return None
