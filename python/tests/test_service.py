"""``pinfold serve``: sessions over HTTP, who may do what, and what goes wrong."""

import json
import logging
import os
import pathlib
import signal
import sqlite3
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest.importorskip("fastapi", reason="fastapi is for who serves by it")
pytest.importorskip("uvicorn", reason="uvicorn is for who serves by it")
pytest.importorskip("prometheus_client", reason="prometheus_client is for who serves by it")

import httpx
from service_server import Issuer, Service, issued

from pinfold import MethodCapability, Param, StoreError
from pinfold.service.client import Client, ServiceError
from pinfold.service.config import ConfigError, config, read

ADD = {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}}


@pytest.fixture(scope="module")
def issuer():
    return Issuer()


@pytest.fixture
def serve(tmp_path, issuer):
    """Makes services on one store, and clients for them."""
    made = []

    def serve(place=None, server=None, key=None, tenants=None, **tenant):
        tenants = tenants or {"acme": {"keys": [issuer.public_key.hex()], **tenant}}
        made.append(Service(place or tmp_path / "agents.db", tenants, server, key=key))
        return made[-1]

    yield serve
    for service in made:
        service.stop()


@pytest.fixture
def client(serve, issuer):
    with Client(serve().url, issued(issuer), timeout=2) as client:
        yield client


def refused(status, code):
    class Refused:
        def __enter__(self):
            self.told = pytest.raises(ServiceError)
            self.info = self.told.__enter__()
            return self.info

        def __exit__(self, *exc_info):
            caught = self.told.__exit__(*exc_info)
            assert (self.info.value.status, self.info.value.code) == (status, code), str(self.info.value)
            return caught

    return Refused()


# ------------------------------------------------------------------ what one does


def test_a_session_with_tools_files_and_forks(client):
    box = client.create("alice", tools=[ADD])
    result = box.run("x=$(tool add --a 1 --b 2); echo $x > sum; echo sum $x; echo no >&2; exit 3", tools={"add": lambda a, b: a + b})
    assert (result["stdout"], result["stderr"], result["exit_code"], result["ok"]) == ("sum 3\n", "no\n", 3, False)
    assert result["usage"]["tool_calls"] == 1
    assert box.run("return [1, 'a']", "javascript")["value"] == [1, "a"]
    assert box.files() == {"/workspace/sum": 2} and box.read("sum") == b"3\n"
    box.write("in/data.bin", bytes(range(256)))
    assert box.run("wc -c < in/data.bin; rm sum")["stdout"] == "256\n"
    with refused(404, "no_file"):
        box.read("sum")
    newest = box.snapshots()
    assert newest[0]["parent"] == newest[1]["id"]
    earlier = box.fork("bob", newest[1]["id"])
    assert earlier.read("sum") == b"3\n" and "sum" not in str(box.files())
    assert client.sessions() == ["alice", "bob"]
    box.delete()
    assert client.sessions() == ["bob"]
    with refused(404, "no_session"):
        box.info()
    assert earlier.run("cat sum")["stdout"] == "3\n"


def test_a_stream(client):
    box = client.create("alice", tools=[ADD])
    seen = []
    for event in box.stream("echo one; tool add --a 1; echo two; exit 4"):
        seen.append(event)
        if event[0] == "waiting":
            box.answer(box.info()["run"]["calls"][0]["id"], value="there")
    assert [kind for kind, _ in seen] == ["output", "call", "waiting", "output", "result"]
    body = seen[-1][1]
    assert body["stdout"] == 'one\n"there"\ntwo\n' and body["exit_code"] == 4
    with refused(422, "invalid"):
        list(box.stream("x", language="perl"))
    assert [kind for kind, _ in box.stream("x", cwd="/nowhere")] == ["error"]


