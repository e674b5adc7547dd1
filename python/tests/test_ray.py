"""Pools on a Ray cluster: sessions that outlive actors and nodes. The nodes are of this machine."""

import asyncio
import datetime
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

ray = pytest.importorskip("ray", reason="ray is for who has a cluster")

from pinfold import CapabilityError, Limits, MethodCapability, Tool, ToolError
from pinfold.http import Http
from pinfold.ray import Pool, Script, in_driver, on_cluster

ALL = [MethodCapability("**")]


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:  # the tests after these have an environment, too
        patch.setenv("RAY_DISABLE_IMPORT_WARNING", "1")
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        head = {"num_cpus": 2, "include_dashboard": False}
        made = Cluster(initialize_head=True, head_node_args=head)
        ray.init(address=made.address, log_to_driver=False, configure_logging=False)
        yield made
        ray.shutdown()
        made.shutdown()


def noted(folder):
    """A tool that leaves a line for each time it is asked."""

    def act(session: str, n: int) -> str:
        with open(os.path.join(folder, session), "a") as file:
            file.write(f"{n}\n")
        time.sleep(0.01)
        return f"{session}-{n}"

    return act


def test_an_approver_that_nothing_can_reach_is_told_of_at_once():
    """By the pool, before there is an actor: a run would be the first to fail otherwise."""
    with pytest.raises(CapabilityError, match="no call can ever reach it"):
        Pool(sandbox={"capabilities": ALL, "approve": lambda call: False}, tools=[Tool("pay")])
    with pytest.raises(CapabilityError, match="no tool has such a name"):
        Pool(sandbox={"capabilities": [MethodCapability("pay", ask=True)], "approve": print}, tools=[Tool("look")])


def test_sessions_and_maps(cluster, tmp_path):
    def add(a: int, b: int) -> int:
        return a + b

    def refuse() -> None:
        raise ToolError("not here", "denied")

    with Pool(sandbox={"capabilities": ALL}, tools=[add, refuse], size=2, store=str(tmp_path / "a.db"), options={"num_cpus": 0.5}) as pool:
        alice = pool.session("alice")
        assert alice.run("x=$(tool add --a 1 --b 2); echo $x").stdout == "3\n"
        assert alice.run("echo still $x").stdout == "still 3\n"
        assert pool.run("bob", "echo ${x-none}; exit 3").exit_code == 3
        assert pool.run("bob", "tool refuse; echo $?").stdout == "126\n"
        with pytest.raises(ValueError, match="perl"):
            alice.run("x", "perl")
        assert alice.run("echo $x").stdout == "3\n"
        results = list(pool.map("read x; echo $((x * 2))", (str(n) for n in range(100)), batch=7))
        assert [result.stdout for result in results] == [f"{2 * n}\n" for n in range(100)]
        assert [r.value for r in pool.map("return JSON.parse(await readStdin()).n", [], "javascript")] == []
        assert pool.counts()["live"] == 2
    with Pool(sandbox={"capabilities": ALL}, size=1, store=str(tmp_path / "a.db"), options={"num_cpus": 0.5}, idle_seconds=0.3) as pool:
        assert pool.run("alice", "echo $x").stdout == "3\n"
        until = time.monotonic() + 20
        while pool.counts()["live"] and time.monotonic() < until:
            time.sleep(0.1)
        assert pool.counts()["suspended"] == 1 and pool.run("alice", "echo $x").stdout == "3\n"
    with Pool(size=1, options={"num_cpus": 0.5}) as pool, pytest.raises(ValueError, match="store"):
        pool.session("alice")


