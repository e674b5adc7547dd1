/*
 * adapters/index.ts: a sandbox for frameworks of agents. Nothing here imports one: what a framework
 * has to make by itself is given to it as a function of its own.
 */
import { InvalidError, ToolError } from "../base/error.ts";
import { type JsonSchema, tool, type Tool } from "../tool.ts";
import { type AnySandbox, type CodeOptions, CodeTool, inTurn } from "./code.ts";

export { type AnySandbox, type CodeOptions, CodeTool } from "./code.ts";

type Context = { signal?: AbortSignal };

/* ---- OpenAI */

export interface OpenAIChatTool {
  type: "function";
  function: {
    name: string;
    description: string;
    parameters: Record<string, unknown>;
    strict: true;
  };
}
export interface OpenAIResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: true;
}

/** For `tools` of chat.completions.create(). */
export function openaiTool(code: CodeTool): OpenAIChatTool {
  const { name, description, schema } = code;
  return {
    type: "function",
    function: { name, description, parameters: { ...schema }, strict: true },
  };
}

/** For `tools` of responses.create(). */
export function openaiResponsesTool(code: CodeTool): OpenAIResponsesTool {
  const { name, description, schema } = code;
  return { type: "function", name, description, parameters: { ...schema }, strict: true };
}

interface ChatCall {
  readonly id: string;
  readonly type?: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}
interface ResponsesCall {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Serves a call of a chat's message; gives the message to send back. */
export async function handleOpenAI(
  code: CodeTool,
  call: ChatCall,
  context: Context = {},
): Promise<{ role: "tool"; tool_call_id: string; content: string }> {
  if (call.function?.name !== code.name) throw new InvalidError(`this is no call of ${code.name}`);
  const content = await code.run(call.function.arguments, context);
  return { role: "tool", tool_call_id: call.id, content };
}

/** Serves an item of a response's output; gives the item to send back. */
export async function handleOpenAIResponses(
  code: CodeTool,
  call: ResponsesCall,
  context: Context = {},
): Promise<{ type: "function_call_output"; call_id: string; output: string }> {
  if (call.type !== "function_call" || call.name !== code.name)
    throw new InvalidError(`this is no call of ${code.name}`);
  const output = await code.run(call.arguments, context);
  return { type: "function_call_output", call_id: call.call_id, output };
}

/* ---- Anthropic */

/** For `tools` of messages.create(), and of beta.messages.toolRunner(), which calls it by itself. */
export function anthropicTool(code: CodeTool): {
  name: string;
  description: string;
  input_schema: { type: "object"; properties: unknown; required: string[] };
  run: (input: unknown) => Promise<string>;
  parse: (input: unknown) => unknown;
} {
  const { name, description, schema } = code;
  const tool = {
    name,
    description,
    input_schema: { ...schema } as { type: "object"; properties: unknown; required: string[] },
  };
  /* They are no part of what is sent. */
  return Object.defineProperties(tool as ReturnType<typeof anthropicTool>, {
    run: { value: (input: unknown) => code.run(input) },
    parse: { value: (input: unknown) => input },
  });
}

/** Serves a block of type tool_use; gives the block to send back. */
export async function handleAnthropic(
  code: CodeTool,
  block: {
    readonly type: string;
    readonly id?: string;
    readonly name?: string;
    readonly input?: unknown;
  },
  context: Context = {},
): Promise<{ type: "tool_result"; tool_use_id: string; content: string }> {
  if (block.type !== "tool_use" || block.name !== code.name || block.id === undefined)
    throw new InvalidError(`this is no call of ${code.name}`);
  return {
    type: "tool_result",
    tool_use_id: block.id,
    content: await code.run(block.input, context),
  };
}

/* ---- Vercel AI SDK */

/** An entry of `tools` of generateText() and the like: `{[code.name]: aiTool(code)}`. */
export function aiTool(code: CodeTool): {
  description: string;
  inputSchema: any;
  execute: (input: unknown, context: { abortSignal?: AbortSignal }) => Promise<string>;
} {
  /* What its jsonSchema() makes: the symbol is registered for that. */
  const inputSchema = {
    [Symbol.for("vercel.ai.schema")]: true,
    _type: undefined,
    jsonSchema: code.schema,
    validate: undefined,
  };
  return {
    description: code.description,
    inputSchema,
    execute: (input, { abortSignal } = {}) =>
      code.run(input, abortSignal ? { signal: abortSignal } : {}),
  };
}

/** The sandbox behind createBashTool({sandbox}) of bash-tool. */
export function bashToolSandbox(sandbox: AnySandbox): {
  executeCommand(command: string): Promise<{ stdout: string; stderr: string; exitCode: number }>;
  readFile(path: string): Promise<string>;
  writeFiles(files: readonly { path: string; content: string | Uint8Array }[]): Promise<void>;
} {
  return {
    executeCommand: (command) =>
      inTurn(sandbox, async () => {
        const { stdout, stderr, exitCode } = await sandbox.run(command, { language: "shell" });
        return { stdout, stderr, exitCode };
      }),
    readFile: (path) => inTurn(sandbox, () => sandbox.files.readText(path)),
    writeFiles: (files) =>
      inTurn(sandbox, async () => {
        for (const { path, content } of files) await sandbox.files.write(path, content);
      }),
  };
}

/* ---- LangChain and Mastra */

/** `langchainTool(code, tool)`, with tool() of @langchain/core/tools. */
export function langchainTool<T>(
  code: CodeTool,
  make: (run: (input: any, config?: any) => Promise<string>, fields: any) => T,
): T {
  const { name, description, schema } = code;
  const run = (input: unknown, config?: { signal?: AbortSignal }): Promise<string> =>
    code.run(input, config?.signal ? { signal: config.signal } : {});
  return make(run, { name, description, schema });
}

/** `mastraTool(code, createTool)`, with createTool() of @mastra/core/tools. */
export function mastraTool<T>(code: CodeTool, make: (options: any) => T): T {
  const { name, description, schema } = code;
  return make({
    id: name,
    description,
    inputSchema: schema,
    /* Older releases give the arguments in `context`. */
    execute: (input: { context?: unknown }) => code.run(input?.context ?? input),
  });
}

/* ---- MCP */

interface McpResult {
  readonly isError?: boolean | undefined;
  readonly structuredContent?: unknown;
  readonly content?: unknown;
}
interface McpClient {
  listTools(params?: { cursor: string }): Promise<{
    tools: readonly { name: string; description?: string | undefined; inputSchema: object }[];
    nextCursor?: string | undefined;
  }>;
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    schema?: undefined,
    options?: { signal?: AbortSignal },
  ): Promise<McpResult>;
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { type?: string; text?: string }) =>
      part.type === "text" ? (part.text ?? "") : "",
    )
    .filter(Boolean)
    .join("\n");
}

