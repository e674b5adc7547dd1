/*
 * session.ts: the sandbox of the page: what runs in it, the calls that wait for somebody, and how it
 * is left for another one.
 */
import { Result, type SandboxOptions, tool, type Tool, ToolError, WorkerSandbox } from "pinfold";
import type { Config, ToolConfig } from "./config.ts";

export type State = "starting" | "ready" | "running" | "waiting" | "lost";
type Out = (stream: "stdout" | "stderr", data: Uint8Array) => void;

/** A call that somebody here has to answer. */
export interface Waiting {
  readonly id: bigint;
  readonly method: string;
  readonly params: unknown;
  readonly tool: ToolConfig | undefined;
  answer(value: unknown): void;
  deny(why: string): void;
}

export interface Settled {
  readonly method: string;
  readonly params: string;
  readonly outcome: string;
  readonly message: string;
}

/** Does any capability of the policy want somebody's approval? */
function asks(policy: SandboxOptions["capabilities"]): boolean {
  const given = policy as { capabilities?: unknown } | undefined;
  const list = (Array.isArray(policy) ? policy : (given?.capabilities ?? [])) as readonly unknown[];
  return list.some((one) => (one as { ask?: unknown } | null)?.ask === true);
}

const IMAGES = new URL("images/", document.baseURI);

export class Session extends EventTarget {
  config: Config;
  state: State = "starting";
  #sandbox: WorkerSandbox | undefined;
  /** Runs that belong to a sandbox that was left count no more. */
  #generation = 0;
  #helper: Promise<WorkerSandbox> | undefined;
  readonly waiting = new Map<bigint, Waiting>();
  readonly log: Settled[] = [];

  constructor(config: Config) {
    super();
    this.config = config;
  }

