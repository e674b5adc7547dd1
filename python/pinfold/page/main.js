// main.js: the page: where one stands, the keys, and what is shown of that.

const HIDDEN_AT_FIRST = ["turns"];

class App {
  constructor(trace, states, settings) {
    this.trace = trace;
    this.states = states;
    this.live = settings.live === true;
    this.name = settings.name ?? "a recording";
    this.quotedName = /^[\w./-]+$/.test(this.name)
      ? this.name
      : `'${this.name.replace(/'/g, "'\\''")}'`;
    this.at = 0;
    this.mark = null;
    this.hidden = new Set(HIDDEN_AT_FIRST);
    this.words = "";
    this.keys = true;
    this.panels = [
      outputPanel,
      filesPanel,
      processesPanel,
      callsPanel,
      changesPanel,
      eventPanel,
      branchesPanel,
    ];
    this.panel = this.panels[0];
  }

  // ---- where one stands

  // `heard`: who moves hears where to by what has the focus already.
  go(line, heard = false) {
    const to = Math.min(Math.max(line, 0), this.trace.lines.length - 1);
    if (to === this.at && this.shown) return;
    this.at = to;
    this.shown = true;
    this.settled = false;
    if (!heard) say(this.describe(to));
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.show();
    });
  }

  describe(line) {
    return `line ${line}, ${this.trace.word(line)}: ${this.trace.sentence(line)}`;
  }

  // The event before, of those that matter.
  before(line) {
    for (let n = line - 1; n > 0; n--) if (this.trace.kinds[n] !== "turn") return n;
    return 0;
  }

  step(by) {
    const rows = this.list.rows;
    const index = this.list.indexOf(this.at);
    const exact = rows[index] === this.at;
    const to = rows[by < 0 && !exact ? index : index + by];
    if (to !== undefined) this.go(to);
    else say(by > 0 ? "this is the last event" : "this is the first event");
  }

  // To the next line, in a direction, for which a test holds.
  seek(by, test, what) {
    for (let n = this.at + by; n >= 0 && n < this.trace.lines.length; n += by)
      if (test(n)) return this.go(n);
    say(`no ${what} ${by > 0 ? "after" : "before"} this`);
  }

  setMark(line) {
    this.mark = line;
    this.timeline.mark(line);
    say(line === null ? "the mark is gone" : `marked line ${line}`);
    this.refresh();
  }

  // ---- what is shown of it

  show() {
    const { at, trace } = this;
    this.timeline.show(at, this.describe(at));
    this.list.select(at);
    const run = trace.runAt(at);
    fill(
      this.place,
      h("b", {}, `Line ${at}`),
      ` of ${trace.lines.length - 1}`,
      run ? ` · run ${run.number} of ${trace.runs.length}` : "",
      trace.clock(at) ? ` · ${trace.clock(at)}` : "",
    );
    this.render();
  }

  // What takes time (it is asked of the sandbox) waits until one stands still.
  render() {
    clearTimeout(this.soon);
    this.soon = 0;
    const quick = !this.live || ["output", "calls", "event"].includes(this.panel.id);
    if (quick) this.refresh();
    else
      this.soon = setTimeout(() => {
        this.soon = 0;
        this.refresh();
      }, 120);
  }

  async refresh(focus) {
    this.settled = false;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    let shown;
    try {
      shown = await this.panel.render(this);
      shown = await Promise.all([shown].flat(9));
    } catch (error) {
      shown = h("p", { class: "bad", role: "alert" }, error.message);
    }
    if (turn !== this.turn) return; // one stands elsewhere by now
    const had = focus ?? this.content.querySelector(":focus")?.dataset.focus;
    const scroll = this.content.scrollTop;
    fill(this.content, shown);
    this.content.scrollTop = scroll;
    this.settled = !this.asked && !this.soon;
    if (had) this.focus(had);
  }

  // An element that was made anew has the focus again; what cannot have it now has a stand-in.
  focus(name) {
    const wanted = this.content.querySelector(`[data-focus="${CSS.escape(name)}"]`);
    // Never a button: a key that is pressed too often is to do nothing.
    const instead = [".waiting", "textarea:enabled"];
    const others = instead.map((selector) => this.content.querySelector(selector));
    ([wanted, ...others].find((element) => element && !element.disabled) ?? this.content).focus();
  }

  choosePanel(panel, focus) {
    this.panel = panel;
    for (const tab of this.tabs.children) {
      const chosen = tab.id === `tab-${panel.id}`;
      tab.setAttribute("aria-selected", chosen);
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen && focus) tab.focus();
    }
    this.content.setAttribute("aria-labelledby", `tab-${panel.id}`);
    this.content.scrollTop = 0;
    this.refresh();
  }

  filter() {
    const { trace, hidden } = this;
    const wanted = this.words.toLowerCase();
    const rows = [];
    for (let n = 0; n < trace.lines.length; n++) {
      if (hidden.has(GROUP_OF[trace.kinds[n]])) continue;
      if (wanted && !`${trace.word(n)} ${trace.sentence(n)}`.toLowerCase().includes(wanted))
        continue;
      rows.push(n);
    }
    this.list.show(rows);
    this.list.select(this.at);
    this.count.textContent = plural(rows.length, "event");
  }

  row(element, n) {
    const { trace } = this;
    const wrong = trace.wrong(n) ? " wrong" : "";
    element.className = `row ${trace.kinds[n]}${wrong}`;
    fill(
      element,
      h("span", { class: "line" }, String(n)),
      h("span", { class: "word" }, trace.word(n)),
      h("span", { class: "what" }, trace.sentence(n)),
    );
  }

  // ---- the parts

  build(root) {
    this.timeline = new Timeline(
      this.trace,
      (line) => this.go(line, true),
      () => this.at,
    );
    this.list = new EventList({
      describe: (element, line) => this.row(element, line),
      chosen: (line) => this.go(line, true),
      now: () => this.at,
    });
    this.place = h("span", { class: "place" });
    this.content = h("div", { class: "content", role: "tabpanel", id: "content", tabindex: "0" });
    this.tabs = h(
      "div",
      { class: "tabs", role: "tablist", "aria-label": "what to see" },
      this.panels.map((panel) =>
        button(
          panel.title,
          { role: "tab", id: `tab-${panel.id}`, "aria-controls": "content" },
          () => this.choosePanel(panel),
        ),
      ),
    );
    this.tabs.addEventListener("keydown", (event) => this.tabKey(event));
    this.help = helpDialog(this);
    fill(
      root,
      h(
        "section",
        { class: "top", "aria-label": "the run" },
        this.timeline.element,
        this.transport(),
      ),
      h(
        "main",
        {},
        h("section", { class: "left", "aria-label": "events" }, this.filters(), this.list.box),
        h("section", { class: "right", "aria-label": "at this moment" }, this.tabs, this.content),
      ),
      this.help,
    );
    document.addEventListener("keydown", (event) => this.key(event));
    this.filter();
    this.choosePanel(this.panel);
  }

  transport() {
    const act = (text, label, key, action) =>
      button(
        text,
        { "aria-label": label, title: `${label} (${key})`, "aria-keyshortcuts": key },
        action,
      );
    return h(
      "div",
      { class: "transport", role: "toolbar", "aria-label": "moving" },
      act("|◀", "to the run before", "[", () => this.command("[")),
      act("◀", "step back", "k", () => this.command("k")),
      act("▶", "step forward", "j", () => this.command("j")),
      act("▶|", "to the next run", "]", () => this.command("]")),
      this.place,
      h("span", { class: "grow" }),
      act("Next call", "to the next call", "c", () => this.command("c")),
      act("Next trouble", "to the next failure, denial or limit", "e", () => this.command("e")),
      act("Mark", "mark this point, to compare with", "m", () => this.command("m")),
      act("Keys", "the keys", "?", () => this.command("?")),
    );
  }

  filters() {
    this.count = h("span", { class: "soft", role: "status" });
    let timer = 0;
    this.find = h("input", {
      type: "search",
      placeholder: "Find…",
      "aria-label": "only events with",
      id: "find",
      oninput: () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          this.words = this.find.value;
          this.filter();
        }, 150);
      },
    });
    const boxes = GROUPS.map((group) =>
      h(
        "label",
        {},
        h("input", {
          type: "checkbox",
          checked: !this.hidden.has(group),
          onchange: (event) => {
            if (event.target.checked) this.hidden.delete(group);
            else this.hidden.add(group);
            this.filter();
          },
        }),
        group,
      ),
    );
    return h(
      "div",
      { class: "filters" },
      this.find,
      this.count,
      h("div", { class: "groups", role: "group", "aria-label": "kinds of events" }, boxes),
    );
  }

  // ---- keys

  tabKey(event) {
    const index = this.panels.indexOf(this.panel),
      last = this.panels.length - 1;
    const to = {
      ArrowRight: index < last ? index + 1 : 0,
      ArrowLeft: index > 0 ? index - 1 : last,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.choosePanel(this.panels[to], true);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (!this.keys || this.help.open) return;
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (by && event.target === document.body) {
      event.preventDefault();
      this.step(by);
    }
    if (event.key.length !== 1) return;
    if (event.target.closest?.("input:not([type=checkbox]), textarea, select")) return;
    if (this.command(event.key)) event.preventDefault();
  }

  command(key) {
    const { trace } = this;
    const isCall = (n) => trace.lines[n].out === "call";
    const isRun = (n) => trace.kinds[n] === "run";
    const number = Number(key);
    const commands = {
      j: () => this.step(1),
      k: () => this.step(-1),
      "]": () => this.seek(1, isRun, "run"),
      "[": () => this.seek(-1, isRun, "run"),
      c: () => this.seek(1, isCall, "call"),
      C: () => this.seek(-1, isCall, "call"),
      e: () => this.seek(1, (n) => trace.wrong(n), "trouble"),
      E: () => this.seek(-1, (n) => trace.wrong(n), "trouble"),
      m: () => this.setMark(this.at),
      "/": () => this.find.focus(),
      "?": () => this.help.showModal(),
    };
    if (number >= 1 && number <= this.panels.length)
      commands[key] = () => this.choosePanel(this.panels[number - 1], true);
    commands.b = () =>
      this.live ? branchesPanel.begin(this) : this.choosePanel(branchesPanel, true);
    commands.p = () => (this.live ? branchesPanel.previewHere(this) : commands.b());
    if (!Object.hasOwn(commands, key)) return false;
    commands[key]();
    return true;
  }
}

