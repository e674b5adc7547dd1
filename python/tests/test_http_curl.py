"""curl in a sandbox beside the machine's own, on the same server: output, exit status, messages, files."""

import os
import re
import shutil
import subprocess

import pytest

pytest.importorskip("httpcore", reason="Http needs httpx: pip install 'pinfold[http]'")

from http_server import Server

from pinfold import Sandbox
from pinfold.http import Http

pytestmark = pytest.mark.skipif(
    not re.match(r"curl 7\.8[89]\.|curl 8\.", subprocess.run(["curl", "-V"], capture_output=True, text=True).stdout)
    if shutil.which("curl") else True,
    reason="these are comparisons with curl 7.88 or newer, which is not here",
)

FILES = {
    "data.txt": b"line one\r\nline two\n",
    "form.bin": bytes(range(256)),
    "headers.txt": b"X-One: 1\nX-Two: 2\n",
    "cookies.txt": b"# Netscape HTTP Cookie File\nlocalhost\tFALSE\t/\tFALSE\t0\told\tvalue\n",
    "format.txt": b"%{http_code} %{method}\\n",
    "a.json": b'{"a": 1}',
    "page.html": b"<p>",
}
METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "QUERY"]
# What is sent, to a page that says what it was sent.
SENT = [
    "", "-d a=1", "-d a=1 -d b=2", "-d ''", "-d @data.txt", "--data-ascii @data.txt", "--data-binary @data.txt", "--data-raw @data.txt",
    "--data-raw 'x&y=z'", "--data-urlencode 'a b&c'", "--data-urlencode '=a b'", "--data-urlencode 'n=a b/é'",
    "--data-urlencode @data.txt", "--data-urlencode n@data.txt", "--json '{\"a\": 1}'", "--json @a.json", "--json '[1' --json ',2]'",
    "-G -d a=1", "-G -d a=1 -d 'b=2'", "-G --data-urlencode 'q=a b'", "-H 'X-A: b'", "-H 'X-A: b' -H 'X-A: c'", "-H 'X-Empty;'",
    "-H 'Accept:'", "-H 'User-Agent:'", "-H 'User-Agent: me'", "-H 'accept: text/html'", "-H @headers.txt", "-H 'NoColon'",
    "-A agent", "-A ''", "-e http://from/", "-e ';auto'", "-b a=1", "-b 'a=1; b=2'", "-b a=1 -b b=2", "-b cookies.txt", "-u user:pass",
    "-u user:", "-u 'a:b:c'", "--oauth2-bearer token", "-u user:pass -H 'Authorization: mine'", "-r 0-3", "-r -5", "-C 4",
    "-d a=1 -H 'Content-Type: text/plain'", "-d a=1 -H 'Content-Type:'", "-d @- < data.txt", "--data-binary @- < form.bin",
    "-T data.txt", "-T data.txt -X POST", "-X POST -d x", "--request PUT -d x",
    "--url-encode x", "-d 'é'", "-H 'X-U: é'", "--http1.1", "-4 -s", "--no-keepalive", "--tcp-nodelay", "-N", "--no-buffer",
]
# What is done with answers, for pages that differ.
PAGES = ["/hello", "/none", "/status/204", "/status/304", "/status/500", "/bytes", "/chunked", "/hops/2", "/hops/0", "/redirect?to=/hello",
         "/redirect?to=/none", "/cookie?a=1&b=2", "/auth", "/"]
