"""Snapshots go from the native library to Node and back, calls that wait included, and are the same
byte by byte, the list of files for other builds included."""

import datetime
import json
import os

import pytest
from conftest import call

from pinfold import CapabilityError, MethodCapability, Param, Sandbox
from pinfold.capability import load_policy, policy_json
from pinfold.tokens import Issuer, Token

CLOCK = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
EVERY = [MethodCapability("**")]
WRITE = """
import { Sandbox } from "./dist/node.js";
import { writeFileSync } from "node:fs";
const [language, code, path] = process.argv.slice(1);
const sandbox = await Sandbox.create({
  toolHandler: () => 0, capabilities: ["**"], clock: new Date("2026-01-02T03:04:05Z"), seed: 7 });
await sandbox.start(code, { language });
writeFileSync(path, await sandbox.snapshot());
"""
READ = """
import { Sandbox } from "./dist/node.js";
import { readFileSync } from "node:fs";
const sandbox = await Sandbox.restore(readFileSync(process.argv[1]), {
  toolHandler: (method, params) => ({ method, ...params }), capabilities: ["**"] });
const { stdout, exitCode } = sandbox.running ? await sandbox.finish() : await sandbox.run("cat d/f | tail -1");
console.log(JSON.stringify([stdout, exitCode]));
"""
COMPARE = """
import { packageImages } from "./dist/node.js";
import { Frame } from "./dist/snapshot/frame.js";
import { readFileSync } from "node:fs";
const frame = await Frame.load(await packageImages());
const [one, two] = process.argv.slice(1).map((path) =>
  Buffer.from(frame.open(readFileSync(path), undefined, 0, 2e9)));
console.log(one.length > 1000 && one.equals(two));
"""
# Names of every kind, contents that lie in the kernel and that do not, holes, and what cannot be read.
FILES = """
mkdir -p a/b /tmp/c; seq 2000 > a/many; printf short > a/b/short; : > a/empty; echo last > $'a/\\xff'
ln -s many a/link; ln a/many a/b/second; mkfifo a/pipe; truncate -s 1M a/hole; echo end >> a/hole
echo secret > a/closed; chmod 0 a/closed; touch -d 2001-02-03 a/old; echo x > /etc/extra; cp a/many /tmp/c
"""
SCRIPTS = {
    "nothing": ("shell", ":"),
    "files": ("shell", "mkdir d && seq 1000 > d/f && sort -rn d/f | head -3; x=$RANDOM; sleep 5"),
    "kinds": ("shell", FILES),
    "shell": ("shell", "for n in 1 2; do tool approve --amount $n; done | cat; echo $RANDOM"),
    "javascript": ("javascript", "console.log(await tools.approve({amount: 1}), Math.random())"),
    "python": ("python", "from tools import approve\nprint(approve(amount=1))"),
}

PORTABLE = """
import { Sandbox } from "./dist/node.js";
import { readFileSync, writeFileSync } from "node:fs";
const [shell, python, check, given, path] = process.argv.slice(1);
const show = async (sandbox) => [
  (await sandbox.run(check)).stdout, (await sandbox.run("print(n, g())", { language: "python" })).stdout];
const options = { clock: new Date("2026-01-02T03:04:05Z"), seed: 7 };
const sandbox = await Sandbox.create(options);
await sandbox.run(shell);
await sandbox.run(python, { language: "python" });
let left = [];
writeFileSync(path, await sandbox.snapshot({ portable: true, onLeftOut: (what) => (left = what) }));
const theirs = await Sandbox.restore(readFileSync(given));
console.log(JSON.stringify([left, [...theirs.leftOut], await show(theirs)]));
"""
SESSION = FILES + "x=5; f() { echo fun $1; }; cd /tmp; trap 'echo bye' EXIT; sleep 9 &"
NAMES = "import math\nn = 40\ndef g(): return n + 2\nf = lambda: 1\nopen('/tmp/open', 'w').write('x')"
CHECK = "echo $x $(pwd) $RANDOM; f 1; stat -c '%n %F %a %h %s %Y' /workspace/a/* /tmp/*; date"


