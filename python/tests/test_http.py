"""Requests as a granted tool: what is allowed and what is not, secrets, and everything that a tool call has.
The server is a real one, on loopback."""

import asyncio
import itertools
import json
import socket
import threading

import pytest

pytest.importorskip("httpcore", reason="Http needs httpx: pip install 'pinfold[http]'")

from http_server import CA, Server

from pinfold import (
    AuditLog,
    CapabilityError,
    Limits,
    MethodCapability,
    Param,
    Sandbox,
    ToolError,
    create_sandbox_tool,
    replay,
)
from pinfold.http import Http, Secret

VALUE = "sk_live_51H/abc+def=xyz"


@pytest.fixture(scope="module")
def plain():
    with Server() as server:
        yield server


@pytest.fixture(scope="module")
def tls():
    with Server(tls=True) as server:
        yield server


@pytest.fixture(autouse=True)
def _forget(plain, tls):
    plain.seen.clear()
    tls.seen.clear()


def local(server, path="", scheme="http"):
    return f"{scheme}://localhost:{server.port}{path}"


def allowing(*rules, **settings):
    return Http(allow=list(rules), **settings)


def secret_http(tls, *more):
    origin = local(tls, scheme="https")
    return Http(
        allow=[f"{origin}/**", *more],
        ca=CA,
        secrets={"KEY": Secret(value=VALUE, hosts=[origin])},
    )


# ---------------------------------------------------------------------- the tool


def test_a_request(plain):
    with Sandbox(tools=[allowing(local(plain, "/**"))]) as sandbox:
        result = sandbox.run(f"curl -s {local(plain, '/hello')}")
        assert (result.stdout, result.exit_code) == ("hello\n", 0)
        made = sandbox.run(f"tool http/request --url {local(plain, '/hello')} | jq -c '[.status,.reason,.body]'")
        assert made.stdout == '[200,"OK","hello\\n"]\n'


def test_https_by_a_ca_of_ones_own(tls, plain):
    url = local(tls, "/hello", "https")
    with Sandbox(tools=[allowing(local(tls, "/**", "https"), ca=CA)]) as sandbox:
        assert sandbox.run(f"curl -s {url}").stdout == "hello\n"
    with Sandbox(tools=[allowing(local(tls, "/**", "https"))]) as sandbox:
        result = sandbox.run(f"curl -sS {url}")
        assert result.exit_code == 60 and "SSL certificate problem" in result.stderr
    with Sandbox(tools=[allowing(f"https://localhost:{plain.port}/**")]) as sandbox:
        assert sandbox.run(f"curl -sS https://localhost:{plain.port}/").exit_code == 35


def test_without_the_tool_everything_says_what_to_do(sandbox):
    result = sandbox.run("curl http://example.com")
    assert result.exit_code == 127 and "tool --list" in result.stderr
    assert sandbox.run("command -v curl wget").exit_code == 1
    failed = sandbox.run("await fetch('http://example.com')", language="javascript")
    assert "there is no network" in failed.stderr
    for scheme in ("http", "https"):
        code = f"import urllib.request\nurllib.request.urlopen('{scheme}://example.com')"
        failed = sandbox.run(code, language="python")
        assert failed.exit_code == 1 and "a sandbox has no network: call a tool" in failed.stderr


def test_a_denial_says_which_rule_and_what_is_allowed(plain):
    rule = f"GET {local(plain, '/hello/**')}"
    with Sandbox(tools=[allowing(rule)]) as sandbox:
        for command in (f"curl -sS {local(plain, '/echo')}", f"curl -sS -d x {local(plain, '/hello')}"):
            result = sandbox.run(command)
            assert result.exit_code == 7, result
            assert "denied" in result.stderr and local(plain, "/hello/**") in result.stderr
        assert not plain.seen
        assert "method must be one of \"GET\"" in sandbox.why_not(
            "http/request", {"url": local(plain, "/hello"), "method": "POST"}
        )
        assert sandbox.can_call("http/request", {"url": local(plain, "/hello")})
        assert local(plain, "/hello/**") in sandbox.run("tool http/request --help").stdout


