/* examples.ts: what the editor offers. Each one runs as it stands. */
export type Language = "shell" | "javascript" | "python";

export interface Example {
  readonly name: string;
  readonly language: Language;
  readonly code: string;
}

export const EXAMPLES: readonly Example[] = [
  {
    name: "Pipelines",
    language: "shell",
    code: `# bash and the usual commands, in this page
cat > sales.csv <<'END'
day,item,price
mon,lamp,40
mon,bulb,2
tue,lamp,40
tue,shade,15
END

echo "Sold in all:"
awk -F, 'NR > 1 { sum[$2] += $3 } END { for (i in sum) print sum[i], i }' sales.csv |
  sort -rn | column -t

grep -c lamp sales.csv | sed 's/^/lamps: /'
`,
  },
  {
    name: "Tools and their policy",
    language: "shell",
    code: `# "orders" is a tool of this page: see Tools, at the side.
orders --customer cus_1 | jq -r '.[] | "\\(.item): \\(.total)"'

# The policy has cus_1 and cus_2 alone.
orders --customer cus_9 || echo "refused, with status $?"

# "refund" is answered by hand: the script waits for you.
# Meanwhile it is plain bytes: press Share, and somebody else can answer.
refund --order 1 --amount 40
echo "done"
`,
  },
  {
    name: "JavaScript: calls at once",
    language: "javascript",
    code: `// Tools are functions. These two calls are in flight together.
const [first, second] = await Promise.all([
  orders({ customer: "cus_1" }),
  orders({ customer: "cus_2" }),
]);
const total = [...first, ...second].reduce((sum, { total }) => sum + total, 0);
console.log("total", total);

try {
  await orders({ customer: "cus_9" });
} catch (error) {
  console.log(error.name + ":", error.message);
}

// Node's modules are there, and they see the same files as the shell.
const { writeFileSync } = await import("node:fs");
writeFileSync("total.json", JSON.stringify({ total }));
`,
  },
  {
    name: "Python: a small analysis",
    language: "python",
    code: `# CPython; it is loaded when it is first used.
import statistics
from collections import Counter
from tools import orders

rows = [row for customer in ("cus_1", "cus_2") for row in orders(customer=customer)]
print(Counter(row["item"] for row in rows))
print("mean", statistics.mean(row["total"] for row in rows))

with open("report.md", "w") as report:
    report.write("# Orders\\n\\n")
    for row in rows:
        report.write(f"- {row['item']}: {row['total']}\\n")
`,
  },
  {
    name: "A repository",
    language: "shell",
    code: `# git, too
rm -rf demo && git init -q demo && cd demo
git config user.name you && git config user.email you@example.com
echo "# Demo" > README.md
git add . && git commit -qm "first"
echo "More." >> README.md
git commit -qam "second"
git log --oneline --stat
cd ..
`,
  },
  {
    name: "Branches",
    language: "shell",
    code: `# Run this, then look at History: each command leaves the whole sandbox there.
# Go back to an older one, do something else, and compare the two.
count=$(( \${count:-0} + 1 ))
echo "run $count of this session"
date -u +%T > "run-$count"
ls run-*
`,
  },
];
