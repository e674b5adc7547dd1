"""Every setting on every face: what a sandbox was configured with holds wherever it is used.

A new parameter of `Sandbox` fails `test_every_setting_is_looked_at` until it has a probe here, and a
new ``as_…`` of `SandboxTool` fails `test_every_face_is_looked_at`; each probe then runs on each face.
"""

import asyncio
import contextlib
import inspect
import json

import pytest

from pinfold import (
    AuditLog,
    ExecutionError,
    Limits,
    MethodCapability,
    Sandbox,
    SandboxTool,
    Store,
    Tool,
    create_sandbox_tool,
)
from pinfold import typed
from pinfold.definitions import from_openai_tools
from pinfold.sandbox_tool import describe

CODE_BYTES = 3000


def greet(name: str) -> str:
    return f"hello {name}"


def fail() -> str:
    raise RuntimeError("the password is swordfish")


TOOLS = [Tool.from_function(greet), Tool.from_function(fail)]
GRANTED = [MethodCapability("greet"), MethodCapability("fail")]

# ------------------------------------------------------------------ faces

#: What belongs to a snapshot and is therefore not given to who restores it.
OF_A_SNAPSHOT = {"files", "seed"}


def again(settings):
    return {name: value for name, value in settings.items() if name not in OF_A_SNAPSHOT}


def face_run(settings, tmp_path, stack):
    sandbox = stack.enter_context(Sandbox(**settings))
    return lambda code, language: describe(sandbox.run(code, language))


def face_arun(settings, tmp_path, stack):
    sandbox = stack.enter_context(Sandbox(**settings))
    return lambda code, language: describe(asyncio.run(sandbox.arun(code, language)))


def face_start_and_finish(settings, tmp_path, stack):
    sandbox = stack.enter_context(Sandbox(**settings))

    def run(code, language):
        sandbox.start(code, language)
        return describe(sandbox.finish())

    return run


def face_execution(settings, tmp_path, stack):
    sandbox = stack.enter_context(Sandbox(**settings))

    def run(code, language):
        with contextlib.suppress(ExecutionError):
            sandbox.shell(code) if language == "shell" else sandbox.execute(code)
        return describe(sandbox.result)

    return run


def face_fork(settings, tmp_path, stack):
    trunk = stack.enter_context(Sandbox(**settings))
    branch = stack.enter_context(trunk.fork())
    return lambda code, language: describe(branch.run(code, language))


def face_fork_of_a_fork(settings, tmp_path, stack):
    trunk = stack.enter_context(Sandbox(**settings))
    branch = stack.enter_context(stack.enter_context(trunk.fork()).fork())
    return lambda code, language: describe(branch.run(code, language))


def face_restore(settings, tmp_path, stack):
    with Sandbox(**settings) as first:
        data = first.snapshot()
    second = stack.enter_context(Sandbox.restore(data, **again(settings)))
    return lambda code, language: describe(second.run(code, language))


def face_store(settings, tmp_path, stack):
    store = stack.enter_context(Store(tmp_path / "store.db", key=settings.get("key")))
    with Sandbox(**settings) as first:
        store.save("first", first)
    second = stack.enter_context(store.load("first", **again(settings)))
    return lambda code, language: describe(second.run(code, language))


def face_tool(settings, tmp_path, stack):
    return stack.enter_context(SandboxTool(Sandbox(**settings))).run


def face_from_functions(settings, tmp_path, stack):
    return stack.enter_context(SandboxTool.from_functions(**{"tools": [], **settings})).run


def face_create(settings, tmp_path, stack):
    tool = stack.enter_context(create_sandbox_tool(**settings))
    return lambda code, language: asyncio.run(tool.arun(code, language))


def face_openai(settings, tmp_path, stack):
    tool = stack.enter_context(create_sandbox_tool(**settings))
    defined = tool.as_openai_tool()
    (handled,) = from_openai_tools([defined], lambda name, given: tool.handle(given))
    return lambda code, language: handled.call({"code": code, "language": language})


def face_anthropic(settings, tmp_path, stack):
    tool = stack.enter_context(create_sandbox_tool(**settings))
    assert tool.as_anthropic_tool()["input_schema"]["required"] == ["code", "language"]
    return lambda code, language: asyncio.run(tool.ahandle(json.dumps({"code": code, "language": language})))


