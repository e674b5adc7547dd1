"""``pinfold serve``, attacked by a tenant: what it may not do by being early, large or odd."""

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("fastapi", reason="fastapi is for who serves by it")
pytest.importorskip("uvicorn", reason="uvicorn is for who serves by it")
pytest.importorskip("prometheus_client", reason="prometheus_client is for who serves by it")

import httpx
from service_server import Issuer, Service, issued

from pinfold import MethodCapability
from pinfold.service.client import Client

PAY = {"name": "pay", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}
ASKS = [{"method": "pay", "ask": True}]


@pytest.fixture(scope="module")
def issuer():
    return Issuer()


@pytest.fixture(scope="module")
def service(tmp_path_factory, issuer):
    place = tmp_path_factory.mktemp("attacked") / "agents.db"
    tenants = {
        "acme": {"keys": [issuer.public_key.hex()]},
        "acm_": {"keys": [Issuer().public_key.hex()]},
    }
    made = Service(place, tenants)
    yield made
    made.stop()


@pytest.fixture
def client(service, issuer):
    with Client(service.url, issued(issuer), timeout=20) as client:
        yield client


@pytest.fixture
def send(service, issuer):
    """A request as anybody may write it."""

    def send(method, path, body=None, token=None, **how):
        headers = {"Authorization": f"Bearer {token or issued(issuer)}"} | how.pop("headers", {})
        content = body if isinstance(body, (bytes, str, type(None))) else json.dumps(body)
        url = f"{service.url}/v1{path}"
        headers.setdefault("Content-Type", "application/json")
        return httpx.request(method, url, content=content, headers=headers, timeout=30, **how)

    return send


@pytest.mark.parametrize(
    "answer", [{"value": "paid"}, {"error": "it was paid"}], ids=["value", "error"]
)
def test_an_answer_that_comes_before_its_call_approves_nothing(
    send, service, issuer, client, answer
):
    """Calls are numbered one after the other, and a request waits while the script computes."""
    name = f"early-{[*answer][0]}"
    requests = [
        MethodCapability(f"pinfold/sessions/{n}") for n in ("read", "run", "answer", "create")
    ]
    token = issued(issuer, *requests, MethodCapability("pay", ask=True))
    made = send("POST", "/sessions", {"name": name, "tools": [PAY], "capabilities": ASKS}, token)
    assert made.status_code == 201, made.text
    script = {"code": "for ((i = 0; i < 200000; i++)); do :; done; pay --n 1 && echo got it"}
    run = threading.Thread(
        target=lambda: send("POST", f"/sessions/{name}/runs?wait=0", script, token)
    )
    run.start()
    told = []
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        reply = send("POST", f"/sessions/{name}/calls/1", answer, token)
        told.append((reply.status_code, reply.json().get("error", {}).get("code")))
        if told[-1] != (404, "no_call"):
            break
    run.join()
    assert told[-1] == (403, "denied"), told
    body = send("GET", f"/sessions/{name}", token=token).json()
    assert body["run"]["state"] == "waiting" and [c["id"] for c in body["run"]["calls"]] == [1]
    assert send("POST", f"/sessions/{name}/calls/1", {"deny": "no"}, token).status_code == 200


def test_names_of_no_session_leave_nothing_behind(send, service):
    for n in range(50):
        assert send("GET", f"/sessions/no-such-{n}").status_code == 404
        assert send("DELETE", f"/sessions/no-such-{n}").status_code == 404
        assert (
            send("POST", f"/sessions/{n * 'x'}-nothing/runs", {"code": "echo"}).status_code == 404
        )
    assert len(service.home._opening) == 0


def test_events_of_large_calls_are_not_kept_for_ever(client, service):
    box = client.create("large", tools=[{"name": "take"}])
    script = "x=$(head -c 200000 /dev/zero | tr '\\0' x); for i in $(seq 30); do take --text $x > /dev/null; done"
    result = box.run(script, tools={"take": lambda text: len(text)})
    assert result["ok"]
    run = service.home._live["acme/large"].run
    assert sum(len(json.dumps(body)) for _, _, body in run.events) < 2 << 20
    assert run.events[-1][1] == "result"
    result = box.run("head -c 1500000 /dev/zero | tr '\\0' x")  # more than all events may have
    assert len(result["stdout"]) == 1 << 20
    assert [kind for kind, _ in box.stream("head -c 1500000 /dev/zero | tr '\\0' x")][
        -1
    ] == "result"


