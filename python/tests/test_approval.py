"""Approval on every face: who asks is asked, and an approver that nothing reaches is an error."""

import asyncio

import pytest

from pinfold import (
    CapabilityError,
    MethodCapability,
    Param,
    Sandbox,
    SandboxTool,
    Store,
    Tool,
    create_sandbox_tool,
)
from pinfold.choices import Edit


class Till:
    """A tool that pays, and an approver; both remember what they were asked."""

    def __init__(self, answer=False):
        self.paid, self.asked, self.answer = [], [], answer

    def pay(self, amount: int) -> str:
        self.paid.append(amount)
        return f"paid {amount}"

    def glance(self) -> str:
        return "glanced"

    def approve(self, call):
        self.asked.append(call.params.get("amount"))
        return self.answer

    @property
    def tools(self):
        return [Tool.from_function(self.pay), Tool.from_function(self.glance)]


@pytest.fixture
def till():
    return Till()


NEVER_ASKED = {
    "no capability asks": {"capabilities": [MethodCapability("pay")]},
    "nothing is granted": {"capabilities": []},
    "no tool has the name": {"capabilities": [MethodCapability("pya", ask=True)]},
    "no tool matches the pattern": {"capabilities": [MethodCapability("bank/**", ask=True)]},
    "its budget is nothing": {"capabilities": [MethodCapability("pay", ask=True, max_calls=0)]},
    "another one comes first": {
        "capabilities": [MethodCapability("pay"), MethodCapability("pay", ask=True)]
    },
    "a wider one comes first": {
        "capabilities": [
            MethodCapability("*", [Param("amount") <= 9]),
            MethodCapability("pay", [Param("amount") <= 5], ask=True),
        ]
    },
    "each of its tools is granted before": {
        "capabilities": [
            MethodCapability("pay"),
            MethodCapability("glance"),
            MethodCapability("**", ask=True),
        ]
    },
    "one of two is covered": {
        "capabilities": [
            MethodCapability("pay"),
            MethodCapability("pay", ask=True),
            MethodCapability("glance", ask=True),
        ]
    },
}


@pytest.mark.parametrize("how", NEVER_ASKED.values(), ids=NEVER_ASKED)
def test_an_approver_that_nothing_reaches_is_an_error(till, how, tmp_path):
    how = {"tools": till.tools, "approve": till.approve, **how}
    with Sandbox(tools=till.tools) as plain, Store(tmp_path / "db") as store:
        data = plain.snapshot()
        store.save("plain", plain)
        for make in (
            lambda: Sandbox(**how),
            lambda: Sandbox(isolation="process", **how),
            lambda: Sandbox.restore(data, **how),
            lambda: store.load("plain", **how),
            lambda: SandboxTool.from_functions(**how),
            lambda: create_sandbox_tool(**how),
        ):
            with pytest.raises(CapabilityError, match=r"approve .*(reach|never)"):
                make()


def test_tools_that_are_granted_by_themselves_do_not_ask(till):
    for make in (create_sandbox_tool, SandboxTool.from_functions):
        with pytest.raises(CapabilityError, match=r"ask=True or ask=\[names\]"):
            make(till.tools, approve=till.approve)
    with pytest.raises(CapabilityError, match="approve is given"):
        create_sandbox_tool(approve=till.approve, ask=True)
    assert till.paid == []


REACHED = {
    "a wider one with other constraints": [
        MethodCapability("*", [Param("amount") <= 5]),
        MethodCapability("pay", ask=True),
    ],
    "one with a budget comes first": [
        MethodCapability("pay", max_calls=1),
        MethodCapability("pay", ask=True),
    ],
    "some of its tools are granted before": [
        MethodCapability("glance"),
        MethodCapability("**", ask=True),
    ],
}


@pytest.mark.parametrize("capabilities", REACHED.values(), ids=REACHED)
def test_an_approver_that_something_reaches_is_none(till, capabilities):
    with Sandbox(tools=till.tools, capabilities=capabilities, approve=till.approve) as sandbox:
        sandbox.run("for i in 1 2; do pay --amount 1000000; done; true")
    assert till.asked and len(till.paid) + len(till.asked) == 2


