"""What one host records, the other replays: the native library and Node, both ways, and in Chromium."""

import base64
import datetime
import json
import threading

import pytest
from conftest import call, serving, until

from pinfold import Limits, MethodCapability, Sandbox, ToolError, replay

CLOCK = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
EVERY = [MethodCapability("**")]
# Each is a list of runs: language, code, how (the options of a run in TypeScript).
RUNS = {
    "shell": [
        ("shell", "cat f; date +%N; echo $RANDOM; sleep 0.02; add --n 1; bad; echo err >&2", {}),
        ("shell", "for i in $(seq 9); do echo $i | tr 1-3 a-c; done; seq 9999 | sort -rn | head -2", {}),
        ("shell", "x=5; (sleep 0.05; echo late) & wait; cat; pwd; echo $A", {"stdin": "in", "cwd": "/tmp", "env": {"A": "1"}}),
        ("shell", r"printf '\377\0'; (exit 3); echo $? $x; od -c g; stat -c '%y %X' g", {}),
    ],
    "javascript": [
        ("javascript", "console.log(Math.random(), Date.now(), await add({n: 2})); return [1, 'ü']", {}),
        ("typescript", "const n: number = 1; setTimeout(() => console.log(n), 20)", {}),
        ("javascript", "console.log(require('child_process').execSync('sleep 0.02; date +%N') + '')", {}),
    ],
    "python": [
        ("python", "from tools import add\nimport random, time\nprint(add(n=1), random.random(), time.time())", {}),
        ("python", "import subprocess as s\nsorted([2, 1], key=lambda n: s.run(['echo', str(n)]).returncode)", {}),
    ],
    "programs": [
        ("shell", "git init -q r; cd r; git config user.email a@b; git config user.name n; for i in 1 2 3; do echo $i > f$i; "
         "git add .; git commit -qm c$i; done; git log --format=%H; git clone -q . ../s; ls ../s", {}),
        ("shell", "sqlite3 d.db 'create table t(a); insert into t values(random())'; printf 'all:\\n\\techo hi > a\\n' > Makefile; "
         "make; tar czf x.tgz a d.db; tar tzf x.tgz; find / -name '*.tgz' 2>/dev/null", {}),
        ("shell", "mkfifo p; (for i in 1 2 3; do echo $i; sleep 0.01; done > p) & while read l; do echo got $l; done < p; wait; "
         "coproc cat; echo hi >&${COPROC[1]}; read -u ${COPROC[0]} x; echo $x; kill %1; timeout 0.1 sleep 5; echo $?", {}),
        ("shell", "yes | head -n 50000 | wc -l; dd if=/dev/urandom bs=1k count=5 2>/dev/null | sha256sum; for i in $(seq 99); do (exit $i); "
         "done; python3 -c 'print(1)'; node -e 'console.log(2)'; ls -la /proc/self/; ps; free; df; sleep 100 & setsid sleep 50 &", {}),
        ("python", "import threading, time\nout = []\ndef f(n):\n  for i in range(3):\n    time.sleep(0.005)\n    out.append((n, i))\n"
         "ts = [threading.Thread(target=f, args=(n,)) for n in range(4)]\n[t.start() for t in ts]\n[t.join() for t in ts]\nprint(out)", {}),
        ("python", "import multiprocessing as m\ndef f(x): return x * x\nif __name__ == '__main__':\n  with m.Pool(2) as p: print(p.map(f, range(9)))", {}),
        ("python", "import asyncio, os\nasync def f(n):\n  await asyncio.sleep(0.01 * n)\n  return n\nasync def g(): print(await asyncio.gather(*[f(i) "
         "for i in range(4)]))\nasyncio.run(g())\npid = os.fork()\nif pid == 0: os._exit(3)\nprint(os.waitpid(pid, 0))", {}),
    ],
    "limits": [
        ("shell", "while :; do :; done", {"limits": {"cpuMs": 200}}),
        ("javascript", "for (;;);", {"limits": {"cpuMs": 200}}),
        ("shell", "sleep 10", {"limits": {"wallMs": 100}}),
        ("shell", "seq 100000", {"limits": {"outputBytes": 100}}),
        ("shell", "for n in 1 2 3; do add --n $n; done", {"limits": {"toolCalls": 2}}),
        ("shell", "echo alive", {}),
    ],
    "interrupt": [
        ("shell", "trap 'echo got' INT; for n in 1 2 3 4; do sleep 0.1; echo $n; done", {"stop": "interrupt"}),
        ("shell", "trap '' INT; while :; do :; done", {"stop": "stop"}),
        ("shell", "echo alive", {}),
    ],
}  # fmt: skip
FIXED = {"shell", "python"}  # once more with a fixed clock and seed
CASES = [(name, False) for name in RUNS] + [(name, True) for name in RUNS if name in FIXED]

