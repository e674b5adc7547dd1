/*
 * history.ts: the tree of snapshots: what the sandbox was after each command. Each can be gone back
 * to, and goes on from there as a branch of its own.
 */
import type { Config } from "./config.ts";
import { compare } from "./compare.ts";
import { byId, bytesText, doing, h, toast } from "./dom.ts";
import { fileOf, linkOf, sharedIn } from "./share.ts";
import type { Session } from "./session.ts";

export interface Moment {
  readonly id: number;
  readonly parent: Moment | undefined;
  readonly label: string;
  readonly data: Uint8Array;
  readonly config: Config;
  readonly waits: boolean;
  readonly children: Moment[];
}

/** Together; older ones that nobody stands on go first. */
const BYTES_MAX = 256 << 20,
  COUNT_MAX = 200;

export class History {
  readonly #session: Session;
  readonly #roots: Moment[] = [];
  #now: Moment | undefined;
  #next = 1;
  readonly #chosen = new Set<Moment>();
  /** Goes on in the terminal with a sandbox that was put in place. */
  onReplaced: () => void = () => {};

  constructor(session: Session) {
    this.#session = session;
    this.draw();
  }

  get now(): Moment | undefined {
    return this.#now;
  }

  add(label: string, data: Uint8Array): Moment {
    const moment: Moment = {
      id: this.#next++,
      parent: this.#now,
      label,
      data,
      config: structuredClone(this.#session.config),
      waits: this.#session.sandbox.running,
      children: [],
    };
    (this.#now?.children ?? this.#roots).push(moment);
    this.#now = moment;
    this.#forget();
    this.draw();
    return moment;
  }

  /** Keeps the sandbox as it is now. */
  async keep(label: string): Promise<Moment> {
    return this.add(label, await this.#session.snapshot());
  }

  #all(): Moment[] {
    const all: Moment[] = [];
    const walk = (moments: readonly Moment[]): void => {
      for (const one of moments) {
        all.push(one);
        walk(one.children);
      }
    };
    walk(this.#roots);
    return all;
  }

  #forget(): void {
    for (;;) {
      const all = this.#all();
      const bytes = all.reduce((sum, one) => sum + one.data.length, 0);
      if (all.length <= COUNT_MAX && bytes <= BYTES_MAX) return;
      const old = all
        .filter((one) => one !== this.#now && one.children.length <= 1)
        .sort((a, b) => a.id - b.id)[0];
      if (!old) return;
      const home = old.parent?.children ?? this.#roots;
      for (const child of old.children)
        (child as { parent: Moment | undefined }).parent = old.parent;
      home.splice(home.indexOf(old), 1, ...old.children);
      this.#chosen.delete(old);
    }
  }

  async #goTo(moment: Moment): Promise<void> {
    await this.#session.restore(moment.data, structuredClone(moment.config));
    this.#now = moment;
    this.draw();
    this.#session.dispatchEvent(new Event("replaced"));
    toast(`Back at ${moment.label}`);
    this.onReplaced();
  }

  #row(moment: Moment, depth: number): HTMLElement {
    const here = moment === this.#now;
    const choose = h("input", {
      type: "checkbox",
      checked: this.#chosen.has(moment),
      "aria-label": `Compare ${moment.label}`,
      onchange: () => {
        if (!this.#chosen.delete(moment)) this.#chosen.add(moment);
        for (const first of this.#chosen) {
          if (this.#chosen.size <= 2) break;
          this.#chosen.delete(first);
        }
        this.draw();
      },
    });
    return h(
      "li",
      {
        className: here ? "moment here" : "moment",
        style: `--depth:${depth}`,
        ...(here ? { "aria-current": "true" } : {}),
      },
      h(
        "button",
        {
          type: "button",
          className: "name",
          title: "Go back to this",
          onclick: doing(() => this.#goTo(moment)),
        },
        h("i", { "aria-hidden": "true" }, here ? "●" : "○"),
        h("span", {}, moment.label),
      ),
      moment.waits && h("span", { className: "tag" }, "waits"),
      h("span", { className: "quiet" }, bytesText(moment.data.length)),
      h(
        "button",
        {
          type: "button",
          className: "small",
          title: "Copy a link to this",
          "aria-label": `Copy a link to ${moment.label}`,
          onclick: doing(() => copyLink(moment.config, moment.data)),
        },
        "Link",
      ),
      h(
        "button",
        {
          type: "button",
          className: "small",
          title: "Save it as a file",
          "aria-label": `Save ${moment.label} as a file`,
          onclick: () => saveFile(moment),
        },
        "Save",
      ),
      choose,
    );
  }

  draw(): void {
    /* A line of descent stays in its column; what branches off is further right. */
    const rows: HTMLElement[] = [];
    const walk = (moments: readonly Moment[], depth: number): void => {
      moments.forEach((one, at) => {
        rows.push(this.#row(one, depth + (at > 0 ? 1 : 0)));
        walk(one.children, depth + (at > 0 ? 1 : 0));
      });
    };
    walk(this.#roots, 0);
    const two = [...this.#chosen].sort((a, b) => a.id - b.id);
    byId("history").replaceChildren(
      h(
        "p",
        { className: "lead" },
        "The whole sandbox after each command: files, variables, processes, calls that wait. Click one to go back; what you do then is a branch.",
      ),
      h(
        "div",
        { className: "row" },
        h(
          "button",
          {
            type: "button",
            disabled: two.length !== 2,
            onclick: doing(() => compare(this.#session, two[0], two[1])),
          },
          two.length === 2 ? "Compare" : "Compare (choose two)",
        ),
        h("button", { type: "button", onclick: () => this.#picker().click() }, "Open a file…"),
      ),
      rows.length
        ? h("ul", { className: "list" }, ...rows)
        : h("p", { className: "empty" }, "Nothing yet."),
    );
  }

  #picker(): HTMLInputElement {
    const input = h("input", { type: "file", accept: ".pinfold" });
    input.onchange = doing(async () => {
      const file = input.files?.[0];
      if (!file) return;
      const { config, data } = sharedIn(new Uint8Array(await file.arrayBuffer()));
      await this.#session.restore(data, config);
      this.#now = undefined;
      this.add(file.name, data);
      this.#session.dispatchEvent(new Event("replaced"));
      this.onReplaced();
    });
    return input;
  }
}

export async function copyLink(config: Config, data: Uint8Array): Promise<void> {
  const link = linkOf(config, data);
  try {
    await navigator.clipboard.writeText(link);
    toast(`The link is copied: ${bytesText(link.length)}, the sandbox itself is in it`);
  } catch {
    history.replaceState(null, "", link);
    toast("The clipboard is closed: the link is in the address bar");
  }
}

function saveFile(moment: Moment): void {
  const url = URL.createObjectURL(new Blob([fileOf(moment.config, moment.data) as BlobPart]));
  h("a", { href: url, download: `sandbox-${moment.id}.pinfold` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
