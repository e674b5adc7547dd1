"""check_frames.py: no function of an image may need more native stack than the guard page covers.

A frame larger than the guard page could step over it, into somebody else's memory. Reads the .su
files that `gcc -fstack-usage` leaves beside the objects.
"""

import argparse
import pathlib
import sys


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--max", type=int, required=True)
    parser.add_argument("--image", required=True)
    parser.add_argument("--stamp", type=pathlib.Path, required=True)
    parser.add_argument("objects", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    functions, bad = 0, []
    for path in args.objects:
        usage = path.with_suffix(".su") if path.suffix == ".o" else path
        for line in usage.read_text().splitlines():
            where, size, kind = line.split("\t")
            functions += 1
            name = where.rsplit(":", 1)[1]
            if int(size) > args.max or kind not in ("static", "dynamic,bounded"):
                bad.append(f"{name}: {size} bytes ({kind})")
    if not functions:
        bad.append("no function was found: does this compiler know -fstack-usage?")
    if bad:
        print(f"image {args.image}: frames over {args.max} bytes would jump over the guard page:",
              *bad, sep="\n  ", file=sys.stderr)
        return 1
    args.stamp.write_text(f"{functions} functions\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
