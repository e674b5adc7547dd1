"""``isolation="process"`` where the system refuses one of its calls, on both sides of the wall.

A filter that is there before anything begins answers one system call with an error, in the
embedder's process and so in the worker's: the sandbox works without it, or says what it did not
get; nothing waits for ever, and no process is left.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pinfold

PACKAGE = str(Path(pinfold.__file__).parent.parent)

#: What starting a worker, talking to it and ending it take, but for what the interpreter could not
#: even begin without.
CALLS = {
    "poll": 7,
    "ioctl": 16,
    "dup2": 33,
    "getpid": 39,
    "sendto": 44,
    "socketpair": 53,
    "clone": 56,
    "vfork": 58,
    "wait4": 61,
    "kill": 62,
    "fcntl": 72,
    "setrlimit": 160,
    "memfd_create": 319,
    "unshare": 272,
    "dup3": 292,
    "prlimit64": 302,
    "clone3": 435,
    "close_range": 436,
    "landlock_create_ruleset": 444,
    "landlock_restrict_self": 446,
}

SCRIPT = """
import ctypes, os, struct, sys
sys.path.insert(0, sys.argv[1])
number, error = int(sys.argv[2]), int(sys.argv[3])
from pinfold import Limits, MethodCapability, PinfoldError, Sandbox
from pinfold import link, remote  # before anything is refused
rules = (0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50000 | error), (6, 0, 0, 0x7FFF0000)
held = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
program = struct.pack("HxxxxxxP", 4, ctypes.addressof(held))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program) == 0
paid = []
def pay(amount: int) -> str:
    paid.append(amount)
    return "paid"
try:
    with Sandbox(
        tools=[pay],
        capabilities=[MethodCapability("pay", max_calls=1)],
        limits=Limits(wall_seconds=2, cpu_seconds=2),
        isolation="process",
    ) as sandbox:
        done = sandbox.run("pay --amount 1; pay --amount 2; echo on").stdout
        assert done == '"paid"\\non\\n', done
        print("works")
except (PinfoldError, OSError, MemoryError, ValueError) as refused:
    print("refused:", type(refused).__name__, refused)
assert paid in ([], [1]), paid
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86-64")
@pytest.mark.parametrize("error", [1, 12], ids=["EPERM", "ENOMEM"])
@pytest.mark.parametrize("name", CALLS)
def test_a_system_call_that_is_refused(name, error):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, PACKAGE, str(CALLS[name]), str(error)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(("works", "refused: ")), done.stdout
