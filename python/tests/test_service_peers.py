"""Several servers on one store: who is asked passes a request on to who drives the session."""

import json
import signal
import socket
import threading
import time

import pytest

pytest.importorskip("fastapi", reason="fastapi is for who serves by it")
pytest.importorskip("uvicorn", reason="uvicorn is for who serves by it")
pytest.importorskip("prometheus_client", reason="prometheus_client is for who serves by it")

import httpx
from service_server import Issuer, Process, Service, configured, issued

from pinfold import Store
from pinfold.service.addresses import checked, known, place_of
from pinfold.service.client import Client, ServiceError

STEP = {"name": "step", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}
PEERS = ["http://127.0.0.1:*"]


@pytest.fixture
def issuer():
    return Issuer()


@pytest.fixture
def servers(tmp_path, issuer, postgres):
    """Makes servers on one store, and a client for each."""
    made, place = [], postgres.database()

    def start(peers=PEERS, advertise=True, timeout=2.0):
        config = configured(tmp_path, issuer, peers=peers)
        server = Process(tmp_path, place, config, advertise=advertise)
        made.append(server)
        return server, Client(server.url, issued(issuer), timeout=timeout)

    yield start
    for server in made:
        server.process.send_signal(signal.SIGCONT)
        if server.process.poll() is None:
            server.kill()


def test_any_server_answers(servers):
    _, first = servers()
    second_server, second = servers()
    mine = first.create("alice", tools=[STEP])
    box = second.session("alice")  # through the other one
    run = box.start("echo one; echo $(tool step --n 1) $(tool step --n 2)")
    assert mine.info()["run"]["calls"] == run["calls"]
    run = box.answer(run["calls"][0]["id"], value="a")
    assert mine.answer(run["calls"][0]["id"], value="b")["result"]["stdout"] == 'one\n"a" "b"\n'
    box.write("deep/f", bytes(range(256)) * 100)
    assert mine.read("deep/f") == box.read("deep/f") == bytes(range(256)) * 100
    seen = []
    for event in box.stream("echo streamed; tool step --n 3; exit 4"):
        seen.append(event)
        if event[0] == "waiting":
            box.answer(box.info()["run"]["calls"][0]["id"], value=1)
    assert [kind for kind, _ in seen] == ["output", "call", "waiting", "output", "result"]
    assert seen[-1][1]["exit_code"] == 4
    with pytest.raises(ServiceError) as told:
        box.read("nowhere")
    assert (told.value.status, told.value.code) == (404, "no_file")
    wrong = Client(second.url, issued(Issuer()), timeout=1)
    with pytest.raises(ServiceError) as told:
        wrong.session("alice").info()
    assert told.value.status == 401  # which is said at once
    assert "pinfold_passed_on_total" in httpx.get(f"{second_server.url}/metrics").text
    box.delete()
    assert first.sessions() == []


def test_a_request_is_passed_on_once(servers):
    _, first = servers()
    _, second = servers()
    first.create("alice")
    headers = {**second._http.headers, "pinfold-passed-on": "1"}
    answer = httpx.get(f"{second.url}/v1/sessions/alice", headers=headers)
    assert answer.status_code == 409 and answer.json()["error"]["code"] == "elsewhere"
    assert answer.json()["error"]["server"] == first.url


def test_tokens_go_to_named_servers_only(servers):
    """Whoever writes the store does not say where requests go."""
    _, first = servers()
    _, second = servers(peers=["http://10.0.0.*:8080"], advertise=False)
    first.create("alice")
    with pytest.raises(ServiceError) as told:
        second.session("alice").info()
    assert told.value.code == "elsewhere"


def test_a_server_that_pauses_gives_way_to_the_one_that_is_asked(servers):
    one, first = servers()
    _, second = servers(timeout=60)
    run = first.create("alice", tools=[STEP]).start("echo $(tool step --n 1); echo end")
    id = run["calls"][0]["id"]
    one.process.send_signal(signal.SIGSTOP)
    done = second.session("alice").answer(id, value="second")  # when the lease has ended
    assert done["result"]["stdout"] == '"second"\nend\n'
    one.process.send_signal(signal.SIGCONT)
    # It is not the driver any more: what it is asked now goes to the other one.
    until = time.monotonic() + 30
    while True:
        try:
            first.session("alice").answer(id, value="first")
        except ServiceError as error:
            if error.code == "answered":
                break
            assert error.code in ("moved", "elsewhere") and time.monotonic() < until
    assert first.session("alice").info()["run"]["result"]["stdout"] == '"second"\nend\n'


