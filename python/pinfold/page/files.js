// files.js: the panels of files, and of what differs between two points.

const SHOWN_FILES = 1000;
const SHOWN_TEXT = 60000; // characters of one file

function kindOfEntry(entry) {
  const type = entry.mode & TYPE;
  return type === DIRECTORY ? "directory" : type === LINK ? "link" : "file";
}

async function contentElement(app, state, path) {
  const content = await app.states.content(state, path);
  if (content.why) return empty(`Not shown: ${content.why}.`);
  if (content.link !== undefined) return h("p", {}, "A link to ", h("code", {}, content.link));
  if (content.base64 !== undefined)
    return h(
      "pre",
      { class: "bytes", tabindex: "0", "aria-label": "bytes" },
      dump(fromBase64(content.base64)),
    );
  if (!content.text) return empty("The file is empty.");
  const cut = content.text.length > SHOWN_TEXT;
  return [
    h(
      "pre",
      { class: "contents", tabindex: "0", "aria-label": "contents" },
      content.text.slice(0, SHOWN_TEXT),
    ),
    cut ? empty(`… ${plural(content.text.length - SHOWN_TEXT, "more character")}`) : null,
  ];
}

function dump(bytes) {
  const rows = [];
  for (let i = 0; i < Math.min(bytes.length, 4096); i += 16) {
    const part = [...bytes.subarray(i, i + 16)];
    const hex = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = part
      .map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·"))
      .join("");
    rows.push(`${i.toString(16).padStart(6, "0")}  ${hex.padEnd(47)}  ${text}`);
  }
  return rows.join("\n") + (bytes.length > 4096 ? "\n…" : "");
}

// A list of buttons, one a file; the chosen one's contents stand below it.
function fileList(app, panel, state, tree, changed) {
  const paths = [...tree.keys()].sort();
  const rows = paths.slice(0, SHOWN_FILES).map((path) => {
    const entry = tree.get(path),
      kind = kindOfEntry(entry);
    if (kind === "directory") return h("li", { class: "directory" }, `${path}/`);
    const open = panel.path === path;
    const item = h(
      "li",
      {},
      button(path, { class: "file", "aria-expanded": String(open) }, () => {
        panel.path = open ? null : path;
        app.refresh(`file ${path}`);
      }),
      h("span", { class: "soft" }, kind === "link" ? "link" : size(entry.size)),
      changed.has(path) ? h("span", { class: "chip" }, changed.get(path)) : null,
    );
    item.firstChild.dataset.focus = `file ${path}`;
    return open
      ? [item, contentElement(app, state, path).then((shown) => h("li", { class: "inner" }, shown))]
      : item;
  });
  return Promise.all(rows.flat()).then((items) => [
    h("ul", { class: "files" }, items),
    paths.length > SHOWN_FILES
      ? empty(`… ${plural(paths.length - SHOWN_FILES, "more file")}`)
      : null,
  ]);
}

const KIND_WORDS = { A: "new", M: "changed", D: "gone" };

const filesPanel = {
  id: "files",
  title: "Files",
  path: null,
  async render(app) {
    if (app.states.why) return noFiles(app);
    const state = { line: app.at },
      before = { line: app.before(app.at) };
    const [tree, old] = await Promise.all([app.states.tree(state), app.states.tree(before)]);
    const changed = new Map(
      diffTrees(old, tree).map((change) => [change.path, `${KIND_WORDS[change.kind]} here`]),
    );
    const note = app.states.note(state);
    return [
      note ? h("p", { class: "soft" }, note, " ", liveHint(app)) : null,
      tree.size
        ? await fileList(app, this, state, tree, changed)
        : empty("No files in /workspace and /tmp."),
    ];
  },
};

function noFiles(app) {
  return [empty(`There are no files in this page: ${app.states.why}.`), liveHint(app, true)];
}

// How to get what this page cannot do.
function liveHint(app, long) {
  if (app.live) return null;
  const command = `pinfold debug ${app.quotedName}`;
  return h(
    long ? "p" : "span",
    { class: "hint" },
    long
      ? "For files at every event, branches and previews, a sandbox has to stand behind the page: "
      : "At every event: ",
    h("code", {}, command),
  );
}

// ---- between two points

async function treeChanges(app, from, to) {
  const [before, after] = await Promise.all([app.states.tree(from), app.states.tree(to)]);
  return diffTrees(before, after);
}

