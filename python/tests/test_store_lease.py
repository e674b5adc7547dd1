"""Leases: one driver at a time, and none that comes back from the dead. In a file and on a server."""

import os
import signal
import subprocess
import sys
import time

import pytest

from pinfold import LeaseError, Sandbox, Store

DRIVER = """
import sys, time
from pinfold import LeaseError, Sandbox, Store
with Store(sys.argv[1], lease_seconds=float(sys.argv[2])) as store, Sandbox() as sandbox:
    with store.lease("a", holder="the first", timeout=20) as lease:
        print(lease.token, flush=True)
        for line in sys.stdin:
            sandbox.run("echo zombie > n")
            try:
                store.save("a", sandbox, lease=lease)
                print("saved", flush=True)
            except LeaseError as error:
                print("refused", lease.lost, error, flush=True)
"""


def driver(place, seconds):
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER, place, str(seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert int(process.stdout.readline()) > 0
    return process


def said(process):
    process.stdin.write("save\n")
    process.stdin.flush()
    return process.stdout.readline()


def test_one_drives_and_others_are_told_who(place):
    with Store(place) as store, Store(place) as other, Sandbox() as sandbox:
        with store.lease("a", holder="pool 1") as lease:
            store.save("a", sandbox, lease=lease)
            for driven in (lambda: other.lease("a"), lambda: store.lease("a")):
                with pytest.raises(LeaseError, match="'a' is driven by"):
                    driven()
            with pytest.raises(LeaseError, match="pool 1"):
                other.lease("a", timeout=0.2)
            for change in (
                lambda: other.save("a", sandbox),
                lambda: store.save("a", sandbox),
                lambda: other.forget("a"),
            ):
                with pytest.raises(LeaseError, match="pool 1"):
                    change()
            other.save("b", sandbox)  # which nobody drives
            with other.lease("b"):
                pass
            with pytest.raises(ValueError, match="for 'a', not for 'b'"):
                store.save("b", sandbox, lease=lease)
            other.load("a").close()  # everybody may look
        assert not store.holds(lease)
        with pytest.raises(LeaseError, match="released"):
            store.save("a", sandbox, lease=lease)
        with other.lease("a") as next:
            assert next.token > lease.token
        store.save("a", sandbox)  # nobody drives it
        with store.lease("new") as lease:  # not there yet
            with pytest.raises(LeaseError):
                other.branch("a", "new")
            store.branch("a", "new", lease=lease)


def test_a_driver_that_is_killed_gives_way_at_once(place):
    process = driver(place, 3600)
    with Store(place) as store, Sandbox() as sandbox:
        with pytest.raises(LeaseError, match="the first"):
            store.lease("a")
        process.kill()
        process.wait()
        with store.lease("a", timeout=20) as lease:
            store.save("a", sandbox, lease=lease)


def test_a_driver_that_pauses_is_fenced(place):
    """It stands still for longer than its lease, as a machine that is suspended; what it wants to
    write afterwards is refused, also when the one that took over has ended."""
    process = driver(place, 0.5)
    assert said(process) == "saved\n"
    process.send_signal(signal.SIGSTOP)
    with Store(place) as store, store.load("a") as sandbox:
        with store.lease("a", timeout=30) as lease:
            sandbox.run("echo mine > n")
            mine = store.save("a", sandbox, lease=lease)
            assert store.holds(lease)
            process.send_signal(signal.SIGCONT)
            assert said(process).startswith("refused")
        assert "taken over" in said(process)
        time.sleep(0.5)  # it has heard of that
        assert said(process).startswith("refused True")
        assert store.history("a")[0].id == mine
        with store.load("a") as again:
            assert again.run("cat n").stdout == "mine\n"
    process.stdin.close()
    process.wait()


def test_a_lease_is_renewed_while_its_process_lives(place):
    with Store(place, lease_seconds=0.3) as store, Store(place) as other:
        with store.lease("a") as lease:
            time.sleep(1.2)
            assert not lease.lost
            with pytest.raises(LeaseError):
                other.lease("a")
        with pytest.raises(ValueError, match="lease_seconds"):
            Store(place, lease_seconds=0)