def test_capabilities_take_it_into_their_own_hands(plain):
    http = allowing(local(plain, "/**"))
    granted = [MethodCapability("http/request", [Param("url.path") == "/hello"], max_calls=2)]
    with Sandbox(tools=[http], capabilities=granted) as sandbox:
        assert sandbox.run(f"curl -s {local(plain, '/hello')}").stdout == "hello\n"
        assert "url.path must be" in sandbox.run(f"curl -sS {local(plain, '/echo')}").stderr
        assert sandbox.run(f"curl -s {local(plain, '/x/../hello')}").stdout == "hello\n"
        assert "over its limit" in sandbox.run(f"curl -sS {local(plain, '/hello')}").stderr
    wide = [MethodCapability("**")]
    with Sandbox(tools=[http], capabilities=wide) as sandbox:  # the rules hold besides
        assert "no rule allows" in sandbox.run("curl -sS http://example.com/").stderr


def test_asking(plain):
    asked = []

    def approve(call):
        asked.append(call.params["url"])
        return call.params["url"].endswith("/hello")

    capabilities = [MethodCapability("http/request", [Param("url.host") == "localhost"], ask=True)]
    with Sandbox(tools=[allowing(local(plain, "/**"))], capabilities=capabilities, approve=approve) as sandbox:
        assert sandbox.run(f"curl -s {local(plain, '/hello')}").stdout == "hello\n"
        assert sandbox.run(f"curl -s {local(plain, '/echo')}").exit_code == 7
    assert asked == [local(plain, "/hello"), local(plain, "/echo")]


def test_what_is_checked_is_what_is_sent(plain):
    """One spelling of an address: for constraints, the log, and the server."""
    entries = []
    with Sandbox(tools=[allowing(local(plain, "/**"))], audit=AuditLog(entries.append)) as sandbox:
        url = f"HTTP://LOCALHOST:{plain.port}/a/./b/../hello%41?x y#frag"
        script = f"const r = await http.request({{url: {json.dumps(url)}}}); console.log(r.url)"
        result = sandbox.run(script, language="javascript")
        assert result.stdout == local(plain, "/a/hello%41?x%20y") + "\n"
        assert plain.seen[0][1] == "/a/hello%41?x%20y"
        assert next(e for e in entries if "params" in e)["params"]["url"] == result.stdout.strip()


@pytest.mark.parametrize("wrong", ["example.com", "http://user:pw@x/", "http://x:0/", "http://[::1/", "ftp://x/"])
def test_what_is_no_url_is_invalid(plain, wrong):
    with Sandbox(tools=[allowing("http://**/**")]) as sandbox:
        result = sandbox.run(f"tool http/request --url '{wrong}'")
        assert result.exit_code == 1 and "url is not the URL of a page" in result.stderr


def test_models_are_told(plain):
    tool = create_sandbox_tool(tools=[allowing("GET https://*.wikipedia.org/**")])
    assert "https://*.wikipedia.org/**" in tool.sandbox.run("cat /tools/http.request.md").stdout
    limited = create_sandbox_tool(
        tools=[allowing(local(plain, "/**"))], max_calls=1, constraints={"http/request": {"method": ["GET"]}}
    )
    assert "hello" in limited.run(f"curl -s -X GET {local(plain, '/hello')}", language="shell")
    assert "limit" in limited.run(f"curl -sS -X GET {local(plain, '/hello')}", language="shell")


# ---------------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "0x7f.1", "2130706433", "017700000001", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::1]", "localhost",
     "localhost.", "0", "127.1", "%31%32%37.0.0.1", "１２７.0.0.1"],
)
def test_this_machine_is_not_the_internet(plain, host):
    with Sandbox(tools=[allowing("http://**:*/**")]) as sandbox:
        script = f"await http.request({{url: 'http://{host}:{plain.port}/'}})"
        result = sandbox.run(script, language="javascript")
        assert result.exit_code == 1
        assert "are not granted" in result.stderr or "Could not resolve" in result.stderr
    assert not plain.seen