SHOWN = ["-s", "-si", "-sI", "-sL", "-sLi", "-sf", "-sfS", "-s --fail-with-body", "-sS -w '%{http_code} %{size_download} %{content_type}\\n'"]
OTHERS = [
    # redirects
    *(f"curl -sL -o - -d x $U/redirect?code={code}\\&to=/echo" for code in (301, 302, 303, 307, 308)),
    *(f"curl -sL -X PUT -d x $U/redirect?code={code}\\&to=/echo" for code in (301, 302, 303, 307)),
    *(f"curl -sL --post{code} -d x $U/redirect?code={code}\\&to=/echo" for code in (301, 302, 303)),
    "curl -sL --max-redirs 1 $U/hops/2", "curl -sSL --max-redirs 1 $U/hops/2", "curl -sSL --max-redirs 0 $U/hops/1",
    "curl -sSL --max-redirs -1 $U/hops/3", "curl -sSL $U/loop", 
    "curl -sL -u user:pass $U/redirect?to=/auth", "curl -sL -b a=1 $U/redirect?to=/cookies", "curl -sL -c jar $U/cookie?a=1; cat jar | tail -1",
    "curl -s -c jar $U/cookie?a=1 -o /dev/null; curl -s -b jar $U/cookies", "curl -s -c - $U/cookie?x=y | tail -1",
    "curl -s -b cookies.txt -c new $U/cookie?n=1; sort new | tail -2", "curl -sIL $U/hops/1", "curl -sL -e 'http://a/;auto' $U/redirect?to=/echo",
    # -w
    "curl -s -o /dev/null -w '%{response_code} %{num_redirects} %{redirect_url} %{url_effective}\\n' $U/redirect?to=/hello",
    "curl -s -L -o /dev/null -w '%{response_code} %{num_redirects} %{redirect_url} %{url_effective}\\n' $U/redirect?to=/hello",
    "curl -s -o out -w '%{filename_effective} %{size_upload} %{method} %{scheme} %{http_version}\\n' -d abc $U/body",
    "curl -s -o /dev/null -w '%{num_headers} %{exitcode} %{errormsg} %{urlnum}\\n' $U/hello", "curl -s -w '\\t%%{x}%{nope}\\r\\n' $U/hello",
    "curl -s -o /dev/null -w '%{header_json}' $U/hello | tr -d ' \\n'", "curl -s -w '%{stderr}err %{http_code}%{stdout}out' $U/hello",
    "curl -s -w @format.txt $U/hello", "curl -s -w '%{onerror}bad %{exitcode}\\n' -f $U/none", "curl -s -w '%{http_code}\\n' $U/hello $U/none",
    "curl -s -o /dev/null -w '%{content_type}|%{referer}|%{ssl_verify_result}\\n' -e ref $U/hello", "curl -s -w '%{url}\\n' $U",
    "curl -s -o /dev/null -w '%{url_effective}\\n' $U", "curl -s -o /dev/null -w '%{http_code}\\n' http://localhost:1/",
    "curl -s -w '%header{x-test} %header{none}\\n' $U/hello",
    # files
    "curl -s -O $U/file/a.txt; cat a.txt", "curl -s -OJ $U/file/a.txt; ls", "curl -s -o x -o y $U/hello $U/none; cat x y",
    "curl -s -o 'n#1' \"$U/file/{a,b}\"; cat na nb", "curl -s --create-dirs -o d/e/f $U/hello; cat d/e/f", "curl -s --output-dir . -o g $U/hello; cat g",
    "curl -sS -o /nodir/x $U/hello", "curl -s -o - $U/hello", "curl -s -D head $U/hello; cat head", "curl -s -D - $U/hello", "curl -s -D - -o /dev/null $U/hops/1 -L",
    "curl -sS -O $U/", "curl -s -i -o both $U/hello; cat both", "curl -s --remote-name-all $U/file/p $U/file/q; cat p q", "curl -s $U/hello $U/hello",
    "curl -s -T data.txt $U/file/ -o up; cat up", "curl -s -f -o none $U/none; ls", "curl -sS -T nothing $U/body",
    # globs
    'curl -s "$U/file/{a,b,c}"', 'curl -s "$U/file/[1-3]"', 'curl -s "$U/file/[01-03]"', 'curl -s "$U/file/[a-c]"', 'curl -s "$U/file/[1-5:2]"',
    'curl -s "$U/file/{a,b}[1-2]"', 'curl -sg "$U/echo?a[]=1"', 'curl -s "$U/echo?a[]=1"', 'curl -sS "$U/{a"', 'curl -sS "$U/a}"', 'curl -sS "$U/[3-1]"',
    'curl -sS "$U/{}"', 'curl -sS "$U/{a,{b}}"',
    # forms; the boundary is another each time
    "curl -s -F a=1 $U/echo", "curl -s -F a=1 -F b=2 $U/body", "curl -s -F f=@data.txt $U/body", "curl -s -F 'f=@page.html;type=text/x' $U/body",
    "curl -s -F 'f=@data.txt;filename=other' $U/body", "curl -s -F 'f=<data.txt' $U/body", "curl -s --form-string 'f=@data.txt' $U/body",
    "curl -s -F 'f=a;type=application/json' $U/body", "curl -s -F 'f=@form.bin' $U/body | wc -c", "curl -s -F 'f=@page.html' $U/body", "curl -s -F '\"q\"=1' $U/body",
    "curl -s -F 'f=@-' $U/body < data.txt | head -3", "curl -sS -F f $U/body", "curl -sS -F f=@nothing $U/body",
    # failures and usage
    "curl", "curl -s", "curl --nope $U", "curl -Y", "curl -o", "curl -m x $U", "curl -m -1 $U", "curl --max-redirs x $U", "curl --retry x $U", "curl -sS ftp2://x/",
    "curl -sS 'http://a b/'", "curl -sS http://", "curl -sS http://localhost:1/", "curl -s http://localhost:1/", "curl -sS http://nothing.invalid/",
    "curl -sS -d @nothing $U", "curl -sS -H @nothing $U/hello", "curl -sS --data-urlencode @nothing $U", "curl -sI -d x $U", "curl -F a=1 -d b=2 $U", "curl --data", "curl --dat x $U",
    "curl -f -sS $U/status/404", "curl -f -sS $U/status/500", "curl -f $U/status/401 -sS", "curl -s -S -f -o /dev/null $U/none $U/hello", "curl --fail-early -sf $U/none $U/hello",
    "curl -sS $U/nothing", "curl -sS $U/old", "curl -sS --max-filesize 3 $U/hello", "curl -sSX 'GET' --url $U/hello", "curl -s localhost:$P/hello",
    "curl -sS --head $U/hello", "curl -s --silent --show-error --fail $U/hello", "curl -sSLfo got $U/hello; cat got", "curl -s -XPOST $U/echo", "curl -sd x -XPUT $U/echo",
    "curl -s --no-location --location $U/redirect?to=/hello", "curl -s --location --no-location -o /dev/null -w '%{http_code}' $U/redirect?to=/hello",
    "curl -s --retry 3 --retry-delay 1 $U/flaky?fail=1\\&key=$K", "curl -sS --retry 1 --retry-delay 1 -w '%{http_code}' $U/flaky?fail=9\\&key=$K",
    "curl -s http://user:pass@localhost:$P/auth", "curl -s -u user:wrong $U/auth", "curl -s $U/hello#frag", "curl -s $U?x=1", "curl -s \"$U/echo?a=1&b=2\"", "curl -s $U/a/../hello",
    "curl -s -- $U/hello", "curl -s $U/hello | head -c 2", "echo $U/hello | xargs curl -s", "curl -s --compressed $U/gzip", "curl -sv $U/hello 2>&1 >/dev/null | grep -c '^[<>]'",
]
CASES = [
    *(f"curl -s {sent} $U/echo" for sent in SENT),
    *(f"curl -s -X {method} {body} $U/echo" for method in METHODS for body in ("", "-d x=1")),
    *(f"curl {shown} $U{page.replace('&', chr(92) + '&')}" for page in PAGES for shown in SHOWN),
    *OTHERS,
]