def face_codeact(settings, tmp_path, stack):
    tool = stack.enter_context(create_sandbox_tool(**settings))

    def run(code, language):
        if language == "shell":
            code = f"const done = await $`sh -c ${{{json.dumps(code)}}}`; process.stdout.write(done.stdout); process.stderr.write(done.stderr)"
        return tool.as_codeact_eval()(code, {})[0]

    return run


def face_langchain(settings, tmp_path, stack):
    pytest.importorskip("langchain_core")
    tool = stack.enter_context(create_sandbox_tool(**settings)).as_langchain_tool()
    return lambda code, language: tool.invoke({"code": code, "language": language})


def face_langchain_tools(settings, tmp_path, stack):
    pytest.importorskip("langchain_core")
    js, shell = stack.enter_context(create_sandbox_tool(**settings)).as_langchain_tools()

    def run(code, language):
        given = {"command": code} if language == "shell" else {"code": code}
        return asyncio.run((shell if language == "shell" else js).ainvoke(given))

    return run


def face_pydantic_ai(settings, tmp_path, stack):
    pytest.importorskip("pydantic_ai")
    tool = stack.enter_context(create_sandbox_tool(**settings)).as_pydantic_ai_tool()
    return lambda code, language: asyncio.run(tool.function(code=code, language=language))


def through_mcp(server):
    async def call(code, language):
        from mcp import Client

        async with Client(server) as client:
            result = await client.call_tool("run", {"code": code, "language": language})
            return "\n".join(part.text for part in result.content)

    return lambda code, language: asyncio.run(call(code, language))


def face_mcp(settings, tmp_path, stack):
    pytest.importorskip("mcp.server.mcpserver")
    return through_mcp(stack.enter_context(create_sandbox_tool(**settings)).as_mcp_server())


def face_mcp_server(settings, tmp_path, stack):
    pytest.importorskip("mcp.server.mcpserver")
    from pinfold.mcp_server import create_server

    return through_mcp(create_server(**settings))


FACES = {name.removeprefix("face_"): make for name, make in globals().items() if name.startswith("face_")}

# ------------------------------------------------------------------ settings

#: The sandboxes that a face made, newest last: for what cannot be seen from inside.
made = []


@pytest.fixture(autouse=True)
def remember(monkeypatch):
    made.clear()
    plain, fork = Sandbox.__init__, Sandbox.fork

    def init(self, **given):
        plain(self, **given)
        made.append(self)

    def forked(self, **given):
        made.append(fork(self, **given))
        return made[-1]

    # The signature is what settings are read off.
    monkeypatch.setattr(Sandbox, "__init__", init)
    monkeypatch.setattr(Sandbox, "fork", forked)


SETTINGS = [
    name
    for name in inspect.signature(Sandbox.__init__).parameters
    if name != "self" and not name.startswith("_")
]


def probe_tools(run, tmp_path):
    yield {"tools": TOOLS}
    assert "greet" in run("tool --list", "shell")


def probe_capabilities(run, tmp_path):
    yield {"tools": TOOLS, "capabilities": [MethodCapability("greet", {"name": ["Ada"]}, max_calls=2)]}
    assert run("greet --name Ada", "shell") == '"hello Ada"'
    assert "denied" in run("greet --name Bo", "shell") and "denied" in run("fail", "shell")


def probe_tool_handler(run, tmp_path):
    yield {"tool_handler": lambda method, params: [method, params], "capabilities": [MethodCapability("**")]}
    assert run("return await tools.any.thing({n: 1})", "javascript") == '["any/thing",{"n":1}]'


def probe_files(run, tmp_path):
    yield {"files": {"given.txt": "given\n"}}
    assert run("cat given.txt", "shell") == "given"


def probe_env(run, tmp_path):
    yield {"env": {"COLOR": "red"}}
    assert run("echo $COLOR", "shell") == "red"


def probe_limits(run, tmp_path):
    yield {"limits": Limits(output_bytes=8, code_bytes=CODE_BYTES)}
    assert run("echo 0123456789", "shell") == "01234567\n[truncated]: stdout over the output limit"
    with contextlib.suppress(ValueError):
        assert "code_bytes" in run("#" * (CODE_BYTES + 1), "shell")


def probe_clock(run, tmp_path):
    yield {"clock": 1_000_000_000}
    assert run("date +%s", "shell") == "1000000000"


def probe_seed(run, tmp_path):
    yield {"seed": 7}
    with Sandbox(seed=7) as same:
        program = "return [Math.random(), crypto.randomUUID()].join()"
        assert run(program, "javascript") == same.execute(program).strip()


