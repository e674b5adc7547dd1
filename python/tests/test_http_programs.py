"""What makes requests in a sandbox: curl, wget, fetch(), urllib.request and http.client, against a real server."""

import json

import pytest

pytest.importorskip("httpcore", reason="Http needs httpx: pip install 'pinfold[http]'")

from http_server import Server

from pinfold import Sandbox
from pinfold.http import Http


@pytest.fixture(scope="module")
def server():
    with Server() as made:
        yield made


@pytest.fixture
def sandbox(server):
    with Sandbox(tools=[Http([f"http://localhost:{server.port}/**", "http://**.invalid/**"])]) as made:
        made.run(f"U=http://localhost:{server.port}; export U")
        yield made


def js(sandbox, server, code):
    result = sandbox.run(f"const U = 'http://localhost:{server.port}';\n{code}", language="javascript")
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_fetch_reads_and_sends(sandbox, server):
    out = js(sandbox, server, """
        const r = await fetch(U + '/hello');
        console.log(r.status, r.ok, r.statusText, r.headers.get('x-test'), r.url === U + '/hello', r.redirected, r.type, await r.text());
        const sent = await (await fetch(U + '/echo?q=1#f', {method: 'post', body: new URLSearchParams({a: '1 2'}), headers: {'X-A': 'b'}})).json();
        console.log(sent.method, sent.path, sent.body, sent.headers['x-a'], sent.headers['content-type']);
        const json = await (await fetch(new Request(U + '/body', {method: 'PUT', body: JSON.stringify({x: 'é'})}))).json();
        console.log(json);
        const bytes = new Uint8Array(await (await fetch(U + '/bytes')).arrayBuffer());
        console.log(bytes.length, bytes[255], (await (await fetch(U + '/body', {method: 'POST', body: bytes})).bytes()).length);
        const form = new FormData();
        form.append('f', new Blob(['data'], {type: 'text/plain'}), 'n.txt');
        console.log((await (await fetch(U + '/echo', {method: 'POST', body: form})).json()).body.includes('filename="n.txt"'));
        const head = await fetch(U + '/hello', {method: 'HEAD'});
        console.log(head.status, head.body, await head.text() === '');
        const missing = await fetch(U + '/none');
        console.log(missing.status, missing.ok);
        let text = '';
        for await (const piece of (await fetch(U + '/hello')).body.pipeThrough(new TextDecoderStream())) text += piece;
        console.log(text);
    """)
    assert out.split("\n") == [
        "200 true OK yes true false basic hello", "", "POST /echo?q=1 a=1+2 b application/x-www-form-urlencoded;charset=UTF-8",
        "{ x: 'é' }", "256 255 256", "true", "200 null true", "404 false", "hello", "", "",
    ]


def test_fetch_follows_redirects(sandbox, server):
    out = js(sandbox, server, """
        const r = await fetch(U + '/hops/3');
        console.log(r.redirected, r.url === U + '/hops/0', await r.text());
        const to = encodeURIComponent('/echo');
        const post = code => fetch(`${U}/redirect?code=${code}&to=${to}`, {method: 'POST', body: 'x'}).then(r => r.json());
        for (const code of [301, 302, 303, 307, 308]) { const e = await post(code); console.log(code, e.method, e.body, e.headers['content-type'] ?? null); }
        console.log((await fetch(U + '/hops/1', {redirect: 'manual'})).status);
        await fetch(U + '/hops/1', {redirect: 'error'}).catch(e => console.log(e.name, e.message));
        await fetch(U + '/loop').catch(e => console.log(e.name, e.message));
    """)
    kind = "text/plain;charset=UTF-8"
    assert out.split("\n") == [
        "true true arrived", "", "301 GET  null", "302 GET  null", "303 GET  null", f"307 POST x {kind}", f"308 POST x {kind}",
        "302", "TypeError fetch failed: unexpected redirect", "TypeError fetch failed: redirect count exceeded", "",
    ]


def test_fetch_fails_and_is_aborted(sandbox, server):
    out = js(sandbox, server, """
        await fetch('http://nothing.invalid/').catch(e => console.log(e.name, e.message, e.cause.name));
        await fetch('http://example.com/').catch(e => console.log(e.cause.name, e.cause.code, e.message.includes('denied')));
        const c = new AbortController();
        setTimeout(() => c.abort(), 20);
        await fetch(U + '/slow?s=1', {signal: c.signal}).catch(e => console.log(e.name));
        await fetch(U + '/slow?s=1', {signal: AbortSignal.timeout(20)}).catch(e => console.log(e.name));
        await fetch('http://u:p@localhost/').catch(e => console.log(e.name));
    """)
    assert out == (
        "TypeError fetch failed: Could not resolve host: nothing.invalid ToolError\n"
        "CapabilityError denied true\nAbortError\nTimeoutError\nTypeError\n"
    )


