"""Previews: what a person is shown before a call is answered, and what accepting it does."""

import asyncio
import json
import os
import signal

import pytest

from pinfold import (
    AuditLog,
    CapabilityError,
    Limits,
    MethodCapability,
    Param,
    Sandbox,
    SandboxBusy,
    SandboxStateError,
    Tool,
    ToolError,
    create_sandbox_tool,
    replay,
)
from pinfold.choices import Edit, Give, No, NotKnown, Yes, recorded

SCRIPT = """
echo before
look --item pen > stock
if pay --amount 500 --raw > receipt; then
    look --item ink >> stock
    rm plan; echo paid
    send --to ada
else
    echo "no: $?"
fi
"""


@pytest.fixture(autouse=True, params=[None, "process"], ids=["here", "worker"])
def isolation(request, monkeypatch):
    """What holds of previews holds of those of a sandbox in a worker."""
    monkeypatch.setattr(World, "isolation", request.param)
    return request.param


class World:
    """Tools that count how often they are called."""

    isolation = None

    def __init__(self, simulate=lambda amount: "paid", answer="paid"):
        self.calls = []
        self.answer = answer

        def pay(amount: int) -> str:
            self.calls.append(("pay", amount))
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        def look(item: str) -> int:
            self.calls.append(("look", item))
            return 3

        def send(to: str) -> None:
            self.calls.append(("send", to))

        self.tools = [
            Tool.from_function(pay, simulate=simulate),
            Tool.from_function(look, pure=True),
            Tool.from_function(send),
        ]
        self.pay = MethodCapability("pay", [Param("amount") <= 1000], max_calls=2, ask=True)
        self.look = MethodCapability("look", max_calls=5)
        self.granted = [self.pay, self.look, MethodCapability("send", ask=True)]

    def sandbox(self, **settings):
        return Sandbox(
            **{
                "tools": self.tools,
                "capabilities": self.granted,
                "files": {"plan": "buy\n"},
                "isolation": self.isolation,
                **settings,
            }
        )

    def of(self, name):
        return [call for call in self.calls if call[0] == name]


def waiting(sandbox, code=SCRIPT, language="shell"):
    """Up to the call that asks."""
    sandbox.start(code, language)
    while not (call := sandbox.step()).ask:
        call.resume(3)
    return call


def test_what_a_person_sees():
    world = World()
    with world.sandbox() as sandbox:
        preview = sandbox.preview(waiting(sandbox), [True, {"amount": 7}, "too much"])
        yes, edited, no = preview
        assert [(c.kind, c.path) for c in yes.changes] == [
            ("D", "/workspace/plan"),
            ("M", "/workspace/receipt"),
            ("M", "/workspace/stock"),
        ]
        assert yes.changes[1].diff == "@@ -0,0 +1 @@\n+paid"
        assert yes.changes[2].diff == "@@ -1 +1,2 @@\n 3\n+3"
        assert yes.stdout == "paid\n" and yes.result is None
        assert [(c.method, c.params, c.state) for c in yes.calls] == [
            ("look", {"item": "ink"}, "answered"),
            ("send", {"to": "ada"}, "asks"),
        ]
        assert edited.stdout == yes.stdout and edited.answer == '"paid"'
        assert no.stdout == "no: 126\n" and no.result.exit_code == 0 and not no.calls
        assert "too much" in no.stderr and not no.changes
        text = str(preview)
        assert "pay is to be called with" in text and "+paid" in text and "send" in text
        assert world.calls == [("look", "ink"), ("look", "ink")]  # pure; each branch asks
        assert sandbox.files.text("plan") == "buy\n"


def test_accepting_runs_nothing_twice():
    world = World()
    with world.sandbox() as sandbox:
        preview = sandbox.preview(waiting(sandbox))
        world.calls.clear()
        assert preview["yes"].accept() == (True, None)
        # For real, once; and what it may have changed is asked for again.
        assert world.calls == [("pay", 500), ("look", "ink")]
        assert "plan" not in sandbox.files and sandbox.files.text("receipt") == "paid\n"
        call = sandbox.step()
        assert call.method == "send"
        call.deny()
        assert sandbox.result.stdout == "before\npaid\n"
        assert sandbox.calls_left(world.pay) == 1 and sandbox.calls_left(world.look) == 3
        assert sandbox.usage.tool_calls == 4


