"""Signed tokens: who may run what, by Ed25519 and CBOR."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from pinfold import _native

from . import _cbor

PREFIX = "ed25519:"
ALLOW_ALL = "tool_call:**"


class PCA:
    """A token as bytes."""

    def __init__(self, cbor_bytes: bytes) -> None:
        self._data = bytes(cbor_bytes)

    def to_cbor(self) -> bytes:
        return self._data

    @classmethod
    def from_cbor(cls, data: bytes) -> Self:
        return cls(data)

    def __bytes__(self) -> bytes:
        return self._data

    def __len__(self) -> int:
        return len(self._data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PCA) and self._data == other._data

    def __hash__(self) -> int:
        return hash(self._data)

    def __repr__(self) -> str:
        return f"PCA({len(self._data)} bytes)"


class EphemeralAuthority:
    """A key that signs tokens and lives as long as the object."""

    def __init__(self) -> None:
        self._seed = os.urandom(32)

    @classmethod
    def from_seed(cls, seed: bytes) -> Self:
        """The authority that always has the same key."""
        if not isinstance(seed, (bytes, bytearray)) or len(seed) != 32:
            raise ValueError(f"a seed has 32 bytes, not {len(seed)}")
        made = cls()
        made._seed = bytes(seed)
        return made

    def public_key_bytes(self) -> bytes:
        return _native.ed25519_public_key(self._seed)

    def public_key_hex(self) -> str:
        return PREFIX + self.public_key_bytes().hex()

    def create_pca(
        self,
        capabilities: Sequence[str] | None = None,
        expires_in_secs: int = 3600,
        designated_executor: str | None = None,
    ) -> PCA:
        """A token that grants patterns like ``"tool_call:stripe/**"``."""
        executor = designated_executor or self.public_key_hex()
        if not executor.startswith(PREFIX):
            raise ValueError(f"an executor is an {PREFIX}... key, not {executor!r}")
        granted = [ALLOW_ALL] if capabilities is None else list(capabilities)
        body = {
            "version": [0, 1],
            "capabilities": [_written(i, pattern) for i, pattern in enumerate(granted)],
            "designated_executor": {
                "type": "pubkey",
                "value": [0, bytes.fromhex(executor.removeprefix(PREFIX))],
            },
            "expires_at": (datetime.now(UTC) + timedelta(seconds=expires_in_secs)).isoformat(),
            "issuer": self.public_key_hex(),
        }
        signature = _native.ed25519_sign(self._seed, _cbor.dumps(body))
        return PCA(_cbor.dumps({**body, "signature": PREFIX + signature.hex()}))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.public_key_hex()})"


TestAuthority = EphemeralAuthority
TestAuthority.__test__ = False  # type: ignore[attr-defined]  # no test class, whatever it is called


def _written(index: int, pattern: str) -> dict[str, Any]:
    data = _cbor.dumps({"tool": pattern.removeprefix("tool_call:"), "constraints": []})
    return {"key": f"cap:{index}", "type": "tool-call", "data": data}


@dataclass
class Grant:
    """What a token that was checked says."""

    patterns: list[str]
    expires_at: datetime


def verify(data: bytes, trusted: Iterable[str | bytes]) -> Grant:
    """The patterns of a token that one of the trusted keys has signed; ``ValueError`` otherwise."""
    try:
        body = _cbor.loads(bytes(data))
        signature = bytes.fromhex(body.pop("signature").removeprefix(PREFIX))
        issuer = bytes.fromhex(body["issuer"].removeprefix(PREFIX))
        expires_at = datetime.fromisoformat(body["expires_at"])
        patterns = [_cbor.loads(item["data"])["tool"] for item in body["capabilities"]]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the token cannot be read: {error}") from None
    if issuer not in [_key(key) for key in trusted]:
        raise ValueError("the token is not signed by a trusted authority")
    if not _native.ed25519_verify(issuer, _cbor.dumps(body), signature):
        raise ValueError("the signature of the token is wrong")
    if expires_at.tzinfo is None or expires_at <= datetime.now(UTC):
        raise ValueError("the token is expired")
    return Grant(patterns, expires_at)


def _key(key: str | bytes) -> bytes:
    if isinstance(key, str):
        try:
            return bytes.fromhex(key.removeprefix(PREFIX))
        except ValueError:
            return b""
    return bytes(key)
