"""What a request is told that could not be done."""

from __future__ import annotations


class Problem(Exception):
    """An answer with a status of HTTP, a code for programs, and a text that says what to do."""

    def __init__(self, status: int, code: str, message: str, **more: object) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.more = more

    def body(self) -> dict[str, object]:
        return {"error": {"code": self.code, "message": self.message, **self.more}}


class Elsewhere(Problem):
    """Another server drives the session: ``server`` is its address, if that is known."""

    def __init__(self, key: str, server: str, message: str) -> None:
        super().__init__(409, "elsewhere", message, **({"server": server} if server else {}))
        self.key, self.server = key, server
