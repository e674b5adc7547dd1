"""Snapshots as text: ``pinfold:`` and base64url (RFC 4648, section 5, without padding)."""

from __future__ import annotations

import base64
import re

from .errors import SnapshotError

_SCHEME = "pinfold:"


def as_url(data: bytes) -> str:
    return _SCHEME + base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_url(text: str) -> bytes:
    """The bytes of a text that `as_url` made; spaces and line ends of a mailer are passed over."""
    if not isinstance(text, str):
        raise TypeError(f"a sandbox as text is a str, not {type(text).__name__}")
    if not text.lstrip().startswith(_SCHEME):
        raise SnapshotError(f"the text is no sandbox: it begins with {_SCHEME!r}")
    letters = re.sub(r"\s+", "", text.strip()[len(_SCHEME) :])
    wrong = re.search(r"[^A-Za-z0-9_-]", letters)
    if wrong is not None:
        raise SnapshotError(
            f"the text is damaged: {wrong[0]!r} stands at character {wrong.start()} of the contents"
        )
    if len(letters) % 4 == 1:
        raise SnapshotError("the text was cut short, or something was added to it")
    return base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
