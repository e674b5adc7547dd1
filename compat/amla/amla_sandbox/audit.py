"""What a sandbox did, as entries in memory and lines in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Self


@dataclass
class AuditConfig:
    output_path: str | Path | None = None
    agent_id: str | None = None
    trace_id: str | None = None
    capture_binary: bool = False
    binary_dir: str | Path | None = None
    custom_enricher: Callable[[dict[str, Any]], dict[str, Any] | None] | None = None


@dataclass
class AuditEntry:
    type: str
    session_id: str
    timestamp: datetime
    data: dict[str, Any] = field(default_factory=dict)
    agent_id: str | None = None
    trace_id: str | None = None
    turn_id: int | None = None
    binary_path: str | Path | None = None

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {
            "type": self.type,
            "session_id": self.session_id,
            "timestamp": _text_of(self.timestamp),
            **self.data,
        }
        for name in ("agent_id", "trace_id", "turn_id", "binary_path"):
            value = getattr(self, name)
            if value is not None:
                out[name] = str(value) if isinstance(value, Path) else value
        return out

    def to_jsonl(self) -> str:
        return json.dumps(self.to_dict(), default=str).replace("\x7f", "\\u007f")


def _text_of(time: Any) -> str:
    return time.isoformat() if isinstance(time, datetime) else str(time)


def parse_timestamp(text: Any) -> datetime:
    """The time a text stands for; what cannot be read is now, in UTC."""
    try:
        time = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return datetime.now(UTC)
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


class AuditCollector:
    """Keeps entries, and writes each of them to a file if there is one."""

    def __init__(self, config: AuditConfig | None = None) -> None:
        self.config = config if config is not None else AuditConfig()
        self._entries: list[AuditEntry] = []
        self._turn_id = 0
        self._file: IO[str] | None = None
        if self.config.output_path is not None:
            self._file = open(self.config.output_path, "a", encoding="utf-8")

    # ------------------------------------------------------------------ entries

    @property
    def entries(self) -> list[AuditEntry]:
        return list(self._entries)

    @property
    def turn_id(self) -> int:
        return self._turn_id

    def new_turn(self) -> None:
        """What comes from now on belongs to the next turn."""
        self._turn_id += 1

    def __len__(self) -> int:
        return len(self._entries)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[AuditEntry]:
        return iter(self.entries)

    def get_entries(
        self, entry_type: str | None = None, since: datetime | None = None
    ) -> Iterator[AuditEntry]:
        for entry in self.entries:
            if entry_type is not None and entry.type != entry_type:
                continue
            if since is not None and entry.timestamp < since:
                continue
            yield entry

    def add_entry(self, entry: AuditEntry, *, write_to_file: bool = True) -> None:
        self._entries.append(entry)
        if write_to_file and self._file is not None:
            self._file.write(entry.to_jsonl() + "\n")
            self._file.flush()

    def add_entries(self, entries: Iterable[AuditEntry], *, write_to_file: bool = True) -> None:
        for entry in entries:
            self.add_entry(entry, write_to_file=write_to_file)

    def clear(self) -> None:
        self._entries.clear()

    # ------------------------------------------------------------------ from a runtime

    def drain_from_runtime(self, runtime: Any) -> list[AuditEntry]:
        """Takes what the runtime has noted since it was last asked; gives the new entries."""
        new = []
        for line in runtime.drain_audit().splitlines():
            try:
                noted = json.loads(line)
            except ValueError:
                continue
            if isinstance(noted, dict):
                entry = self._entry_of(noted)
                self.add_entry(entry)
                new.append(entry)
        return new

    def _entry_of(self, noted: dict[str, Any]) -> AuditEntry:
        if self.config.custom_enricher is not None:
            noted = self.config.custom_enricher(noted) or noted
        data = {k: v for k, v in noted.items() if k not in ("type", "session_id", "timestamp")}
        return AuditEntry(
            type=str(noted.get("type", "unknown")),
            session_id=str(noted.get("session_id", "")),
            timestamp=parse_timestamp(noted.get("timestamp")),
            data=data,
            agent_id=self.config.agent_id,
            trace_id=self.config.trace_id,
            turn_id=self._turn_id,
        )

    def capture_binary(self, hash: str, data: bytes) -> Path | None:
        """Keeps bytes as ``<binary_dir>/<hash>.bin``, if the configuration wants them kept."""
        if not self.config.capture_binary or self.config.binary_dir is None:
            return None
        folder = Path(self.config.binary_dir)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{Path(hash).name}.bin"
        path.write_bytes(data)
        return path

    # ------------------------------------------------------------------ the end

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()
