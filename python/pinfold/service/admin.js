// admin.js: what the server says of its store. The token lives in this page alone, and never in an
// address; everything that has a name goes through visible(), as in text.js.

const LANE = 14;
const ROW = 34;
const page = { token: "", prefix: "", last: null, rows: [], chosen: null, settled: true };
globalThis.pinfoldAdmin = page;

async function ask(path, how = {}) {
  const answer = await fetch(path, {
    ...how,
    headers: { Authorization: `Bearer ${page.token}` },
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error ? body.error.message : `status ${answer.status}`);
  return body;
}

// Does something that may fail, and says so.
async function tried(work) {
  page.settled = false;
  try {
    await work();
    fill(trouble);
  } catch (error) {
    fill(trouble, String(error.message || error));
    say(String(error.message || error));
  } finally {
    page.settled = true;
  }
}

function age(seconds) {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

function svg(tag, properties, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// ---- the token

const trouble = h("p", { class: "trouble", role: "alert" });

function begin() {
  const field = h("input", {
    type: "password",
    autocomplete: "off",
    "aria-label": "admin token",
    placeholder: "admin token",
  });
  const form = h("form", {}, field, h("button", { type: "submit" }, "Show"));
  form.onsubmit = (event) => {
    event.preventDefault();
    page.token = field.value.trim();
    field.value = "";
    tried(async () => {
      await first();
      layout();
    });
  };
  fill(document.getElementById("app"), form, trouble);
  field.focus();
}

// ---- sessions

async function first() {
  page.rows = [];
  page.last = null;
  await more();
}

async function more() {
  const query = new URLSearchParams({ prefix: page.prefix, after: page.last ?? "" });
  const found = await ask(`admin/api/sessions?${query}`);
  page.rows.push(...found.sessions);
  page.last = found.next;
  page.counts = found;
}

const places = { list: h("section", { class: "panel", "aria-label": "sessions" }) };
places.one = h("section", { class: "panel", "aria-label": "one session" });

function layout() {
  const field = h("input", {
    type: "search",
    "aria-label": "names begin with",
    placeholder: "names begin with…",
  });
  field.value = page.prefix;
  const form = h("form", {}, field, h("button", { type: "submit" }, "Look"));
  form.onsubmit = (event) => {
    event.preventDefault();
    page.prefix = field.value;
    tried(async () => {
      await first();
      list();
    });
  };
  fill(
    document.getElementById("app"),
    form,
    trouble,
    h("div", { class: "columns" }, places.list, places.one),
  );
  list();
  fill(places.one, h("p", { class: "soft" }, "Choose a session to see its snapshots and traces."));
}

function state(session) {
  const tags = [];
  if (session.state) tags.push(h("span", { class: `tag ${session.state}` }, session.state));
  if (session.driver) tags.push(h("span", { class: "tag" }, brief(session.driver, 60)));
  return tags.length ? tags : h("span", { class: "soft" }, "in the store");
}

function list() {
  const counts = page.counts;
  fill(
    document.getElementById("facts"),
    h("span", {}, h("b", { class: "quiet" }, counts.count.toLocaleString("en")), " in the store"),
    h("span", {}, `${counts.active} in this server's memory`),
    h("span", {}, `${counts.running} running, ${counts.waiting} waiting`),
  );
  const rows = page.rows.map((session) =>
    h(
      "tr",
      { class: session.name === page.chosen ? "chosen" : null },
      h("td", {}, h("bdi", {}, nameButton(session.name))),
      h("td", { class: "number" }, age(session.age)),
      h("td", { class: "number wide" }, size(session.bytes)),
      h("td", {}, state(session)),
    ),
  );
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, "Session"),
    h("th", { scope: "col", class: "number" }, "Saved"),
    h("th", { scope: "col", class: "number wide" }, "Size"),
    h("th", { scope: "col" }, "State"),
  );
  fill(
    places.list,
    h("h2", {}, "Sessions"),
    rows.length
      ? h("table", { "aria-label": "list of sessions" }, h("thead", {}, head), h("tbody", {}, rows))
      : h("p", { class: "soft" }, "None."),
    page.last === null
      ? null
      : button("More", {}, () =>
          tried(async () => {
            await more();
            list();
          }),
        ),
  );
}

function nameButton(name) {
  return button(brief(name, 160), { class: "name" }, () => tried(() => show(name)));
}

// ---- one session

async function show(name) {
  const query = new URLSearchParams({ name });
  const [tree, kept] = await Promise.all([
    ask(`admin/api/tree?${query}`),
    ask(`admin/api/traces?${query}`),
  ]);
  page.chosen = name;
  list();
  fill(
    places.one,
    h("h2", {}, h("bdi", {}, brief(name, 160))),
    h("h3", {}, `Snapshots (${tree.snapshots.length})`),
    snapshots(tree.snapshots),
    tree.more ? h("p", { class: "soft" }, "There are more: prune the store.") : null,
    h("h3", {}, `Traces (${kept.traces.length})`),
    traces(kept.traces),
  );
  say(`${plural(tree.snapshots.length, "snapshot")}, ${plural(kept.traces.length, "trace")}`);
}

// The newest first, each in a lane that leads to its parent.
function lanesOf(found) {
  const lanes = [];
  return found.map((snapshot) => {
    let own = lanes.indexOf(snapshot.id);
    if (own < 0) {
      own = lanes.indexOf(null);
      if (own < 0) own = lanes.length;
    }
    const above = lanes.map((id) => id !== null);
    const joins = lanes.map((id, at) => id === snapshot.id && at !== own);
    for (const [at, id] of lanes.entries()) if (id === snapshot.id) lanes[at] = null;
    lanes[own] = snapshot.parent;
    while (lanes.length && lanes.at(-1) === null) lanes.pop();
    return { own, above, joins, below: lanes.map((id) => id !== null) };
  });
}

function drawn(lane, width) {
  const middle = ROW / 2;
  const x = (at) => LANE / 2 + at * LANE;
  const lines = [];
  const line = (x1, y1, x2, y2) => lines.push(svg("line", { x1, y1, x2, y2, "stroke-width": 2 }));
  for (const [at, is] of lane.above.entries())
    if (is) line(x(at), 0, lane.joins[at] ? x(lane.own) : x(at), middle);
  for (const [at, is] of lane.below.entries()) if (is) line(x(at), middle, x(at), ROW);
  const dot = svg("circle", { cx: x(lane.own), cy: middle, r: 4.5 });
  return svg(
    "svg",
    { width: width * LANE, height: ROW, "aria-hidden": "true" },
    ...lines,
    dot,
  );
}

function snapshots(found) {
  const lanes = lanesOf(found);
  const width = Math.min(Math.max(1, ...lanes.map((lane) => Math.max(lane.own + 1, lane.above.length))), 24);
  const rows = found.map((snapshot, at) =>
    h(
      "tr",
      {},
      h("td", { class: "lanes-of" }, drawn(lanes[at], width)),
      h("td", { class: "number" }, String(snapshot.id)),
      h("td", { class: "number wide" }, snapshot.parent === null ? "" : `from ${snapshot.parent}`),
      h(
        "td",
        {},
        snapshot.names.map((name) => h("bdi", { class: "tag" }, brief(name, 80))),
        snapshot.said ? h("span", { class: snapshot.damaged ? "tag damaged" : "soft" }, brief(snapshot.said)) : null,
      ),
      h("td", { class: "number" }, age(snapshot.age)),
      h("td", { class: "number wide" }, size(snapshot.bytes)),
      h("td", {}, ticketButton("Download", "snapshot", snapshot.id)),
    ),
  );
  return h("table", { "aria-label": "snapshots" }, h("tbody", {}, rows));
}

function traces(found) {
  if (!found.length) return h("p", { class: "soft" }, "None: it is not recorded, or not yet.");
  const rows = found.map((trace) =>
    h(
      "tr",
      {},
      h("td", { class: "number" }, String(trace.id)),
      h("td", { class: "number" }, age(trace.age)),
      h("td", { class: "number" }, size(trace.bytes)),
      h("td", {}, ticketButton("Open", "view", trace.id), " ", ticketButton("Download", "trace", trace.id)),
    ),
  );
  return h("table", { "aria-label": "traces" }, h("tbody", {}, rows));
}

// An address that is good once, for a short time, in the place of the token.
function ticketButton(text, kind, id) {
  const label = `${text} ${kind === "snapshot" ? "snapshot" : "trace"} ${id}`;
  return button(text, { "aria-label": label }, () =>
    tried(async () => {
      const query = new URLSearchParams({ kind, id });
      const { path } = await ask(`admin/api/tickets?${query}`, { method: "POST" });
      const link = h("a", { href: path, rel: "noopener noreferrer" });
      if (kind === "view") link.target = "_blank";
      else link.download = "";
      link.click();
    }),
  );
}

begin();
