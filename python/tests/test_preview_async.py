"""Previews in the middle of a run of ``arun()``: they and the steps of the guest wait for each other."""

import asyncio
import time

import pytest

from pinfold import MethodCapability, Sandbox, Tool
from pinfold.choices import Edit

BUSY = "for ((i = 0; i < 40000; i++)); do :; done"


@pytest.fixture(params=[None, "process"], ids=["here", "worker"])
def isolation(request):
    return request.param


def made(isolation, approve, simulate=lambda n: "simulated"):
    def pay(n: int) -> str:
        return f"paid {n}"

    return Sandbox(
        tools=[Tool.from_function(pay, simulate=simulate)],
        capabilities=[MethodCapability("pay", ask=True)],
        approve=approve,
        isolation=isolation,
    )


TWO = f"(pay --n 1 --raw; {BUSY}; echo one) & (pay --n 2 --raw; {BUSY}; echo two) & wait"


@pytest.mark.parametrize("how", ["preview", "edit", "accept"])
def test_a_step_and_a_preview_do_not_meet(isolation, how):
    """While one is simulated the other's script gets its answer, and computes."""

    async def approve(call):
        if call.params["n"] == 1:
            await asyncio.sleep(0.15)  # the other is being simulated
            return True
        while True:
            answers = [Edit({"n": 2}), True] if how == "edit" else [True, False]
            preview = await call.apreview(answers)
            if how != "preview":
                return preview[0]
            texts.append([branch.stopped for branch in preview])
            preview.close()
            if len(texts) > 6:
                return True

    async def simulate(n):
        await asyncio.sleep(0.05 if how == "preview" else 0.2)
        return f"paid {n}"

    texts: list = []
    with made(isolation, approve, simulate) as sandbox:
        result = asyncio.run(sandbox.arun(TWO))
    assert sorted(result.stdout.split("\n")) == ["", "one", "paid 1", "paid 2", "two"]
    assert result.stderr == "" and all(text == [None, None] for text in texts)


def test_a_preview_that_is_given_up_ends_before_anybody_goes_on(isolation):
    async def approve(call):
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(call.apreview(seconds=60), 0.3)
        assert time.monotonic() - began < 20
        preview = await call.apreview([False])
        preview.close()
        return "no"

    with made(isolation, approve) as sandbox:
        result = asyncio.run(sandbox.arun("pay --n 1 && while :; do :; done; echo over"))
        assert result.stdout == "over\n"
        assert sandbox.run("echo fine").stdout == "fine\n"


def test_a_run_that_is_cancelled_in_the_middle_of_a_preview(isolation):
    async def approve(call):
        begun.set()
        return (await call.apreview(seconds=60))["yes"]

    async def main():
        run = asyncio.ensure_future(sandbox.arun("pay --n 1; while :; do :; done"))
        await begun.wait()
        await asyncio.sleep(0.3)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        return await sandbox.arun("echo fine")

    begun = asyncio.Event()
    with made(isolation, approve) as sandbox:
        assert asyncio.run(main()).stdout == "fine\n"
        assert sandbox.run("echo here").stdout == "here\n"
