"""``pinfold serve`` as processes that are killed: nothing acknowledged is lost, nothing runs twice."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("fastapi", reason="fastapi is for who serves by it")
pytest.importorskip("uvicorn", reason="uvicorn is for who serves by it")
pytest.importorskip("prometheus_client", reason="prometheus_client is for who serves by it")

import httpx
import postgres_server
from service_server import Issuer, Process, configured, issued

from pinfold import Store
from pinfold.service.client import Client, ServiceError

STEP = {"name": "step", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}
SCRIPT = "for i in $(seq 4); do tool step --n $i >> log; done; wc -l < log"


@pytest.fixture
def issuer():
    return Issuer()


def worker(url, token, name, rounds, acknowledged, asked, failed):
    """A user's program: each answer that was acknowledged must never be asked for again."""
    try:
        with Client(url, token, timeout=90) as client:
            box = client.session(name)
            for turn in range(rounds):
                run = box.start(SCRIPT)
                while run["state"] != "done":
                    if not run["calls"]:
                        run = box.info()["run"]
                        continue
                    [call] = run["calls"]
                    asked.append((turn, call["id"]))
                    if (turn, call["id"]) in acknowledged:
                        failed.append(f"{name}: call {call['id']} was asked again")
                        return
                    run = box.answer(call["id"], value=f"{turn}.{call['params']['n']}")
                    acknowledged.add((turn, call["id"]))
                if run["result"]["stdout"] != f"{4 * (turn + 1)}\n":
                    failed.append(f"{name}: {run['result']}")
    except Exception as error:
        failed.append(f"{name}: {error!r}")


@pytest.mark.parametrize("where", ["file", "postgres"])
def test_a_server_that_is_killed_at_random(tmp_path, issuer, where, request):
    if where == "postgres":
        place = request.getfixturevalue("postgres").database()
    else:
        place = str(tmp_path / "agents.db")
    config, token = configured(tmp_path, issuer), issued(issuer)
    server = Process(tmp_path, place, config)
    port = int(server.url.rpartition(":")[2])
    names = [f"s{n}" for n in range(6)]
    with Client(server.url, token) as client:
        for name in names:
            client.create(name, tools=[STEP])
    known = {name: (set(), [], []) for name in names}
    threads = [
        threading.Thread(target=worker, args=(server.url, token, name, 4, *known[name]), daemon=True) for name in names
    ]
    for thread in threads:
        thread.start()
    pick, kills = random.Random(25), 0
    while any(thread.is_alive() for thread in threads) and kills < 12:
        time.sleep(pick.uniform(0.3, 1.2))
        server.kill()
        kills += 1
        server = Process(tmp_path, place, config, port)
    for thread in threads:
        thread.join(120)
    assert kills >= 2 and [failed for _, _, failed in known.values() if failed] == []
    with Client(server.url, token) as client:
        for name in names:
            lines = client.session(name).read("log").decode().splitlines()
            assert [json.loads(line) for line in lines] == [f"{t}.{n}" for t in range(4) for n in range(1, 5)]
            assert len(known[name][0]) == 16
    assert server.terminate() == 0


def test_a_graceful_stop_loses_nothing(tmp_path, issuer):
    place, config, token = str(tmp_path / "agents.db"), configured(tmp_path, issuer), issued(issuer)
    server = Process(tmp_path, place, config)
    client = Client(server.url, token, timeout=30)
    waiting, computing = client.create("waiting", tools=[STEP]), client.create("computing")
    run = waiting.start("echo $(tool step)")
    got = []
    thread = threading.Thread(target=lambda: got.append(computing.start("sleep 1; echo slept > f; echo done")))
    thread.start()
    while (computing.info()["run"] or {}).get("state") != "running":
        time.sleep(0.02)
    assert server.terminate() == 0
    thread.join(60)
    assert got[0]["result"]["stdout"] == "done\n"  # it had the time
    log = [json.loads(line) for line in open(tmp_path / "log") if line.startswith("{")]
    assert any(line.get("path") == "/v1/sessions" and line["status"] == 201 for line in log)
    server = Process(tmp_path, place, config, int(server.url.rpartition(":")[2]))
    assert waiting.answer(run["calls"][0]["id"], value=3)["result"]["stdout"] == "3\n"
    assert computing.read("f") == b"slept\n"
    server.terminate()


def test_two_servers_on_one_store(tmp_path, issuer, postgres):
    place, config, token = postgres.database(), configured(tmp_path, issuer), issued(issuer)
    one, two = Process(tmp_path, place, config), Process(tmp_path, place, config)
    first, second = Client(one.url, token, timeout=1), Client(two.url, token, timeout=1)
    box = first.create("alice", tools=[STEP])
    run = box.start("echo $(tool step)")
    with pytest.raises(ServiceError) as told:
        second.session("alice").info()
    assert told.value.code == "elsewhere" and one.url.rpartition(":")[2] in str(told.value)
    one.kill()
    moved = second.session("alice")
    assert moved.answer(run["calls"][0]["id"], value="here")["result"]["stdout"] == '"here"\n'
    two.terminate()


