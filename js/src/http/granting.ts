/* http/granting.ts: the option `http` of a sandbox, as the tool, the grant and the environment that
 * it stands for. */
import { InvalidError } from "../base/error.ts";
import { type Capabilities, type Capability, grantsOf, type SandboxOptions } from "../options.ts";
import { HTTP_METHOD, type Http } from "./http.ts";

function granted(http: Http, given: Capabilities | undefined): Capabilities | undefined {
  const list = grantsOf(given);
  const own = http.capabilities(list.filter((one) => typeof one?.method === "string"));
  if (!own.length) return given;
  return given === undefined || Array.isArray(given)
    ? [...((given as readonly (Capability | string)[] | undefined) ?? []), ...own]
    : { ...(given as object), capabilities: [...list, ...own] as Capability[] };
}

/** Options without `http`; `fresh`: of a sandbox that is made, which has an environment of its own. */
export function withHttp<T extends SandboxOptions>(options: T, fresh: boolean): T {
  const { http, ...rest } = options;
  if (http === undefined) return rest as T;
  if (typeof http?.environment !== "function")
    throw new InvalidError("http is what Http.create() gives");
  for (const name of Object.keys(rest.tools ?? {}))
    if (name.replaceAll(".", "/") === HTTP_METHOD)
      throw new InvalidError(`tools.${name} and http are the same tool`);
  const more: SandboxOptions = {
    ...rest,
    tools: { ...rest.tools, [HTTP_METHOD]: http.tool },
    capabilities: granted(http, rest.capabilities),
  };
  if (!fresh) return more as T;
  const own = http.environment(rest.seed);
  for (const name of Object.keys(own))
    if (rest.env && Object.hasOwn(rest.env, name))
      throw new InvalidError(`env has "${name}", and so has http, whose secret it is`);
  return { ...more, env: { ...rest.env, ...own } } as T;
}
