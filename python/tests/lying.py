"""A worker that lies, and what must hold whatever it says.

A *recipe* is a text of lines ``AT LIE NUMBER``: what the worker does to the AT-th thing that it
sends. The worker is pinfold's own, with a liar between it and the socket; it is not confined, as
one that was taken over might as well not be. `check` plays some scenes with one of them:

* budget: no handler is called more often than `max_calls` and `tool_calls` allow, nor with
  arguments that are not allowed, nor twice for one id;
* audit: what is handed to a handler was in the audit log before;
* time: every method ends, with a result or with one of the documented exceptions;
* memory: what the worker sends costs this process little more than its limits;
* nothing is left behind: no process, no descriptor.
"""

import asyncio
import contextlib
import gc
import os
import random
import resource
import time
from contextlib import suppress
from pathlib import Path

HERE = str(Path(__file__).resolve().parent)
EDGES = (0, 1, 2, 3, 5, -1, 255, 256, 1 << 31, 1 << 32, (1 << 63) - 1, -(1 << 63), (1 << 64) - 1)
REQUESTS = (
    b'{"tool":"pay","params":{"amount":1}}',
    b'{"tool":"pay","params":{"amount":11}}',
    b'{"tool":"note","params":{"text":"x"}}',
    b'{"tool":"steal","params":{}}',
    b'{"tool":"pay","params":{"amount":1},"tool":"steal"}',
    b"",
    b"[" * 1000,
    b'{"tool":"note","params":{"text":"' + b"y" * 9000 + b'"}}',
)


# ---------------------------------------------------------------------- in the worker


def work(recipe):
    """What a worker starts with instead of `pinfold.worker.main`."""
    from pinfold import _native, worker

    liar = Liar(recipe)
    true_say = worker.send_all
    worker.send_all = lambda fd, frames: liar.send(fd, frames, true_say)
    worker._native = Unconfined(_native)
    worker._restrict = lambda *limits: None
    worker.main()


class Unconfined:
    def __init__(self, native):
        self.Machine = native.Machine
        self.prepare = self.confine = lambda *args: None
        self.shut = lambda: 0


class Liar:
    def __init__(self, recipe):
        self._at = 0
        self._lies = {}
        for line in recipe.split("\n"):
            with suppress(ValueError):
                at, lie, number = line.split()
                self._lies.setdefault(int(at), []).append((lie, int(number)))

    def send(self, fd, frames, true_send):
        lies = self._lies.get(self._at, [])
        self._at += 1
        for lie, number in lies:
            if lie in LIES:
                frames = LIES[lie](list(frames), random.Random(number), number, fd)
        if frames:
            true_send(fd, frames)


def parsed(frame):
    from pinfold.wire import _HEAD, _Parser

    return _Parser(frame, len(frame), 1 << 30).value(_HEAD.size, 8)


def framed(value):
    from pinfold.wire import encoded

    return encoded(value)


def changed(value, rng, change):
    """The value with one of the values in it changed."""
    if isinstance(value, (list, tuple)) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        items = [changed(item, rng, change) if i == at else item for i, item in enumerate(value)]
        return type(value)(items)
    return change(value)


def on_value(change):
    def lie(frames, rng, number, fd):
        at = rng.randrange(len(frames))
        with suppress(Exception):  # it is garbage already
            frames[at] = framed(changed(parsed(frames[at]), rng, lambda old: change(old, rng)))
        return frames

    return lie


def other_number(old, rng):
    if type(old) is int:
        return rng.choice((*EDGES, old + 1, old - 1)) if -(1 << 63) < old < 1 << 63 else 0
    return old


def other_type(old, rng):
    return rng.choice((None, True, 7, "text", b"bytes", (), [], (1, 2), ["x"], [()] * 9))


def other_text(old, rng):
    if isinstance(old, (str, bytes)):
        return rng.choice((old[:0], old + old, old[1:], old[:1] * 70_000))
    return old


def inserted(make):
    def lie(frames, rng, number, fd):
        frames.insert(rng.randrange(len(frames) + 1), framed(make(rng, number)))
        return frames

    return lie


def a_call(rng, number):
    outcome = rng.choice(("allowed", "denied", "limit", "invalid", "unknown", "ask", ""))
    by = rng.choice(("", "", "tool_calls", "memory_bytes", "x"))
    id = rng.choice((number % 8, *EDGES))
    return "call", id, outcome, rng.choice(REQUESTS), by


def an_output(rng, number):
    return "output", rng.choice((1, 2, 3, -1)), b"z" * rng.choice((0, 1, 100, 5000, 70_000))


def an_answer(rng, number):
    return rng.choice(
        (
            ("value", None),
            ("value", (None, None, ())),
            ("value", (None, number, (number % 8,))),
            ("value", ((b"", b"", 0, None, None, False, False, False, 0, 0, 0, 0, False), None, ())),
            ("value", ((b"x" * 50_000, b"", 0, "1", None, *[False] * 3, 1, 1, 1, 1), None, ())),
            ("error", "SandboxStateError", ["no"]),
            ("error", "SystemExit", ["0"]),
            ("error", "OSError", [2, "no", None]),
            ("error", "UnicodeDecodeError", ["no"]),
            ("error", "KeyboardInterrupt", []),
        )
    )


