/*
 * terminal.ts: the terminal: each line that is typed is a run of the sandbox's shell. Is a line
 * complete, what can this word become? The shell itself is asked, in a process of its own.
 */
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { keysOf, Line } from "./line.ts";
import type { Session } from "./session.ts";

const PROMPT = "\x1b[1;36m~$\x1b[0m ",
  MORE = "\x1b[2m>\x1b[0m ";
const HERE =
  "for p in /proc/[1-9]*; do [[ $p != /proc/$$ && $(< $p/status) == *PPid:?[01]$'\\n'* ]] && cd -P $p/cwd && break; done; IFS= read -r word; ";
const COMMANDS = HERE + 'compgen -A command -- "$word" | sort -u';
const FILES =
  HERE +
  'compgen -f -- "$word" | sort | while IFS= read -r f; do [ -d "$f" ] && f+=/; echo "$f"; done';
const WHERE = HERE.replace("IFS= read -r word; ", "") + "pwd";
const INCOMPLETE = /unexpected end of file|unexpected EOF|delimited by end-of-file/;

const DARK = {
  background: "#0b1416",
  foreground: "#d6e2e1",
  cursor: "#5eead4",
  cursorAccent: "#0b1416",
  selectionBackground: "#1f4a4a",
  black: "#1c2a2c",
  brightBlack: "#6b8083",
  red: "#ff8a80",
  green: "#8fd694",
  yellow: "#f2cc75",
  blue: "#82b7ff",
  magenta: "#d6a3ff",
  cyan: "#5eead4",
  white: "#d6e2e1",
};
const LIGHT = {
  background: "#ffffff",
  foreground: "#17292b",
  cursor: "#0f766e",
  cursorAccent: "#ffffff",
  selectionBackground: "#bfe8e2",
  black: "#17292b",
  brightBlack: "#5c7073",
  red: "#b42318",
  green: "#1b7a34",
  yellow: "#8a5a00",
  blue: "#1d5fbf",
  magenta: "#8430ce",
  cyan: "#0f766e",
  white: "#5c7073",
  brightWhite: "#17292b",
};

export class Shell {
  readonly terminal: Terminal;
  readonly #session: Session;
  readonly #fit = new FitAddon();
  readonly #line = new Line();
  #prompt = PROMPT;
  /** Lines before this one of a command that is not complete. */
  #begun = "";
  #reading = false;
  #row = 0;
  /** What was typed while something ran. */
  #queue: string[] = [];
  #handling = false;
  #atStart = true;