RECORD = """
import { Sandbox, tool, ToolError } from "./dist/node.js";
const { runs, fixed, redact, path, mount } = JSON.parse(process.argv[1]);
const tools = {
  add: tool({ execute: ({ n }) => n + 41 }),
  bad: tool({ execute: () => { throw new ToolError("no way"); } }),
};
const sandbox = await Sandbox.create({
  tools, capabilities: ["**"], record: path, redact, env: { LANG: "C.UTF-8", OWN: "1" },
  ...(mount ? { mounts: { "/site": mount, "/copy": [mount, "copy"] } } : {}),
  ...(fixed ? { clock: new Date("2026-01-02T03:04:05Z"), seed: 7 } : {}),
});
await sandbox.files.write("f", "hello");
await sandbox.files.write("g", new Uint8Array([255, 0, 1]));
await sandbox.files.mkdir("d/e");
const out = [];
for (const [language, code, { stop, ...how }] of runs) {
  if (stop) setTimeout(() => sandbox[stop](), 150);
  const { stdoutBytes, exitCode, limit } = await sandbox.run(code, { language, ...how });
  out.push([Buffer.from(stdoutBytes).toString("base64"), exitCode, limit ?? null]);
}
if (mount) await sandbox.mounted("/copy").changes();
await sandbox.start("add --n 1; echo $RANDOM");
const branch = await sandbox.fork();
await branch.finish();
await branch.close();
await sandbox.files.read("g");
await sandbox.close();
console.log(JSON.stringify(out));
"""
REPLAY = """
import { replay } from "./dist/node.js";
const { path, results } = JSON.parse(process.argv[1]);
try {
  const again = await replay(path, { results });
  console.log(JSON.stringify([again.results.map(({ stdoutBytes, exitCode, limit }) =>
    [Buffer.from(stdoutBytes).toString("base64"), exitCode, limit ?? null]),
    again.pending().map((call) => call.params)]));
} catch (error) {
  console.log(JSON.stringify([error.name, error.message]));
}
"""


def node(code, **given):
    run = call("node", "--input-type=module", "--eval", code, json.dumps(given))
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def told(results):
    return [[base64.b64encode(r.stdout_bytes).decode(), r.exit_code, r.limit] for r in results]


def add(n: int) -> int:
    return n + 41


def bad() -> None:
    raise ToolError("no way")


def limits_of(how):
    given = how.get("limits", {})
    names = {"outputBytes": "output_bytes", "toolCalls": "tool_calls"}
    limits = {names[key]: value for key, value in given.items() if key in names}
    for key, name in (("cpuMs", "cpu_seconds"), ("wallMs", "wall_seconds")):
        if key in given:
            limits[name] = given[key] / 1000
    return Limits(**limits) if limits else None


def record_natively(path, runs, fixed=False, **more):
    if fixed:
        more |= {"clock": CLOCK, "seed": 7}
    with Sandbox(tools=[add, bad], capabilities=EVERY, record=path, **more) as sandbox:
        sandbox.files["f"] = "hello"
        sandbox.files["g"] = b"\xff\0\1"
        results = []
        for language, code, how in runs:
            options = {key: how[key] for key in ("stdin", "cwd", "env") if key in how}
            if "stop" in how:
                threading.Timer(0.15, sandbox.interrupt).start()
            results.append(sandbox.run(code, language=language, limits=limits_of(how), **options))
        if more.get("mounts"):
            sandbox.mounted("/copy").changes()
        sandbox.start("add --n 1; echo $RANDOM")
        with sandbox.fork() as branch:
            branch.finish()
        assert sandbox.files["g"]
    return told(results)


@pytest.mark.parametrize(("name", "fixed"), CASES)
def test_recorded_in_node(package, tmp_path, name, fixed):
    path = str(tmp_path / "run.jsonl")
    out = node(RECORD, runs=RUNS[name], fixed=fixed, path=path)
    with replay(path) as again, replay(str(tmp_path / "run.1.jsonl")) as branch:
        assert told(again.results) == out
        assert [params for _, _, params in again.pending] == [{"n": 1}]
        assert branch.results[0].stdout.startswith("42\n")
    assert node(REPLAY, path=path) == [out, [{"n": 1}]]


@pytest.mark.parametrize(("name", "fixed"), CASES)
def test_recorded_natively(package, tmp_path, name, fixed):
    path = str(tmp_path / "run.jsonl")
    runs = [one for one in RUNS[name] if one[2].get("stop") != "stop"]  # Python stops by cancelling
    out = record_natively(path, runs, fixed)
    assert node(REPLAY, path=path) == [out, [{"n": 1}]]
    ((stdout, status, _),), _ = node(REPLAY, path=str(tmp_path / "run.1.jsonl"))
    assert base64.b64decode(stdout).startswith(b"42\n")
    assert status == 0


