/* main.ts: the page. The terminal comes first; what is not needed for its prompt is loaded after. */
import { startCalls } from "./calls.ts";
import { FIRST } from "./config.ts";
import { byId, doing, h, toast } from "./dom.ts";
import type { Editor } from "./editor.ts";
import { EXAMPLES, type Language } from "./examples.ts";
import { startFiles } from "./files.ts";
import { copyLink, History } from "./history.ts";
import { showView, startPanels } from "./panel.ts";
import { startProcesses } from "./processes.ts";
import { Session } from "./session.ts";
import { sharedHere } from "./share.ts";
import { startSplit } from "./split.ts";
import { Shell } from "./terminal.ts";
import { startTheme } from "./theme.ts";
import { showTools } from "./tools.ts";

const session = new Session(structuredClone(FIRST));
const theme = startTheme();
const shell = new Shell(session, byId("terminal"), theme.dark);
theme.onChange = (dark) => shell.dark(dark);
let editor: Editor | undefined;
let editing: string | undefined;

startPanels();
startSplit(() => shell.fit());
for (const button of document.querySelectorAll<HTMLElement>("nav button"))
  button.addEventListener("click", () => {
    showView(button.dataset.view as "code" | "shell" | "side");
    shell.fit();
  });
startCalls(session);
startFiles({ session, edit: (path, text) => edit(path, text) });
startProcesses(session);
showTools(session);
const history = new History(session);
session.addEventListener("replaced", () => showTools(session));

/* ---- runs */

async function follow(label: string, act: () => ReturnType<Session["run"]>): Promise<void> {
  const began = performance.now();
  try {
    const result = await act();
    if (!result) return; /* another sandbox is in its place */
    if (result.value !== undefined) shell.note(`= ${JSON.stringify(result.value)}`);
    if (result.limit) shell.note(`stopped at the limit ${result.limit}`);
    if (result.sessionLost) shell.note("the session was lost; a new one begins");
    const took = performance.now() - began;
    if (took > 2000) shell.note(`${(took / 1000).toFixed(1)} s`);
    await history.keep(label);
  } catch (error) {
    shell.note(error instanceof Error ? error.message : String(error));
    if (session.state === "lost") return revive();
  }
  await shell.prompt();
}

/** After the worker was ended: the last moment that was kept goes on. */
async function revive(): Promise<void> {
  const { now } = history;
  if (now) await session.restore(now.data, structuredClone(now.config));
  else await session.create();
  shell.note(now ? `back at ${now.label}` : "a new sandbox");
  if (session.sandbox.running) return goOn();
  await shell.prompt();
}

