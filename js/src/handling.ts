/* handling.ts: a call, given to who answers it. */
import { ToolError } from "./base/error.ts";
import type { PendingCall } from "./call.ts";
import type { SandboxOptions } from "./options.ts";
import type { CallContext, Tool } from "./tool.ts";

/** A declared name in its one canonical spelling, as host/capability/names.h has it. */
function canonical(name: string): string {
  return (name.startsWith("mcp:") ? name.slice(4) : name).replaceAll(".", "/");
}

function toolOf(call: PendingCall, options: SandboxOptions): Tool | undefined {
  for (const [name, one] of Object.entries(options.tools ?? {}))
    if (canonical(name) === call.method) return one;
  return undefined;
}

async function validated(one: Tool, params: unknown): Promise<unknown> {
  if (!one.standard) return params;
  const checked = await one.standard["~standard"].validate(params);
  if (!checked.issues) return checked.value;
  const texts = checked.issues.map((issue) => {
    const path = issue.path
      ?.map((part) =>
        typeof part === "object" && part !== null && "key" in part ? part.key : part,
      )
      .join(".");
    return path ? `${path}: ${issue.message}` : issue.message;
  });
  throw new ToolError(texts.join("; "), "invalid");
}

/** The handler's result; rejects with what the program is to be told. */
export async function callTool(
  call: PendingCall,
  options: SandboxOptions,
  signal: AbortSignal,
): Promise<unknown> {
  // A text that says why not is no approval.
  if (call.ask && (await options.approve?.(call)) !== true)
    throw new ToolError(
      options.approve
        ? "the call was not approved"
        : "the call has to be approved, and nobody is there to do so",
      "denied",
    );
  const context: CallContext = { id: call.id, method: call.method, signal };
  const one = toolOf(call, options);
  if (one?.execute) return one.execute(await validated(one, call.params), context);
  if (options.toolHandler) return options.toolHandler(call.method, call.params, context);
  throw new ToolError(`${call.method} has no handler: start() and step() hand its calls out`);
}