  constructor(session: Session, place: HTMLElement, dark: boolean) {
    this.#session = session;
    this.terminal = new Terminal({
      fontFamily:
        'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
      fontSize: 13.5,
      lineHeight: 1.25,
      cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
      convertEol: true,
      screenReaderMode: false,
      scrollback: 5000,
      minimumContrastRatio: 4.5,
      theme: dark ? DARK : LIGHT,
    });
    this.terminal.loadAddon(this.#fit);
    this.terminal.open(place);
    this.terminal.textarea?.setAttribute(
      "aria-label",
      "Terminal: type a command. Escape, then Tab, leaves it.",
    );
    this.terminal.onData((data) => this.#take(data));
    this.terminal.attachCustomKeyEventHandler((event) => this.#keep(event));
    new ResizeObserver(() => this.fit()).observe(place);
    this.fit();
  }

  /** After Escape, Tab leaves the terminal as it leaves any other field. */
  #leaving = false;
  #keep(event: KeyboardEvent): boolean {
    if (event.type !== "keydown") return true;
    if (event.key === "Tab" && this.#leaving) return false;
    this.#leaving = event.key === "Escape";
    const copies =
      event.ctrlKey && !event.altKey && event.key === "c" && this.terminal.hasSelection();
    return !copies;
  }

  fit(): void {
    try {
      this.#fit.fit();
    } catch {
      /* it is not shown now */
    }
  }

  dark(on: boolean): void {
    this.terminal.options.theme = on ? DARK : LIGHT;
  }

  /** For who hears the page: what is written is read out. */
  readAloud(on: boolean): void {
    this.terminal.options.screenReaderMode = on;
  }

  /* ---- output */

  write(text: string | Uint8Array): void {
    if (text.length === 0) return;
    this.terminal.write(text);
    this.#atStart = typeof text === "string" ? text.endsWith("\n") : text[text.length - 1] === 10;
  }

  /** Lines of parts, none of which is broken where it need not be. */
  lines(...all: readonly (readonly string[])[]): void {
    for (const parts of all) {
      let at = 0;
      for (const part of parts) {
        const width = this.#width(part) + 1;
        if (at > 0 && at + width > this.terminal.cols) {
          this.write("\n");
          at = 0;
        }
        this.write(`${part} `);
        at += width;
      }
      this.write("\n");
    }
  }

  /** A line of the page's own. */
  note(text: string): void {
    if (!this.#atStart) this.write("\n");
    this.write(`\x1b[2;3m${text}\x1b[0m\n`);
  }

  output = (stream: "stdout" | "stderr", data: Uint8Array): void => {
    if (stream === "stdout") return this.write(data);
    this.write("\x1b[31m");
    this.write(data);
    this.terminal.write("\x1b[0m");
  };

  async prompt(): Promise<void> {
    if (!this.#atStart) this.write("\x1b[7m⏎\x1b[0m\n");
    const where = this.#session.state === "ready" ? await this.#session.ask(WHERE, "") : undefined;
    const path = where?.stdout.trim().replace(/^\/workspace(?=\/|$)/, "~") || "~";
    this.#prompt = `\x1b[1;36m${path}\x1b[0m$ `;
    this.#begin();
    void this.#drain();
  }

  #begin(): void {
    this.#reading = true;
    this.#row = 0;
    this.#draw();
  }

  /** Puts the line away, for what is written by somebody else. */
  hide(): void {
    if (!this.#reading) return;
    this.#erase();
    this.#reading = false;
    this.#atStart = true;
  }

  show(): void {
    if (!this.#reading) this.#begin();
  }

  /* ---- the line */

  #erase(): void {
    if (this.#row > 0) this.terminal.write(`\x1b[${this.#row}A`);
    this.terminal.write("\r\x1b[J");
    this.#row = 0;
  }

  #width(text: string): number {
    /* Wide characters take two cells. */
    let cells = 0;
    for (const char of text.replace(/\x1b\[[0-9;]*m/g, ""))
      cells += /\p{Mn}/u.test(char)
        ? 0
        : /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
              char,
            )
          ? 2
          : 1;
    return cells;
  }

  #draw(): void {
    const { terminal } = this,
      line = this.#line;
    this.#erase();
    const lead =
      line.search === undefined
        ? this.#begun
          ? MORE
          : this.#prompt
        : `\x1b[2m(search: ${line.search})\x1b[0m `;
    const { text, before } = line;
    terminal.write(lead + text);
    const { cols } = terminal;
    const end = this.#width(lead + text),
      at = this.#width(lead + before);
    if (end > 0 && end % cols === 0) terminal.write("\r\n");
    const up = Math.floor(end / cols) - Math.floor(at / cols);
    if (up > 0) terminal.write(`\x1b[${up}A`);
    terminal.write("\r" + (at % cols ? `\x1b[${at % cols}C` : ""));
    this.#row = Math.floor(at / cols);
    this.#atStart = false;
  }

  #take(data: string): void {
    for (const key of keysOf(data)) {
      if (key === "\x03" && !this.#reading) {
        this.#queue = [];
        this.terminal.write("^C");
        this.#session.stop();
      } else {
        this.#queue.push(key);
      }
    }
    void this.#drain();
  }

  async #drain(): Promise<void> {
    if (this.#handling) return;
    this.#handling = true;
    try {
      while (this.#reading && this.#queue.length) await this.#key(this.#queue.shift() as string);
    } finally {
      this.#handling = false;
    }
  }

  async #key(key: string): Promise<void> {
    const event = this.#line.key(key);
    if (!event) return;
    switch (event.kind) {
      case "changed":
        return this.#draw();
      case "interrupt":
        this.write("^C\n");
        this.#begun = "";
        return this.#begin();
      case "end":
        this.#line.set("exit");
        return this.#draw();
      case "clear":
        this.terminal.write("\x1b[2J\x1b[H\x1b[3J");
        this.#row = 0;
        return this.#draw();
      case "complete":
        return this.#complete();
      case "enter":
        return this.#enter(event.text);
    }
  }

  async #enter(text: string): Promise<void> {
    this.write("\n");
    const code = this.#begun ? `${this.#begun}\n${text}` : text;
    if (code.trim() === "") return this.#begin();
    this.#reading = false;
    if (await this.#isIncomplete(code)) {
      this.#begun = code;
      return this.#begin();
    }
    this.#begun = "";
    this.#line.remember(code);
    this.onCommand(code);
  }

  /** What is done with a whole command; prompt() comes afterwards. */
  onCommand: (code: string) => void = () => {};

  async #isIncomplete(code: string): Promise<boolean> {
    const slashes = /\\*$/.exec(code)?.[0].length ?? 0;
    if (slashes % 2) return true;
    /* What has none of these is a whole line, whatever it is. */
    if (!/['"`({\[<|&;]|\b(?:if|for|while|until|case|select|do|then|function)\b/.test(code))
      return false;
    const asked = await this.#session.ask("bash -O extglob -n", code + "\n");
    return asked !== undefined && INCOMPLETE.test(asked.stderr);
  }

  async #complete(): Promise<void> {
    const { before } = this.#line;
    const start = before.search(/[^ \t\n|&;()<>="'`]*$/);
    const word = before.slice(start);
    const isCommand = /(?:^|[|&;(`\n])[ \t]*$/.test(before.slice(0, start));
    const code = isCommand && !word.includes("/") && word !== "" ? COMMANDS : FILES;
    const found =
      (await this.#session.ask(code, word + "\n"))?.stdout.split("\n").filter(Boolean) ?? [];
    if (found.length === 0) return this.#draw();
    let common = found[0];
    for (const one of found) while (!one.startsWith(common)) common = common.slice(0, -1);
    const done = found.length === 1 && !common.endsWith("/");
    if (common.length > word.length || done) this.#line.replace(start, common + (done ? " " : ""));
    else {
      this.#erase();
      this.#atStart = true;
      this.write(`${this.#prompt}${this.#line.text}\n`);
      const names = found.slice(0, 200).map((one) =>
        one
          .replace(/(?<=.)\/?$/, (end) => end)
          .split(/(?<=\/)(?=.)/)
          .at(-1),
      );
      this.write(
        names.join("  ") + (found.length > 200 ? `  … ${found.length - 200} more` : "") + "\n",
      );
      this.#row = 0;
    }
    this.#draw();
  }
}
