"""What a scraper reads at ``/metrics``: names as pools of sandboxes publish them elsewhere, too."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """Of one server. Nothing that a script or tenant chose is a label."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()

        def histogram(name: str, help: str) -> Histogram:
            return Histogram(f"pinfold_{name}", help, buckets=_SECONDS, registry=self.registry)

        def counter(name: str, help: str, labels: tuple[str, ...] = ()) -> Counter:
            return Counter(f"pinfold_{name}", help, labels, registry=self.registry)

        def gauge(name: str, help: str) -> Gauge:
            return Gauge(f"pinfold_{name}", help, registry=self.registry)

        self.startup = histogram("claim_startup_latency_seconds", "Until a new sandbox is there")
        self.suspend = histogram("suspend_latency_seconds", "Until a sandbox has left memory")
        self.resume = histogram("resume_latency_seconds", "Until a sandbox is back from the store")
        self.save = histogram("save_latency_seconds", "Until a sandbox is in the store")
        self.warm = counter("warm_hits", "Requests whose sandbox was in memory")
        self.cold = counter("warm_misses", "Requests whose sandbox came from the store")
        self.active = gauge("active", "Sandboxes in memory")
        self.running = gauge("running", "Runs that compute")
        self.waiting = gauge("waiting", "Runs in memory that wait for answers")
        self.passed_on = counter("passed_on", "Requests that another server answered")
        self.runs = counter("runs", "Runs that ended", ("outcome",))
        self.calls = counter("calls", "Tool calls", ("outcome",))
        self.denials = counter("denials", "Requests and calls that were refused", ("what",))

    def text(self) -> bytes:
        return bytes(generate_latest(self.registry))
