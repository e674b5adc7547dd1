/* processes.ts: what runs, as /proc says. While a script computes, what was seen last stays. */
import { byId, bytesText, h } from "./dom.ts";
import { isShown } from "./panel.ts";
import type { Session } from "./session.ts";

const STATES: Record<string, string> = {
  R: "runs",
  S: "waits",
  T: "stopped",
  Z: "ended",
  D: "waits",
};

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly command: string;
  readonly memory: string;
}

async function look(session: Session): Promise<Process[]> {
  const { files } = session.sandbox;
  const all = (await files.list("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    all.map(async (pid): Promise<Process | undefined> => {
      try {
        const [status, command] = await Promise.all([
          files.readText(`/proc/${pid}/status`),
          files.readText(`/proc/${pid}/cmdline`),
        ]);
        const field = (name: string): string =>
          new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1] ?? "";
        const kilobytes = /^(\d+)/.exec(field("VmRSS") || field("VmSize"))?.[1];
        return {
          pid: Number(pid),
          parent: Number(field("PPid")),
          state: field("State").slice(0, 1),
          command: command.replaceAll("\0", " ").trim() || field("Name"),
          memory: kilobytes ? bytesText(Number(kilobytes) * 1024) : "",
        };
      } catch {
        return undefined;
      }
    }),
  );
  return found.filter((one): one is Process => one !== undefined).sort((a, b) => a.pid - b.pid);
}

async function draw(session: Session): Promise<void> {
  let all: Process[];
  try {
    all = await look(session);
  } catch {
    return;
  }
  const depth = (one: Process, most = 20): number => {
    const parent = all.find((other) => other.pid === one.parent);
    return parent && parent !== one && most > 0 ? 1 + depth(parent, most - 1) : 0;
  };
  byId("processes").replaceChildren(
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...["PID", "Command", "State", "Memory"].map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        ...all.map((one) =>
          h(
            "tr",
            {},
            h("td", { className: "number" }, String(one.pid)),
            h("td", { style: `padding-left:${8 + 14 * depth(one)}px` }, h("code", {}, one.command)),
            h(
              "td",
              {},
              h("span", { className: `state ${one.state}` }, STATES[one.state] ?? one.state),
            ),
            h("td", { className: "number quiet" }, one.memory),
          ),
        ),
      ),
    ),
    all.length === 0 ? h("p", { className: "empty" }, "Nothing runs.") : "",
  );
}

export function startProcesses(session: Session): void {
  const changed = (): void => {
    if (isShown("processes") && session.state !== "running" && session.state !== "starting")
      void draw(session);
  };
  for (const event of ["changed", "state"]) session.addEventListener(event, changed);
  document.addEventListener("panel", changed);
}
