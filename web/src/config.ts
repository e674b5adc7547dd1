/* config.ts: the tools of the page and what of them is allowed: data, as a link carries it. */

export interface ToolConfig {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  schema: string;
  /** "hand": who sits here answers; "code": JavaScript, which runs in a sandbox of its own. */
  answer: "hand" | "code";
  code: string;
}

export interface Config {
  tools: ToolConfig[];
  /** A list of capabilities, as JSON: docs/policy.md. */
  policy: string;
}

const object = (properties: object, required: string[]): string =>
  JSON.stringify({ type: "object", properties, required }, null, 2);

export const FIRST: Config = {
  tools: [
    {
      name: "orders",
      description: "The orders of a customer.",
      schema: object({ customer: { type: "string" } }, ["customer"]),
      answer: "code",
      code: `({ customer }) => [
  { id: 1, customer, item: "lamp", total: 40 },
  { id: 2, customer, item: "bulb", total: 2 },
]`,
    },
    {
      name: "refund",
      description: "Pays money back. Somebody has to approve it.",
      schema: object(
        { order: { type: "integer" }, amount: { type: "number", exclusiveMinimum: 0 } },
        ["order", "amount"],
      ),
      answer: "hand",
      code: "({ order, amount }) => ({ order, refunded: amount })",
    },
  ],
  policy: `[
  { "method": "orders", "constraints": { "customer": ["cus_1", "cus_2"] } },
  { "method": "refund", "max_calls": 3, "constraints": { "amount": "<=50" } }
]`,
};

/** What a stranger's link may hold: exactly this shape, or an error. */
export function checkConfig(value: unknown): Config {
  const given = value as Partial<Config> | null;
  const text = (one: unknown): one is string => typeof one === "string";
  if (!given || !text(given.policy) || !Array.isArray(given.tools))
    throw new Error("the link has no tools and policy");
  const tools = given.tools.map((tool: Partial<ToolConfig> | null): ToolConfig => {
    if (
      !tool ||
      !text(tool.name) ||
      !text(tool.description) ||
      !text(tool.schema) ||
      !text(tool.code)
    )
      throw new Error("a tool of the link is not complete");
    return {
      name: tool.name,
      description: tool.description,
      schema: tool.schema,
      answer: tool.answer === "code" ? "code" : "hand",
      code: tool.code,
    };
  });
  return { tools, policy: given.policy };
}