def test_ids_and_dice_are_what_was_shown():
    world = World()
    with world.sandbox() as sandbox:
        call = waiting(sandbox, "pay --amount 1; echo $RANDOM; pay --amount 2")
        preview = sandbox.preview(call)
        shown = preview["yes"].stdout
        preview["yes"].accept()
        assert sandbox.step().id == call.id + 1
        sandbox.fail("no")
        assert shown.split()[-1] in sandbox.result.stdout


def test_another_result_than_was_shown_goes_to_the_script_as_it_is():
    world = World(answer="declined")
    with world.sandbox() as sandbox:
        call = waiting(sandbox, "pay --amount 5 --raw > receipt; echo $?")
        accepted = sandbox.preview(call)["yes"].accept()
        assert not accepted.exact and "declined" in accepted.why and "paid" in accepted.why
        assert sandbox.files.text("receipt") == "declined\n" and world.calls == [("pay", 5)]
    world = World(answer=ToolError("no funds"))
    with world.sandbox() as sandbox:
        call = waiting(sandbox, "pay --amount 5 || echo failed")
        assert not sandbox.preview(call)["yes"].accept().exact
        assert sandbox.result.stdout == "failed\n" and len(world.calls) == 1


def test_what_the_call_has_changed_is_not_what_was_shown():
    balance = [100]

    def pay(amount: int) -> str:
        balance[0] -= amount
        return "paid"

    def get_balance() -> int:
        return balance[0]

    tools = [
        Tool.from_function(pay, simulate=lambda amount: "paid"),
        Tool.from_function(get_balance, pure=True),
    ]
    granted = [MethodCapability("pay", ask=True), MethodCapability("get_balance", max_calls=1)]
    with Sandbox(tools=tools, capabilities=granted) as sandbox:
        call = waiting(sandbox, "pay --amount 30; get_balance > left")
        preview = sandbox.preview(call)
        assert preview["yes"].files["left"] == b"100\n"
        accepted = preview["yes"].accept()
        assert not accepted.exact and "get_balance gives 70 now" in accepted.why
        assert balance == [70] and sandbox.step().method == "get_balance"
        sandbox.resume(balance[0])
        assert sandbox.files["left"] == b"70\n" and sandbox.calls_left(granted[1]) == 0


def test_a_result_that_was_called_for_elsewhere():
    world = World()
    with world.sandbox() as sandbox:
        preview = sandbox.preview(waiting(sandbox))
        assert preview["yes"].accept(result="paid").exact
        assert not world.of("pay")


def test_edited_arguments_are_judged_and_are_what_the_tool_gets():
    world, entries = World(), []
    with world.sandbox(audit=AuditLog(entries.append)) as sandbox:
        call = waiting(sandbox, "pay --amount 500")
        wrong = [{"amount": 5000}, {"amount": "x"}, {}, {"amount": 1, "to": "me"}]
        preview = sandbox.preview(call, [{"amount": 5}, *wrong])
        for branch in preview.branches[1:]:
            assert branch.refused and branch.stdout == ""
            with pytest.raises(CapabilityError):
                branch.accept()
        assert "amount must be <= 1000" in preview[1].refused
        assert preview["edited"].accept().exact
        assert world.calls == [("pay", 5)]
    (edit,) = [e for e in entries if e["event"] == "edit"]
    assert edit["params"] == {"amount": 5}


def test_the_last_of_a_budget_can_be_edited():
    world = World()
    world.granted[0] = MethodCapability("pay", [Param("amount") <= 10], max_calls=1, ask=True)
    with world.sandbox() as sandbox:
        call = waiting(sandbox, "pay --amount 5")
        assert sandbox.calls_left(world.granted[0]) == 0
        assert sandbox.preview(call, [{"amount": 3}])[0].accept().exact


