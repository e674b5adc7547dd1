"""What the operator says: a TOML file of tenants, their keys, policies, limits and quotas."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..capability import MethodCapability, load_policy
from ..limits import DEFAULTS, Limits
from .addresses import checked

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class ConfigError(ValueError):
    """A configuration that cannot be accepted. Nothing is ever ignored."""


class Tenant(NamedTuple):
    """Whose sandboxes, and how many and how large they may be."""

    name: str
    #: Public keys of the issuers of its tokens.
    keys: tuple[bytes, ...]
    #: What its sandboxes may call at most; None: what its tokens say.
    policy: list[MethodCapability] | None
    limits: Limits
    #: Sessions in the store, sandboxes in memory, runs that are on.
    sessions: int
    live: int
    runs: int
    #: Bytes of a file or snapshot that comes in.
    upload_bytes: int
    #: A call waits for its answer so long, in seconds; None: as long as it takes.
    call_seconds: float | None
    #: Where calls are sent to, instead of waiting for who asks; and what its requests prove.
    webhook: str | None
    webhook_secret: str | None
    #: Of sessions that are recorded: bytes of a trace, and how many of them the store keeps.
    record_bytes: int
    traces: int


class Config(NamedTuple):
    tenants: dict[str, Tenant]
    #: An idle or waiting sandbox leaves memory after so many seconds.
    idle_seconds: float
    #: All tenants together.
    live: int
    #: Threads in which sandboxes work.
    threads: int
    #: How long a stop waits for runs that are on.
    grace_seconds: float
    #: A server that hangs keeps its sessions from others for so long.
    lease_seconds: float
    #: Addresses of other servers, to which requests about their sessions are passed on.
    peers: tuple[str, ...]
    isolation: Any


_SERVER = {
    "idle_seconds",
    "live",
    "threads",
    "grace_seconds",
    "lease_seconds",
    "peers",
    "isolation",
}
_TENANT = {
    "keys",
    "policy",
    "limits",
    "sessions",
    "live",
    "runs",
    "upload_bytes",
    "call_seconds",
} | {
    "webhook",
    "webhook_secret",
    "record_bytes",
    "traces",
}


def read(path: str) -> Config:
    """The configuration in a file; policies are files beside it."""
    try:
        with open(path, "rb") as file:
            given = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    try:
        return config(given, Path(path).parent)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None


def config(given: dict[str, Any], folder: Path = Path()) -> Config:
    """A configuration from what a file has."""
    _known("", given, {"server", "tenants"})
    server = given.get("server", {})
    _known("server: ", server, _SERVER)
    if server.get("isolation", "process") not in ("process", "none"):
        raise ConfigError('server: isolation is "process" or "none"')
    tenants = given.get("tenants") or {}
    if not tenants:
        raise ConfigError("there is no [tenants.NAME]: nobody could use the service")
    return Config(
        {name: _tenant(name, entry, folder) for name, entry in tenants.items()},
        _number("server", server, "idle_seconds", 60.0),
        int(_number("server", server, "live", 500)),
        int(_number("server", server, "threads", 32)),
        _number("server", server, "grace_seconds", 20.0),
        _number("server", server, "lease_seconds", 20.0),
        checked(server.get("peers", [])),
        "process" if server.get("isolation", "process") == "process" else None,
    )


def _tenant(name: str, given: Any, folder: Path) -> Tenant:
    where = f"tenants.{name}"
    if not NAME.fullmatch(name):
        raise ConfigError(f"{where}: a name has letters, digits, ., _ and -")
    if not isinstance(given, dict):
        raise ConfigError(f"{where}: expected a table")
    _known(f"{where}: ", given, _TENANT)
    webhook = given.get("webhook")
    if webhook is not None and urlsplit(str(webhook)).scheme not in ("http", "https"):
        raise ConfigError(f"{where}: webhook is an http or https URL, not {webhook!r}")
    limits = given.get("limits", {})
    _known(f"{where}: limits: ", limits, set(DEFAULTS))
    seconds = given.get("call_seconds")
    return Tenant(
        name,
        tuple(_key(where, text) for text in _list(where, given, "keys")),
        load_policy(folder / given["policy"]) if "policy" in given else None,
        Limits(**limits),
        int(_number(where, given, "sessions", 1000)),
        int(_number(where, given, "live", 100)),
        int(_number(where, given, "runs", 16)),
        int(_number(where, given, "upload_bytes", 64 << 20)),
        None if seconds is None else _number(where, given, "call_seconds", 0.0),
        webhook,
        given.get("webhook_secret"),
        int(_number(where, given, "record_bytes", 4 << 20)),
        int(_number(where, given, "traces", 10)),
    )


def _known(where: str, given: dict[str, Any], names: set[str]) -> None:
    for name in given:
        if name not in names:
            raise ConfigError(f"{where}{name!r} is not known; there are {', '.join(sorted(names))}")


def _list(where: str, given: dict[str, Any], name: str) -> list[str]:
    value = given.get(name)
    if not isinstance(value, list) or not value:
        raise ConfigError(f"{where}: {name} is a list of public keys: nobody could have a token")
    return value


def _key(where: str, text: Any) -> bytes:
    try:
        key = bytes.fromhex(text)
    except (ValueError, TypeError):
        key = b""
    if len(key) != 32:
        raise ConfigError(f"{where}: a key is 64 hexadecimal digits, not {text!r}")
    return key


def _number(where: str, given: dict[str, Any], name: str, default: float) -> float:
    value = given.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise ConfigError(f"{where}: {name} is a number above 0, not {value!r}")
    return value
