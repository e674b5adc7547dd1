"""Signed capabilities: tokens that can be narrowed and passed on, and never widened.

>>> issuer = Issuer()
>>> token = issuer.issue([MethodCapability("bank/**", max_calls=10)], expires_in=3600)
>>> narrower = token.narrow([MethodCapability("bank/pay", [Param("amount") <= 50], max_calls=2)])
>>> narrower.verify([issuer.public_key]).capabilities
[MethodCapability('bank/pay', 1 constraint, max_calls=2)]
>>> narrower.narrow([MethodCapability("bank/**", max_calls=2)])
Traceback (most recent call last):
pinfold.errors.CapabilityError: the token is widened: ...

What `verify` gives is for a sandbox: ``Sandbox(capabilities=token.verify(keys).capabilities)``.
The whole of it, keys and formats, is the C engine's (Ed25519 and CBOR).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from . import _native
from .capability import MethodCapability, load_policy, policy_json
from .errors import CapabilityError

Expiry = datetime | float


class Grant(NamedTuple):
    """What a token that was checked grants."""

    capabilities: list[MethodCapability]
    #: Seconds since 1970.
    expires: int


class Token:
    """A token. It is a bearer's: keep it as secret as what it grants."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        if not isinstance(data, bytes):
            raise TypeError(f"a token is bytes, not {type(data).__name__}")
        #: The token as bytes, to be stored or sent.
        self.data = data

    def narrow(
        self,
        capabilities: Iterable[MethodCapability],
        *,
        expires_in: float | None = None,
        expires: Expiry | None = None,
    ) -> Token:
        """A token for less; ``CapabilityError`` when it would be for more. Without an expiry it
        has that of this one."""
        same = expires_in is None and expires is None
        end = -1 if same else _expiry(expires_in, expires)
        if end < 0 and not same:  # -1 is the engine's word for no other expiry
            raise CapabilityError("a token expires after 1970")
        return Token(_native.token_narrow(self.data, policy_json(capabilities), end))

    def seal(self) -> Token:
        """The same token, which can be narrowed no more."""
        return Token(_native.token_seal(self.data))

    def verify(self, trusted: Iterable[bytes], *, now: Expiry | None = None) -> Grant:
        """What it grants, if one of the trusted keys has issued it and it is not expired;
        ``CapabilityError`` says why not."""
        if isinstance(trusted, (bytes, str)) or not isinstance(trusted, Iterable):
            raise TypeError(f"trusted is a list of public keys, not {trusted!r}")
        keys = list(trusted)
        for key in keys:
            if not isinstance(key, bytes) or len(key) != 32:
                raise ValueError(f"a public key is 32 bytes, not {key!r}")
        moment = int(time.time()) if now is None else _seconds(now)
        policy, expires = _native.token_verify(self.data, b"".join(keys), moment)
        return Grant(load_policy(policy), expires)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and self.data == other.data

    def __hash__(self) -> int:
        return hash(self.data)

    def __repr__(self) -> str:
        return f"<Token of {len(self.data)} bytes>"


class Issuer:
    """A key that issues tokens. ``seed`` is 32 secret bytes; without it a new one is made."""

    def __init__(self, seed: bytes | None = None) -> None:
        self._seed = os.urandom(32) if seed is None else seed
        #: What `Token.verify` is given, 32 bytes.
        self.public_key = _native.ed25519_public_key(self._seed)

    @property
    def seed(self) -> bytes:
        """The secret, to be kept where secrets are."""
        return self._seed

    def issue(
        self,
        capabilities: Iterable[MethodCapability],
        *,
        expires_in: float | None = None,
        expires: Expiry | None = None,
    ) -> Token:
        """A token for these capabilities. It must expire: in so many seconds, or at a time."""
        end = _expiry(expires_in, expires)
        return Token(_native.token_issue(self._seed, policy_json(capabilities), end))

    def __repr__(self) -> str:
        return f"<Issuer {self.public_key.hex()}>"


def _expiry(expires_in: float | None, expires: Expiry | None) -> int:
    if (expires_in is None) == (expires is None):
        raise ValueError("say when the token expires: by expires_in=seconds or expires=time")
    if expires_in is None:
        return _seconds(expires)
    if isinstance(expires_in, bool) or not isinstance(expires_in, (int, float)):
        raise TypeError(f"expires_in is a number of seconds, not {expires_in!r}")
    return _seconds(time.time() + expires_in)


def _seconds(moment: Expiry | None) -> int:
    if isinstance(moment, datetime):
        if moment.tzinfo is None:
            raise ValueError("a datetime needs a time zone")
        return int(moment.timestamp())
    if isinstance(moment, bool) or not isinstance(moment, (int, float)):
        raise TypeError(f"a time is a datetime or seconds since 1970, not {moment!r}")
    if not abs(moment) < 1 << 62:
        raise ValueError(f"a time is out of range: {moment!r}")
    return int(moment)