def test_hostile_handlers_are_never_called():
    """Nothing is called that did not say that it may be: not by looking, comparing or denying."""
    called = []

    def hostile(**params):
        called.append(params)
        raise AssertionError

    tools = [Tool(name, handler=hostile) for name in ("a", "b", "c")]
    tools.append(Tool("asked", handler=hostile, pure=True))
    tools.append(Tool("later", handler=hostile, simulate=lambda **_: called.append("simulate")))
    granted = [
        MethodCapability("asked", ask=True),
        MethodCapability("a", ask=True),
        MethodCapability("**"),
    ]
    code = """
    const first = a().catch(() => 0);
    const others = [b(), c(), asked(), later()];
    await first;
    await b({n: 2});
    """
    with Sandbox(tools=tools, capabilities=granted) as sandbox:
        sandbox.start(code, "javascript")
        call = sandbox.step()
        assert call.method == "a"
        preview = sandbox.preview(call, [True, {}, False, Yes(result=1), Give(2), No("never")])
        assert str(preview) and preview.text(200)
        assert preview["yes"].source == "unknown" and "neither pure" in preview["yes"].stopped
        assert [c.params for c in preview["no"].calls] == [{"n": 2}]
        list(preview["no"].files)
        preview.close()
        assert called == []


def test_a_denied_call_in_a_branch_is_shown_and_spends_nothing():
    world = World()
    with world.sandbox() as sandbox:
        call = waiting(sandbox, "pay --amount 1; pay --amount 9999; pay --amount 2; echo $?")
        preview = sandbox.preview(call)
        assert [(c.state, c.params["amount"]) for c in preview["yes"].calls] == [
            ("denied", 9999),
            ("asks", 2),
        ]
        assert sandbox.calls_left(world.pay) == 1
        preview["no"].accept()
        assert sandbox.calls_left(world.pay) == 0  # the one that now waits


def test_budgets_and_limits_hold_in_branches():
    world = World()
    script = "pay --amount 1; for n in 1 2 3 4; do look --item $n || echo over; done"
    with world.sandbox(limits=Limits(tool_calls=4)) as sandbox:
        branch = sandbox.preview(waiting(sandbox, script), [True])["yes"]
        assert branch.stdout.count("over") == 1 and len(world.of("look")) == 3
        assert branch.accept().exact and len(world.of("pay")) == 1
        assert sandbox.calls_left(world.look) == 2
    world = World()
    with world.sandbox(approve=lambda call: call.preview([True])["yes"]) as sandbox:
        result = sandbox.run(script, budget={"look": 2})
        assert result.stdout.count("over") == 2 and len(world.of("look")) == 4  # shown, and made
        assert sandbox.run("look --item x", budget={"look": 1}).ok


def test_an_endless_branch_ends_and_is_not_what_is_accepted():
    world = World()
    with world.sandbox() as sandbox:
        call = waiting(sandbox, "if pay --amount 1; then while :; do :; done; fi; echo no")
        preview = sandbox.preview(call, seconds=0.3)
        assert "still running after 0.3 s" in preview["yes"].stopped
        assert preview["no"].stdout == "no\n" and preview["no"].accept().exact
    with world.sandbox() as sandbox:
        call = waiting(sandbox, "pay --amount 1; while look --item x > /dev/null; do :; done")
        branch = sandbox.preview(call, calls=3)["yes"]
        assert "3 calls" in branch.stopped or branch.result is not None


def test_a_sandbox_that_went_on_is_not_put_back():
    world = World()
    with world.sandbox() as sandbox:
        preview = sandbox.preview(waiting(sandbox))
        sandbox.files["note"] = "mine"
        with pytest.raises(SandboxStateError, match="went on or was changed"):
            preview["yes"].accept()
        assert not world.of("pay") and sandbox.files["note"] == b"mine"
        call = sandbox.pending[0]
        preview = sandbox.preview(call)
        preview.close()
        with pytest.raises(SandboxStateError, match="closed"):
            preview["no"].accept()
        call.deny()
        with pytest.raises(SandboxStateError, match="does not wait"):
            sandbox.preview(call)


def test_a_recording_stays_one(tmp_path):
    world, trace = World(), tmp_path / "run.jsonl"
    with world.sandbox(record=trace, isolation=None) as sandbox:
        call = waiting(sandbox, "date +%N; pay --amount 5; look --item pen; echo $RANDOM")
        preview = sandbox.preview(call, [True, "unmistakable", {"amount": 6}])
        assert preview["edited"].accept().exact
        result = sandbox.result
        assert sandbox.run("echo later").ok
    assert [p.name for p in tmp_path.iterdir()] == ["run.jsonl"]
    assert "unmistakable" not in trace.read_text()
    with replay(trace) as again:
        assert again.results[0].stdout == result.stdout and again.results[1].stdout == "later\n"
        with again.at(again.line) as end:
            assert end.files["/workspace/plan"] == b"buy\n"


