"""A model of an OpenAI-compatible server, its sandbox in ``pinfold serve``.

Usage: PINFOLD_URL=http://127.0.0.1:8080 PINFOLD_TOKEN=… OPENAI_BASE_URL=… OPENAI_API_KEY=… MODEL=… \
           python examples/serve/agent.py SESSION 'What is in the orders of this week?'

The model has one tool, a shell. What its scripts call (`orders`) is answered here, where the data
is. Kill this program and start it again with the same SESSION: files and variables are still there.
"""

import json
import os
import sys

from openai import OpenAI

from pinfold.service.client import Client, ServiceError

ORDERS = [{"id": 1, "cents": 1250}, {"id": 2, "cents": 800}]
SHELL = {
    "type": "function",
    "function": {
        "name": "shell",
        "description": "Runs a script in a sandbox that keeps files and variables. `tool orders`"
        " prints the orders as JSON; jq and the usual commands are there.",
        "parameters": {
            "type": "object",
            "properties": {"code": {"type": "string"}},
            "required": ["code"],
        },
    },
}


def opened(client, name):
    """The session, which may be there already."""
    tool = {"name": "orders", "parameters": {"type": "object", "properties": {}}}
    try:
        return client.create(name, tools=[tool])
    except ServiceError as error:
        if error.code != "exists":
            raise
        return client.session(name)


def main():
    name, question = sys.argv[1:]
    model = OpenAI()
    messages = [{"role": "user", "content": question}]
    with Client(os.environ["PINFOLD_URL"], os.environ["PINFOLD_TOKEN"]) as client:
        box = opened(client, name)
        while True:
            asked = model.chat.completions.create(
                model=os.environ.get("MODEL", "any"), messages=messages, tools=[SHELL]
            )
            said = asked.choices[0].message
            if not said.tool_calls:
                print(said.content)
                return
            messages.append(said.model_dump(exclude_none=True))
            for call in said.tool_calls:
                code = json.loads(call.function.arguments)["code"]
                result = box.run(code, tools={"orders": lambda: ORDERS})
                shown = result["stdout"] + result["stderr"] + f"[exit {result['exit_code']}]"
                messages.append({"role": "tool", "tool_call_id": call.id, "content": shown})


if __name__ == "__main__":
    main()