@pytest.fixture(scope="module")
def server():
    with Server() as made:
        yield made


@pytest.fixture(scope="module")
def sandbox(server):
    rules = [f"http://localhost:{server.port}/**", "http://**:*/**"]
    with Sandbox(tools=[Http(rules, addresses=["loopback"])]) as made:
        yield made


def there(folder, server, command, key):
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", **places(server, key)}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    return done.returncode, done.stdout, done.stderr


def here(sandbox, server, command, key):
    sandbox.run("cd /workspace && rm -rf /workspace/*", isolated=True)
    for name, data in FILES.items():
        sandbox.files[f"/workspace/{name}"] = data
    setting = " ".join(f"{name}={value}" for name, value in places(server, key).items())
    result = sandbox.run(f"export {setting}\n{command}", isolated=True)
    return result.exit_code, result.stdout_bytes, result.stderr.encode()


def places(server, key):
    return {"U": f"http://localhost:{server.port}", "P": str(server.port), "K": key}


def normal(outcome):
    """Without what is another each time: boundaries, times, the versions of messages."""
    code, out, err = outcome
    out = re.sub(rb"-{24}[0-9a-zA-Z]{16,22}", b"BOUNDARY", out)
    out = re.sub(rb'"Content-Length": "\d+"', b"LENGTH", out) if b"BOUNDARY" in out else out
    out = re.sub(rb"curl/[78][.\d]+", b"curl/V", out)
    text = err.decode("utf-8", "replace")
    text = re.sub(r" after \d+ ms", "", text)
    text = re.sub(r"(?m)^(bash: line \d+: |bash: )", "", text)
    lines = [line for line in text.splitlines() if not re.match(r"\s*(%|\d+\s+\d|Dload)|^$", line) and "--:--" not in line]
    return code, out, lines


@pytest.mark.parametrize("command", CASES)
def test_as_curl_does(tmp_path, server, sandbox, command):
    number = CASES.index(command)
    own = normal(here(sandbox, server, command, f"here{number}"))
    assert own == normal(there(tmp_path, server, command, f"there{number}"))
