// trace.js: what the lines of a recording say. All that can be asked of a moment without a sandbox.
//
// A moment is the number of a line, and means "after that line".

const STRIKES = {
  interrupt: "interrupted by the embedder",
  stop: "given up by the embedder",
  kill: "killed by the embedder",
  cpu_limit: "limit reached: cpu_seconds",
  wall_limit: "limit reached: wall_seconds",
  cut: "a program that made no calls was ended",
};
const FILE_ACTS = {
  write: "file written",
  make: "file made",
  remove: "file removed",
  mount: "directory mounted",
  read: "file read",
  list: "directory listed",
  stat: "file looked at",
  lstat: "file looked at",
};
const FAILURES = { 1: "denied", 3: "failed", 4: "invalid", 5: "timeout" };

// The groups that can be shown or hidden, and what a row is called.
const GROUPS = ["runs", "calls", "output", "processes", "files", "turns"];

function kindOf(line) {
  if (line.do === "start") return "run";
  if (line.do === "resume" || line.do === "fail") return "answer";
  if (line.do === "advance") return "turn";
  if (line.do) return "file";
  if (line.out === "result") return "end";
  if (line.out === "call" || line.out === "cancel") return "call";
  if (line.out === "stdout" || line.out === "stderr") return line.out;
  if (line.out) return "process";
  if (line.in === "fill") return "file";
  if (line.in === "time" || line.in === "preempt") return "turn";
  if (line.in || line.full) return "limit";
  return "mark";
}

const GROUP_OF = {
  run: "runs",
  end: "runs",
  limit: "runs",
  mark: "runs",
  call: "calls",
  answer: "calls",
  stdout: "output",
  stderr: "output",
  process: "processes",
  file: "files",
  turn: "turns",
};

class Trace {
  constructor(lines) {
    this.lines = lines;
    this.head = lines[0] ?? {};
    this.complete = lines.at(-1)?.end === true;
    this.full = lines.at(-1)?.full === true;
    this.kinds = lines.map(kindOf);
    this.runs = [];
    this.calls = [];
    this.callOf = new Map(); // by line, for calls and their answers
    this.processes = [];
    this.pieces = []; // what was written: {n, run, stream}
    this.places = new Map(); // of mounts, by number
    this.columns = new Uint32Array(lines.length + 1); // by line: how many notable ones come before
    this.times = new Float64Array(lines.length); // what the clock showed last; NaN: nothing yet
    this.read();
  }

  read() {
    const alive = new Map(),
      waiting = new Map();
    let run = null,
      now = NaN,
      column = 0;
    this.lines.forEach((line, n) => {
      const kind = this.kinds[n];
      if (line.in === "time") now = line.ns;
      this.times[n] = now;
      this.columns[n] = column;
      if (kind !== "turn") column++;
      if (kind === "run") {
        run = { number: this.runs.length + 1, from: n, start: line, to: this.lines.length - 1 };
        if (this.runs.length && !this.runs.at(-1).result) this.runs.at(-1).to = n - 1;
        this.runs.push(run);
      } else if (kind === "end" && run) {
        run.result = line;
        run.to = n;
      } else if (kind === "process") this.process(line, n, alive);
      else if (line.out === "call") this.call(line, n, run, waiting);
      else if (kind === "answer" || line.out === "cancel") {
        const call = waiting.get(line.id);
        if (!call) return;
        call.to = n;
        call.answer = line;
        this.callOf.set(n, call);
        waiting.delete(line.id);
      } else if (kind === "stdout" || kind === "stderr")
        this.pieces.push({ n, run: run?.number ?? 0, stream: kind });
      else if (line.do === "mount") this.places.set(parseInt(line.source, 10), line.path);
    });
    this.columns[this.lines.length] = column;
    this.firstTime = this.times.find((ns) => !Number.isNaN(ns));
  }

  process(line, n, alive) {
    let had = alive.get(line.pid);
    // A recording does not name who was there before it: the session's shell.
    if (line.parent > 1 && !alive.has(line.parent))
      this.begin({ pid: line.parent, parent: 1, name: "the session's shell" }, 1, alive);
    if (line.out === "end") {
      had ??= this.begin(line, 0, alive);
      had.to = n;
      alive.delete(line.pid);
    } else if (had) had.names.push([n, line.name ?? ""]);
    else this.begin(line, n, alive);
  }

  begin(line, n, alive) {
    const had = {
      pid: line.pid,
      parent: line.parent,
      from: n,
      to: Infinity,
      names: [[n, line.name ?? (line.parent === undefined ? "the session" : "?")]],
    };
    alive.set(line.pid, had);
    this.processes.push(had);
    return had;
  }

  call(line, n, run, waiting) {
    const refused = line.decision !== "allowed" && line.decision !== "ask";
    const call = {
      n,
      line,
      id: line.id,
      refused,
      run: run?.number ?? 0,
      to: refused ? n : Infinity,
    };
    this.calls.push(call);
    this.callOf.set(n, call);
    if (!refused) waiting.set(line.id, call);
  }

  // ---- a moment

