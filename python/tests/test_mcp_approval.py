"""Approval by the user of an MCP client: what is shown there, and what comes of the answers."""

import asyncio
import json
import os
import sys

import pytest

pytest.importorskip("mcp.server.mcpserver")

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

from pinfold import MethodCapability, Tool
from pinfold.mcp_server import create_server

SCRIPT = "pay --amount 500 --raw > receipt; echo $?; cat receipt"


def world():
    paid = []

    def pay(amount: int) -> str:
        paid.append(amount)
        return "paid"

    return paid, Tool.from_function(pay, simulate=lambda amount: "paid")


def through(server, answers, code=SCRIPT, mode="auto"):
    """Runs a script; gives its text and the messages that the user was shown."""
    shown = []

    async def elicited(context, params):
        shown.append(params)
        return answers[len(shown) - 1]

    async def go():
        callback = None if answers is None else elicited
        async with Client(server, elicitation_callback=callback, mode=mode) as client:
            result = await client.call_tool("run", {"code": code})
            return "\n".join(part.text for part in result.content)

    return asyncio.run(go()), shown


def accept(**content):
    return ElicitResult(action="accept", content=content)


def test_yes_is_what_was_shown():
    paid, pay = world()
    text, shown = through(create_server([pay], elicit=True), [accept(answer="yes")])
    assert text == "0\npaid" and paid == [500]
    message = shown[0].message
    assert 'pay is to be called with {"amount":500}' in message
    assert "A /workspace/receipt" in message or "M /workspace/receipt" in message
    assert "+paid" in message and "[no]" in message
    assert shown[0].requested_schema["properties"]["answer"]["enum"] == ["yes", "no", "edit"]


@pytest.mark.parametrize(
    "answer, why",
    [
        (accept(answer="no", why="too much"), "too much"),
        (accept(answer="no"), "it was not approved"),
        (accept(answer="maybe"), "it was not approved"),
        (ElicitResult(action="decline"), "it was not approved"),
        (ElicitResult(action="cancel"), "it was not approved"),
    ],
)
def test_anything_else_is_no(answer, why):
    paid, pay = world()
    text, _ = through(create_server([pay], elicit=True), [answer])
    assert text.startswith("126") and f"pay is denied: {why}" in text and not paid


def test_other_arguments_are_looked_at_first():
    paid, pay = world()
    answers = [
        accept(answer="edit", arguments="{"),
        accept(answer="edit", arguments='{"amount": 7}'),
        accept(answer="edited"),
    ]
    text, shown = through(create_server([pay], elicit=True), answers)
    assert text == "0\npaid" and paid == [7]
    assert shown[1].message.startswith("The arguments are not JSON")
    assert '[edited] with {"amount":7}' in shown[2].message
    assert shown[2].requested_schema["properties"]["answer"]["enum"][0] == "edited"


def test_a_client_that_cannot_ask_approves_nothing():
    paid, pay = world()
    text, _ = through(create_server([pay], elicit=True), None)
    assert text.startswith("126") and "nobody is here to give it" in text and not paid


def test_a_client_of_the_older_protocol_is_asked_in_the_middle():
    paid, pay = world()
    text, shown = through(create_server([pay], elicit=True), [accept(answer="yes")], mode="legacy")
    assert text == "0\npaid" and paid == [500] and len(shown) == 1


def test_several_at_once_are_asked_about_one_after_the_other():
    paid, pay = world()
    server = create_server([pay], elicit=True)
    code = "pay --amount 1 --raw > a & pay --amount 2 --raw > b & wait; cat a b"
    text, shown = through(server, [accept(answer="yes")] * 6, code)
    assert sorted(paid) == [1, 2] and text.endswith("paid\npaid")


def test_only_what_asks_is_asked_about():
    paid, pay = world()
    granted = [MethodCapability("pay")]
    with pytest.raises(ValueError, match="elicit asks about no call: give tools"):
        create_server([pay], capabilities=granted, elicit=True)
    looked = Tool("look", handler=lambda: 1)
    server = create_server([pay, looked], ask=["pay"], elicit=True)
    text, shown = through(server, [accept(answer="yes")], "look; pay --amount 1")
    assert text == '1\n"paid"' and len(shown) == 1
    with pytest.raises(TypeError, match="one of them"):
        create_server([pay], elicit=True, approve=lambda call: True)


def test_the_command(tmp_path):
    (tmp_path / "pay").write_text("#!/bin/sh\ntouch paid; echo done\n")
    (tmp_path / "pay").chmod(0o755)
    arguments = ["-m", "pinfold", "mcp", "--approve", "--tool", "pay=./pay", "--simulate", "pay=echo done"]
    server = StdioServerParameters(command=sys.executable, args=arguments, cwd=tmp_path, env={**os.environ})
    code = "pay --n 1 > receipt; cat receipt"
    text, shown = through(server, [accept(answer="no")], code)
    assert "+\"done\"" in shown[0].message and not (tmp_path / "paid").exists()
    text, shown = through(server, [accept(answer="yes")], code)
    assert json.loads(text) == "done" and (tmp_path / "paid").exists()
