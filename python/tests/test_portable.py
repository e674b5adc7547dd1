"""Portable snapshots, which any later version takes, and the files of snapshots of any build."""

from __future__ import annotations

import difflib
import hashlib
import random
import warnings
from pathlib import Path

import pytest

from pinfold import (
    BoundError,
    LeftOutWarning,
    Limits,
    MethodCapability,
    Sandbox,
    SandboxStateError,
    SnapshotError,
    Store,
    Tool,
)

KEY = b"sixteen bytes or more"
#: All that a shell says of itself.
ASK = (
    "declare -p; declare -f; declare -F; shopt -p; set +o; alias; trap; pwd; dirs -l; umask; hash; complete -p;"
    ' enable -n; printf "<%s>" "$@"; echo "$#"'
)


@pytest.fixture(params=[None, "process"])
def isolation(request: pytest.FixtureRequest) -> str | None:
    return request.param


def portable(sandbox: Sandbox) -> bytes:
    """Of one that is held whole."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", LeftOutWarning)
        return sandbox.snapshot(portable=True)


def of_another_build(data: bytes, key: bytes | None = None) -> bytes:
    """As if another build had made it."""
    other = data[:16] + bytes(32) + data[48:-32]
    if key is None:
        return other + hashlib.blake2b(other, digest_size=32).digest()
    secret = hashlib.blake2b(b"pinfold snapshot key\0" + key, digest_size=32).digest()
    return other + hashlib.blake2b(other, digest_size=32, key=secret).digest()


# ---------------------------------------------------------------------- the shell


def random_value(rng: random.Random) -> str:
    alphabet = ["a", "B", " ", "\n", "'", '"', "$", "\\", "`", "é", "*", "~", "\t", "\x01", "!", "=", "["]
    text = "".join(rng.choice(alphabet) for _ in range(rng.randrange(8)))
    return "$'" + "".join(f"\\x{byte:02x}" for byte in text.encode()) + "'"


def random_session(rng: random.Random) -> str:
    """Declarations of every kind."""
    lines = []
    for number in range(rng.randrange(4, 12)):
        name = f"v{number}"
        flags = "".join(flag for flag in "rxt" if rng.random() < 0.3)
        flags += rng.choice(["", "", "l", "u", "i", "c"])
        value = random_value(rng)
        if flags.endswith("i"):
            value = str(rng.randrange(-(10**9), 10**9))
        kind = rng.randrange(6)
        option = f"-{flags}" if flags else "--"
        if kind == 0:
            elements = " ".join(f"[{rng.randrange(1000)}]={value}" for _ in range(rng.randrange(5)))
            lines.append(f"declare -a{flags} {name}=({elements})")
        elif kind == 1:
            elements = " ".join(f"[k{random_value(rng)}]={value}" for _ in range(rng.randrange(6)))
            lines.append(f"declare -A{flags} {name}=({elements})")
        elif kind == 2:
            lines.append(f"declare {option} {name}")
        elif kind == 3:
            lines.append(f"declare -n {name}=target{number}")
        else:
            lines.append(f"declare {option} {name}={value}")
    bodies = [
        "echo $1 | tr a-z A-Z", "local x=1; for i in 1 2; do ((x+=i)); done; return $x",
        "case $1 in a|b) echo ab;; *) echo other;; esac", "if [[ $1 == @(x|y) ]]; then cat <<E\nhe$1re\nE\nfi",
        "( cd /; pwd ) > /dev/null 2>&1; while false; do :; done", "f1 \"$@\" && ! false || echo ${1:-none}",
    ]
    lines.append("shopt -s extglob")
    for number, body in enumerate(rng.sample(bodies, 4)):
        lines.append(f"f{number}() {{ {body}\n}}")
    lines.append(rng.choice(["export -f f0", "readonly -f f1", "declare -ft f2", ":"]))
    lines.append(f"alias l{rng.randrange(9)}={random_value(rng)}")
    lines += rng.sample(
        ["shopt -u extglob", "set -o pipefail", "shopt -s nullglob globstar", "set -C", "shopt -s expand_aliases",
         "set -u", "umask 027", "mkdir -p a/b; cd a/b", "pushd /tmp > /dev/null", "trap 'echo $x' USR1 ERR",
         "trap '' INT", "set -- 'a b' c ''", "complete -W 'x y' cmd", "enable -n test", "hash -p /bin/ls q",
         "OPTIND=3", "unset HOSTNAME PS4", "IFS=,", "set -o posix", "LC_ALL=C", "export PATH=/bin",
         "set -o history; HISTSIZE=5"], 9)
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(12))
def test_generated_sessions_are_the_same_afterwards(seed: int) -> None:
    script = random_session(random.Random(seed))
    with Sandbox(clock=1_700_000_000) as first:
        first.run(script)
        data = portable(first)
        before = first.run(ASK)
    with Sandbox.restore(data) as second:
        after = second.run(ASK)
        assert second.left_out == []
    # What each run leaves behind by itself is compared as well: both did the same one run.
    lines = [*difflib.unified_diff(before.stdout.split("\n"), after.stdout.split("\n"), n=0)]
    assert [line for line in lines if "BASHPID" not in line] == [], script
    assert before.stderr == after.stderr


def test_the_shell_goes_on(isolation: str | None) -> None:
    with Sandbox(isolation=isolation) as first:
        first.run("x=7; f() { echo f$x; }; cd /tmp; set -- a b; echo kept > file; (exit 3)")
        data = portable(first)
        assert first.run("echo $x").stdout == "7\n"
    with Sandbox.restore(data, isolation=isolation) as second:
        assert second.restored_from == "portable"
        assert second.run("echo $? $x $(f) $PWD $2 $(cat file)").stdout == "3 7 f7 /tmp b kept\n"


def test_functions_and_aliases_that_hide_builtins_change_nothing() -> None:
    hiding = "for n in declare builtin command printf echo set export eval unset; do eval \"$n() { :; }\"; done"
    with Sandbox() as first:
        first.run(f"x=7; alias declare=false; {hiding}")
        data = portable(first)
    with Sandbox.restore(data) as second:
        assert second.run("\\cat <<< $x").stdout == "7\n"


def test_readonly_exported_and_traps_work() -> None:
    with Sandbox() as first:
        first.run("readonly r=1; export e=2; trap 'echo got' USR1; g() { echo g; }; export -f g; set -e")
        data = portable(first)
    with Sandbox.restore(data) as second:
        assert second.run("env | grep ^e=; kill -USR1 $$; bash -c g").stdout == "e=2\ngot\ng\n"
        assert "readonly variable" in second.run("r=2; echo no").stderr


def test_what_is_left_is_told() -> None:
    with Sandbox() as first:
        first.run("exec 3> /tmp/f; sleep 1000 &")
        with pytest.warns(LeftOutWarning, match="open descriptor 3.*") as told:
            data = first.snapshot(portable=True)
        assert len(told) == 1
        assert Path(told[0].filename).name == "test_portable.py"
    left = Sandbox.files_of(data).left_out
    assert any("in the background" in line for line in left)
    with pytest.warns(LeftOutWarning), Sandbox.restore(data) as second:
        assert second.left_out == left


def test_while_a_run_is_on_there_is_none(isolation: str | None) -> None:
    settings = {"tools": [Tool("get")], "capabilities": [MethodCapability("get")], "isolation": isolation}
    with Sandbox(**settings) as sandbox:
        sandbox.start("tool get")
        with pytest.raises(SandboxStateError, match="a run is on"):
            sandbox.snapshot(portable=True)
        assert sandbox.snapshot()


# ---------------------------------------------------------------------- Python


def test_python_names(isolation: str | None) -> None:
    cell = """