def test_a_server_that_pauses_overwrites_nothing(tmp_path, issuer, postgres):
    """It stands still for longer than its leases; the answer that it took meanwhile is refused."""
    place, token = postgres.database(), issued(issuer)
    config = configured(tmp_path, issuer)
    one, two = Process(tmp_path, place, config), Process(tmp_path, place, config)
    first, second = Client(one.url, token, timeout=1), Client(two.url, token, timeout=40)
    run = first.create("alice", tools=[STEP]).start("echo $(tool step); tool step; echo end")
    one.process.send_signal(signal.SIGSTOP)
    until = time.monotonic() + 60
    while True:  # its lease lasts 6 s
        try:
            state = second.session("alice").info()["run"]
            break
        except ServiceError as error:
            assert error.code == "elsewhere" and time.monotonic() < until
            time.sleep(0.5)
    assert state["calls"] == run["calls"]
    id = run["calls"][0]["id"]
    after = second.session("alice").answer(id, value="second")
    one.process.send_signal(signal.SIGCONT)
    with pytest.raises(ServiceError) as told:
        first.session("alice").answer(id, value="first")
    assert told.value.code in ("moved", "elsewhere")
    done = second.session("alice").answer(after["calls"][0]["id"], value=None)
    assert done["result"]["stdout"] == '"second"\nend\n'.replace("end", "null\nend")
    one.kill()
    two.terminate()


def test_a_store_that_goes_away(tmp_path, issuer):
    why = postgres_server.missing()
    if why is not None:
        pytest.skip(why)
    postgres = postgres_server.Postgres()
    try:
        place, config, token = postgres.database(), configured(tmp_path, issuer), issued(issuer)
        server = Process(tmp_path, place, config)
        client = Client(server.url, token, timeout=60)
        box = client.create("alice")
        box.run("echo 1 > f")
        postgres.kill()
        assert httpx.get(f"{server.url}/healthz").status_code == 200
        got = []
        thread = threading.Thread(target=lambda: got.append(box.run("echo 2 >> f; wc -l < f")))
        thread.start()
        time.sleep(1)
        assert httpx.get(f"{server.url}/readyz", timeout=20).status_code == 503
        postgres.start()
        thread.join(60)
        assert got[0]["stdout"] == "2\n" and box.read("f") == b"1\n2\n"
        server.terminate()
    finally:
        postgres.stop()


def test_the_command_line(tmp_path):
    def pinfold(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "pinfold", "serve", *arguments],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )

    key, policy = tmp_path / "key", tmp_path / "policy.json"
    public = pinfold("key", str(key)).stdout.strip()
    assert len(public) == 64 and key.stat().st_mode & 0o777 == 0o600
    assert "exists" in pinfold("key", str(key)).stderr  # which is not overwritten
    policy.write_text('{"capabilities": [{"method": "pinfold/sessions/*"}]}')
    token = pinfold("token", "--key", str(key), "--policy", str(policy)).stdout.strip()
    config = tmp_path / "service.toml"
    config.write_text(f'[tenants.acme]\nkeys = ["{public}"]\n')
    server = Process(tmp_path, str(tmp_path / "agents.db"), str(config))
    with Client(server.url, token) as client:
        assert client.create("alice").run("echo $((6 * 7))")["stdout"] == "42\n"
    assert server.terminate() == 0
    assert json.loads(pinfold("--openapi").stdout)["paths"]["/v1/sessions"]
    place = str(tmp_path / "agents.db")
    with Store(place) as store:
        for _ in range(3):
            store.add_trace("acme/alice", b"x")
        assert len(store.list()) == 2
    assert pinfold("prune", "--store", place, "--hours", "1").stdout == "0 snapshots removed\n"
    pruned = pinfold("prune", "--store", place, "--traces", "1").stdout
    assert pruned == "1 snapshots removed\n2 traces removed\n"
    for arguments, said in (
        (("prune",), "--store is needed"),
        (("prune", "--store", place, "--keep", "0"), "keep"),
        (("prune", "--store", place, "--hours", "nan"), "--hours"),
        ((), "--config is needed"),
        (("--config", "nowhere.toml", "--store", "x"), "nowhere.toml"),
        (("--config", str(config), "--store", ""), "--store is needed"),
        (("--config", str(config), "--store", str(policy)), "policy.json"),
    ):
        told = pinfold(*arguments)
        assert told.returncode == 125 and said in told.stderr, told.stderr
