/*
 * tests/js/adapters.mjs: the adapters with the real packages, which a folder has beside pinfold. What
 * a model says comes from here, by way of each SDK's own client.
 *
 * usage: node adapters.mjs, in that folder: one line for each, "NAME ok", or an error.
 */
import assert from "node:assert/strict";
import { Sandbox, tool } from "pinfold";
import * as adapters from "pinfold/adapters";

const CODE = {
  language: "javascript",
  code: "console.log((await orders({ customer: 'cus_1' })).length)",
};
const MODEL = "a-model";

async function fresh() {
  const orders = tool({ description: "Orders.", execute: () => [{ id: 1 }, { id: 2 }] });
  const sandbox = await Sandbox.create({ tools: { orders }, capabilities: ["orders"] });
  return { sandbox, code: await adapters.codeTool(sandbox) };
}

/** A server of a model: takes what was sent, and says the next thing. */
function model(...answers) {
  const sent = [];
  const fetch = async (_url, { body }) => {
    sent.push(JSON.parse(body));
    return new Response(JSON.stringify(answers.shift()), {
      headers: { "content-type": "application/json" },
    });
  };
  return { sent, fetch };
}

const cases = {
  async openai() {
    const { default: OpenAI } = await import("openai");
    const { code } = await fresh();
    const call = {
      id: "c1",
      type: "function",
      function: { name: "run_code", arguments: JSON.stringify(CODE) },
    };
    const choice = (message) => ({
      id: "x",
      object: "chat.completion",
      created: 1,
      model: MODEL,
      choices: [
        {
          index: 0,
          finish_reason: "stop",
          message: { role: "assistant", refusal: null, ...message },
        },
      ],
    });
    const server = model(choice({ content: null, tool_calls: [call] }), choice({ content: "two" }));
    const client = new OpenAI({ apiKey: "k", fetch: server.fetch });
    const messages = [{ role: "user", content: "How many?" }];
    const tools = [adapters.openaiTool(code)];
    for (;;) {
      const { choices } = await client.chat.completions.create({ model: MODEL, messages, tools });
      messages.push(choices[0].message);
      if (!choices[0].message.tool_calls) break;
      for (const one of choices[0].message.tool_calls)
        messages.push(await adapters.handleOpenAI(code, one));
    }
    assert.equal(messages.at(-2).content, "2");
    assert.deepEqual(server.sent[0].tools[0].function.parameters.required, ["language", "code"]);
    assert.match(server.sent[0].tools[0].function.description, /orders/);
  },

  async openaiResponses() {
    const { default: OpenAI } = await import("openai");
    const { code } = await fresh();
    const call = {
      type: "function_call",
      id: "f",
      call_id: "c1",
      name: "run_code",
      arguments: JSON.stringify(CODE),
    };
    const server = model({ id: "r", object: "response", output: [call] });
    const client = new OpenAI({ apiKey: "k", fetch: server.fetch });
    const { output } = await client.responses.create({
      model: MODEL,
      input: "?",
      tools: [adapters.openaiResponsesTool(code)],
    });
    assert.deepEqual(await adapters.handleOpenAIResponses(code, output[0]), {
      type: "function_call_output",
      call_id: "c1",
      output: "2",
    });
  },

  async anthropic() {
    const { default: Anthropic } = await import("@anthropic-ai/sdk");
    const { code } = await fresh();
    const message = (content, stop_reason) => ({
      id: "m",
      type: "message",
      role: "assistant",
      model: MODEL,
      content,
      stop_reason,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    const use = { type: "tool_use", id: "t1", name: "run_code", input: CODE };
    const server = model(
      message([use], "tool_use"),
      message([{ type: "text", text: "two" }], "end_turn"),
    );
    const client = new Anthropic({ apiKey: "k", fetch: server.fetch });
    const runner = client.beta.messages.toolRunner({
      model: MODEL,
      max_tokens: 9,
      tools: [adapters.anthropicTool(code)],
      messages: [{ role: "user", content: "How many?" }],
    });
    assert.equal((await runner).content[0].text, "two");
    assert.deepEqual(Object.keys(server.sent[0].tools[0]).sort(), [
      "description",
      "input_schema",
      "name",
    ]);
    assert.match(
      JSON.stringify(server.sent[1].messages.at(-1)),
      /"tool_use_id":"t1","content":"2"/,
    );
    assert.deepEqual(await adapters.handleAnthropic(code, use), {
      type: "tool_result",
      tool_use_id: "t1",
      content: "2",
    });
  },

  async aiSdk() {
    const { generateText, stepCountIs } = await import("ai");
    const { MockLanguageModelV3 } = await import("ai/test");
    const { code } = await fresh();
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const steps = [
      {
        content: [
          { type: "tool-call", toolCallId: "c", toolName: "run_code", input: JSON.stringify(CODE) },
        ],
        finishReason: { unified: "tool-calls" },
        usage,
        warnings: [],
      },
      {
        content: [{ type: "text", text: "two" }],
        finishReason: { unified: "stop" },
        usage,
        warnings: [],
      },
    ];
    const mock = new MockLanguageModelV3({ doGenerate: async () => steps.shift() });
    const result = await generateText({
      model: mock,
      prompt: "How many?",
      stopWhen: stepCountIs(3),
      tools: { [code.name]: adapters.aiTool(code) },
    });
    assert.equal(result.text, "two");
    assert.equal(result.steps[0].toolResults[0].output, "2");
    assert.equal(mock.doGenerateCalls[0].tools[0].inputSchema.required[1], "code");
  },

  async bashTool() {
    const { createBashTool } = await import("bash-tool");
    const { sandbox } = await fresh();
    const made = await createBashTool({
      sandbox: adapters.bashToolSandbox(sandbox),
      destination: "/workspace",
      files: { "a.txt": "hello\n" },
    });
    const run = await made.bash.execute(
      { command: "cat /workspace/a.txt | tr a-z A-Z; exit 3" },
      {},
    );
    assert.deepEqual([run.stdout, run.exitCode], ["HELLO\n", 3]);
    const read = await made.tools.readFile.execute({ path: "/workspace/a.txt" }, {});
    assert.equal(read.content, "hello\n");
    await made.tools.writeFile.execute({ path: "/workspace/b.txt", content: "b" }, {});
    assert.equal(await sandbox.files.readText("b.txt"), "b");
  },

  async langchain() {
    const { tool: make } = await import("@langchain/core/tools");
    const { code } = await fresh();
    const made = adapters.langchainTool(code, make);
    assert.equal(made.name, "run_code");
    assert.equal(await made.invoke(CODE), "2");
    const message = await made.invoke({ type: "tool_call", id: "c", name: "run_code", args: CODE });
    assert.deepEqual([message.tool_call_id, message.content], ["c", "2"]);
  },

  async mastra() {
    const { createTool } = await import("@mastra/core/tools");
    const { code } = await fresh();
    const made = adapters.mastraTool(code, createTool);
    assert.equal(made.id, "run_code");
    assert.equal(await made.execute({ context: CODE }, {}), "2");
  },

  async mcp() {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { Server } = await import("@modelcontextprotocol/sdk/server/index.js");
    const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
    const { InMemoryTransport } = await import("@modelcontextprotocol/sdk/inMemory.js");
    const types = await import("@modelcontextprotocol/sdk/types.js");
    const { z } = await import("zod");
    const connected = async (server) => {
      const [here, there] = InMemoryTransport.createLinkedPair();
      const client = new Client({ name: "test", version: "1" });
      await Promise.all([server.connect(there), client.connect(here)]);
      return client;
    };
    /* A server's tools inside a sandbox … */
    const shop = new McpServer({ name: "shop", version: "1" });
    shop.registerTool(
      "price",
      { description: "A price.", inputSchema: { item: z.string() } },
      ({ item }) =>
        item === "lamp"
          ? { content: [{ type: "text", text: '{"price": 40}' }] }
          : { isError: true, content: [{ type: "text", text: `no ${item} here` }] },
    );
    const tools = await adapters.mcpTools(await connected(shop), "shop");
    assert.deepEqual(Object.keys(tools), ["shop/price"]);
    const sandbox = await Sandbox.create({ tools, capabilities: ["shop/*"] });
    const { stdout } = await sandbox.run(
      "tool shop/price --item lamp | jq .price; tool shop/price --item x 2>&1",
    );
    assert.match(stdout, /^40\n.*no x here/s);
    /* … and a sandbox as a server's tool. */
    const server = new Server({ name: "code", version: "1" }, { capabilities: { tools: {} } });
    const { code } = await fresh();
    adapters.serveMcp(code, server, types);
    const client = await connected(server);
    assert.equal((await client.listTools()).tools[0].name, "run_code");
    const result = await client.callTool({ name: "run_code", arguments: CODE });
    assert.equal(result.content[0].text, "2");
  },

  async mistakes() {
    const { code } = await fresh();
    assert.match(await code.run("{"), /no JSON/);
    assert.match(await code.run({ language: "cobol", code: "" }), /one of javascript/);
    assert.match(await code.run({ language: "shell" }), /"code" is missing/);
    assert.equal(await code.run({ language: "shell", code: "true" }), "(no output)");
    assert.match(
      await code.run({ language: "shell", code: "echo a; exit 4" }),
      /a\n.*session ended.*\n\[exit status 4\]/s,
    );
    const long = await code.run({ language: "shell", code: "seq 100000" });
    assert.ok(
      long.length < 20_200 && /characters are left out/.test(long) && long.endsWith("100000"),
    );
    const both = await Promise.all(
      [1, 2].map((n) => code.run({ language: "shell", code: `echo ${n}` })),
    );
    assert.deepEqual(both, ["1", "2"]);
  },
};

for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(cases)) {
  await cases[name]();
  console.log(`${name} ok`);
}
process.exit(0);
