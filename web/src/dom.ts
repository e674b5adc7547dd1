/* dom.ts: elements, made without any text that a browser would read as HTML. */

type Child = Node | string | undefined | false;
type Properties = Record<string, unknown>;

/** An element with properties (`on…`: listeners, `aria-…` and `data-…`: attributes). */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name.includes("-") || name === "role" || name === "for")
      element.setAttribute(name, String(value));
    else (element as unknown as Properties)[name] = value;
  }
  element.append(
    ...children.filter((one): one is Node | string => one !== undefined && one !== false),
  );
  return element;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

let fading: ReturnType<typeof setTimeout> | undefined;

/** A short message, read out as well. */
export function toast(text: string, bad = false): void {
  const box = byId("toast");
  box.textContent = text;
  box.dataset.kind = bad ? "bad" : "good";
  box.classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => box.classList.remove("shown"), bad ? 8000 : 3500);
}

/** Runs what a button does; what goes wrong is said. */
export function doing(act: () => unknown): () => void {
  return () => {
    void (async () => {
      try {
        await act();
      } catch (error) {
        toast(error instanceof Error ? error.message : String(error), true);
      }
    })();
  };
}

/** A question in a dialog: the values of its fields, or undefined. */
export function dialog(
  title: string,
  content: readonly Node[],
  action: string | undefined,
): Promise<boolean> {
  const box = byId<HTMLDialogElement>("dialog");
  return new Promise((resolve) => {
    const close = (done: boolean) => () => {
      box.close();
      resolve(done);
    };
    box.replaceChildren(
      h("h2", { id: "dialog-title" }, title),
      h("div", { className: "body" }, ...content),
      h(
        "div",
        { className: "row end" },
        h("button", { type: "button", onclick: close(false) }, action ? "Cancel" : "Close"),
        action !== undefined &&
          h("button", { type: "button", className: "main", onclick: close(true) }, action),
      ),
    );
    box.oncancel = close(false);
    box.showModal();
  });
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KB", "MB", "GB"];
  let value = bytes / 1024,
    at = 0;
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024;
    at++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[at]}`;
}
