// panels.js: what there is to see of a moment: output, processes, calls, the event itself.
//
// A panel has {id, title, render(app)}, which gives elements, or a promise of them.

const TAIL = 20000; // characters of output that are shown unless more is asked for
const MOST_ROWS = 300;
const MOST_CALLS = 30; // at first: a table of many is not smooth

function empty(text) {
  return h("p", { class: "empty" }, text);
}

function lineLink(app, n) {
  return button(String(n), { class: "link", "aria-label": `go to line ${n}` }, () => app.go(n));
}

// ---- output

// Pieces of one stream after the other, so that who hears them knows which is which.
function written(pieces, now) {
  let stream = "";
  return pieces.map((piece) => {
    const told = piece.stream !== stream && unseen(`${piece.stream}: `);
    stream = piece.stream;
    const name = `${piece.stream}${piece.n === now ? " now" : ""}`;
    return h("span", { class: name }, told, piece.text);
  });
}

const outputPanel = {
  id: "output",
  title: "Output",
  render(app) {
    const run = app.trace.runAt(app.at);
    if (!run) return empty("Nothing has run yet.");
    const code = member(run.start, "code");
    const most = this.whole === run.number ? 50 * TAIL : TAIL;
    const { pieces, cut } = app.trace.output(run.from, app.at, most);
    const parts = [
      h("h3", {}, `Run ${run.number}, ${brief(String(run.start.language))}`),
      h(
        "pre",
        { class: "code", tabindex: "0", "aria-label": `code of run ${run.number}` },
        code.length > TAIL
          ? `${code.slice(0, TAIL)}\n… ${plural(code.length - TAIL, "more character")}`
          : code,
      ),
    ];
    if (cut)
      parts.push(
        button("Show the output before this", { class: "quiet" }, () => {
          this.whole = run.number;
          app.refresh();
        }),
      );
    parts.push(
      pieces.length
        ? h(
            "pre",
            { class: "output", tabindex: "0", "aria-label": "output until here" },
            written(pieces, app.at),
          )
        : empty("No output up to here."),
    );
    if (run.result && run.to <= app.at) {
      const bad = app.trace.wrong(run.to);
      parts.push(
        h("p", { class: bad ? "verdict bad" : "verdict" }, `Ended: ${ending(run.result)}`),
      );
      const value = member(run.result, "value");
      if (value) parts.push(h("h3", {}, "Value"), h("pre", {}, value.slice(0, TAIL)));
    } else parts.push(h("p", { class: "verdict waits" }, "This run is still on."));
    return parts;
  },
};

// ---- processes

function processTree(processes) {
  const pids = new Set(processes.map((process) => process.pid));
  const children = new Map();
  for (const process of processes) {
    const parent =
      pids.has(process.parent) && process.parent !== process.pid ? process.parent : null;
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(process);
  }
  const out = [],
    seen = new Set();
  const walk = (parent, depth) => {
    for (const process of children.get(parent) ?? []) {
      if (seen.has(process)) continue;
      seen.add(process);
      out.push([process, depth]);
      if (depth < 40) walk(process.pid, depth + 1);
    }
  };
  walk(null, 0);
  for (const process of processes) if (!seen.has(process)) out.push([process, 0]);
  return out;
}

