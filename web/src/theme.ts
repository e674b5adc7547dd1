/* theme.ts: light, dark, or as the system has it; kept for the next visit. */
import { byId } from "./dom.ts";

const ORDER = ["system", "light", "dark"] as const;
type Choice = (typeof ORDER)[number];
const SIGNS: Record<Choice, string> = { system: "◐", light: "☀", dark: "☾" };
const NAMES: Record<Choice, string> = {
  system: "as the system has them",
  light: "light",
  dark: "dark",
};
const KEY = "pinfold-theme";

export interface Theme {
  readonly dark: boolean;
  onChange: (dark: boolean) => void;
}

function kept(): Choice {
  try {
    return ORDER.find((one) => one === localStorage.getItem(KEY)) ?? "system";
  } catch {
    return "system"; /* storage is closed to this page */
  }
}

export function startTheme(): Theme {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let choice = kept();
  const theme = { dark: false, onChange: (_: boolean): void => {} };
  const apply = (): void => {
    theme.dark = choice === "dark" || (choice === "system" && system.matches);
    document.documentElement.dataset.theme = theme.dark ? "dark" : "light";
    const button = byId("theme");
    button.textContent = SIGNS[choice];
    button.setAttribute("aria-label", `Colours: ${NAMES[choice]}`);
    theme.onChange(theme.dark);
  };
  byId("theme").addEventListener("click", () => {
    choice = ORDER[(ORDER.indexOf(choice) + 1) % ORDER.length];
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      /* it holds for this visit */
    }
    apply();
  });
  system.addEventListener("change", apply);
  apply();
  return theme;
}
