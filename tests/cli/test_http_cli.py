"""--http and --secret: requests of the command line program, by libcurl, to a real server."""

import ctypes.util
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "tests"))
from http_server import CA, Server

VALUE = "sk_live_51H/abc+def=xyz"
needs_libcurl = pytest.mark.skipif(
    not any(ctypes.util.find_library(name) for name in ("curl", "curl-gnutls")),
    reason="requests are made by libcurl, which is not here",
)


@pytest.fixture(scope="module")
def plain():
    with Server() as server:
        yield server


@needs_libcurl
def test_requests(pinfold, plain):
    url = f"http://localhost:{plain.port}"
    script = f"""
        curl -s {url}/hello; curl -s -d a=1 {url}/echo | jq -r .body; curl -s {url}/bytes | wc -c
        for i in 1 2; do curl -s {url}/slow?s=0.1 & done; wait
        curl -sS http://127.0.0.1:{plain.port}/; echo $?; curl -sS https://other.test/; echo $?
        curl -s http://nothing.invalid/; echo $?; curl -s {url}/old; echo $?; curl -sS -m 0.2 {url}/slow; echo $?
    """
    rules = ("--http", f"{url}/**", "--http", "GET http://**:*/**")
    done = pinfold(*rules, "-c", script)
    assert done.stdout == "hello\na=1\n256\nlate\nlate\n7\n7\n6\n1\n28\n"
    assert "a loopback address" in done.stderr and "matches" not in done.stdout
    assert f'url must match "{url}/**"' in done.stderr


@needs_libcurl
def test_secrets(pinfold, plain):
    with Server(tls=True) as tls:
        url = f"https://localhost:{tls.port}"
        env = {**os.environ, "TOKEN": VALUE, "SSL_CERT_FILE": str(CA)}
        options = ("--http", f"{url}/**", "--secret", f"KEY=env:TOKEN@{url}", "--record", "trace.jsonl")
        script = f'echo $KEY; curl -si -H "Authorization: Bearer $KEY" "{url}/reflect?as=all"; curl -sS -d "$KEY" {url}/'
        done = pinfold(*options, "-c", script, env=env)
        assert dict(tls.seen[0][2])["Authorization"] == f"Bearer {VALUE}" and len(tls.seen) == 1
    assert "pfsecret_KEY_hidden" in done.stdout and "does not belong in a body" in done.stderr
    trace = (pinfold.folder / "trace.jsonl").read_text()
    assert all(VALUE not in text for text in (done.stdout, done.stderr, trace))
    assert pinfold("replay", "trace.jsonl").returncode == 0


def test_what_is_wrong_is_refused(pinfold):
    for options, why in [
        (("--http", "example.com"), "the rule"),
        (("--secret", "K=env:HOME@x.com"), "--secret is for --http"),
        (("--http", "https://x.com", "--secret", "K=env:NOT_THERE_AT_ALL@x.com"), "is not set"),
        (("--http", "https://x.com", "--secret", "K=value@x.com"), "expected"),
    ]:
        done = pinfold(*options, "-c", "true")
        assert done.returncode == 125 and why in done.stderr
    assert pinfold("-c", "curl http://example.com/").returncode == 127
