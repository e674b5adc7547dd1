/* Signed capabilities: issued, narrowed, passed on; bad, expired and widened ones refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { CapabilityError, InvalidError, Issuer, Sandbox, Token, tool } from "../dist/node.js";

const BANK = [{ method: "bank/**", max_calls: 10, constraints: { amount: "<=100" } }];
const PAY = [{ method: "bank/pay", max_calls: 2, constraints: { amount: "<=50" } }];
const HOUR = { expiresInSeconds: 3600 };
const issuer = await Issuer.create({ seed: Uint8Array.from({ length: 32 }, (_, i) => i) });
const trusted = [issuer.publicKey];
const granted = (token, how) => token.verify(trusted, how).capabilities;
const refuses = (act, words) =>
  assert.throws(act, (error) => error instanceof CapabilityError && words.test(error.message));

test("a key is the same everywhere", async () => {
  /* RFC 8032, section 7.1, test 1 */
  const hex = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
  const { publicKey } = await Issuer.create({ seed: new Uint8Array(Buffer.from(hex, "hex")) });
  const wanted = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
  assert.equal(Buffer.from(publicKey).toString("hex"), wanted);
});

test("what a token grants is what a sandbox may do", async () => {
  const token = issuer.issue(BANK, HOUR);
  const grant = token.verify([(await Issuer.create()).publicKey, issuer.publicKey]);
  const left = (grant.expires - Date.now()) / 1000;
  assert.ok(left > 3500 && left <= 3600, `${left}`);
  const tools = { "bank.pay": tool({ execute: ({ amount }) => amount }) };
  const sandbox = await Sandbox.create({ tools, capabilities: grant.capabilities });
  assert.equal((await sandbox.run("tool bank.pay --amount 7")).stdout, "7\n");
  assert.equal((await sandbox.run("tool bank.pay --amount 700")).exitCode, 126);
});

test("narrowed and passed on", async () => {
  const token = await Token.open(issuer.issue(BANK, HOUR).data);
  const once = token.narrow(PAY);
  const less = [{ method: "bank/pay", max_calls: 1, constraints: { amount: "<5" } }];
  const twice = once.narrow(less, { expiresInSeconds: 60 });
  assert.equal(granted(token)[0].max_calls, 10);
  assert.equal(granted(once)[0].method, "bank/pay");
  const grant = twice.verify(trusted);
  assert.equal(grant.capabilities[0].max_calls, 1);
  assert.ok(grant.expires - Date.now() <= 60000);
  const sealed = once.seal();
  assert.deepEqual(granted(sealed.seal()), granted(once));
  refuses(() => sealed.narrow(PAY), /sealed/);
});

test("nobody widens", () => {
  const token = issuer.issue(PAY, HOUR);
  const constraints = { amount: "<=50" };
  for (const wider of [
    BANK,
    [{ method: "**", max_calls: 1, constraints }],
    [{ method: "bank/pay", max_calls: 2, constraints: { amount: "<=51" } }],
    [{ method: "bank/pay", constraints }],
    [{ method: "bank/pay", max_calls: 3, constraints }],
    [{ method: "bank/pay", max_calls: 1 }],
  ])
    refuses(() => token.narrow(wider), /^the token is widened: /);
  refuses(() => token.narrow(PAY, { expiresInSeconds: 7200 }), /expire later/);
  refuses(() => token.narrow(PAY, { expires: new Date(-1000) }), /after 1970/);
  let narrowed = token;
  for (let i = 0; i < 15; i++) narrowed = narrowed.narrow(PAY);
  refuses(() => narrowed.narrow(PAY), /narrowed 15 times/);
});

test("integers beyond 2^53 stay what they are", () => {
  const limit = 2n ** 53n + 1n;
  const only = (value) => [{ method: "a", constraints: [{ param: "n", op: "<=", value }] }];
  const token = issuer.issue(only(limit), HOUR);
  assert.equal(granted(token)[0].constraints[0].value, limit);
  token.narrow(granted(token));
  refuses(() => token.narrow(only(limit + 1n)), /widened/);
});

test("expired, and of a stranger", async () => {
  const token = issuer.issue(PAY, { expires: new Date(1000_000) });
  assert.equal(granted(token, { now: new Date(999_999) }).length, 1);
  refuses(() => granted(token, { now: new Date(1000_000) }), /expired, since 0 s/);
  refuses(() => granted(token), /expired/);
  refuses(() => issuer.issue(PAY, HOUR).verify([]), /trusted/);
  const stranger = await Issuer.create();
  refuses(() => granted(stranger.issue(PAY, HOUR)), /trusted/);
});

test("every changed byte is noticed", async () => {
  for (const { data } of [issuer.issue(PAY, HOUR), issuer.issue(BANK, HOUR).narrow(PAY).seal()]) {
    for (let at = 0; at < data.length; at += 3) {
      const changed = data.slice();
      changed[at] ^= 1 << at % 8;
      const token = await Token.open(changed);
      assert.throws(() => granted(token), CapabilityError, `byte ${at}`);
    }
    for (const cut of [0, 1, data.length >> 1, data.length - 1]) {
      const token = await Token.open(data.subarray(0, cut));
      refuses(() => granted(token), /cannot be read/);
    }
  }
});

test("mistakes", async () => {
  const token = issuer.issue(PAY, HOUR);
  for (const expiry of [
    undefined,
    {},
    { expires: new Date(), expiresInSeconds: 1 },
    { expires: 5 },
    { expires: new Date(NaN) },
    { expiresInSeconds: "1" },
    { expiresInSeconds: Infinity },
    { expiresIn: 5 },
  ])
    assert.throws(() => issuer.issue(PAY, expiry), InvalidError, inspect(expiry));
  assert.throws(() => token.verify(issuer.publicKey), InvalidError);
  assert.throws(() => token.verify([new Uint8Array(31)]), /a public key is 32 bytes, not 31/);
  await assert.rejects(Issuer.create({ seed: new Uint8Array(31) }), /a seed is 32 bytes, not 31/);
  await assert.rejects(Token.open("text"), /a token is a Uint8Array, not string/);
  refuses(() => issuer.issue([{ method: "a", max: 1 }], HOUR), /max/);
  refuses(() => issuer.issue(undefined, HOUR), /capabilities/);
  /* Neither shows what it knows. */
  assert.doesNotMatch(inspect([issuer, token], { showHidden: true }), /\d\d/);
  assert.equal(JSON.stringify([issuer, token]), "[{},{}]");
});