  #tell(what: "state" | "calls" | "changed"): void {
    this.dispatchEvent(new Event(what));
  }

  #set(state: State): void {
    this.state = state;
    this.#tell("state");
  }

  get sandbox(): WorkerSandbox {
    if (!this.#sandbox) throw new Error("the sandbox is not there yet");
    return this.#sandbox;
  }

  get busy(): boolean {
    return this.state === "running" || this.state === "waiting";
  }

  /* ---- its life */

  #options(config: Config): SandboxOptions {
    const tools: Record<string, Tool> = {};
    for (const one of config.tools) {
      let inputSchema: Record<string, unknown>;
      try {
        inputSchema = JSON.parse(one.schema) as Record<string, unknown>;
      } catch (error) {
        throw new Error(`the schema of ${one.name} is no JSON: ${(error as Error).message}`);
      }
      tools[one.name] = tool({
        description: one.description,
        inputSchema,
        execute: (params, { id, method }) => this.#handle(one, id, method, params),
      });
    }
    let capabilities: SandboxOptions["capabilities"];
    try {
      capabilities = JSON.parse(config.policy) as SandboxOptions["capabilities"];
    } catch (error) {
      throw new Error(`the policy is no JSON: ${(error as Error).message}`);
    }
    const approve: SandboxOptions["approve"] = async (call) => {
      await this.#ask(undefined, call.id, call.method, call.params);
      return true;
    };
    return {
      tools,
      capabilities,
      limits: { cpuMs: 60_000, wallMs: 600_000 },
      ...(asks(capabilities) ? { approve } : {}), // one that no call can reach is refused
      onDecision: ({ method, name, params, outcome, message }) => {
        this.log.unshift({
          method: method || name,
          params: params ?? "",
          outcome,
          message: message ?? "",
        });
        this.log.length = Math.min(this.log.length, 100);
        this.#tell("calls");
      },
    };
  }

  #take(sandbox: WorkerSandbox, config: Config): void {
    const before = this.#sandbox;
    this.#generation++;
    this.#sandbox = sandbox;
    this.config = config;
    this.waiting.clear();
    if (before && before !== sandbox) before.close();
    this.#set(sandbox.running ? "waiting" : "ready");
    this.#tell("calls");
    this.#tell("changed");
  }

  async create(files: Record<string, string> = {}): Promise<void> {
    const { config } = this;
    const sandbox = await WorkerSandbox.create({ ...this.#options(config), files, images: IMAGES });
    this.#take(sandbox, config);
  }

  /** Goes on with another state, and with these tools and this policy; or throws, and stays. */
  async restore(data: Uint8Array, config = this.config): Promise<void> {
    const beside = this.#sandbox && this.state !== "lost" ? this.#sandbox : undefined;
    const options = { ...this.#options(config), images: IMAGES, ...(beside && { beside }) };
    const sandbox = await WorkerSandbox.restore(data, options);
    this.#take(sandbox, config);
  }

  /** Another sandbox of a state, to be looked at and closed by who asked. */
  async look(data: Uint8Array, config: Config): Promise<WorkerSandbox> {
    return WorkerSandbox.restore(data, {
      ...this.#options(config),
      onDecision: () => {},
      images: IMAGES,
      beside: this.sandbox,
    });
  }

  async snapshot(): Promise<Uint8Array> {
    return this.sandbox.snapshot();
  }

  /* ---- runs */

  async #follow(act: (sandbox: WorkerSandbox) => Promise<Result>): Promise<Result | undefined> {
    const generation = this.#generation;
    this.#set(this.waiting.size ? "waiting" : "running");
    try {
      const result = await act(this.sandbox);
      return generation === this.#generation ? result : undefined;
    } catch (error) {
      if (generation !== this.#generation) return undefined;
      this.#lost(error);
      throw error;
    } finally {
      if (generation === this.#generation) {
        this.waiting.clear();
        if (this.state !== "lost") this.#set("ready");
        this.#tell("calls");
        this.#tell("changed");
      }
    }
  }

  #lost(error: unknown): void {
    if (error instanceof Error && error.name === "DeadError") this.#set("lost");
  }

  /** undefined: the sandbox was left for another one meanwhile. */
  run(
    code: string,
    language: "shell" | "javascript" | "python",
    onOutput: Out,
  ): Promise<Result | undefined> {
    return this.#follow((sandbox) => sandbox.run(code, { language, onOutput }));
  }

  /** Goes on with the run that a snapshot brought. */
  finish(onOutput: Out): Promise<Result | undefined> {
    return this.#follow((sandbox) => sandbox.finish({ onOutput }));
  }

  /** A question to the shell, in a process of its own; undefined: not now. */
  async ask(code: string, stdin: string): Promise<Result | undefined> {
    if (this.state !== "ready") return undefined;
    try {
      return await this.sandbox.run(code, { language: "shell", stdin, isolated: true });
    } catch (error) {
      this.#lost(error);
      return undefined;
    }
  }

  /** First as Ctrl-C; asked again, everything that runs is killed. */
  #stops = 0;
  stop(): void {
    if (!this.busy) return;
    if (this.#stops++ === 0) this.sandbox.interrupt();
    else this.sandbox.kill();
    for (const one of [...this.waiting.values()]) one.deny("interrupted");
    setTimeout(() => (this.#stops = 0), 1500);
  }

  /* ---- calls */

  #handle(one: ToolConfig, id: bigint, method: string, params: unknown): Promise<unknown> {
    return one.answer === "code" ? this.#compute(one, params) : this.#ask(one, id, method, params);
  }

  #ask(one: ToolConfig | undefined, id: bigint, method: string, params: unknown): Promise<unknown> {
    return new Promise((give, fail) => {
      const over = (): void => {
        this.waiting.delete(id);
        if (this.state === "waiting" && this.waiting.size === 0) this.#set("running");
        this.#tell("calls");
      };
      this.waiting.set(id, {
        id,
        method,
        params,
        tool: one,
        answer: (value) => {
          over();
          give(value);
        },
        deny: (why) => {
          over();
          fail(new ToolError(why, "denied"));
        },
      });
      this.#set("waiting");
      this.#tell("calls");
    });
  }

  /** A tool's code gets a sandbox of its own: nothing of the page, nothing of the first one. */
  async #compute(one: ToolConfig, params: unknown): Promise<unknown> {
    this.#helper ??= WorkerSandbox.create({
      images: IMAGES,
      limits: { cpuMs: 2000, wallMs: 4000 },
    });
    this.#helper.catch(() => (this.#helper = undefined));
    const helper = await this.#helper;
    const branch = await helper.fork();
    try {
      const code = `return await (${one.code}\n)(${JSON.stringify(params)})`;
      const result = await branch.run(code, { language: "javascript" });
      if (!result.ok)
        throw new ToolError(result.stderr.trim() || `its code ended with ${result.exitCode}`);
      return result.value;
    } catch (error) {
      if (error instanceof Error && error.name === "DeadError") this.#helper = undefined;
      throw error;
    } finally {
      branch.close();
    }
  }
}

export { Result };
