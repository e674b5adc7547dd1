"""An agent looks for disputed payments: two tools, one script each in JavaScript and in shell.

usage: python3 run.py

Without a sandbox the model would call the tools one by one and read thousands of records. Here it
writes one script, and reads the few lines that the script prints.
"""

import json
import pathlib
import time

from pinfold import create_sandbox_tool

HERE = pathlib.Path(__file__).parent


def load(name: str) -> list[dict]:
    return [json.loads(line) for line in (HERE / name).open(encoding="utf-8")]


TRANSACTIONS = load("transactions.jsonl")
CUSTOMERS = {customer["id"]: customer for customer in load("customers.jsonl")}
handed_out = {"calls": 0, "bytes": 0}


def counted(value):
    handed_out["calls"] += 1
    handed_out["bytes"] += len(json.dumps(value))
    return value


def list_transactions(customer: str) -> list[dict]:
    """All transactions of one customer; amounts are in US cents."""
    return counted([t for t in TRANSACTIONS if t["customer"] == customer])


def get_customer(id: str) -> dict:
    """The name, country and age of an account."""
    if id not in CUSTOMERS:
        raise LookupError(f"no customer {id}")
    return counted(CUSTOMERS[id])


JAVASCRIPT = """
const ids = Array.from({length: 60}, (_, n) => `cus_${100 + n}`);
const histories = await Promise.all(ids.map(customer => list_transactions({customer})));

const worst = ids
    .map((id, n) => ({id, disputed: histories[n].filter(t => t.disputed)}))
    .map(({id, disputed}) => ({id, count: disputed.length,
                               cents: disputed.reduce((sum, t) => sum + t.amount, 0)}))
    .sort((a, b) => b.cents - a.cents)
    .slice(0, 3);

for (const {id, count, cents} of worst) {
    const {name, country} = await get_customer({id});
    console.log(`${id}  ${name} (${country})  ${count} disputes  ${(cents / 100).toFixed(2)}`);
}
"""

SHELL = """
for n in $(seq 100 159); do
    list_transactions --customer "cus_$n" |
        jq -r '[.[] | select(.disputed)]
               | select(length > 0)
               | [.[0].customer, length, (map(.amount) | add)] | @tsv'
done | sort -k3,3nr | head -3 |
while read -r id count cents; do
    who=$(get_customer --id "$id" | jq -r '"\\(.name) (\\(.country))"')
    printf '%s  %s  %d disputes  %d.%02d\\n' \\
        "$id" "$who" "$count" "$((cents / 100))" "$((cents % 100))"
done
"""


def demonstrate(language: str, script: str) -> None:
    handed_out.update(calls=0, bytes=0)
    with create_sandbox_tool(
        tools=[list_transactions, get_customer], max_calls={"get_customer": 10}
    ) as sandbox:
        print(f"=== The model writes {language}\n{script}")
        started = time.perf_counter()
        answer = sandbox.run(script, language=language)
        milliseconds = (time.perf_counter() - started) * 1000
    print(f"=== and reads\n{answer}")
    print(
        f"=== {handed_out['calls']} tool calls with {handed_out['bytes']:,} bytes of results"
        f" stayed out of its context;\n    {len(answer)} characters came back, in"
        f" {milliseconds:.0f} ms\n"
    )


demonstrate("javascript", JAVASCRIPT)
demonstrate("shell", SHELL)
