"""The logger ``pinfold``, in which nothing that a script chose acts on a terminal.

A handler's exception often repeats the arguments it was given, so its text is made printable before
any formatter writes it; ``exc_info`` stays for those who look at the exception itself.
"""

from __future__ import annotations

import logging

from ._native import printable

log = logging.getLogger("pinfold")


def _show_safely(record: logging.LogRecord) -> bool:
    if record.exc_info and record.exc_info[1] is not None and not record.exc_text:
        record.exc_text = _traceback(record.exc_info[1])
    return True


def _traceback(error: BaseException) -> str:
    """As Python prints it, the text of each exception on one line."""
    from traceback import TracebackException

    pieces = []
    for piece in TracebackException.from_exception(error).format():
        # The places are lines of the embedder's own code.
        own = piece.startswith(("  File ", "Traceback (", "\n"))
        lines = piece.rstrip("\n").split("\n") if own else [piece.rstrip("\n")]
        pieces += [printable(line) for line in lines]
    return "\n".join(pieces)


log.addFilter(_show_safely)