def test_bad_requests_are_told_what_is_wrong(client):
    box = client.create("alice", tools=[ADD])
    for body, said in (
        ({"code": "x", "language": "perl"}, "language"),
        ({"code": "x", "lang": "shell"}, "lang"),
        ({}, "code"),
        ({"code": "x", "cwd": "/nowhere"}, "nowhere"),
    ):
        with refused(422, "invalid") as told:
            client.request("POST", "/sessions/alice/runs", json=body)
        assert said in str(told.value)
    assert box.run("echo still here")["ok"]
    for wrong in (
        {"name": "a/b"},
        {"name": ""},
        {"name": "b", "limits": {"cpu_second": 1}},
        {"name": "b", "tools": [{"name": "pinfold/x"}]},
        {"name": "b", "tools": [{"name": "x", "parameters": {"type": 7}}]},
        {"name": "b", "capabilities": [{"methd": "x"}]},
    ):
        with refused(422, "invalid"):
            client.request("POST", "/sessions", json=wrong)
    with refused(409, "exists"):
        client.create("alice")
    answered = httpx.post(f"{client.url}/v1/sessions", content=b"{", headers=client._http.headers)
    assert answered.status_code == 422 and answered.json()["error"]["code"] == "invalid"


def test_answers(client):
    box = client.create("alice", tools=[ADD])
    run = box.start("tool add --a 1 || echo status $?; tool add --a 2; tool add --a 3 2>&1 | grep -o 'because of .*'")
    with refused(409, "busy"):
        box.start("echo too early")
    with refused(409, "busy"):
        box.write("f", b"")
    call = run["calls"][0]
    run = box.answer(call["id"], deny="not today")
    assert run["calls"][0]["params"] == {"a": 2}
    with refused(404, "no_call"):
        box.answer(99, value=1)
    with refused(422, "invalid"):
        client.request("POST", f"/sessions/alice/calls/{run['calls'][0]['id']}", json={"value": 1, "error": "both"})
    run = box.answer(run["calls"][0]["id"], value={"list": [1, None]})
    run = box.answer(run["calls"][0]["id"], error="because of you")
    assert run["result"]["stdout"] == 'status 126\n{"list":[1,null]}\nbecause of you\n'


# ------------------------------------------------------------------ duplicates, and who goes away


def test_the_same_answer_twice_is_one(client):
    box = client.create("alice", tools=[ADD])
    first = box.start("echo $(tool add --a 1) $(tool add --a 2)")["calls"][0]["id"]
    given, threads = [], []
    for _ in range(6):  # at once
        threads.append(threading.Thread(target=lambda: given.append(box.answer(first, value="x"))))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert {run["calls"][0]["params"]["a"] for run in given} == {2} and len(given) == 6
    with refused(409, "answered"):
        box.answer(first, value="y")
    run = box.answer(given[0]["calls"][0]["id"], value="z")
    assert run["result"]["stdout"] == '"x" "z"\n'


def test_the_same_key_is_one_run(client):
    box = client.create("alice")
    runs = [box.start("echo x >> log", key="once") for _ in range(3)]
    assert len({run["number"] for run in runs}) == 1 and box.read("log") == b"x\n"


def test_a_client_that_vanishes_in_a_stream(client):
    box = client.create("alice", tools=[ADD])
    stream = box.stream("echo one; sleep 0.3; echo two; echo got $(tool add --a 1)")
    assert next(stream)[0] == "output"
    stream.close()
    while box.info()["run"]["state"] == "running":
        time.sleep(0.02)
    run = box.info()["run"]
    assert run["state"] == "waiting"
    seen = []

    def listen():
        seen.extend(box.events(run["number"], after=1))

    listener = threading.Thread(target=listen)
    listener.start()
    box.answer(run["calls"][0]["id"], value=5)
    listener.join(20)
    kinds = [kind for kind, _ in seen]
    assert kinds[-1] == "result" and "call" in kinds
    assert seen[-1][1]["stdout"] == "one\ntwo\ngot 5\n"
    assert "".join(body["text"] for kind, body in seen if kind == "output") == "two\ngot 5\n"


def test_no_event_is_lost_to_who_reads_slowly():
    import asyncio

    from pinfold.service.state import Run

    async def main():
        run = Run(1, None)
        run.emit("output", {"text": "a"})
        events = run.follow()
        seen = [await anext(events)]
        run.emit("output", {"text": "b"})  # while the first is sent
        run.emit("result", {})
        run.close("done")
        return [kind for _, kind, _ in [*seen, *[event async for event in events]]]

    assert asyncio.run(main()) == ["output", "output", "result"]


def test_interrupts(client):
    box = client.create("alice", tools=[ADD])
    got = []
    thread = threading.Thread(target=lambda: got.append(box.start("echo on; while :; do :; done")))
    thread.start()
    while (box.info()["run"] or {}).get("state") != "running":
        time.sleep(0.02)
    box.interrupt()
    thread.join(20)
    assert got[0]["result"]["exit_code"] == 130
    assert box.start("tool add; echo $?")["state"] == "waiting"
    assert box.interrupt()["state"] == "done"
    with refused(409, "idle"):
        box.interrupt()
    assert box.run("echo fine")["stdout"] == "fine\n"


