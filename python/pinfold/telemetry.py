"""OpenTelemetry spans: one for each run, with one for each tool call inside it.

They appear by themselves in programs that use OpenTelemetry. Arguments and results are not in them:
that is what an audit log is for.
"""

from __future__ import annotations

from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Span, Status, StatusCode

from . import __version__


class Spans:
    """The spans of one sandbox."""

    def __init__(self) -> None:
        self._tracer = trace.get_tracer("pinfold", __version__)
        self._run: Span | None = None
        self._calls: dict[int, Span] = {}

    def branch(self) -> Spans:
        return Spans()

    def _start(self, name: str, attributes: dict[str, Any]) -> Span:
        inside = None if self._run is None else trace.set_span_in_context(self._run)
        return self._tracer.start_span(name, context=inside, attributes=attributes)

    def run(self, code: str, language: str) -> None:
        self._run = None
        self._run = self._start("pinfold.run", {"pinfold.language": language})

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
        attributes = {"pinfold.method": method, "pinfold.outcome": outcome}
        span = self._start(f"pinfold.call {method or name}", attributes)
        if message is None:
            span.set_attribute("pinfold.call_id", id)
            self._calls[id] = span
        else:
            span.set_status(Status(StatusCode.ERROR, outcome))
            span.end()

    def answered(self, id: int, method: str, text: str | None, error: str | None) -> None:
        span = self._calls.pop(id, None)
        if span is None:  # it was made before a snapshot
            return
        if error is not None:
            span.set_status(Status(StatusCode.ERROR, error.partition(":")[0]))
        elif text is not None:
            span.set_attribute("pinfold.result_chars", len(text))
        span.end()

    def result(self, outcome: Any) -> None:
        for span in self._calls.values():
            span.set_status(Status(StatusCode.ERROR, "cancelled"))
            span.end()
        self._calls.clear()
        if self._run is None:
            return
        self._run.set_attribute("pinfold.exit_code", outcome[2])
        if outcome[4] is not None:
            self._run.set_attribute("pinfold.limit", outcome[4])
            self._run.set_status(Status(StatusCode.ERROR, f"limit {outcome[4]}"))
        self._run.end()
        self._run = None