@pytest.mark.parametrize("host", ["169.254.169.254", "10.0.0.1", "192.168.1.1", "[fe80::1]", "[fd00:ec2::254]", "100.64.0.1",
                                  "0.0.0.0", "168.63.129.16", "[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::]"])
def test_private_networks_and_metadata_are_refused(host):
    with Sandbox(tools=[allowing("http://**:*/**", timeout=2)]) as sandbox:
        result = sandbox.run(f"curl -sS 'http://{host}/latest/meta-data/'")
        assert result.exit_code == 7 and "are not granted" in result.stderr


def test_granted_addresses(plain):
    for settings in ({"addresses": ["loopback"]}, {"addresses": ["127.0.0.0/8"]}):
        with Sandbox(tools=[allowing("http://**:*/**", **settings)]) as sandbox:
            assert sandbox.run(f"curl -s http://127.1:{plain.port}/hello").stdout == "hello\n"
    with Sandbox(tools=[allowing(f"http://127.0.0.1:{plain.port}/**")]) as sandbox:
        assert sandbox.run(f"curl -s http://0x7f.1:{plain.port}/hello").stdout == "hello\n"


def test_a_name_is_resolved_once_and_the_address_pinned(plain, monkeypatch):
    """DNS rebinding: first the name is public, a moment later it is this machine."""
    answers = iter(["127.0.0.1", "93.184.216.34", "127.0.0.1"])
    asked, connected = [], []
    real = socket.getaddrinfo

    def getaddrinfo(host, port, *args, **how):
        if host != "pinned.test":
            return real(host, port, *args, **how)
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    def create_connection(address, *args, **how):
        connected.append(address[0])
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(socket, "create_connection", create_connection)
    with Sandbox(tools=[allowing("http://pinned.test:*/**")]) as sandbox:
        assert "127.0.0.1, a loopback address" in sandbox.run("curl -sS http://pinned.test/").stderr
        sandbox.run("curl -sS http://pinned.test/")
    assert asked == ["pinned.test"] * 2 and connected == ["93.184.216.34"]


def test_a_private_address_among_several_is_left_out(monkeypatch):
    connected = []

    def getaddrinfo(host, port, *args, **how):
        return [(2, 1, 6, "", (address, port)) for address in ("10.0.0.1", "93.184.216.34")]

    def create_connection(address, *args, **how):
        connected.append(address[0])
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(socket, "create_connection", create_connection)
    with Sandbox(tools=[allowing("http://both.test/**")]) as sandbox:
        assert sandbox.run("curl -s http://both.test/").exit_code == 7
    assert connected == ["93.184.216.34"]


# ---------------------------------------------------------------------- tricks in requests


@pytest.mark.parametrize(
    "params, why",
    [
        ({"headers": {"X": "a\r\nHost: evil"}}, "line end"),
        ({"headers": {"X": "a\nb"}}, "line end"),
        ({"headers": {"X\r\nY": "a"}}, "name is not valid"),
        ({"headers": {"X Y": "a"}}, "name is not valid"),
        ({"headers": {"Host": "evil.test"}}, "names another host"),
        ({"headers": {"host": "evil.test:80"}}, "names another host"),
        ({"headers": {"Transfer-Encoding": "chunked"}}, "the connection's"),
        ({"headers": {"Content-Length": "9"}, "body": "x"}, "not the length"),
        ({"headers": {"Upgrade": "websocket"}}, "the connection's"),
        ({"headers": {"Proxy-Authorization": "x"}}, "the connection's"),
        ({"method": "CONNECT"}, "never allowed"),
        ({"method": "TRACE"}, "never allowed"),
        ({"method": "GET /x HTTP/1.1\r\nX:"}, "not one of HTTP's"),
        ({"body": "a", "body_base64": "YQ=="}, "exclude"),
        ({"body_base64": "?"}, "not Base64"),
    ],
)
def test_what_no_request_may_have(plain, params, why):
    with Sandbox(tools=[allowing(local(plain, "/**"))]) as sandbox:
        given = {"url": local(plain, "/echo"), **params}
        result = sandbox.run(f"await http.request({json.dumps(given)})", language="javascript")
        assert result.exit_code == 1 and why in result.stderr, result.stderr
    assert not plain.seen