# ------------------------------------------------------------------ who may do what


def test_tokens(serve, issuer):
    other = Issuer()
    url = serve(
        tenants={"acme": {"keys": [issuer.public_key.hex()]}, "rival": {"keys": [other.public_key.hex()]}}
    ).url
    mine, theirs = Client(url, issued(issuer), timeout=1), Client(url, issued(other), timeout=1)
    mine.create("alice")
    assert theirs.sessions() == []
    with refused(404, "no_session"):
        theirs.session("alice").info()
    theirs.create("alice").write("f", b"theirs")
    assert mine.session("alice").files() == {}
    id = mine.session("alice").snapshots()[0]["id"]
    with refused(404, "no_snapshot"):
        theirs.session("alice").snapshot(id)
    with refused(404, "no_snapshot"):
        theirs.session("alice").fork("stolen", id)
    assert httpx.get(f"{url}/v1/sessions").json()["error"]["code"] == "no_token"
    for token in ("x", "!!!", issued(Issuer()), issued(issuer)[:-6], issued(issuer) + "AAAA"):
        with refused(401, "bad_token"):
            Client(url, token, timeout=1).sessions()
    counted = issued(issuer, MethodCapability("pinfold/sessions/run", max_calls=3))
    with refused(401, "bad_token") as told:  # which nobody would do
        Client(url, counted, timeout=1).sessions()
    assert "max_calls" in str(told.value)
    late = Client(url, issued(issuer, expires_in=1), timeout=1)
    time.sleep(2.1)
    with refused(401, "bad_token"):
        late.sessions()


def test_a_narrowed_token_is_for_some_sessions_and_some_tools(serve, issuer):
    from pinfold.service.authority import decoded, encoded
    from pinfold.tokens import Token

    url = serve().url
    own = MethodCapability("pinfold/sessions/*", [Param("session").starts_with("alice-")])
    token = Token(decoded(issued(issuer))).narrow([own, MethodCapability("add", [Param("a") <= 5])])
    alice, root = Client(url, encoded(token), timeout=1), Client(url, issued(issuer), timeout=1)
    root.create("bob", tools=[ADD])
    root.create("alice-wide", tools=[ADD])
    box = alice.create("alice-1", tools=[ADD])
    with refused(403, "denied"):
        alice.create("bob-2")
    with refused(403, "denied"):
        alice.session("bob").info()
    with refused(403, "denied") as told:  # it may call more than she may
        alice.session("alice-wide").run("tool add --a 100")
    assert "the token" in str(told.value)
    with refused(403, "denied"):
        box.fork("bob-3")
    with refused(403, "denied"):
        alice.create("alice-2", capabilities=[{"method": "add"}])
    assert alice.sessions() == ["alice-1", "alice-wide"]
    result = box.run("tool add --a 1; tool add --a 9", tools={"add": lambda a: a})
    assert result["stdout"] == "1\n" and result["exit_code"] == 126
    reader = token.narrow([MethodCapability("pinfold/sessions/read", [Param("session").starts_with("alice-")])])
    look = Client(url, encoded(reader), timeout=1).session("alice-1")
    with refused(403, "denied"):
        look.run("echo no")


def test_what_asks_needs_who_may_approve(serve, issuer):
    url = serve().url
    root = Client(url, issued(issuer), timeout=1)
    box = root.create("a", tools=[ADD], capabilities=[{"method": "add", "ask": True}])
    [call] = box.start("tool add --a 1; echo $?")["calls"]
    assert call["ask"]
    requests = [MethodCapability(f"pinfold/sessions/{name}") for name in ("answer", "read")]
    clerk = Client(url, issued(issuer, *requests, MethodCapability("add")), timeout=1).session("a")
    with refused(403, "denied"):
        clerk.answer(call["id"], value=7)
    assert clerk.answer(call["id"], deny="no")["result"]["stdout"] == "126\n"