/** What a server said, as a program sees it: its structured content, or its text, parsed if JSON. */
function mcpValue(result: McpResult): unknown {
  const text = textOf(result.content);
  if (result.isError) throw new ToolError(text || "the server gave an error without a text");
  if (result.structuredContent !== undefined) return result.structuredContent;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text === "" ? null : text;
  }
}

/**
 * The tools of a connected Client of @modelcontextprotocol/sdk, for `tools` of Sandbox.create().
 * `prefix`: "files" makes of read the method files/read.
 */
export async function mcpTools(client: McpClient, prefix = ""): Promise<Record<string, Tool>> {
  const tools: Record<string, Tool> = {};
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    for (const { name, description = "", inputSchema } of page.tools) {
      const { $schema: _, ...schema } = inputSchema as Record<string, unknown>;
      tools[prefix ? `${prefix}/${name}` : name] = tool({
        description,
        inputSchema: schema as JsonSchema,
        execute: async (params: Record<string, unknown>, { signal }) =>
          mcpValue(await client.callTool({ name, arguments: params }, undefined, { signal })),
      });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

interface McpServer {
  setRequestHandler(schema: any, handler: (request: any, extra: any) => any): void;
}

/**
 * Lets a Server of @modelcontextprotocol/sdk, which has the capability tools, serve the sandbox.
 * `schemas`: its ListToolsRequestSchema and CallToolRequestSchema.
 */
export function serveMcp(
  code: CodeTool,
  server: McpServer,
  schemas: { ListToolsRequestSchema: unknown; CallToolRequestSchema: unknown },
): void {
  const { name, description, schema } = code;
  server.setRequestHandler(schemas.ListToolsRequestSchema, () => ({
    tools: [{ name, description, inputSchema: schema }],
  }));
  server.setRequestHandler(
    schemas.CallToolRequestSchema,
    async (
      { params }: { params: { name: string; arguments?: unknown } },
      { signal }: { signal?: AbortSignal } = {},
    ) => {
      if (params.name !== name)
        return {
          isError: true,
          content: [{ type: "text", text: `there is no tool ${params.name}` }],
        };
      const text = await code.run(params.arguments, signal ? { signal } : {});
      return { content: [{ type: "text", text }] };
    },
  );
}

/** code.ts, for who wants it in one line. */
export function codeTool(sandbox: AnySandbox, options?: CodeOptions): Promise<CodeTool> {
  return CodeTool.of(sandbox, options);
}