const KEYS = [
  ["j, k", "step forward, back"],
  ["], [", "to the next run, the one before"],
  ["c, C", "to the next call, the one before"],
  ["e, E", "to the next trouble, the one before"],
  ["m", "mark this point: Changes compares with it"],
  ["b", "branch here (with pinfold debug)"],
  ["p", "preview answers to the call that waits here (with pinfold debug)"],
  ["/", "find"],
  ["1 … 7", "what to see: output, files, processes, …"],
  ["arrows, Page Up and Down, Home, End", "in the list of events and on the timeline; arrows anywhere else step"],
  ["Tab", "from part to part"],
  ["?", "this"],
];

function helpDialog(app) {
  const dialog = h(
    "dialog",
    { "aria-labelledby": "keys-title" },
    h("h2", { id: "keys-title" }, "Keys"),
    h(
      "dl",
      {},
      KEYS.map(([keys, what]) => [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, what)]),
    ),
    h(
      "label",
      {},
      h("input", {
        type: "checkbox",
        checked: true,
        onchange: (event) => {
          app.keys = event.target.checked;
        },
      }),
      "Single letters are keys",
    ),
    h(
      "p",
      {},
      button("Close", { autofocus: true }, () => dialog.close()),
    ),
  );
  return dialog;
}

// ---- the beginning

