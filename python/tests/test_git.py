"""git in the sandbox beside the real one: each reads what the other wrote, and finds nothing wrong."""

import io
import os
import shutil
import subprocess
import tarfile

import pytest

from pinfold import Sandbox

WHO = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
       for what, value in (("NAME", "A"), ("EMAIL", "a@x"), ("DATE", "1700000000 +0000"))}
real_git = pytest.mark.skipif(not shutil.which("git"), reason="needs git")


def git(folder, *arguments):
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", **WHO}
    done = subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True)
    assert done.returncode == 0, f"git {arguments}: {done.stdout}{done.stderr}"
    return done.stdout.decode()


def out_of(sandbox, folder, to):
    """The sandbox's folder as files of the host."""
    sandbox.shell(f"tar -C /workspace/{folder} -cf /tmp/out.tar .")
    with tarfile.open(fileobj=io.BytesIO(sandbox.files["/tmp/out.tar"])) as tar:
        tar.extractall(to, filter="data")


def into(sandbox, folder, to):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        tar.add(folder, arcname=".")
    sandbox.files["/tmp/in.tar"] = data.getvalue()
    sandbox.shell(f"mkdir -p /workspace/{to} && tar -C /workspace/{to} -xf /tmp/in.tar")


@real_git
def test_the_real_git_reads_what_ours_wrote(tmp_path):
    with Sandbox(env=WHO) as sandbox:
        sandbox.shell("""
            git init -q -b main r; cd r
            echo a > a; seq 5000 > big; printf 'a\\0b' > bin; ln -s a link; mkdir -p d/e; echo x > d/e/x; chmod +x d/e/x
            printf 'one\\r\\ntwo\\r\\n' > crlf; : > empty; echo u > 'ü name'
            git add .; git commit -qm first; git tag -a v1 -m tag
            git mv a b; sed -i s/77/xx/ big; git commit -qam 'rename and change'
            git switch -qc topic HEAD~1; echo t > t; git add t; git commit -qm topic; git switch -q main; echo s > staged; git add staged
        """)
        ours = {c: sandbox.shell(f"cd /workspace/r; git {c}") for c in
                ("status --porcelain=v2 --branch", "log --all --stat", "log -p", "ls-files -s", "for-each-ref", "log --graph --oneline --all")}
        out_of(sandbox, "r", tmp_path)
    assert git(tmp_path, "fsck", "--strict", "--no-dangling") == ""
    for command, text in ours.items():
        assert git(tmp_path, *command.split()) == text, command