def flood(frames, rng, number, fd):
    make = rng.choice((a_call, an_output, an_answer))
    return [framed(make(rng, number)) for _ in range(2000)] + frames


def garbage(frames, rng, number, fd):
    return [rng.randbytes(rng.choice((1, 12, 100, 70_000)))]


def damaged(frames, rng, number, fd):
    data = bytearray(b"".join(frames))
    for _ in range(1 + number % 4):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return [bytes(data)]


def cut(frames, rng, number, fd):
    data = b"".join(frames)
    return [data[: rng.randrange(len(data))]]


def bomb(frames, rng, number, fd):
    """A frame that would be much larger than its bytes."""
    from pinfold.wire import _HEAD, _MAGIC

    inside = rng.choice(
        (
            b"L\xff\xff\xff\xff" + b"N" * 60_000,
            b"U\x60\xea\0\0" + b"N" * 60_000,
            b"L\x01\0\0\0" * 10_000,
            b"U\x40\x9c\0\0" + b"L\0\0\0\0" * 40_000,
        )
    )
    size = rng.choice((len(inside), len(inside), 1 << 40, 0, (1 << 64) - 1))
    return [_HEAD.pack(_MAGIC, size), inside]


def drip(frames, rng, number, fd):
    for byte in b"".join(frames):
        os.write(fd, bytes([byte]))
    return []


def hang(frames, rng, number, fd):
    time.sleep(600)


def pause(frames, rng, number, fd):
    time.sleep(0.05)
    return frames


def die(frames, rng, number, fd):
    os._exit(number % 256)


def close(frames, rng, number, fd):
    os.close(fd)
    time.sleep(600)


LIES = {
    "drop": lambda frames, rng, number, fd: frames[1:],
    "nothing": lambda frames, rng, number, fd: [],
    "twice": lambda frames, rng, number, fd: [frame for frame in frames for _ in (1, 2)],
    "again": lambda frames, rng, number, fd: frames + frames[-1:],
    "reverse": lambda frames, rng, number, fd: frames[::-1],
    "number": on_value(other_number),
    "type": on_value(other_type),
    "text": on_value(other_text),
    "call": inserted(a_call),
    "output": inserted(an_output),
    "answer": inserted(an_answer),
    "instead": lambda frames, rng, number, fd: [framed(an_answer(rng, number))],
    "flood": flood,
    "garbage": garbage,
    "damaged": damaged,
    "cut": cut,
    "bomb": bomb,
    "drip": drip,
    "pause": pause,
    "hang": hang,
    "die": die,
    "close": close,
}
#: Those that only cost time.
SLOW = ("hang", "close", "nothing")


def random_recipe(rng):
    lines = []
    for _ in range(rng.randrange(1, 5)):
        lie = rng.choice([name for name in LIES if name not in SLOW or rng.random() < 0.1])
        lines.append(f"{rng.randrange(10)} {lie} {rng.randrange(1 << 16)}")
    return "\n".join(lines) + "\n"


def varied(recipe, rng):
    """Another one like it."""
    lines = recipe.split("\n")[:-1] + random_recipe(rng).split("\n")[:1]
    rng.shuffle(lines)
    lines = lines[: rng.randrange(1, 7)]
    at = rng.randrange(len(lines))
    _, lie, number = lines[at].split()
    lines[at] = f"{rng.randrange(10)} {lie} {int(number) ^ 1 << rng.randrange(16)}"
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------- in the embedder

MAX_CALLS = 3
TOOL_CALLS = 5
OUTPUT_BYTES = 20_000
#: Of what a frame may bring, and what Python makes of it.
MEMORY_BYTES = 64 << 20


class Embedder:
    """Whom a worker would deceive: its handlers and its audit log are the oracles."""

    def __init__(self):
        self.made = {"pay": 0, "note": 0}
        self.in_run = 0
        self.decided = 0  # calls that the audit log allowed
        self.handled = 0

    def entry(self, entry):
        if entry["event"] == "run":
            self.in_run = 0
        if entry["event"] == "decision" and entry["outcome"] == "allowed":
            self.decided += 1
            assert "id" in entry, entry

    def called(self, method):
        self.made[method] += 1
        self.in_run += 1
        self.handled += 1
        assert self.handled <= self.decided, "a handler is called and the audit log knows nothing"
        assert self.in_run <= TOOL_CALLS, "more calls than tool_calls"

    def pay(self, amount: int) -> str:
        assert amount <= 10, "arguments that are not allowed"
        self.called("pay")
        assert self.made["pay"] <= MAX_CALLS, "more calls than max_calls"
        return "paid"

    def note(self, text: str) -> str:
        self.called("note")
        return text

    def sandbox(self):
        from pinfold import AuditLog, Limits, MethodCapability, Param, Sandbox

        return Sandbox(
            tools=[self.pay, self.note],
            capabilities=[
                MethodCapability("pay", [Param("amount") <= 10], max_calls=MAX_CALLS),
                MethodCapability("note"),
            ],
            audit=AuditLog(self.entry),
            limits=Limits(
                wall_seconds=0.3,
                cpu_seconds=0.3,
                tool_calls=TOOL_CALLS,
                output_bytes=OUTPUT_BYTES,
                tool_result_bytes=OUTPUT_BYTES,
                tool_argument_bytes=OUTPUT_BYTES,
            ),
            isolation="process",
        )