ODD_BODIES = {
    "half of a pair": '{"name": "odd1", "env": {"A": "\\ud800"}}',
    "half of a pair in a tool": '{"name": "odd2", "tools": [{"name": "t", "description": "\\udfff"}]}',
    "deep": '{"name": "odd3", "tools": [{"name": "t", "parameters": '
    + "[" * 50000
    + "]" * 50000
    + "}]}",
    "deep schema": '{"name": "odd3", "tools": [{"name": "t", "parameters": '
    + '{"not": ' * 900
    + "{}"
    + "}" * 900
    + "}]}",
    "digits": '{"name": "odd4", "seed": ' + "9" * 6000 + "}",
    "no number": '{"name": "odd5", "limits": {"cpu_seconds": NaN}}',
    "for ever": '{"name": "odd6", "limits": {"wall_seconds": Infinity}}',
    "more memory than there is": '{"name": "odd7", "limits": {"memory_bytes": 1e300}}',
    "a negative limit": '{"name": "odd8", "limits": {"memory_bytes": -5}}',
    "an unknown limit": '{"name": "odd9", "limits": {"__class__": 1}}',
    "above": '{"name": ".."}',
    "a way": '{"name": "a/b"}',
    "another tenant": '{"name": "../acm_/x"}',
    "NUL": '{"name": "a\\u0000b"}',
    "NUL in the environment": '{"name": "odd10", "env": {"A": "x\\u0000y"}}',
    "a line end": '{"name": "odd\\n"}',
    "the service's own": '{"name": "odd11", "tools": [{"name": "pinfold/sessions/run"}]}',
    "the service's own, otherwise": '{"name": "odd12", "tools": [{"name": "mcp:pinfold.sessions.run"}]}',
    "a slow pattern": '{"name": "odd13", "tools": [{"name": "t", "parameters": {"properties": {"x": {"pattern": "(a|a)*$"}}}}]}',
    "a loop": '{"name": "odd14", "tools": [{"name": "t", "parameters": {"$ref": "#"}}]}',
    "another host's schema": '{"name": "odd15", "tools": [{"name": "t", "parameters": {"$ref": "http://127.0.0.1:1/x"}}]}',
    "wider": '{"name": "odd16", "capabilities": [{"method": "pinfold/**"}]}',
    "twice": '{"name": "odd17", "name": "odd18"}',
    "no JSON": "\xff\xfe",
    "nothing": "",
    "a list": "[]",
}


@pytest.mark.parametrize("body", ODD_BODIES.values(), ids=ODD_BODIES)
def test_odd_bodies_are_no_fault_of_the_server(send, body):
    reply = send("POST", "/sessions", body.encode("utf-8", "surrogatepass"))
    assert reply.status_code < 500, reply.text
    names = send("GET", "/sessions").json()["sessions"]
    assert not any("/" in name or name == ".." or "\n" in name or "\0" in name for name in names)


ODD_RUNS = {
    "half of a pair": {"code": "echo \ud800"},
    "NUL": {"code": "echo a\0b"},
    "input": {"code": "cat", "stdin": "\ud800"},
    "a way up": {"code": "pwd", "cwd": "/../../.."},
    "cwd": {"code": "pwd", "cwd": "\0"},
    "environment": {"code": "env", "env": {"=": "x", "A=B": "y"}},
    "environment with half of a pair": {"code": "env", "env": {"A": "\ud800"}},
    "a key": {"code": "true", "key": "\0\ud800"},
    "an unknown member": {"code": "true", "__init__": 1},
}


@pytest.mark.parametrize("body", ODD_RUNS.values(), ids=ODD_RUNS)
def test_odd_runs_are_no_fault_of_the_server(send, client, body):
    if "odd" not in client.sessions():
        client.create("odd", tools=[PAY])
    reply = send("POST", "/sessions/odd/runs", body)
    assert reply.status_code < 500, reply.text
    assert client.session("odd").run("echo fine")["stdout"] == "fine\n"


@pytest.mark.parametrize(
    "body",
    ['{"value": "\\ud800"}', '{"value": NaN}', '{"value": 1e999}', '{"value": ' + "[" * 20000 + "]" * 20000 + "}",
     '{"error": "\\ud800"}', '{"deny": "\\ud800"}', '{"value": {"\\ud800": 1}}', '{"value": ' + "9" * 5000 + "}",
     '{"value": 1, "deny": "x"}', '{"value": null, "error": ""}'],
)  # fmt: skip
def test_odd_answers_are_no_fault_of_the_server(send, client, body):
    if "answers" not in client.sessions():
        client.create("answers", tools=[PAY])
    box = client.session("answers")
    run = send("POST", "/sessions/answers/runs", {"code": "pay --n 1; echo over"}).json()
    if run.get("error"):  # what was not answered before waits
        run = box.info()["run"]
    reply = send("POST", f"/sessions/answers/calls/{run['calls'][0]['id']}", body)
    assert reply.status_code < 500, reply.text


