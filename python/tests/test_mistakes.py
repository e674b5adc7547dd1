"""What an embedder gets wrong is said, where it is done, in words about what was given."""

import asyncio
import math
import os
import pathlib
import subprocess
import sys
import warnings

import pytest

from pinfold import (
    AuditLog,
    CapabilityError,
    MethodCapability,
    Sandbox,
    Store,
    Tool,
    ToolNameWarning,
    create_sandbox_tool,
    load_policy,
    replay,
)
from pinfold.tokens import Issuer

CAPABILITY = MethodCapability("f")
ISSUER = Issuer(b"s" * 32)


@pytest.mark.parametrize(
    "how, error, words",
    [
        ({"mounts": ["/tmp"]}, TypeError, "mounts is a dict"),
        ({"mounts": {"/m": ("/tmp", "copy", 1)}}, ValueError, "a mount is a directory or"),
        ({"mounts": {5: "/tmp"}}, TypeError, "place is str"),
        ({"mounts": {"/m": "/tmp\0x"}}, ValueError, "null|NUL"),
        ({"record": "/tmp/x\0y"}, ValueError, "null|NUL"),
        ({"files": ["a"]}, TypeError, "files is a dict"),
        ({"env": ["A=1"]}, TypeError, "env is a dict"),
        ({"env": {"A": 1}}, TypeError, "env has str for str, not 'A': 1"),
        ({"capabilities": CAPABILITY}, TypeError, "a list of MethodCapability"),
        ({"capabilities": "f"}, TypeError, "a list of MethodCapability"),
        ({"capabilities": ["f"]}, TypeError, "MethodCapability objects"),
        ({"audit": "x"}, TypeError, "an AuditLog"),
        ({"clock": 1e30}, ValueError, "clock is out of range"),
        ({"clock": math.nan}, ValueError, "clock is out of range"),
        ({"clock": -math.inf}, ValueError, "clock is out of range"),
        ({"seed": "x"}, TypeError, "seed is an int"),
        ({"key": 5}, TypeError, "key is bytes, not int"),
        ({"files": {"a": b"", "b/c": 5}}, TypeError, "content of 'b/c' is bytes, str or a Path of the host, not int"),
    ],
)
def test_settings_that_cannot_be(how, error, words):
    with pytest.raises(error, match=words):
        Sandbox(**how)


def test_arguments_that_are_not_json():
    with Sandbox() as sandbox, pytest.raises(ValueError, match="arguments of a are not JSON"):
        sandbox.can_call("a", {"x": math.nan})


@pytest.mark.parametrize(
    "capabilities, how, error, words",
    [
        ("x", {"expires_in": 5}, TypeError, "a list of MethodCapability"),
        (CAPABILITY, {"expires_in": 5}, TypeError, "a list of MethodCapability"),
        ([CAPABILITY], {"expires_in": "5"}, TypeError, "number of seconds"),
        ([CAPABILITY], {"expires_in": math.nan}, ValueError, "out of range"),
        ([CAPABILITY], {"expires": 1e30}, ValueError, "out of range"),
    ],
)
def test_tokens_that_cannot_be(capabilities, how, error, words):
    with pytest.raises(error, match=words):
        ISSUER.issue(capabilities, **how)


def test_a_token_is_checked_with_a_list_of_keys():
    token = ISSUER.issue([CAPABILITY], expires_in=60)
    for trusted in (ISSUER.public_key, "key", 5):
        with pytest.raises(TypeError, match="trusted is a list of public keys"):
            token.verify(trusted)


@pytest.mark.parametrize(
    "given, error, words",
    [
        ("policy.json", CapabilityError, "takes the text of a policy.* not 'policy.json'"),
        (pathlib.Path("policy.json"), FileNotFoundError, "policy.json"),
        ({"capabilities": []}, TypeError, "takes the text of a policy .*json.dumps"),
    ],
)
def test_a_policy_is_text(given, error, words):
    with pytest.raises(error, match=words):
        load_policy(given)


def test_calls_that_cannot_be():
    with Sandbox() as sandbox:
        for params in ([1], "ab", 5):
            with pytest.raises(TypeError, match="params is a dict from names to values"):
                sandbox.why_not("f", params)
        with pytest.raises(TypeError, match="a method is str, not 5"):
            sandbox.can_call(5)


@pytest.mark.parametrize(
    "how, error, words",
    [
        ({"until": -1}, ValueError, "until is the number of a line, not -1"),
        ({"until": 1 << 70}, ValueError, "until is the number of a line"),
        ({"until": "5"}, TypeError, "until is the number of a line, not '5'"),
        ({"results": [1]}, TypeError, r"results is a dict from call ids to results, not \[1\]"),
        ({"results": {"1": 1}}, TypeError, "results has the ids of calls, which are int, not '1'"),
        ({"results": {-1: 1}}, ValueError, "there is no call -1"),
        ({"results": {1: object()}}, ValueError, "call 1 gave a result that is not JSON: object"),
    ],
)
def test_replays_that_cannot_be(tmp_path, how, error, words):
    with Sandbox(record=tmp_path / "trace") as sandbox:
        sandbox.run("echo")
    with pytest.raises(error, match=words):
        replay(tmp_path / "trace", **how)


