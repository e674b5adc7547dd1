"""Http of the npm package against the servers that Python's is tried with: those that lie, and git's."""

import base64
import json
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT, call

sys.path.insert(0, str(ROOT / "python/tests"))
from git_server import GitServer  # noqa: E402
from lying_server import ANSWERS, Liar  # noqa: E402

from pinfold import Sandbox  # noqa: E402
from pinfold.http import Http, Secret  # noqa: E402

HERE = pathlib.Path(__file__).parent
VALUE = "sk_live_51H/abc+def=xyz"


@pytest.fixture(scope="module")
def liar():
    with Liar() as server:
        yield server


@pytest.fixture(scope="module")
def request_by_node(package):
    """What becomes of one request: ["answer", …] or [name of the error, message]."""
    command = ["node", str(HERE / "http_requests.mjs"), str(package)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:

        def ask(options, params):
            node.stdin.write(json.dumps([{"secrets": {}, "maxBytes": 1 << 20, **options}, params]) + "\n")
            node.stdin.flush()
            return json.loads(node.stdout.readline())

        yield ask
        node.stdin.close()


#: What ends by its time alone; the others have all the time they need.
TIMED = ("continues-without-end", "hints-without-end", "slow-head", "slow-body", "chunk-without-end")

#: A text is the body that is given; a list has words of the error.
SAID = {
    "two-lengths": ["Content-Length can't be", "Failure when receiving"],
    "length-and-chunks": ["Failure when receiving"],
    "negative-length": ["Failure when receiving"],
    "huge-length": ["Failure when receiving"],
    "plus-length": ["Failure when receiving"],
    "folded": ["Failure when receiving"],
    "bare-line-feeds": ["Failure when receiving"],
    "bare-return": ["Failure when receiving"],
    "zero-in-header": ["Failure when receiving"],
    "no-colon": ["Failure when receiving"],
    "space-before-colon": ["Failure when receiving"],
    "http-0.9": ["HTTP/0.9"],
    "http-3000": ["HTTP/0.9"],
    "status-of-four": ["HTTP/0.9"],
    "status-of-words": ["HTTP/0.9"],
    "another-protocol": ["HTTP/0.9"],
    "one-header-without-end": ["the headers are too large"],
    "headers-without-end": ["the headers are too large"],
    "status-without-end": ["the headers are too large"],
    "continues-without-end": ["timed out"],
    "hints-without-end": ["timed out", "the headers are too large"],
    "one-continue": "ok",
    "switching": ["switched to another protocol"],
    "slow-head": ["timed out"],
    "slow-body": ["timed out"],
    "body-without-end": ["Maximum file size exceeded"],
    "chunks-without-end": ["Maximum file size exceeded"],
    "empty-body-of-204": None,
    "chunk-of-minus": ["Failure when receiving"],
    "chunk-too-long": ["Failure when receiving"],
    "chunk-without-end": ["timed out", "Failure when receiving"],
    "trailers": ["Failure when receiving"],
    "trailers-without-end": ["the headers are too large"],
    "gzip-bomb": ["Maximum file size exceeded"],
    "gzip-in-gzip": ["Maximum file size exceeded"],
    "gzip-cut": ["transfer closed"],
    "gzip-and-more": "onetwo",
    "no-gzip": ["content unencoding"],
    "two-answers": "one",
    "resets": ["Failure when receiving"],
    "says-nothing": ["Empty reply"],
}


@pytest.mark.parametrize("name", SAID)
def test_a_server_that_lies(request_by_node, liar, name):
    origin = f"http://localhost:{liar.port}"
    params = {"url": f"{origin}/{name}", "timeout": 1.0 if name in TIMED else 25.0}
    kind, said = request_by_node({"allow": [f"{origin}/**"]}, params)
    expected = SAID[name]
    if kind == "answer":
        for header, value in said["headers"]:
            assert header.strip() == header and "Set-Cookie" != header
            assert all(c == "\t" or c.isprintable() for c in header + value)
        assert said.get("body") == expected or said.get("body") in (expected or [""]), said
        assert "X-No" not in dict(said["headers"])
    else:
        assert kind == "ToolError" and isinstance(expected, list), said
        assert any(words in said for words in expected), said


@pytest.mark.parametrize("name", [name for name in ANSWERS if name.startswith("reflect")])
def test_secrets_in_other_clothes(request_by_node, liar, name):
    """Whatever the server makes of the token, it is not in what the sandbox is given."""
    origin = f"http://localhost:{liar.port}"
    params = {"url": f"{origin}/{name}", "headers": {"Authorization": "Bearer pfsecret_KEY_" + "0" * 32}}
    liar.seen.clear()
    options = {"allow": [f"{origin}/**"], "secrets": {"KEY": {"value": VALUE, "hosts": [origin]}}}
    said = json.dumps(request_by_node(options, params))
    assert f"Authorization: Bearer {VALUE}".encode() in liar.seen[-1]
    wide, escaped = VALUE.encode("utf-16-le"), "".join(f"%25{c:02x}" for c in VALUE.encode())
    forms = [VALUE, VALUE[::-1], VALUE.encode().hex(), escaped, base64.b64encode(wide).decode(), "51H/abc", "UxSC9hYm"]
    assert not [form for form in forms if form.lower() in said.lower()], said
    assert "H4sI" not in said, "a packed file"


GIT = """
import { Http, Sandbox, Secret } from "PACKAGE/dist/node.js";
const secrets = { TOKEN: new Secret({ value: "ghp_0123456789", hosts: ["URL"] }) };
const http = await Http.create({ allow: ["URL/**"], secrets });
const env = {};
for (const of of ["AUTHOR", "COMMITTER"])
  Object.assign(env, { [`GIT_${of}_NAME`]: "a", [`GIT_${of}_EMAIL`]: "a@b" });
const sandbox = await Sandbox.create({ http, env, engine: "native" });
const url = "URL/r.git".replace("://", "://x:$TOKEN@");
const script = `git clone -q ${url} c; cd c; git log --format=%s; echo mine > mine; git add mine
  git commit -qm mine; git push -q; grep -c pfsecret_TOKEN_ .git/config`;
const { stdout, stderr } = await sandbox.run(script);
console.log(JSON.stringify([stdout, stderr]));
"""


def test_git_clones_and_pushes_with_a_secret(package, tmp_path):
    def git(*words):
        made = call("git", "-c", "user.name=a", "-c", "user.email=a@b", *words, cwd=tmp_path)
        assert made.returncode == 0, made.stderr
        return made.stdout

    git("init", "-q", "-b", "main", "work")
    git("-C", "work", "commit", "-q", "--allow-empty", "-m", "first")
    git("clone", "-q", "--bare", "work", "srv/r.git")
    git("-C", "srv/r.git", "config", "http.receivepack", "true")
    with GitServer(tmp_path / "srv", token="ghp_0123456789") as server:
        (tmp_path / "run.mjs").write_text(GIT.replace("PACKAGE", str(package)).replace("URL", server.url))
        run = call("node", str(tmp_path / "run.mjs"), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == ["first\n1\n", ""]
    assert git("-C", "srv/r.git", "log", "--format=%s") == "mine\nfirst\n"


PLACEHOLDERS = """
import { Http, Sandbox, Secret } from "PACKAGE/dist/node.js";
const secrets = { ONE: new Secret({ value: "first-value" }), TWO: new Secret({ value: "second-value" }) };
const http = await Http.create({ allow: ["https://example.com/**"], secrets });
for (const engine of ["native", "wasm"]) {
  const sandbox = await Sandbox.create({ http, seed: 7, engine });
  console.log((await sandbox.run("echo $ONE $TWO")).stdout.trim());
}
"""


def test_placeholders_of_a_seed_are_those_of_python(package, tmp_path):
    """So a recording of one is replayed by the other."""
    secrets = {"ONE": Secret(value="first-value", hosts=["example.com"]), "TWO": Secret(value="second-value", hosts=["example.com"])}
    with Sandbox(tools=[Http(allow=["https://example.com/**"], secrets=secrets)], seed=7) as sandbox:
        expected = sandbox.run("echo $ONE $TWO").stdout
    script = PLACEHOLDERS.replace("PACKAGE", str(package)).replace('" })', '", hosts: ["example.com"] })')
    (tmp_path / "run.mjs").write_text(script)
    run = call("node", str(tmp_path / "run.mjs"), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout == expected * 2