def test_the_tenants_policy_is_above_its_tokens(tmp_path, issuer, serve):
    (tmp_path / "policy.json").write_text('{"capabilities": [{"method": "add"}]}')
    url = serve(policy=str(tmp_path / "policy.json")).url
    client = Client(url, issued(issuer), timeout=1)
    with refused(403, "denied") as told:
        client.create("a", tools=[ADD])
    assert "the tenant" in str(told.value)
    box = client.create("a", tools=[ADD, {"name": "rm"}], capabilities=[{"method": "add"}])
    assert box.run("tool rm; echo $?")["stdout"] == "126\n"


def test_quotas(serve, issuer):
    service = serve(sessions=3, live=2, runs=1, upload_bytes=1000, limits={"cpu_seconds": 0.5})
    client = Client(service.url, issued(issuer), timeout=0.5)
    boxes = [client.create(name, limits={"cpu_seconds": 100}) for name in "abc"]
    with refused(429, "quota"):
        client.create("d")
    assert len(service.home._live) == 2
    assert [box.run("echo $((6 * 7))")["stdout"] for box in boxes] == ["42\n"] * 3  # one leaves for the next
    assert boxes[0].run("while :; do :; done")["limit"] == "cpu_seconds"
    with refused(413, "too_large"):
        boxes[0].write("f", bytes(1001))
    with refused(413, "too_large"):
        boxes[0].start("echo " + "x" * (2 << 20))
    boxes[0].run("head -c 5000 /dev/zero > big")
    with refused(413, "too_large"):
        boxes[0].read("big")
    thread = threading.Thread(target=lambda: boxes[0].run("sleep 1"))
    thread.start()
    while (boxes[0].info()["run"] or {}).get("state") != "running":
        time.sleep(0.01)
    with refused(429, "quota"):
        boxes[1].run("echo one run at a time")
    thread.join()


# ------------------------------------------------------------------ memory, and what breaks


def test_what_waits_leaves_memory_and_comes_back(serve, issuer):
    service = serve(server={"idle_seconds": 0.2})
    client = Client(service.url, issued(issuer))
    box = client.create("alice", tools=[ADD])
    run = box.start("x=5; echo $x $(tool add --a 1)")
    until = time.monotonic() + 30
    while service.home._live and time.monotonic() < until:
        time.sleep(0.02)
    assert not service.home._live
    assert box.info()["run"]["calls"] == run["calls"]
    assert box.answer(run["calls"][0]["id"], value=2)["result"]["stdout"] == "5 2\n"
    metrics = httpx.get(f"{service.url}/metrics").text
    for name in ("claim_startup_latency", "suspend_latency", "resume_latency"):
        assert float(metrics.split(f"pinfold_{name}_seconds_count ")[1].split()[0]) >= 1
    for name in ("warm_hits_total", "warm_misses_total", "active", "waiting", "running"):
        assert f"\npinfold_{name} " in metrics
    Client(service.url, "x", timeout=0)._http.get("/sessions")
    assert 'pinfold_denials_total{what="bad_token"} 1.0' in httpx.get(f"{service.url}/metrics").text


@pytest.mark.parametrize("key", [None, b"k" * 32], ids=["open", "keyed"])
def test_a_poisoned_snapshot(serve, issuer, tmp_path, key):
    service = serve(server={"idle_seconds": 0.1}, key=key)
    client = Client(service.url, issued(issuer), timeout=1)
    client.create("well").run("echo 1 > f")
    box = client.create("ill")
    box.run("echo 1 > f")
    before = box.snapshots()[0]["id"]
    box.run("echo 2 > f")
    while service.home._live:
        time.sleep(0.02)
    newest = box.snapshots()[0]["id"]
    with sqlite3.connect(tmp_path / "agents.db") as db:
        db.execute("UPDATE snapshot SET data = CAST(substr(data, 1, length(data) - 3) || x'010203' AS BLOB) WHERE id = ?", (newest,))
        db.execute("UPDATE snapshot SET label = replace(label, '\"limits\": {', '\"limits\": {\"files\": 9') WHERE id = ?", (before,))
    with refused(500, "damaged"):
        box.run("cat f")
    if key is not None:
        with refused(500, "damaged"):  # what it was made with was altered
            box.fork("saved", before)
        before = box.snapshots()[2]["id"]
        assert box.fork("saved", before).files() == {}
    assert client.session("well").run("cat f")["stdout"] == "1\n"
    box.delete()


