"""A git that waits is plain bytes: for a request, a hook, an editor, its input, who reads its output."""

import shutil

import pytest

from pinfold import MethodCapability, Sandbox, SandboxStateError, replay
from pinfold.http import Http

from git_server import GitServer
from test_git_http import WHO, git, upstream  # noqa: F401

real_git = pytest.mark.skipif(not shutil.which("git"), reason="needs git")
MADE = {"capabilities": [MethodCapability("**")], "clock": 1_700_000_000}
REPOSITORY = "git init -q -b main r; cd r; echo one > f; git add f; git commit -qm first; "


def word(x: int) -> str:
    """A line."""
    return f"line {x}\n"


def answer(call, tools):
    handler = {tool.name if isinstance(tool, Http) else tool.__name__: tool for tool in tools}[call.method]
    call.resume((handler.handler if isinstance(handler, Http) else handler)(**call.params))


def through_bytes(code, tools=(word,), stdin=None):
    """The result of a run that is saved, and restored in another sandbox, at each of its calls; how many those were."""
    sandbox, count = Sandbox(tools=tools, seed=7, env=WHO, **MADE), 0
    sandbox.start(code)
    while sandbox.result is None:
        data = sandbox.snapshot()
        sandbox.close()
        sandbox, count = Sandbox.restore(data, tools=tools, **MADE), count + 1
        answer(sandbox.pending[0], tools)
    return sandbox, count


@real_git
def test_a_clone_goes_on_elsewhere(upstream):  # noqa: F811
    with GitServer(upstream) as server:
        http = Http(allow=[server.url + "/**"])
        sandbox, count = through_bytes(
            f"git clone -q {server.url}/r.git c && cd c && git log --format=%s && git fsck && git status -sb && git ls-remote -q --tags", [http])
        with sandbox:
            assert sandbox.result.stdout.startswith("commit 2\ncommit 1\ncommit 0\n## main...origin/main\n"), sandbox.result.stderr
            assert sandbox.result.stdout.count("refs/tags/v1") == 2 and count == 3
        sandbox, count = through_bytes(
            f"git clone -q {server.url}/r.git c && cd c && echo mine > mine && git add . && git commit -qm mine && git push -q && git fetch &&"
            " git remote show origin > /dev/null && git pull -q && git status -sb", [http])
        with sandbox:
            assert sandbox.result.stdout == "## main...origin/main\n", sandbox.result.stderr
            assert count == 7
    assert git(upstream / "r.git", "log", "--format=%s", "-1", "main") == "mine\n"


@real_git
def test_both_branches_of_a_fork_clone(upstream):  # noqa: F811
    with GitServer(upstream) as server:
        http = Http(allow=[server.url + "/**"])
        with Sandbox(tools=[http]) as sandbox:
            sandbox.start(f"git clone -q {server.url}/r.git c; git -C c log --format=%s -1; git -C c fsck && echo sound")
            answer(sandbox.pending[0], [http])
            with sandbox.fork() as branch:
                assert branch.finish().stdout == "commit 2\nsound\n"
            assert sandbox.finish().stdout == "commit 2\nsound\n"
        with Sandbox(tools=[http]) as sandbox:
            sandbox.start(f"git clone -q {server.url}/r.git c; ls")
            sandbox.interrupt()
            assert sandbox.finish().exit_code == 130
            assert sandbox.run("git init -q x; ls").stdout.endswith("x\n")


@real_git
def test_a_clone_is_recorded(upstream, tmp_path):  # noqa: F811
    trace = tmp_path / "run.jsonl"
    with GitServer(upstream) as server:
        with Sandbox(tools=[Http(allow=[server.url + "/**"])], record=trace, env=WHO) as sandbox:
            first = sandbox.run(f"git clone -q {server.url}/r.git c; git -C c log --format=%h")
    assert len(first.stdout.split()) == 3
    assert replay(trace).results[0].stdout == first.stdout


WAITS = {
    "a hook": REPOSITORY + "printf '#!/bin/sh\\nword --x 1 > seen\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/*;"
              "echo two > f; git commit -qam second; cat seen; git log --format=%s",
    "hooks of a checkout and a merge": REPOSITORY +
              "for h in post-checkout post-merge pre-rebase; do printf '#!/bin/sh\\nword --x 2 >&2\\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done;"
              "git switch -qc other; echo two > f; git commit -qam second; git switch -q main; git merge -q other; git rebase -q other; git log --format=%s 2>&1",
    "an editor": REPOSITORY + "echo 'word --x 3 > $1' > ed; chmod +x ed; echo two > f; EDITOR='sh ed' git commit -qa; git log --format=%s",
    "a rebase that runs commands": REPOSITORY + "for i in 1 2; do echo $i > g; git add g; git commit -qm $i; done; git rebase -q -x 'word --x 4' HEAD~2; git log --format=%s",
    "a bisection": REPOSITORY + "for i in 1 2 3 4; do echo $i > g; git add g; git commit -qm $i; done; git bisect start HEAD HEAD~4 >/dev/null;"
              "git bisect run sh -c 'word --x 5 >&2; test $(cat g 2>/dev/null || echo 0) -lt 3' 2>&1 | tail -3",
    "its input": REPOSITORY + "(word --x 6 >&2; printf 'diff --git a/f b/f\\n--- a/f\\n+++ b/f\\n@@ -1 +1 @@\\n-one\\n+six\\n') | git apply; cat f;"
              "word --x 7 | git hash-object --stdin; word --x 8 | git commit -qa -F -; git log --format=%s",
    "an alias": REPOSITORY + "git config alias.w '!word --x 9'; git w",
    "a reader": REPOSITORY + "seq 1 30000 > f; git commit -qam many; git log -p | (word --x 10; tail -2); git show | (word --x 11; tail -1);"
              "git blame -s f | (word --x 12; tail -1)",
}


@pytest.mark.parametrize("what", WAITS)
def test_a_wait_is_plain_bytes(what):
    with Sandbox(tools=[word], seed=7, env=WHO, **MADE) as plain:
        expected = plain.run(WAITS[what])
    assert expected.stdout and expected.exit_code == 0, expected.stderr
    sandbox, count = through_bytes(WAITS[what])
    with sandbox:
        assert (sandbox.result.stdout, sandbox.result.stderr) == (expected.stdout, expected.stderr)
    assert count > 0


def test_a_wait_in_the_middle_of_much_output_is_refused():
    with Sandbox(tools=[word], env=WHO, **MADE) as sandbox:
        sandbox.start(REPOSITORY + "seq 1 300000 > f; git commit -qam many; git show | (word --x 1; tail -1)")
        with pytest.raises(SandboxStateError, match="git"):
            sandbox.snapshot()
        assert sandbox.finish().stdout.endswith("+300000\n")