def test_a_server_that_is_killed_while_it_is_asked(servers):
    one, first = servers()
    _, second = servers(timeout=60)
    first.create("alice")
    got = []
    box = second.session("alice")
    thread = threading.Thread(target=lambda: got.append(box.run("sleep 2; echo x >> log; wc -l < log")))
    thread.start()
    while (second.session("alice").info()["run"] or {}).get("state") != "running":
        time.sleep(0.02)
    one.kill()
    thread.join(60)
    assert got[0]["stdout"] == "1\n" and box.read("log") == b"x\n"


def test_addresses():
    assert place_of("http://10.0.0.1:80 (connection 7)") == "http://10.0.0.1:80"
    for holder in ("", "worker 7", "ftp://x", "http://", "http://user@10.0.0.1:80 (x)", "http://[::1"):
        assert place_of(holder) == ""
    patterns = checked(["http://*.pinfold.svc:8080", "http://10.0.0.*:80"])
    for place in ("http://a-1.pinfold.svc:8080", "http://10.0.0.17:80"):
        assert known(place, patterns)
    for place in (
        "http://a.b.pinfold.svc:8080",
        "http://evil.com/.pinfold.svc:8080",
        "http://evil.com#.pinfold.svc:8080",
        "http://10.0.0.1.evil.com:80",
        "https://10.0.0.1:80",
        "http://10.0.0.1:80/path",
        "http://10.0.0.:80",
        "http://a.pinfold.svc:8080\n",
        "",
    ):
        assert not known(place, patterns)
    for wrong in ("http://x", ["x"], ["http://*"], ["http://x/y"], ["http://u@x"], [7], ["file:///x"]):
        with pytest.raises(ValueError, match="peers"):
            checked(wrong)
    assert json.dumps(PEERS) and checked(PEERS)


def test_a_server_that_is_behind_refuses_nothing(servers, tmp_path, postgres):
    """After a pause of the store another server may have gone on, before the first has noticed: it
    does not say that a call does not wait that it has not heard of."""
    _, first = servers()
    _, second = servers(timeout=60)
    run = first.create("alice", tools=[STEP]).start("for n in 1 2 3; do tool step --n $n; done")
    # Every connection ends, and with it the leases; the second server asks first.
    import psycopg

    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        for turn in range(3):
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
            here, there = (second, first) if turn % 2 == 0 else (first, second)
            deadline = time.monotonic() + 60
            while True:
                try:
                    run = here.session("alice").answer(run["calls"][0]["id"], value=turn)
                    break
                except ServiceError as error:
                    assert error.code in ("moved", "elsewhere", "store_away", "moving") and time.monotonic() < deadline
            seen = there.session("alice").info()["run"]
            assert seen["calls"] == run["calls"] and seen["state"] == run["state"]
    assert run["result"]["stdout"] == "0\n1\n2\n"


@pytest.mark.parametrize("head", [b"Content-Length: 100\r\n", b"Transfer-Encoding: chunked\r\n"])
def test_half_of_an_answer_is_none(tmp_path, issuer, head):
    """The other server is killed while it answers."""
    peer = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{peer.getsockname()[1]}"

    def die():
        connection, _ = peer.accept()
        connection.recv(65536)
        body = b'{"name"' if b"Length" in head else b'7\r\n{"name"\r\n'
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + head + b"\r\n" + body)
        connection.close()

    threading.Thread(target=die, daemon=True).start()
    tenants = {"acme": {"keys": [issuer.public_key.hex()]}}
    service = Service(tmp_path / "agents.db", tenants, {"peers": PEERS, "idle_seconds": 0.2})
    client = Client(service.url, issued(issuer), timeout=20)
    client.create("alice")
    with Store(tmp_path / "agents.db") as other, other.lease("acme/alice", holder=url, timeout=20):
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{service.url}/v1/sessions/alice", headers=client._http.headers)
    service.stop()
    peer.close()