@real_git
def test_ours_reads_what_the_real_git_wrote(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d/run").write_text("#!/bin/sh\n")
    (tmp_path / "d/run").chmod(0o755)
    (tmp_path / "link").symlink_to("d/run")
    (tmp_path / "crlf").write_bytes(b"one\r\ntwo\r\n")
    git(tmp_path, "init", "-q", "-b", "main")
    for n in range(12):
        (tmp_path / "text").write_text("".join(f"{i * n % 97}\n" for i in range(3000)))
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", f"commit {n}")
    git(tmp_path, "tag", "-a", "v1", "-m", "tagged")
    git(tmp_path, "gc", "-q", "--aggressive")  # packs with deltas, packed refs
    git(tmp_path, "checkout", "-q", "HEAD~3")
    commands = ("status", "log -p -3", "log --stat v1", "show v1", "ls-files -s", "rev-parse v1^{tree}", "diff HEAD~2 v1 --stat")
    theirs = {c: git(tmp_path, *c.split()) for c in commands}
    with Sandbox(env=WHO) as sandbox:
        into(sandbox, tmp_path, "r")
        for command, text in theirs.items():
            assert sandbox.shell(f"cd /workspace/r; git {command}") == text, command
        sandbox.shell("cd /workspace/r; git switch -qc ours; echo more >> text; git commit -qam ours; git tag light")
        shutil.rmtree(tmp_path)
        out_of(sandbox, "r", tmp_path)
        tip = sandbox.shell("cd /workspace/r; git rev-parse ours").strip()
    assert git(tmp_path, "fsck", "--strict", "--no-dangling") == ""
    assert git(tmp_path, "status", "--porcelain") == ""
    assert git(tmp_path, "rev-parse", "HEAD").strip() == tip


@real_git
def test_the_real_git_finds_nothing_wrong_after_rebase_am_and_stash(tmp_path):
    with Sandbox(env=WHO) as sandbox:
        sandbox.shell("""
            git init -q -b main r; cd r; seq 20 > n; git add n; git commit -qm base
            git switch -qc topic; sed -i s/^3$/three/ n; git commit -qam three; echo t > t; git add t; git commit -qm t
            git format-patch -q -o /tmp/mails main; git switch -q main; sed -i s/^15$/x/ n; git commit -qam x
            git rebase -q main topic; git switch -qc mailed main; git am -q /tmp/mails/*
            echo more >> n; echo u > u; git stash push -q -u n u; git push -q . topic:other; git switch -q main""")
        assert sandbox.shell("cd r; git rev-parse mailed^{tree}") == sandbox.shell("cd r; git rev-parse topic^{tree}")
        ours = sandbox.shell("cd r; git log --graph --format='%H %an %s' topic mailed other")
        out_of(sandbox, "r", tmp_path)
    assert git(tmp_path, "fsck", "--strict", "--no-dangling") == ""
    assert git(tmp_path, "status", "--porcelain") == ""
    assert git(tmp_path, "log", "--graph", "--format=%H %an %s", "topic", "mailed", "other") == ours
    assert git(tmp_path, "stash", "show", "--include-untracked", "--name-only", "stash") == "n\nu\n"


def test_two_runs_are_equal():
    script = "git init -q r; cd r; seq 9 > a; git add a; git commit -qm x; git log --format='%H %ad'; cat .git/logs/HEAD"
    who = {name: value for name, value in WHO.items() if not name.endswith("DATE")}
    texts = set()
    for _ in range(2):
        with Sandbox(env=who, clock=1_700_000_000, seed=7) as sandbox:
            texts.add(sandbox.shell(script))
    assert len(texts) == 1 and "2023" in texts.pop()


def test_a_network_is_refused_with_what_to_do():
    with Sandbox() as sandbox:
        for url in ("https://example.com/x.git", "git@example.com:x.git", "ssh://example.com/x", "git://example.com/x"):
            result = sandbox.run(f"git clone {url}")
            assert result.exit_code == 128
            assert "no network" in result.stderr and "mounts=" in result.stderr
        assert sandbox.shell("ls") == ""


def test_a_mounted_repository_is_cloned(tmp_path):
    if not shutil.which("git"):
        pytest.skip("needs git")
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a").write_text("a\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    with Sandbox(mounts={"/repo": str(tmp_path)}) as sandbox:
        assert sandbox.shell("git clone -q /repo here; cd here; git log --format=%s; git status -s; cat a") == "first\na\n"




@pytest.mark.parametrize("name", ["..", ".git", ".GIT", "a/../../b"])
def test_names_that_lead_out_of_the_working_tree_are_refused(name):
    """A tree as an attacker would pack it: its entry is not checked out."""
    with Sandbox(env=WHO) as sandbox:
        sandbox.shell("git init -q -b main r; cd /workspace/r; echo good > x; git add x; git commit -qm x")
        sandbox.files["/workspace/make.py"] = f"""
import hashlib, os, zlib, subprocess
os.chdir("/workspace/r")
def write(kind, data):
    raw = kind.encode() + b" %d\\0" % len(data) + data
    name = hashlib.sha1(raw).hexdigest()
    os.makedirs(f".git/objects/{{name[:2]}}", exist_ok=True)
    open(f".git/objects/{{name[:2]}}/{{name[2:]}}", "wb").write(zlib.compress(raw))
    return name
blob = write("blob", b"evil\\n")
tree = write("tree", b"100644 " + {name!r}.encode() + b"\\0" + bytes.fromhex(blob))
who = "A <a@x> 1700000000 +0000"
commit = write("commit", f"tree {{tree}}\\nauthor {{who}}\\ncommitter {{who}}\\n\\nevil\\n".encode())
open(".git/refs/heads/evil", "w").write(commit + "\\n")
""".encode()
        sandbox.shell("python3 /workspace/make.py")
        before = sandbox.shell("cd /workspace/r; cat .git/HEAD .git/config; find /workspace /tmp -name b")
        result = sandbox.run("cd /workspace/r; git checkout -f evil")
        assert result.exit_code != 0, result.stdout
        assert sandbox.shell("cd /workspace/r; cat .git/HEAD .git/config; find /workspace /tmp -name b").replace("evil", "main") == before


@real_git
def test_what_lies_in_a_pack_is_listed_as_git_lists_it(tmp_path):
    """With differences of differences, and by offset as well as by name."""
    for n in range(12):
        (tmp_path / "file").write_text("".join(f"{i} {i < n * 20}\n" for i in range(300)))
        if n == 0:
            git(tmp_path, "init", "-q", "-b", "main")
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", f"commit {n}")
    for setting in ("true", "false"):
        git(tmp_path, "-c", f"repack.useDeltaBaseOffset={setting}", "repack", "-adfq")
        listed = git(tmp_path, "verify-pack", "-v", next((tmp_path / ".git/objects/pack").glob("*.idx")).relative_to(tmp_path))
        assert "chain length = 2" in listed
        with Sandbox() as sandbox:
            into(sandbox, tmp_path, "r")
            assert sandbox.shell("cd r; git verify-pack -v .git/objects/pack/*.idx") == listed
            assert sandbox.shell("cd r; git verify-pack -s .git/objects/pack/*.idx") in listed
