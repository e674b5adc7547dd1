"""The audit log and the spans."""

import asyncio
import json
import os
import subprocess
import sys

import pytest

from pinfold import AuditLog, Limits, MethodCapability, Param, Sandbox, Tool, ToolError


def pay(amount: int, card: str = "") -> str:
    if amount == 13:
        raise ToolError(f"no luck with {card}")
    return f"paid {amount}"


def audited(to, redact=(), **settings):
    return Sandbox(
        tools=[pay, Tool("ask", handler=lambda: "yes")],
        capabilities=[MethodCapability("pay", [Param("amount") <= 100], max_calls=2), MethodCapability("ask", ask=True)],
        audit=AuditLog(to, redact=redact),
        **settings,
    )


def test_everything_is_an_entry():
    entries = []
    with audited(entries.append, approve=lambda call: True) as sandbox:
        sandbox.run("pay --amount 5 --card x; pay --amount 500; pay --amount 13; pay --amount 1; nothing; tool nothing; pay --amount x; tool pay --json '{\"amount\": \"x\"}'; ask")
    shown = [(e["event"], e.get("outcome"), e.get("method")) for e in entries]
    assert shown == [
        ("run", None, None),
        ("decision", "allowed", "pay"),
        ("answer", None, "pay"),
        ("decision", "denied", "pay"),
        ("decision", "allowed", "pay"),
        ("answer", None, "pay"),
        ("decision", "limit", "pay"),
        ("decision", "unknown", "nothing"),
        ("decision", "denied", "pay"),
        ("decision", "ask", "ask"),
        ("answer", None, "ask"),
        ("result", None, None),
    ]
    first, answer, denied, failed = entries[1], entries[2], entries[3], entries[5]
    assert first["params"] == {"amount": 5, "card": "x"} and first["rule"]["max_calls"] == 2
    assert answer["id"] == first["id"] and answer["ok"] and answer["result_bytes"] == len('"paid 5"')
    assert answer["duration"] >= 0 and "500" in denied["message"] and "id" not in denied
    assert not failed["ok"] and failed["error"] == "failed: no luck with "
    assert entries[-1]["tool_calls"] == 3 and entries[-1]["exit_code"] == 0
    assert len({e["sandbox"] for e in entries}) == 1


def test_the_decision_is_written_before_the_handler_is_called():
    entries, seen = [], []

    def f():
        seen.append([e["event"] for e in entries])

    with Sandbox(tools=[f], capabilities=[MethodCapability("f")], audit=AuditLog(entries.append)) as sandbox:
        sandbox.run("f")
    assert seen == [["run", "decision"]]


def test_what_is_secret_is_nowhere():
    entries = []
    with audited(entries.append, redact=["card"]) as sandbox:
        sandbox.run("pay --amount 13 --card sesame-1; tool pay --json '{\"amount\": 1, \"card\": [\"sesame-2\"]}'; tool pay --json '{\"amount\": 1, \"x\": {\"card\": 901259012590125}}'")
    text = json.dumps(entries)
    assert "sesame" not in text and "901259" not in text and text.count("[redacted]") >= 4


def test_secrets_in_denials():
    entries = []
    capability = MethodCapability("f", [Param("token").starts_with("ok_"), Param("n") == 1])
    with Sandbox(tools=[Tool("f")], capabilities=[capability], audit=AuditLog(entries.append, redact=["token"])) as sandbox:
        sandbox.run("tool f --token hunter2 --n 2")
    (entry,) = [e for e in entries if e["event"] == "decision"]
    assert "hunter" not in json.dumps(entry) and entry["outcome"] == "denied" and entry["params"]["n"] == 2


def test_a_file_shared_by_several(tmp_path):
    path = tmp_path / "calls.jsonl"
    for _ in range(2):
        with audited(path) as sandbox:
            sandbox.run("pay --amount 5 --card 'é\n'")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == 8 and len({e["sandbox"] for e in lines}) == 2
    assert lines[1]["params"]["card"] == "é\n"
    assert os.stat(path).st_mode & 0o077 == 0


def test_nothing_is_lost_when_the_process_dies(tmp_path):
    path = tmp_path / "calls.jsonl"
    code = f"""
import os
from pinfold import AuditLog, MethodCapability, Sandbox
def die():
    os._exit(9)
sandbox = Sandbox(tools=[die], capabilities=[MethodCapability("die")], audit=AuditLog({str(path)!r}))
sandbox.run("tool nothing; die")
"""
    assert subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}).returncode == 9
    assert [json.loads(line).get("outcome") for line in path.read_text().splitlines()] == [None, "unknown", "allowed"]