def test_a_store_that_is_full(serve, issuer, monkeypatch):
    """What could not be saved was not acknowledged, and did not happen."""
    service = serve()
    client = Client(service.url, issued(issuer), timeout=1)
    box = client.create("alice", tools=[ADD])
    box.run("echo before > f")
    run = box.start("echo $(tool add --a 1) > f")
    save = service.store.save

    def full(*args, **how):
        raise StoreError("agents.db: database or disk is full")

    monkeypatch.setattr(service.store, "save", full)
    with refused(507, "store"):
        box.answer(run["calls"][0]["id"], value=1)
    with refused(507, "store"):
        client.create("bob")
    monkeypatch.setattr(service.store, "save", save)
    again = box.info()["run"]
    assert again["calls"] == run["calls"]  # the call waits as before
    box.answer(again["calls"][0]["id"], value=2)
    monkeypatch.setattr(service.store, "save", full)
    with refused(507, "store"):
        box.run("echo lost > f")
    with refused(507, "store"):
        box.write("f", b"lost")
    monkeypatch.setattr(service.store, "save", save)
    assert box.read("f") == b"2\n" and client.create("bob")


def test_a_worker_that_dies(serve, issuer):
    service = serve()
    client = Client(service.url, issued(issuer), timeout=1)
    box = client.create("alice")
    box.run("echo kept > f")
    session = service.home._live["acme/alice"]
    os.kill(session.sandbox._machine._link.pid, signal.SIGKILL)
    with refused(500, "sandbox_dead"):
        box.run("echo lost > f")
    assert box.run("cat f")["stdout"] == "kept\n"


def test_a_tool_that_hangs(serve, issuer):
    service = serve(call_seconds=0.5)
    box = Client(service.url, issued(issuer)).create("alice", tools=[ADD])
    run = box.start("tool add --a 1; echo $?")
    assert run["state"] == "waiting"
    while run["state"] != "done":
        run = box.info()["run"]
        time.sleep(0.05)
    assert "1\n" in run["result"]["stdout"] and "within 0.5 s" in run["result"]["stderr"]