def test_any_method_may_reach_it_where_any_is_handled(till):
    asks = [MethodCapability("bank/**", ask=True)]
    with Sandbox(
        capabilities=asks, tool_handler=lambda m, p: till.paid.append(p), approve=till.approve
    ) as sandbox:
        assert "not approved" in sandbox.run("tool bank.pay --amount 5").stderr
    with pytest.raises(CapabilityError, match="before it"):
        Sandbox(
            capabilities=[MethodCapability("**"), *asks],
            tool_handler=lambda m, p: 1,
            approve=till.approve,
        )
    assert till.asked == [5] and till.paid == []


# ------------------------------------------------------------------ ask

PAY = "pay --amount 1000000"
JS = "return await pay({amount: 1000000})"


def everywhere(tool):
    """The face of a model in each of its forms."""
    yield tool.run(PAY, "shell")
    yield tool.run(JS, "javascript")
    yield tool.handle({"code": PAY, "language": "shell"})
    yield asyncio.run(tool.arun(PAY, "shell"))
    yield asyncio.run(tool.ahandle({"code": JS, "language": "javascript"}))
    yield tool.as_codeact_eval()(JS, {})[0]
    with tool.sandbox.fork() as branch:
        yield SandboxTool(branch).run(PAY, "shell")


@pytest.mark.parametrize("isolation", [None, "process"])
@pytest.mark.parametrize("ask", [True, ["pay"], ["*"], ("pay", "glance"), {"pay"}], ids=str)
def test_ask(till, ask, isolation):
    tool = create_sandbox_tool(till.tools, ask=ask, approve=till.approve, isolation=isolation)
    with tool:
        for said in everywhere(tool):
            assert "pay is denied: it was not approved" in said
        assert till.paid == [] and till.asked == [1000000] * 7
        till.answer = True
        assert tool.run(PAY, "shell") == '"paid 1000000"'


def test_what_ask_does_not_name_is_not_asked_about(till):
    tool = create_sandbox_tool(till.tools, ask=["pay"], approve=till.approve)
    assert tool.run("glance", "shell") == '"glanced"' and till.asked == []


def test_without_an_approver_what_asks_is_denied(till):
    tool = create_sandbox_tool(till.tools, ask=True)
    assert "it needs approval, and nobody is here to give it" in tool.run(PAY, "shell")
    tool.sandbox.start(PAY)
    call = tool.sandbox.step()
    assert call.ask
    call.deny()
    assert till.paid == []


def test_constraints_and_budgets_come_before_the_question(till):
    till.answer = True
    tool = create_sandbox_tool(
        till.tools,
        constraints={"pay": {"amount": "<=10"}},
        max_calls={"pay": 1},
        ask=["pay"],
        approve=till.approve,
    )
    assert "amount must be <= 10" in tool.run(PAY, "shell") and till.asked == []
    assert "paid 5" in tool.run("pay --amount 5", "shell")
    assert "limit" in tool.run("pay --amount 6", "shell") and till.asked == [5]


@pytest.mark.parametrize(
    "ask, error, words",
    [
        (["pya"], CapabilityError, "'pya' is about nothing that is granted"),
        (["bank/**"], CapabilityError, "nothing that is granted"),
        ("pay", TypeError, "a list of names"),
        ([1], TypeError, "a list of names"),
        (1, TypeError, "a list of names"),
        (None, TypeError, "a list of names"),
        (["pay//x"], CapabilityError, "empty segment"),
        (["pa*"], CapabilityError, "segment"),
    ],
)
def test_what_is_no_ask(till, ask, error, words):
    with pytest.raises(error, match=words):
        create_sandbox_tool(till.tools, ask=ask)


# ------------------------------------------------------------------ capabilities


def test_capabilities_take_the_place_of_what_is_granted_by_itself(till):
    tool = create_sandbox_tool(till.tools, capabilities=[MethodCapability("glance")])
    assert tool.run("glance", "shell") == '"glanced"'
    assert "no capability grants it" in tool.run(PAY, "shell")
    assert create_sandbox_tool(till.tools, capabilities=[]).sandbox.capabilities == []


