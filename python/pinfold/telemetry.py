"""OpenTelemetry: a span for each run, with one for each tool call inside it, and metrics.

They appear by themselves in programs that use OpenTelemetry. Arguments and results are not in
them: that is what an audit log is for. What a handler starts itself lies under its call's span. Names
that a script chose are in spans, never in attributes of metrics, of which it could make any number.
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from opentelemetry import metrics, trace
from opentelemetry.trace import Span, Status, StatusCode

from . import __version__
from .result import Usage


class _Instruments:
    """What all sandboxes of this process count together."""

    def __init__(self) -> None:
        meter = metrics.get_meter("pinfold", __version__)
        self.runs = meter.create_counter(
            "pinfold.runs", unit="{run}", description="Runs that were completed."
        )
        self.duration = meter.create_histogram(
            "pinfold.run.duration", unit="s", description="How long runs took, handlers included."
        )
        self.cpu = meter.create_histogram(
            "pinfold.run.cpu", unit="s", description="Processor time of the guest in a run."
        )
        self.memory = meter.create_histogram(
            "pinfold.run.memory", unit="By", description="The most memory of a sandbox in a run."
        )
        self.output = meter.create_counter(
            "pinfold.output", unit="By", description="What runs printed, as far as it was kept."
        )
        self.calls = meter.create_counter(
            "pinfold.calls", unit="{call}", description="Tool calls that scripts asked for."
        )
        self.denials = meter.create_counter(
            "pinfold.denials", unit="{call}", description="Tool calls that were refused."
        )
        self.call_duration = meter.create_histogram(
            "pinfold.call.duration",
            unit="s",
            description="How long tool calls took.",
        )


_instruments: _Instruments | None = None


def _metrics() -> _Instruments:
    global _instruments
    if _instruments is None:
        _instruments = _Instruments()
    return _instruments


class _Open:
    """A call without an answer."""

    __slots__ = ("span", "method", "began")

    def __init__(self, span: Span, method: str) -> None:
        self.span = span
        self.method = method
        self.began = time.monotonic()


class Spans:
    """The spans of one sandbox, and what it adds to the metrics."""

    def __init__(self, tools: frozenset[str] = frozenset()) -> None:
        self._tools = tools  # names that are the embedder's, and few
        self._tracer = trace.get_tracer("pinfold", __version__)
        self._metrics = _metrics()
        self._run: Span | None = None
        self._language = ""
        self._began = 0.0
        self._calls: dict[int, _Open] = {}

    def branch(self) -> Spans:
        return Spans(self._tools)

    def _labels(self, method: str) -> dict[str, str]:
        return {"pinfold.method": method if method in self._tools else "other"}

    def preview(self) -> None:
        return None  # what might be is no span

    def edited(self, id: int, method: str, params: str) -> None:
        pass  # arguments are in none

    def _start(self, name: str, attributes: dict[str, Any]) -> Span:
        inside = None if self._run is None else trace.set_span_in_context(self._run)
        return self._tracer.start_span(name, context=inside, attributes=attributes)

    def run(self, code: str, language: str) -> None:
        self._run = None
        self._language = language
        self._began = time.monotonic()
        self._run = self._start("pinfold.run", {"pinfold.language": language})

    def inside(self, id: int) -> AbstractContextManager[object]:
        """The time in which a call's span is the current one, above what its handler starts."""
        call = self._calls.get(id)
        if call is None:  # it was made before a snapshot
            return nullcontext()
        current: AbstractContextManager[object] = trace.use_span(
            call.span, end_on_exit=False, record_exception=False, set_status_on_exception=False
        )
        return current

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
        labels = self._labels(method)
        labels["pinfold.outcome"] = outcome
        self._metrics.calls.add(1, labels)
        if message is None:
            span.set_attribute("pinfold.call_id", id)
            self._calls[id] = _Open(span, method)
        else:
            self._metrics.denials.add(1, labels)
            span.set_status(Status(StatusCode.ERROR, outcome))
            span.end()

    def answered(self, id: int, method: str, text: str | None, error: str | None) -> None:
        call = self._calls.pop(id, None)
        if call is None:
            return
        kind = "" if error is None else error.partition(":")[0]
        if error is not None:
            call.span.set_status(Status(StatusCode.ERROR, kind))
        elif text is not None:
            call.span.set_attribute("pinfold.result_chars", len(text))
        self._took(call, kind)
        if kind == "denied":  # by who was asked
            labels = self._labels(call.method)
            labels["pinfold.outcome"] = kind
            self._metrics.denials.add(1, labels)
        call.span.end()

    def _took(self, call: _Open, error: str) -> None:
        labels = self._labels(call.method)
        if error:
            labels["error.type"] = error
        self._metrics.call_duration.record(time.monotonic() - call.began, labels)

    def result(self, outcome: Any) -> None:
        for call in self._calls.values():
            call.span.set_status(Status(StatusCode.ERROR, "cancelled"))
            self._took(call, "cancelled")
            call.span.end()
        self._calls.clear()
        if self._run is None:
            return
        exit_code, limit = outcome[2], outcome[4]
        self._count(outcome, exit_code, limit)
        self._run.set_attribute("pinfold.exit_code", exit_code)
        if limit is not None:
            self._run.set_attribute("pinfold.limit", limit)
            self._run.set_status(Status(StatusCode.ERROR, f"limit {limit}"))
        self._run.end()
        self._run = None

    def _count(self, outcome: Any, exit_code: int, limit: str | None) -> None:
        language = {"pinfold.language": self._language}
        ended = "limit" if limit is not None else "ok" if exit_code == 0 else "failed"
        attributes = {**language, "pinfold.ended": ended}
        if limit is not None:
            attributes["pinfold.limit"] = limit
        usage = Usage(*outcome[8:12])
        told = self._metrics
        told.runs.add(1, attributes)
        told.duration.record(time.monotonic() - self._began, attributes)
        told.cpu.record(usage.cpu_seconds, language)
        told.memory.record(usage.memory_bytes, language)
        for stream, data in (("stdout", outcome[0]), ("stderr", outcome[1])):
            if data:
                told.output.add(len(data), {**language, "pinfold.stream": stream})