def test_what_was_left_out(package, tmp_path):
    runs = [("shell", "add --n 1 > r; wc -c < r", {})]
    mine, theirs = str(tmp_path / "mine.jsonl"), str(tmp_path / "theirs.jsonl")
    with Sandbox(tools=[add], capabilities=EVERY, record=mine, redact=True) as sandbox:
        out = told([sandbox.run(runs[0][1])])
    name, message = node(REPLAY, path=mine)
    assert (name, "supply it" in message) == ("TraceError", True)
    assert node(REPLAY, path=mine, results={"1": 42}) == [out, []]
    assert node(RECORD, runs=runs, redact=True, path=theirs) == out
    with pytest.raises(ValueError, match="left out"):
        replay(theirs)
    assert told(replay(theirs, results={1: 42}).results) == out


def test_mounts(package, tmp_path):
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a").write_text("one\n")
    (folder / "link").symlink_to("sub/a")
    (folder / b"\xff".decode(errors="surrogateescape")).write_text("odd")
    runs = [("shell", "cat /site/link /site/nothing; ls -Al --full-time /site; echo 2 >> /copy/sub/a", {})]
    mine, theirs = str(tmp_path / "mine.jsonl"), str(tmp_path / "theirs.jsonl")
    out = record_natively(mine, runs, mounts={"/site": folder, "/copy": (folder, "copy")})
    assert node(RECORD, runs=runs, path=theirs, mount=str(folder)) == out
    for path in (mine, theirs):
        assert node(REPLAY, path=path)[0] == out
        with replay(path) as again:
            assert told(again.results) == out
            assert again.files["/copy/sub/a"] == b"one\n2\n"


def test_another_stack(package, tmp_path):
    """A parked program that goes on before the one that was parked after it: with one stack for all
    of them that is refused with its own message, not taken for a difference."""
    path = str(tmp_path / "run.jsonl")
    inner = "console.log(1); require('child_process').execSync('sleep 0.05'); console.log(2)"
    code = f"""console.log(require('child_process').execSync({json.dumps(f'node -e "{inner}"')}) + '')"""
    with Sandbox(record=path) as sandbox:
        assert sandbox.run(code, language="javascript").stdout == "1\n2\n\n"
    first, second = node(REPLAY, path=path)
    assert first == "UnsupportedError" or first[0][1] == 0, (first, second)


IN_A_PAGE = """async (trace) => {
  const bytes = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const theirs = await pinfold.replay(bytes(trace));
  const traces = [];
  for (const face of ["Sandbox", "WorkerSandbox"]) {
    const parts = [];
    const sandbox = await pinfold[face].create({ record: (part) => parts.push(...part) });
    await sandbox.run("date +%N; echo $RANDOM; sleep 0.02");
    await sandbox.run("console.log(require('child_process').execSync('echo hi') + '')", { language: "js" });
    await sandbox.close();
    traces.push(btoa(String.fromCharCode(...parts)));
  }
  let mounts, path;
  await pinfold.Sandbox.create({ mounts: { "/data": "/tmp" } }).catch((error) => (mounts = error.message));
  await pinfold.Sandbox.create({ record: "run.jsonl" }).catch((error) => (path = error.message));
  return [theirs.results.map((one) => one.stdout), traces, mounts, path];
}"""


def test_in_a_page(package, tmp_path, open_page):
    site = tmp_path / "site"
    site.mkdir()
    for name in ("dist", "images"):
        (site / name).symlink_to(package / name)
    (site / "index.html").write_text(
        '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module">'
        "import * as pinfold from './dist/web.js'; globalThis.pinfold = pinfold;</script>"
    )
    path = tmp_path / "run.jsonl"
    with Sandbox(tools=[add], capabilities=EVERY, record=path) as sandbox:
        out = [sandbox.run("date +%N; add --n 1; sleep 0.02").stdout]
        out += [sandbox.run("console.log(await add({n: 1}))", language="javascript").stdout]
    with serving(site) as server:
        page = open_page(server.url)
        until(page, "globalThis.pinfold")
        results, traces, mounts, record = page.evaluate(
            IN_A_PAGE, base64.b64encode(path.read_bytes()).decode()
        )
    assert results == out
    for trace in map(base64.b64decode, traces):
        with replay(trace) as again:
            assert [result.exit_code for result in again.results] == [0, 0]
            assert again.results[1].stdout == "hi\n\n"
    assert "a page has none" in mounts
    assert "give `record` a function" in record
