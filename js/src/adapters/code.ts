/*
 * adapters/code.ts: a sandbox as the one tool that a model is given: code in, text out. What the
 * other files of this folder offer to a framework is this.
 */
import { InvalidError } from "../base/error.ts";
import type { Content } from "../files.ts";
import type { Language } from "../machine/run.ts";
import type { Result } from "../result.ts";
import type { RunOptions } from "../requests.ts";
import type { JsonSchema } from "../tool.ts";

/** A Sandbox or a WorkerSandbox. */
export interface AnySandbox {
  run(code: string, options?: RunOptions): Promise<Result>;
  readonly files: {
    readText(path: string): Promise<string>;
    write(path: string, content: Content): Promise<void>;
    exists(path: string): Promise<boolean>;
  };
}

export interface CodeOptions {
  /** Default "run_code". */
  name?: string;
  /** Characters of output that a model is shown, head and tail. Default 20 000. */
  outputCharacters?: number;
  /** Default: all three. */
  languages?: readonly ("javascript" | "python" | "shell")[];
}

const ABOUT: Readonly<Record<string, string>> = {
  javascript:
    ' language "javascript": a program with top-level await; a returned value is printed; each program starts afresh.',
  python: ' language "python": CPython 3.11, a notebook\'s cell, names last from run to run.',
  shell:
    ' language "shell": bash with the usual Unix commands; variables, functions and the working directory last from run to run.',
};
const FILES =
  " Files under /workspace and /tmp last from run to run and are shared by all; there is no network.";
const TYPES = "/tools/tools.d.ts";

/** Head and tail of a text, cut at lines, with a word about what lies between. */
function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  const head = text.slice(0, half).replace(/[^\n]*$/, "") || text.slice(0, half);
  const tail = text.slice(-half).replace(/^[^\n]*\n/, "") || text.slice(-half);
  const lost = text.length - head.length - tail.length;
  return `${head}\n[… ${lost} characters are left out …]\n${tail}`;
}

/** What a model is told of a result. */
export function told(result: Result, max: number): string {
  const parts = [result.stdout, result.stderr].map((text) => text.trimEnd()).filter(Boolean);
  let text = shortened(parts.join("\n"), max);
  if (result.stdoutTruncated || result.stderrTruncated)
    text += "\n[the output was cut: it was more than outputBytes]";
  if (result.limit) text += `\n[ended by the limit ${result.limit}]`;
  if (result.sessionLost || (result.sessionEnded && !result.ok))
    text += "\n[the session ended: its variables are gone, its files are there]";
  if (!result.ok) text += `\n[exit status ${result.exitCode}]`;
  return text.trim() || "(no output)";
}

const turns = new WeakMap<AnySandbox, Promise<unknown>>();

/** A sandbox does one thing at a time, and frameworks ask for several. */
export function inTurn<T>(sandbox: AnySandbox, act: () => Promise<T>): Promise<T> {
  const turn = (turns.get(sandbox) ?? Promise.resolve()).then(act);
  turns.set(
    sandbox,
    turn.catch(() => {}),
  );
  return turn;
}

/** One tool for a model. Mistakes in what the model asked for are text for the model as well. */
export class CodeTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly schema: JsonSchema;
  readonly #sandbox: AnySandbox;
  readonly #languages: readonly string[];
  readonly #max: number;

  private constructor(sandbox: AnySandbox, types: string, options: CodeOptions) {
    const { name = "run_code", outputCharacters = 20_000 } = options;
    const { languages = ["javascript", "python", "shell"] } = options;
    if (!languages.length || languages.some((one) => !Object.hasOwn(ABOUT, one)))
      throw new InvalidError("languages are some of javascript, python, shell");
    this.name = name;
    this.#sandbox = sandbox;
    this.#languages = languages;
    this.#max = outputCharacters;
    this.description =
      "Runs a script in a sandbox and returns what it prints." +
      languages.map((one) => ABOUT[one]).join("") +
      FILES +
      (types ? `\n\nWhat scripts can call besides (in the shell: a command):\n\n${types}` : "");
    this.schema = {
      type: "object",
      properties: {
        language: { type: "string", enum: [...languages] },
        code: { type: "string", description: "The script." },
      },
      required: ["language", "code"],
      additionalProperties: false,
    };
  }

  /** Of a sandbox, with the tools that were declared for it. */
  static async of(sandbox: AnySandbox, options: CodeOptions = {}): Promise<CodeTool> {
    const types = (await sandbox.files.exists(TYPES)) ? await sandbox.files.readText(TYPES) : "";
    return new CodeTool(sandbox, types.trim(), options);
  }

  /** Runs what a model asked for, given its arguments parsed or as JSON. */
  async run(input: unknown, options: { signal?: AbortSignal } = {}): Promise<string> {
    return inTurn(this.#sandbox, () => this.#run(input, options));
  }

  async #run(input: unknown, options: { signal?: AbortSignal }): Promise<string> {
    let given = input;
    if (typeof input === "string") {
      try {
        given = JSON.parse(input);
      } catch (error) {
        return `The arguments are no JSON: ${(error as Error).message}`;
      }
    }
    const { language, code } = (given ?? {}) as { language?: unknown; code?: unknown };
    if (typeof code !== "string") return '"code" is missing: give the script as a text.';
    if (typeof language !== "string" || !this.#languages.includes(language))
      return `"language" is one of ${this.#languages.join(", ")}.`;
    const result = await this.#sandbox.run(code, { ...options, language: language as Language });
    return told(result, this.#max);
  }
}