  runAt(n) {
    let found = null;
    let low = 0,
      high = this.runs.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (this.runs[middle].from <= n) {
        found = this.runs[middle];
        low = middle + 1;
      } else high = middle - 1;
    }
    return found;
  }

  clock(n) {
    const ns = this.times[n];
    if (Number.isNaN(ns) || this.firstTime === undefined) return "";
    const ms = (ns - this.firstTime) / 1e6;
    return ms < 10000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(2)} s`;
  }

  processesAt(n) {
    return this.processes.filter((process) => process.from <= n && process.to >= n);
  }

  nameAt(process, n) {
    let name = process.names[0][1];
    for (const [from, other] of process.names) if (from <= n) name = other;
    return name || "?";
  }

  // What was written after the line `after` and until `n`, at most so many characters of the end.
  output(after, n, most) {
    let low = 0,
      high = this.pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.pieces[middle].n <= n) low = middle + 1;
      else high = middle;
    }
    const found = [];
    let length = 0,
      left = 0;
    for (let i = low - 1; i >= 0 && this.pieces[i].n > after; i--) {
      if (length > most) {
        left = i + 1;
        break;
      }
      const piece = this.pieces[i];
      const text = this.textOf(piece);
      length += text.length;
      found.push({ ...piece, text });
    }
    return { pieces: found.reverse(), cut: left > 0 };
  }

  textOf(piece) {
    return member(this.lines[piece.n], "text");
  }

  inside(line) {
    if (line.source === undefined) return member(line, "path");
    const place = this.places.get(parseInt(line.source, 10)) ?? "";
    return (place + String(line.source).replace(/^\d+/, "")).replace(/\/$/, "");
  }

  wrong(n) {
    const line = this.lines[n],
      call = this.callOf.get(n);
    if (this.kinds[n] === "limit") return true;
    if (line.out === "result") return line.exit_code !== 0 || Boolean(line.limit);
    if (line.out === "call") return call.refused;
    return line.do === "fail";
  }

  // ---- words

  word(n) {
    const line = this.lines[n];
    if (line.out === "call") return this.callOf.get(n)?.refused ? "denied" : "call";
    return {
      run: "run",
      end: "end",
      answer: line.do === "fail" ? "fails" : "answer",
      call: "dropped",
      stdout: "out",
      stderr: "err",
      process: "process",
      file: "file",
      turn: "turn",
      limit: "limit",
      mark: line.end ? "closed" : "made",
    }[this.kinds[n]];
  }

  sentence(n) {
    const line = this.lines[n];
    switch (this.kinds[n]) {
      case "run":
        return `${line.language}: ${brief(member(line, "code").trim())}`;
      case "end":
        return ending(line);
      case "call": {
        const call = this.callOf.get(n);
        const asked = call ? call.line : line;
        const why = line.message ? `: ${brief(member(line, "message"))}` : "";
        if (line.out === "cancel")
          return `${asked.method ?? "a call"}: nobody waits for it any more`;
        const params = brief(member(line, "params"), 120);
        const decision =
          { allowed: "", ask: " (somebody is asked)" }[line.decision] ?? ` ${line.decision}`;
        return `${brief(line.method ?? "")} ${params}${decision}${why}`;
      }
      case "answer":
        return `${brief(this.callOf.get(n)?.line.method ?? "?")} → ${this.answer(line)}`;
      case "stdout":
      case "stderr":
        return brief(member(line, "text").replace(/\n$/, "")) || "⏎";
      case "process": {
        const verb = { exec: "runs", fork: "forks", end: "ends" }[line.out] ?? line.out;
        return `${line.pid} ${verb}${line.name ? ` ${brief(String(line.name))}` : ""}`;
      }
      case "file": {
        const what = line.in === "fill" ? "read from a mount" : (FILE_ACTS[line.do] ?? line.do);
        return `${brief(this.inside(line))} (${what})`;
      }
      case "limit":
        return line.full
          ? "the trace came to its bound, trace_bytes"
          : (STRIKES[line.in] ?? brief(String(line.in)));
      case "turn":
        return line.in === "time"
          ? `the clock shows ${(line.ns / 1e6).toFixed(3)} ms`
          : line.in === "preempt"
            ? "the slice of a process ends"
            : "the embedder lets it go on";
      default:
        return line.end
          ? "the sandbox was closed"
          : `the sandbox of pinfold ${brief(String(line.version))}`;
    }
  }

  answer(line) {
    if (line.redacted) return "(left out of the trace)";
    if (line.do === "fail")
      return `${FAILURES[line.outcome] ?? "failed"}: ${brief(member(line, "message"))}`;
    return brief(member(line, "json"));
  }
}

function ending(line) {
  const more = [
    line.limit && `limit ${line.limit}`,
    line.session_lost && "the session was lost",
    line.stdout_truncated && "stdout was cut",
    line.stderr_truncated && "stderr was cut",
    line.tool_calls && plural(line.tool_calls, "tool call"),
  ];
  return brief([`status ${line.exit_code}`, ...more.filter(Boolean)].join(", "));
}
