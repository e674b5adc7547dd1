"""Writes transactions.jsonl and customers.jsonl: made up, and the same on every machine.

usage: python3 generate.py
"""

import json
import pathlib
import random

HERE = pathlib.Path(__file__).parent
CUSTOMERS = 60
TRANSACTIONS = 3000
FIRST = [
    "Ada",
    "Bo",
    "Chidi",
    "Dana",
    "Eve",
    "Femi",
    "Gita",
    "Hugo",
    "Ines",
    "Juno",
    "Kofi",
    "Lena",
]
LAST = [
    "Adeyemi",
    "Brandt",
    "Costa",
    "Duarte",
    "Eriksen",
    "Fischer",
    "Gupta",
    "Haddad",
    "Ito",
    "Jansen",
]
COUNTRIES = ["DE", "FR", "GB", "IN", "JP", "NG", "PT", "US"]
MERCHANTS = {
    "groceries": ["Corner Shop", "Green Basket", "Mercado Sol"],
    "travel": ["Nord Rail", "Blue Wing Air", "Harbour Hotel"],
    "software": ["Cloudish", "Paperweight", "Tally"],
    "dining": ["Café Lumière", "Noodle & Co", "Taquería Uno"],
    "electronics": ["Volt", "Byte Barn"],
}


class Source(random.Random):
    """Only random() is promised to stay the same from one Python to the next."""

    def below(self, bound: int) -> int:
        return int(self.random() * bound)

    def pick(self, items: list) -> str:
        return items[self.below(len(items))]


def customers(source: Source) -> list[dict]:
    return [
        {
            "id": f"cus_{100 + n}",
            "name": f"{source.pick(FIRST)} {source.pick(LAST)}",
            "country": source.pick(COUNTRIES),
            "since": 2015 + source.below(10),
        }
        for n in range(CUSTOMERS)
    ]


def transaction(source: Source, n: int) -> dict:
    category = source.pick(list(MERCHANTS))
    return {
        "id": f"txn_{n:05}",
        "customer": f"cus_{100 + source.below(CUSTOMERS)}",
        "amount": 100 + int(source.random() ** 3 * 90_000),
        "merchant": source.pick(MERCHANTS[category]),
        "category": category,
        "date": f"2025-{1 + source.below(12):02}-{1 + source.below(28):02}",
        "disputed": source.random() < 0.04,
    }


def write(name: str, records: list[dict]) -> None:
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    (HERE / name).write_text("".join(lines), encoding="utf-8")


source = Source(20250101)
write("customers.jsonl", customers(source))
write("transactions.jsonl", [transaction(source, n) for n in range(1, TRANSACTIONS + 1)])
