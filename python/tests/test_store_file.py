"""The file of a store: whose it is, what becomes of a damaged one, and who may use it at once."""

import asyncio
import contextlib
import os
import random
import sqlite3
import threading

import pytest

from pinfold import AsyncStore, Sandbox, SnapshotError, Store, StoreError

KEY = b"sixteen bytes or more"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agents.db"


def filled(path, key=None):
    with Store(path, key=key) as store, Sandbox(key=key) as sandbox:
        sandbox.run("seq 100 > n")
        store.save("alice", sandbox, label="one")
        sandbox.run("seq 200 > n")
        store.save("alice", sandbox)
        store.branch("alice", "bob")
        store.add_audit("alice", [{"method": "get"}])


def test_a_key_decides_at_save_as_at_load(path, tmp_path):
    with Store(path, key=KEY) as store, Sandbox() as sandbox, pytest.raises(ValueError, match="not the same"):
        store.save("a", sandbox)
    with Store(tmp_path / "open.db") as store, Sandbox(key=KEY) as sandbox:
        with pytest.raises(ValueError, match="the store none"):
            store.save("a", sandbox)
        with Sandbox() as plain:
            store.save("a", plain)
        with pytest.raises(ValueError, match="the store none"):
            store.load("a", key=KEY)
        assert store.names() == ["a"]


@pytest.mark.parametrize("setup", ["CREATE TABLE notes(x)", "PRAGMA application_id=252006674; PRAGMA user_version=1"])
def test_the_database_of_another_program_is_left_alone(path, setup):
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript(setup)
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="another program") as refused:
            Store(path, read_only=read_only)
        assert str(path) in str(refused.value)
    assert path.read_bytes() == before and os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("content", [b"no database at all, but a text of some length" * 30, b"SQLite format 3\0" + b"x" * 4000])
def test_a_file_that_is_no_database_is_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(StoreError, match=str(path)):
        Store(path)
    assert path.read_bytes() == content


