/* HTTP as a granted tool: against a real server on loopback. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Http, InvalidError, replay, Sandbox, Secret, UnsupportedError, WorkerSandbox } from "../dist/node.js";

const pem = (name) => readFileSync(new URL(`../../python/tests/http/${name}`, import.meta.url));
const CA = pem("ca.pem"),
  VALUE = "sk_live_51H/abc+def=xyz";

/** What each path answers. */
const pages = {
  hello: ({ say }) => say(200, "hello\n"),
  echo: ({ asked, sent, say }) =>
    say(200, JSON.stringify({ method: asked.method, headers: asked.headers, body: sent.toString() })),
  body: ({ sent, say }) => say(200, sent),
  redirect: ({ url, say }) =>
    say(Number(url.searchParams.get("code") ?? 302), "moved\n", { Location: url.searchParams.get("to") }),
  loop: ({ say }) => say(302, "", { Location: "/loop" }),
  large: ({ url, say }) => say(200, "x".repeat(Number(url.searchParams.get("n")))),
  bomb: ({ say }) => say(200, gzipSync(Buffer.alloc(20 << 20)), { "Content-Encoding": "gzip" }),
  gzip: ({ say }) => say(200, gzipSync("unpacked\n"), { "Content-Encoding": "gzip" }),
  bytes: ({ say }) => say(200, Buffer.from(Array.from({ length: 256 }, (_, i) => i))),
  never: () => {},
  short: ({ said }) => {
    said.writeHead(200, { "Content-Length": 100 });
    said.write("short", () => said.destroy());
  },
  endless: ({ said }) => {
    const more = () => said.destroyed || said.write("x".repeat(65536), () => setImmediate(more));
    said.on("error", () => {});
    more();
  },
  drip: ({ said }) => {
    const timer = setInterval(() => said.write("."), 20);
    said.on("close", () => clearInterval(timer));
  },
  nothing: ({ asked }) => asked.socket.destroy(),
  headers: ({ url, say }) =>
    say(200, "", Object.fromEntries(Array.from({ length: Number(url.searchParams.get("n")) }, (_, i) => [`X-${i}`, "y".repeat(1000)]))),
  cookie: ({ say }) => say(200, "", { "Set-Cookie": "a=1; Path=/" }),
  cookies: ({ asked, say }) => say(200, `${asked.headers.cookie ?? "none"}\n`),
  meet: ({ server, say }) => {
    server.met.push(() => say(200, "met\n"));
    if (server.met.length === 4) for (const go of server.met.splice(0)) go();
  },
  alone: ({ server, say }) => {
    const others = server.open++;
    setTimeout(() => {
      server.open--;
      say(200, others ? "with others\n" : "alone\n");
    }, 20);
  },
  reflect: ({ asked, url, say }) => {
    const token = (asked.headers.authorization ?? "").split(" ").at(-1);
    const made = {
      plain: () => token,
      base64: () => Buffer.from(`x${token}`).toString("base64"),
      hex: () => Buffer.from(token).toString("hex"),
      percent: () => [...Buffer.from(token)].map((c) => `%${c.toString(16).padStart(2, "0")}`).join(""),
      reversed: () => [...token].reverse().join(""),
      json: () => [...token].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
    }[url.searchParams.get("as") ?? "plain"]();
    const where = {
      body: () => say(200, made),
      header: () => say(200, "", { "X-Given": made }),
      gzip: () => say(200, gzipSync(made), { "Content-Encoding": "gzip" }),
      file: () => say(200, gzipSync(made)),
      br: () => say(200, made, { "Content-Encoding": "br" }),
      location: () => say(302, "", { Location: `/echo?${made}` }),
    };
    where[url.searchParams.get("in") ?? "body"]();
  },
};

