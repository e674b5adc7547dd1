// diff.js: what differs between two texts, and between two trees of files.

const DIFF_CELLS = 1 << 21; // what comparing two texts may cost, in pairs of lines
const DIFF_AROUND = 3; // equal lines that are shown around a difference

function linesOf(text) {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else lines[lines.length - 1] += " (without a newline)";
  return lines;
}

// [[sign, line], …] with "+", "-", " " and "@" where lines are left out.
function diffTexts(before, after) {
  const a = linesOf(before),
    b = linesOf(after);
  let start = 0,
    end = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const out = [];
  const lead = Math.max(start - DIFF_AROUND, 0);
  if (lead) out.push(["@", `line ${lead + 1}`]);
  for (let i = lead; i < start; i++) out.push([" ", a[i]]);
  out.push(...middle);
  const tail = Math.min(end, DIFF_AROUND);
  for (let i = a.length - end; i < a.length - end + tail; i++) out.push([" ", a[i]]);
  if (end > tail)
    out.push(["@", `${plural(end - tail, "equal line")} follow${end - tail === 1 ? "s" : ""}`]);
  return out;
}

// The longest lines in common stay; too many lines are all out and all in.
function between(a, b) {
  const out = (lines, sign) => lines.map((line) => [sign, line]);
  if (a.length * b.length > DIFF_CELLS) return [...out(a, "-"), ...out(b, "+")];
  const wide = b.length + 1;
  const common = new Uint32Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i--)
    for (let k = b.length - 1; k >= 0; k--)
      common[i * wide + k] =
        a[i] === b[k]
          ? common[(i + 1) * wide + k + 1] + 1
          : Math.max(common[(i + 1) * wide + k], common[i * wide + k + 1]);
  const found = [];
  let i = 0,
    k = 0;
  while (i < a.length || k < b.length) {
    if (i < a.length && k < b.length && a[i] === b[k]) {
      found.push([" ", a[i++]]);
      k++;
    } else if (
      k >= b.length ||
      (i < a.length && common[(i + 1) * wide + k] >= common[i * wide + k + 1])
    )
      found.push(["-", a[i++]]);
    else found.push(["+", b[k++]]);
  }
  return folded(found);
}

// Long stretches of equal lines are counted.
function folded(lines) {
  const out = [];
  for (let i = 0; i < lines.length;) {
    let k = i;
    while (k < lines.length && lines[k][0] === " ") k++;
    if (k - i > 2 * DIFF_AROUND + 1) {
      out.push(...lines.slice(i, i + DIFF_AROUND));
      out.push(["@", plural(k - i - 2 * DIFF_AROUND, "equal line")]);
      out.push(...lines.slice(k - DIFF_AROUND, k));
      i = k;
    } else if (k > i) {
      out.push(...lines.slice(i, k));
      i = k;
    } else out.push(lines[i++]);
  }
  return out;
}

const DIFF_SHOWN = 500; // lines of one difference
const DIFF_WORDS = { "+": "added", "-": "removed", " ": "", "@": "" };

function diffElement(lines) {
  const rows = lines
    .slice(0, DIFF_SHOWN)
    .map(([sign, text]) =>
      h(
        "div",
        { class: { "+": "plus", "-": "minus", "@": "skip" }[sign] ?? "same" },
        h("span", { class: "sign", "aria-hidden": "true" }, sign === "@" ? "⋯" : sign),
        DIFF_WORDS[sign] ? unseen(`${DIFF_WORDS[sign]}: `) : null,
        h("span", {}, brief(text, 2000)),
      ),
    );
  if (lines.length > DIFF_SHOWN)
    rows.push(h("div", { class: "skip" }, `… ${plural(lines.length - DIFF_SHOWN, "more line")}`));
  return h("div", { class: "diff" }, rows);
}

// [{kind: "A" | "M" | "D", path, before, after}], by path. Trees are maps from paths to entries.
function diffTrees(before, after) {
  const changes = [];
  for (const [path, now] of after) {
    const was = before.get(path);
    if (!was) changes.push({ kind: "A", path, after: now });
    else if (was.mode !== now.mode || was.id !== now.id)
      changes.push({ kind: "M", path, before: was, after: now });
  }
  for (const [path, was] of before)
    if (!after.has(path)) changes.push({ kind: "D", path, before: was });
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}
