"""The example with Temporal: its types, its activities, and, where there is a development server, a
worker that is killed between any two steps."""

import os
import pathlib
import random
import runpy
import shutil
import socket
import subprocess
import sys
import time

import pytest

pytest.importorskip("temporalio", reason="temporalio is for who has workflows")
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/durable/temporal_agent.py"
RECEIPTS = '"charged 100"\n"charged 250"\n"charged 400"\n'


def test_its_activities_make_the_run(tmp_path, monkeypatch):
    """As the workflow does it; each activity is given what went through Temporal's converter."""
    from temporalio.converter import default

    made = runpy.run_path(str(EXAMPLE))
    monkeypatch.setenv("CHARGES", str(tmp_path / "charges"))
    converter = default().payload_converter

    def through(value, type):
        return converter.from_payload(converter.to_payload(value), type)

    state = through(made["begin"](made["SCRIPT"]), made["Waiting"])
    while state.sandbox is not None:
        answer = through(made["charge"](state.params, "k"), str)
        state = through(made["go_on"](state.sandbox, answer), made["Waiting"])
    assert state.printed == RECEIPTS
    assert (tmp_path / "charges").read_text() == "k 100\nk 250\nk 400\n"


def test_its_types(tmp_path):
    pytest.importorskip("mypy")
    source = pathlib.Path(__file__).resolve().parents[1] / "pinfold"
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--ignore-missing-imports"]
    command += ["--config-file=", f"--cache-dir={tmp_path}", str(EXAMPLE)]
    env = os.environ | {"MYPYPATH": str(source.parent)}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.stdout.startswith("Success"), done.stdout


@pytest.fixture
def server(tmp_path):
    program = shutil.which("temporal")
    if program is None:
        pytest.skip("its server is not here: go install github.com/temporalio/cli/cmd/temporal@v1.1.2")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = open(tmp_path / "server", "wb")
    command = [program, "server", "start-dev", "--headless", "--port", str(port), "--db-filename", str(tmp_path / "db")]
    process = subprocess.Popen(command, stdout=log, stderr=log)
    until = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            assert time.monotonic() < until, (tmp_path / "server").read_text()
            time.sleep(0.1)
    yield f"127.0.0.1:{port}"
    process.kill()
    process.wait()
    log.close()


def test_a_worker_that_is_killed_goes_on(server, tmp_path):
    log = tmp_path / "charges"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "CHARGES": str(log)}
    pick, kills, begun = random.Random(3), 0, time.monotonic()
    command = [sys.executable, str(EXAMPLE), server, "order-1"]
    whole = subprocess.run([*command[:-1], "warm"], env=env, capture_output=True, text=True, timeout=120)
    assert whole.stdout == RECEIPTS, whole.stderr[-2000:]
    seconds = time.monotonic() - begun
    for part in (0.5, 0.7, 0.9):
        worker = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds * (part + pick.uniform(-0.05, 0.05)))
        kills += worker.poll() is None
        worker.kill()
        worker.wait()
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=240)
    assert done.stdout == RECEIPTS, done.stderr[-2000:]
    lines = [line for line in log.read_text().splitlines() if line.startswith("order-1/")]
    assert list(dict.fromkeys(lines)) == ["order-1/1 100", "order-1/2 250", "order-1/3 400"]
    assert len(lines) <= 3 + kills
