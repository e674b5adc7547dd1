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

from pinfold import BoundError, MethodCapability, Sandbox, SnapshotError, Store


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


# ------------------------------------------------------------------ lists


def test_names_come_in_pages(path):
    names = ["a", "a/", "a/1", "a/2", "a/\uffff", "a/\U0010ffff", "a/\U0010ffff1", "a0", "ä/1"]
    with Store(path) as store, Sandbox() as sandbox:
        id = store.save("a", sandbox)
        for name in names[1:]:
            store.branch(id, name)
        assert store.names() == names
        assert store.names("a/") == names[1:7] and store.count("a/") == 6
        assert store.names("a/\U0010ffff") == names[5:7]
        assert store.names("b") == [] and store.count("b") == 0 and store.count() == len(names)
        seen, after = [], ""
        while page := store.page("a/", after=after, limit=4):
            seen += [named.name for named in page]
            after = page[-1].name
        assert seen == names[1:7]
        for wrong in (0, -1, True, 1.5):
            with pytest.raises(ValueError, match="limit"):
                store.page(limit=wrong)
        [named] = store.page("ä")
        assert named.snapshot == id and named.bytes == store.find(id).bytes and named.driver is None
        with store.lease("ä/1", holder="a worker"):
            assert "a worker" in store.page("ä")[0].driver and "a worker" in store.driver("ä/1")
        assert store.driver("ä/1") is None and store.driver("nobody") is None


def test_the_tree_of_one_name(path):
    with Store(path) as store, Sandbox() as one, Sandbox() as two:
        root = store.save("a", one)
        store.branch(root, "b")
        left = store.save("a", one)
        with store.load("b") as other:
            right = store.save("b", other)
        store.save("elsewhere", two)
        for which in ("a", "b", root):
            assert [(s.id, s.parent, s.names) for s in store.tree(which)] == [
                (root, None, []),
                (left, root, ["a"]),
                (right, root, ["b"]),
            ]
        with pytest.raises(BoundError, match="prune"):
            store.tree("a", limit=2)
        with pytest.raises(KeyError):
            store.tree("nobody")


def test_traces_are_listed_read_and_dropped(path):
    with Store(path) as store:
        ids = [store.add_trace(name, f"trace {i}".encode()) for i, name in enumerate("aabab")]
        assert [(t.id, t.name, t.bytes) for t in store.trace_page()] == [
            (id, name, 7) for id, name in zip(ids[::-1], "babaa", strict=True)
        ]
        assert [t.id for t in store.trace_page("a", limit=2)] == [ids[3], ids[1]]
        assert [t.id for t in store.trace_page("a", before=ids[1])] == [ids[0]]
        assert store.trace(ids[2]) == b"trace 2"
        for nothing in (ids[-1] + 1, 1 << 80):
            with pytest.raises(KeyError):
                store.trace(nothing)
        newer = store.add_trace("a", b"longer", replaces=ids[3])
        assert newer == ids[3] and [t.id for t in store.trace_page("a")] == [newer, ids[1], ids[0]]
        assert store.add_trace("b", b"", replaces=newer) > ids[4]  # of another name: it stays
        assert store.drop_traces("a", keep=1) == 2 and store.trace(newer) == b"longer"
        assert store.drop_traces(older=3600) == 0
        assert store.drop_traces(keep=1) == 2 and len(store.trace_page()) == 2
        with pytest.raises(ValueError, match="keep"):
            store.drop_traces(keep=-1)


def test_what_is_young_is_not_pruned(path):
    with Store(path) as store, Sandbox() as sandbox:
        ids = [store.save("a", sandbox) for _ in range(3)]
        assert store.prune(older=3600) == 0 and len(store.list()) == 3
        assert store.prune(older=1e-9) == 2 and [s.id for s in store.list()] == ids[2:]
