"""Stores: trees of snapshots, several processes at once, and a save that is cut short."""

import contextlib
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from pinfold import MethodCapability, Sandbox, SnapshotError, Store


@pytest.fixture
def path(place):
    return place


def on_server(path):
    return path.startswith("postgresql:")


def test_a_tree_of_snapshots(path):
    with Store(path) as store, Sandbox() as sandbox:
        sandbox.run("echo 1 > n")
        first = store.save("a", sandbox, label="one")
        sandbox.run("echo 2 > n")
        second = store.save("a", sandbox)
        assert store.branch(first, "b") == first
        with store.load("b") as other:
            assert other.run("cat n; echo 3 > n; touch new").stdout == "1\n"
            third = store.save("b", other)
    with Store(path) as store:
        assert [(s.id, s.parent, s.names) for s in store.list()] == [
            (first, None, []),
            (second, first, ["a"]),
            (third, first, ["b"]),
        ]
        assert [s.id for s in store.history("a")] == [second, first]
        assert store.list()[0].label == "one"
        assert store.diff("a", "b") == {
            "added": ["/workspace/new"],
            "changed": ["/workspace/n"],
            "removed": [],
        }
        with store.load("a") as sandbox:
            assert sandbox.run("cat n").stdout == "2\n"
        with pytest.raises(ValueError, match="already"):
            store.branch("a", "b")
        with pytest.raises(KeyError):
            store.load("nobody")


def test_prune_keeps_what_names_need(path):
    with Store(path) as store, Sandbox() as sandbox:
        ids = []
        for i in range(5):
            sandbox.run(f"echo {i} > n")
            ids.append(store.save("a", sandbox))
        store.branch(ids[1], "b")
        assert store.prune(keep=2) == 1
        assert [(s.id, s.parent) for s in store.list()] == [
            (ids[0], None),
            (ids[1], ids[0]),
            (ids[3], ids[1]),
            (ids[4], ids[3]),
        ]
        store.forget("b")
        assert store.prune() == 3
        assert [(s.id, s.parent) for s in store.list()] == [(ids[4], None)]
        sandbox.run("echo 9 > n")
        last = store.save("a", sandbox)
        assert last > ids[4]


def test_pending_calls_and_authority_come_back(path):
    granted = [MethodCapability("ask")]
    with Store(path) as store:
        with Sandbox(tools=[], capabilities=granted, tool_handler=print) as sandbox:
            sandbox.start("echo got $(tool ask --n 1)")
            store.save("waiting", sandbox)
        with store.load("waiting", capabilities=granted, tool_handler=lambda m, p: p) as sandbox:
            assert sandbox.finish().stdout == 'got {"n":1}\n'


KEY = b"sixteen bytes or more"


@pytest.fixture
def two_versions(path):
    """A store with a key in which alice was saved twice; what is left differs."""
    with Store(path, key=KEY) as store, Sandbox(key=KEY) as sandbox:
        sandbox.run("echo old > note")
        old = store.save("alice", sandbox)
        sandbox.run("echo new > note")
        new = store.save("alice", sandbox)
    return old, new


def altered(path, *statements):
    if on_server(path):
        import psycopg

        with psycopg.connect(path) as db:
            for statement in ("SET search_path TO pinfold", *statements):
                db.execute(statement)
        return
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)


def test_a_row_that_was_rolled_back_is_refused(path, two_versions):
    old, new = two_versions
    with Store(path, key=KEY) as store, store.load("alice") as sandbox:
        assert sandbox.files.text("note") == "new\n"
    if on_server(path):
        old_row = f"(SELECT data, tag, base, depth FROM content WHERE snapshot = {old} AND NOT portable)"
        altered(path, f"UPDATE content SET (data, tag, base, depth) = {old_row} WHERE snapshot = {new}")
        told = "not those that were written"
    else:
        altered(path, f"UPDATE snapshot SET data = (SELECT data FROM snapshot WHERE id = {old}) WHERE id = {new}")
        told = f"what was saved as {old}"
    with Store(path, key=KEY) as store:
        for use in (lambda: store.load("alice"), lambda: store.load(new), lambda: store.diff(old, new)):
            with pytest.raises(SnapshotError, match=told):
                use()
        with store.load(old) as sandbox:
            assert sandbox.files.text("note") == "old\n"