import math, os.path as p
from collections import Counter
LIMIT = 3
class Base:
    kind = "base"
class Box(Base):
    def __init__(self, x): self.x = x
    def double(self): return self.x * 2
def grow(n=LIMIT): return [Box(i) for i in range(n)]
boxes = grow(); same = boxes
late: int = 5
c = Counter("aab")
"""
    with Sandbox(isolation=isolation) as first:
        first.run(cell, "python")
        first.run("import os; os.chdir('/tmp'); os.environ['E'] = 'é'", "python")
        data = portable(first)
    with Sandbox.restore(data, isolation=isolation) as second:
        found = second.run(
            "[boxes is same, boxes[2].double(), Box.kind, math.pi > 3, p.basename('/a/b'), c['a'], len(grow()),"
            " os.getcwd(), os.environ['E'], [n for n in globals() if n[0] != '_']]",
            "python",
        ).value
        assert found[:9] == [True, 4, "base", True, "b", 2, 3, "/tmp", "é"]
        assert found[9] == ["math", "p", "Counter", "LIMIT", "Base", "Box", "grow", "boxes", "same", "late", "c",
                            "os"]
        again = portable(second)
    with Sandbox.restore(again, isolation=isolation) as third:
        assert third.run("boxes[1].double()", "python").value == 2


def test_python_names_that_do_not_pickle_are_named() -> None:
    with Sandbox() as first:
        first.run("f = lambda: 1\nfile = open('/tmp/x', 'w')\ngood = 1", "python")
        with pytest.warns(LeftOutWarning, match="the name f .*; of Python: the name file"):
            data = first.snapshot(portable=True)
    with pytest.warns(LeftOutWarning), Sandbox.restore(data) as second:
        assert second.run("good", "python").value == 1


def test_taking_over_calls_no_tool() -> None:
    """A pickle may call anything that is inside; tools are not, before the sandbox is whole."""
    called: list[object] = []
    pay = Tool("pay", handler=lambda **how: called.append(how))
    cell = """
