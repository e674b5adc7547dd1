"""The package as a type checker sees it: a sample of uses is right, and mistakes are found."""

import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("mypy")

import pinfold

GOOD = '''
from pinfold import (
    AuditLog, Call, ConstraintSet, Limits, MethodCapability, Param, Result, Sandbox, SandboxTool, Tool,
    create_sandbox_tool, load_policy,
)
from pinfold.tokens import Grant, Issuer, Token

def weather(city: str, days: int = 1) -> dict[str, int]:
    return {city: days}

async def later(n: int) -> int:
    return n

def approve(call: Call) -> bool:
    return bool(call.params["amount"] < 100)

tool: SandboxTool = create_sandbox_tool(
    tools=[weather, later, Tool("x", handler=weather, timeout=2.5)],
    constraints={"weather": {"city": ["Oslo"]}, "later": [Param("n") <= 3]},
    max_calls={"weather": 3},
    limits=Limits(cpu_seconds=1, memory_bytes=None),
    ask=["later"],
    approve=approve,
    audit=AuditLog("/tmp/x.jsonl", redact=["card"]),
)
asked: SandboxTool = create_sandbox_tool([weather], capabilities=[MethodCapability("weather")], ask=True)
text: str = tool.run("ls", "shell")
capability = MethodCapability("a/*", (Param("n") > 1) & ~Param("s").exists() | Param("l").length().is_in([1]), 3, ask=True)
inside: bool = capability.is_subset_of([capability])
both: ConstraintSet = ConstraintSet({"a": "<=1"}).merge([Param("b") == 1])
with Sandbox(capabilities=load_policy('{"capabilities": []}'), files={"a": b"x", "b": "y"}) as sandbox:
    result: Result = sandbox.run("echo", on_output=lambda text, stream: print(text, stream))
    code: int = result.exit_code
    sandbox.start("echo")
    call = sandbox.step()
    if call is not None:
        call.resume({"a": [1]})
    data: bytes = sandbox.snapshot()
    content: bytes = sandbox.files["a"]
with Sandbox.restore(data, tools=[weather]) as again:
    pass
token: Token = Issuer().issue([capability], expires_in=60)
grant: Grant = token.narrow([capability]).verify([b"x" * 32])

async def main() -> str:
    async with Sandbox() as sandbox:
        return (await sandbox.arun("echo")).stdout
'''

BAD = [
    'from pinfold import Sandbox; Sandbox(tool=[])',
    'from pinfold import Sandbox; Sandbox().run(5)',
    'from pinfold import Sandbox; x: str = Sandbox().run("x").exit_code',
    'from pinfold import Limits; Limits(cpu_seconds="1")',
    'from pinfold import MethodCapability; MethodCapability(5)',
    'from pinfold import create_sandbox_tool; create_sandbox_tool(tools=5)',
    'from pinfold import create_sandbox_tool; create_sandbox_tool(limit=5)',
    'from pinfold import create_sandbox_tool; create_sandbox_tool().run("x", "shell", timout=5)',
    'from pinfold import Sandbox; Sandbox.restore(b"", seed=1)',
    'from pinfold import Sandbox; Sandbox().execute("x", timout=1)',
    'from pinfold import Store; Store("x").load("a", tool=[])',
    'from pinfold import Store; x: int = Store("x").names()',
    'from pinfold import replay; x: int = replay("x").results',
]


def check(path, *more):
    """What mypy says of these files. It sees a copy of the package and no frameworks, which take long to read."""
    source = pathlib.Path(pinfold.__file__).parent
    copy = path.parent / "typed" / "pinfold"
    folders = [file for name in ("analysis", "page") for file in source.glob(f"{name}/*.py")]
    for file in [*source.glob("*.py"), *source.glob("*.pyi"), *folders, source / "py.typed"]:
        if file.exists():
            to = copy / file.relative_to(source)
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(file.read_bytes())
    environment = {**os.environ, "MYPYPATH": str(copy.parent)}
    environment.pop("PYTHONPATH", None)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-site-packages", "--follow-imports=silent", "--config-file=", str(path), *map(str, more)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=path.parent)
    return done.stdout + done.stderr


def test_a_sample_is_right(tmp_path):
    path = tmp_path / "sample.py"
    path.write_text(GOOD)
    assert check(path).startswith("Success"), check(path)


def test_mistakes_are_found(tmp_path):
    path = tmp_path / "mistakes.py"
    path.write_text("\n".join(BAD) + "\n")
    told = check(path)
    for line in range(1, len(BAD) + 1):
        assert f"mistakes.py:{line}: error:" in told, (BAD[line - 1], told)


def test_the_package_keeps_its_own_types(tmp_path):
    (tmp_path / "nothing.py").write_text("")
    check(tmp_path / "nothing.py")  # makes the copy
    command = [sys.executable, "-m", "mypy", "--strict", "--no-site-packages", "--ignore-missing-imports"]
    command += ["--allow-subclassing-any", "--config-file=", "typed/pinfold"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.startswith("Success"), done.stdout
