"""The system calls that a worker of ``isolation="process"`` may make: confine.def, the one table.

Each call that it allows has a reason here that shows without it (`NEEDED`), each check of an
argument has an argument that passes and some that do not (`CHECKED`), and every other call of the
kernel is refused. What is made from the table, or compared with it, is generated.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

import pinfold
import pytest
from pinfold import _native

PACKAGE = str(pathlib.Path(pinfold.__file__).parent.parent)
ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = {name: rest for name, *rest in _native.confinement()}
NUMBERS = {name: number for name, (number, *_) in RULES.items()}
#: Of every kernel that there is, and some more.
CALLS = range(600)
LIBC = ctypes.CDLL(None, use_errno=True)
KILLED = -signal.SIGSYS


def confined(act, given=tuple):
    """How a child ends that acts in a confined process, with what it was given before: its status,
    or minus a signal."""
    pid = os.fork()
    if pid == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            args = given()
            _native.confine(None)
            os._exit(act(*args))
        finally:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def call(number, *args):
    """0 when the system call succeeded, else its errno."""
    whole = [ctypes.c_ulong(arg & (1 << 64) - 1) for arg in (*args, 0, 0, 0, 0, 0, 0)[:6]]
    ctypes.set_errno(0)
    return ctypes.get_errno() % 256 if LIBC.syscall(ctypes.c_long(number), *whole) == -1 else 0


# ---------------------------------------------------------------------- what is not allowed


def test_every_other_call_of_the_kernel_kills_the_process():
    # uretprobe and uprobe of x86-64 never come to a filter, and do nothing but for the kernel's own
    # breakpoints.
    passed = {335, 336} if os.uname().machine == "x86_64" else set()
    others = [number for number in CALLS if number not in {*NUMBERS.values(), *passed}]
    wrong = {number for number in others if confined(lambda number=number: call(number)) != KILLED}
    assert wrong == set()


@pytest.mark.parametrize("name", [name for name, rest in RULES.items() if rest[2]])
def test_what_python_asks_for_in_passing_fails(name):
    assert confined(lambda: call(NUMBERS[name], 0, 0)) == errno.EPERM


def test_a_call_of_the_other_interface_kills_the_process():
    if os.uname().machine != "x86_64":
        pytest.skip("only x86-64 has another one that every kernel takes")
    x32 = 0x40000000
    assert confined(lambda: call(x32 | NUMBERS["getpid"])) == KILLED


# ---------------------------------------------------------------------- what is checked

OWN = os.getpid
RW = mmap.PROT_READ | mmap.PROT_WRITE
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
PAGE = mmap.PAGESIZE
MREMAP_MAYMOVE, MREMAP_FIXED = 1, 2
F_SETSIG = 10

#: For each check, in its order: arguments that pass and do no harm, and some that do not pass.
CHECKED = {
    "fcntl": [
        (
            lambda: (0, fcntl.F_DUPFD_CLOEXEC, 0),
            [
                lambda command=command: (0, command, OWN())
                for command in (fcntl.F_SETOWN, F_SETSIG, fcntl.F_SETFL, fcntl.F_SETLEASE, 1, 15)
            ],
        )
    ],
    "mmap": [
        (
            lambda: (0, PAGE, RW, PRIVATE, -1, 0),
            [
                lambda: (0, PAGE, mmap.PROT_EXEC, PRIVATE, -1, 0),
                lambda: (0, PAGE, RW | mmap.PROT_EXEC, PRIVATE, -1, 0),
                lambda: (0, PAGE, RW | 1 << 32, PRIVATE, -1, 0),
            ],
        ),
        (
            lambda: (0, PAGE, RW, PRIVATE | 0x4000, -1, 0),
            [  # memory that RLIMIT_DATA does not count: shared, growing down, huge pages
                lambda: (0, PAGE, RW, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, -1, 0),
                lambda: (0, PAGE, RW, PRIVATE | 0x100, -1, 0),
                lambda: (0, PAGE, RW, PRIVATE | 0x40000, -1, 0),
                lambda: (0, PAGE, RW, PRIVATE | 0x2000, -1, 0),
            ],
        ),
    ],
    "mprotect": [
        (
            lambda: (0, 0, RW),
            [lambda: (0, 0, mmap.PROT_EXEC), lambda: (0, 0, RW | 0x01000000)],
        )
    ],
    "mremap": [
        (
            lambda: (own_page(), PAGE, PAGE, MREMAP_MAYMOVE),
            [lambda: (own_page(), PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, own_page())],
        )
    ],
    "madvise": [
        (
            lambda: (own_page(), PAGE, mmap.MADV_DONTNEED),
            [
                lambda advice=advice: (own_page(), PAGE, advice)
                for advice in (mmap.MADV_HUGEPAGE, 12, 100)
            ],
        )
    ],
    "tgkill": [
        (
            lambda: (OWN(), OWN(), 0),
            [
                lambda: (os.getppid(), os.getppid(), 0),
                lambda: (os.getppid(), OWN(), 0),
                lambda: (1, 1, 0),
            ],
        )
    ],
    "timer_create": [
        (lambda: (3, 0, own_page()), [lambda: (0, 0, own_page()), lambda: (1, 0, own_page())])
    ],
    "clock_gettime": [
        (
            lambda: (time.CLOCK_THREAD_CPUTIME_ID, own_page()),
            [lambda: (~os.getppid() << 3 | 2, own_page()), lambda: (7, own_page())],
        )
    ],
}
_pages = []


def own_page():
    _pages.append(mmap.mmap(-1, PAGE, flags=PRIVATE))
    return ctypes.addressof(ctypes.c_char.from_buffer(_pages[-1]))


def checked():
    for name, (_, _, _, checks) in RULES.items():
        for at, text in enumerate(checks):
            yield pytest.param(name, at, id=f"{name}: {text}")


@pytest.mark.parametrize(("name", "at"), list(checked()))
def test_every_check_of_an_argument(name, at):
    good, bad = CHECKED[name][at]
    asked = [confined(lambda *args: call(NUMBERS[name], *args), given) for given in (good, *bad)]
    assert asked == [0] + [KILLED] * len(bad)


# ---------------------------------------------------------------------- what is needed

#: What a sandbox does in a process that is confined but for one call: nothing, when it needs it.
#: Which work shows it, where that is not the usual one.
NEEDS = {
    "read": "talk",
    "write": "talk",
    "rt_sigprocmask": "abort",
    "tgkill": "abort",
    "getpid": "abort",
    "gettid": "abort",
    "restart_syscall": "stopped",
    "fcntl": "record",
    "close": "record",
    "exit_group": "end",
}
WORK = """
import os, signal, sys, time
sys.path.insert(0, sys.argv[1])
from pinfold import Limits, _native