async function changeElement(app, from, to, change) {
  const summary = h(
    "summary",
    {},
    h("span", { class: `chip ${KIND_WORDS[change.kind]}` }, KIND_WORDS[change.kind]),
    " ",
    h("code", {}, change.path),
  );
  const body = h("div", { class: "inner" });
  const details = h("details", {}, summary, body);
  const show = async () => {
    if (body.firstChild) return;
    try {
      fill(body, await changeBody(app, from, to, change));
    } catch (error) {
      fill(body, h("p", { class: "bad" }, error.message));
    }
  };
  details.addEventListener("toggle", show);
  return { details, show };
}

async function changeBody(app, from, to, { kind, path, before, after }) {
  const parts = [];
  if (kind === "M" && before.mode !== after.mode)
    parts.push(
      h(
        "p",
        {},
        `mode ${(before.mode & 0o7777).toString(8)} → ${(after.mode & 0o7777).toString(8)}`,
      ),
    );
  const nothing = { text: "" };
  const type = (entry) => entry && entry.mode & TYPE;
  if ([type(before), type(after)].some((each) => each === DIRECTORY))
    return [...parts, empty("A directory.")];
  const [was, now] = await Promise.all([
    kind === "A" ? nothing : app.states.content(from, path),
    kind === "D" ? nothing : app.states.content(to, path),
  ]);
  const why = was.why ?? now.why;
  if (why) return [...parts, empty(`Not shown: ${why}.`)];
  const text = (content) =>
    content.text ?? (content.link === undefined ? null : `→ ${content.link}\n`);
  if (text(was) === null || text(now) === null)
    return [
      ...parts,
      empty(`Not text: ${size(before?.size ?? 0)} before, ${size(after?.size ?? 0)} after.`),
    ];
  if (text(was) === text(now)) return parts;
  return [...parts, diffElement(diffTexts(text(was), text(now)))];
}

async function changesElement(app, from, to, changes) {
  if (!changes.length) return empty("The same files.");
  const shown = await Promise.all(
    changes.slice(0, SHOWN_FILES).map((change) => changeElement(app, from, to, change)),
  );
  if (shown.length <= 6)
    // few: all are open at once
    await Promise.all(
      shown.map(({ details, show }) => {
        details.open = true;
        return show();
      }),
    );
  return [
    shown.map(({ details }) => details),
    changes.length > SHOWN_FILES
      ? empty(`… ${plural(changes.length - SHOWN_FILES, "more file")}`)
      : null,
  ];
}

function betweenLines(app, from, to) {
  const { trace } = app;
  const calls = trace.calls.filter((call) => call.n > from && call.n <= to);
  const begun = trace.processes.filter((process) => process.from > from && process.from <= to);
  const ended = trace.processes.filter((process) => process.to > from && process.to <= to);
  const { pieces, cut } = trace.output(from, to, TAIL);
  return [
    h("h3", {}, `Calls: ${calls.length}`),
    calls.length
      ? table(
          "calls between the two points",
          ["line", "call", "state", "answer"],
          calls.slice(0, MOST_CALLS).map((call) => callRow(app, call, to)),
        )
      : null,
    calls.length > MOST_CALLS ? empty(`… ${calls.length - MOST_CALLS} more: see Calls.`) : null,
    h("h3", {}, `Processes: ${begun.length} began, ${ended.length} ended`),
    h("h3", {}, "Output"),
    cut ? empty(`Only its last ${size(TAIL)}.`) : null,
    pieces.length
      ? h(
          "pre",
          { class: "output", tabindex: "0", "aria-label": "output between the two points" },
          written(pieces, -1),
        )
      : empty("None."),
  ];
}

const changesPanel = {
  id: "changes",
  title: "Changes",
  async render(app) {
    const mark = app.mark ?? app.before(app.at);
    const [low, high] = [Math.min(mark, app.at), Math.max(mark, app.at)];
    const from = { line: low },
      to = { line: high };
    const notes = [...new Set([app.states.note(from), app.states.note(to)])].filter(Boolean);
    const files = app.states.why
      ? noFiles(app)
      : [
          notes.length ? h("p", { class: "soft" }, notes.join(" "), " ", liveHint(app)) : null,
          await changesElement(app, from, to, await treeChanges(app, from, to)),
        ];
    return [
      h("h3", {}, "From line ", lineLink(app, low), " to line ", lineLink(app, high)),
      app.mark === null
        ? h(
            "p",
            { class: "soft" },
            "From the event before. Mark a point (key m) to compare with that.",
          )
        : h(
            "p",
            {},
            button("Forget the mark", { class: "quiet", "data-focus": "forget" }, () =>
              app.setMark(null),
            ),
          ),
      h("h3", {}, "Files"),
      files,
      betweenLines(app, low, high),
    ];
  },
};