def test_a_store_keeps_sandboxes_while_it_is_open(tmp_path):
    with Store(tmp_path / "store") as store:
        with create_sandbox_tool() as tool:
            with pytest.raises(TypeError, match=r"a Sandbox, not <SandboxTool .* \(its .sandbox is"):
                store.save("a", tool)
            store.save("a", tool.sandbox)
        with pytest.raises(TypeError, match="a Sandbox, not 5"):
            store.save("a", 5)
    for use in (store.names, lambda: store.load("a"), lambda: store.add_audit("a", [1])):
        with pytest.raises(ValueError, match=f"{tmp_path / 'store'}: the store is closed"):
            use()
    store.close()
    with pytest.raises(TypeError, match="key is bytes, not str"):
        Store(tmp_path / "store", key="x" * 16)


def test_an_async_handler_needs_arun_where_an_event_loop_runs():
    async def f() -> int:
        return 1

    async def main():
        with Sandbox(tools=[f], capabilities=[CAPABILITY]) as sandbox:
            with pytest.raises(RuntimeError, match="use `await sandbox.arun") as caught:
                sandbox.run("f")
            assert type(caught.value) is RuntimeError
            assert (await sandbox.arun("f")).stdout == "1\n"

    asyncio.run(main())


def test_a_number_is_no_path(tmp_path):
    """open() would read it as a file descriptor, and close it."""
    (tmp_path / "trace").write_bytes(b"x")
    fd = os.open(tmp_path / "trace", os.O_RDONLY)
    with Store(tmp_path / "store") as store:
        for function in (replay, lambda trace: store.add_trace("a", trace)):
            with pytest.raises(TypeError, match="a trace is a path or bytes"):
                function(fd)
    assert os.read(fd, 1) == b"x"
    os.close(fd)


def test_a_store_says_which_file(tmp_path):
    with pytest.raises(ValueError, match="needs a path"):
        Store("")
    missing = tmp_path / "none" / "store"
    with pytest.raises(Exception, match=str(missing)):
        Store(missing)
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(Exception, match=str(tmp_path / "text")):
        Store(tmp_path / "text")


def test_an_exported_directory_has_no_nul_in_its_name(tmp_path):
    host = tmp_path / "host"
    host.mkdir()
    with Sandbox(mounts={"/m": host}) as sandbox:
        for function in (
            lambda: sandbox.mounted("/m").export(f"{tmp_path}/o\0ut"),
            sandbox.mounted("/m\0x").changes,
            sandbox.mounted("/m\0x").tar,
        ):
            with pytest.raises(ValueError, match="NUL"):
                function()
    assert os.listdir(tmp_path) == ["host"]


@pytest.mark.parametrize("name", ["then", "é", "1a", "constructor", "echo"])
def test_what_a_warning_of_a_name_says_is_so(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with Sandbox(tools=[Tool(name, handler=lambda: 5)], capabilities=[MethodCapability("**")]) as sandbox:
            shell = sandbox.run(f"tool {name}").stdout
            member = sandbox.run(f"return await tools[{name!r}]()", "javascript")
    (warning,) = caught
    text = str(warning.message)
    assert warning.category is ToolNameWarning and f"`tool {name}`" in text and shell == "5\n"
    assert (f"tools[{name!r}]" in text) == (member.value == 5)
    assert ("taken" in text) == (name not in ("é", "1a"))


def test_half_a_line_of_an_audit_log_stays_alone(tmp_path):
    """Python ignores SIGXFSZ: at the limit a write is short, as on a full disk."""
    path = tmp_path / "log"
    code = """
import json, resource, sys
from pinfold import AuditLog
log = AuditLog(sys.argv[1])
log.write({"event": "run", "n": 1})
size = open(sys.argv[1]).seek(0, 2)
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, resource.RLIM_INFINITY))
for n in 2, 3:
    try:
        log.write({"event": "run", "n": n})
    except OSError:
        print("refused")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
log.write({"event": "run", "n": 4})
"""
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert done.stdout == "refused\n" * 2, done.stderr
    with open(path, "a") as file:
        file.write('{"half')  # a process that was killed
    AuditLog(path).write({"event": "run", "n": 5})
    lines = path.read_text().splitlines()
    whole = [line for line in lines if line.endswith("}")]
    assert len(whole) == 3 and [line[-2] for line in whole] == ["1", "4", "5"]
    assert all(line.startswith('{"time"') for line in whole)