function serve(tls) {
  const handler = (asked, said) => {
    const url = new URL(asked.url, "http://localhost"),
      pieces = [];
    asked.on("data", (piece) => pieces.push(piece)).on("end", () => {
      const sent = Buffer.concat(pieces);
      server.seen.push({ method: asked.method, path: url.pathname, headers: asked.headers, sent });
      const say = (status, body, headers = {}) => {
        said.writeHead(status, { "Content-Length": Buffer.byteLength(body), ...headers });
        said.end(asked.method === "HEAD" ? undefined : body);
      };
      const page = pages[url.pathname.split("/")[1]];
      if (page) page({ server, asked, said, url, sent, say });
      else say(404, "no\n");
    });
  };
  const own = { key: pem("server.pem"), cert: pem("server.pem") };
  const server = tls ? https.createServer(own, handler) : http.createServer(handler);
  server.seen = [];
  server.met = [];
  server.open = 0;
  return new Promise((done) =>
    server.listen(0, "127.0.0.1", () => {
      server.origin = `http${tls ? "s" : ""}://localhost:${server.address().port}`;
      done(server);
    }),
  );
}

let plain, secure;
before(async () => {
  plain = await serve(false);
  secure = await serve(true);
});
after(() => {
  for (const server of [plain, secure]) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(() => {
  plain.seen.length = secure.seen.length = 0;
});

const allowing = (allow, options) => Http.create({ allow: [allow].flat(), ...options });
const withHttp = async (allow, options, more) =>
  Sandbox.create({ http: await allowing(allow, options), ...more });
const withSecret = (allow = [], more) =>
  withHttp([`${secure.origin}/**`, ...allow], { ca: CA, secrets: { KEY: new Secret({ value: VALUE, hosts: [secure.origin] }) } }, more);

test("curl, fetch(), urllib and node's http ask by it", async () => {
  const sandbox = await withHttp(`${plain.origin}/**`);
  const url = `${plain.origin}/hello`;
  assert.equal((await sandbox.run(`curl -s ${url}; wget -qO- ${url}`)).stdout, "hello\nhello\n");
  const fetched = `return (await fetch("${url}", {method: "POST", body: "x"})).text()`;
  assert.equal((await sandbox.run(fetched, { language: "js" })).value, "hello\n");
  const opened = `import urllib.request as u\nprint(u.urlopen("${url}").read())`;
  assert.equal((await sandbox.run(opened, { language: "python" })).stdout, "b'hello\\n'\n");
  assert.deepEqual(plain.seen.map((seen) => seen.method), ["GET", "GET", "POST", "GET"]);
});

test("what is sent is what arrives, bytes too", async () => {
  const sandbox = await withHttp(`${plain.origin}/**`);
  const sent = await sandbox.run(
    `printf 'a\\0\\377' | curl -s --data-binary @- ${plain.origin}/body | od -An -tx1; curl -s ${plain.origin}/bytes | md5sum; ` +
      `curl -s -X PUT -H 'X-A: ü' ${plain.origin}/echo; curl -sI ${plain.origin}/large?n=7 | grep -i length`,
  );
  assert.equal(
    sent.stdout.split("\n").slice(0, 2).join("\n"),
    " 61 00 ff\ne2c865db4162bed963bfaa9ef6ac18f0  -",
  );
  assert.equal(plain.seen[2].method, "PUT");
  assert.equal(Buffer.from(plain.seen[2].headers["x-a"], "latin1").toString(), "ü");
  assert.match(sent.stdout, /content-length: 7/i);
});

test("what no rule allows is refused, and not asked", async () => {
  const sandbox = await withHttp([`GET ${plain.origin}/hello`, `POST ${plain.origin}/body`]);
  for (const [command, code] of [
    [`curl -s ${plain.origin}/hello`, 0],
    [`curl -sd x ${plain.origin}/body`, 0],
    [`curl -sS ${plain.origin}/echo`, 7],
    [`curl -sSd x ${plain.origin}/hello`, 7],
    [`curl -sS ${plain.origin}/body`, 7],
    ["curl -sS http://example.com/", 7],
  ]) {
    const result = await sandbox.run(command);
    assert.equal(result.exitCode, code, command + result.stderr);
    if (code) assert.match(result.stderr, /denied/);
  }
  assert.equal(plain.seen.length, 2);
});

test("a capability takes it into its own hands, and the rules hold besides", async () => {
  const grant = { method: "http/*", max_calls: 2 };
  const sandbox = await withHttp(`${plain.origin}/hello`, {}, { capabilities: [grant] });
  const twice = `curl -sS ${plain.origin}/hello; curl -sS ${plain.origin}/echo; curl -sS ${plain.origin}/hello`;
  const result = await sandbox.run(twice);
  assert.equal(result.stdout, "hello\n");
  assert.match(result.stderr, /no rule allows/);
  assert.match(result.stderr, /no calls left|limit|spent/);
  const whole = { capabilities: [{ method: "other" }] };
  const other = await withHttp(`${plain.origin}/hello`, {}, { capabilities: whole });
  assert.equal((await other.run(`curl -s ${plain.origin}/hello`)).stdout, "hello\n");
  const none = await Sandbox.create();
  assert.notEqual((await none.run(`curl -s ${plain.origin}/hello`)).exitCode, 0);
});

test("redirects are judged hop by hop, with their methods", async () => {
  const sandbox = await withHttp([`${plain.origin}/redirect`, `GET ${plain.origin}/echo`, "http://**/**"]);
  const to = (target, code = 302) => `'${plain.origin}/redirect?code=${code}&to=${target}'`;
  assert.equal((await sandbox.run(`curl -sSL ${to(`${plain.origin}/echo`)}`)).exitCode, 0);
  const away = await sandbox.run(`curl -sSL ${to("http://169.254.169.254/latest/")}`);
  assert.equal(away.exitCode, 7);
  assert.match(away.stderr, /metadata address/);
  const narrow = await withHttp([`POST ${plain.origin}/redirect`, `GET ${plain.origin}/echo`]);
  for (const [code, exit] of [[301, 0], [302, 0], [303, 0], [307, 7], [308, 7]]) {
    plain.seen.length = 0;
    const result = await narrow.run(`curl -sSLd secret ${to(`${plain.origin}/echo`, code)}`);
    assert.equal(result.exitCode, exit, `${code} ${result.stderr}`);
    assert.equal(plain.seen.length, exit ? 1 : 2);
    if (!exit) assert.equal(plain.seen[1].sent.length, 0);
  }
  const counted = await withHttp(`${plain.origin}/**`, {}, { limits: { toolCalls: 5 } });
  plain.seen.length = 0;
  assert.match((await counted.run(`curl -sSL ${plain.origin}/loop`)).stderr, /tool_calls: 5/);
  assert.equal(plain.seen.length, 5);
});

test("addresses that are not public are refused, however they are written", async () => {
  const http = await allowing("http://**:*/**", { timeoutMs: 3000 });
  const sandbox = await Sandbox.create({ http });
  const { port } = plain.address();
  for (const host of [
    "127.0.0.1", "127.0.0.1.", "127.1", "0x7f000001", "0177.0.0.1", "2130706433", "①②⑦.0.0.1", "localhost",
    "LOCALHOST", "localhost.", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]",
    "[2002:7f00:1::1]", "2852039166", "[::ffff:a9fe:a9fe]", "10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1",
    "224.0.0.1", "240.0.0.1", "[fec0::1]", "[fc00::1]",
  ]) {
    const script = `try { await http.request({url: "http://${host}:${port}/"}); return "sent" } catch (e) { return e.message }`;
    const { value } = await sandbox.run(script, { language: "js" });
    assert.match(String(value), /are not granted|Could not resolve|not valid|not the URL/, host);
  }
  assert.equal(plain.seen.length, 0);
  const granted = await withHttp("http://**:*/**", { addresses: ["loopback"] });
  assert.equal((await granted.run(`curl -s ${plain.origin}/hello`)).stdout, "hello\n");
});

test("no spelling of a URL reaches another host than the one that is allowed", async () => {
  const sandbox = await withHttp(["http://ok.test/**", "http://*.ok.test/**", "http://ok.test:*/**"], { timeoutMs: 3000 });
  const { port } = plain.address();
  for (const url of [
    "http://ok.test\\@localhost:{}/", "http://ok.test#@localhost:{}/", "http://ok.test:80@localhost:{}/",
    "http:/localhost:{}/", "//localhost:{}/", "http://localhost:{}\\.ok.test/", "http://ok.test\t@localhost:{}/",
    "http://ok.test%00.localhost:{}/", "http://localhost:{}:80/", "http://[::1]ok.test:{}/", "http://ok.test?@localhost:{}/",
  ]) {
    const params = JSON.stringify({ url: url.replace("{}", port) });
    const { exitCode } = await sandbox.run(`await http.request(${params})`, { language: "js" });
    assert.equal(exitCode, 1, url);
  }
  assert.equal(plain.seen.length, 0);
});

test("what no request may have", async () => {
  const sandbox = await withHttp(`${plain.origin}/**`);
  for (const [params, why] of [
    [{ headers: { "X-A": "b\r\nX-Evil: 1" } }, /control/],
    [{ headers: { Host: "other" } }, /another host/],
    [{ headers: { "Transfer-Encoding": "chunked" } }, /the connection's/],
    [{ headers: { "Content-Length": "9" }, body: "x" }, /not the length/],
    [{ headers: { Upgrade: "websocket" } }, /the connection's/],
    [{ method: "CONNECT" }, /never allowed/],
    [{ method: "GET /x HTTP/1.1\r\nX:" }, /not one of HTTP's/],
    [{ method: "post" }, /would be sent as POST/],
    [{ body: "a", body_base64: "YQ==" }, /exclude/],
    [{ body_base64: "?" }, /not Base64/],
  ]) {
    const given = JSON.stringify({ url: `${plain.origin}/echo`, ...params });
    const { stderr } = await sandbox.run(`await http.request(${given})`, { language: "js" });
    assert.match(stderr, why);
  }
  assert.equal(plain.seen.length, 0);
});

test("answers have limits, in size and in time", async () => {
  const sandbox = await withHttp(`${plain.origin}/**`, { maxBytes: 100000 });
  for (const [page, code] of [
    ["large?n=100001", 63], ["endless", 63], ["bomb", 63], ["short", 18], ["nothing", 52], ["headers?n=400", 56],
  ]) {
    const result = await sandbox.run(`curl -sS --compressed '${plain.origin}/${page}' -o /dev/null`);
    assert.equal(result.exitCode, code, page + result.stderr);
  }
  const most = await sandbox.run(`curl -s '${plain.origin}/large?n=100000' | wc -c; curl -s --compressed ${plain.origin}/gzip`);
  assert.equal(most.stdout, "100000\nunpacked\n");
  const short = await withHttp(`${plain.origin}/**`, { timeoutMs: 300 });
  for (const page of ["never", "drip"]) {
    const result = await short.run(`curl -sS ${plain.origin}/${page}`);
    assert.equal(result.exitCode, 28, result.stderr);
    assert.match(result.stderr, /timed out/);
  }
  assert.equal((await sandbox.run(`curl -sS -m 0.3 ${plain.origin}/never`)).exitCode, 28);
});

test("requests are on together, as many as are allowed", async () => {
  const script = `for i in 1 2 3 4; do curl -sS ${plain.origin}/meet & done; wait`;
  const sandbox = await withHttp(`${plain.origin}/**`);
  assert.equal((await sandbox.run(script)).stdout, "met\n".repeat(4));
  const one = await withHttp(`${plain.origin}/**`, { concurrency: 1 });
  assert.equal((await one.run(script.replace("/meet", "/alone"))).stdout, "alone\n".repeat(4));
});

test("a run that is aborted ends its requests", async () => {
  const sandbox = await withHttp(`${plain.origin}/**`);
  const controller = new AbortController();
  const run = sandbox.run(`curl -s ${plain.origin}/never`, { signal: controller.signal });
  while (!plain.seen.length) await new Promise((done) => setTimeout(done, 5));
  controller.abort();
  await assert.rejects(run, { name: "AbortError" });
  assert.equal((await sandbox.run("echo on")).stdout, "on\n");
});

test("TLS is verified", async () => {
  const url = `${secure.origin}/hello`;
  const trusting = await withHttp(`${secure.origin}/**`, { ca: CA });
  assert.equal((await trusting.run(`curl -s ${url}`)).stdout, "hello\n");
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  const sandbox = await withHttp(`${secure.origin}/**`);
  const result = await sandbox.run(`curl -sS ${url}`);
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  assert.equal(result.exitCode, 60, result.stderr);
  assert.match(result.stderr, /SSL certificate problem/);
  assert.equal(secure.seen.length, 1);
});

test("the environment chooses no proxy, and cookies stay with who asked", async () => {
  const http = await allowing(`${plain.origin}/**`);
  process.env.http_proxy = process.env.HTTP_PROXY = secure.origin;
  const [one, two] = [await Sandbox.create({ http }), await Sandbox.create({ http })];
  await one.run(`export http_proxy=${secure.origin}; curl -s ${plain.origin}/cookie`);
  assert.equal((await one.run(`curl -s ${plain.origin}/cookies`)).stdout, "none\n");
  assert.equal((await two.run(`curl -s ${plain.origin}/cookies`)).stdout, "none\n");
  delete process.env.http_proxy;
  delete process.env.HTTP_PROXY;
  assert.equal(secure.seen.length, 0);
});

/* ---- secrets */

test("a secret goes out and never in", async () => {
  const sandbox = await withSecret();
  const { stdout } = await sandbox.run("echo $KEY; env; cat /proc/self/environ");
  assert.match(stdout, /^pfsecret_KEY_[0-9a-f]{32}\n/);
  assert.ok(!stdout.includes(VALUE));
  const result = await sandbox.run(`curl -s -H "Authorization: Bearer $KEY" ${secure.origin}/echo; curl -s -u "$KEY:" ${secure.origin}/echo`);
  assert.equal(secure.seen[0].headers.authorization, `Bearer ${VALUE}`);
  const basic = Buffer.from(secure.seen[1].headers.authorization.slice(6), "base64");
  assert.equal(basic.toString(), `${VALUE}:`);
  assert.match(result.stdout, /pfsecret_KEY_hidden/);
  assert.ok(!result.stdout.includes(VALUE));
  const other = await withSecret();
  assert.notEqual((await other.run("echo $KEY")).stdout.trim(), stdout.split("\n")[0]);
});

test("a server that reflects a secret gives nothing away", async () => {
  const sandbox = await withSecret();
  const ask = (as, where) =>
    sandbox.run(`curl -si --compressed -H "Authorization: Bearer $KEY" "${secure.origin}/reflect?as=${as}&in=${where}"`);
  for (const as of ["plain", "base64", "hex", "percent", "reversed", "json"])
    for (const where of ["body", "header", "gzip", "location"]) {
      const { stdout, exitCode } = await ask(as, where);
      assert.equal(exitCode, 0);
      assert.match(stdout, /pfsecret_KEY_hidden/, `${as} ${where}`);
      for (const piece of [VALUE, [...VALUE].reverse().join(""), Buffer.from(VALUE).toString("hex"), VALUE.slice(0, 12)])
        assert.ok(!stdout.includes(piece), `${as} ${where}`);
    }
  assert.match((await ask("plain", "file")).stderr + (await ask("plain", "file")).stdout, /^(?!.*sk_live)/s);
  assert.equal((await ask("plain", "file")).exitCode, 7);
  assert.equal((await ask("plain", "br")).exitCode, 61);
});

test("elsewhere a secret is refused, not sent", async () => {
  const sandbox = await withSecret([`${plain.origin}/**`]);
  const url = `${secure.origin}/echo`,
    other = `${plain.origin}/echo`;
  for (const [command, why] of [
    [`curl -sS -H "X-Key: $KEY" ${url}`, /in the header Authorization/],
    [`curl -sS "${url}?k=$KEY"`, /does not belong in a URL/],
    [`curl -sS -d "k=$KEY" ${url}`, /does not belong in a body/],
    [`curl -sS -b "k=$KEY" ${url}`, /in the header Authorization/],
    [`curl -sS -H "$KEY: x" ${url}`, /header's name/],
    [`curl -sS -H "Authorization: Bearer $KEY" ${other}`, /may be sent only to/],
    [`curl -sS -u "u:$KEY" ${other}`, /may be sent only to/],
    [`curl -sS -H "Authorization: pfsecret_OTHER_${"0".repeat(32)}" ${url}`, /there is no secret/],
    [`curl -sS -H "Authorization: \${KEY%?}" ${url}`, /there is no secret/],
    [`curl -sS -r 0-3 -H "Authorization: $KEY" ${url}`, /not for a Range/],
  ]) {
    const result = await sandbox.run(command);
    assert.equal(result.exitCode, 7, command);
    assert.match(result.stderr, why);
  }
  assert.equal(secure.seen.length + plain.seen.length, 0);
  const away = await sandbox.run(`curl -sSL -H "Authorization: Bearer $KEY" "${secure.origin}/redirect?to=${other}"`);
  assert.equal(away.exitCode, 0, away.stderr);
  assert.equal(plain.seen[0].headers.authorization, undefined);
});

test("logs, snapshots and errors hold placeholders only", async () => {
  const told = [];
  const sandbox = await withSecret([], { onDecision: (decision) => told.push(decision) });
  const result = await sandbox.run(
    `curl -s -H "Authorization: Bearer $KEY" ${secure.origin}/reflect; curl -sS -H "Authorization: $KEY" ${secure.origin}/nothing`,
  );
  const data = Buffer.from(await sandbox.snapshot());
  const said = JSON.stringify([told, result], (_, value) => (typeof value === "bigint" ? String(value) : value));
  assert.match(said, /pfsecret_KEY_/);
  assert.ok(!said.includes(VALUE) && !data.includes(VALUE));
  const secret = new Secret({ value: VALUE, hosts: ["x.com"] });
  assert.ok(!JSON.stringify(secret).includes(VALUE) && !Object.values(secret).includes(VALUE));
});

test("what is wrong with rules and secrets is said at once", async () => {
  for (const rule of ["x.com", "ftp://x.com/", "get https://x.com/", "https://x.com/?q", "https://u@x.com/"])
    await assert.rejects(allowing(rule), InvalidError, rule);
  const hosts = ["x.com"];
  assert.throws(() => new Secret({ hosts }), InvalidError);
  assert.throws(() => new Secret({ env: "PINFOLD_NOT_THERE", hosts }), /PINFOLD_NOT_THERE/);
  for (const [secret, why] of [
    [{ value: "short", hosts }, /8 to/],
    [{ value: "line\nend-line", hosts }, /one line/],
    [{ value: VALUE, hosts: [] }, /nowhere/],
    [{ value: VALUE, hosts: ["**"] }, /names hosts/],
    [{ value: VALUE, hosts, headers: [] }, /nowhere/],
  ])
    await assert.rejects(allowing("https://x.com/**", { secrets: { K: new Secret(secret) } }), why);
  await assert.rejects(allowing("https://x.com", { secrets: { K: VALUE } }), /not a Secret/);
  await assert.rejects(allowing("https://x.com", { retries: 3 }), /no option "retries"/);
  await assert.rejects(withSecret([], { env: { KEY: "1" } }), /env has "KEY"/);
  await assert.rejects(Sandbox.create({ http: {} }), InvalidError);
});

/* ---- as any call */

test("a waiting request is a call: forked, kept in a snapshot, judged anew", async () => {
  const http = await allowing(`${plain.origin}/**`);
  const sandbox = await Sandbox.create({ http });
  await sandbox.start(`x=1; curl -s ${plain.origin}/hello; echo $x`);
  assert.equal(sandbox.pending()[0].params.url, `${plain.origin}/hello`);
  const data = await sandbox.snapshot();
  assert.equal((await (await sandbox.fork()).finish()).stdout, "hello\n1\n");
  const restored = await Sandbox.restore(data, { http });
  assert.equal((await restored.finish()).stdout, "hello\n1\n");
  const other = await Sandbox.restore(data, { http: await allowing("https://other.test/**") });
  assert.equal((await other.finish()).stdout, "1\n");
  assert.equal(plain.seen.length, 2);
});

test("placeholders hold after a restore, and are the same for the same seed", async () => {
  const sandbox = await withSecret();
  await sandbox.run("token=$KEY");
  const secrets = { KEY: new Secret({ value: VALUE, hosts: [secure.origin] }) };
  const http = await allowing(`${secure.origin}/**`, { ca: CA, secrets });
  const restored = await Sandbox.restore(await sandbox.snapshot(), { http });
  await restored.run(`curl -s -H "Authorization: $token" ${secure.origin}/echo`);
  assert.equal(secure.seen[0].headers.authorization, VALUE);
  const [one, two] = [await Sandbox.create({ http, seed: 7 }), await Sandbox.create({ http, seed: 7 })];
  const { stdout } = await one.run("echo $KEY");
  assert.equal((await two.run("echo $KEY")).stdout, stdout);
  /* Python's are the same: tests/js/test_js_http.py. */
});

test("what was recorded replays without a server", async () => {
  const pieces = [];
  const sandbox = await withSecret([`${plain.origin}/**`], { record: (bytes) => pieces.push(bytes) });
  const script = `curl -s ${plain.origin}/hello | tr a-z A-Z; curl -s -H "Authorization: $KEY" ${secure.origin}/reflect`;
  assert.equal((await sandbox.run(script)).stdout, "HELLO\npfsecret_KEY_hidden");
  await sandbox.close();
  const trace = Buffer.concat(pieces);
  assert.ok(!trace.includes(VALUE));
  plain.seen.length = secure.seen.length = 0;
  const replayed = await replay(new Uint8Array(trace));
  assert.equal(replayed.results[0].stdout, "HELLO\npfsecret_KEY_hidden");
  assert.equal(plain.seen.length + secure.seen.length, 0);
});

test("a sandbox in a worker asks by the thread that made it", async () => {
  const secrets = { KEY: new Secret({ value: VALUE, hosts: [secure.origin] }) };
  const http = await allowing([`${plain.origin}/**`, `${secure.origin}/**`], { ca: CA, secrets });
  const sandbox = await WorkerSandbox.create({ http });
  const script = `curl -s ${plain.origin}/hello; curl -s -H "Authorization: $KEY" ${secure.origin}/reflect`;
  assert.equal((await sandbox.run(script)).stdout, "hello\npfsecret_KEY_hidden");
  sandbox.terminate();
});

test("an approval stands before a request", async () => {
  const asked = [];
  const sandbox = await withHttp(`${plain.origin}/**`, {}, {
    capabilities: [{ method: "http/request", ask: true }],
    approve: (call) => (asked.push(call.params.url), call.params.url.endsWith("/hello")),
  });
  const result = await sandbox.run(`curl -s ${plain.origin}/hello; curl -sS ${plain.origin}/echo`);
  assert.equal(result.stdout, "hello\n");
  assert.equal(asked.length, 2);
  assert.equal(plain.seen.length, 1);
});
