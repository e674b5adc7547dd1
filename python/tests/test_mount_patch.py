"""What an agent did to a mounted working copy, as a patch that git takes."""

import os
import shutil
import subprocess
import threading

import pytest

from pinfold import BoundError, Sandbox, SandboxInterrupted

MIB = 1 << 20

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")


def state(folder):
    found = {}
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in files + [f for f in folders if os.path.islink(os.path.join(at, f))]:
            path = os.path.join(at, name)
            link = os.path.islink(path)
            content = os.readlink(path).encode() if link else open(path, "rb").read()
            found[os.path.relpath(path, folder)] = (
                link,
                not link and os.access(path, os.X_OK),
                content,
            )
    return found


@pytest.mark.parametrize("commit", [True, False])
def test_a_patch_makes_of_the_directory_what_the_sandbox_has(tmp_path, commit):
    repo = tmp_path / "repo"
    (repo / "d").mkdir(parents=True)
    (repo / "text").write_text("".join(f"{n}\n" for n in range(100)))
    (repo / "d/gone").write_text("gone\n")
    (repo / 'd/ü "q"').write_text("x")
    (repo / "bin").write_bytes(bytes(range(256)) * 20)
    (repo / "run").write_text("#!/bin/sh\n")
    (repo / "link").symlink_to("text")
    (repo / "kind").write_text("file\n")
    (repo / "large").write_text("".join(f"{n}\n" for n in range(9000)))
    if commit:
        subprocess.run(
            "git init -q; git add .; git -c user.name=a -c user.email=b commit -qm x",
            shell=True,
            cwd=repo,
            check=True,
        )
    with Sandbox(mounts={"/repo": (repo, "copy")}) as sandbox:
        sandbox.shell("""cd /repo
            sed -i 's/^50$/fifty/; 1d; $d' text; rm d/gone; printf more >> 'd/ü "q"'; printf '\\0new\\377' >> bin; chmod +x run
            rm link; ln -s run link; rm kind; ln -s text kind; echo 'a b' > 'a b'; : > empty; mkdir new; printf 'no end' > new/file
            sed -i 's/7/seven/' large; mkdir only""")
        patch = sandbox.mounted("/repo").patch()
        sandbox.mounted("/repo").export(tmp_path / "out")
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn"], input=patch.encode(), cwd=repo, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert state(repo) == state(tmp_path / "out")


def test_what_git_wrote_for_itself_is_left_out(tmp_path):
    (tmp_path / "a").write_text("a\n")
    with Sandbox(mounts={"/repo": (tmp_path, "copy")}) as sandbox:
        sandbox.shell(
            "cd /repo; git init -q; git add a; echo b > a; mkdir -p x/.GIT; echo > x/.GIT/config"
        )
        assert sandbox.mounted("/repo").patch(context=0).splitlines()[-3:] == [
            "@@ -1 +1 @@",
            "-a",
            "+b",
        ]
        assert ".git/" not in sandbox.mounted("/repo").patch().lower()


def test_a_link_of_the_host_is_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("host's own\n")
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "d").symlink_to(outside)
    with Sandbox(mounts={"/repo": (repo, "copy")}) as sandbox:
        sandbox.shell("cd /repo; rm d; mkdir d; echo mine > d/secret")
        assert "host's own" not in sandbox.mounted("/repo").patch()


def test_nothing_and_nowhere(tmp_path):
    with Sandbox(mounts={"/repo": (tmp_path, "copy")}) as sandbox:
        assert sandbox.mounted("/repo").patch() == ""
        with pytest.raises(ValueError, match="no host directory"):
            sandbox.mounted("/other").patch()
        with pytest.raises(ValueError, match="context"):
            sandbox.mounted("/repo").patch(context=-1)


@pytest.fixture
def mounted(tmp_path):
    (tmp_path / "in").mkdir()
    with Sandbox(mounts={"/m": (tmp_path / "in", "copy")}) as sandbox:
        yield sandbox, sandbox.mounted("/m"), tmp_path / "in"


def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


@pytest.mark.parametrize(
    "script",
    [
        "for i in 1 2 3 4; do truncate -s 900M h$i; done",  # in an archive they are nothing
        "head -c 4M /dev/urandom > a; for i in $(seq 120); do ln a l$i; done",
    ],
)
def test_what_a_patch_reads_is_bounded(mounted, script):
    sandbox, place, _ = mounted
    assert sandbox.run(f"cd /m; {script}").exit_code == 0
    before = peak()
    if "truncate" in script:
        with pytest.raises(BoundError, match="what has changed has more than max_bytes, 536870912"):
            place.patch()
    with pytest.raises(BoundError, match=r"patch of /m: .* has more than max_bytes, "):
        place.patch(max_bytes=20 * MIB)
    assert peak() - before < 200 * MIB


def test_what_the_host_has_and_what_a_patch_says_are_bounded(mounted):
    sandbox, place, folder = mounted
    (folder / "large").write_bytes(os.urandom(3 * MIB))
    sandbox.run("cd /m; echo small > large; echo > other")
    with pytest.raises(BoundError, match="what the host has has more than max_bytes, 1048576"):
        place.patch(max_bytes=MIB)
    with pytest.raises(BoundError, match="the patch has more than max_bytes"):
        place.patch(max_bytes=3 * MIB + 100)
    assert "GIT binary patch" in place.patch(max_bytes=8 * MIB)


def test_the_time_of_a_patch_is_bounded_and_it_ends_at_an_interrupt(mounted):
    sandbox, place, folder = mounted
    (folder / "lines").write_text("".join(f"{n * 7 % 3}\n" for n in range(2000)))
    sandbox.run("cd /m; awk 'BEGIN { for (i = 0; i < 2000; i++) print i * i % 3 }' > lines")
    with pytest.raises(BoundError, match=r"patch of /m: not done after max_seconds, 0\.2"):
        place.patch(max_seconds=0.2)
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.01):
            ticks.append(None)

    counting = threading.Thread(target=tick)
    interrupting = threading.Timer(0.5, sandbox.interrupt)
    counting.start()
    interrupting.start()
    with pytest.raises(SandboxInterrupted):
        place.patch()
    done.set()
    counting.join()
    assert len(ticks) > 5  # others run meanwhile
    assert sandbox.run("wc -l < /m/lines").stdout == "2000\n"
