// previews.js: a call that waits in a branch, its answers, and what would come of each.

function parsed(text) {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { error: `This is not JSON; a text has quotes: ${JSON.stringify(text)}` };
  }
}

// What can be said to a call that waits.
function callElement(app, panel, branch, call) {
  const answer = (kind, value) => {
    shownPreview.drop();
    panel.act(app, "answer", { call: call.id, kind, value }, "type");
  };
  const text = h("input", {
    type: "text",
    "aria-label": `answer to ${call.method}, as JSON`,
    "data-focus": `answer ${call.id}`,
    placeholder: 'an answer as JSON, {"n": 3} or "text"',
    spellcheck: "false",
    onkeydown: (event) => {
      if (event.key === "Enter") give();
    },
  });
  text.value = shownPreview.texts.get(call.id) ?? "";
  text.addEventListener("input", () => shownPreview.texts.set(call.id, text.value));
  const wrong = h("p", { class: "bad", role: "alert" });
  const give = () => {
    const { value, error } = parsed(text.value);
    wrong.textContent = error ?? "";
    if (error === undefined) answer("give", value);
  };
  const act = (label, focus, action) =>
    button(label, { disabled: panel.busy, "data-focus": `${focus} ${call.id}` }, action);
  return h(
    "fieldset",
    { class: "waiting", tabindex: "-1" },
    h(
      "legend",
      {},
      h("b", {}, call.method),
      " ",
      h("code", {}, brief(call.params, 400)),
      call.asks ? " asks" : " waits",
    ),
    h(
      "div",
      { class: "actions" },
      call.recorded === null
        ? h("span", { class: "soft" }, "The recording has no answer to this call.")
        : act(`As recorded: ${brief(call.recorded, 60)}`, "known", () => answer("recorded")),
      act("Deny", "deny", () => answer("deny", "")),
      act("Fail", "fail", () => answer("fail", text.value || "it failed")),
      call.live ? act("Call the tool", "live", () => answer("live")) : null,
      act("Preview answers", "look", () => shownPreview.make(app, panel, branch, call)),
    ),
    h("div", { class: "actions" }, text, act("Answer", "give", give)),
    wrong,
  );
}

const shownPreview = {
  of: null, // {branch, call, preview}
  texts: new Map(), // what was typed, by call

  drop() {
    this.of = null;
  },

  // Yes, no, and what was typed, as an answer and, where it is an object, as other arguments.
  answers(call) {
    const typed = parsed(this.texts.get(call.id) ?? "");
    const answers = [{ kind: "yes" }, { kind: "no" }];
    if (typed.error !== undefined) return answers;
    answers.push({ kind: "give", value: typed.value });
    const object =
      typed.value !== null && typeof typed.value === "object" && !Array.isArray(typed.value);
    if (object) answers.push({ kind: "edit", params: typed.value });
    return answers;
  },

  async make(app, panel, branch, call) {
    const given = { call: call.id, answers: this.answers(call) };
    const answer = await panel.act(app, "preview", given, "preview of", ({ preview }) => {
      this.of = { branch: branch.id, call, preview };
    });
    if (!answer) return;
    say(`preview of ${plural(answer.preview.branches.length, "answer")} to ${call.method}`);
  },

  element(app, panel, branch) {
    if (this.of?.branch !== branch.id) return null;
    const { preview } = this.of;
    return h(
      "div",
      { class: "preview" },
      h(
        "h3",
        { tabindex: "-1", "data-focus": "preview of" },
        `What would come of each answer to ${preview.call.method}`,
      ),
      h(
        "div",
        { class: "tried" },
        preview.branches.map((tried, i) => triedElement(app, panel, tried, i)),
      ),
      h(
        "p",
        { class: "soft" },
        "Type an answer above, and preview again, to see it as well: as the result, and as other",
        " arguments.",
      ),
    );
  },
};

const SOURCES = {
  pure: "answered by the tool, which changes nothing",
  simulated: "with what it would probably give",
  recorded: "with what the recording has",
};

function ends(tried) {
  if (tried.refused) return ["Not possible: ", tried.refused];
  if (tried.stopped) return ["Unknown: ", tried.stopped];
  if (!tried.result) return ["Then the script waits."];
  return [
    `Then the script ends with status ${tried.result.exit_code}`,
    tried.result.limit ? `, at ${tried.result.limit}` : "",
    ".",
  ];
}

function triedElement(app, panel, tried, i) {
  const keep = button(
    tried.calls_tool ? "Keep this: call the tool" : "Keep this",
    {
      class: "primary",
      disabled: panel.busy || !tried.possible,
      "data-focus": `tried ${i}`,
      "aria-label": `keep ${tried.label}${tried.calls_tool ? ": the tool is called" : ""}`,
    },
    () => {
      shownPreview.drop();
      panel.act(app, "accept", { label: tried.label }, "type");
    },
  );
  return h(
    "article",
    { "aria-label": `answer ${tried.label}` },
    h("header", {}, h("h4", {}, tried.label), keep),
    tried.label.startsWith("edited")
      ? h("p", {}, "with ", h("code", {}, brief(tried.params, 300)))
      : null,
    tried.answer === null
      ? null
      : h(
          "p",
          {},
          h("code", {}, brief(tried.answer, 400)),
          SOURCES[tried.source] ? h("span", { class: "soft" }, ` ${SOURCES[tried.source]}`) : null,
        ),
    h("h5", {}, `Files: ${tried.changes.length || "none changed"}`),
    tried.changes.map(([kind, path, diff]) =>
      h(
        "details",
        { open: tried.changes.length < 4 },
        h(
          "summary",
          {},
          h("span", { class: `chip ${KIND_WORDS[kind]}` }, KIND_WORDS[kind]),
          " ",
          h("code", {}, path),
        ),
        diff ? unifiedElement(diff) : null,
      ),
    ),
    tried.stdout || tried.stderr
      ? [
          h("h5", {}, "Output"),
          h(
            "pre",
            { class: "output", tabindex: "0", "aria-label": `output of ${tried.label}` },
            tried.stdout,
            tried.stderr ? h("span", { class: "stderr" }, unseen("stderr: "), tried.stderr) : null,
          ),
        ]
      : null,
    tried.calls.length
      ? [
          h("h5", {}, "Then it calls"),
          h(
            "ul",
            { class: "plain" },
            tried.calls.map(([method, params, state, text]) =>
              h(
                "li",
                {},
                h("b", {}, method),
                " ",
                h("code", {}, brief(params, 300)),
                ` ${state}`,
                text ? [": ", h("code", {}, brief(text, 200))] : null,
              ),
            ),
          ),
        ]
      : null,
    h("p", { class: tried.refused || tried.stopped ? "bad" : null }, ends(tried)),
  );
}

// A difference as `diff -u` writes it.
function unifiedElement(text) {
  const lines = text.split("\n").map((line) => {
    if (line.startsWith("@@")) return ["@", line.replace(/^@@ -\d+(,\d+)? \+(\d+).*/, "line $2")];
    return "+- ".includes(line[0]) ? [line[0], line.slice(1)] : ["@", line];
  });
  return diffElement(lines);
}
