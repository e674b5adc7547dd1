// branches.js: sandboxes that went on from a moment of the recording: the tree of them, and the one
// that is looked at. What is typed there runs in the sandbox behind this page.

const LANGUAGES = ["shell", "python", "javascript", "typescript"];

const branchesPanel = {
  id: "branches",
  title: "Branches",
  all: new Map(), // by id, as the server tells them
  chosen: null,
  busy: false,
  trouble: "",
  typed: "",
  language: "shell",

  render(app) {
    if (!app.live) return noSandboxElement(app);
    const branch = this.all.get(this.chosen);
    return [
      this.head(app),
      this.all.size
        ? this.tree(app)
        : empty("A branch goes on from this moment, and leaves the recording as it is."),
      this.trouble ? h("p", { class: "bad", role: "alert" }, this.trouble) : null,
      branch ? branchElement(app, this, branch) : null,
    ];
  },

  head(app) {
    return h(
      "div",
      { class: "actions" },
      button(
        `Branch at line ${app.at}`,
        { class: "primary", "data-focus": "branch", "aria-keyshortcuts": "b" },
        () => this.begin(app),
      ),
      button(
        "Preview the call that waits here",
        { "data-focus": "preview", "aria-keyshortcuts": "p" },
        () => this.previewHere(app),
      ),
    );
  },

  // ---- the tree

  rows() {
    const rows = [];
    const walk = (parent, depth) => {
      for (const branch of this.all.values())
        if (branch.parent === parent) {
          rows.push([branch, depth]);
          walk(branch.id, depth + 1);
        }
    };
    walk(null, 1);
    return rows;
  },

  tree(app) {
    const rows = this.rows();
    const item = (id, depth, words, chosen) => {
      const row = h(
        "div",
        {
          role: "treeitem",
          class: "branch",
          "aria-level": String(depth + 1),
          "aria-selected": String(chosen),
          "data-focus": `tree ${id}`,
          tabindex: chosen ? "0" : "-1",
          onclick: () => this.choose(app, id),
        },
        words,
      );
      row.style.paddingLeft = `${0.6 + depth * 1.4}rem`;
      row.dataset.id = id ?? "";
      return row;
    };
    const items = [
      item(
        null,
        0,
        [h("b", {}, app.name), h("span", { class: "soft" }, " the recording")],
        this.chosen === null,
      ),
      ...rows.map(([branch, depth]) =>
        item(
          branch.id,
          depth,
          [branchWords(branch), changedFiles(app, branch)],
          branch.id === this.chosen,
        ),
      ),
    ];
    const tree = h("div", { role: "tree", class: "tree", "aria-label": "branches" }, items);
    tree.addEventListener("keydown", (event) => {
      const ids = [null, ...rows.map(([branch]) => branch.id)];
      const index = ids.indexOf(this.chosen);
      const parent = this.all.get(this.chosen)?.parent ?? null;
      const to = {
        ArrowDown: ids[index + 1],
        ArrowUp: ids[index - 1],
        ArrowLeft: parent,
        ArrowRight: rows.find(([branch]) => branch.parent === this.chosen)?.[0].id,
        Home: null,
        End: ids.at(-1),
      };
      if (!Object.hasOwn(to, event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      if (to[event.key] !== undefined) this.choose(app, to[event.key]);
    });
    return tree;
  },

  choose(app, id) {
    this.chosen = id;
    this.trouble = "";
    app.refresh(`tree ${id}`);
    const branch = this.all.get(id);
    say(branch ? branchSummary(branch) : "the recording");
  },

  // ---- asking

  // Does something in the chosen branch, and shows what came of it, when `then` has seen it.
  async act(app, what, given = {}, focus = "type", then = () => {}) {
    if (this.busy) return null;
    this.busy = true;
    this.trouble = "";
    const slow = setTimeout(() => say("working"), 1000);
    app.refresh(focus);
    let answer = null;
    try {
      answer = await api(what, { branch: this.chosen, ...given });
      if (answer.branch) this.take(app, answer.branch);
      if (answer.branches) this.all = new Map(answer.branches.map((branch) => [branch.id, branch]));
      then(answer);
    } catch (error) {
      this.trouble = error.message;
      await this.again();
    }
    clearTimeout(slow);
    this.busy = false;
    if (app.panel === this) await app.refresh(focus);
    return answer;
  },

  // After an error: what the branches came to.
  async again() {
    try {
      const { branches } = await api("branches");
      this.all = new Map(branches.map((branch) => [branch.id, branch]));
    } catch {
      // the first error says it
    }
  },

  take(app, branch) {
    const had = this.all.get(branch.id)?.log.length ?? 0;
    this.all.set(branch.id, branch);
    app.states.changed(branch.id);
    const last = branch.log.at(-1);
    if (branch.log.length > had || branch.state === "waits")
      say(`${branchSummary(branch)}${last ? `; ${brief(last.text ?? "")}` : ""}`);
  },

  async begin(app, from = { line: app.at }) {
    if (app.panel !== this) app.choosePanel(this);
    const answer = await this.act(app, "branch", { from }, "type", ({ branch }) => {
      this.chosen = branch.id;
      shownPreview.drop();
    });
    return answer?.branch ?? null;
  },

  async previewHere(app) {
    const waits = app.trace.calls.some((call) => call.n <= app.at && call.to > app.at);
    if (!waits) {
      say("no call waits at this line");
      this.trouble = "No call waits at this line: go to a call (key c), before its answer.";
      if (app.panel !== this) app.choosePanel(this);
      else app.refresh("preview");
      return;
    }
    const branch = await this.begin(app);
    if (branch?.calls.length) await shownPreview.make(app, this, branch, branch.calls[0]);
  },
};

function noSandboxElement(app) {
  return [
    h(
      "p",
      {},
      "A branch goes on from any event: with other answers, and with what you type. ",
      "A preview shows what would come of each answer to a call that waits.",
    ),
    h(
      "p",
      {},
      "Both need a live sandbox, which this page alone has not. This command serves it with one:",
    ),
    h(
      "pre",
      { class: "command", tabindex: "0", "aria-label": "command" },
      `pinfold debug ${app.quotedName}`,
    ),
  ];
}

// ---- words

function branchSummary(branch) {
  const [first] = branch.calls;
  const state = first
    ? `waits for an answer to ${brief(first.method)}`
    : branch.state === "runs"
      ? "is on its way"
      : "is idle";
  return `branch ${branch.id} ${state}`;
}

function branchWords(branch) {
  const from = branch.line === null ? "" : ` at line ${branch.line}`;
  const runs = branch.log.filter((entry) => entry.kind === "input").length;
  const ends = branch.log.filter((entry) => entry.kind === "result");
  const status = ends.length ? `status ${ends.at(-1).exit_code}` : "";
  const state = { waits: "waits", runs: "on its way", idle: "idle" }[branch.state];
  return [
    h("b", {}, `Branch ${branch.id}`),
    h(
      "span",
      { class: "soft" },
      `${from}${runs ? `, ${plural(runs, "script")}` : ""}${status ? `, ${status}` : ""}`,
    ),
    h("span", { class: `chip ${branch.state}` }, state),
  ];
}

// How many files are other ones than where it came from: told when it is known.
function changedFiles(app, branch) {
  const element = h("span", { class: "soft" });
  const from = branch.parent === null ? { line: branch.line } : { branch: branch.parent };
  treeChanges(app, from, { branch: branch.id })
    .then((changes) => {
      const files = changes.filter(
        ({ before, after }) => kindOfEntry(after ?? before) !== "directory",
      );
      fill(element, files.length ? plural(files.length, "file") + " changed" : "no file changed");
    })
    .catch((error) => fill(element, brief(error.message)));
  return element;
}

// ---- one branch

function branchElement(app, panel, branch) {
  const act = (what, given, focus) => panel.act(app, what, given, focus);
  return h(
    "section",
    { class: "console", "aria-label": `branch ${branch.id}` },
    h(
      "div",
      { class: "actions" },
      h("h3", {}, branchSummary(branch)),
      h("span", { class: "grow" }),
      panel.busy
        ? [
            h("span", { class: "working" }, "working…"),
            button("Interrupt", { "data-focus": "interrupt" }, () =>
              api("interrupt", { branch: branch.id }),
            ),
          ]
        : null,
      button("Branch from this", { "data-focus": "fork" }, () =>
        panel.begin(app, { branch: branch.id }),
      ),
      button("Close", { "data-focus": "close", "aria-label": `close branch ${branch.id}` }, () => {
        shownPreview.drop();
        panel.act(app, "close", {}, "branch", () => {
          panel.chosen = null;
        });
      }),
    ),
    logElement(branch),
    branch.calls.map((call) => callElement(app, panel, branch, call)),
    shownPreview.element(app, panel, branch),
    branch.state === "runs" || branch.state === "waits" ? goingOn(panel, branch, act) : null,
    typing(app, panel, branch),
    comparing(app, panel, branch),
  );
}

function goingOn(panel, branch, act) {
  return h(
    "div",
    { class: "actions" },
    branch.state === "runs"
      ? button("Go on", { "data-focus": "go", disabled: panel.busy }, () => act("go", {}, "go"))
      : null,
    button("Go on as recorded", { "data-focus": "recorded", disabled: panel.busy }, () =>
      act("recorded", {}, "recorded"),
    ),
    button("End the run", { "data-focus": "end", disabled: panel.busy }, () =>
      act("end", {}, "type"),
    ),
  );
}

function logElement(branch) {
  const entries = branch.log.map((entry) => {
    switch (entry.kind) {
      case "input":
        return h(
          "div",
          { class: "input" },
          h("span", { class: "prompt" }, `${entry.language} ▸ `),
          entry.text,
        );
      case "answer":
        return h(
          "div",
          { class: "answered" },
          `${entry.call} → ${entry.text}`,
          h("span", { class: "soft" }, ` (${entry.source})`),
        );
      case "result": {
        const value = entry.value === null ? "" : `, value ${JSON.stringify(entry.value)}`;
        const bad = entry.exit_code !== 0 || entry.limit;
        return h(
          "div",
          { class: bad ? "verdict bad" : "verdict" },
          `ends with status ${entry.exit_code}`,
          entry.limit ? `, at the limit ${entry.limit}` : "",
          value,
        );
      }
      case "note":
        return h("div", { class: "soft" }, entry.text);
      default:
        return h("span", { class: entry.kind }, unseen(`${entry.kind}: `), entry.text);
    }
  });
  if (!entries.length) return null;
  const log = h(
    "pre",
    { class: "log", tabindex: "0", role: "log", "aria-label": `what branch ${branch.id} did` },
    entries,
  );
  requestAnimationFrame(() => {
    log.scrollTop = log.scrollHeight;
  });
  return log;
}

function typing(app, panel, branch) {
  const run = () => {
    const code = area.value;
    if (!code.trim() || panel.busy) return;
    panel.typed = "";
    panel.act(app, "run", { code, language: panel.language });
  };
  const idle = branch.state === "idle";
  const area = h("textarea", {
    rows: "2",
    "aria-label": `type into branch ${branch.id}`,
    "data-focus": "type",
    placeholder: idle
      ? "Type into this branch; Enter runs it, Shift+Enter is a new line"
      : "A run is on: answer its calls, or end it",
    disabled: !idle,
    spellcheck: "false",
    oninput: () => {
      panel.typed = area.value;
    },
    onkeydown: (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      run();
    },
  });
  area.value = panel.typed;
  const language = h(
    "select",
    {
      "aria-label": "language",
      "data-focus": "language",
      onchange: () => {
        panel.language = language.value;
      },
    },
    LANGUAGES.map((name) => h("option", { selected: name === panel.language }, name)),
  );
  return h(
    "div",
    { class: "typing" },
    language,
    area,
    button("Run", { class: "primary", disabled: !idle || panel.busy, "data-focus": "run" }, run),
  );
}

// ---- beside others

function comparing(app, panel, branch) {
  const others = [...panel.all.values()].filter((other) => other.id !== branch.id);
  const states = new Map([
    ...(branch.line === null
      ? []
      : [[`line ${branch.line}, where it began`, { line: branch.line }]]),
    [`line ${app.at}, this moment`, { line: app.at }],
    ["the end of the recording", { line: app.trace.lines.length - 1 }],
    ...others.map((other) => [`branch ${other.id}`, { branch: other.id }]),
  ]);
  const names = [...states.keys()];
  const chosen = names.includes(panel.other) ? panel.other : names[0];
  const body = h("div", { class: "inner" });
  const select = h(
    "select",
    {
      "aria-label": "compare with",
      "data-focus": "compare",
      onchange: () => {
        panel.other = select.value;
        app.refresh("compare");
      },
    },
    names.map((name) => h("option", { selected: name === chosen }, name)),
  );
  const to = { branch: branch.id };
  treeChanges(app, states.get(chosen), to)
    .then((changes) => changesElement(app, states.get(chosen), to, changes))
    .then((shown) => fill(body, shown))
    .catch((error) => fill(body, h("p", { class: "bad" }, error.message)));
  return h(
    "div",
    {},
    h("h3", {}, h("label", {}, "Files, compared with ", select)),
    body,
    h("h3", {}, "Processes"),
    branch.processes.length
      ? h(
          "ul",
          { class: "plain" },
          branch.processes.map(([pid, parent, name, state]) =>
            h(
              "li",
              {},
              h("code", {}, `${pid} ${name}`),
              h(
                "span",
                { class: "soft" },
                ` ${PROCESS_STATES[state] ?? state}, child of ${parent}`,
              ),
            ),
          ),
        )
      : empty("None."),
  );
}