def test_redirects_are_judged_anew(plain, tls):
    rule = local(plain, "/redirect/**")
    with Sandbox(tools=[allowing(rule)]) as sandbox:
        to = local(plain, "/hello")
        result = sandbox.run(f"curl -sSL '{local(plain, '/redirect')}?to={to}'")
        assert result.exit_code == 7 and "denied" in result.stderr
        fetched = sandbox.run(f"await fetch('{local(plain, '/redirect')}?to={to}')", language="javascript")
        assert "denied" in fetched.stderr
    assert [seen[1].partition("?")[0] for seen in plain.seen] == ["/redirect"] * 2


def test_a_redirect_into_the_metadata_service(plain):
    with Sandbox(tools=[allowing(local(plain, "/**"), "http://**/**")]) as sandbox:
        result = sandbox.run(f"curl -sSL '{local(plain, '/redirect')}?to=http://169.254.169.254/latest/'")
        assert result.exit_code == 7 and "metadata address" in result.stderr


def test_answers_have_limits(plain):
    http = allowing(local(plain, "/**"), max_bytes=100_000, timeout=20)
    with Sandbox(tools=[http]) as sandbox:
        for page, status in [("/large?n=100001", 63), ("/endless", 63), ("/bomb", 63), ("/short", 18), ("/old", 1),
                             ("/nothing", 52), ("/headers?n=400", 56)]:
            result = sandbox.run(f"curl -sS --compressed '{local(plain, page)}' -o /dev/null")
            assert result.exit_code == status, (page, result)
        assert sandbox.run(f"curl -s '{local(plain, '/large?n=100000')}' | wc -c").stdout == "100000\n"
        assert sandbox.run(f"curl -s --compressed {local(plain, '/gzip')}").stdout == "unpacked\n"


def test_time_is_limited_however_the_answer_comes(plain):
    with Sandbox(tools=[allowing(local(plain, "/**"), timeout=0.5)]) as sandbox:
        for page in ("/slow?s=20", "/drip"):
            result = sandbox.run(f"curl -sS {local(plain, page)}")
            assert result.exit_code == 28 and "timed out" in result.stderr
    with Sandbox(tools=[allowing(local(plain, "/**"))]) as sandbox:
        assert sandbox.run(f"curl -sS -m 0.3 {local(plain, '/slow?s=20')}").exit_code == 28


def test_requests_are_on_together(plain):
    """Each waits until all have come: one after the other they would wait for ever."""
    met = threading.Barrier(4, timeout=30)
    http = allowing(local(plain, "/**"))
    inner = http._request

    def request(**params):
        met.wait()
        return inner(**params)

    http.handler = request
    urls = json.dumps([local(plain, f"/body?{i}") for i in range(4)])
    script = f"const all = await Promise.all({urls}.map(u => fetch(u))); console.log(all.map(r => r.status).join())"
    shell = "for i in 1 2 3 4; do curl -s " + local(plain, "/hello") + " & done; wait"
    with Sandbox(tools=[http]) as sandbox:
        assert sandbox.run(script, language="javascript").stdout == "200,200,200,200\n"
        assert sandbox.run(shell).stdout == "hello\n" * 4


