/* panel.ts: the tabs at the side. */
import { byId } from "./dom.ts";

const NAMES = ["tools", "calls", "files", "processes", "history"] as const;
export type PanelName = (typeof NAMES)[number];

export function showPanel(name: PanelName): void {
  for (const one of NAMES) {
    const tab = byId(`tab-${one}`),
      chosen = one === name;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    byId(one).hidden = !chosen;
  }
  document.dispatchEvent(new CustomEvent("panel", { detail: name }));
}

export const isShown = (name: PanelName): boolean => !byId(name).hidden;

/** Arrow keys go from tab to tab, as the pattern of WAI-ARIA has it. */
export function startPanels(): void {
  NAMES.forEach((name, at) => {
    const tab = byId(`tab-${name}`);
    tab.addEventListener("click", () => showPanel(name));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const to =
        event.key === "Home"
          ? 0
          : event.key === "End"
            ? NAMES.length - 1
            : step && (at + step + NAMES.length) % NAMES.length;
      if (to === undefined) return;
      event.preventDefault();
      showPanel(NAMES[to]);
      byId(`tab-${NAMES[to]}`).focus();
    });
  });
}

/** How many calls wait, at the tab and, on a narrow page, at the button that leads there. */
export function countCalls(count: number): void {
  for (const badge of document.querySelectorAll<HTMLElement>("#tab-calls b, nav b")) {
    badge.hidden = count === 0;
    badge.textContent = String(count);
    badge.setAttribute("aria-label", count === 1 ? "1 waits" : `${count} wait`);
  }
}

/** On a narrow page one of these is seen at a time. */
export function showView(view: "code" | "shell" | "side"): void {
  document.body.dataset.view = view;
  for (const button of document.querySelectorAll<HTMLElement>("nav button")) {
    if (button.dataset.view === view) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
}
