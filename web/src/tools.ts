/* tools.ts: the tools of the page, with the policy beside that says which calls of them pass. */
import { type Config, FIRST, type ToolConfig } from "./config.ts";
import { byId, dialog, doing, h, toast } from "./dom.ts";
import type { Session } from "./session.ts";

let draft: Config;
let applied = "";

function field(name: string, input: HTMLElement): HTMLElement {
  return h("label", { className: "field" }, h("span", {}, name), input);
}

function area(value: string, rows: number, changed: (value: string) => void): HTMLElement {
  return h("textarea", {
    value,
    rows,
    spellcheck: false,
    oninput: (event: Event) => changed((event.target as HTMLTextAreaElement).value),
  });
}

function toolCard(tool: ToolConfig, session: Session, open: boolean): HTMLElement {
  const dirty = (): void => mark();
  const code = field(
    "Its answer: a function in JavaScript, which runs in a sandbox of its own",
    area(tool.code, 5, (value) => {
      tool.code = value;
      dirty();
    }),
  );
  code.hidden = tool.answer !== "code";
  const kind = h("span", { className: "tag" }, tool.answer === "hand" ? "by hand" : "code");
  const title = h("code", {}, tool.name);
  return h(
    "details",
    { className: "card", open },
    h("summary", {}, title, kind),
    field(
      "Name",
      h("input", {
        value: tool.name,
        spellcheck: false,
        oninput: (event: Event) => {
          tool.name = (event.target as HTMLInputElement).value;
          title.textContent = tool.name;
          dirty();
        },
      }),
    ),
    field(
      "What it does, for who writes scripts",
      h("input", {
        value: tool.description,
        oninput: (event: Event) => {
          tool.description = (event.target as HTMLInputElement).value;
          dirty();
        },
      }),
    ),
    field(
      "Its arguments: JSON Schema",
      area(tool.schema, 6, (value) => {
        tool.schema = value;
        dirty();
      }),
    ),
    field(
      "Who answers",
      h(
        "select",
        {
          onchange: (event: Event) => {
            tool.answer = (event.target as HTMLSelectElement).value as ToolConfig["answer"];
            code.hidden = tool.answer !== "code";
            kind.textContent = tool.answer === "hand" ? "by hand" : "code";
            dirty();
          },
        },
        h("option", { value: "hand", selected: tool.answer === "hand" }, "I do, by hand"),
        h("option", { value: "code", selected: tool.answer === "code" }, "Code"),
      ),
    ),
    code,
    h(
      "div",
      { className: "row end" },
      h(
        "button",
        {
          type: "button",
          className: "danger",
          onclick: () => {
            draft.tools = draft.tools.filter((one) => one !== tool);
            draw(session);
          },
        },
        "Remove",
      ),
    ),
  );
}

function mark(): void {
  byId<HTMLButtonElement>("apply").disabled = JSON.stringify(draft) === applied;
}

/** The sandbox goes on, files and processes and all, with other tools and another policy. */
async function apply(session: Session): Promise<void> {
  const config = structuredClone(draft);
  if (session.state === "running") throw new Error("a script computes: stop it first");
  try {
    await session.restore(await session.snapshot(), config);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const anew = await dialog(
      "These do not fit the sandbox",
      [
        h("p", {}, why),
        h(
          "p",
          {},
          "Start a new sandbox with them? Its files begin anew; History keeps the old one.",
        ),
      ],
      "New sandbox",
    );
    if (!anew) return;
    const before = session.config;
    session.config = config;
    try {
      await session.create();
    } catch (failed) {
      session.config = before;
      throw failed;
    }
  }
  applied = JSON.stringify(config);
  mark();
  session.dispatchEvent(new Event("replaced"));
  toast("The sandbox goes on with these tools and this policy");
}

function draw(session: Session, open?: ToolConfig): void {
  const add = (): void => {
    const tool: ToolConfig = {
      name: `tool_${draft.tools.length + 1}`,
      description: "",
      schema: '{ "type": "object" }',
      answer: "hand",
      code: "(input) => input",
    };
    draft.tools.push(tool);
    draw(session, tool);
  };
  byId("tools").replaceChildren(
    h(
      "p",
      { className: "lead" },
      "Scripts reach the outside through these alone. In the shell a tool is a command; in JavaScript and Python, a function.",
    ),
    ...draft.tools.map((tool) => toolCard(tool, session, tool === open)),
    h("div", { className: "row" }, h("button", { type: "button", onclick: add }, "Add a tool")),
    h("h2", {}, "Policy"),
    h(
      "p",
      { className: "lead" },
      "A tool that no capability names cannot be called. Each call is checked before anybody sees it.",
    ),
    field(
      "Capabilities, as JSON",
      area(draft.policy, 9, (value) => {
        draft.policy = value;
        mark();
      }),
    ),
    h(
      "div",
      { className: "row stick" },
      h(
        "button",
        {
          type: "button",
          id: "apply",
          className: "main",
          disabled: true,
          onclick: doing(() => apply(session)),
        },
        "Apply",
      ),
      h(
        "button",
        { type: "button", onclick: () => ((draft = structuredClone(FIRST)), draw(session)) },
        "As at first",
      ),
    ),
  );
  mark();
}

/** Shows what the session has. */
export function showTools(session: Session): void {
  draft = structuredClone(session.config);
  applied = JSON.stringify(session.config);
  draw(session);
}
