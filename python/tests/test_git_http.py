"""git in the sandbox and repositories behind HTTP: by the tool http/request, or not at all."""

import os
import shutil
import subprocess

import pytest

from pinfold import Sandbox
from pinfold.http import Http, Secret

from git_server import GitServer
from http_server import CA

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")
pytest.importorskip("httpx")
WHO = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
       for what, value in (("NAME", "A"), ("EMAIL", "a@x"), ("DATE", "1700000000 +0000"))}


def git(folder, *arguments):
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", **WHO}
    done = subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True)
    assert done.returncode == 0, f"git {arguments}: {done.stdout}{done.stderr}"
    return done.stdout.decode()


@pytest.fixture
def upstream(tmp_path):
    """A bare repository with three commits, a branch and a tag."""
    work, root = tmp_path / "work", tmp_path / "srv"
    work.mkdir()
    root.mkdir()
    git(work, "init", "-q", "-b", "main")
    for n in range(3):
        (work / "file").write_text(f"{n}\n" * 50)
        git(work, "add", ".")
        git(work, "commit", "-q", "-m", f"commit {n}")
    git(work, "tag", "-a", "v1", "-m", "one")
    git(work, "branch", "topic", "HEAD~1")
    git(tmp_path, "clone", "-q", "--bare", "work", "srv/r.git")
    git(root / "r.git", "config", "http.receivepack", "true")
    return root


def test_clone_fetch_and_push(upstream):
    with GitServer(upstream) as server:
        with Sandbox(tools=[Http(allow=[server.url + "/**"])], env=WHO) as sandbox:
            assert sandbox.shell(
                f"git clone -q {server.url}/r.git c; cd c; git log --format=%s; git branch -a; git tag; git status -sb"
            ) == ("commit 2\ncommit 1\ncommit 0\n* main\n  remotes/origin/HEAD -> origin/main\n"
                  "  remotes/origin/main\n  remotes/origin/topic\nv1\n## main...origin/main\n")
            pushed = sandbox.run("cd c; echo mine > mine; git add mine; git commit -qm mine; git push; git switch -qc new; git push -u origin new")
            assert pushed.exit_code == 0, pushed.stderr
            assert " * [new branch]      new -> new\n" in pushed.stderr
            assert git(upstream / "r.git", "log", "--format=%s", "-1", "main") == "mine\n"
            git(upstream / "r.git", "branch", "later", "main~1")
            fetched = sandbox.run("cd c; git fetch; git rev-parse origin/later; git pull")
            assert " * [new branch]      later      -> origin/later\n" in fetched.stderr
            refused = sandbox.run("cd c; git switch -q main; git reset -q --hard HEAD~2; git commit -qm other --allow-empty; git push")
            assert refused.exit_code == 1 and "! [rejected]        main -> main (non-fast-forward)" in refused.stderr
            assert sandbox.run("cd c; git push -f").exit_code == 0
    git(upstream / "r.git", "fsck", "--strict", "--no-dangling")
    assert git(upstream / "r.git", "log", "--format=%s", "-1", "main") == "other\n"


def test_a_shallow_clone_has_one_commit(upstream):
    with GitServer(upstream) as server, Sandbox(tools=[Http(allow=[server.url + "/**"])]) as sandbox:
        text = sandbox.shell(f"git clone -q --depth 1 {server.url}/r.git c; cd c; git log --format=%s; wc -l < file; git branch -a")
        assert text == "commit 2\n50\n* main\n  remotes/origin/HEAD -> origin/main\n  remotes/origin/main\n"


def test_a_redirect_is_followed(upstream):
    with GitServer(upstream) as server, Sandbox(tools=[Http(allow=[server.url + "/**"])]) as sandbox:
        result = sandbox.run(f"git clone {server.url}/moved/r.git c; git -C c log --format=%s -1")
        assert result.stdout == "commit 2\n" and "warning: redirecting to" in result.stderr


def test_what_is_not_allowed_is_not_sent(upstream):
    with GitServer(upstream) as server, Sandbox(tools=[Http(allow=[server.url + "/other/**"])]) as sandbox:
        result = sandbox.run(f"git clone {server.url}/r.git c; ls")
        assert result.stdout == "" and "unable to access" in result.stderr and server.url + "/other/**" in result.stderr
        assert server.seen == []


