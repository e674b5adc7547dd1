// timeline.js: the whole run at a glance, and a slider over it.

const PROCESS_ROWS = 6;

class Timeline {
  // `chosen(line)` is called while it is dragged, `now()` gives the line where one stands.
  constructor(trace, chosen, now) {
    this.trace = trace;
    this.chosen = chosen;
    this.now = now;
    this.lines = []; // by column, its line
    trace.kinds.forEach((kind, n) => {
      if (kind !== "turn") this.lines.push(n);
    });
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.head = h("div", { class: "playhead" });
    this.flag = h("div", { class: "flag", hidden: true });
    this.bar = h(
      "div",
      {
        class: "bar",
        role: "slider",
        tabindex: "0",
        "aria-label": "moment",
        "aria-valuemin": "0",
        "aria-valuemax": String(Math.max(trace.lines.length - 1, 0)),
      },
      this.canvas,
      this.flag,
      this.head,
    );
    const names = ["runs", "processes", "calls", "output"];
    this.element = h(
      "div",
      { class: "timeline" },
      h(
        "div",
        { class: "lanes", "aria-hidden": "true" },
        names.map((name) => h("span", { class: `lane-${name}` }, name)),
      ),
      this.bar,
    );
    this.listen();
  }

  listen() {
    new ResizeObserver(() => this.draw()).observe(this.bar);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    this.bar.addEventListener("pointerdown", (event) => {
      this.bar.setPointerCapture(event.pointerId);
      this.drag(event);
    });
    this.bar.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.drag(event);
    });
    this.bar.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const page = Math.max(1, Math.round(this.lines.length / 50));
      const by = {
        ArrowRight: 1,
        ArrowUp: 1,
        ArrowLeft: -1,
        ArrowDown: -1,
        PageUp: page,
        PageDown: -page,
        Home: -Infinity,
        End: Infinity,
      }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      this.chosen(this.line(this.columnOf(this.now()) + by));
    });
  }

  drag(event) {
    const box = this.bar.getBoundingClientRect();
    this.chosen(
      this.line(Math.floor(((event.clientX - box.left) / box.width) * this.lines.length)),
    );
  }

  line(column) {
    return this.lines[Math.min(Math.max(column, 0), this.lines.length - 1)] ?? 0;
  }

  columnOf(line) {
    const { columns, kinds } = this.trace;
    return Math.max(columns[line] - (kinds[line] === "turn" ? 1 : 0), 0);
  }

  show(line, words) {
    this.column = this.columnOf(line);
    this.move(this.head, this.column);
    this.bar.setAttribute("aria-valuenow", line);
    this.bar.setAttribute("aria-valuetext", words);
  }

  mark(line) {
    this.flag.hidden = line === null;
    if (line !== null) this.move(this.flag, this.columnOf(line));
    this.marked = line;
  }

  move(element, column) {
    const part = (column + 0.5) / Math.max(this.lines.length, 1);
    element.style.transform = `translateX(${part * this.bar.clientWidth}px)`;
  }

  // ---- drawing: once for a size, not for a moment

  draw() {
    const { clientWidth: width, clientHeight: height } = this.bar;
    if (!width) return;
    const scale = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    const pen = this.canvas.getContext("2d");
    pen.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const step = width / Math.max(this.lines.length, 1);
    const x = (line) => this.columnOf(line) * step;
    this.drawRuns(pen, colour, x, width, height);
    this.drawProcesses(pen, colour, x, width, step);
    this.drawCalls(pen, colour, x, width, step);
    this.drawOutput(pen, colour, x, step, height);
    if (this.column !== undefined) this.move(this.head, this.column);
    if (this.marked !== undefined) this.mark(this.marked);
  }

  drawRuns(pen, colour, x, width, height) {
    pen.font = "11px system-ui, sans-serif";
    let free = 0;
    this.trace.runs.forEach((run, i) => {
      const from = x(run.from),
        to = i + 1 < this.trace.runs.length ? x(this.trace.runs[i + 1].from) : width;
      pen.fillStyle = colour(i % 2 ? "band" : "raised");
      pen.fillRect(from, 0, to - from, height);
      const failed = run.result && (run.result.exit_code !== 0 || run.result.limit);
      pen.fillStyle = colour(failed ? "bad" : "line");
      pen.fillRect(from, 0, Math.max(to - from - 1, 1), 3);
      if (from < free || to - from < 14) return;
      pen.fillStyle = colour("soft");
      pen.fillText(String(run.number), from + 4, 15);
      free = from + 12 + 7 * String(run.number).length;
    });
  }

  drawProcesses(pen, colour, x, width, step) {
    const ends = new Array(PROCESS_ROWS).fill(-1);
    pen.fillStyle = colour("process");
    for (const process of this.trace.processes) {
      const from = x(process.from);
      const to = process.to === Infinity ? width : x(process.to) + step;
      let row = ends.findIndex((end) => end <= from);
      if (row < 0) row = PROCESS_ROWS - 1;
      if (to <= ends[row]) continue;
      pen.fillRect(from, 22 + row * 5, Math.max(to - from - 0.5, 1), 4);
      ends[row] = to;
    }
  }

  drawCalls(pen, colour, x, width, step) {
    const ends = [-1, -1, -1];
    const colours = { bad: colour("bad"), call: colour("call"), mark: colour("mark") };
    for (const call of this.trace.calls) {
      const from = x(call.n),
        to = call.to === Infinity ? width : x(call.to) + step;
      const row = Math.max(
        ends.findIndex((end) => end <= from),
        0,
      );
      const wrong = call.refused || call.answer?.do === "fail";
      if (to - ends[row] < 0.3 && !wrong) continue;
      pen.fillStyle = colours[wrong ? "bad" : call.to === Infinity ? "mark" : "call"];
      pen.fillRect(from, 56 + row * 6, Math.max(to - from - 0.5, 1.5), 5);
      ends[row] = to;
    }
  }

  drawOutput(pen, colour, x, step, height) {
    const wide = Math.max(Math.min(step, 6), 1.5);
    const last = { stdout: -9, stderr: -9 };
    for (const stream of ["stdout", "stderr"]) {
      pen.fillStyle = colour(stream === "stdout" ? "good" : "bad");
      for (const piece of this.trace.pieces) {
        if (piece.stream !== stream) continue;
        const at = x(piece.n);
        if (at - last[stream] < 0.7) continue;
        pen.fillRect(at, stream === "stdout" ? 77 : 83, wide, 5);
        last[stream] = at;
      }
    }
    pen.fillStyle = colour("bad");
    this.trace.kinds.forEach((kind, n) => {
      if (kind === "limit") pen.fillRect(x(n), 0, 2, height);
    });
  }
}