class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        given = json.loads(body)
        self.server.seen.append((dict(self.headers), body))
        a = given["call"]["params"]["a"]
        if a == 2:
            time.sleep(3)
        status = {3: 500, 4: 202, 5: 404}.get(a, 200)
        content = b"no json" if a == 6 else json.dumps({"value": a * 10}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


@pytest.fixture
def hook():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    server.seen = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def test_a_webhook(serve, issuer, hook):
    import hashlib
    import hmac

    url = f"http://127.0.0.1:{hook.server_address[1]}/hook"
    service = serve(webhook=url, webhook_secret="s3cret", call_seconds=1.5)
    box = Client(service.url, issued(issuer)).create("alice", tools=[ADD])
    for a, out in ((1, "10\n0\n"), (2, "1\n"), (5, "1\n"), (6, "1\n"), (3, "1\n")):
        box.start(f"tool add --a {a}; echo $?")
        while box.info()["run"]["state"] != "done":
            time.sleep(0.05)
        assert box.info()["run"]["result"]["stdout"] == out, a
    run = box.start("tool add --a 4")  # answered later, over HTTP
    assert box.answer(run["calls"][0]["id"], value="later")["result"]["stdout"] == '"later"\n'
    headers, body = hook.seen[0]
    assert headers["Idempotency-Key"] == "acme/alice/1"
    assert headers["Pinfold-Signature"] == "sha256=" + hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()


# ------------------------------------------------------------------ what it says of itself


def test_the_client_does_what_the_description_says(serve, issuer):
    """Each request of the client is one of the OpenAPI document, and each answer has its shape."""
    import jsonschema

    service = serve()
    document = httpx.get(f"{service.url}/openapi.json").json()
    schemas, asked = document["components"]["schemas"], set()

    def check(schema, value):
        jsonschema.validate(value, {**schema, "components": {"schemas": schemas}})

    def template(path):
        for known in document["paths"]:
            parts, given = known.strip("/").split("/"), path.strip("/").split("/")
            if parts[-1] == "{path}" and len(given) > len(parts):
                given = [*given[: len(parts) - 1], "/".join(given[len(parts) - 1 :])]
            if len(parts) == len(given) and all(p == g or p[0] == "{" for p, g in zip(parts, given, strict=True)):
                return known
        raise AssertionError(path)

    class Checked(httpx.HTTPTransport):
        def handle_request(self, request):
            where = template(request.url.path)
            described = document["paths"][where][request.method.lower()]
            asked.add((request.method, where))
            if "requestBody" in described:
                schema = described["requestBody"]["content"]["application/json"]["schema"]
                check(schema, json.loads(request.read()))
            answer = super().handle_request(request)
            content = described["responses"][str(answer.status_code) if str(answer.status_code) in described["responses"] else "200"]
            schema = content.get("content", {}).get("application/json", {}).get("schema")
            if schema and answer.headers["content-type"] == "application/json":
                answer.read()
                check(schema, json.loads(answer.content))
            return answer

    client = Client(service.url, issued(issuer), transport=Checked())
    box = client.create("alice", tools=[ADD], record=True)
    box.run("tool add --a 1; echo x > f", tools={"add": lambda a: a})
    for kind, _ in box.stream("tool add --a 1"):
        if kind == "waiting":
            box.interrupt()
    list(box.events(box.info()["run"]["number"]))
    box.client.request("GET", "/sessions/alice/runs/2")
    box.files(), box.read("f"), box.write("a/b", b"1"), box.remove("f")
    box.snapshot(box.snapshots()[0]["id"]), box.trace(box.traces()[0]["id"]), box.fork("bob"), client.sessions(), box.delete()
    with refused(404, "no_session"):
        box.info()
    described = {(m.upper(), p) for p, methods in document["paths"].items() for m in methods if p.startswith("/v1/")}
    assert asked == described


def test_health_draining_and_logs(serve, issuer, caplog):
    service = serve()
    client = Client(service.url, issued(issuer), timeout=0)
    with caplog.at_level(logging.INFO, "pinfold.service"):
        box = client.create("alice", tools=[ADD])
        box.run("echo s3cret")
    from pinfold.service.logs import JsonLines

    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    line = next(line for line in lines if line.get("path") == "/v1/sessions/alice/runs")
    assert line["status"] == 200 and line["tenant"] == "acme" and line["ms"] > 0
    text = json.dumps(lines)
    assert "s3cret" not in text and client._http.headers["authorization"][7:] not in text
    assert httpx.get(f"{service.url}/healthz").json() == {"status": "ok"}
    run = box.start("echo $(tool add --a 1)")
    stream = box.events(run["number"])
    assert next(stream)[0] == "call"
    service.home.draining = True
    assert httpx.get(f"{service.url}/readyz").status_code == 503
    for use in (lambda: client.create("b"), lambda: box.run("x")):
        with refused(503, "draining"):
            use()
    service.stop()  # which ends the stream
    assert [kind for kind, _ in stream][-1] in ("suspended", "error")
    again = serve()
    box = Client(again.url, issued(issuer)).session("alice")
    assert box.answer(run["calls"][0]["id"], value=8)["result"]["stdout"] == "8\n"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no \\[tenants"),
        ({"tenants": {"a b": {}}}, "a name has"),
        ({"tenants": {"a": {"keys": []}}}, "nobody could have"),
        ({"tenants": {"a": {"keys": ["xy"]}}}, "64 hexadecimal"),
        ({"tenants": {"a": {"keys": ["00" * 32], "quota": 1}}}, "'quota' is not known"),
        ({"tenants": {"a": {"keys": ["00" * 32], "live": 0}}}, "above 0"),
        ({"tenants": {"a": {"keys": ["00" * 32], "webhook": "file:///etc/passwd"}}}, "http or https"),
        ({"tenants": {"a": {"keys": ["00" * 32], "limits": {"cpu": 1}}}}, "'cpu' is not known"),
        ({"server": {"isolation": "magic"}, "tenants": {"a": {"keys": ["00" * 32]}}}, "isolation"),
    ],
)
def test_a_configuration_is_read_whole_or_not_at_all(given, said):
    with pytest.raises(ConfigError, match=said):
        config(given)


def test_the_example_is_a_configuration():
    folder = pathlib.Path(__file__).resolve().parents[2] / "examples/serve"
    tenant = read(str(folder / "service.toml")).tenants["acme"]
    assert tenant.call_seconds == 600 and tenant.limits.cpu_seconds == 10


def test_a_configuration_names_its_file(tmp_path):
    (tmp_path / "a.toml").write_text("[tenants.a\n")
    with pytest.raises(ConfigError, match="a.toml"):
        read(str(tmp_path / "a.toml"))


