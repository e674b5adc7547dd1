"""Requests by libraries in a sandbox: Node's http and https, requests and httpx where they are installed."""

import importlib.util
import pathlib
import shutil
import subprocess

import pytest

pytest.importorskip("httpcore", reason="Http needs httpx: pip install 'pinfold[http]'")

from http_server import HERE, Server

from pinfold import Sandbox
from pinfold.http import Http


@pytest.fixture(scope="module")
def server():
    with Server() as made:
        yield made


@pytest.fixture
def sandbox(server):
    rules = [f"http://localhost:{server.port}/**", "http://localhost:1/**", "http://**.invalid/**", "https://localhost:1/**"]
    with Sandbox(tools=[Http(rules)]) as made:
        yield made


def test_the_client_of_node(sandbox, server, tmp_path):
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    code = (HERE / "client.js").read_text().replace("PORT", str(server.port))
    (tmp_path / "client.js").write_text(code.replace("FILE", str(tmp_path / "out")))
    real = subprocess.run(["node", tmp_path / "client.js"], capture_output=True, text=True, timeout=60)
    assert real.returncode == 0, real.stderr
    sandbox.files["client.js"] = code.replace("FILE", "/tmp/out")
    ours = sandbox.run("node client.js")
    assert ours.stderr == "" and ours.stdout.splitlines() == real.stdout.splitlines()


def test_what_node_may_not(sandbox, server):
    result = sandbox.run("""
        import https from 'node:https'; import http, { get } from 'node:http';
        for (const more of [{ rejectUnauthorized: false }, { agent: new https.Agent({ rejectUnauthorized: false }) }, { ca: 'x' }, { socketPath: '/s' }])
            try { https.get('https://localhost/', more); } catch (e) { console.log(e.message.includes("the host's")); }
        try { https.createServer(); } catch (e) { console.log(e.message.includes('a server of https is not available')); }
        http.createServer((request, response) => response.end('own')).listen(8000, function () {
            get('http://localhost:8000/', answer => answer.on('data', bytes => { console.log(String(bytes)); this.close(); }));
        });
        get('http://example.com/').on('error', e => console.log(e.code, e.message.includes('denied'), e.cause.name));
        https.get('https://localhost:1/').on('error', e => console.log(e.code));
    """, "javascript")
    lines = result.stdout.splitlines()
    assert lines[:5] == ["true"] * 5, result
    # A server of the program itself is asked, and not the host.
    assert sorted(lines[5:]) == ["EACCES true CapabilityError", "ECONNREFUSED", "own"], result


def test_without_the_tool_http_loads_and_a_request_fails():
    """What only imports it, as many packages do, works."""
    with Sandbox() as sandbox:
        result = sandbox.run("require('http').get('http://example.com/')", "javascript")
        assert result.exit_code == 1 and "ENOTFOUND" in result.stderr
        assert "there is no network in a sandbox" in result.stderr


def installed(sandbox, *names):
    """Puts packages of this Python's into the sandbox, without what is compiled."""
    for name in names:
        spec = importlib.util.find_spec(name)
        if spec is None:
            pytest.skip(f"{name} is not installed")
        path = pathlib.Path(spec.origin)
        files = path.parent.rglob("*") if path.name == "__init__.py" else [path]
        base = path.parent.parent if path.name == "__init__.py" else path.parent
        for file in files:
            if file.suffix in (".py", ".pem", ".json"):
                sandbox.files[f"lib/{file.relative_to(base)}"] = file


def python(sandbox, server, code):
    result = sandbox.run(f"import sys\nsys.path.insert(0, '/workspace/lib')\nU = 'http://localhost:{server.port}'\n{code}", language="python")
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


def test_requests(sandbox, server):
    installed(sandbox, "requests", "urllib3", "idna", "certifi", "charset_normalizer")
    assert python(sandbox, server, """
import requests, urllib3
r = requests.get(U + '/hello', params={'a': 'b'}, timeout=5)
print(r.status_code, r.reason, r.headers['x-test'], r.text.strip(), r.url == U + '/hello?a=b')
print(requests.post(U + '/echo', json={'a': [1]}).json()['body'])
print(requests.put(U + '/body', data=iter([b'ab', b'cd'])).content)
print(requests.get(U + '/hops/2').text.strip(), len(requests.get(U + '/hops/2').history))
with requests.Session() as s:
    s.headers['X-A'] = 'b'
    print([s.get(U + '/echo').json()['headers']['X-A'] for _ in range(2)])
    print(b''.join(s.get(U + '/bytes?n=4', stream=True).iter_content(100))[:2])
try:
    requests.get(U + '/none').raise_for_status()
except requests.HTTPError as e:
    print(e.response.status_code)
for url in ('http://nothing.invalid/', 'http://example.com/', 'https://localhost:1/'):
    try:
        requests.get(url)
    except requests.ConnectionError as e:
        print('denied' in str(e))
try:
    requests.get('https://localhost:1/', verify=False)
except ValueError as e:
    print(e)
print(urllib3.PoolManager().request('GET', U + '/hello').status)
""") == [
        "200 OK yes hello True", '{"a": [1]}', "b'abcd'", "arrived 2", "['b', 'b']", "b'\\x00\\x01'", "404", "False", "True", "False",
        "certificates are the host's to verify: leave verify=False, cert and the like out", "200",
    ]  # fmt: skip


def test_httpx(sandbox, server):
    installed(sandbox, "httpx", "idna", "certifi", "anyio", "httpcore", "h11", "typing_extensions")
    assert python(sandbox, server, """
import asyncio, httpx
r = httpx.get(U + '/hello', params={'a': 'é'})
print(r.status_code, r.reason_phrase, r.headers['x-test'], r.text.strip(), r.http_version)
print(httpx.post(U + '/echo', json={'a': 1}).json()['body'])
with httpx.Client(base_url=U, follow_redirects=True) as client:
    print(client.get('/hops/2').text.strip())
    with client.stream('GET', '/bytes?n=4') as stream:
        print(len(b''.join(stream.iter_bytes())))
async def main():
    async with httpx.AsyncClient() as client:
        answers = await asyncio.gather(*(client.get(U + f'/echo?n={n}') for n in range(3)))
        print([a.json()['path'] for a in answers])
asyncio.run(main())
for url in ('http://nothing.invalid/', 'http://example.com/'):
    try:
        httpx.get(url)
    except httpx.ConnectError as e:
        print('denied' in str(e))
try:
    httpx.get(U, verify=False)
except ValueError as e:
    print('host' in str(e))
""") == ["200 OK yes hello HTTP/1.1", '{"a":1}', "arrived", "1024", "['/echo?n=0', '/echo?n=1', '/echo?n=2']", "False", "True", "True"]