def test_a_recorded_result(tmp_path):
    world, trace = World(simulate=None), tmp_path / "run.jsonl"
    with world.sandbox(record=trace, approve=lambda call: True) as sandbox:
        sandbox.run("pay --amount 5; pay --amount 2000; pay --amount 6")
    simulate = recorded(trace, "pay")
    assert simulate(amount=5) == "paid"
    with pytest.raises(NotKnown):
        simulate(amount=7)
    world = World(simulate=simulate)
    with world.sandbox() as sandbox:
        preview = sandbox.preview(waiting(sandbox, "pay --amount 5"), [True, {"amount": 7}])
        assert preview["yes"].stdout == '"paid"\n' and "recording" in preview["edited"].stopped
        assert not preview["edited"].accept().exact and world.calls == [("pay", 7)]


def test_the_audit_log_has_everything_once():
    world, entries = World(), []
    with world.sandbox(audit=AuditLog(entries.append)) as sandbox:
        preview = sandbox.preview(waiting(sandbox, "pay --amount 5; look --item pen"))
        shown = [e for e in entries if e.get("preview")]
        assert {e["event"] for e in shown} == {"answer", "decision"}
        assert {e["sandbox"] for e in entries} == {entries[0]["sandbox"]}
        preview["yes"].accept()
    real = [(e["event"], e.get("method"), e.get("id")) for e in entries if not e.get("preview")]
    assert real == [
        ("run", None, None),
        ("decision", "pay", 1),
        ("answer", "pay", 1),
        ("decision", "look", 2),
        ("answer", "look", 2),
        ("result", None, None),
    ]


# ------------------------------------------------------------------ approve


def test_approve_gives_a_branch():
    world, seen, pieces = World(), [], []

    def approve(call):
        if call.method == "send":
            return False
        preview = call.preview([True, {"amount": 7}])
        seen.append(str(preview))
        return preview["edited"]

    with world.sandbox(approve=approve) as sandbox:
        result = sandbox.run(SCRIPT, on_output=lambda text, stream: pieces.append(text))
        assert result.stdout == "before\npaid\n"
        assert "".join(pieces) == result.stdout + result.stderr
    looked = [("look", "pen"), ("look", "ink"), ("look", "ink")]
    assert world.calls == [*looked, ("pay", 7), ("look", "ink")]
    assert "[edited]" in seen[0]


@pytest.mark.parametrize(
    "said, status",
    [
        (Yes(), 0),
        (No("why"), 126),
        (Edit({"amount": 2}), 0),
        (Give(1), 0),
        (None, 126),
        (7, 126),
        ({}, 126),
    ],
)
def test_approve_gives_a_choice(said, status):
    world = World()
    with world.sandbox(approve=lambda call: said) as sandbox:
        result = sandbox.run("pay --amount 1")
        assert result.exit_code == status
    assert world.calls == {Yes: [("pay", 1)], Edit: [("pay", 2)]}.get(type(said), [])


def test_approve_is_lazy_and_its_mistakes_fail_closed():
    world, kept = World(), []

    def approve(call):
        kept.append(call.preview())
        if len(kept) == 1:
            with pytest.raises(SandboxBusy):
                kept[0]["yes"].accept()
            kept[0].close()
        return kept[0]["yes"]

    with world.sandbox(approve=approve) as sandbox:
        result = sandbox.run("pay --amount 1; pay --amount 2")
        assert result.exit_code != 0 and not world.calls
        assert "closed" in result.stderr and "another call" in result.stderr


def test_output_listeners_that_fail_end_the_run():
    world = World()

    def listen(text, stream):
        if "paid" in text:
            raise KeyError("mine")

    with world.sandbox(approve=lambda call: call.preview()["yes"]) as sandbox:
        with pytest.raises(KeyError, match="mine"):
            sandbox.run("pay --amount 1", on_output=listen)
        assert sandbox.run("echo usable").stdout == "usable\n"


