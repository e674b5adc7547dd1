"""What branches may spend: each all that is left, or all of them together."""

import threading

import pytest

from pinfold import AuditLog, MethodCapability, Param, Sandbox, Tool


def spender(most, **how):
    paid = []

    def pay(amount: int):
        paid.append(amount)
        return "paid"

    capability = MethodCapability("pay", max_calls=most)
    return Sandbox(tools=[Tool("pay", handler=pay)], capabilities=[capability], **how), paid


def test_a_branch_has_a_budget_of_its_own_and_waits_for_the_same_call():
    sandbox, paid = spender(2)
    with sandbox:
        sandbox.start("pay --amount 1; pay --amount 2; pay --amount 3; echo $?")
        with sandbox.fork() as branch:
            for each in (sandbox, branch):
                assert each.finish().stdout.endswith("126\n")
    assert paid == [1, 2, 1, 2]


def test_branches_that_share_spend_once():
    sandbox, paid = spender(3)
    with sandbox, sandbox.fork(budget="share") as branch, branch.fork(budget="share") as third:
        for n, each in enumerate((sandbox, branch, third, sandbox, branch)):
            each.run(f"pay --amount {n}")
        assert paid == [0, 1, 2]
        for each in (sandbox, branch, third):
            assert each.calls_left(each.capabilities[0]) == 0
        with branch.fork() as other:  # has what is left, and its own
            assert other.calls_left(other.capabilities[0]) == 0


def test_a_call_that_waits_spends_once_more_or_is_denied():
    sandbox, paid = spender(2)
    entries = []
    with sandbox:
        sandbox.start("pay --amount 7; echo $?")
        with sandbox.fork(budget="share") as second, sandbox.fork(budget="share") as third:
            assert [len(s.pending) for s in (sandbox, second, third)] == [1, 1, 0]
            assert third.result.stdout == "126\n"
            assert second.pending[0].id != sandbox.pending[0].id
            for each in (sandbox, second):
                assert each.finish().stdout == '"paid"\n0\n'
    assert paid == [7, 7]
    sandbox, paid = spender(1, audit=AuditLog(entries.append))
    with sandbox:
        sandbox.start("pay --amount 7")
        with sandbox.fork(budget="share"):
            pass
    assert [e["outcome"] for e in entries if e["event"] == "decision"] == ["allowed", "limit"]


def test_many_threads_spend_one_budget():
    sandbox, paid = spender(100)
    with sandbox:
        branches = [sandbox.fork(budget="share") for _ in range(4)]
        script = "for ((i = 0; i < 60; i++)); do pay --amount $i; done"
        threads = [threading.Thread(target=each.run, args=(script,)) for each in branches]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(paid) == 100 and sandbox.calls_left(sandbox.capabilities[0]) == 0
        for branch in branches:
            branch.close()


def test_a_snapshot_of_a_branch_shares_nothing():
    sandbox, paid = spender(3)
    with sandbox, sandbox.fork(budget="share") as branch:
        sandbox.run("pay --amount 1")
        data = branch.snapshot()
        with Sandbox.restore(
            data, tools=sandbox.tools, capabilities=sandbox.capabilities
        ) as restored:
            restored.run("pay --amount 2; pay --amount 3; pay --amount 4")
            assert paid == [1, 2, 3]
        assert branch.calls_left(branch.capabilities[0]) == 2


def test_constraints_hold_in_branches_that_share():
    granted = [MethodCapability("pay", [Param("amount") <= 5], max_calls=2)]
    tools = [Tool("pay", handler=lambda **args: "paid")]
    with Sandbox(tools=tools, capabilities=granted) as sandbox:
        with sandbox.fork(budget="share") as branch:
            assert branch.run("pay --amount 6; echo $?").stdout == "126\n"
            assert sandbox.calls_left(granted[0]) == 2


def test_where_it_cannot_be_shared(tmp_path):
    sandbox, _ = spender(1, record=tmp_path / "trace")
    with sandbox, pytest.raises(ValueError, match="cannot be recorded"):
        sandbox.fork(budget="share")
    sandbox, _ = spender(1)
    with sandbox:
        with pytest.raises(ValueError, match="cannot be recorded"):
            sandbox.fork(budget="share", record=tmp_path / "other")
        with pytest.raises(ValueError, match='"copy" or "share"'):
            sandbox.fork(budget="both")
    sandbox, _ = spender(1, isolation="process")
    with sandbox, pytest.raises(ValueError, match="isolation"):
        sandbox.fork(budget="share")


def test_branches_that_share_also_share_the_budget_of_a_run_that_is_on():
    sandbox, paid = spender(None)
    script = "for n in 1 2 3 4 5; do pay --amount $n; done"
    with sandbox:
        sandbox.start(script, budget={"pay": 3})
        assert sandbox.step().params == {"amount": 1}
        with sandbox.fork(budget="share") as second, second.fork(budget="share") as third:
            for each in (second, third, sandbox):
                each.finish()
            assert len(paid) == 3
            assert second.run("pay --amount 6", budget=1).ok  # which is its own
        sandbox.start(script, budget=3)
        with sandbox.fork() as branch:  # has its own, as of max_calls
            for each in (branch, sandbox):
                each.finish()
    assert paid[3:] == [6, 1, 2, 3, 1, 2, 3]
