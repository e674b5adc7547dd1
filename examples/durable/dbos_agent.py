"""A durable workflow with DBOS: a tool call is a step, the waiting sandbox the workflow's state.

Usage: python examples/durable/dbos_agent.py postgresql://…/app NAME

Kill it whenever you like and start it again with the same NAME: DBOS goes on behind the last step
that came to its end. The sandbox between two steps is bytes in DBOS's own tables.
"""

import os
import sys

from dbos import DBOS, DBOSConfig, SetWorkflowID

from pinfold import MethodCapability, Sandbox, Tool

TOOLS = [Tool("charge", schema={"type": "object", "properties": {"cents": {"type": "integer"}}})]
SETTINGS = {"tools": TOOLS, "capabilities": [MethodCapability("charge", max_calls=10)]}
SCRIPT = "for cents in 100 250 400; do tool charge --cents $cents >> receipts; done; cat receipts"


def waits(sandbox):
    """What a step gives: the sandbox as bytes, and what it waits for or has printed."""
    sandbox.step()
    call = next(iter(sandbox.pending), None)
    if call is None:
        return None, None, sandbox.result.stdout
    return sandbox.snapshot(), call.params, None


@DBOS.step()
def begin(script):
    with Sandbox(**SETTINGS) as sandbox:
        sandbox.start(script)
        return waits(sandbox)


@DBOS.step()
def charge(params, key):
    """The tool. What it does outside takes the key, so that it is done once."""
    with open(os.environ.get("CHARGES", "charges.log"), "a") as file:
        file.write(f"{key} {params['cents']}\n")
    return f"charged {params['cents']}"


@DBOS.step()
def go_on(data, answer):
    with Sandbox.restore(data, **SETTINGS) as sandbox:
        [call] = sandbox.pending
        call.resume(answer)
        return waits(sandbox)


@DBOS.workflow()
def agent(script):
    data, params, printed = begin(script)
    turn = 0
    while data is not None:
        turn += 1
        answer = charge(params, f"{DBOS.workflow_id}/{turn}")
        data, params, printed = go_on(data, answer)
    return printed


def main():
    url, name = sys.argv[1:]
    config: DBOSConfig = {"name": "pinfold-agent", "system_database_url": url, "log_level": "ERROR"}
    DBOS(config=config)
    DBOS.launch()  # which goes on with whatever was not over
    with SetWorkflowID(name):
        print(DBOS.start_workflow(agent, SCRIPT).get_result(), end="")
    DBOS.destroy()


if __name__ == "__main__":
    main()
