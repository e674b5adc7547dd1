"""What the package hands out goes to other processes: copies and pickles are equal to what they are of."""

import concurrent.futures
import copy
import dataclasses
import multiprocessing
import pickle

import pytest

import pinfold
from pinfold import (
    ConstraintSet,
    ExecutionError,
    Limits,
    MethodCapability,
    Param,
    Sandbox,
    Tool,
    ToolError,
)
from pinfold.tokens import Issuer


@dataclasses.dataclass
class Order:
    item: str


def buy(order: Order, amount: int) -> str:
    """Buys."""
    return f"{order.item} {amount}"


def failed():
    with Sandbox() as sandbox:
        sandbox.shell("echo out; echo err >&2; exit 3")


def result():
    with Sandbox() as sandbox:
        return sandbox.run("return [1, 'é']", "javascript")


def execution_error():
    with pytest.raises(ExecutionError) as caught:
        failed()
    return caught.value


ISSUER = Issuer(b"s" * 32)
TOKEN = ISSUER.issue([MethodCapability("a/**")], expires=4e9)
VALUES = [
    result(),
    result().usage,
    execution_error(),
    Limits(),
    Limits(cpu_seconds=2, wall_seconds=None),
    ToolError("late", "timeout"),
    *[
        getattr(pinfold, name)("why")
        for name in ("CapabilityError", "PinfoldError", "ReplayError", "SandboxBusy", "SandboxClosed")
        + ("SandboxDead", "SandboxStateError", "SnapshotError", "ToolNameWarning")
    ],
    Param("a.b"),
    Param("a").optional(),
    Param("a").length() <= 5,
    (Param("a") <= 5) & ~(Param("b") == "x"),
    ConstraintSet({"amount": "<=5"}),
    MethodCapability("a/*", [Param("a") <= 5], max_calls=3, ask=True),
    Tool("plain", "text", {"type": "object"}, timeout=3),
    Tool.from_function(buy),
    ISSUER,
    TOKEN,
    TOKEN.verify([ISSUER.public_key]),
]


def through_pickle(value):
    return pickle.loads(pickle.dumps(value))


def parts(value):
    names = ("result", "code", "__dict__", "stdout", "stderr", "value", "args", "schema", "timeout")
    return [repr(getattr(value, name, None)) for name in names]


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, through_pickle])
@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_survive(way, value):
    again = way(value)
    assert type(again) is type(value) and repr(again) == repr(value) and parts(again) == parts(value)
    if type(value).__eq__ is not object.__eq__ and not isinstance(value, Param):
        assert again == value


def test_a_tool_of_a_function_still_builds_what_is_annotated():
    tool = through_pickle(Tool.from_function(buy))
    with Sandbox(tools=[tool], capabilities=[MethodCapability("buy")]) as sandbox:
        done = sandbox.run("""return await buy({order: {item: "tea"}, amount: 2})""", "javascript")
    assert done.value == "tea 2"


def test_an_error_of_a_process_pool_is_the_error():
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        with pytest.raises(ExecutionError, match="exit status 3: err") as caught:
            pool.submit(failed).result(60)
    assert caught.value.result.stdout == "out\n"