def probe_js_prelude(run, tmp_path):
    yield {"js_prelude": "globalThis.answer = 42"}
    assert run("return answer", "javascript") == "42"


def probe_hide_tool_errors(run, tmp_path):
    yield {"tools": TOOLS, "capabilities": GRANTED, "hide_tool_errors": True}
    said = run("fail", "shell")
    assert "failed" in said and "swordfish" not in said


def probe_approve(run, tmp_path):
    yield {
        "tools": TOOLS,
        "capabilities": [MethodCapability("greet", ask=True)],
        "approve": lambda call: f"no {call.params['name']} here",
    }
    assert "greet is denied: no Ada here" in run("greet --name Ada", "shell")


def probe_audit(run, tmp_path):
    entries = []
    yield {"tools": TOOLS, "capabilities": GRANTED, "audit": AuditLog(entries.append, redact=["name"])}
    assert run("greet --name Ada", "shell") == '"hello Ada"'
    assert [e["event"] for e in entries if e["event"] != "run"] == ["decision", "answer", "result"]
    assert "Ada" not in repr(entries)


def recorded(tmp_path):
    return "".join(path.read_text() for path in tmp_path.glob("trace*.jsonl"))


def probe_record(run, tmp_path):
    yield {"record": tmp_path / "trace.jsonl"}
    assert run("echo unmistakable", "shell") == "unmistakable"
    assert '"echo unmistakable"' in recorded(tmp_path) or "echo unmistakable" in recorded(tmp_path)


def probe_redact(run, tmp_path):
    yield {"tools": TOOLS, "capabilities": GRANTED, "record": tmp_path / "trace.jsonl", "redact": True}
    assert run("greet --name Ada >/dev/null; echo unmistakable", "shell") == "unmistakable"
    assert "unmistakable" in recorded(tmp_path) and "hello Ada" not in recorded(tmp_path)


def probe_key(run, tmp_path):
    yield {"key": b"k" * 32}
    run("echo", "shell")
    assert made[-1]._durable[0] == b"k" * 32


def probe_mounts(run, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "x").write_text("mounted\n")
    yield {"mounts": {"/data": tmp_path / "data"}}
    assert run("cat /data/x", "shell") == "mounted"


def probe_isolation(run, tmp_path):
    yield {"isolation": "process"}
    assert run("echo", "shell") == "(no output)"
    machines = [getattr(sandbox._machine, "unwatched", sandbox._machine) for sandbox in made]
    assert machines and {type(machine).__name__ for machine in machines} == {"RemoteMachine"}


def probe_passthrough(run, tmp_path):
    class Stop(ValueError):
        pass

    def halt():
        raise Stop("ask a person")

    yield {"tools": [halt], "capabilities": [MethodCapability("halt")], "passthrough": [Stop]}
    try:
        said = run("halt; echo went on", "shell")
    except Stop:
        assert [call.name for call in made[-1].pending] == ["halt"]
    else:  # a server's client gets no exceptions
        assert "went on" not in said and made[-1].pending


PROBES = {name.removeprefix("probe_"): probe for name, probe in globals().items() if name.startswith("probe_")}


@pytest.mark.parametrize("isolation", [None, "process"])
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("face", FACES)
def test_a_setting_holds(face, setting, isolation, tmp_path):
    if setting not in PROBES:
        pytest.fail(f"{setting} is new: write probe_{setting}")
    face_run = []
    probe = PROBES[setting](lambda code, language: face_run[0](code, language), tmp_path)
    given = next(probe)
    if isolation is not None:
        given["isolation"] = isolation
    with contextlib.ExitStack() as stack:
        if setting == "mounts" and isolation is not None:
            with pytest.raises((ValueError, NotImplementedError), match="mount"):
                FACES[face](given, tmp_path, stack)
            return
        face_run.append(FACES[face](given, tmp_path, stack))
        assert next(probe, "done") == "done"


# ------------------------------------------------------------------ nothing is forgotten


def test_every_setting_is_looked_at():
    assert set(PROBES) == set(SETTINGS)


def test_every_face_is_looked_at():
    looked_at = {
        "as_openai_tool",
        "as_openai_tools",
        "as_anthropic_tools",
        "as_anthropic_tool",
        "as_codeact_eval",
        "as_langchain_tool",
        "as_langchain_tools",
        "as_pydantic_ai_tool",
        "as_mcp_server",
    }
    assert {name for name in dir(SandboxTool) if name.startswith("as_")} == looked_at


