/* tool.ts: tools as an embedder declares them, with JSON Schema or a schema library's objects. */
import { InvalidError } from "./base/error.ts";
import { stringifyExact } from "./base/exact.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonSchema = { readonly [key: string]: unknown };

/**
 * What a schema library's object says of itself: https://standardschema.dev (zod, valibot,
 * arktype).
 */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?: { readonly input: (options: { target: string }) => JsonSchema };
  };
}
type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly unknown[] | undefined;
      }[];
    };

/** What a handler is told besides the arguments. */
export interface CallContext {
  /** Unique in the sandbox and its branches: an idempotency key. */
  readonly id: bigint;
  /** Canonical id: "stripe/charges/create". */
  readonly method: string;
  /** Aborted when the run is. */
  readonly signal: AbortSignal;
}

export interface Tool<Input = any, Output = unknown> {
  readonly description: string;
  /** Sent to programs, and checked by the engine before the handler sees a call. */
  readonly schema: JsonSchema;
  /** Checked, and applied, after the engine's check. */
  readonly standard: StandardSchema<Input> | undefined;
  /** Without one, calls wait for step() and resume(). */
  readonly execute: ((input: Input, context: CallContext) => Output | Promise<Output>) | undefined;
}

export interface ToolOptions<Input, Output> {
  description?: string;
  /** JSON Schema of the one object that the tool takes, or an object of zod, valibot, arktype … */
  inputSchema?: StandardSchema<Input> | JsonSchema;
  execute?: (input: Input, context: CallContext) => Output | Promise<Output>;
}

const ANY: JsonSchema = { type: "object" };

/** The schema of a tool as the engine reads it. */
export function schemaText(name: string, { schema }: Tool): string {
  try {
    return stringifyExact(schema) ?? "";
  } catch (error) {
    throw new InvalidError(`the tool ${name}: the schema is no JSON: ${String(error)}`);
  }
}

function isStandard(schema: object): schema is StandardSchema {
  return "~standard" in schema;
}

/** JSON Schema of a library's object: it says so itself, or has a method for it. */
function schemaOf(schema: StandardSchema): JsonSchema {
  const own = schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  const method = (schema as { toJSONSchema?: () => JsonSchema }).toJSONSchema;
  const found = own ?? method?.call(schema);
  if (!found)
    throw new InvalidError(
      `inputSchema is a ${schema["~standard"].vendor} object that does not tell its JSON Schema: ` +
        "give the JSON Schema itself, or a newer version of that library",
    );
  const { $schema: _, "~standard": _own, ...rest } = found as Record<string, unknown>;
  return rest;
}

const OPTIONS = ["description", "inputSchema", "execute"];

/**
 * Declares a tool. Declaring does not grant: `capabilities` of Sandbox.create() do.
 *
 * @throws InvalidError for an option that does not exist, or an inputSchema that is neither JSON
 * Schema nor an object that tells its own.
 */
export function tool<Input = any, Output = unknown>(
  options: ToolOptions<Input, Output>,
): Tool<Input, Output> {
  for (const name of Object.keys(options))
    if (!OPTIONS.includes(name))
      throw new InvalidError(
        `there is no option "${name}" of a tool; they are: ${OPTIONS.join(", ")}`,
      );
  const { description = "", inputSchema, execute } = options;
  if (execute !== undefined && typeof execute !== "function")
    throw new InvalidError(`execute is a function, not ${typeof execute}`);
  if (
    inputSchema !== undefined &&
    ((typeof inputSchema !== "object" && typeof inputSchema !== "function") || inputSchema === null)
  )
    throw new InvalidError("inputSchema is JSON Schema or an object of a schema library");
  const standard =
    inputSchema && isStandard(inputSchema) ? (inputSchema as StandardSchema<Input>) : undefined;
  const schema = standard ? schemaOf(standard) : ((inputSchema as JsonSchema | undefined) ?? ANY);
  return { description, schema, standard, execute };
}
