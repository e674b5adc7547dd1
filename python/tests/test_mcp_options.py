"""What a client of the MCP server gets beside text, and what ``pinfold mcp`` can be told."""

import asyncio
import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("mcp.server.mcpserver")

from mcp import Client, StdioServerParameters

from pinfold import create_sandbox_tool
from pinfold.mcp_server import create_server

PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000")


def greet(name: str) -> str:
    return f"hello {name}"


def through(server, use):
    async def go():
        async with Client(server) as client:
            return await use(client)

    return asyncio.run(go())


def told(result):
    return "\n".join(part.text for part in result.content if part.type == "text")


def test_structured_output_and_images():
    async def use(client):
        tool = next(t for t in (await client.list_tools()).tools if t.name == "run")
        assert tool.output_schema["properties"]["exit_code"] == {"type": "integer"}
        program = "console.log('hi'); console.error('oh'); return {n: 1}"
        result = await client.call_tool("run", {"code": program, "language": "javascript"})
        assert result.structured_content == {
            "stdout": 'hi\n{"n":1}\n', "stderr": "oh\n", "exit_code": 0, "value": {"n": 1},
            "limit": None, "truncated": False, "session_ended": False,
        }
        assert told(result).startswith("hi\n")
        failed = await client.call_tool("run", {"code": "exit 3"})
        assert failed.structured_content["exit_code"] == 3 and not failed.is_error
        text = "".join(f"\\x{byte:02x}" for byte in PNG)
        shown = await client.call_tool("run", {"code": f"printf '{text}' > a.png; echo /workspace/a.png"})
        assert [part.type for part in shown.content] == ["text", "image"]
        assert shown.content[1].mime_type == "image/png"

    through(create_server(), use)


def test_arguments_of_a_run():
    async def use(client):
        assert told(await client.call_tool("run", {"code": "pwd", "cwd": "/tmp"})) == "/tmp"
        assert told(await client.call_tool("run", {"code": "pwd"})) == "/workspace"
        late = await client.call_tool("run", {"code": "sleep 60", "timeout": 0.2})
        assert late.structured_content["limit"] == "timeout"
        nowhere = await client.call_tool("run", {"code": "touch ran", "cwd": "/nowhere"})
        assert nowhere.is_error and "No such file" in told(nowhere)
        unknown = await client.call_tool("run", {"code": "x", "language": "cobol"})
        assert unknown.is_error and "unknown language 'cobol'; use shell, javascript" in told(unknown)
        assert told(await client.call_tool("run", {"code": "1 + 1", "language": "py"})) == "2"

    through(create_server(), use)


def test_languages_of_a_server():
    async def use(client):
        tool = next(t for t in (await client.list_tools()).tools if t.name == "run")
        assert tool.input_schema["properties"]["language"]["enum"] == ["javascript", "shell"]
        assert told(await client.call_tool("run", {"code": "return 6 * 7"})) == "42"
        assert 'language "shell"' in tool.description and 'language "python"' not in tool.description
        refused = await client.call_tool("start_job", {"code": "1", "language": "python"})
        assert refused.is_error and "use javascript, shell" in told(refused)
        job = told(await client.call_tool("start_job", {"code": "console.log(6 * 7)"}))
        assert "42" in job + told(await client.call_tool("wait_job", {"job": 1}))
        refused = await client.call_tool("run", {"code": "1", "language": "python"})
        assert refused.is_error and "use javascript, shell" in told(refused)

    through(create_server(languages=["javascript", "shell"]), use)
    for wrong in ([], ["cobol"]):
        with pytest.raises(ValueError, match="languages are some of"):
            create_server(languages=wrong)


def test_the_server_of_a_tool_has_them_too():
    with create_sandbox_tool([greet]) as tool:

        async def use(client):
            done = await client.call_tool("run", {"code": "greet --name Ada --raw"})
            assert done.structured_content["stdout"] == "hello Ada\n"

        through(tool.as_mcp_server(), use)


def command(*options):
    return StdioServerParameters(command=sys.executable, args=["-m", "pinfold", "mcp", *options], env={**os.environ})