SHELL = "pay --amount 1; note --text a; pay --amount 11; yes | head -c 30000; pay --amount 2"
SCRIPT = (
    "const all = [1, 2, 3, 4].map(n => note({text: String(n)}).catch(e => 0));"
    "setTimeout(() => 0, 5); await Promise.all(all); return all.length"
)


def scene_run(sandbox, embedder):
    seen = {"stdout": 0, "stderr": 0}

    def listen(text, stream):
        seen[stream] += len(text.encode())
        assert seen[stream] <= OUTPUT_BYTES, "more output than output_bytes"

    result = sandbox.run(SHELL, on_output=listen)
    assert max(len(result.stdout_bytes), len(result.stderr_bytes)) <= OUTPUT_BYTES
    assert len(result.value_json or "") <= OUTPUT_BYTES
    sandbox.run(SCRIPT, language="javascript")


def scene_async(sandbox, embedder):
    asyncio.run(sandbox.arun(SCRIPT, language="javascript"))
    asyncio.run(sandbox.arun(SHELL))


def scene_step(sandbox, embedder):
    sandbox.start(SHELL)
    ids = set()
    for _ in range(2 * TOOL_CALLS):
        call = sandbox.step()
        if call is None:
            break
        assert call.id not in ids, "a call is handed out twice"
        ids.add(call.id)
        assert call.method in embedder.made, call
        embedder.called(call.method)
        call.resume("x")
    assert len(sandbox.pending) <= TOOL_CALLS


def scene_files(sandbox, embedder):
    sandbox.files["note"] = b"n" * 1000
    assert isinstance(sandbox.files["note"], bytes)
    assert all(isinstance(name, str) for name in sandbox.files)
    sandbox.can_call("pay", {"amount": 3})
    with sandbox.fork() as branch:
        branch.run("note --text b")
    sandbox.snapshot()
    repr(sandbox)


def scene_preview(sandbox, embedder):
    from pinfold.choices import Give

    sandbox.start("note --text a; pay --amount 1; pay --amount 11; note --text b; echo end")
    call, made = sandbox.step(), dict(embedder.made)
    with sandbox.preview(call, [Give("x"), False], seconds=0.3) as preview:
        assert embedder.made == made, "a preview calls a handler"
        for branch in preview:
            assert len(branch.stdout.encode()) <= OUTPUT_BYTES
            for followed in branch.calls:
                paid = followed.method == "pay" and followed.state != "denied"
                assert not paid or followed.params["amount"] <= 10, "a call that is not allowed"
        preview[0].accept()
    for _ in range(2 * TOOL_CALLS):
        call = sandbox.step()
        if call is None:
            break
        assert call.method != "pay" or call.params["amount"] <= 10, call
        embedder.called(call.method)
        call.resume("x")


SCENES = (scene_run, scene_async, scene_step, scene_preview, scene_files)


def documented():
    from pinfold import errors

    return (errors.PinfoldError, OSError, ValueError, TypeError, MemoryError, LookupError,
            RuntimeError, OverflowError)


def check(recipe):
    """Plays every scene with that liar; an AssertionError says what did not hold."""
    from pinfold import allowance, link

    boot = f"import sys; sys.path[:0] = [sys.argv[1], {HERE!r}]\n"
    boot += f"import lying; lying.work({recipe!r})"
    kept = link._BOOT, allowance.GRACE_SECONDS, allowance.BULK_SECONDS, link._FATE_SECONDS
    before = leftovers()
    link._BOOT = boot
    allowance.GRACE_SECONDS, allowance.BULK_SECONDS, link._FATE_SECONDS = 0.7, 2.0, 0.2
    try:
        for scene in SCENES:
            embedder = Embedder()
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            with suppress(*documented()), embedder.sandbox() as sandbox:
                scene(sandbox, embedder)
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
            assert grown * 1024 <= MEMORY_BYTES, f"{scene.__name__} took {grown} KiB"
    finally:
        link._BOOT, allowance.GRACE_SECONDS, allowance.BULK_SECONDS, link._FATE_SECONDS = kept
    after = leftovers()
    assert after[0] <= before[0], "descriptors are left"
    assert after[1] <= before[1], "a process is left"


def leftovers():
    """How many descriptors this process has, and which children, without what is only garbage."""
    gc.collect()
    children: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that has ended meanwhile has none
            children.update((task / "children").read_text().split())
    return len(os.listdir("/proc/self/fd")), children
