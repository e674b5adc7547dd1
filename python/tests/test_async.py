"""The async twins: the guest in a worker thread, handlers on the event loop."""

import asyncio
import concurrent.futures
import gc
import subprocess
import sys
import threading
import time

import pytest

from pinfold import (
    ExecutionError,
    Limits,
    MethodCapability,
    Sandbox,
    SandboxBusy,
    create_sandbox_tool,
)

EVERYTHING = [MethodCapability("**")]


async def slow(n: int) -> int:
    await asyncio.sleep(0.2)
    return n * 2


def test_handlers_run_concurrently_on_the_event_loop():
    threads = []

    async def main():
        all_there = asyncio.Event()

        async def where(n: int) -> int:
            """Waits until the others were called as well."""
            threads.append(threading.current_thread())
            if len(threads) == 4:
                all_there.set()
            await all_there.wait()
            return n * 2

        async with Sandbox(tools=[where], capabilities=EVERYTHING) as sandbox:
            result = await sandbox.arun(
                "return await Promise.all([1, 2, 3, 4].map(n => where({n})))",
                language="javascript",
            )
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


def test_cancelling_twice_still_waits_for_the_guest():
    async def main():
        code = "trap 'for i in {1..30000}; do :; done; exit 3' INT; slow --n 1; while :; do :; done"
        with Sandbox(tools=[slow], capabilities=EVERYTHING) as sandbox:
            for pause in (0, 0.001, 0.003, 0.01):
                task = asyncio.create_task(sandbox.arun(code))
                await asyncio.sleep(0.05)
                task.cancel()
                await asyncio.sleep(pause)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert (await sandbox.arun("trap - INT; echo fine")).stdout == "fine\n"

    asyncio.run(main())


@pytest.mark.parametrize("code", ["trap '' INT; while :; do :; done", "trap : INT; while :; do sleep 1; done"])
def test_cancelling_ends_what_ignores_it(code):
    async def main():
        with Sandbox(limits=Limits(cpu_seconds=None, wall_seconds=None)) as sandbox:
            await sandbox.arun("echo kept > file")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(sandbox.arun(code), 0.2)
            assert (await sandbox.arun("cat file")).stdout == "kept\n"

    asyncio.run(main())


def test_runs_leave_the_loop_s_executor_alone():
    """More guests sleep at once than it has threads, and it does other work meanwhile."""

    async def main():
        loop = asyncio.get_running_loop()
        loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(1))
        sandboxes = [Sandbox() for _ in range(12)]
        asleep = [asyncio.Event() for _ in sandboxes]
        tasks = [
            asyncio.create_task(
                sandbox.arun("echo now; sleep 50", on_output=lambda *_, e=event: e.set())
            )
            for sandbox, event in zip(sandboxes, asleep, strict=True)
        ]
        await asyncio.gather(*[event.wait() for event in asleep])
        assert await loop.run_in_executor(None, sum, [1, 2]) == 3
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert [(await sandbox.arun("echo on")).stdout for sandbox in sandboxes] == ["on\n"] * 12
        for sandbox in sandboxes:
            sandbox.close()

    before = threading.active_count()
    asyncio.run(main())
    asyncio.run(main())
    assert threading.active_count() <= before + 12  # used again


def test_a_sync_handler_that_is_late_does_not_hold_up_the_end():
    code = """
import asyncio, time
from pinfold import Sandbox, Tool, MethodCapability
tool = Tool("late", handler=lambda: time.sleep(3600), timeout=0.1)
sandbox = Sandbox(tools=[tool], capabilities=[MethodCapability("**")])
print(asyncio.run(sandbox.arun("late; echo $?")).stdout, end="")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.stdout == "1\n", done.stderr


class Full(Exception):
    pass


def full(text, stream):
    raise Full(text)


@pytest.mark.parametrize("code", ["echo a; while :; do :; done", "echo a; slow --n 1; sleep 50", "printf 'caf\\303'"])
def test_an_exception_of_on_output_is_raised(code):
    async def main():
        with Sandbox(tools=[slow], capabilities=EVERYTHING) as sandbox:
            with pytest.raises(Full):
                await sandbox.arun(code, on_output=full)
            assert (await sandbox.arun("echo fine")).stdout == "fine\n"

    asyncio.run(main())


async def forever(n: int = 0) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("code", ["while :; do :; done", "sleep 50", "forever", "true"])
@pytest.mark.parametrize("kept", [False, True], ids=["collected", "kept"])
@pytest.mark.filterwarnings("ignore")
def test_an_event_loop_that_is_closed_in_the_middle_sets_the_sandbox_free(code, kept):
    with Sandbox(tools=[forever], capabilities=EVERYTHING) as sandbox:
        for _ in range(2):
            loop, begun = asyncio.new_event_loop(), asyncio.Event()
            run = sandbox.arun(f"x=5; echo; {code}", on_output=lambda *_, e=begun: e.set())
            task = loop.create_task(run)
            loop.run_until_complete(begun.wait())
            loop.close()
            del run
            if not kept:
                del task
                gc.collect()
            assert sandbox.run("echo $x").stdout == "5\n"
        gc.collect()
        assert sandbox.run("echo fine").stdout == "fine\n"


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


def test_an_async_on_output_is_awaited_in_order():
    told = []

    async def tell(text, stream):
        for _ in range(10):
            await asyncio.sleep(0)
        told.append(text)

    async def main():
        with Sandbox(tools=[slow], capabilities=EVERYTHING) as sandbox:
            for code in ("for i in {1..50}; do echo $i; done", "echo a; slow --n 1; printf 'caf\\303'"):
                told.clear()
                result = await sandbox.arun(code, on_output=tell)
                assert "".join(told) == result.stdout

    asyncio.run(main())


@pytest.mark.parametrize("code", ["echo a; while :; do :; done", "echo a; slow --n 1; sleep 50", "echo"])
def test_an_exception_of_an_async_on_output_is_raised(code):
    async def late(text, stream):
        await asyncio.sleep(0.01)
        raise Full(text)

    async def main():
        with Sandbox(tools=[slow], capabilities=EVERYTHING) as sandbox:
            with pytest.raises(Full):
                await sandbox.arun(code, on_output=late)
            assert (await sandbox.arun("echo fine")).stdout == "fine\n"

    asyncio.run(main())


def test_a_run_that_is_cancelled_cancels_an_async_on_output():
    ends = []

    async def main():
        begun = asyncio.Event()

        async def tell(text, stream):
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ends.append(text)

        with Sandbox() as sandbox:
            task = asyncio.create_task(sandbox.arun("echo a; echo b >&2", on_output=tell))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await sandbox.arun("echo fine")).stdout == "fine\n"

    asyncio.run(main())
    assert len(ends) == 1


def test_an_async_on_output_needs_arun(sandbox):
    async def tell(text, stream):
        raise AssertionError

    for on_output in (tell, lambda text, stream: tell(text, stream)):
        with pytest.raises(TypeError, match="on_output is async: use `await sandbox.arun"):
            sandbox.run("echo a", on_output=on_output)
    assert sandbox.run("echo fine").stdout == "fine\n"


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