function startTime(ns) {
  const date = new Date(ns / 1e6);
  if (Number.isNaN(date.getTime())) return null;
  return date.toISOString().replace("T", " ").replace(/\..*/, " UTC");
}

function headFacts(app) {
  const { trace } = app;
  const refused = trace.calls.filter((call) => call.refused).length;
  const { head } = trace;
  const facts = [
    startTime(head.start_ns),
    plural(trace.runs.length, "run"),
    plural(trace.calls.length - refused, "call"),
    refused ? h("b", { class: "bad" }, `${refused} denied`) : null,
    head.snapshot || head.snapshot_base64 ? "continues a snapshot" : null,
    head.clock_fixed ? "fixed clock" : null,
    trace.complete ? null : h("b", { class: "bad" }, trace.full ? "at its bound" : "cut short"),
    `pinfold ${brief(String(head.version))}`,
    h("b", { class: app.live ? "good" : "quiet" }, app.live ? "live sandbox" : "recording only"),
  ];
  return facts.filter(Boolean).map((fact) => h("span", {}, fact));
}

const noSandbox = { points: [], contents: [], why: "the recording was not run again for it" };

async function begin() {
  const settings = JSON.parse(document.getElementById("settings")?.textContent ?? "{}");
  const text = await carried("trace");
  // Ids of branches have more digits than a number has here.
  const whole = text.replace(/([{,]"id":)(\d{16,})/g, '$1"$2"');
  const lines = whole
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const kept = settings.live ? null : await carried("files");
  const states = settings.live
    ? new LiveFiles()
    : new KeptFiles(kept ? JSON.parse(kept) : noSandbox);
  const app = new App(new Trace(lines), states, settings);
  document.title = visible(`${app.name} – pinfold`);
  fill(document.getElementById("name"), app.name);
  fill(document.getElementById("facts"), headFacts(app));
  const root = document.getElementById("app");
  root.hidden = false;
  app.build(root);
  document.getElementById("loading").remove();
  const { line } = settings;
  app.go(Number.isInteger(line) ? line : app.trace.lines.length - 1, true);
  globalThis.pinfoldPage = app; // for who looks into the page with the tools of a browser
  performance.mark("ready");
}

// The page is there before a long recording is read.
requestAnimationFrame(() =>
  setTimeout(() => {
    begin().catch((error) => {
      const note = document.getElementById("loading");
      note.setAttribute("role", "alert");
      note.textContent = visible(`The recording cannot be shown: ${error.message}`);
    });
  }),
);