def test_restoring_takes_what_making_takes():
    assert set(typed.SandboxSettings.__annotations__) == set(SETTINGS)
    assert set(typed.RestoreSettings.__annotations__) == set(SETTINGS) - OF_A_SNAPSHOT


def test_what_is_no_setting_is_refused(tmp_path):
    with Sandbox() as sandbox:
        data = sandbox.snapshot()
    for make in (
        lambda: Sandbox(limit=1),
        lambda: Sandbox.restore(data, limit=1),
        lambda: Sandbox.restore(data, seed=1),
        lambda: SandboxTool.from_functions([], limit=1),
        lambda: create_sandbox_tool(limit=1),
    ):
        with pytest.raises(TypeError, match="unexpected keyword"):
            make()


# ------------------------------------------------------------------ sessions of a server


def mcp_text(result):
    return "\n".join(part.text for part in result.content)


def test_sessions_spend_one_budget():
    pytest.importorskip("mcp.server.mcpserver")
    from mcp import Client

    tool = create_sandbox_tool(TOOLS, max_calls={"greet": 3})
    assert tool.run("greet --name Ada", "shell") == '"hello Ada"'

    async def main():
        server = tool.as_mcp_server()
        greeted = 0
        async with Client(server) as client:
            for _ in range(3):
                session = mcp_text(await client.call_tool("open_session", {}))
                given = {"code": "greet --name Ada; greet --name Bo", "session": session}
                greeted += mcp_text(await client.call_tool("run", given)).count("hello")
        return greeted

    assert asyncio.run(main()) == 2
    assert "limit" in tool.run("greet --name Ada", "shell")
    assert "limit" in asyncio.run(tool.arun("greet --name Ada", "shell"))


def test_a_session_begins_as_the_sandbox_began():
    pytest.importorskip("mcp.server.mcpserver")
    with create_sandbox_tool(files={"given": "as given"}) as tool:
        tool.run("echo mine > mine; echo changed > given", "shell")
        run = through_mcp(tool.as_mcp_server())
        assert run("ls; cat given", "shell") == "given\nas given"


def test_a_file_that_is_larger_than_output_may_be():
    pytest.importorskip("mcp.server.mcpserver")
    from mcp import Client

    tool = create_sandbox_tool(limits=Limits(output_bytes=100))

    async def main():
        async with Client(tool.as_mcp_server()) as client:
            await client.call_tool("write_file", {"path": "small", "text": "x" * 100})
            await client.call_tool("write_file", {"path": "large", "text": "x" * 101})
            small = await client.call_tool("read_file", {"path": "small"})
            return mcp_text(small), mcp_text(await client.call_tool("read_file", {"path": "large"}))

    small, large = asyncio.run(main())
    assert small == "x" * 100 and "more than the limit output_bytes (100)" in large


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--limit", "cpu=1"], "no limit of that name"),
        (["--limit", "output_bytes"], "not a number"),
        (["--limit", "output_bytes=1KK"], "not a number"),
        (["--limit", "cpu_seconds=-1"], "negative"),
        (["--audit", "/no/such/folder/log"], "/no/such/folder"),
        (["--isolation", "none"], "invalid choice"),
        (["--approve"], "--approve asks about no call: give a --tool"),
    ],
)
def test_what_the_command_cannot_keep_it_refuses(arguments, words, capsys):
    pytest.importorskip("mcp.server.mcpserver")
    from pinfold.mcp_command import main

    try:
        assert main(arguments) == 2
    except SystemExit as ended:  # argparse's own
        assert ended.code == 2
    assert words in capsys.readouterr().err


def test_the_command_keeps_what_it_is_given(tmp_path):
    pytest.importorskip("mcp.server.mcpserver")
    import os
    import sys

    from mcp import Client, StdioServerParameters

    log = tmp_path / "log.jsonl"
    arguments = ["-m", "pinfold", "mcp", "--limit", "output_bytes=1K", "--isolation", "process", "--audit", str(log)]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}

    async def main():
        server = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
        async with Client(server) as client:
            return mcp_text(await client.call_tool("run", {"code": "seq 1000"}))

    assert "[truncated]" in asyncio.run(main())
    assert [json.loads(line)["event"] for line in log.read_text().splitlines()] == ["run", "result"]