/** The first line that is no comment. */
function labelOf(code: string): string {
  const lines = code.trim().split("\n");
  return (lines.find((line) => !/^\s*(?:#|\/\/|$)/.test(line)) ?? lines[0]).slice(0, 80);
}

shell.onCommand = (code) =>
  void follow(labelOf(code), () => session.run(code, "shell", shell.output));

async function runEditor(): Promise<void> {
  if (!editor) return;
  if (session.busy) throw new Error("a script runs already: stop it first");
  const language = byId<HTMLSelectElement>("language").value as Language;
  const code = editor.text;
  shell.hide();
  const named = EXAMPLES.find((one) => one.code === code)?.name;
  const label = named ?? (editing ? editing.slice(editing.lastIndexOf("/") + 1) : labelOf(code));
  shell.note(`▶ ${label}`);
  if (document.body.dataset.view === "code") showView("shell");
  await follow(`▶ ${label}`, () => session.run(code, language, shell.output));
}

/** A sandbox that came with a run that waits. */
function goOn(): void {
  shell.note("a script waits here");
  void follow("answered", () => session.finish(shell.output));
}

history.onReplaced = () => {
  shell.hide();
  shell.note(`— ${history.now?.label ?? "opened"} —`);
  if (session.sandbox.running) goOn();
  else void shell.prompt();
};
session.addEventListener("replaced", () => {
  /* With other tools a run that waits goes on, too. */
  if (session.sandbox.running && session.waiting.size === 0 && session.state === "waiting")
    queueMicrotask(goOnOnce);
});
function goOnOnce(): void {
  if (session.sandbox.running && session.waiting.size === 0 && session.state === "waiting") goOn();
}

/* ---- what stands above */

const STATUS = {
  starting: "starting",
  ready: "ready",
  running: "running",
  waiting: "waits for you",
  lost: "ended",
};

function showState(): void {
  const { state } = session;
  const status = byId("status");
  status.dataset.state = state;
  (status.lastElementChild as HTMLElement).textContent = STATUS[state];
  byId("stop").hidden = !session.busy;
  byId<HTMLButtonElement>("run").disabled = state !== "ready";
  byId<HTMLButtonElement>("snapshot").disabled = state === "running" || state === "starting";
  byId<HTMLButtonElement>("share").disabled = state === "running" || state === "starting";
}
session.addEventListener("state", showState);
showState();

byId("stop").addEventListener("click", () => session.stop());
byId("run").addEventListener("click", doing(runEditor));
byId("snapshot").addEventListener(
  "click",
  doing(async () => {
    const moment = await history.keep(session.sandbox.running ? "while it waits" : "kept");
    toast(`Kept as ${moment.label}, in History`);
  }),
);
byId("share").addEventListener(
  "click",
  doing(async () => copyLink(session.config, await session.snapshot())),
);

/* ---- the editor */

const example = byId<HTMLSelectElement>("example");
example.append(...EXAMPLES.map(({ name }, at) => h("option", { value: String(at) }, name)));

function edit(path: string | undefined, text: string, language?: Language): void {
  const of: Record<string, Language> = {
    js: "javascript",
    mjs: "javascript",
    ts: "javascript",
    json: "javascript",
    py: "python",
  };
  const chosen = language ?? of[path?.split(".").at(-1) ?? ""] ?? "shell";
  editing = path;
  byId<HTMLSelectElement>("language").value = chosen;
  editor?.set(text, chosen);
  byId("opened").textContent = path ?? "";
  byId("save").hidden = path === undefined;
  if (path) showView("code");
}

example.addEventListener("change", () => {
  const one = EXAMPLES[Number(example.value)];
  edit(undefined, one.code, one.language);
});
byId("language").addEventListener("change", () => {
  if (editor) editor.set(editor.text, byId<HTMLSelectElement>("language").value as Language);
});
byId("save").addEventListener(
  "click",
  doing(async () => {
    if (!editor || !editing) return;
    await session.sandbox.files.write(editing, editor.text);
    toast(`${editing} is saved`);
    session.dispatchEvent(new Event("changed"));
  }),
);

async function loadEditor(): Promise<void> {
  const { Editor: Made } = await import("./editor.ts");
  const [first] = EXAMPLES;
  editor = new Made(byId("editor"), first.code, first.language, doing(runEditor));
}

/* ---- the start */

/** Once the page was here, it is here without a network. */
function keepOffline(): void {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  const factory = (
    globalThis as {
      trustedTypes?: {
        createPolicy(name: string, rules: object): { createScriptURL(url: string): string };
      };
    }
  ).trustedTypes;
  const policy = factory?.createPolicy("playground", { createScriptURL: () => "offline.js" });
  navigator.serviceWorker
    .register(policy ? policy.createScriptURL("offline.js") : "offline.js")
    .catch(() => {
      /* without it the page needs its server */
    });
}

async function start(): Promise<void> {
  let shared;
  try {
    shared = sharedHere();
    if (shared) await session.restore(shared.data, shared.config);
  } catch (error) {
    shared = undefined;
    shell.note(
      `The link could not be opened: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (shared) {
    window.history.replaceState(null, "", location.pathname + location.search);
    history.add("from the link", shared.data);
    showTools(session);
    shell.write(
      "\x1b[1mA sandbox from a link.\x1b[0m Its tools and its policy came with it: look at them under Tools.\n",
    );
    if (session.sandbox.running) goOn();
    else await shell.prompt();
  } else {
    await session.create({
      "README.md":
        "# Welcome\n\nThis is a sandbox in your browser. Nothing here reaches a network.\n",
    });
    shell.lines(
      [
        "\x1b[1mpinfold\x1b[0m is a small Unix in this page.",
        "Scripts reach no network: they have the tools that you grant.",
      ],
      [
        "\x1b[2mTry\x1b[0m  ls -l",
        "orders --customer cus_1 | jq",
        "js -p '6 * 7'",
        "refund --order 1 --amount 40",
      ].map((part, at) => (at ? `\x1b[2m·\x1b[0m ${part}` : part)),
    );
    await shell.prompt();
  }
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
  if (matchMedia("(pointer: fine)").matches) shell.terminal.focus();
  await loadEditor();
  if (!shared) await history.keep("the beginning");
  keepOffline();
}

start().catch((error: unknown) => {
  const why = error instanceof Error ? error.message : String(error);
  byId("status").dataset.state = "lost";
  (byId("status").lastElementChild as HTMLElement).textContent = "failed";
  shell.write(`\x1b[31mThe sandbox could not be started: ${why}\x1b[0m\n`);
});