def test_the_same_with_coroutines():
    world = World()
    seen = []

    async def simulate(amount):
        await asyncio.sleep(0)
        return "paid"

    async def pay(amount: int) -> str:
        world.calls.append(("pay", amount))
        return "paid"

    async def look(item: str) -> int:
        await asyncio.sleep(0.01)
        world.calls.append(("look", item))
        return 3

    world.tools[:2] = [
        Tool.from_function(pay, simulate=simulate),
        Tool.from_function(look, pure=True),
    ]

    async def approve(call):
        preview = await call.apreview()
        seen.append([branch.label for branch in preview])
        return preview["yes"]

    async def main():
        with world.sandbox(approve=approve) as sandbox:
            code = """
            const [a, b, c] = await Promise.all([pay({amount: 1}), look({item: 'x'}), pay({amount: 2})]);
            return [a, b, c, await look({item: 'y'})];
            """
            result = await sandbox.arun(code, "javascript")
            assert result.value == ["paid", 3, "paid", 3], result
            await sandbox.astart("pay --amount 3")
            return result

    asyncio.run(main())
    # Each was called once for real; whose preview was outdated by the other was asked again.
    assert world.of("pay") in ([("pay", 1), ("pay", 2)], [("pay", 2), ("pay", 1)])
    assert len(seen) == 3


def test_a_coroutine_accepts():
    world = World()

    async def main():
        with world.sandbox() as sandbox:
            await sandbox.astart("pay --amount 3; echo done")
            call = sandbox.step()
            preview = await sandbox.apreview(call)
            assert (await preview["yes"].aaccept()).exact
            assert sandbox.result.stdout == '"paid"\ndone\n'

    asyncio.run(main())
    assert world.calls == [("pay", 3)]


def test_sandbox_tool():
    world = World()
    tool = create_sandbox_tool(
        tools=world.tools, ask=["pay"], approve=lambda call: call.preview([{"amount": 7}])[0]
    )
    assert tool.run("pay --amount 9999", "shell") == '"paid"'
    assert world.calls == [("pay", 7)]


# ------------------------------------------------------------------ refusals


def test_a_parked_program_is_named():
    world = World()
    with world.sandbox() as sandbox:
        call = waiting(sandbox, "require('child_process').execSync('pay --amount 1')", "javascript")
        with pytest.raises(SandboxStateError, match="js.* is parked"):
            sandbox.preview(call)
        call.resume("paid")
        assert sandbox.result.ok


def test_a_recording_in_a_worker_has_none(tmp_path):
    """Its worker writes it, and a branch would be another one."""
    world = World()
    with world.sandbox(isolation="process", record=tmp_path / "run.jsonl") as sandbox:
        call = waiting(sandbox, "pay --amount 1")
        with pytest.raises(ValueError, match='recorded has no previews with isolation="process"'):
            sandbox.preview(call)
        call.resume("paid")
        assert sandbox.result.ok and not world.calls


def test_a_worker_that_dies_in_a_branch_leaves_the_sandbox():
    """The tool was called, and the script gets its answer."""
    world = World()
    with world.sandbox(isolation="process") as sandbox:
        preview = sandbox.preview(waiting(sandbox), [True, False])
        os.kill(preview["yes"]._machine._link.pid, signal.SIGKILL)
        exact, why = preview["yes"].accept()
        assert not exact and "the worker process" in why
        assert world.of("pay") == [("pay", 500)]
        assert sandbox.pending[0].method == "look" and sandbox.files["receipt"] == b"paid\n"
        assert sandbox.finish().stdout == "before\npaid\n"


@pytest.mark.parametrize(
    "how, error",
    [
        ({"answers": []}, ValueError),
        ({"answers": "yes"}, TypeError),
        ({"answers": [7]}, TypeError),
        ({"seconds": 0}, ValueError),
        ({"seconds": "5"}, TypeError),
        ({"calls": -1}, ValueError),
        ({"calls": True}, TypeError),
    ],
)
def test_mistakes(how, error):
    world = World()
    with world.sandbox() as sandbox:
        call = waiting(sandbox)
        with pytest.raises(error):
            sandbox.preview(call, **how)
        with world.sandbox() as other, pytest.raises(ValueError, match="in this sandbox"):
            other.preview(call)
        assert sandbox.preview(call)["yes"].accept().exact


@pytest.mark.parametrize("how", [{"pure": 1}, {"simulate": "paid"}])
def test_tools_say_it_clearly(how):
    with pytest.raises(TypeError):
        Tool("pay", **how)


# ------------------------------------------------------------------ files


