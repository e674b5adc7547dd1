"""Output as it appears: from the library's chunks of bytes to whole characters."""

from __future__ import annotations

import codecs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    #: Gets text, or bytes with ``binary=True``, and the stream; may be async for ``arun()``. A type for
    #: each of both would leave checkers in doubt about every lambda.
    OnOutput = Callable[[Any, str], object]

STREAMS = {1: "stdout", 2: "stderr"}


def refuse_async(on_output: Callable[..., object]) -> None:
    """Nobody would await what it gives."""
    import inspect

    if inspect.iscoroutinefunction(on_output):
        raise TypeError(_ASYNC)


def refuse_awaitable(answer: object) -> None:
    """As `refuse_async`, for a function that does not show it."""
    if hasattr(answer, "__await__"):
        if hasattr(answer, "close"):
            answer.close()
        raise TypeError(_ASYNC)


_ASYNC = "on_output is async: use `await sandbox.arun(...)`, or a function that is not"


class TextOutput:
    """Gives ``on_output(text, stream)`` text that never splits a character.

    >>> pieces = []
    >>> output = TextOutput(lambda text, stream: pieces.append((stream, text)))
    >>> output(1, b"caf\\xc3"); output(1, b"\\xa9"); output.finish()
    >>> pieces
    [('stdout', 'caf'), ('stdout', 'é')]
    """

    def __init__(self, on_output: Callable[[Any, str], object]) -> None:
        if not callable(on_output):
            raise TypeError(f"on_output cannot be called: {on_output!r}")
        self._on_output = on_output
        make = codecs.getincrementaldecoder("utf-8")
        self._decoders = {stream: make("replace") for stream in STREAMS}

    def __call__(self, stream: int, data: bytes, final: bool = False) -> None:
        text = self._decoders[stream].decode(data, final)
        if text:
            self.emit(text, STREAMS[stream])

    def emit(self, text: Any, stream: str) -> None:
        refuse_awaitable(self._on_output(text, stream))

    def finish(self) -> None:
        for stream in STREAMS:
            self(stream, b"", final=True)


class BytesOutput(TextOutput):
    """The same for bytes as they are written.

    >>> pieces = []
    >>> output = BytesOutput(lambda data, stream: pieces.append((stream, data)))
    >>> output(1, b"caf\\xc3"); output.finish()
    >>> pieces
    [('stdout', b'caf\\xc3')]
    """

    def __call__(self, stream: int, data: bytes, final: bool = False) -> None:
        if data:
            self.emit(data, STREAMS[stream])