def test_a_name_that_was_rolled_back_is_refused(path, two_versions):
    old, new = two_versions
    altered(path, f"UPDATE name SET snapshot = {old}")
    with Store(path, key=KEY) as store:
        for use in (
            lambda: store.load("alice"),
            lambda: store.branch("alice", "bob"),
            lambda: store.forget("alice"),
            lambda: store.counter,
        ):
            with pytest.raises(SnapshotError, match="altered or rolled back"):
                use()
        with Sandbox(key=KEY) as sandbox, pytest.raises(SnapshotError):
            store.save("carol", sandbox)
        assert store.names() == ["alice"]
    altered(path, f"UPDATE name SET snapshot = {new}")
    with Store(path, key=KEY) as store, store.load("alice"):
        pass
    for removed in ("DELETE FROM seal", "UPDATE seal SET digest = 'x'", "UPDATE seal SET counter = counter + 1"):
        altered(path, removed)
        with Store(path, key=KEY) as store, pytest.raises(SnapshotError):
            store.load("alice")


def test_a_whole_file_that_was_rolled_back(path, two_versions):
    old, new = two_versions
    altered(path, "CREATE TABLE kept AS SELECT * FROM seal")
    with Store(path, key=KEY) as store:
        assert store.counter == 2
        with store.load("alice") as sandbox:
            store.save("alice", sandbox)
        assert store.counter == 3
        altered(
            path,
            f"UPDATE name SET snapshot = {new}",
            "UPDATE seal SET counter = 2, digest = (SELECT digest FROM kept)",
        )
        with pytest.raises(SnapshotError, match="counter is 2, and 3 was there"):
            store.load("alice")
    with Store(path, key=KEY) as store, store.load("alice"):
        pass  # the file alone cannot tell
    with Store(path, key=KEY, min_counter=3) as store, pytest.raises(SnapshotError):
        store.load("alice")
    with Store(path, key=KEY, min_counter=2) as store, store.load("alice"):
        pass
    with pytest.raises(ValueError, match="key"):
        Store(path, min_counter=2)


def test_a_store_with_a_key_takes_sandboxes_with_it(path):
    with Store(path, key=KEY) as store, Sandbox() as sandbox:
        with pytest.raises(ValueError, match="not the same"):
            store.save("alice", sandbox)
        assert store.list() == [] and store.names() == []


def test_parents_in_a_circle(path):
    with Store(path) as store, Sandbox() as sandbox:
        first = store.save("alice", sandbox)
        second = store.save("alice", sandbox)
        third = store.save("bob", sandbox)
    altered(path, f"UPDATE snapshot SET parent = {second} WHERE id = {first}")
    with Store(path) as store:
        for use in (lambda: store.history("alice"), lambda: store.history("bob"), store.prune):
            with pytest.raises(SnapshotError, match="its own ancestor"):
                use()
        assert len(store.list()) == 3
    altered(path, f"UPDATE snapshot SET parent = {third} WHERE id = {third}")
    with Store(path) as store, pytest.raises(SnapshotError, match="its own ancestor"):
        store.history("bob")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE snapshot SET time = 'x'",
        "UPDATE snapshot SET time = 1e300",
        "UPDATE snapshot SET label = x'ff'",
        "UPDATE snapshot SET parent = 'a'",
        "UPDATE snapshot SET data = 'text'",
        "UPDATE snapshot SET data = 7",
        "UPDATE name SET name = x'00ff'",
        "UPDATE name SET snapshot = 'zz'",
        "INSERT INTO audit VALUES (9, x'00', 0, '[]')",
        "INSERT INTO trace VALUES (9, 'alice', 0, 'text')",
    ],
)
@pytest.mark.parametrize("key", [None, b"k" * 32], ids=["open", "keyed"])
def test_values_of_other_types_are_damage(tmp_path, change, key):
    path = str(tmp_path / "agents.db")  # a server refuses them itself
    with Store(path, key=key) as store, Sandbox(key=key) as sandbox:
        store.save("alice", sandbox)
        store.save("alice", sandbox)
    altered(path, change)
    refused = []
    with Store(path, key=key) as store:
        for use in (
            store.names,
            store.list,
            lambda: store.history("alice"),
            lambda: store.load("alice").close(),
            lambda: store.diff(1, 2),
            lambda: list(store.traces()),
            lambda: list(store.audit()),
            store.prune,
        ):
            try:
                use()
            except SnapshotError as error:
                refused.append(str(error))
            except KeyError:  # of a name that is another one now
                refused.append("KeyError")
    assert refused


