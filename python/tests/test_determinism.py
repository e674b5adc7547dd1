"""With clock and seed fixed, two runs are equal byte for byte: output, files and snapshots.

One run has the machine to itself, the other is one of several that fight for it.
"""

import hashlib
import json
import multiprocessing
import os
import pathlib

import pytest

from pinfold import MethodCapability, Sandbox, Tool

FOLDER = os.environ.get("PINFOLD_CASES")
SHELL = [
    "for i in 1 2 3 4; do (sleep 0.$i; echo $i $RANDOM; date +%N) & done; wait; jobs",
    "seq 3000 | sort -R | head -5; shuf -i 1-100 -n 3; mktemp -u; uuidgen; echo $$ $BASHPID",
    "(while :; do echo x; done) | head -c 300000 | md5sum; yes | head -n 5 | wc -l",
    "awk 'BEGIN { srand(); print rand(), systime() }'; date; touch a; stat -c %y a; ps",
    "time sleep 3; SECONDS=0; sleep 2; echo $SECONDS; timeout 1 sleep 9; echo $?; uptime",
    "sqlite3 t.db 'create table t(x); insert into t values (random()); select * from t'",
    "tar cf - /usr/bin/tr | gzip | md5sum; ls -l /proc/self/ | wc -l; cat /proc/uptime",
    "for i in 1 2 3 4 5; do tool ask --n $i & done; wait; trap 'echo trapped' EXIT; kill -USR1 $$",
    "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done & j=0; "
    "while [ $j -lt 20000 ]; do j=$((j + 1)); done; wait; echo $i $j $SECONDS; date +%N",
    "find / -name '*.txt' 2> /dev/null | head; od -An -N8 -tx1 /dev/urandom; echo <(:)",
]
SCRIPT = [
    "const t = []; await Promise.all([30, 10, 20].map(ms => new Promise(r => setTimeout(() => {"
    " t.push(ms, Math.random(), Date.now()); r() }, ms)))); return t",
    "const r = await Promise.all([1, 2, 3].map(n => ask({n}))); console.log(r, crypto.randomUUID())",
    "let s = 0; for (let i = 0; i < 3e6; i++) s = (s * 31 + i) % 1000003;"
    " console.log(s, performance.now()); fs.writeFileSync('f', Buffer.from(await $`od -An -N4"
    " -tx1 /dev/random`.stdout ?? ''))",
    "console.log(process.pid, process.hrtime(), new Date().toString(), os.tmpdir())",
]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def examples():
    return [(code, "shell", {}) for code in SHELL] + [(code, "javascript", {}) for code in SCRIPT]


def recorded():
    """Every thirtieth case."""
    cases = []
    for name in ("shell_cases", "command_cases"):
        lines = (pathlib.Path(FOLDER) / f"{name}.jsonl").read_text().splitlines()[::30]
        cases += map(json.loads, lines)
    return [
        (case["code"], "shell", {f"/workspace/{p}": t for p, t in case.get("files", {}).items()})
        for case in cases
    ]


def outcome(code, language, files):
    """All that can be seen of a run, and of the sandbox after it."""
    with Sandbox(
        clock=1_700_000_000,
        seed=42,
        files=files,
        tools=[Tool("ask", schema=SCHEMA)],
        capabilities=[MethodCapability("ask")],
        tool_handler=lambda method, params: params["n"] * 2,
    ) as sandbox:
        result = sandbox.run(code, language)
        found = {path: hashlib.sha256(data).hexdigest() for path, data in sandbox.files.items()}
        snapshot = hashlib.sha256(sandbox.snapshot()).hexdigest()
        seen = result.stdout, result.stderr, result.exit_code, result.limit, repr(result.value)
        return seen, found, snapshot


def outcomes(programs):
    return [outcome(*program) for program in programs]


def spin():
    while True:
        hashlib.sha256(bytes(1 << 16))


@pytest.fixture
def load():
    """More that wants to run than there are processors."""
    context = multiprocessing.get_context("spawn")
    busy = [context.Process(target=spin, daemon=True) for _ in range((os.cpu_count() or 1) + 1)]
    for process in busy:
        process.start()
    yield context
    for process in busy:
        process.kill()
        process.join()


@pytest.mark.parametrize(
    "programs",
    [
        examples,
        pytest.param(recorded, marks=pytest.mark.skipif(not FOLDER, reason="PINFOLD_CASES")),
    ],
)
def test_two_runs_are_equal(programs, load):
    programs = programs()
    with load.Pool(1) as pool:
        elsewhere = pool.apply_async(outcomes, (programs,))
        here = outcomes(programs)
        there = elsewhere.get(timeout=500)
    for program, ours, theirs in zip(programs, here, there, strict=True):
        assert ours == theirs, program


def test_another_seed_is_another_run():
    with Sandbox(clock=0, seed=1) as one, Sandbox(clock=0, seed=2) as two:
        assert one.run("echo $RANDOM $RANDOM").stdout != two.run("echo $RANDOM $RANDOM").stdout
        assert one.run("date +%s; sleep 1000; date +%s").stdout == "0\n1000\n"