# ------------------------------------------------------------------ recordings


def test_a_recorded_session_has_traces(serve, issuer):
    from pinfold import replay

    service = serve(record_bytes=40_000, traces=3)
    client = Client(service.url, issued(issuer), timeout=2)
    plain, box = client.create("plain", tools=[ADD]), client.create("alice", tools=[ADD], record=True)
    plain.run("echo x")
    assert plain.traces() == []
    assert box.run("echo $(tool add --a 1 --b 2)", tools={"add": lambda a, b: a + b})["stdout"] == "3\n"
    [trace] = box.traces()
    data = box.trace(trace["id"])
    assert trace["bytes"] == len(data) and trace["age"] < 600
    assert [r.stdout for r in replay(data, partial=True).results] == ["3\n"]
    assert box.run("echo again")["ok"]
    [newer] = box.traces()  # the same one, longer
    assert [r.stdout for r in replay(box.trace(newer["id"]), partial=True).results] == ["3\n", "again\n"]
    assert newer["id"] == trace["id"]
    with refused(404, "no_trace"):
        box.trace(trace["id"] + 1)
    with refused(404, "no_trace"):
        plain.trace(newer["id"])
    # A trace has a bound; the session goes on, in the middle of a run, too.
    script = "x=7; head -c 30000 /dev/zero | tr '\\0' x; tool add --a 1 --b $x; head -c 90000 /dev/zero; tool add --a 2 --b $x"
    for _ in range(3):
        result = box.run(script, tools={"add": lambda a, b: a + b})
        assert result["ok"] and len(result["stdout"]) == 120_004 and result["stdout"].endswith("9\n")
    assert box.run("echo $x last")["stdout"] == "7 last\n"
    traces = box.traces()
    assert len(traces) == 3 and all(t["bytes"] <= 40_000 for t in traces)
    assert replay(box.trace(traces[0]["id"]), partial=True).results[-1].stdout == "7 last\n"
    box.delete()
    assert [*service.store.traces()] == []


def test_recordings_leave_no_files(serve, issuer, tmp_path, monkeypatch):
    (tmp_path / "t").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    service = serve(server={"idle_seconds": 0.2})
    client = Client(service.url, issued(issuer))
    box = client.create("alice", tools=[ADD], record=True)
    run = box.start("echo $(tool add --a 1)")
    until = time.monotonic() + 30
    while service.home._live and time.monotonic() < until:
        time.sleep(0.02)
    while list((tmp_path / "t").glob("*.jsonl")) and time.monotonic() < until:
        time.sleep(0.02)
    assert not list((tmp_path / "t").glob("*.jsonl")) and len(box.traces()) == 1
    assert box.answer(run["calls"][0]["id"], value=2)["result"]["stdout"] == "2\n"
    assert len(box.traces()) == 2


def test_a_step_that_cannot_be_recorded_did_not_happen(serve, issuer):
    client = Client(serve().url, issued(issuer), timeout=2)
    box = client.create("alice", tools=[ADD], record=True, limits={"trace_bytes": 60_000})
    assert box.run("x=1; echo kept > f")["ok"]
    with refused(409, "state") as told:
        box.run("x=2; rm f; head -c 90000 /dev/zero; tool add --a 1")
    assert "trace_bytes" in str(told.value)
    assert len(box.run("head -c 90000 /dev/zero")["stdout"]) == 90_000  # it has ended: that can be kept
    assert box.run("cat f; echo $x")["stdout"] == "kept\n1\n"


def test_a_clock_that_is_wrong_times_no_call_out(serve, issuer, postgres, monkeypatch):
    service = serve(postgres.database(), server={"idle_seconds": 0.2}, call_seconds=300)
    client = Client(service.url, issued(issuer))
    box = client.create("alice", tools=[ADD])
    run = box.start("echo $(tool add --a 1)")
    until = time.monotonic() + 30
    while service.home._live and time.monotonic() < until:
        time.sleep(0.02)
    assert not service.home._live
    true = time.time
    monkeypatch.setattr(time, "time", lambda: true() + 1800)  # of the server that goes on with it
    assert box.info()["run"]["state"] == "waiting"
    time.sleep(0.3)
    assert box.answer(run["calls"][0]["id"], value=2)["result"]["stdout"] == "2\n"