class Evil:
    def __reduce__(self):
        return (eval, ("__import__('os').system('pay; tool pay') or __import__('tools').pay()",))
evil = Evil()
"""
    settings = {"tools": [pay], "capabilities": [MethodCapability("pay", max_calls=5)]}
    with Sandbox(**settings) as first:
        first.run(cell, "python")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = first.snapshot(portable=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Sandbox.restore(data, **settings) as second:
            assert called == []
            assert second.calls_left(settings["capabilities"][0]) == 5
            assert second.run("pay").exit_code == 0
    assert len(called) == 1


# ---------------------------------------------------------------------- the rest


def test_budgets_and_ids_go_on(isolation: str | None) -> None:
    once = MethodCapability("get", max_calls=3)
    settings = {"tools": [Tool("get")], "capabilities": [once], "isolation": isolation}
    with Sandbox(**settings) as first:
        first.start("tool get; tool get")
        ids = []
        for _ in range(2):
            call = first.step()
            assert call is not None
            ids.append(call.id)
            call.resume(1)
        data = portable(first)
    with Sandbox.restore(data, **settings) as second:
        assert second.calls_left(once) == 1
        second.start("tool get")
        call = second.step()
        assert call is not None and call.id not in ids and call.id > max(ids)
        call.resume(1)
        assert second.run("tool get").exit_code != 0


def test_files_are_as_they_were() -> None:
    with Sandbox(files={"/etc/motd": "hi\n", "/opt/tool/x": b"\0\xff"}) as first:
        first.run(
            "mkdir -p a/b; echo 1 > a/b/f; ln a/b/f hard; ln -s a/b link; mkfifo a/p; chmod 705 a; chmod u+s hard;"
            " touch -d 2001-02-03 a/b/f a/b; truncate -s 5M holes; echo end >> holes; : > empty;"
            " touch $'bad\\xff' 'new\nline'"
        )
        look = "cd /; find workspace opt etc/motd -printf '%p %M %s %n %T@ %l %U\\n' | sort; md5sum /workspace/holes"
        before = first.run(look).stdout
        data = portable(first)
        exact = first.snapshot()
    with Sandbox.restore(data) as second:
        assert second.run(look).stdout == before
    for files in Sandbox.files_of(data), Sandbox.files_of(of_another_build(exact)):
        assert files["/etc/motd"] == b"hi\n"
        assert files["/workspace/hard"] == files["/workspace/a/b/f"] == b"1\n"
        assert files["/workspace/holes"] == bytes(5 << 20) + b"end\n"
        assert files.target("/workspace/link") == "a/b"
        assert "/workspace/a" not in files and "/bin/ls" not in files
        assert files["/workspace/empty"] == b""


def test_clock_and_seed_go_on() -> None:
    with Sandbox(clock=1_700_000_000, seed=7) as first:
        first.run("sleep 5; SECONDS=100")
        data = portable(first)
        assert portable(first) == data
        now = first.run("date +%s").stdout
    runs = []
    for _ in range(2):
        with Sandbox.restore(data) as second:
            runs.append(second.run("date +%s; echo $SECONDS; head -c 8 /dev/urandom | od -An -tx1").stdout)
            runs.append(second.snapshot())
    assert runs[0].startswith(now + "100\n")
    assert runs[:2] == runs[2:]


def test_key_counter_and_damage() -> None:
    with Sandbox(key=KEY) as first:
        first.run("x=1")
        data = first.snapshot(portable=True, counter=5)
    assert Sandbox.files_of(data, key=KEY).entries
    with Sandbox.restore(data, key=KEY, min_counter=5) as second:
        assert second.run("echo $x").stdout == "1\n"
    for wrong in (
        lambda: Sandbox.restore(data),
        lambda: Sandbox.restore(data, key=b"another key of 16"),
        lambda: Sandbox.restore(data, key=KEY, min_counter=6),
        lambda: Sandbox.restore(data[:-1], key=KEY),
        lambda: Sandbox.restore(data[:80] + b"\0" + data[81:], key=KEY),
        lambda: Sandbox.files_of(data),
    ):
        with pytest.raises(SnapshotError):
            wrong()


def test_limits_of_who_restores_hold() -> None:
    with Sandbox() as first:
        first.run("head -c 3000000 /dev/zero | tr '\\0' x > big")
        data = portable(first)
    with pytest.raises((SnapshotError, OSError)):
        Sandbox.restore(data, limits=Limits(filesystem_bytes=1 << 20))
    with pytest.raises(BoundError):
        Sandbox.files_of(data, max_bytes=1 << 20)


def test_mounts_are_given_anew(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("host\n")
    with Sandbox(mounts={"/data": (tmp_path, "copy")}) as first:
        first.run("cat /data/f; echo new > /data/g; echo own > own")
        with pytest.warns(LeftOutWarning, match="the mount.*/data"):
            data = first.snapshot(portable=True)
        exact = first.snapshot()
    assert Sandbox.files_of(of_another_build(exact))["/data/g"] == b"new\n"
    with pytest.warns(LeftOutWarning), Sandbox.restore(data, mounts={"/data": tmp_path}) as second:
        assert second.run("cat /data/f own; ls /data").stdout == "host\nown\nf\n"


def test_recorded_and_replayed(tmp_path: Path) -> None:
    from pinfold import replay

    with Sandbox(record=tmp_path / "first.jsonl") as first:
        first.run("x=$RANDOM; echo $x > f")
        first.run("y = 1", "python")
        data = portable(first)
        first.run("echo $x $RANDOM; ls -l --full-time")
    replay(tmp_path / "first.jsonl")
    trace = tmp_path / "run.jsonl"
    with Sandbox.restore(data, record=trace) as second:
        second.run("echo $x $RANDOM $SECONDS; date +%N; cat f")
        second.run("y", "python")
    replay(trace)


# ---------------------------------------------------------------------- stores


def test_a_store_falls_back_to_the_portable_form(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    for key in None, KEY:
        with Store(path, key=key) as store, Sandbox(key=key) as sandbox:
            sandbox.run("x=7; echo draft > plan")
            id = store.save("alice", sandbox)
            assert store.list()[-1].this_build and store.list()[-1].portable
            with store.load("alice") as same:
                assert same.restored_from == "exact"
            sandbox.run("echo bold > plan")
            later = store.save("alice", sandbox)
            for number in id, later:
                other = of_another_build(store.data(number), key)
                store._db.execute("UPDATE snapshot SET data = ? WHERE id = ?", (other, number))
            assert not store.list()[-1].this_build
            with store.load("alice") as taken:
                assert taken.restored_from == "portable"
                assert taken.run("echo $x; cat plan").stdout == "7\nbold\n"
            assert store.diff(id, later)["changed"] == ["/workspace/plan"]
            store.prune()
            assert store._db.portables() == {later}
        path = tmp_path / "keyed.db"


def test_a_store_says_what_a_waiting_one_needs(tmp_path: Path) -> None:
    settings = {"tools": [Tool("get")], "capabilities": [MethodCapability("get")]}
    with Store(tmp_path / "s.db") as store, Sandbox(**settings) as sandbox:
        sandbox.start("tool get")
        id = store.save("alice", sandbox)
        assert not store.list()[0].portable
        other = of_another_build(store.data(id))
        store._db.execute("UPDATE snapshot SET data = ? WHERE id = ?", (other, id))
        with pytest.raises(SnapshotError, match="that build's images"):
            store.load("alice", **settings)


def test_a_store_of_an_earlier_version_is_taken(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store, Sandbox() as sandbox:
        store.save("alice", sandbox)
        store._db.execute("DROP TABLE portable")
    with Store(tmp_path / "s.db", read_only=True) as store:
        assert not store.list()[0].portable
        store.load("alice").close()
    with Store(tmp_path / "s.db") as store, Sandbox() as sandbox:
        store.save("bob", sandbox)
        assert [saved.portable for saved in store.list()] == [False, True]