def test_capabilities_that_ask(till):
    granted = [MethodCapability("pay", [Param("amount") > 100], ask=True), MethodCapability("pay")]
    tool = create_sandbox_tool(till.tools, capabilities=granted, approve=till.approve)
    assert "paid 5" in tool.run("pay --amount 5", "shell")
    assert "not approved" in tool.run(PAY, "shell")
    assert till.paid == [5] and till.asked == [1000000]


@pytest.mark.parametrize("ask", [True, ["pay", "glance"], ["**"]], ids=str)
def test_ask_is_about_capabilities_that_are_given_too(till, ask):
    granted = [MethodCapability("pay", max_calls=3), MethodCapability("glance")]
    tool = create_sandbox_tool(till.tools, capabilities=granted, ask=ask, approve=till.approve)
    assert "not approved" in tool.run(PAY, "shell") and "not approved" in tool.run(
        "glance", "shell"
    )
    assert granted[0].ask is False and tool.sandbox.capabilities[0].max_calls == 3


def test_a_capability_that_asks_about_some_of_its_calls_only(till):
    with pytest.raises(CapabilityError, match="by two capabilities"):
        create_sandbox_tool(till.tools, capabilities=[MethodCapability("*")], ask=["pay"])
    with pytest.raises(CapabilityError, match="by two capabilities"):
        create_sandbox_tool(till.tools, capabilities=[MethodCapability("**/pay")], ask=["bank/**"])


@pytest.mark.parametrize(
    "both", [{"constraints": {"pay": {"amount": "<=1"}}}, {"max_calls": 3}, {"constraints": {}}]
)
def test_capabilities_or_the_short_form(till, both):
    with pytest.raises(TypeError, match="one or the other"):
        create_sandbox_tool(till.tools, capabilities=[MethodCapability("pay")], **both)


# ------------------------------------------------------------------ what is approved is what is made


def wire(order: dict, amount: int) -> str:
    PAID.append((order["to"], amount))
    return "wired"


def other(order: dict, amount: int) -> str:
    PAID.append("another tool")
    return "other"


PAID: list = []


def in_place(call):
    call.params["amount"] = 10**6
    call.params["order"]["to"] = "mallory"
    return True


def by_its_fields(call):
    call.params_json = '{"order":{"to":"mallory"},"amount":1000000}'
    call.method, call.name, call.id, call._params = "other", "other", 77, {"amount": 7}
    return True


def by_a_preview(call):
    in_place(call)
    preview = call.preview()
    preview.call.params["amount"] = 7
    preview.call.params_json = call.params_json = "{}"
    return preview["yes"]


def by_an_edit(call):
    edit = Edit({"order": {"to": "ada"}, "amount": 5})
    branch = call.preview([edit])[0]
    edit.params["amount"] = 10**6
    edit.params["order"]["to"] = "mallory"
    return branch


def by_simulating(order, amount):
    order["to"] = "mallory"
    return "wired"


async def a_preview(call):
    in_place(call)
    preview = await call.apreview()
    preview.call.params_json = call.params_json = "{}"
    return preview["yes"]


HOW = [in_place, by_its_fields, by_a_preview, by_an_edit]


@pytest.mark.parametrize("isolation", [None, "process"])
@pytest.mark.parametrize("approve", [*HOW, a_preview], ids=lambda how: how.__name__)
def test_a_handler_gets_what_was_checked_whatever_the_approver_does(approve, isolation):
    PAID.clear()
    tools = [Tool.from_function(wire, simulate=by_simulating), other]
    granted = [
        MethodCapability("wire", [Param("amount") <= 5], ask=True),
        MethodCapability("other"),
    ]
    with Sandbox(
        tools=tools, capabilities=granted, approve=approve, isolation=isolation
    ) as sandbox:
        script = """wire --json '{"order": {"to": "ada"}, "amount": 5}'"""
        if approve is not a_preview:
            assert sandbox.run(script).stdout == '"wired"\n'
        assert asyncio.run(sandbox.arun(script)).stdout == '"wired"\n'
    assert {*PAID} == {("ada", 5)}