def run(machine, code, language="shell"):
    machine.start(code, language, None, False, None)
    return machine.result()

def usual():
    machine = _native.Machine(settings, None)
    run(machine, "x=$(seq 30000 | sort -r | head -1); yes | head -c 500000; ls | wc; sleep 0.01")
    run(machine, "let a = []; for (let i = 0; i < 300; i++) a.push('x'.repeat(100000)); return 1",
        "javascript")
    run(machine, "while :; do :; done")
    run(machine, "f() { f; }; f")
    run(machine, "for (;;);", "javascript")
    for _ in range(3):
        machine.fork().snapshot()
    data = bytearray(1)
    while len(data) < 1 << 26:
        data *= 2

def record():
    _native.Machine(settings, None, (None, trace, False, [])).close()

def stopped():
    run(_native.Machine(settings, None), "sleep 1")

def abort():
    os.abort()

def talk():
    os.write(pipe[1], b"x")
    os.read(pipe[0], 1)

def end():
    pass

settings = ([("cpu_ms", 200)], [], [], None, False, None, None, None)
work, name = globals()[sys.argv[2]], sys.argv[3]
pipe = os.pipe()
trace = os.open(sys.argv[4], os.O_WRONLY)
pid = os.fork()
if pid == 0:
    _native.prepare()
    _native.confine(name or None)
    work()
    os._exit(0)
if work is stopped:
    time.sleep(0.5)
    os.kill(pid, signal.SIGSTOP)
    time.sleep(0.1)
    os.kill(pid, signal.SIGCONT)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def worked(work, without, path):
    path.write_bytes(b"")
    done = subprocess.run(
        [sys.executable, "-c", WORK, PACKAGE, work, without, str(path)],
        capture_output=True,
        text=True,
    )
    return int(done.stdout), done.stderr


@pytest.mark.parametrize("work", ["usual", "record", "stopped", "abort", "talk", "end"])
def test_with_all_of_the_table_everything_works(work, tmp_path):
    assert worked(work, "", tmp_path / "trace")[0] == (-signal.SIGABRT if work == "abort" else 0)


@pytest.mark.parametrize("name", [name for name, rest in RULES.items() if not rest[2]])
def test_nothing_is_allowed_that_is_not_needed(name, tmp_path):
    assert worked(NEEDS.get(name, "usual"), name, tmp_path / "trace")[0] == KILLED


# ---------------------------------------------------------------------- what is written about it


def table():
    """The table of docs/security.md."""
    yield "| call | with | what for |"
    yield "|---|---|---|"
    for name, (_, why, refused, checks) in RULES.items():
        how = "refused with EPERM" if refused else "; ".join(checks).replace(" |", ",")
        yield f"| `{name}` | {how} | {why} |"


def test_the_table_is_in_the_documentation():
    if "open" not in RULES or "clock_nanosleep" in RULES:
        pytest.skip("the documentation has the table of x86-64, with signals")
    text = (ROOT / "docs/security.md").read_text()
    assert "\n".join(table()) in text, "python python/tests/test_confine.py prints it"


if __name__ == "__main__":
    print("\n".join(table()))