def test_async(plain):
    async def main():
        async with Sandbox(tools=[allowing(local(plain, "/**"))]) as sandbox:
            script = f"for i in 1 2 3; do curl -s {local(plain, '/hello')} & done; wait"
            assert (await sandbox.arun(script)).stdout == "hello\n" * 3
            slow = asyncio.create_task(sandbox.arun(f"curl -s {local(plain, '/slow?s=20')}"))
            await asyncio.sleep(0.3)
            slow.cancel()
            with pytest.raises(asyncio.CancelledError):
                await slow
            assert (await sandbox.arun("echo on")).stdout == "on\n"

    asyncio.run(main())


# ---------------------------------------------------------------------- secrets


def placeholder(sandbox):
    return sandbox.run("echo $KEY").stdout.strip()


def test_a_secret_goes_out_and_never_in(tls):
    with Sandbox(tools=[secret_http(tls)]) as sandbox:
        mine = placeholder(sandbox)
        assert mine.startswith("pfsecret_KEY_") and VALUE not in sandbox.run("env; cat /proc/self/environ").stdout
        url = local(tls, "/echo", "https")
        result = sandbox.run(f'curl -s -H "Authorization: Bearer $KEY" {url}')
        sent = dict(tls.seen[-1][2])
        assert sent["Authorization"] == f"Bearer {VALUE}"
        assert VALUE not in result.stdout and "pfsecret_KEY_hidden" in result.stdout
        sandbox.run(f'curl -s -u "$KEY:" {url}')
        import base64

        assert base64.b64decode(dict(tls.seen[-1][2])["Authorization"][6:]) == f"{VALUE}:".encode()
    with Sandbox(tools=[secret_http(tls)]) as other:
        assert placeholder(other) != mine


FORMS = ["plain", "base64", "hex", "percent", "reversed", "json"]
PLACES = ["body", "header", "reason", "gzip", "location"]
#: The list of all headers is no header.
REFLECTED = [*itertools.product(FORMS, PLACES), ("all", "body"), ("all", "gzip")]


@pytest.mark.parametrize("form, where", REFLECTED)
def test_a_reflecting_server_gives_nothing_away(tls, form, where):
    with Sandbox(tools=[secret_http(tls)]) as sandbox:
        url = local(tls, f"/reflect?as={form}&in={where}", "https")
        result = sandbox.run(f'curl -si --compressed -H "Authorization: Bearer $KEY" "{url}"')
        assert dict(tls.seen[-1][2])["Authorization"] == f"Bearer {VALUE}"
        assert result.exit_code == 0 and "pfsecret_KEY_hidden" in result.stdout
        for piece in (VALUE, VALUE[::-1], VALUE.encode().hex(), VALUE[:12]):
            assert piece not in result.stdout


def test_what_cannot_be_looked_through_is_refused(tls):
    with Sandbox(tools=[secret_http(tls)]) as sandbox:
        url = local(tls, "/reflect?in=br", "https")
        assert sandbox.run(f'curl -s -H "Authorization: $KEY" "{url}"').exit_code == 61
        url = local(tls, "/echo", "https")
        ranged = sandbox.run(f'curl -sS -r 0-3 -H "Authorization: $KEY" {url}')
        assert "not for a Range" in ranged.stderr


def test_elsewhere_it_is_refused_not_sent(tls, plain):
    with Sandbox(tools=[secret_http(tls, local(plain, "/**"))]) as sandbox:
        url, other = local(tls, "/echo", "https"), local(plain, "/echo")
        for command, why in [
            (f'curl -sS -H "X-Key: $KEY" {url}', "in the header Authorization"),
            (f'curl -sS "{url}?k=$KEY"', "does not belong in a URL"),
            (f'curl -sS -d "k=$KEY" {url}', "does not belong in a body"),
            (f'curl -sS -F "k=$KEY" {url}', "does not belong in a body"),
            (f'curl -sS -b "k=$KEY" {url}', "in the header Authorization"),
            (f'curl -sS -A "$KEY" {url}', "in the header Authorization"),
            (f'curl -sS -H "$KEY: x" {url}', "header's name"),
            (f'curl -sS -H "Authorization: Bearer $KEY" {other}', "may be sent only to"),
            (f'curl -sS -u "u:$KEY" {other}', "may be sent only to"),
            (f'curl -sS -H "Authorization: pfsecret_OTHER_{"0" * 32}" {url}', "there is no secret"),
            (f'curl -sS -H "Authorization: ${{KEY^^}}" {url}', "there is no secret"),
            (f'curl -sS -H "Authorization: ${{KEY%?}}" {url}', "there is no secret"),
        ]:
            result = sandbox.run(command)
            assert result.exit_code == 7 and why in result.stderr, (command, result)
    assert not tls.seen and not plain.seen