def test_form_data_of_an_answer(sandbox, server):
    out = js(sandbox, server, """
        const form = new FormData();
        form.append('a', 'é"1'); form.append('f', new Blob([new Uint8Array([0, 255, 13, 10])]), 'x.bin');
        const back = await new Response(form).formData();
        const f = back.get('f');
        console.log(back.get('a'), f.name, f.type, [...new Uint8Array(await f.arrayBuffer())].join());
    """)
    assert out == 'é"1 x.bin application/octet-stream 0,255,13,10\n'


def python(sandbox, server, code):
    result = sandbox.run(f"U = 'http://localhost:{server.port}'\n{code}", language="python")
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_urllib(sandbox, server):
    out = python(sandbox, server, """
import json, urllib.request, urllib.error, urllib.parse
with urllib.request.urlopen(U + '/hello') as r:
    print(r.status, r.reason, r.headers['X-Test'], r.read())
sent = json.load(urllib.request.urlopen(U + '/echo', data=urllib.parse.urlencode({'a': '1 2'}).encode()))
print(sent['method'], sent['body'], sent['headers']['Content-Type'], sent['headers']['User-Agent'])
r = urllib.request.Request(U + '/echo', b'\\xff\\x00', {'X-A': 'b'}, method='PUT')
print(json.load(urllib.request.urlopen(r))['body'].encode('latin-1'))
print(urllib.request.urlopen(U + '/hops/2').read())
try:
    urllib.request.urlopen(U + '/none')
except urllib.error.HTTPError as e:
    print(e.code, e.read())
for url in ('http://nothing.invalid/', 'http://example.com/', U + '/nothing'):
    try:
        urllib.request.urlopen(url)
    except OSError as e:
        print(type(e).__name__, type(getattr(e, 'reason', None)).__name__)
print(urllib.request.urlretrieve(U + '/bytes?n=4', '/tmp/b')[0], len(open('/tmp/b', 'rb').read()))
""")
    assert out.split("\n") == [
        "200 OK yes b'hello\\n'", "POST a=1+2 application/x-www-form-urlencoded Python-urllib/3.11", "b'\\xff\\x00'", "b'arrived\\n'",
        "404 b'no /none\\n'", "URLError gaierror", "URLError PermissionError", "ConnectionResetError NoneType",
        "/tmp/b 1024", "",
    ]


def test_http_client(sandbox, server):
    out = python(sandbox, server, """
import http.client
c = http.client.HTTPConnection('localhost', int(U.rpartition(':')[2]), timeout=5)
for _ in range(2):
    c.request('GET', '/hello', headers={'X-A': '1'})
    r = c.getresponse()
    print(r.status, r.getheader('x-test'), r.read())
c.request('POST', '/body', body=iter([b'ab', b'cd']), encode_chunked=True, headers={'Transfer-Encoding': 'chunked'})
print(c.getresponse().read())
c.request('HEAD', '/hello')
r = c.getresponse()
print(r.status, r.getheader('Content-Length'), r.read())
print(http.client.HTTPSConnection('x').port)
try:
    http.client.HTTPSConnection('x', context=1)
except ValueError as e:
    print('ValueError')
""")
    assert out == "200 yes b'hello\\n'\n" * 2 + "b'abcd'\n200 6 b''\n443\nValueError\n"


def test_wget(sandbox, server):
    result = sandbox.run("""
        cd /tmp && wget -q $U/file/a.txt && cat a.txt
        wget -q -O - $U/hello
        wget -q -O b.txt $U/hello; cat b.txt
        wget -q $U/file/a.txt; ls a.txt.1
        wget -q -nc $U/file/a.txt; echo $?
        wget -q -P sub/dir $U/file/c; cat sub/dir/c
        wget -q $U/; cat index.html
        wget -q --post-data 'x=1' -O - $U/echo | jq -r .method
        wget -q --header 'X-A: b' -O - $U/echo | jq -r '.headers["X-A"]'
        wget -q -O - $U/hops/3
        wget -q -O - $U/none; echo $?
        wget -q --user user --password pass -O - $U/auth
        wget -q -O - $U/auth; echo $?
        wget -q --spider $U/hello; echo $?
        wget -q -O - http://nothing.invalid/; echo $?
        printf '%s\\n' $U/hello $U/file/z > list; wget -q -i list -O -
    """)
    assert result.stdout == (
        "file a.txt\nhello\nhello\na.txt.1\n0\nfile c\nroot\nPOST\nb\narrived\n8\nwelcome\n6\n0\n4\nhello\nfile z\n"
    ), result
    refused = sandbox.run("wget --no-check-certificate $U/hello")
    assert refused.exit_code == 2 and "verifies certificates" in refused.stderr
    assert "missing URL" in sandbox.run("wget").stderr


@pytest.mark.parametrize("option", ["-k", "--insecure", "--proxy http://p:1", "-x p:1", "--cacert f", "--resolve a:1:2", "-E c"])
def test_curl_refuses_what_is_the_hosts(sandbox, server, option):
    result = sandbox.run(f"curl {option} $U/hello")
    assert result.exit_code == 2 and "is not possible here: connections are the host's" in result.stderr
    assert not json.loads(json.dumps(result.stdout))
