// states.js: the files of a moment or a branch: out of this page, or from the sandbox behind it.
//
// A state is {line: n}, after that line of the recording, or {branch: id}. A tree is a Map from
// paths to {mode, size, id}; two entries with the same id have the same contents.

const TYPE = 0o170000,
  DIRECTORY = 0o040000,
  LINK = 0o120000;

function entryOf([mode, bytes, id]) {
  return { mode, size: bytes, id };
}

// Without a sandbox: the files at the moments at which they were looked at when the page was made.
class KeptFiles {
  // `kept` is {points: [{n, set: {path: [mode, size, content]}, gone: [path]}], contents, why}.
  constructor(kept) {
    this.kept = kept;
    this.live = false;
    this.trees = new Map();
  }

  get why() {
    return this.kept.points.length ? null : this.kept.why;
  }

  pointOf(state) {
    let low = 0,
      high = this.kept.points.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.kept.points[middle].n <= state.line) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  async tree(state) {
    const point = this.pointOf(state);
    if (point < 0) return new Map();
    if (!this.trees.has(point)) {
      let from = point;
      while (from > 0 && !this.trees.has(from - 1)) from--;
      for (; from <= point; from++) {
        const tree = new Map(this.trees.get(from - 1) ?? []);
        const { set, gone } = this.kept.points[from];
        for (const [path, entry] of Object.entries(set)) tree.set(path, entryOf(entry));
        for (const path of gone) tree.delete(path);
        this.trees.set(from, tree);
      }
    }
    return this.trees.get(point);
  }

  async content(state, path) {
    const entry = (await this.tree(state)).get(path);
    const kept = entry && this.kept.contents[entry.id];
    return kept ?? { why: "not in this page" };
  }

  // What has to be said of the moment that is shown.
  note(state) {
    const { points } = this.kept;
    const point = this.pointOf(state);
    if (point < 0) return "Before the first look at the files.";
    if (points[point].n === state.line) return "";
    const next = points[point + 1];
    return (
      `As they were after line ${points[point].n}` +
      (next ? `; the next look is after line ${next.n}.` : ".")
    );
  }
}

// With a sandbox behind the page.
class LiveFiles {
  constructor() {
    this.live = true;
    this.cache = new Map();
    this.versions = new Map(); // of branches, which go on
  }

  get why() {
    return null;
  }

  changed(branch) {
    this.versions.set(branch, (this.versions.get(branch) ?? 0) + 1);
  }

  async ask(what, state, more = {}) {
    const version = this.versions.get(state.branch) ?? 0;
    const key = JSON.stringify([what, state, more, version]);
    if (!this.cache.has(key)) {
      if (this.cache.size > 200) this.cache.delete(this.cache.keys().next().value);
      const answer = api(what, { state, ...more });
      this.cache.set(key, answer);
      answer.catch(() => this.cache.delete(key));
    }
    return this.cache.get(key);
  }

  async tree(state) {
    const { entries } = await this.ask("files", state);
    return new Map(Object.entries(entries).map(([path, entry]) => [path, entryOf(entry)]));
  }

  async content(state, path) {
    return this.ask("file", state, { path });
  }

  note() {
    return "";
  }
}

// Asks the program that serves this page. An error is what it said.
async function api(what, given = {}) {
  let response;
  try {
    response = await fetch(`api/${what}`, {
      method: "POST",
      body: JSON.stringify(given),
      headers: { "Content-Type": "application/json" },
    });
  } catch {
    throw new Error("pinfold debug does not answer: was it ended?");
  }
  const answer = await response.json().catch(() => ({ error: `status ${response.status}` }));
  if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
  return answer;
}

// ---- what the page carries

async function unpacked(element) {
  const text = element.textContent.trim();
  if (element.dataset.packed !== "gzip") return text;
  const stream = new Blob([fromBase64(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

async function carried(id) {
  const element = document.getElementById(id);
  return element ? unpacked(element) : null;
}
