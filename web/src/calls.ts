/* calls.ts: the calls that wait for who sits here, and what was decided about those before. */
import { byId, doing, h, toast } from "./dom.ts";
import { countCalls, showPanel } from "./panel.ts";
import type { Session, Waiting } from "./session.ts";

/** Cards stay while their calls wait, so that what was typed into them does. */
const cards = new Map<bigint, HTMLElement>();

function cardOf(call: Waiting): HTMLElement {
  const params = JSON.stringify(call.params, null, 2);
  const field = h("textarea", {
    id: `answer-${call.id}`,
    rows: 3,
    spellcheck: false,
    value: '{\n  "ok": true\n}',
  });
  const answer = doing(() => {
    let value: unknown;
    try {
      value = JSON.parse(field.value || "null");
    } catch (error) {
      field.focus();
      throw new Error(`the answer is no JSON: ${(error as Error).message}`);
    }
    call.answer(value);
    toast(`${call.method} was answered`);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) answer();
  });
  return h(
    "article",
    { className: "card waits", "aria-label": `${call.method} waits for an answer` },
    h("h3", {}, h("code", {}, call.method), h("span", { className: "tag" }, "waits")),
    call.tool?.description ? h("p", {}, call.tool.description) : undefined,
    h("pre", { tabIndex: 0 }, params),
    call.tool && h("label", { className: "field" }, h("span", {}, "Answer, as JSON"), field),
    h(
      "div",
      { className: "row" },
      h(
        "button",
        { type: "button", className: "main", onclick: answer },
        call.tool ? "Answer" : "Approve",
      ),
      h(
        "button",
        { type: "button", className: "danger", onclick: () => call.deny("a person said no") },
        "Deny",
      ),
    ),
  );
}

const OUTCOMES: Record<string, string> = { allow: "allowed", allowed: "allowed", ask: "asked" };

function draw(session: Session): void {
  for (const id of [...cards.keys()]) if (!session.waiting.has(id)) cards.delete(id);
  for (const [id, call] of session.waiting) if (!cards.has(id)) cards.set(id, cardOf(call));
  const decided = session.log.map((one) => {
    const good = /^(?:allow|ask)/.test(one.outcome);
    return h(
      "li",
      {},
      h("span", { className: good ? "dot good" : "dot bad", "aria-hidden": "true" }),
      h(
        "div",
        {},
        h("code", {}, `${one.method} ${one.params}`),
        !good && h("p", { className: "why" }, one.message),
      ),
      h("span", { className: "quiet" }, OUTCOMES[one.outcome] ?? one.outcome.replaceAll("_", " ")),
    );
  });
  byId("calls").replaceChildren(
    ...(cards.size
      ? cards.values()
      : [
          h(
            "p",
            { className: "empty" },
            "No call waits. A tool that is answered by hand stops the script here until you answer: try ",
            h("code", {}, "refund --order 1 --amount 40"),
            ".",
          ),
        ]),
    ...(decided.length ? [h("h2", {}, "Decided"), h("ul", { className: "log" }, ...decided)] : []),
  );
}

export function startCalls(session: Session): void {
  let known = 0;
  const changed = (): void => {
    draw(session);
    countCalls(session.waiting.size);
    if (session.waiting.size > known) showPanel("calls");
    known = session.waiting.size;
  };
  session.addEventListener("calls", changed);
  changed();
}
