"""The package in Chromium and Firefox: in a worker and on the page's own thread, under a strict policy."""

import base64
import json

import pytest
from conftest import serving, until

from pinfold import MethodCapability, Sandbox, Tool

STRICT = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src data:; "
    "require-trusted-types-for 'script'; trusted-types pinfold"
)
PAGE = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="test.js"></script>'
SCRIPT = "import * as pinfold from './dist/web.js'; globalThis.pinfold = pinfold;"


@pytest.fixture(scope="module")
def site(package, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    for name in ("dist", "images"):
        (folder / name).symlink_to(package / name)
    (folder / "index.html").write_text(PAGE)
    (folder / "test.js").write_text(SCRIPT)
    return folder


OPENERS = {"chromium": "open_page", "firefox": "open_in_firefox"}


@pytest.fixture(params=OPENERS)
def strict(request, site):
    opener = request.getfixturevalue(OPENERS[request.param])
    with serving(site, {"Content-Security-Policy": STRICT}) as server:
        page = opener(server.url)
        until(page, "globalThis.pinfold")
        page.server = server
        yield page


#: What asks Chromium's own debugger.
in_chromium = pytest.mark.parametrize("strict", ["chromium"], indirect=True)


RUN = """async ({face, code, language}) => {
  const tools = {
    two: pinfold.tool({ execute: () => 2 }),
    slow: pinfold.tool({ execute: () => new Promise((give) => setTimeout(give, 20, "slept")) }),
  };
  const sandbox = await pinfold[face].create({ tools, capabilities: ["two", "slow"] });
  const { stdout, stderr, exitCode, value } = await sandbox.run(code, { language });
  sandbox.close();
  return [stdout, stderr, exitCode, value];
}"""
CODES = {
    "shell": ("seq 3 | sort -r | xargs; two; slow; three", '3 2 1\n2\n"slept"\n', 127),
    "javascript": (
        "console.log(await tools.two({}) * 21, await tools.slow({})); return 1",
        "42 slept\n1\n",
        0,
    ),
    "python": ("from tools import two\nimport json\nprint(json.dumps({'n': two() * 21}))", '{"n": 42}\n', 0),
}


@pytest.mark.parametrize("face", ["WorkerSandbox", "Sandbox"])
@pytest.mark.parametrize("language", CODES)
def test_under_a_strict_policy(strict, face, language):
    code, stdout, status = CODES[language]
    got = strict.evaluate(RUN, {"face": face, "code": code, "language": language})
    assert got[0] == stdout, got
    assert got[2] == status
    programs = {path.split("/")[-1].split(".")[0] for path in strict.server.asked if "/images/" in path}
    assert "kernel" in programs
    assert ("python" in programs) == (language == "python"), "programs are fetched when they are started"


NAMES = (
    "fetch XMLHttpRequest WebSocket WebTransport EventSource BroadcastChannel Request indexedDB caches "
    "importScripts Worker URL navigator location eval Function"
).split()


def in_worker(page, expression):
    """What an expression is in the page's worker, by the debugger, whose evaluate() needs no eval."""
    session = page.context.new_cdp_session(page)
    workers, replies = [], []
    session.on("Target.attachedToTarget", lambda event: workers.append(event["sessionId"]))
    session.on("Target.receivedMessageFromTarget", lambda event: replies.append(event["message"]))
    terms = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": False}
    session.send("Target.setAutoAttach", terms)
    page.wait_for_timeout(100)
    command = {"expression": expression, "returnByValue": True}
    message = json.dumps({"id": 1, "method": "Runtime.evaluate", "params": command})
    session.send("Target.sendMessageToTarget", {"sessionId": workers[-1], "message": message})
    for _ in range(600):
        for reply in map(json.loads, replies):
            if reply.get("id") == 1:
                return reply["result"]["result"]["value"]
        page.wait_for_timeout(100)
    raise AssertionError("the worker did not answer the debugger")


@in_chromium
def test_a_worker_reaches_nothing(strict):
    """Not by a name of its global, nor by a constructor that makes code of texts."""
    strict.evaluate("async () => { globalThis.kept = await pinfold.WorkerSandbox.create() }")
    kinds = [f"typeof globalThis.{name}" for name in NAMES]
    kinds += ["typeof (() => {}).constructor", "typeof (async () => {}).constructor"]
    assert set(in_worker(strict, f"[{','.join(kinds)}]")) == {"undefined"}
    assert in_worker(strict, "typeof postMessage") == "function"


def test_a_program_that_computes_holds_no_page(strict):
    """Also in the middle of a call that cannot be unwound, such as a long regular expression."""
    got = strict.evaluate("""async () => {
      const sandbox = await pinfold.WorkerSandbox.create({ limits: { cpuMs: 1500 }, files: { kept: "x" } });
      let turns = 0;
      const timer = setInterval(() => turns++, 20);
      const endless = '/^(a+a+)+\\\\1c$/.test("a".repeat(60) + "b")';
      const { limit } = await sandbox.run(endless, { language: "javascript" });
      clearInterval(timer);
      return [limit, turns > 5, (await sandbox.run("cat kept")).stdout];
    }""")
    assert got == ["cpu_seconds", True, "x"]


PARKED = {
    "javascript": (
        "const { execSync } = require('child_process'); console.log(execSync('two; slow').toString())",
        '2\n"slept"\n\n',
    ),
    "python": (
        "import os\nfrom tools import two, slow\nprint(sorted([3, 1], key=lambda n: n * two()))\nos.system('slow')",
        '"slept"\n[1, 3]\n',
    ),
}


@pytest.mark.parametrize("face", ["WorkerSandbox", "Sandbox"])
@pytest.mark.parametrize("language", PARKED)
def test_a_program_is_suspended_in_the_middle_of_a_call(strict, face, language):
    """The embedder answers, where Node's engine would have to end the program."""
    code, stdout = PARKED[language]
    got = strict.evaluate(RUN, {"face": face, "code": code, "language": language})
    assert got[:3] == [stdout, "", 0]


def test_what_is_suspended_is_not_copied_and_can_be_killed(strict):
    got = strict.evaluate("""async () => {
      const sandbox = await pinfold.Sandbox.create({ tools: { ask: pinfold.tool({}) }, capabilities: ["ask"] });
      const code = "require('child_process').execSync('ask; ask', { stdio: 'inherit' })";
      await sandbox.start(code, { language: "javascript" });
      const refused = [];
      for (const act of ["snapshot", "fork"]) await sandbox[act]().catch((error) => refused.push(error.message));
      await sandbox.resume(sandbox.step(), 1);
      const between = sandbox.pending().length;
      sandbox.kill();
      await sandbox.advance();
      const killed = [sandbox.running, sandbox.result.exitCode];
      await sandbox.snapshot();
      const { stdout } = await sandbox.run("echo on");
      return [refused, between, killed, stdout];
    }""")
    refused, between, killed, stdout = got
    assert len(refused) == 2
    assert all("(js) is parked in a synchronous wait" in one for one in refused)
    assert between == 1
    assert killed == [False, 137]
    assert stdout == "on\n"


def test_bombs_end_within_their_limits(strict):
    got = strict.evaluate("""async () => {
      const limits = { memoryBytes: 64 << 20, processMemoryBytes: 32 << 20, wallMs: 4000, outputBytes: 1000, processes: 20 };
      const sandbox = await pinfold.WorkerSandbox.create({ limits });
      const say = async (code, language = "shell") => {
        const { exitCode, limit, stdout, stdoutTruncated } = await sandbox.run(code, { language });
        return [exitCode === 0, limit ?? null, stdout.length, stdoutTruncated];
      };
      return [
        await say("let all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1))", "javascript"),
        await say("while :; do :; done"),
        await say("yes | head -c 100000"),
        await say("f() { f | f & }; f; wait"),
        await say("echo alive"),
      ];
    }""")
    assert got[0][0] is False
    assert got[1][:2] == [False, "wall_seconds"] or got[1][:2] == [False, "cpu_seconds"]
    assert got[2] == [True, None, 1000, True]
    assert got[4] == [True, None, 6, False]


@pytest.mark.parametrize("face", ["WorkerSandbox", "Sandbox"])
def test_recursion_with_calls_ends_a_program_and_nothing_else(strict, face):
    """The kernel runs on top of a program's frames: what has no room left for it must not be half done."""
    got = strict.evaluate(
        """async (face) => {
          const sandbox = await pinfold[face].create({ limits: { cpuMs: 60000, wallMs: 120000 } });
          const ends = [];
          const recursions = {
            shell: "f() { : > f; f; }; f",
            javascript: "const { existsSync } = require('fs'); (function f() { existsSync('x'); f(); })()",
          };
          for (const [language, code] of Object.entries(recursions)) {
            const { exitCode, limit } = await sandbox.run(code, { language });
            ends.push([exitCode !== 0, limit ?? null]);
          }
          return [...ends, (await sandbox.run("echo alive")).stdout];
        }""",
        face,
    )
    assert got == [[True, None], [True, None], "alive\n"]


def test_snapshots_of_the_native_library_and_back(strict):
    """A call waits in each of them."""
    approve = Tool("approve", handler=lambda amount: {"ok": amount})
    every = [MethodCapability("**")]
    with Sandbox(tools=[approve], capabilities=every) as sandbox:
        sandbox.run("echo native > f")
        sandbox.start("approve --amount 7; cat f")
        data = sandbox.snapshot()
    got, back = strict.evaluate(
        """async (text) => {
          const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
          const options = { tools: { approve: pinfold.tool({ execute: ({ amount }) => amount + 1 }) }, capabilities: ["**"] };
          const sandbox = await pinfold.WorkerSandbox.restore(bytes, options);
          const { stdout } = await sandbox.finish();
          await sandbox.start("echo browser >> f; approve --amount 8; cat f");
          const data = await sandbox.snapshot();
          return [stdout, btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""))];
        }""",
        base64.b64encode(data).decode(),
    )
    assert got == "8\nnative\n"
    with Sandbox.restore(base64.b64decode(back), tools=[approve], capabilities=every) as sandbox:
        assert sandbox.finish().stdout == '{"ok":8}\nnative\nbrowser\n'


def test_without_trusted_types_named_it_says_so(site, open_page):
    policy = STRICT.replace("trusted-types pinfold", "trusted-types other")
    with serving(site, {"Content-Security-Policy": policy}) as server:
        page = open_page(server.url)
        until(page, "globalThis.pinfold")
        why = page.evaluate("() => pinfold.WorkerSandbox.create().catch((error) => `${error.name}: ${error.message}`)")
        assert why.startswith("UnsupportedError: ")
        assert "trusted-types" in why
        assert all("TrustedTypePolicy" in error or "trusted-types" in error for error in open_page.errors)
        open_page.errors.clear()


HTTP = """async (face) => {
  const { origin, port } = location;
  const http = await pinfold.Http.create({
    allow: [`${origin}/**`, "http://**:*/**", "https://**/**"],
    secrets: { KEY: new pinfold.Secret({ value: "sk_live_123456", hosts: [origin] }) },
  });
  const sandbox = await pinfold[face].create({ http });
  const said = [];
  for (const command of [
    `curl -sS ${origin}/index.html | head -c 9`,
    `curl -sS ${origin}/images`,
    `curl -sSb a=1 ${origin}/index.html`,
    `curl -sS http://localhost:${port}/index.html`,
    `curl -sS http://name.test:${port}/`,
    "curl -sS http://169.254.169.254/",
    "curl -sS https://10.0.0.1/",
    `echo $KEY | cut -c -13; curl -sS -H "Authorization: Bearer $KEY" ${origin}/index.html | wc -c`,
    `curl -sS "${origin}/?$KEY"`,
  ]) {
    const { stdout, stderr, exitCode } = await sandbox.run(command);
    said.push([stdout, stderr, exitCode]);
  }
  sandbox.close();
  return said;
}"""


@pytest.mark.parametrize("face", ["WorkerSandbox", "Sandbox"])
def test_requests_by_the_page(strict, face):
    """What fetch() can promise is done, the rest refused: names by http, where a redirect leads."""
    got = strict.evaluate(HTTP, face)
    assert got[0] == ["<!doctype", "", 0]
    assert got[7] == [f"pfsecret_KEY_\n{len(PAGE)}\n", "", 0]
    whys = ["not told where it leads", "cannot send the header Cookie", "loopback address", "cannot tell which address",
            "metadata address", "private address"]
    for (stdout, stderr, status), why in zip([*got[1:7], got[8]], [*whys, "not belong in a URL"], strict=True):
        assert stdout == "" and status and why in stderr, (stderr, why)
    assert not [path for path in strict.server.asked if "pfsecret" in path or "sk_live" in path]
