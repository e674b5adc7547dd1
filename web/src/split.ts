/* split.ts: the line between editor and terminal, by pointer and by keys. */
import { byId } from "./dom.ts";

const LEAST = 10,
  MOST = 85;

export function startSplit(changed: () => void): void {
  const split = byId("split"),
    main = split.parentElement as HTMLElement;
  const set = (percent: number): void => {
    const value = Math.round(Math.max(LEAST, Math.min(MOST, percent)));
    split.setAttribute("aria-valuenow", String(value));
    main.style.setProperty("--code", `${value}%`);
    changed();
  };
  split.addEventListener("pointerdown", (event) => {
    split.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent): void => {
      const box = main.getBoundingClientRect();
      set((100 * (moved.clientY - box.top)) / box.height);
    };
    split.addEventListener("pointermove", move);
    split.addEventListener("pointerup", () => split.removeEventListener("pointermove", move), {
      once: true,
    });
  });
  split.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -5, ArrowDown: 5, Home: -100, End: 100 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(Number(split.getAttribute("aria-valuenow")) + step);
  });
}
