/*
 * http/engine.ts: what decides about HTTP requests: pf_http of the native library, compiled to
 * WebAssembly (js/engine/http.c). It makes no connection.
 */
import { Engine } from "../capability/engine.ts";
import { DeadError, InvalidError, ToolError } from "../base/error.ts";

/** A request as it is to be sent, secrets in it: it is never shown, logged or kept. */
export interface Plan {
  readonly method: string;
  readonly url: string;
  readonly scheme: "http" | "https";
  /** With the [] of IPv6. */
  readonly host: string;
  readonly port: number;
  readonly authority: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
}

/** pf_status of include/pinfold.h. */
const INVALID = -1,
  DENIED = -11;

export class HttpEngine {
  readonly #engine: Engine;
  readonly #at: number;

  /** Throws where something in the configuration cannot be kept: see pf_http_new(). */
  constructor(module: WebAssembly.Module, config: object) {
    this.#engine = new Engine(module);
    this.#at = this.#engine.call("pf_engine_http", [], { sized: JSON.stringify(config) });
    if (!this.#at) throw new InvalidError(this.#engine.message);
  }

  #refusal(status: number): ToolError | undefined {
    if (status === 0) return undefined;
    const { message } = this.#engine;
    if (status === DENIED) return new ToolError(message, "denied");
    if (status === INVALID) return new ToolError(message, "invalid");
    throw new DeadError(message || "the engine that decides about requests has failed");
  }

  /** How the tool is declared. */
  tool(): { description: string; schema: { [key: string]: unknown } } {
    this.#engine.call("pf_engine_http_tool", []);
    return JSON.parse(this.#engine.answer);
  }

  /** What to send for these arguments; a ToolError says why nothing. */
  request(params: object): Plan {
    const json = JSON.stringify(params);
    const refusal = this.#refusal(
      this.#engine.call("pf_engine_http_request", [this.#at], { sized: json }),
    );
    if (refusal) throw refusal;
    return JSON.parse(this.#engine.answer) as Plan;
  }

  /** Why a request for this URL is not to be sent to this address; undefined: it is. */
  address(url: string, address: string): string | undefined {
    return this.#refusal(
      this.#engine.call("pf_engine_http_address", [this.#at], url, address),
    )?.message;
  }

  /** Without secrets. */
  clean(data: Uint8Array): Uint8Array {
    const refusal = this.#refusal(
      this.#engine.call("pf_engine_http_clean", [this.#at], { sized: data }),
    );
    if (refusal) throw refusal;
    return this.#engine.answerBytes;
  }

  /** Is the pattern of a capability about this method? */
  matches(pattern: string, method: string): boolean {
    return this.#engine.call("pf_engine_pattern", [], pattern, method) === 1;
  }

  /** BLAKE2b, 16 bytes in hexadecimal. */
  digest(text: string): string {
    this.#engine.call("pf_engine_digest", [], { sized: text });
    return this.#engine.answer;
  }
}
