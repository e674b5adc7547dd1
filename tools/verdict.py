#!/usr/bin/env python3
"""What the reports of all tests come to: the end of `.ci/run`.

usage: verdict.py [--failed] [--skips FILE] REPORT.xml...

Tells each failure once more, with the end of its text, and each test that was skipped though FILE does
not allow it: that is a failure, too, or a test could be lost without a word. A line of FILE is
`NAME -- WHY`; NAME may end with * for all that begins so. A run without any report is a failure,
and so is --failed: what ran the tests said so. The last line is `N passed, N failed`.
"""

import argparse
import pathlib
import sys
import xml.etree.ElementTree as tree

LINES_SHOWN = 60  # of each failure


def allowed_skips(path: pathlib.Path | None) -> list[str]:
    names = []
    for line in path.read_text().splitlines() if path else ():
        if line and not line.startswith("#"):
            name, _, why = line.partition(" -- ")
            if not why:
                raise SystemExit(f"{path}: no reason: {line}")
            names.append(name.strip())
    return names


def is_allowed(name: str, allowed: list[str]) -> bool:
    return any(name == a or a.endswith("*") and name.startswith(a[:-1]) for a in allowed)


def outcome(case: tree.Element, allowed: list[str]) -> tuple[str, str]:
    """"passed", "failed" or "skipped", and what to say of it."""
    name = ".".join(filter(None, [case.get("classname"), case.get("name")]))
    if case.get("classname") == case.get("name"):  # as CTest has it
        name = case.get("name")
    trouble = case.findall("failure") + case.findall("error")
    if trouble:
        text = "\n".join([trouble[0].text or "", case.findtext("system-out") or ""])
        return "failed", "\n".join([f"FAILED {name}", *text.splitlines()[-LINES_SHOWN:]])
    skipped = case.find("skipped")
    if skipped is None and case.get("status") not in ("notrun", "disabled"):
        return "passed", ""
    why = "" if skipped is None else skipped.get("message") or skipped.text or ""
    if is_allowed(name, allowed):
        return "skipped", f"skipped {name}: {why}"
    return "failed", f"SKIPPED, and no list allows it: {name}: {why}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--failed", action="store_true")
    parser.add_argument("--skips", type=pathlib.Path)
    parser.add_argument("reports", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    allowed = allowed_skips(args.skips)
    count = {"passed": 0, "failed": 0, "skipped": 0}
    failures = []
    for path in args.reports:
        try:
            cases = list(tree.parse(path).getroot().iter("testcase"))
        except (OSError, tree.ParseError) as error:
            failures.append(f"{path}: {error}")
            count["failed"] += 1
            continue
        for case in cases:
            kind, text = outcome(case, allowed)
            count[kind] += 1
            if kind == "failed":
                failures.append(text)
            elif text:
                print(text)
    for text in failures:  # last, since the end is what is read
        print(text)
    if not count["failed"] and (args.failed or not count["passed"]):
        count["failed"] = 1
    print(f"{count['passed']} passed, {count['failed']} failed")
    return count["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