def test_a_redirect_takes_no_secret_along(tls, plain):
    with Sandbox(tools=[secret_http(tls, local(plain, "/**"))]) as sandbox:
        to = local(plain, "/echo")
        url = local(tls, f"/redirect?to={to}", "https")
        result = sandbox.run(f'curl -sSL -H "Authorization: Bearer $KEY" "{url}"')
        assert result.exit_code == 0 and "Authorization" not in dict(plain.seen[-1][2])
        trusted = sandbox.run(f'curl -sSL --location-trusted -H "Authorization: Bearer $KEY" "{url}"')
        assert trusted.exit_code == 7 and "may be sent only to" in trusted.stderr
        fetched = f"const r = await fetch({json.dumps(url)}, {{headers: {{Authorization: process.env.KEY}}}}); console.log((await r.json()).headers)"
        assert "authorization" not in sandbox.run(fetched, language="javascript").stdout.lower()


def test_records_hold_placeholders_only(tls, tmp_path):
    entries, trace = [], tmp_path / "run.jsonl"
    http = secret_http(tls)
    with Sandbox(tools=[http], audit=AuditLog(entries.append), record=trace) as sandbox:
        sandbox.run(f'curl -s -H "Authorization: Bearer $KEY" {local(tls, "/reflect?as=all", "https")}')
        sandbox.run(f'curl -sS -H "Authorization: $KEY" https://localhost:1/; curl -sS -H "Authorization: $KEY" {local(tls, "/nothing", "https")}')
        data = sandbox.snapshot()
    texts = [data, trace.read_bytes(), repr(entries).encode(), repr(http).encode(), repr(http.secrets).encode()]
    assert all(VALUE.encode() not in text for text in texts)
    assert b"pfsecret_KEY_" in texts[1]


def test_wrong_secrets_are_refused(monkeypatch):
    monkeypatch.delenv("NOT_THERE", raising=False)
    with pytest.raises(ValueError, match="NOT_THERE"):
        Secret(env="NOT_THERE", hosts=["x.com"])
    for secret, why in [
        (Secret(value="short", hosts=["x.com"]), "8 to"),
        (Secret(value="line\nend-line", hosts=["x.com"]), "one line"),
        (Secret(value=VALUE, hosts=[]), "nowhere"),
        (Secret(value=VALUE, hosts=["**"]), "names hosts"),
        (Secret(value=VALUE, hosts=["x.com"], headers=[]), "nowhere"),
    ]:
        with pytest.raises(ValueError, match=why):
            Http(allow=["https://x.com/**"], secrets={"K": secret})
    with pytest.raises(ValueError, match="env has 'K'"):
        Sandbox(tools=[Http(["https://x.com"], secrets={"K": Secret(value=VALUE, hosts=["x.com"])})], env={"K": "1"})
    with pytest.raises(TypeError, match="pickled"):
        import pickle

        pickle.dumps(Secret(value=VALUE, hosts=["x.com"]))


@pytest.mark.parametrize("rule", ["x.com", "ftp://x.com/", "get https://x.com/", "https://x.com/?q", "https://u@x.com/"])
def test_wrong_rules_are_refused(rule):
    with pytest.raises(ValueError, match="rule"):
        Http(allow=[rule])


# ---------------------------------------------------------------------- as any call