function table(caption, heads, rows) {
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map((head) => h("th", { scope: "col" }, head)),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

const PROCESS_STATES = { R: "runs", S: "waits", T: "stopped", Z: "ended, not waited for" };

// Those that the recording names, from and until lines; with a sandbox, all of them, as they are.
async function processRows(app) {
  const named = app.trace.processesAt(app.at);
  if (!app.live) return named;
  const { processes } = await app.states.ask("processes", { line: app.at });
  const lines = new Map(named.map((process) => [process.pid, process]));
  return processes.map(([pid, parent, name, state, memory]) => {
    const { from, to } = lines.get(pid) ?? { from: 0, to: Infinity };
    return { pid, parent, from, to, names: [[0, name]], state, memory };
  });
}

const processesPanel = {
  id: "processes",
  title: "Processes",
  async render(app) {
    const alive = await processRows(app);
    if (!alive.length) return empty("No process is there yet that the recording names.");
    const rows = processTree(alive)
      .slice(0, MOST_ROWS)
      .map(([process, depth]) => {
        const name = h("td", {}, app.trace.nameAt(process, app.at));
        name.style.paddingLeft = `${0.6 + Math.min(depth, 12) * 1.1}rem`;
        const now = process.from === app.at || process.to === app.at;
        const until = process.to === Infinity ? "—" : lineLink(app, process.to);
        return h(
          "tr",
          { class: now ? "now" : null },
          h("td", { class: "number" }, String(process.pid)),
          name,
          app.live ? h("td", {}, PROCESS_STATES[process.state] ?? process.state) : null,
          app.live ? h("td", { class: "number" }, size(process.memory)) : null,
          h("td", { class: "number" }, process.from > 1 ? lineLink(app, process.from) : "—"),
          h("td", { class: "number" }, until),
        );
      });
    const count = alive.length === 1 ? "1 process" : `${alive.length} processes`;
    const heads = [
      "pid",
      "program",
      app.live && "state",
      app.live && "memory",
      "since line",
      "until line",
    ];
    return [
      h("p", { class: "soft" }, `${count} at line ${app.at}.`),
      table("processes at this moment", heads.filter(Boolean), rows),
      alive.length > MOST_ROWS ? empty(`… ${alive.length - MOST_ROWS} more`) : null,
    ];
  },
};

// ---- calls

// A call as it stood at a moment.
function callRow(app, call, moment) {
  const { line } = call;
  const done = call.to <= moment;
  const state = call.refused
    ? line.decision
    : !done
      ? "waits"
      : call.answer.do === "fail"
        ? "failed"
        : call.answer.out
          ? "dropped"
          : "answered";
  const came = call.refused
    ? member(line, "message")
    : done && !call.answer.out
      ? app.trace.answer(call.answer)
      : "";
  return h(
    "tr",
    { class: call.n === app.at || call.to === app.at ? "now" : null },
    h("td", { class: "number" }, lineLink(app, call.n)),
    h(
      "td",
      {},
      h("b", {}, brief(String(line.method ?? line.name ?? ""))),
      " ",
      h("code", {}, brief(member(line, "params"), 300)),
    ),
    h("td", { class: `state ${state}` }, state),
    h("td", {}, came ? h("code", {}, brief(came, 300)) : null),
  );
}

const callsPanel = {
  id: "calls",
  title: "Calls",
  most: MOST_CALLS,
  render(app) {
    const before = app.trace.calls.filter((call) => call.n <= app.at);
    if (!before.length) return empty("No tool was called up to here.");
    const waits = before.filter((call) => call.to > app.at);
    const rest = before.filter((call) => call.to <= app.at).reverse();
    const heads = ["line", "call", "state", "answer"];
    const rows = (calls) => calls.slice(0, this.most).map((call) => callRow(app, call, app.at));
    return [
      h("h3", {}, waits.length ? `Waiting for an answer: ${waits.length}` : "No call waits."),
      waits.length ? table("calls that wait", heads, rows(waits)) : null,
      waits.length && app.live
        ? button("Preview answers", { "data-focus": "preview", "aria-keyshortcuts": "p" }, () =>
            branchesPanel.previewHere(app),
          )
        : null,
      rest.length ? h("h3", {}, `Over: ${rest.length}, the last one first`) : null,
      rest.length ? table("calls that are over", heads, rows(rest)) : null,
      Math.max(rest.length, waits.length) > this.most
        ? button("Show more calls", { class: "quiet", "data-focus": "more" }, () => {
            this.most += 200;
            app.refresh("more");
          })
        : null,
    ];
  },
};

// ---- the event

const eventPanel = {
  id: "event",
  title: "Event",
  render(app) {
    const line = app.trace.lines[app.at];
    const rows = [];
    for (const name of Object.keys(line)) {
      if (name === "sum") continue;
      const plain = name.replace(/_base64$/, "");
      const value = plain !== name ? member(line, plain) : line[name];
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 1);
      const cut =
        text.length > TAIL
          ? `${text.slice(0, TAIL)}\n… ${plural(text.length - TAIL, "more character")}`
          : text;
      rows.push(
        h("dt", {}, plain),
        h(
          "dd",
          {},
          /\n|.{90}/.test(cut)
            ? h("pre", { tabindex: "0", "aria-label": plain }, cut)
            : h("code", {}, cut),
        ),
      );
    }
    const call = app.trace.callOf.get(app.at);
    const other = call && (call.n === app.at ? call.to : call.n);
    return [
      h("h3", {}, `Line ${app.at}: ${app.trace.sentence(app.at)}`),
      other !== undefined && other !== Infinity && other !== app.at
        ? h(
            "p",
            {},
            call.n === app.at ? "Answered at line " : "Called at line ",
            lineLink(app, other),
            ".",
          )
        : null,
      h("dl", {}, rows),
    ];
  },
};