def test_what_is_not_there_and_needs_a_token(upstream):
    with GitServer(upstream, token="sesame-opens") as server, Sandbox(tools=[Http(allow=[server.url + "/**"])]) as sandbox:
        result = sandbox.run(f"git clone {server.url}/r.git c")
        assert result.exit_code == 128 and "could not read Username" in result.stderr and "http.extraHeader" in result.stderr
        result = sandbox.run(f"git clone http://x:wrong@{server.url[7:]}/r.git c; ls")
        assert result.stderr.endswith(f"fatal: Authentication failed for '{server.url}/r.git/'\n") and result.stdout == ""
        result = sandbox.run(f"git clone http://x:sesame-opens@{server.url[7:]}/nope.git c")
        assert result.stderr.endswith(f"fatal: repository '{server.url}/nope.git/' not found\n")


@pytest.mark.parametrize("how", ["url", "header"])
def test_a_token_stays_outside(upstream, how):
    with GitServer(upstream, token="sesame-opens") as server:
        secret = Secret(value="sesame-opens", hosts=[server.url], headers=["Authorization"])
        with Sandbox(tools=[Http(allow=[server.url + "/**"], secrets={"TOKEN": secret})]) as sandbox:
            command = (f"git clone -q http://x:$TOKEN@{server.url[7:]}/r.git c" if how == "url" else
                       f'git -c http.extraHeader="Authorization: Bearer $TOKEN" clone -q {server.url}/r.git c')
            result = sandbox.run(command + "; git -C c log --format=%s -1; echo $TOKEN; cat c/.git/config c/.git/logs/HEAD")
            assert result.stdout.startswith("commit 2\npfsecret_TOKEN_"), result.stderr
            assert "sesame-opens" not in result.stdout + result.stderr


def over_tls(server, **settings):
    secret = Secret(value="sesame-opens", hosts=[server.url], headers=["Authorization"])
    return Http(allow=[server.url + "/**"], secrets={"TOKEN": secret}, **settings)


def test_over_tls_with_a_ca_of_ones_own(upstream):
    """Clone, fetch and push with a token that is a secret; the token is in the server's log and nowhere inside."""
    with GitServer(upstream, token="sesame-opens", tls=True) as server:
        login = 'git config --global http.extraHeader "Authorization: Bearer $TOKEN"; '
        with Sandbox(tools=[over_tls(server, ca=CA)], env=WHO) as sandbox:
            assert sandbox.shell(f"{login} git clone -q {server.url}/r.git c; git -C c log --format=%s -1") == "commit 2\n"
            pushed = sandbox.run("cd c; echo mine > mine; git add mine; git commit -qm mine; git push -q; git status -sb")
            assert pushed.stdout == "## main...origin/main\n", pushed.stderr
            git(upstream / "r.git", "branch", "later", "main~1")
            assert "later" in sandbox.run("cd c; git fetch; git ls-remote -q").stderr
            inside = sandbox.run("cat ~/.gitconfig; find c/.git -type f | xargs cat; env").stdout
            assert "sesame-opens" not in inside and b"sesame-opens" not in sandbox.snapshot()
        assert {seen[2].get("Authorization") for seen in server.seen} == {"Bearer sesame-opens"}
        assert git(upstream / "r.git", "log", "--format=%s", "-1", "main") == "mine\n"
        git(upstream / "r.git", "fsck", "--strict", "--no-dangling")


def test_a_certificate_that_nobody_vouches_for(upstream):
    """Without the CA nothing is sent: neither the request nor the token."""
    with GitServer(upstream, token="sesame-opens", tls=True) as server:
        with Sandbox(tools=[over_tls(server)]) as sandbox:
            result = sandbox.run(f"git clone https://x:$TOKEN@{server.url[8:]}/r.git c; ls")
            assert result.stdout == "" and "SSL certificate problem" in result.stderr
            assert "git config http.sslVerify false; " not in result.stderr
            again = sandbox.run(f"git -c http.sslVerify=false clone https://x:$TOKEN@{server.url[8:]}/r.git c; ls")
            assert again.stdout == "" and "SSL certificate problem" in again.stderr
        assert server.seen == []


def test_a_server_that_reflects_the_token_into_git(upstream):
    """A redirect with the token in it, and a branch that bears its name: neither is shown inside."""
    git(upstream / "r.git", "branch", "sesame-opens")
    with GitServer(upstream, token="sesame-opens", tls=True) as server:
        with Sandbox(tools=[over_tls(server, ca=CA)]) as sandbox:
            result = sandbox.run(f"git ls-remote https://x:$TOKEN@{server.url[8:]}/r.git")
            assert "sesame-opens" not in result.stdout + result.stderr