def test_a_later_format_and_an_earlier_pinfold(path):
    filled(path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA application_id").fetchone()[0] == 0x70666C64
        db.execute("PRAGMA user_version=9")
    with pytest.raises(StoreError, match="format 9"):
        Store(path)
    with contextlib.closing(sqlite3.connect(path)) as db:  # as stores once were
        db.executescript("PRAGMA user_version=1; PRAGMA application_id=0")
    with Store(path) as store:
        assert store.names() == ["alice", "bob"]
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA application_id").fetchone()[0] == 0x70666C64


def test_read_only(path):
    with pytest.raises(StoreError, match=str(path)):
        Store(path, read_only=True)
    assert not path.exists()
    filled(path)
    with Store(path, read_only=True) as store:
        assert store.names() == ["alice", "bob"] and len(store.list()) == 2
        with store.load("alice") as sandbox:
            assert sandbox.run("wc -l < n").stdout == "200\n"
            for change in (
                lambda: store.save("alice", sandbox),
                lambda: store.forget("alice"),
                lambda: store.branch("alice", "c"),
                store.prune,
                lambda: store.add_audit("a", [1]),
            ):
                with pytest.raises(ValueError, match="read_only"):
                    change()
        with Store(path) as other, Sandbox() as sandbox:  # seen by who reads
            other.save("carol", sandbox)
        assert "carol" in store.names()


USES = [
    lambda store: store.names(),
    lambda store: store.list(),
    lambda store: store.history("alice"),
    lambda store: store.load("alice").close(),
    lambda store: store.load("bob").close(),
    lambda store: store.diff(1, 2),
    lambda store: list(store.traces()),
    lambda store: list(store.audit()),
    lambda store: store.branch("alice", "carol"),
    lambda store: store.forget("bob"),
    lambda store: store.prune(),
]


@pytest.mark.parametrize("key", [None, KEY], ids=["open", "keyed"])
def test_every_corruption_is_one_error_with_the_path(path, tmp_path, key):
    filled(path, key)
    whole = path.read_bytes()
    randoms = random.Random(7)
    seen = 0
    for turn in range(60):
        damaged = bytearray(whole)
        kind = turn % 4
        if kind == 0:  # a page of zeros
            at = randoms.randrange(len(whole) // 4096) * 4096
            damaged[at : at + 4096] = bytes(4096)
        elif kind == 1:  # cut short
            del damaged[randoms.randrange(100, len(whole)) :]
        else:  # some bytes, mostly of what SQLite reads itself
            for _ in range(1 + turn % 7):
                page = randoms.randrange(len(whole) // 4096) * 4096
                damaged[page + randoms.randrange(0, 120)] = randoms.randrange(256)
        here = tmp_path / f"{turn}.db"
        here.write_bytes(damaged)
        try:
            store = Store(here, key=key)
        except StoreError as error:
            assert str(here) in str(error)
            seen += 1
            continue
        with store:
            for use in USES:
                try:
                    use(store)
                except StoreError as error:
                    assert str(here) in str(error)
                    seen += 1
                except KeyError as error:  # a name or id that is not there any more
                    assert error.args[0] in ("alice", "bob", 1, 2)
                except ValueError as error:
                    assert "already" in str(error)
    assert seen > 60


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE snapshot SET data = x'00'",
        "UPDATE snapshot SET data = substr(data, 1, length(data) / 2)",
        "UPDATE snapshot SET time = 1e300",
        "UPDATE snapshot SET label = x'ff'",
        "UPDATE snapshot SET label = CAST(x'ff' AS TEXT)",
        "UPDATE name SET snapshot = 99",
        "UPDATE audit SET entry = '{'",
        "UPDATE audit SET entry = replace(hex(zeroblob(50000)), '0', '[')",
        "DROP TABLE name",
        "ALTER TABLE snapshot DROP COLUMN time",
    ],
)
def test_damage_inside_is_told_as_damage(path, change):
    filled(path)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute(change)
    told = []
    with Store(path) as store:
        for use in USES[:8]:
            try:
                use(store)
            except SnapshotError as error:
                assert type(error) is StoreError and str(path) in str(error)
                told.append(error)
    assert told or change == "DROP TABLE name"  # which is made again, empty


def test_a_busy_store_is_an_error_with_its_path(path):
    filled(path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        with Store(path, timeout=0.1) as store, pytest.raises(StoreError, match="locked") as busy:
            store.forget("alice")
        assert str(path) in str(busy.value)


def test_several_threads(path):
    with Store(path, key=KEY) as store:
        failures = []

        def work(n):
            try:
                with Sandbox(key=KEY) as sandbox:
                    for turn in range(5):
                        sandbox.run(f"echo {turn} > n")
                        store.save(f"agent{n}", sandbox)
                        assert f"agent{n}" in store.names()
                        store.history(f"agent{n}")
                    with store.load(f"agent{n}") as again:
                        assert again.run("cat n").stdout == "4\n"
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures and len(store.list()) == 20


def test_asyncio(path):
    async def main():
        async with AsyncStore(path) as store:
            async with Sandbox() as sandbox:
                await sandbox.arun("echo 1 > n")
                first = await store.save("a", sandbox, label="one")
                await sandbox.arun("echo 2 > n")
                await store.save("a", sandbox)
            await store.branch(first, "b")
            assert await store.names() == ["a", "b"] and [s.id for s in await store.list()] == [1, 2]
            assert (await store.diff("b", "a"))["changed"] == ["/workspace/n"]
            async with await store.load("a") as again:
                assert (await again.arun("cat n")).stdout == "2\n"
            await store.add_audit("a", [1])
            assert await store.audit() == [("a", 1)] and await store.traces() == []
            loads = await asyncio.gather(*(store.load("b") for _ in range(4)))
            for sandbox in loads:
                sandbox.close()
            with pytest.raises(KeyError):
                await store.load("nobody")
            await store.forget("b")
            assert await store.prune() == 1
        with pytest.raises(ValueError, match="closed"):
            await store.names()

    asyncio.run(main())


def test_a_cancelled_save_is_done_or_not_begun(path):
    async def main():
        async with AsyncStore(path) as store, Sandbox() as sandbox:
            task = asyncio.ensure_future(store.save("a", sandbox))
            await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            assert sandbox.run("echo free").stdout == "free\n"  # nobody has it any more
            assert await store.names() in ([], ["a"])

    asyncio.run(main())