def test_directories_deeper_than_python_recurses(path):
    with Store(path) as store, Sandbox() as sandbox:
        first = store.save("alice", sandbox)
        sandbox.run("for ((i = 0; i < 1500; i++)); do mkdir d; cd d; done; echo deep > f; cd")
        second = store.save("alice", sandbox)
        found = store.diff(first, second)
        assert found["added"] == ["/workspace/" + "d/" * 1500 + "f"]
        assert len(list(sandbox.files)) == 1


def test_a_key_is_the_stores(path):
    key = b"sixteen bytes or more"
    with Store(path, key=key) as store, Sandbox(key=key) as sandbox:
        store.save("a", sandbox)
        store.load("a").close()
    with Store(path) as store, pytest.raises(SnapshotError, match="key"):
        store.load("a")


def test_traces_and_audit_entries(path, tmp_path):
    trace = tmp_path / "trace"
    with Sandbox(record=trace) as sandbox:
        sandbox.run("echo hello")
    with Store(path) as store:
        id = store.add_trace("a", trace)
        store.add_audit("a", [{"method": "get", "outcome": "allowed"}])
        store.add_audit("b", [{"method": "put"}])
        assert list(store.traces("a")) == [(id, "a", trace.read_bytes())]
        assert list(store.audit("a")) == [("a", {"method": "get", "outcome": "allowed"})]
        assert len(list(store.audit())) == 2


def _save_often(path, name, count):
    with Store(path) as store, Sandbox() as sandbox:
        for i in range(count):
            sandbox.run(f"echo {i} > n")
            store.save(name, sandbox)


def test_two_processes_at_once(path):
    Store(path).close()
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_save_often, args=(path, name, 15)) for name in "xy"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    with Store(path) as store:
        assert len(store.list()) == 30
        for name in "xy":
            assert len(store.history(name)) == 15
            with store.load(name) as sandbox:
                assert sandbox.run("cat n").stdout == "14\n"


def test_killed_while_saving(path):
    script = (
        "import sys\nfrom pinfold import Sandbox, Store\n"
        "with Store(sys.argv[1]) as store, Sandbox() as sandbox:\n"
        "    for i in range(100000):\n"
        "        sandbox.run(f'echo {i} > n; head -c 300000 /dev/urandom > noise')\n"
        "        print(store.save('a', sandbox), i, flush=True)\n"
    )
    for delay in (0.02, 0.05, 0.11):
        worker = subprocess.Popen(
            [sys.executable, "-c", script, path],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        said = worker.stdout.readline()
        time.sleep(delay)
        worker.send_signal(signal.SIGKILL)
        said += worker.stdout.read()
        worker.wait()
        id, number = map(int, said.splitlines()[-1].split())
        with Store(path) as store:
            assert any(saved.id == id for saved in store.list())
            with store.load(id) as sandbox:
                assert sandbox.run("cat n").stdout == f"{number}\n"
            with store.load("a") as sandbox:
                assert sandbox.run("wc -c < noise").stdout == "300000\n"


def test_mounts_in_a_store(path, tmp_path):
    """What was read is in the snapshot, and diff does not take reading for a change."""
    folder = tmp_path / "data"
    (folder / "sub").mkdir(parents=True)
    for name in ("a", "b", "sub/c"):
        (folder / name).write_text(name)
    mounts = {"/data": (folder, "copy")}
    with Store(path) as store:
        with Sandbox(mounts=mounts) as sandbox:
            sandbox.run("cat /data/a")
            store.save("one", sandbox)
            sandbox.run("cat /data/b /data/sub/c; echo x > /data/new; echo y >> /data/a")
            store.save("two", sandbox)
            sandbox.run("rm /data/b")
            store.save("three", sandbox)
        assert store.diff("one", "two") == {
            "added": ["/data/new"],
            "changed": ["/data/a"],
            "removed": [],
        }
        assert store.diff("two", "three")["removed"] == ["/data/b"]
        with pytest.raises(ValueError, match="mounted at /data"):
            store.load("one")
        with store.load("one", mounts=mounts) as sandbox:
            assert sandbox.run("cat /data/sub/c").stdout == "sub/c"


def test_prune_gives_space_back(tmp_path):
    path = tmp_path / "agents.db"
    with Store(path) as store, Sandbox() as sandbox:
        for _ in range(4):
            sandbox.run("head -c 1000000 /dev/urandom > noise")
            store.save("a", sandbox)
        before = os.stat(path).st_size
        assert store.prune() == 3
        assert os.stat(path).st_size < before / 2
        with store.load("a") as again:
            assert again.run("wc -c < noise").stdout == "1000000\n"
