"""The example with DBOS: a worker that is killed between any two steps changes nothing."""

import os
import pathlib
import random
import subprocess
import sys
import time

import pytest

pytest.importorskip("dbos", reason="dbos is for who has workflows")
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/durable/dbos_agent.py"
RECEIPTS = '"charged 100"\n"charged 250"\n"charged 400"\n'


def test_a_worker_that_is_killed_goes_on(postgres, tmp_path):
    url, log = postgres.database(), tmp_path / "charges"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "CHARGES": str(log)}
    pick, kills, begun = random.Random(3), 0, time.monotonic()
    command = [sys.executable, str(EXAMPLE), url, "order-1"]
    whole = subprocess.run([*command[:-1], "warm"], env=env, capture_output=True, text=True, timeout=120)
    assert whole.stdout == RECEIPTS, whole.stderr[-2000:]
    seconds = time.monotonic() - begun
    for part in (0.5, 0.7, 0.8, 0.9):
        worker = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds * (part + pick.uniform(-0.05, 0.05)))
        kills += worker.poll() is None
        worker.kill()
        worker.wait()
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert done.stdout == RECEIPTS, done.stderr[-2000:]
    lines = [line for line in log.read_text().splitlines() if line.startswith("order-1/")]
    assert list(dict.fromkeys(lines)) == ["order-1/1 100", "order-1/2 250", "order-1/3 400"]
    assert len(lines) <= 3 + kills  # a step whose end was not noted is made again, under its key
