"""One class per sandbox, each with the same few methods, so that compare.py can treat them alike.

A method that a contender has no equivalent for is simply missing. `shell` and `js` run a script and
give its output; `echo` is a Python function that the script can call, by `tool_shell` or `tool_js`.
"""

import subprocess


def echo(n: int) -> int:
    return n + 1


class Contender:
    in_process = True  #: its memory is this process's


class Pinfold(Contender):
    name = "pinfold"
    shell_tool = "tool echo --n $i"
    js_tool = "n = await echo({n})"

    def __init__(self) -> None:
        from pinfold import Limits, MethodCapability, Sandbox

        self.sandbox = Sandbox(
            tools=[echo],
            capabilities=[MethodCapability("echo")],
            limits=Limits(tool_calls=None, cpu_seconds=120, wall_seconds=120),
        )

    def shell(self, code: str) -> str:
        return self.sandbox.run(code).stdout

    def js(self, code: str) -> str:
        return self.sandbox.run(code, "javascript").stdout


class Bashkit(Contender):
    name = "bashkit"
    shell_tool = "echo_tool $i"

    def __init__(self) -> None:
        from bashkit import Bash

        self.bash = Bash(
            max_commands=10_000_000,
            max_loop_iterations=10_000_000,
            custom_builtins={"echo_tool": lambda context: f"{echo(int(context.argv[0]))}\n"},
        )

    def shell(self, code: str) -> str:
        return self.bash.execute_sync(code).stdout


class Amla(Contender):
    name = "amla-sandbox"
    js_tool = "n = await echo({n})"

    def __init__(self) -> None:
        from amla_sandbox import create_sandbox_tool

        self.tool = create_sandbox_tool(tools=[echo], max_calls=10_000_000)

    def shell(self, code: str) -> str:
        return self.tool.run(code, language="shell") + "\n"

    def js(self, code: str) -> str:
        return self.tool.run(code.replace("return ", "console.log(") + ")", language="javascript")


class QuickJs(Contender):
    name = "quickjs-rs"
    js_tool = "n = echo(n)"

    def __init__(self) -> None:
        from quickjs_rs import Runtime

        self.runtime = Runtime()
        self.context = self.runtime.new_context(timeout=120)
        self.context.register("echo", echo)

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
        return str(self.session.feed_run(code, external_lookup={"echo": echo}))


class NativeBash(Contender):
    in_process = False
    name = "bash (a process)"

    def shell(self, code: str) -> str:
        return subprocess.run(["bash", "-c", code], capture_output=True, text=True).stdout


ALL = [Pinfold, Bashkit, Amla, QuickJs, Monty, NativeBash]
