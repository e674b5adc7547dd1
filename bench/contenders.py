"""One class per sandbox, each with the same few methods, so that compare.py can treat them alike.

A method that a contender has no equivalent for is simply missing. `shell` and `js` run a script and
give its output; `add_one` is a Python function that the script calls by `shell_tool` or `js_tool`.
`case` runs one recorded case in a sandbox of its own: its output and status. A contender that lives
in another process measures itself: `seconds(method, code, fresh)`.
"""

import json
import os
import pathlib
import shutil
import subprocess


def add_one(n: int) -> int:
    return n + 1


def as_bytes(files: dict[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}


SETUP = "mkdir -p /workspace /tmp/spec /tmp/helpers; chmod +x /tmp/helpers/*.py; cd /workspace"


class Contender:
    in_process = True  #: its memory is this process's


class Pinfold(Contender):
    name = "pinfold"
    shell_tool = "tool add_one --n $i"
    js_tool = "n = await add_one({n})"

    def __init__(self) -> None:
        from pinfold import Limits, MethodCapability, Sandbox

        self.sandbox = Sandbox(
            tools=[add_one],
            capabilities=[MethodCapability("add_one")],
            limits=Limits(tool_calls=None, cpu_seconds=120, wall_seconds=120),
        )

    def shell(self, code: str) -> str:
        return self.sandbox.run(code).stdout

    def js(self, code: str) -> str:
        return self.sandbox.run(code, "javascript").stdout

    @staticmethod
    def case(code: str, files: dict[str, str], env: dict[str, str]) -> tuple[str, int]:
        from pinfold import Sandbox

        with Sandbox(files=as_bytes(files), env=env) as sandbox:
            sandbox.run(SETUP)
            result = sandbox.run(code)
            return result.stdout, result.exit_code


class Bashkit(Contender):
    name = "bashkit"
    shell_tool = "echo_tool $i"

    def __init__(self) -> None:
        from bashkit import Bash

        self.bash = Bash(
            max_commands=10_000_000,
            max_loop_iterations=10_000_000,
            custom_builtins={"echo_tool": lambda context: f"{add_one(int(context.argv[0]))}\n"},
        )

    def shell(self, code: str) -> str:
        return self.bash.execute_sync(code).stdout

    @staticmethod
    def case(code: str, files: dict[str, str], env: dict[str, str]) -> tuple[str, int]:
        from bashkit import Bash

        bash = Bash(files=files, env=env)
        bash.execute_sync(SETUP)
        result = bash.execute_sync(code)
        return result.stdout, result.exit_code


class Amla(Contender):
    name = "amla-sandbox"
    js_tool = "n = await add_one({n})"

    def __init__(self) -> None:
        from amla_sandbox import create_sandbox_tool

        self.tool = create_sandbox_tool(tools=[add_one], max_calls=10_000_000)

    def shell(self, code: str) -> str:
        return self.tool.run(code, language="shell") + "\n"

    def js(self, code: str) -> str:
        return self.tool.run(code.replace("return ", "console.log(") + ")", language="javascript")


class QuickJs(Contender):
    name = "quickjs-rs"
    js_tool = "n = add_one(n)"

    def __init__(self) -> None:
        from quickjs_rs import Runtime

        self.runtime = Runtime()
        self.context = self.runtime.new_context(timeout=120)
        self.context.register("add_one", add_one)

    def js(self, code: str) -> str:
        return str(self.context.eval("(() => {" + code.replace("await ", "") + "})()"))


class Monty(Contender):
    in_process = False
    name = "pydantic-monty"

    def __init__(self) -> None:
        from pydantic_monty import Monty as Pool

        self.pool = Pool().__enter__()
        self.session = self.pool.checkout().__enter__()

    def python(self, code: str) -> str:
        return str(self.session.feed_run(code, external_lookup={"add_one": add_one}))


class NativeBash(Contender):
    in_process = False
    name = "bash (a process)"

    def shell(self, code: str) -> str:
        return subprocess.run(["bash", "-c", code], capture_output=True, text=True).stdout


class JustBash(Contender):
    """Node's process is started once, and measures by its own clock."""

    in_process = False
    name = "just-bash (node)"
    shell_tool = "echo_tool $i"
    folder = os.environ.get("PINFOLD_PEERS_NODE", "")
    process: subprocess.Popen | None = None

    def __init__(self) -> None:
        if not shutil.which("node") or not self.folder:
            raise ImportError("node, or PINFOLD_PEERS_NODE with its node_modules")
        if JustBash.process is None:
            driver = pathlib.Path(__file__).with_name("just_bash.mjs")
            JustBash.process = subprocess.Popen(
                ["node", driver, self.folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        self.ask("new")

    @classmethod
    def ask(cls, what: str, **request: object) -> dict:
        assert cls.process and cls.process.stdin and cls.process.stdout
        cls.process.stdin.write(json.dumps({"what": what, **request}) + "\n")
        cls.process.stdin.flush()
        answer = json.loads(cls.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def shell(self, code: str) -> str:
        return self.ask("run", code=code)["stdout"]

    def seconds(self, method: str, code: str, fresh: bool) -> float:
        return self.ask("time", code=code, fresh=fresh)["seconds"]

    @classmethod
    def case(cls, code: str, files: dict[str, str], env: dict[str, str]) -> tuple[str, int]:
        cls()
        answer = cls.ask("case", code=code, files=files, env=env)
        return answer["stdout"], answer["status"]


ALL = [Pinfold, Bashkit, Amla, QuickJs, Monty, JustBash, NativeBash]