def test_an_actor_that_is_killed_in_the_middle(cluster, tmp_path):
    """Calls whose answer was noted are not asked again, and no run is made twice."""
    folder = tmp_path / "acts"
    folder.mkdir()
    tools, names = [noted(str(folder))], [f"s{n}" for n in range(8)]
    with Pool(sandbox={"capabilities": ALL}, tools=tools, size=2, store=str(tmp_path / "a.db"), options={"num_cpus": 0.5}, threads=8, timeout=40) as pool:
        got, failed = {}, []

        def work(name):
            try:
                got[name] = [
                    pool.run(name, f"for i in 1 2 3 4 5; do echo $(tool act --session {name} --n $(({t}0 + i))); done; echo {t} >> log; wc -l < log").stdout
                    for t in range(4)
                ]
            except Exception as error:
                failed.append(error)

        threads = [threading.Thread(target=work, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for place in (0, 1, 0):
            time.sleep(1.5)
            pid = ray.get(pool._actors[place].__ray_call__.remote(lambda self: os.getpid())) if alive(pool, place) else None
            if pid:
                os.kill(pid, signal.SIGKILL)
        for thread in threads:
            thread.join(120)
        assert not failed, str(failed[0])
        assert set(got) == set(names)
        for name in names:
            assert [out.splitlines()[-1] for out in got[name]] == ["1", "2", "3", "4"]
            asked = (folder / name).read_text().split()
            expected = [str(10 * t + i) for t in range(4) for i in range(1, 6)]
            assert list(dict.fromkeys(asked)) == expected
            # A process may die between a tool's act and the note of its answer: three did.
            assert len(asked) <= len(expected) + 3


def alive(pool, place):
    try:
        return ray.get(pool._actors[place].ready.remote(), timeout=20)
    except Exception:
        return False


def test_a_node_that_is_killed(cluster, tmp_path):
    node = cluster.add_node(num_cpus=2, resources={"second": 1})
    with Pool(sandbox={"capabilities": ALL, "limits": Limits(cpu_seconds=5)}, size=2, store=str(tmp_path / "a.db"), options={"num_cpus": 1, "scheduling_strategy": "SPREAD"}) as pool:
        where = {ray.get(actor.__ray_call__.remote(lambda self: ray.get_runtime_context().get_node_id())) for actor in pool._actors}
        names = [f"s{n}" for n in range(12)]
        for name in names:
            pool.run(name, f"x={name}; echo 1 > log")
        cluster.remove_node(node, allow_graceful=False)
        for name in names:
            assert pool.run(name, "echo $x; echo 2 >> log; wc -l < log").stdout == f"{name}\n2\n"
        assert len(where) == 2


def test_a_tool_as_a_task_of_the_cluster(cluster, tmp_path):
    def where(what: str) -> list:
        if what == "fail":
            raise ValueError("as asked")
        return [what, os.getpid()]

    tool = on_cluster(where, num_cpus=0.1)
    with Pool(sandbox={"capabilities": ALL}, tools=[tool], size=1, store=str(tmp_path / "a.db"), options={"num_cpus": 0.5}) as pool:
        result = pool.run("a", "tool where --what pid; tool where --what fail")
        assert result.stdout.startswith('["pid",') and "ValueError: as asked" in result.stderr
        actor = ray.get(pool._actors[0].__ray_call__.remote(lambda self: os.getpid()))
        assert str(actor) not in result.stdout


def test_a_tool_in_the_driver(cluster, tmp_path):
    """It holds what cannot be pickled, its arguments are converted, its errors arrive."""
    lock, days = threading.Lock(), []

    def book(day: datetime.date, name: str = "nobody") -> dict:
        with lock:
            days.append(day)
        if name == "fail":
            raise ToolError("fully booked", "denied")
        return {"pid": os.getpid(), "day": day.isoformat()}

    async def later(n: int) -> int:
        await asyncio.sleep(0.01)
        return n + 1

    def odd() -> object:
        return lock

    tools = [in_driver(tool) for tool in (book, later, odd)]
    assert tools[0].call({"day": "2026-01-02"})["day"] == "2026-01-02"  # without a cluster, too
    with Pool(sandbox={"capabilities": ALL}, tools=tools, size=2, store=str(tmp_path / "a.db"), options={"num_cpus": 0.5}) as pool:
        assert pool.run("a", "tool book --day 2026-11-28 | jq .pid").stdout == f"{os.getpid()}\n"
        assert pool.run("b", "tool later --n 41").stdout == "42\n"
        failed = pool.run("b", "tool book --day 2026-11-28 --name fail")
        assert failed.exit_code == 126 and "fully booked" in failed.stderr
        assert days[1:] == [datetime.date(2026, 11, 28)] * 2
        assert "not JSON" in pool.run("a", "tool odd").stderr or "cannot travel" in pool.run("a", "tool odd").stderr
        results = pool.map("tool later --n $(cat)", (str(n) for n in range(60)), batch=5)
        assert [result.stdout for result in results] == [f"{n + 1}\n" for n in range(60)]
    with pytest.raises(TypeError, match="Http"):
        in_driver(Http(allow=["https://example.com"]))
    with pytest.raises(ValueError, match="no handler"):
        in_driver(Tool("x"))


def test_a_driver_that_is_gone(cluster, tmp_path):
    """Its session goes on under another driver, which answers by its own tool."""
    store = str(tmp_path / "a.db")
    script = (
        "import os, sys, time, ray\n"
        "from pinfold import MethodCapability\n"
        "from pinfold.ray import Pool, in_driver\n"
        "def ask(n: int) -> str:\n"
        "    if n == 2: os._exit(9)\n"
        "    return f'first {n}'\n"
        "ray.init(address=sys.argv[1], log_to_driver=False, configure_logging=False)\n"
        "pool = Pool(sandbox={'capabilities': [MethodCapability('**')]}, tools=[in_driver(ask)], size=1,\n"
        "            store=sys.argv[2], options={'num_cpus': 0.5})\n"
        "print(pool.run('a', 'x=$(tool ask --n 1)').exit_code, flush=True)\n"
        "pool.run('a', 'y=$(tool ask --n 2)')\n"
    )
    done = subprocess.run([sys.executable, "-c", script, cluster.address, store], capture_output=True, text=True, timeout=120)
    assert done.stdout == "0\n" and done.returncode == 9, done.stderr

    def ask(n: int) -> str:
        return f"second {n}"

    with Pool(sandbox={"capabilities": ALL}, tools=[in_driver(ask)], size=1, store=store, options={"num_cpus": 0.5}) as pool:
        assert pool.run("a", "echo $x, $(tool ask --n 2)").stdout == '"first 1", "second 2"\n'


def test_rows_of_a_dataset():
    numpy = pytest.importorskip("numpy")
    batch = {"n": numpy.array([1, 2, 3]), "name": numpy.array(["a", "b", "c"])}
    assert Script("jq -c '{m: (.n * 10), name}'")(batch)["m"].tolist() == [10, 20, 30]
    assert Script("wc -c")({"n": numpy.array([1])})["stdout"].tolist() == ["8\n"]
    assert "No such file" in Script("cat nowhere")({"n": numpy.array([1])})["error"][0]


def test_map_batches(cluster):
    pytest.importorskip("pyarrow", reason="pyarrow is for who has datasets")
    found = ray.data.range(20).map_batches(Script("jq -c '{id, even: (.id % 2 == 0)}'"), batch_size=5).take_all()
    assert sorted((row["id"], row["even"]) for row in found) == [(n, n % 2 == 0) for n in range(20)]


def test_as_many_actors_as_the_queue_needs(cluster, tmp_path):
    """And not more: sessions of an actor that goes are on another one afterwards."""
    with Pool(sandbox={"capabilities": ALL}, size=(1, 3), store=str(tmp_path / "a.db"), options={"num_cpus": 0.3}, threads=2, idle_seconds=1.0) as pool:
        assert pool.run("s0", "x=0; echo $x").stdout == "0\n" and len(pool._actors) == 1
        most, got = 1, {}

        def work(name):
            got[name] = [pool.run(name, f"x={name}; sleep 0.3; echo $x").stdout for _ in range(8)]

        threads = [threading.Thread(target=work, args=(f"s{n}",)) for n in range(8)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            most = max(most, len(pool._actors))
            time.sleep(0.05)
        assert most > 1 and got == {f"s{n}": [f"s{n}\n"] * 8 for n in range(8)}
        until = time.monotonic() + 60
        while len(pool._actors) > 1 and time.monotonic() < until:
            time.sleep(0.1)
        assert len(pool._actors) == 1
        assert [pool.run(f"s{n}", "echo $x").stdout for n in range(8)] == [f"s{n}\n" for n in range(8)]
        results = list(pool.map("read x; echo $x", (str(n) for n in range(200)), batch=10))
        assert [result.stdout for result in results] == [f"{n}\n" for n in range(200)]
        assert set(pool._crew._loads) == {0}
    for wrong in (0, (2, 1), (0, 3)):
        with pytest.raises(ValueError, match="size"):
            Pool(size=wrong)
