"""A store on a PostgreSQL server: all that one in a file does, what is only there, and a server and
clients that are killed."""

import contextlib
import os
import subprocess
import sys
import threading
import time

import postgres_server
import pytest
from test_store import *  # noqa: F403
from test_store_lease import *  # noqa: F403

from pinfold import AsyncStore, LeaseError, Sandbox, Store, StoreError, StoreUnavailable

KEY = b"sixteen bytes or more"


@pytest.fixture
def url(postgres):
    return postgres.database()


@pytest.fixture
def place(url):
    """Where the tests of the other modules have their store."""
    return url


@pytest.fixture
def own_server():
    """One that may be killed."""
    with postgres_server.running() as server:
        yield server


def database(url):
    import psycopg

    return psycopg.connect(url, autocommit=True, options="-c search_path=pinfold")


def child(script, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


# ------------------------------------------------------------------ what is kept


def test_a_clock_that_is_wrong_makes_nothing_old(url, monkeypatch):
    """The server's clock counts, not that of a client."""
    true = time.time
    with Store(url) as store, Sandbox() as sandbox:
        monkeypatch.setattr(time, "time", lambda: true() - 90_000)
        first = store.save("a", sandbox)
        store.add_trace("a", b"x")
        monkeypatch.setattr(time, "time", lambda: true() + 90_000)
        store.save("a", sandbox)
        assert store.prune(older=3600) == 0 and store.drop_traces(older=3600) == 0
        assert abs(store.page()[0].age) < 600 and abs(store.trace_page()[0].age) < 600
        assert abs(store.find(first).time.timestamp() - true()) < 600
        assert store.prune() == 1


@pytest.mark.parametrize("key", [None, KEY], ids=["open", "keyed"])
def test_deltas_are_small_and_give_each_version_back(url, key):
    with Store(url, key=key) as store, Sandbox(key=key) as sandbox:
        sandbox.run("head -c 300000 /dev/urandom > noise")
        ids = []
        for i in range(40):
            sandbox.run(f"echo {i} > n")
            ids.append(store.save("a", sandbox))
    with database(url) as db:
        kept = dict(db.execute("SELECT snapshot, sum(length(data)) FROM content GROUP BY snapshot").fetchall())
        depth = db.execute("SELECT max(depth) FROM content").fetchone()[0]
    assert kept[ids[0]] > 300_000 and kept[ids[1]] < 60_000
    assert 5 < depth < 20  # not for ever
    with Store(url, key=key) as store:
        for i in (0, 1, 15, 16, 17, 39):
            with store.load(ids[i], clock=0) as sandbox:
                assert sandbox.run("cat n; wc -c < noise").stdout == f"{i}\n300000\n"
        assert store.list()[5].bytes > 300_000


@pytest.mark.parametrize("key", [None, KEY], ids=["open", "keyed"])
def test_pruning_takes_away_what_others_are_a_delta_of(url, key):
    with Store(url, key=key) as store, Sandbox(key=key) as sandbox:
        ids = []
        for i in range(6):
            sandbox.run(f"echo {i} > n; head -c 50000 /dev/urandom > noise{i}")
            ids.append(store.save("a", sandbox))
        store.branch(ids[2], "b")
        assert store.prune() == 4
        assert [(s.id, s.parent) for s in store.list()] == [(ids[2], None), (ids[5], ids[2])]
    with Store(url, key=key) as store:
        for name, i in (("a", 5), ("b", 2)):
            with store.load(name) as sandbox:
                assert sandbox.run("cat n; cat noise* | wc -c").stdout == f"{i}\n{50000 * (i + 1)}\n"
                sandbox.run("echo more > n")
                store.save(name, sandbox)


def test_large_ones_lie_in_files(url, tmp_path):
    folder = tmp_path / "large"
    with Store(url, large=f"file://{folder}", large_bytes=100_000) as store, Sandbox() as sandbox:
        small = store.save("a", sandbox)
        sandbox.run("head -c 500000 /dev/urandom > noise")
        first = store.save("a", sandbox)
        sandbox.run("head -c 500000 /dev/urandom > noise")
        store.save("a", sandbox)
        before = sorted(os.listdir(folder))
        assert before and all(not name.startswith(f"{small}-") for name in before)
        (folder / "999-orphan").write_bytes(b"of a save that never came to its end")
        os.utime(folder / "999-orphan", (1, 1))
        with store.load(first) as again:
            assert again.run("wc -c < noise").stdout == "500000\n"
        store.prune()
        after = sorted(os.listdir(folder))
        assert after and all(name.startswith("3-") for name in after)  # which is whole now
        with store.load("a") as again:
            assert again.run("wc -c < noise").stdout == "500000\n"
    with Store(url) as store, pytest.raises(StoreError, match="open the store with large="):
        store.load("a")
    with Store(url, large=f"file://{folder}") as store:
        for name in after:  # the exact form, and the portable one
            (folder / name).write_bytes((folder / name).read_bytes()[:-9] + b"\0" * 9)
        with pytest.raises(StoreError, match="not those that were written"):
            store.load("a")
        for name in after:
            (folder / name).unlink()
        with pytest.raises(StoreError, match=f"{folder}/3-"):
            store.load("a")
    with pytest.raises(ValueError, match="large_bytes"):
        Store(url, large_bytes=5)
    with pytest.raises(ValueError, match="PostgreSQL"):
        Store(tmp_path / "a.db", large=f"file://{folder}")


def test_large_ones_lie_with_an_object_store(url, monkeypatch):
    """One that has keys, no directories, and errors of its own."""
    fsspec = pytest.importorskip("fsspec")
    where = "memory://bucket/agents"
    files = fsspec.filesystem("memory")
    with Store(url, large=where, large_bytes=50_000) as store, Sandbox() as sandbox:
        sandbox.run("head -c 200000 /dev/urandom > noise; sha256sum noise > sum")
        first = store.save("a", sandbox)
        kept = files.find("/bucket/agents")
        assert len(kept) == 2 and all(f"/{first}-" in name for name in kept)  # exact and portable
        sandbox.run("head -c 200000 /dev/urandom > noise; sha256sum noise > sum")
        second = store.save("a", sandbox)
        with store.load(first) as again:
            assert again.run("sha256sum -c sum").exit_code == 0

        def refuses(path, data):
            raise RuntimeError("SlowDown: reduce your request rate")

        with monkeypatch.context() as patch:
            patch.setattr(type(files), "pipe_file", lambda self, path, data, **how: refuses(path, data))
            sandbox.run("head -c 200000 /dev/urandom > noise")
            with pytest.raises(StoreError, match="SlowDown"):
                store.save("a", sandbox)
        assert store.history("a")[0].id == second  # nothing is half written
        assert store.prune() == 1 and len(files.find("/bucket/agents")) == 2
        for name in files.find("/bucket/agents"):  # the exact form, and the portable one
            files.pipe_file(name, b"x" * 1000)
        with pytest.raises(StoreError, match="damaged|not those"), store.load("a"):
            pass
        for name in files.find("/bucket/agents"):
            files.rm_file(name)
        with pytest.raises(StoreError, match="agents/"):
            store.load("a")



def test_altered_rows_are_refused(url):
    with Store(url, key=KEY) as store, Sandbox(key=KEY) as sandbox:
        sandbox.run("head -c 9000 /dev/urandom > noise")
        first = store.save("a", sandbox)
        sandbox.run("echo 1 > n")
        second = store.save("a", sandbox)
    for change in (
        "UPDATE content SET data = set_byte(data, length(data) - 40, 7)",
        "UPDATE content SET data = substr(data, 1, 60)",
        f"UPDATE content SET base = NULL, depth = 0 WHERE snapshot = {second}",
        "UPDATE content SET tag = '\\x00'",
    ):
        with database(url) as db:
            db.execute("CREATE TABLE IF NOT EXISTS kept AS SELECT * FROM content")
            db.execute(change)
        with Store(url, key=KEY) as store, pytest.raises(StoreError, match=f"snapshot {second}"):
            store.load("a")
        with database(url) as db:
            db.execute("DELETE FROM content WHERE base IS NOT NULL; DELETE FROM content; INSERT INTO content SELECT * FROM kept")
    with Store(url, key=KEY) as store:
        store.load(first).close()
        store.load(second).close()


# ------------------------------------------------------------------ whose tables, and which


def test_schemas_are_stores_of_their_own(url):
    with Store(url, schema="one") as one, Store(url, schema="two") as two, Sandbox() as sandbox:
        one.save("a", sandbox)
        assert one.names() == ["a"] and two.names() == []
        assert two.save("a", sandbox) and two.list()[0].parent is None
    for wrong in ("", "One", "a;b", 7):
        with pytest.raises(ValueError, match="schema"):
            Store(url, schema=wrong)


def test_tables_of_others_and_of_later_versions_are_left_alone(url):
    with database(url) as db:
        db.execute("CREATE SCHEMA pinfold")
        db.execute("CREATE TABLE notes (x text)")
    with pytest.raises(StoreError, match="another program's"):
        Store(url)
    Store(url, schema="mine").close()
    with database(url) as db:
        db.execute("UPDATE mine.pinfold_store SET version = 99")
    with pytest.raises(StoreError, match="format 99"):
        Store(url, schema="mine")


def test_an_earlier_format_is_migrated_by_whoever_comes_first(url):
    with Store(url) as store, Sandbox() as sandbox:
        store.save("a", sandbox)
    with database(url) as db:
        db.execute("DROP TABLE lease; DROP INDEX audit_name")
        db.execute("UPDATE pinfold_store SET version = 1")
    with pytest.raises(StoreError, match="earlier format"):
        Store(url, read_only=True)
    stores = []
    threads = [threading.Thread(target=lambda: stores.append(Store(url))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(stores) == 6
    for store in stores:
        assert store.names() == ["a"]
        store.close()


def test_read_only(url):
    with pytest.raises(StoreError, match="not there"):
        Store(url, read_only=True)
    with Store(url) as store, Sandbox() as sandbox:
        store.save("a", sandbox)
        with Store(url, read_only=True) as reader:
            reader.load("a").close()
            for change in (lambda: reader.save("a", sandbox), lambda: reader.lease("a"), reader.prune):
                with pytest.raises(ValueError, match="read_only"):
                    change()


def test_a_password_is_in_no_message(postgres, caplog):
    for url in ("postgresql://me:hush@127.0.0.1:1/none", "postgresql://me@127.0.0.1:1/none?password=hush"):
        with pytest.raises(StoreUnavailable) as refused:
            Store(url, timeout=0.2)
        assert "hush" not in str(refused.value) and "127.0.0.1:1" in str(refused.value)
    with pytest.raises(ValueError, match="URL"):
        Store("postgresql://a b c")


def test_what_the_server_refuses_is_one_error_with_its_place(url):
    with Store(url) as store, Sandbox() as sandbox:
        for use in (
            lambda: store.save("a\0b", sandbox),
            lambda: store.save("a", sandbox, label="\ud800"),
            lambda: store.branch("a\0", "b"),
        ):
            with pytest.raises(StoreError, match="postgresql://"):
                use()
        with pytest.raises(KeyError):
            store.load(1 << 70)
        assert store.names() == []


def test_after_a_fork_a_child_is_told(url):
    with Store(url) as store:
        store.names()
        pid = os.fork()
        if pid == 0:
            try:
                store.names()
            except ValueError as error:
                os._exit(3 if "fork" in str(error) else 4)
            os._exit(5)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
        assert store.names() == []


def test_async(url):
    import asyncio

    async def main():
        async with AsyncStore(url) as store, Sandbox() as sandbox:
            await sandbox.arun("echo draft > plan")
            lease = await store.lease("alice")
            await store.save("alice", sandbox, lease=lease)
            loaded = await asyncio.gather(*(store.load("alice") for _ in range(20)))
            assert {(await box.arun("cat plan")).stdout for box in loaded} == {"draft\n"}
            for box in loaded:
                box.close()

    asyncio.run(main())


# ------------------------------------------------------------------ many, and what is killed


def test_many_writers_of_one_name_and_of_many(url):
    Store(url).close()
    failed = []

    def work(number):
        try:
            with Store(url) as store, Sandbox() as sandbox:
                for i in range(8):
                    sandbox.run(f"echo {number} {i} > n")
                    store.save("all", sandbox)
                    store.save(f"own {number}", sandbox)
                    if i == 4:
                        store.prune(keep=1000)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with Store(url) as store:
        there = {saved.id for saved in store.list()}
        assert len(there) > 40 and {saved.parent for saved in store.list()} <= there | {None}
        for number in range(6):
            with store.load(f"own {number}") as sandbox:
                assert sandbox.run("cat n").stdout == f"{number} 7\n"


SAVER = """
import sys
from pinfold import Sandbox, Store
with Store(sys.argv[1], timeout=60, key=sys.argv[3].encode() or None) as store, Sandbox(key=sys.argv[3].encode() or None) as sandbox:
    for i in range(100000):
        sandbox.run(f'echo {i} > n; head -c 30000 /dev/urandom > noise')
        print(store.save(sys.argv[2], sandbox), i, flush=True)
"""


@pytest.mark.parametrize("key", ["", KEY.decode()], ids=["open", "keyed"])
def test_a_server_that_is_killed_in_the_middle_of_saves(own_server, key):
    """What a client was told is there; the clients go on when the server is back."""
    url = own_server.database()
    Store(url, key=key.encode() or None).close()
    clients = [child(SAVER, url, name, key) for name in ("x", "y", "z")]
    said = {name: [] for name in "xyz"}
    readers = [
        threading.Thread(target=lambda c=client, n=name: said[n].extend(c.stdout), daemon=True)
        for client, name in zip(clients, said, strict=True)
    ]
    for reader in readers:
        reader.start()
    for turn in range(3):
        before = {name: len(lines) for name, lines in said.items()}
        until = time.monotonic() + 60
        while any(len(said[name]) <= before[name] + 3 for name in said) and time.monotonic() < until:
            time.sleep(0.01)
        assert all(client.poll() is None for client in clients)
        own_server.kill()
        time.sleep(0.2 * turn)
        own_server.start()
    clients[0].kill()  # kill -9 of a client, too
    until = time.monotonic() + 60
    before = len(said["z"])
    while len(said["z"]) <= before + 3 and time.monotonic() < until:
        time.sleep(0.01)
    for client in clients:
        client.kill()
        client.wait()
    for reader in readers:
        reader.join()
    with Store(url, key=key.encode() or None) as store:
        there = {saved.id for saved in store.list()}
        for name, lines in said.items():
            acknowledged = [tuple(map(int, line.split())) for line in lines if line.endswith("\n")]
            assert len(acknowledged) > 10 and {id for id, _ in acknowledged} <= there
            id, number = acknowledged[-1]
            with store.load(id) as sandbox:
                assert sandbox.run("cat n").stdout == f"{number}\n"
            with store.load(name) as sandbox:  # it, or the one after it, whose answer was not read
                assert int(sandbox.run("cat n").stdout) in (number, number + 1)
            # Nothing was written twice, and nothing is missing in between.
            assert len(store.history(name)) in (number + 1, number + 2)


def test_a_server_that_stays_away(own_server):
    url = own_server.database()
    with Store(url, timeout=1) as store, Sandbox() as sandbox:
        first = store.save("a", sandbox)
        own_server.kill()
        for use in (store.names, lambda: store.save("a", sandbox), lambda: store.load("a"), store.prune):
            with pytest.raises(StoreUnavailable, match=f":{own_server.port}/"):
                use()
        own_server.start()
        assert store.names() == ["a"]
        assert store.save("a", sandbox) > first


# ------------------------------------------------------------------ who drives


def test_a_connection_that_ends_loses_no_lease_that_nobody_wants(own_server):
    url = own_server.database()
    with Store(url, lease_seconds=0.6) as store, Sandbox() as sandbox:
        with store.lease("a") as lease:
            own_server.kill()
            own_server.start()
            store.save("a", sandbox, lease=lease)
            time.sleep(1.0)  # it is taken anew
            assert not lease.lost
            with Store(url) as other, pytest.raises(LeaseError):
                other.lease("a")
            store.save("a", sandbox, lease=lease)


def test_a_full_disk_is_no_server_that_is_away(url):
    """A refusal is told at once, and the store goes on."""
    with Store(url) as store, Sandbox() as sandbox:
        store.save("a", sandbox)
        with database(url) as db:
            db.execute(
                "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN RAISE disk_full USING MESSAGE = 'No space left on device'; END $$"
            )
            db.execute("CREATE TRIGGER full_disk BEFORE INSERT ON content EXECUTE FUNCTION full_disk()")
        begun = time.monotonic()
        with pytest.raises(StoreError, match="No space left") as refused:
            store.save("a", sandbox)
        assert not isinstance(refused.value, StoreUnavailable) and time.monotonic() - begun < 20
        with database(url) as db:
            db.execute("DROP TRIGGER full_disk ON content")
        with contextlib.closing(store.load("a")):
            assert store.save("a", sandbox)
        assert len(store.list()) == 2
