"""MCP with its official SDK: servers' tools inside, and the sandbox as a server."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import pytest

mcp = pytest.importorskip("mcp", minversion=None)
pytest.importorskip("mcp.server.mcpserver")

from mcp import Client, StdioServerParameters

import pinfold.mcp
from pinfold import create_sandbox_tool
from pinfold.mcp_server import create_server

SERVER = '''
from mcp.server.mcpserver import MCPServer

server = MCPServer("numbers")

@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b

@server.tool()
def describe(n: int) -> dict[str, object]:
    """Describes a number."""
    return {"n": n, "even": n % 2 == 0}

@server.tool()
def fail() -> str:
    """Always fails."""
    raise ValueError("it is broken")

if __name__ == "__main__":
    import sys
    if sys.argv[1:]:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run()
'''

PROGRAM = """
    const sum = await tools.add({a: 20, b: 22});
    const told = await tools.describe({n: sum});
    let failed;
    try { await tools.fail({}) } catch (error) { failed = error.name }
    return {sum, told, failed};
"""
EXPECTED = '{"sum":42,"told":{"n":42,"even":true},"failed":"ToolError"}'


@pytest.fixture
def numbers(tmp_path):
    path = tmp_path / "numbers_server.py"
    path.write_text(SERVER)
    return path


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not start")


def test_tools_of_a_server_on_stdio(numbers):
    with pinfold.mcp.connect([sys.executable, str(numbers)]) as tools:
        assert [t.name for t in tools] == ["add", "describe", "fail"]
        assert tools[0].description == "Adds two numbers."
        sandbox = create_sandbox_tool(tools=tools)
        assert sandbox.run(PROGRAM, "javascript") == EXPECTED
        assert asyncio.run(sandbox.arun(PROGRAM, "javascript")) == EXPECTED
        assert sandbox.run("add --a 1 --b 2", "shell") == "3"
        assert "[stderr]: fail: Error executing tool" in sandbox.run("fail", "shell")
    assert "the connection to its MCP server was closed" in sandbox.run("add --a 1 --b 2", "shell")


def test_tools_of_a_server_on_http(numbers):
    port = free_port()
    process = subprocess.Popen([sys.executable, str(numbers), str(port)], stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        with pinfold.mcp.connect(calc=f"http://127.0.0.1:{port}/mcp") as tools:
            assert [t.name for t in tools] == ["calc.add", "calc.describe", "calc.fail"]
            sandbox = create_sandbox_tool(tools=tools)
            assert sandbox.run("return await calc.add({a: 1, b: 2})", "javascript") == "3"
    finally:
        process.terminate()
        process.wait(10)


def test_a_server_that_does_not_start():
    with pytest.raises(ConnectionError, match="^MCP server .*SystemExit"):
        with pinfold.mcp.connect([sys.executable, "-c", "raise SystemExit(3)"], timeout=10):
            pass


@pytest.mark.parametrize(
    ("server", "error", "words"),
    [
        (["false"], ConnectionError, r"MCP server 'mail' \(false\): "),
        (
            ["/no/such command", "-x"],
            ConnectionError,
            r"'mail' \('/no/such command' -x\): .*No such",
        ),
        ("http://127.0.0.1:9/mcp", ConnectionError, r"'mail' \(http://127.0.0.1:9/mcp\): "),
        ("server", ValueError, r"'mail' \(server\): .*https?://.* list"),
        (5, TypeError, r"'mail' \(5\): a server is"),
        ([], TypeError, r"'mail' \(\): a command is a list of str"),
        (["sh", 5], TypeError, r"'mail' \(\['sh', 5\]\): a command is a list of str"),
    ],
)
def test_a_server_that_cannot_be_reached_is_named(numbers, server, error, words):
    with pytest.raises(error, match=words) as caught:
        with pinfold.mcp.connect(calc=[sys.executable, str(numbers)], mail=server, timeout=30):
            pass
    assert not isinstance(caught.value, BaseExceptionGroup)


def test_a_server_that_says_nothing():
    with pytest.raises(ConnectionError, match=r"\(sleep 1000\): it gave no answer within 0.2 s"):
        with pinfold.mcp.connect(["sleep", "1000"], timeout=0.2):
            pass


def text_of(result):
    return "".join(part.text for part in result.content)


async def use(client, session=""):
    """What any client can do with a server of sandboxes."""
    listed = {tool.name for tool in (await client.list_tools()).tools}
    jobs = {f"{verb}_job" for verb in ("start", "read", "write", "wait", "stop")} | {"list_jobs"}
    assert listed == {"run", "write_file", "read_file", "open_session", "close_session"} | jobs

    async def call(name, **arguments):
        return text_of(await client.call_tool(name, {"session": session, **arguments}))

    assert await call("run", code="x=1; echo hello | tr a-z A-Z") == "HELLO"
    assert await call("run", code="echo $x") == "1"
    assert await call("run", code="return [1, 2].map(n => n * 2)", language="javascript") == "[2,4]"
    await call("write_file", path="in.txt", text="b\na\n")
    assert await call("run", code="sort in.txt > out.txt") == "(no output)"
    assert await call("read_file", path="out.txt") == "a\nb\n"
    started = await call("start_job", code="read x; echo got $x; sleep 1000")
    assert started == "[job 1 running: read x; echo got $x; sleep 1000]"
    assert (await call("write_job", job=1, input="it\n")).startswith("got it\n[job 1 running")
    assert (await call("wait_job", job=1, seconds=0.1)).startswith("[job 1 running")
    assert (
        await call("stop_job", job=1) == "[job 1 ended with 143: read x; echo got $x; sleep 1000]"
    )
    assert await call("list_jobs") == await call("read_job", job=1)
    assert "there is no job 9" in await call("read_job", job=9)
    # Another session has other files.
    other = text_of(await client.call_tool("open_session", {}))
    assert "No such file" in await call("run", code="cat in.txt", session=other)
    assert await call("close_session", session=other) == "the session is closed"
    assert "no session" in await call("run", code="ls", session=other)
    result = await client.call_tool("read_file", {"path": "nowhere", "session": session})
    assert result.is_error and "nowhere" in text_of(result)


def test_the_server_in_process():
    def greet(name: str) -> str:
        """Greets."""
        return f"hello {name}"

    async def main():
        async with Client(create_server([greet])) as client:
            assert (
                "greet" in {t.name: t for t in (await client.list_tools()).tools}["run"].description
            )
            result = await client.call_tool("run", {"code": "greet --name Ada --raw"})
            assert text_of(result) == "hello Ada"
            await use(client)

    asyncio.run(main())


def test_the_arguments_of_the_server_are_described():
    async def described():
        async with Client(create_server()) as client:
            return {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}

    tools = asyncio.run(described())
    model = create_sandbox_tool().as_openai_tool()["function"]["parameters"]["properties"]
    run = tools["run"]["properties"]
    assert run["code"].items() >= model["code"].items()
    assert run["language"].items() >= {**model["language"], "default": "shell"}.items()
    assert all(
        "description" in part for tool in tools.values() for part in tool["properties"].values()
    )


def test_the_server_of_a_sandbox_tool():
    def greet(name: str) -> str:
        return f"hello {name}"

    async def main():
        tool = create_sandbox_tool(tools=[greet], max_calls=1)
        async with Client(tool.as_mcp_server()) as client:
            result = await client.call_tool(
                "run", {"code": "greet --name Ada; greet --name Bo; echo $?"}
            )
            assert "hello Ada" in text_of(result) and "126" in text_of(result)

    asyncio.run(main())


def test_the_server_on_stdio():
    async def main():
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "pinfold", "mcp"], env=environment
        )
        async with Client(server) as client:
            await use(client)

    asyncio.run(main())


def test_the_server_on_http():
    port = free_port()
    command = [sys.executable, "-m", "pinfold.mcp", "--http", "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        url = f"http://127.0.0.1:{port}/mcp"

        async def main():
            async with Client(url) as client:
                await use(client, text_of(await client.call_tool("open_session", {})))
                # Who does not say who they are shares nothing with others.
                await client.call_tool("write_file", {"path": "mine", "text": "x"})
                assert text_of(await client.call_tool("run", {"code": "ls"})) == "(no output)"
            # The older protocol has sessions of its own.
            async with Client(url, mode="legacy") as first:
                await use(first)
                async with Client(url, mode="legacy") as second:
                    assert text_of(await second.call_tool("run", {"code": "ls"})) == "(no output)"
                    assert "in.txt" in text_of(await first.call_tool("run", {"code": "ls"}))

        asyncio.run(main())
        for header in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
            request = urllib.request.Request(
                url,
                b"{}",
                {
                    "Content-Type": "application/json",
                    "Accept": "application/json, text/event-stream",
                    **header,
                },
            )
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request)
            assert refused.value.code in (403, 421)
    finally:
        process.terminate()
        process.wait(10)


def test_only_loopback():
    command = [sys.executable, "-m", "pinfold", "mcp", "--http", "--host", "0.0.0.0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "loopback" in done.stderr


def test_threads_are_gone(numbers):
    with pinfold.mcp.connect([sys.executable, str(numbers)]):
        pass
    assert not [t for t in threading.enumerate() if t.name == "pinfold mcp"]


def test_a_session_that_is_closed_while_it_is_used():
    """The close waits for its turn, and who comes behind it is told."""

    async def main():
        async with Client(create_server([])) as client:
            session = (await client.call_tool("open_session", {})).content[0].text
            run = {
                "session": session,
                "code": "for ((i = 0; i < 100000; i++)); do :; done; echo done",
            }
            first = asyncio.ensure_future(client.call_tool("run", run))
            await asyncio.sleep(0.1)
            closing = asyncio.ensure_future(client.call_tool("close_session", {"session": session}))
            await asyncio.sleep(0.1)
            behind = await client.call_tool("run", run)
            return await first, await closing, behind

    first, closing, behind = asyncio.run(main())
    assert "done" in first.content[0].text and not first.is_error
    assert closing.content[0].text == "the session is closed" and not closing.is_error
    assert behind.is_error and "session" in behind.content[0].text


def test_names_of_images_that_are_none_cost_little(monkeypatch):
    """A script prints as many as it likes, of files as large as it likes."""
    import pinfold.content

    looked = []
    monkeypatch.setattr(pinfold.content, "_image", lambda sandbox, path: looked.append(path))
    script = "truncate -s 5M /tmp/1.png; for i in $(seq 3000); do echo /tmp/1.png /tmp/$i.gif; done"
    tool = create_sandbox_tool([])
    assert pinfold.content.printed_images(tool.sandbox, tool.sandbox.run(script).stdout) == []
    assert len(looked) == len({*looked}) <= 50
