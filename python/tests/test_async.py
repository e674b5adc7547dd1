"""The async twins: the guest in a worker thread, handlers on the event loop."""

import asyncio
import threading
import time

import pytest

from pinfold import ExecutionError, MethodCapability, Sandbox, SandboxBusy, create_sandbox_tool

EVERYTHING = [MethodCapability("**")]


async def slow(n: int) -> int:
    await asyncio.sleep(0.2)
    return n * 2


def test_handlers_run_concurrently_on_the_event_loop():
    threads = []

    async def where(n: int) -> int:
        threads.append(threading.current_thread())
        return await slow(n)

    async def main():
        async with Sandbox(tools=[where], capabilities=EVERYTHING) as sandbox:
            started = time.monotonic()
            result = await sandbox.arun(
                "return await Promise.all([1, 2, 3, 4].map(n => where({n})))",
                language="javascript",
            )
            assert time.monotonic() - started < 0.6
            return result.value

    assert asyncio.run(main()) == [2, 4, 6, 8]
    assert set(threads) == {threading.main_thread()}


def test_the_loop_stays_free_while_the_guest_runs():
    async def main():
        ticks = 0
        with Sandbox() as sandbox:
            task = asyncio.create_task(sandbox.arun("sleep 0.3; echo done"))
            while not task.done():
                ticks += 1
                await asyncio.sleep(0.01)
            assert ticks > 10
            return (await task).stdout

    assert asyncio.run(main()) == "done\n"


def test_sleeping_processes_go_on_while_a_handler_waits():
    async def main():
        with Sandbox(tools=[slow], capabilities=EVERYTHING) as sandbox:
            code = "(sleep 0.05; echo background) & slow --n 1; wait"
            return (await sandbox.arun(code)).stdout

    assert asyncio.run(main()) == "background\n2\n"


def test_sync_handlers_work_too():
    async def main():
        with Sandbox(tool_handler=lambda method, params: method, capabilities=EVERYTHING) as sandbox:
            return (await sandbox.arun("tool f")).stdout

    assert asyncio.run(main()) == '"f"\n'


def test_cancelling_interrupts_the_guest():
    async def main():
        with Sandbox(tools=[slow], capabilities=EVERYTHING) as sandbox:
            for code in ("while :; do :; done", "slow --n 1; while :; do slow --n 1; done"):
                task = asyncio.create_task(sandbox.arun(code))
                await asyncio.sleep(0.3)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert (await sandbox.arun("echo fine")).stdout == "fine\n"

    asyncio.run(main())


def test_output_arrives_on_the_event_loop():
    pieces = []

    async def main():
        with Sandbox() as sandbox:
            await sandbox.arun(
                "echo a; echo b >&2",
                on_output=lambda text, stream: pieces.append(
                    (stream, text, threading.current_thread() is threading.main_thread())
                ),
            )

    asyncio.run(main())
    assert sorted(pieces) == [("stderr", "b\n", True), ("stdout", "a\n", True)]


def test_a_handler_that_fails():
    async def f():
        raise LookupError("gone")

    async def main():
        with Sandbox(tools=[f], capabilities=EVERYTHING) as sandbox:
            return (await sandbox.arun("tool f")).stderr

    assert "LookupError: gone" in asyncio.run(main())


def test_two_runs_at_once_are_refused():
    async def main():
        with Sandbox() as sandbox:
            first = asyncio.create_task(sandbox.arun("sleep 0.3; echo first"))
            await asyncio.sleep(0.05)
            with pytest.raises(SandboxBusy):
                await sandbox.arun("echo second")
            return (await first).stdout

    assert asyncio.run(main()) == "first\n"


def test_stepping():
    async def main():
        with Sandbox(tool_handler=lambda *call: None, capabilities=EVERYTHING) as sandbox:
            await sandbox.astart("tool f --json '{\"n\": 1}'; tool g")
            call = sandbox.step()
            await call.aresume(call.params)
            sandbox.step()
            await sandbox.afail("no")
            assert sandbox.result.stdout == '{"n":1}\n'
            await sandbox.astart("tool f")
            return (await sandbox.afinish()).stdout

    assert asyncio.run(main()) == "null\n"


def test_execute_shell_and_the_model_s_tool():
    async def main():
        with Sandbox() as sandbox:
            assert await sandbox.aexecute("console.log(1)") == "1\n"
            assert await sandbox.ashell("echo 2") == "2\n"
            with pytest.raises(ExecutionError):
                await sandbox.ashell("false")
        tool = create_sandbox_tool(tools=[slow])
        return await tool.arun("slow --n 4", language="shell")

    assert asyncio.run(main()) == "8"


def test_a_synchronous_run_on_a_running_loop_says_what_to_do():
    async def main():
        with Sandbox(tools=[slow], capabilities=EVERYTHING) as sandbox:
            with pytest.raises(RuntimeError, match="arun"):
                sandbox.run("slow --n 1")
            assert sandbox.run("echo fine").stdout == "fine\n"

    asyncio.run(main())
