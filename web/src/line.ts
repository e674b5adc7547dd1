/*
 * line.ts: the line that is typed: its text, the cursor, the history. It knows no terminal: it gets
 * keys as a terminal sends them, and says what it looks like.
 */

export type LineEvent =
  | { kind: "changed" }
  | { kind: "enter"; text: string }
  | { kind: "interrupt" }
  | { kind: "end" }
  | { kind: "complete" }
  | { kind: "clear" };

const HISTORY_MAX = 1000;
const isWord = (char: string | undefined): boolean =>
  char !== undefined && /[\p{L}\p{N}_]/u.test(char);

export class Line {
  /** Characters as a reader sees them. */
  #chars: string[] = [];
  #at = 0;
  #killed: string[] = [];
  readonly #history: string[] = [];
  /** Which line of the history is shown; its length: what is being typed. */
  #shown = 0;
  #typed = "";
  /** Ctrl-R: what is searched for. */
  search: string | undefined;
  readonly #split = new Intl.Segmenter(undefined, { granularity: "grapheme" });

  get text(): string {
    return this.#chars.join("");
  }

  get before(): string {
    return this.#chars.slice(0, this.#at).join("");
  }

  set(text: string): void {
    this.#chars = [...this.#split.segment(text)].map((one) => one.segment);
    this.#at = this.#chars.length;
  }

  remember(text: string): void {
    if (text.trim() !== "" && !text.startsWith(" ") && this.#history.at(-1) !== text)
      this.#history.push(text);
    if (this.#history.length > HISTORY_MAX) this.#history.shift();
    this.#shown = this.#history.length;
  }

  insert(text: string): void {
    const chars = [...this.#split.segment(text)].map((one) => one.segment);
    this.#chars.splice(this.#at, 0, ...chars);
    this.#at += chars.length;
  }

  /** Replaces what stands between an offset of `before` and the cursor. */
  replace(from: number, text: string): void {
    const after = this.#chars.slice(this.#at).join("");
    const kept = this.before.slice(0, from) + text;
    this.set(kept);
    const at = this.#at;
    this.set(kept + after);
    this.#at = at;
  }

  #kill(from: number, to: number): void {
    this.#killed = this.#chars.splice(from, to - from);
    this.#at = from;
  }

  #wordLeft(): number {
    let at = this.#at;
    while (at > 0 && !isWord(this.#chars[at - 1])) at--;
    while (at > 0 && isWord(this.#chars[at - 1])) at--;
    return at;
  }

  #wordRight(): number {
    let at = this.#at;
    while (at < this.#chars.length && !isWord(this.#chars[at])) at++;
    while (at < this.#chars.length && isWord(this.#chars[at])) at++;
    return at;
  }

  #blankLeft(): number {
    let at = this.#at;
    while (at > 0 && this.#chars[at - 1] === " ") at--;
    while (at > 0 && this.#chars[at - 1] !== " ") at--;
    return at;
  }

  #show(which: number): void {
    if (which < 0 || which > this.#history.length) return;
    if (this.#shown === this.#history.length) this.#typed = this.text;
    this.#shown = which;
    this.set(this.#history[which] ?? this.#typed);
  }

  #find(older: boolean): void {
    const { search } = this;
    if (!search) return;
    for (let i = older ? this.#shown - 1 : this.#history.length - 1; i >= 0; i--)
      if (this.#history[i].includes(search)) {
        this.#shown = i;
        return this.set(this.#history[i]);
      }
  }

  #searching(key: string): LineEvent | undefined {
    if (this.search === undefined) return undefined;
    if (key === "\x12") this.#find(true);
    else if (key === "\x7f") this.search = this.search.slice(0, -1);
    else if (key >= " ") {
      this.search += key;
      this.#find(false);
    } else {
      this.search = undefined;
      return key === "\x07" ? { kind: "changed" } : undefined;
    }
    return { kind: "changed" };
  }

  /** One key, or a text that was pasted and has no line end. */
  key(key: string): LineEvent | undefined {
    const searched = this.#searching(key);
    if (searched) return searched;
    const size = this.#chars.length;
    switch (key) {
      case "\r":
      case "\n": {
        const { text } = this;
        this.set("");
        this.#shown = this.#history.length;
        return { kind: "enter", text };
      }
      case "\x03":
        this.set("");
        return { kind: "interrupt" };
      case "\x04":
        if (size === 0) return { kind: "end" };
        this.#chars.splice(this.#at, 1);
        break;
      case "\t":
        return { kind: "complete" };
      case "\x0c":
        return { kind: "clear" };
      case "\x12":
        this.search = "";
        break;
      default:
        if (!this.#move(key) && !this.#change(key)) {
          if (key < " " || key.startsWith("\x1b")) return undefined;
          this.insert(key);
        }
    }
    return { kind: "changed" };
  }

  #move(key: string): boolean {
    const size = this.#chars.length;
    const to: Record<string, () => number> = {
      "\x1b[D": () => this.#at - 1,
      "\x02": () => this.#at - 1,
      "\x1b[C": () => this.#at + 1,
      "\x06": () => this.#at + 1,
      "\x1b[H": () => 0,
      "\x1bOH": () => 0,
      "\x01": () => 0,
      "\x1b[F": () => size,
      "\x1bOF": () => size,
      "\x05": () => size,
      "\x1b[1;5D": () => this.#wordLeft(),
      "\x1bb": () => this.#wordLeft(),
      "\x1b[1;5C": () => this.#wordRight(),
      "\x1bf": () => this.#wordRight(),
    };
    if (Object.hasOwn(to, key)) {
      this.#at = Math.max(0, Math.min(size, to[key]()));
      return true;
    }
    if (key === "\x1b[A" || key === "\x10") this.#show(this.#shown - 1);
    else if (key === "\x1b[B" || key === "\x0e") this.#show(this.#shown + 1);
    else return false;
    return true;
  }

  #change(key: string): boolean {
    const size = this.#chars.length;
    if (key === "\x7f" || key === "\b") {
      if (this.#at > 0) this.#chars.splice(--this.#at, 1);
    } else if (key === "\x1b[3~") this.#chars.splice(this.#at, 1);
    else if (key === "\x15") this.#kill(0, this.#at);
    else if (key === "\x0b") this.#kill(this.#at, size);
    else if (key === "\x17") this.#kill(this.#blankLeft(), this.#at);
    else if (key === "\x1b\x7f") this.#kill(this.#wordLeft(), this.#at);
    else if (key === "\x1bd") this.#kill(this.#at, this.#wordRight());
    else if (key === "\x19") this.insert(this.#killed.join(""));
    else return false;
    return true;
  }
}

/** What a terminal sent, as keys and pieces of pasted text. */
export function keysOf(data: string): string[] {
  return (
    data.match(
      /\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|\x1b[^[O]|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/gu,
    ) ?? []
  );
}