@pytest.mark.parametrize(
    "method, path, status",
    [
        ("GET", "/sessions/%2e%2e", 404), ("GET", "/sessions/..%2facm_%2fx", 404),
        ("GET", "/sessions/x/files/..%2f..%2f..%2fetc%2fpasswd", 404),
        ("GET", "/sessions/x/snapshots/99999999999999999999999999", 404),
        ("GET", "/sessions/x/snapshots/-1", 404), ("GET", "/sessions/x/traces/18446744073709551616", 404),
        ("POST", "/sessions/x/calls/99999999999999999999", 404), ("GET", "/sessions/x/runs/-1", 404),
        ("GET", "/sessions/" + "x" * 5000, 404), ("GET", "/sessions/a%00b", 404),
    ],
)  # fmt: skip
def test_odd_paths_are_no_fault_of_the_server(send, method, path, status):
    reply = send(method, path, {"value": 1} if method == "POST" else None)
    assert 400 <= reply.status_code < 500, reply.text


def test_another_tenants_name_that_looks_like_a_pattern(service, send, issuer):
    """The tenant `acm_` and the tenant `acme` have nothing in common."""
    assert send("POST", "/sessions", {"name": "mine"}).status_code in (201, 409)
    who = type("Who", (), {"tenant": service.home.config.tenants["acm_"]})()
    import asyncio

    names = asyncio.run_coroutine_threadsafe(service.home.names(who), service.home._loop).result(10)
    assert names == []


def test_quotas_hold_for_requests_that_come_together(tmp_path, issuer):
    tenant = {"keys": [issuer.public_key.hex()], "sessions": 3, "live": 2}
    service = Service(tmp_path / "agents.db", {"acme": tenant}, {"isolation": "none", "threads": 8})
    header = {"Authorization": f"Bearer {issued(issuer)}"}

    def ask(method, path, body=None):
        url = f"{service.url}/v1/sessions{path}"
        return httpx.request(method, url, json=body, headers=header, timeout=60).status_code

    def together(method, path, bodies):
        with ThreadPoolExecutor(len(bodies)) as pool:
            statuses = [*pool.map(lambda body: ask(method, path, body), bodies)]
        assert set(statuses) <= {200, 201, 429}, statuses
        assert len(service.home._live) <= 2
        return statuses

    try:
        together("POST", "", [{"name": f"s{n}"} for n in range(12)])
        names = httpx.get(f"{service.url}/v1/sessions", headers=header).json()["sessions"]
        assert 1 <= len(names) <= 3
        together("POST", f"/{names[0]}/forks", [{"name": f"f{n}"} for n in range(8)])
        names = httpx.get(f"{service.url}/v1/sessions", headers=header).json()["sessions"]
        assert len(names) <= 3
        while len(names) < 3:  # one after the other there is room for all
            assert ask("POST", "", {"name": f"t{len(names)}"}) == 201
            names = httpx.get(f"{service.url}/v1/sessions", headers=header).json()["sessions"]
        assert ask("POST", "", {"name": "last"}) == 429
        with ThreadPoolExecutor(12) as pool:
            got = [*pool.map(lambda n: ask("GET", f"/{names[n % 3]}"), range(24))]
        assert set(got) <= {200, 429, 503} and len(service.home._live) <= 2
    finally:
        service.stop()


@pytest.mark.parametrize("token", [None, "not-a-token"])
def test_a_body_is_not_read_before_its_token(service, token):
    """It could be large, or take long to be parsed, while all others wait."""
    host, port = service.url.removeprefix("http://").split(":")
    head = "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    head += "Content-Length: 30000000\r\n"
    head += f"Authorization: Bearer {token}\r\n" if token else ""
    with socket.create_connection((host, int(port)), timeout=30) as asking:
        asking.sendall(f"{head}\r\n[".encode())
        assert asking.recv(100).startswith(b"HTTP/1.1 401 ")


def test_what_is_parsed_is_bounded(service, send):
    """A large body with a token: it is refused before it is parsed, and others are answered."""
    assert send("POST", "/sessions", {"name": "parsed"}).status_code == 201
    body = b'{"code": "' + b"x" * (20 << 20) + b'"}'
    refused = send("POST", "/sessions/parsed/runs", body)
    assert refused.status_code == 413 and "16777216 bytes" in refused.text
    path = "/sessions/parsed/files/big"
    headers = {"Content-Type": "application/octet-stream"}
    assert send("PUT", path, bytes(20 << 20), headers=headers).status_code == 204