def handler(method, params):
    return {"method": method, **params}


def node(code, *arguments):
    run = call("node", "--input-type=module", "--eval", code, *arguments, env={**os.environ, "PINFOLD_ENGINE": "wasm"})
    assert run.returncode == 0, run.stderr
    return run.stdout


def finish(data):
    with Sandbox.restore(data, tool_handler=handler, capabilities=EVERY) as sandbox:
        running = bool(sandbox.pending)
        result = sandbox.finish() if running else sandbox.run("cat d/f | tail -1")
        return [result.stdout, result.exit_code]


@pytest.mark.parametrize("name", SCRIPTS)
def test_both_ways(package, tmp_path, name):
    language, code = SCRIPTS[name]
    with Sandbox(tool_handler=handler, capabilities=EVERY, clock=CLOCK, seed=7) as sandbox:
        sandbox.start(code, language=language)
        native = sandbox.snapshot()
    (tmp_path / "native").write_bytes(native)
    node(WRITE, language, code, str(tmp_path / "node"))
    made = (tmp_path / "node").read_bytes()
    assert json.loads(node(READ, str(tmp_path / "native"))) == finish(native)
    assert finish(made) == finish(native)
    assert node(COMPARE, str(tmp_path / "native"), str(tmp_path / "node")) == "true\n"


def test_portable_ones(package, tmp_path):
    """The same byte by byte, and each is taken over by the other host."""
    with Sandbox(clock=CLOCK, seed=7) as sandbox:
        sandbox.run(SESSION)
        sandbox.run(NAMES, language="python")
        with pytest.warns(UserWarning, match="does not hold"):
            native = sandbox.snapshot(portable=True)
    (tmp_path / "native").write_bytes(native)
    paths = [str(tmp_path / "native"), str(tmp_path / "node")]
    left, theirs, shown = json.loads(node(PORTABLE, SESSION, NAMES, CHECK, *paths))
    assert left == theirs
    assert "processes in the background: 1" in left
    assert node(COMPARE, *paths) == "true\n"
    with pytest.warns(UserWarning, match="did not bring"):
        sandbox = Sandbox.restore((tmp_path / "node").read_bytes())
    with sandbox:
        assert [sandbox.run(CHECK).stdout, sandbox.run("print(n, g())", language="python").stdout] == shown
    assert shown[0].startswith("5 /tmp ")
    assert "fun 1" in shown[0]
    assert shown[1] == "40 42\n"

TOKENS = """
import { Issuer, Token } from "./dist/node.js";
const [seed, given, policy] = process.argv.slice(1);
const hex = (text) => new Uint8Array(Buffer.from(text, "hex"));
const issuer = await Issuer.create({ seed: hex(seed) });
const theirs = await Token.open(hex(given));
const { capabilities, expires } = theirs.verify([issuer.publicKey], { now: new Date(0) });
let widened = "";
try { theirs.narrow(["bank/**"]); } catch (error) { widened = error.message; }
const made = issuer.issue(JSON.parse(policy), { expires: new Date(2000_000) });
console.log(JSON.stringify([capabilities, +expires, widened, ...[made, theirs.narrow(capabilities)].map(
  ({ data }) => Buffer.from(data).toString("hex"))]));
"""


def test_tokens(package):
    """One that Python signed is read, narrowed and refused in Node as here, and the other way round."""
    issuer = Issuer(bytes(range(32)))
    pay = [MethodCapability("bank/pay", [Param("amount") <= 50], max_calls=2)]
    token = issuer.issue(pay, expires=1000)
    policy = policy_json(pay)
    shown, expires, widened, made, narrowed = json.loads(node(TOKENS, issuer.seed.hex(), token.data.hex(), policy))
    assert load_policy(json.dumps({"capabilities": shown})) == pay
    assert expires == 1_000_000
    with pytest.raises(CapabilityError) as refused:
        token.narrow([MethodCapability("bank/**")])
    assert widened == str(refused.value)
    for data, end in ((made, 2000), (narrowed, 1000)):
        assert Token(bytes.fromhex(data)).verify([issuer.public_key], now=0) == (pay, end)