def test_a_log_that_fails_ends_the_run():
    def log(entry):
        if entry.get("method") == "pay":
            raise OSError("disk full")

    with Sandbox(tools=[pay], capabilities=[MethodCapability("pay")], audit=AuditLog(log)) as sandbox:
        with pytest.raises(OSError, match="disk full"):
            sandbox.run("pay --amount 1; sleep 5")
        assert sandbox.run("echo fine").stdout == "fine\n"


def test_stepping_async_limits_forks_and_snapshots():
    entries = []
    with audited(entries.append, limits=Limits(cpu_seconds=0.2)) as sandbox:
        sandbox.start("pay --amount 5")
        sandbox.step().resume("done")
        assert [e["event"] for e in entries] == ["run", "decision", "answer", "result"]
        entries.clear()
        asyncio.run(sandbox.arun("pay --amount 6"))
        assert [e["event"] for e in entries] == ["run", "decision", "answer", "result"]
        entries.clear()
        sandbox.run("while :; do :; done")
        assert entries[-1]["limit"] == "cpu_seconds"
        entries.clear()
        sandbox.start("ask")
        data = sandbox.snapshot()
        with sandbox.fork() as branch:
            branch.pending[0].resume(1)
        assert entries[-1]["event"] == "result" and entries[-1]["sandbox"] != entries[0]["sandbox"]
    entries.clear()
    granted = [MethodCapability("pay", max_calls=2), MethodCapability("ask", ask=True)]
    with Sandbox.restore(data, tools=[pay, Tool("ask")], capabilities=granted, audit=AuditLog(entries.append)) as sandbox:
        sandbox.pending[0].deny()
    # The call that waited is decided about anew.
    assert [(e["event"], e.get("method")) for e in entries] == [("decision", "ask"), ("answer", "ask"), ("result", None)]
    assert entries[0]["outcome"] == "ask" and entries[1]["error"].startswith("denied: ")


def test_spans():
    pytest.importorskip("opentelemetry.sdk")
    code = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pinfold import MethodCapability, Sandbox

exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
def f():
    return 1
with trace.get_tracer("app").start_as_current_span("outer"):
    with Sandbox(tools=[f], capabilities=[MethodCapability("f", max_calls=1)]) as sandbox:
        sandbox.run("f; f")
spans = {s.name + "/" + str(s.attributes.get("pinfold.outcome")): s for s in exporter.get_finished_spans()}
run = spans["pinfold.run/None"]
assert run.parent.span_id == spans["outer/None"].context.span_id
for name in ("pinfold.call f/allowed", "pinfold.call f/limit"):
    assert spans[name].parent.span_id == run.context.span_id
assert not spans["pinfold.call f/limit"].status.is_ok and run.attributes["pinfold.exit_code"] == 126
exporter.clear()
import asyncio
async def main():
    with trace.get_tracer("app").start_as_current_span("request"):
        async with Sandbox() as sandbox:
            await sandbox.arun("echo")
asyncio.run(main())
spans = {s.name: s for s in exporter.get_finished_spans()}
assert spans["pinfold.run"].parent.span_id == spans["request"].context.span_id
print("good")
"""
    run_alone(code)


def run_alone(code):
    """In a process of its own, since OpenTelemetry's providers are the whole program's."""
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True)
    assert done.stdout == "good\n", done.stderr


#: Spans of the program are kept in `exporter`.
TRACED = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pinfold import MethodCapability, Sandbox, Tool

exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("app")
"""


