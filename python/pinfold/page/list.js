// list.js: the list of events, of which only what is in view has elements: any number is smooth.

const ROW = 26; // pixels, as in page.css
const TALLEST = 8e6; // of what scrolls: browsers know an end of it

class EventList {
  // `source` has rows (an array of line numbers), describe(row element, line), chosen(line), now().
  constructor(source) {
    this.source = source;
    this.rows = [];
    this.at = -1;
    this.pool = [];
    this.spacer = h("div", { class: "spacer", role: "presentation" });
    this.box = h(
      "div",
      { class: "list", role: "listbox", tabindex: "0", id: "events", "aria-label": "events" },
      this.spacer,
    );
    this.box.addEventListener("scroll", () => this.later(), { passive: true });
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) this.source.chosen(this.rows[row.index]);
    });
    new ResizeObserver(() => this.later()).observe(this.box);
  }

  show(rows) {
    this.rows = rows;
    this.height = Math.min(rows.length * ROW, TALLEST);
    this.spacer.style.height = `${this.height}px`;
    for (const row of this.pool) row.index = -1;
    this.later();
  }

  // The row of a line, or of the last one before it that is shown.
  indexOf(line) {
    let low = 0,
      high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle] <= line) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  select(line) {
    this.at = this.indexOf(line);
    if (this.at >= 0) this.reveal(this.at);
    this.draw();
  }

  reveal(index) {
    const room = Math.max(this.box.clientHeight, ROW);
    const first = this.first(),
      whole = Math.floor(room / ROW);
    if (index >= Math.ceil(first) && index < Math.floor(first + room / ROW)) return;
    const wanted = index < first ? index : index - whole + 1;
    const far = Math.abs(index - first) > 3 * whole;
    this.scrollTo(far ? Math.round(index - whole / 2) : wanted);
  }

  // Rows and pixels, which are not proportional where the list is higher than TALLEST.
  first() {
    const room = this.box.clientHeight,
      most = this.rows.length - room / ROW;
    if (this.rows.length * ROW <= TALLEST) return this.box.scrollTop / ROW;
    return (this.box.scrollTop / Math.max(this.height - room, 1)) * most;
  }

  scrollTo(row) {
    const room = this.box.clientHeight,
      most = Math.max(this.rows.length - room / ROW, 1);
    this.box.scrollTop =
      this.rows.length * ROW <= TALLEST ? row * ROW : (row / most) * (this.height - room);
  }

  later() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }

  draw() {
    const count = Math.ceil(this.box.clientHeight / ROW) + 8;
    while (this.pool.length < count) {
      const row = h("div", { class: "row", role: "option" });
      row.index = -1;
      this.pool.push(row);
      this.box.append(row);
    }
    const first = this.first(),
      from = Math.max(0, Math.floor(first) - 3);
    const top = this.box.scrollTop - (first - from) * ROW;
    for (let i = from; i < from + this.pool.length; i++) {
      const row = this.pool[i % this.pool.length];
      const there = i < this.rows.length;
      row.hidden = !there;
      if (!there) {
        row.index = -1;
        continue;
      }
      if (row.index !== i) {
        row.index = i;
        row.id = `event-${i}`;
        row.setAttribute("aria-posinset", i + 1);
        row.setAttribute("aria-setsize", this.rows.length);
        this.source.describe(row, this.rows[i]);
      }
      const chosen = i === this.at;
      if (row.chosen !== chosen) {
        row.chosen = chosen;
        row.setAttribute("aria-selected", chosen);
      }
      const y = Math.round(top + (i - from) * ROW);
      if (row.y !== y) {
        row.y = y;
        row.style.transform = `translateY(${y}px)`;
      }
    }
    const there = this.pool.some((row) => row.index === this.at);
    if (there && this.at >= 0) this.box.setAttribute("aria-activedescendant", `event-${this.at}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1);
    const by = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    }[event.key];
    if (by === undefined || !this.rows.length) return;
    event.preventDefault();
    const at = this.indexOf(this.source.now());
    const to = Math.min(Math.max(at + by, 0), this.rows.length - 1);
    this.source.chosen(this.rows[to]);
  }
}
