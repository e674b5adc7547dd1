/*
 * http_requests.mjs: what the package's Http makes of requests: lines of [options, params] of JSON on
 * standard input, a line for each on standard output.
 *
 * usage: node http_requests.mjs PACKAGE
 */
import { createInterface } from "node:readline";

const { Http, Secret } = await import(`file://${process.argv[2]}/dist/node.js`);
const { signal } = new AbortController();
for await (const line of createInterface({ input: process.stdin })) {
  const [{ secrets, ...options }, params] = JSON.parse(line);
  let said;
  try {
    const made = Object.entries(secrets).map(([name, one]) => [name, new Secret(one)]);
    const http = await Http.create({ ...options, secrets: Object.fromEntries(made) });
    said = ["answer", await http.tool.execute(params, { signal })];
  } catch (error) {
    said = [error.name, error.message];
  }
  console.log(JSON.stringify(said));
}