def test_the_options_of_the_command(tmp_path):
    (tmp_path / "in.txt").write_text("given\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "f").write_text("mounted\n")
    (tmp_path / "pay.py").write_text("import json, sys; print(json.load(sys.stdin)['n'] + 1)")
    (tmp_path / "fail.py").write_text("import sys; sys.exit('sold out')")
    policy = {"capabilities": [{"method": "pay", "constraints": {"n": "<=5"}}, {"method": "fail"}]}
    (tmp_path / "policy.json").write_text(json.dumps(policy))
    server = command(
        f"--tool=pay={sys.executable} {tmp_path}/pay.py", f"--tool=fail={sys.executable} {tmp_path}/fail.py",
        f"--policy={tmp_path}/policy.json", f"--file={tmp_path}/in.txt:/workspace/in.txt",
        f"--mount={tmp_path}/data:/data", f"--mount={tmp_path}/data:/mine:copy", "--env=COLOR=red",
        "--limit=output_bytes=100", "--language=shell", "--language=python",
    )

    async def use(client):
        code = "pay --n 1; pay --n 9; fail; cat in.txt /data/f; echo more > /mine/f; cat /mine/f; echo x > /data/f; echo $COLOR"
        text = told(await client.call_tool("run", {"code": code}))
        assert text.startswith("2\ngiven\nmounted\nmore\nred")
        assert "n must be <= 5" in text and "sold out" in text and "Permission denied" in text
        cut = await client.call_tool("run", {"code": "seq 1000"})
        assert cut.structured_content["truncated"]
        refused = await client.call_tool("run", {"code": "1", "language": "javascript"})
        assert refused.is_error and "use shell, python" in told(refused)

    through(server, use)
    assert (tmp_path / "data" / "f").read_text() == "mounted\n"


def test_requests_of_scripts(tmp_path):
    pytest.importorskip("httpcore")
    from http_server import Server

    policy = {"capabilities": [{"method": "pay"}]}
    (tmp_path / "policy.json").write_text(json.dumps(policy))
    with Server() as http:
        place = f"http://localhost:{http.port}"
        os.environ["PINFOLD_TEST_KEY"] = "sk_live_0123456789"
        try:
            server = command(
                f"--http=GET {place}/echo", f"--secret=KEY=env:PINFOLD_TEST_KEY@{place}#X-Key,Authorization",
                f"--policy={tmp_path}/policy.json", "--tool=pay=echo 1",
            )  # fmt: skip

            async def use(client):
                text = told(await client.call_tool("run", {"code": f'pay; curl -s -H "X-Key: $KEY" {place}/echo; echo $KEY'}))
                assert text.startswith("1\n") and "pfsecret_KEY_hidden" in text and "sk_live" not in text
                text = told(await client.call_tool("run", {"code": f"curl -sS {place}/hello"}))
                assert "denied" in text

            through(server, use)
        finally:
            del os.environ["PINFOLD_TEST_KEY"]
        assert ("X-Key", "sk_live_0123456789") in http.seen[0][2]


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("--tool=pay", "expected NAME=VALUE"),
        ("--tool=pay=", "is no command"),
        ("--policy=/nowhere/p.json", "No such file"),
        ("--file=a:b", "an absolute GUEST"),
        ("--mount=/tmp:/x:rw", "ro or copy"),
        ("--language=cobol", "languages are some of"),
        ("--limit=speed=1", "no limit of that name"),
        ("--http=example.com", "example.com"),
        ("--secret=K=env:NONE@h", "--secret is for --http RULE"),
        ("--approve", "--approve asks about no call: give a --tool"),
    ],
)
def test_options_that_cannot_be(option, why):
    done = subprocess.run([sys.executable, "-m", "pinfold", "mcp", option], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2 and why in done.stderr


def test_a_policy_that_asks_about_nothing(tmp_path):
    policy = tmp_path / "policy.json"
    command = [sys.executable, "-m", "pinfold", "mcp", "--approve", "--tool=pay=echo 1", f"--policy={policy}"]
    for capabilities, why in (
        ([{"method": "pay"}], f'no capability in {policy} has "ask": true'),
        ([{"method": "pay"}, {"method": "pay", "ask": True}], "a capability before it allows the same calls"),
        ([{"method": "buy", "ask": True}], "'buy' asks, but no tool has such a name"),
    ):
        policy.write_text(json.dumps({"capabilities": capabilities}))
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("pinfold mcp: --approve asks about no call: ") and why in done.stderr


def test_a_session_by_header():
    """For a client whose protocol has no sessions."""
    from pinfold.mcp_server import _own
    from pinfold.errors import ToolError

    class Request:
        def __init__(self, **headers):
            self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    assert _own(Request()) == "main"
    assert _own(Request(host="x")) is None
    assert _own(Request(host="x", mcp_session_id="1")) == "http 1"
    assert _own(Request(host="x", pinfold_session="a secret of mine")) == "header a secret of mine"
    with pytest.raises(ToolError, match="16 characters"):
        _own(Request(host="x", pinfold_session="short"))
    about = through(create_server(), lambda client: client.list_tools())
    run = next(tool for tool in about.tools if tool.name == "run")
    assert "Pinfold-Session" in run.description and "fresh sandbox" in run.description
