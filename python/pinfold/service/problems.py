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