def test_what_handlers_start_lies_under_their_call():
    pytest.importorskip("opentelemetry.sdk")
    run_alone(TRACED + """
import asyncio, threading
schema = {"type": "object", "properties": {}}

def work(name):
    with tracer.start_as_current_span(name):
        return threading.current_thread() is threading.main_thread()

def plain(): return work("in plain")
async def later():
    await asyncio.sleep(0)
    return work("in later")
timed = Tool("timed", "", schema, lambda: work("in timed"), timeout=5)
class Several(Tool):
    @property
    def concurrent(self): return True
several = Several("several", "", schema, lambda: work("in several"))
asked = Tool("asked", "", schema, lambda: work("in asked"))
names = ["plain", "later", "timed", "several", "asked"]
granted = [MethodCapability(name, ask=name == "asked") for name in names]
settings = {"tools": [plain, later, timed, several, asked], "capabilities": granted}
def approve(call):
    work("approving")
    return True
both = "return [" + ", ".join(f"await {name}({{}})" for name in names) + ", ...await Promise.all([several({}), several({})])]"

def check(threads):
    spans = exporter.get_finished_spans()
    calls = {s.context.span_id: s.name for s in spans if s.name.startswith("pinfold.call ")}
    under = {s.name: calls.get(s.parent and s.parent.span_id) for s in spans if s.name.startswith("in ")}
    assert under == {f"in {name}": f"pinfold.call {name}" for name in names}, under
    assert [calls[s.parent.span_id] for s in spans if s.name == "approving"] == ["pinfold.call asked"]
    ended = {s.context.span_id: s.end_time for s in spans}
    assert all(ended[s.parent.span_id] >= s.end_time for s in spans if s.name.startswith("in "))
    exporter.clear()

for isolation in ("thread", "process"):
    if isolation == "process":
        settings["isolation"] = isolation
    with Sandbox(**settings, approve=approve) as sandbox:
        value = sandbox.run(both, "javascript").value
        assert value == [True, True, False, True, True, False, False] , value
        check(value)
        assert trace.get_current_span() is trace.INVALID_SPAN

async def main():
    with tracer.start_as_current_span("request") as request:
        async with Sandbox(**settings, approve=approve) as sandbox:
            result = await sandbox.arun(both, "javascript")
            assert result.ok, result
            assert trace.get_current_span() is request
asyncio.run(main())
check(None)
print("good")
""")


def test_what_answers_a_step_lies_under_its_call():
    pytest.importorskip("opentelemetry.sdk")
    run_alone(TRACED + """

def step(sandbox):
    call = sandbox.step() or sandbox.pending[0]
    with call.span(), tracer.start_as_current_span("work"):
        pass
    call.resume(1)
    spans = {s.name: s for s in exporter.get_finished_spans()}
    exporter.clear()
    made = spans["pinfold.call pay"]
    assert spans["work"].parent.span_id == made.context.span_id
    assert made.attributes["pinfold.call_id"] == call.id

granted = {"tools": [Tool("pay")], "capabilities": [MethodCapability("pay")]}
with Sandbox(**granted) as sandbox:
    sandbox.start("tool pay --n 1")
    data = sandbox.snapshot()
    step(sandbox)
with Sandbox.restore(data, **granted) as sandbox:
    step(sandbox)
    assert sandbox.result.ok
print("good")
""")


def test_metrics():
    pytest.importorskip("opentelemetry.sdk")
    run_alone("""
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
import opentelemetry.trace
from pinfold import Limits, MethodCapability, Sandbox, ToolError

reader = InMemoryMetricReader()
metrics.set_meter_provider(MeterProvider([reader]))
def pay(n: int): return n
def broken(): raise ToolError("not today", "denied")
granted = [MethodCapability("pay", max_calls=2), MethodCapability("broken")]
with Sandbox(tools=[pay, broken], capabilities=granted, limits=Limits(cpu_seconds=0.2)) as sandbox:
    sandbox.run("pay --n 1; pay --n 2; pay --n 3; printf éé; printf x >&2")
    sandbox.run("while :; do :; done")
    sandbox.run("return 1", "javascript")
    sandbox.run("broken; tool unknown --x 1; tool never-heard-of --x 1; true")

def points(name):
    found = {}
    for resource in reader.get_metrics_data().resource_metrics:
        for scope in resource.scope_metrics:
            assert scope.scope.name == "pinfold"
            for metric in scope.metrics:
                if metric.name == name:
                    for point in metric.data.data_points:
                        key = tuple(v for k, v in sorted(point.attributes.items()))
                        found[key] = getattr(point, "value", None) or point
    return found

assert points("pinfold.runs") == {("ok", "javascript"): 1, ("limit", "shell", "cpu_seconds"): 1, ("ok", "shell"): 2}, points("pinfold.runs")
output = points("pinfold.output")
assert output["shell", "stderr"] > 1 and output["shell", "stdout"] == 8 , output
calls = points("pinfold.calls")
assert calls["pay", "allowed"] == 2 and calls["pay", "limit"] == 1 and calls["broken", "allowed"] == 1, calls
denials = points("pinfold.denials")
assert denials["pay", "limit"] == 1 and denials["broken", "denied"] == 1, denials
assert {key[0] for key in calls} <= {"pay", "broken", "other"}, calls
duration = points("pinfold.run.duration")
assert sum(point.count for point in duration.values()) == 4
assert duration["limit", "shell", "cpu_seconds"].sum >= 0.2
assert points("pinfold.run.cpu")["javascript",].count == 1
assert points("pinfold.run.memory")["shell",].max > 100_000
assert points("pinfold.call.duration")["pay",].count == 2
print("good")
""")