def test_record_and_replay_without_the_network(plain, tmp_path):
    trace = tmp_path / "run.jsonl"
    with Server() as server:
        with Sandbox(tools=[allowing(local(server, "/**"))], record=trace) as sandbox:
            first = sandbox.run(f"curl -s {local(server, '/hello')} | tr a-z A-Z")
            assert first.stdout == "HELLO\n"
    replay(trace)


def test_a_waiting_request_is_a_pending_call(plain):
    http = allowing(local(plain, "/**"))
    with Sandbox(tools=[http]) as sandbox:
        sandbox.start(f"x=1; curl -s {local(plain, '/hello')}; echo $x")
        assert sandbox.pending[0].params["url"] == local(plain, "/hello")
        data = sandbox.snapshot()
        with sandbox.fork() as branch:
            assert branch.finish().stdout == "hello\n1\n"
    with Sandbox.restore(data, tools=[http]) as restored:
        assert restored.finish().stdout == "hello\n1\n"
    with Sandbox.restore(data, tools=[allowing("https://other.test/**")]) as restored:
        assert restored.finish().exit_code == 0 and restored.result.stdout == "1\n"


def test_secrets_after_a_restore(tls):
    url = local(tls, "/echo", "https")
    with Sandbox(tools=[secret_http(tls)]) as sandbox:
        sandbox.run("token=$KEY")
        data = sandbox.snapshot()
    with Sandbox.restore(data, tools=[secret_http(tls)]) as restored:
        restored.run(f'curl -s -H "Authorization: $token" {url}')
        assert dict(tls.seen[-1][2])["Authorization"] == VALUE


def test_isolation_by_a_process(plain, tls):
    with Sandbox(tools=[secret_http(tls, local(plain, "/**"))], isolation="process") as sandbox:
        assert sandbox.run(f"curl -s {local(plain, '/hello')}").stdout == "hello\n"
        result = sandbox.run(f'curl -s -H "Authorization: $KEY" {local(tls, "/reflect", "https")}')
        assert result.stdout == "pfsecret_KEY_hidden"
        assert sandbox.run("curl -sS http://example.com/").exit_code == 7


def test_a_seed_makes_placeholders_repeatable(tls):
    texts = []
    for _ in range(2):
        with Sandbox(tools=[secret_http(tls)], seed=7, clock=0.0) as sandbox:
            texts.append(placeholder(sandbox))
    assert texts[0] == texts[1]


def test_a_policy_says_the_same(plain):
    policy = {"method": "http/request", "constraints": [{"param": "url", "op": "matches_url", "value": local(plain, "/hello")}]}
    granted = [MethodCapability.from_dict(policy)]
    with Sandbox(tools=[allowing(local(plain, "/**"))], capabilities=granted) as sandbox:
        assert sandbox.run(f"curl -s {local(plain, '/hello')}").exit_code == 0
        assert sandbox.run(f"curl -s {local(plain, '/echo')}").exit_code == 7
    narrow = MethodCapability("http/request", [Param("url").matches_url("https://a.com/x")])
    assert narrow.is_subset_of(MethodCapability("http/request", [Param("url").matches_url("https://a.com/x")]))
    assert not narrow.is_subset_of(MethodCapability("http/request", [Param("url").matches_url("https://b.com/x")]))
    with pytest.raises(CapabilityError):
        Param("url").matches_url("a.com")
    with pytest.raises(ValueError, match="url.user"):
        Sandbox(tools=[allowing("https://x.com")], capabilities=[MethodCapability("http/request", [Param("url.user") == "x"])])


def test_failures_are_tool_errors(plain):
    with pytest.raises(ToolError, match="no rule allows"):
        allowing(local(plain, "/**")).call({"url": "http://example.com/"})
    with Sandbox(tools=[allowing("http://**.invalid/**")], limits=Limits(tool_calls=1)) as sandbox:
        assert sandbox.run("curl -sS http://nothing.invalid/").exit_code == 6
        twice = sandbox.run("curl -s http://nothing.invalid/; curl -sS http://nothing.invalid/")
        assert "tool_calls" in twice.stderr or "limit" in twice.stderr
