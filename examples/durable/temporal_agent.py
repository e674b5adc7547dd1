"""A durable workflow with Temporal: a tool call is an activity, the waiting sandbox the workflow's
state.

Usage: python examples/durable/temporal_agent.py HOST:PORT NAME

Needs a server (`temporal server start-dev`) and ``pip install temporalio``. Kill it whenever you
like and start it again with the same NAME: Temporal goes on behind the last activity that came to
its end. The sandbox between two activities is bytes in the workflow's history.
"""

import asyncio
import base64
import os
import sys
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.worker import Worker

with workflow.unsafe.imports_passed_through():
    from pinfold import MethodCapability, Sandbox, Tool

QUEUE = "pinfold"
TOOLS = [Tool("charge", schema={"type": "object", "properties": {"cents": {"type": "integer"}}})]
ALLOWED = [MethodCapability("charge", max_calls=10)]
SCRIPT = "for cents in 100 250 400; do tool charge --cents $cents >> receipts; done; cat receipts"


@dataclass
class Waiting:
    """The sandbox as bytes and what it waits for, or what it has printed."""

    sandbox: str | None
    params: dict[str, Any]
    printed: str


def waits(sandbox: Sandbox) -> Waiting:
    sandbox.step()
    call = next(iter(sandbox.pending), None)
    if call is None:
        assert sandbox.result is not None
        return Waiting(None, {}, sandbox.result.stdout)
    return Waiting(base64.b64encode(sandbox.snapshot()).decode(), call.params, "")


@activity.defn
def begin(script: str) -> Waiting:
    with Sandbox(tools=TOOLS, capabilities=ALLOWED) as sandbox:
        sandbox.start(script)
        return waits(sandbox)


@activity.defn
def charge(params: dict[str, Any], key: str) -> str:
    """The tool. What it does outside takes the key, so that it is done once."""
    with open(os.environ.get("CHARGES", "charges.log"), "a") as file:
        file.write(f"{key} {params['cents']}\n")
    return f"charged {params['cents']}"


@activity.defn
def go_on(data: str, answer: str) -> Waiting:
    restored = Sandbox.restore(base64.b64decode(data), tools=TOOLS, capabilities=ALLOWED)
    with restored as sandbox:
        [call] = sandbox.pending
        call.resume(answer)
        return waits(sandbox)


@workflow.defn
class Agent:
    @workflow.run
    async def run(self, script: str) -> str:
        how: dict[str, Any] = {"start_to_close_timeout": timedelta(seconds=10)}
        state = await workflow.execute_activity(begin, script, **how)
        turn = 0
        while state.sandbox is not None:
            turn += 1
            key = f"{workflow.info().workflow_id}/{turn}"
            answer = await workflow.execute_activity(charge, args=[state.params, key], **how)
            state = await workflow.execute_activity(go_on, args=[state.sandbox, answer], **how)
        return state.printed


async def main() -> None:
    from concurrent.futures import ThreadPoolExecutor

    address, name = sys.argv[1:]
    client = await Client.connect(address)
    worker = Worker(
        client,
        task_queue=QUEUE,
        workflows=[Agent],
        activities=[begin, charge, go_on],
        activity_executor=ThreadPoolExecutor(4),
    )
    async with worker:
        handle = await client.start_workflow(
            Agent.run,
            SCRIPT,
            id=name,
            task_queue=QUEUE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
        )
        print(await handle.result(), end="")


if __name__ == "__main__":
    asyncio.run(main())