def test_what_a_script_hides_is_shown(tmp_path):
    """Same size, same time, other contents; links; modes; what would act on a terminal; mounts."""
    world = World()
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text("old\n")
    (tmp_path / "site/same.html").write_text("same\n")
    prepare = """
    echo aaaa > data; touch -d 2020-01-01 data; ln -s aaaa link; touch -h -d 2020-01-01 link
    mkdir dir; echo x > mode; echo y > kind
    """
    change = r"""
    pay --amount 1 > /dev/null
    echo bbbb > data; touch -d 2020-01-01 data
    rm link; ln -s bbbb link; touch -h -d 2020-01-01 link
    chmod +x mode; rm kind; mkdir kind; rmdir dir; mkdir -p new/deep
    printf 'a\0b' > binary; printf '\e[31mred' > 'na\nme'
    sed -i s/old/new/ /site/index.html; cat /site/same.html
    """
    with world.sandbox(mounts={"/site": (tmp_path / "site", "copy")}, isolation=None) as sandbox:
        sandbox.run(prepare)
        branch = sandbox.preview(waiting(sandbox, change))["yes"]
        changes = {change.path.removeprefix("/workspace/"): change for change in branch.changes}
        assert changes["data"].diff == "@@ -1 +1 @@\n-aaaa\n+bbbb"
        assert changes["link"].diff == "→ aaaa, now → bbbb"
        assert changes["mode"].diff == "mode 0644 → 0755"
        assert changes["kind"].diff == "was a file, is a directory"
        assert changes["dir"].kind == "D" and changes["new/deep"].diff == "a directory"
        assert changes["binary"].diff == "binary, 0 → 3 bytes"
        assert changes["/site/index.html"].diff == "@@ -1 +1 @@\n-old\n+new"
        assert len(changes) == 9 + 1  # new, and the odd name
        assert "\x1b" not in str(branch._preview) and "\\u001b[31mred" in str(branch._preview)
        assert branch.files["data"] == b"bbbb\n" and sandbox.files["data"] == b"aaaa\n"


def test_a_large_difference_has_an_end():
    world = World()
    with world.sandbox() as sandbox:
        sandbox.run("seq 100000 > n; seq 5000 | tac > odd")
        script = (
            "pay --amount 1; seq 2 2 200000 > n; seq 5000 | shuf > odd; head -c 3M /dev/zero > big"
        )
        preview = sandbox.preview(waiting(sandbox, script))
        diffs = {change.path[11:]: change.diff for change in preview["yes"].changes}
        assert diffs["big"] == "0 → 3145728 bytes"
        assert diffs["n"].startswith("@@ line 1: 100000 lines out, 100000 lines in @@")
        assert len(str(preview)) < 30_000


def test_text_side_by_side():
    world = World()
    with world.sandbox() as sandbox:
        preview = sandbox.preview(waiting(sandbox, "pay --amount 1; echo " + "日本" * 40))
        lines = preview.text(100).splitlines()
        assert lines[2].startswith("[yes]") and "│ [no]" in lines[2]
        from pinfold.preview_text import columns_of

        assert all(columns_of(line) <= 100 for line in lines[1:])
        assert preview.text(60) == str(preview)


def test_python_and_javascript_wait_for_it():
    for language, code in [
        ("python", "from tools import pay\nopen('x', 'w').write(pay(amount=1))\nprint('ok')"),
        (
            "javascript",
            "require('fs').writeFileSync('x', await pay({amount: 1})); console.log('ok')",
        ),
    ]:
        world = World()
        with world.sandbox() as sandbox:
            branch = sandbox.preview(waiting(sandbox, code, language))["yes"]
            assert [c.path for c in branch.changes] == ["/workspace/x"] and branch.stdout == "ok\n"
            assert branch.accept().exact and sandbox.files["x"] == b"paid"
            assert world.calls == [("pay", 1)]


def test_a_snapshot_of_what_was_accepted_goes_on():
    world = World()
    with world.sandbox(key=b"k" * 16) as sandbox:
        preview = sandbox.preview(waiting(sandbox))
        preview["yes"].accept()
        data = sandbox.snapshot()
    again = {"tools": world.tools, "capabilities": world.granted, "key": b"k" * 16}
    with Sandbox.restore(data, **again, approve=lambda call: True) as second:
        assert second.finish().stdout == "before\npaid\nnull\n"
        assert json.dumps(world.of("send")) == '[["send", "ada"]]'
