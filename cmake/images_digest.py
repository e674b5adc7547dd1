"""images_digest.py: a digest of a set of programs, as a C header.

Snapshots and traces name the build that made them by it: their pages and message numbers mean
nothing to other programs. It is taken behind Binaryen, because how a stack is unwound into bytes
depends on what Asyncify was told.
"""

import hashlib
import pathlib
import sys


def main() -> None:
    output, *modules = map(pathlib.Path, sys.argv[1:])
    digest = hashlib.sha256()
    for module in modules:
        digest.update(module.stem.encode() + b"\0")
        digest.update(hashlib.sha256(module.read_bytes()).digest())
    values = ", ".join(f"0x{byte:02x}" for byte in digest.digest())
    output.write_text("/* Generated: SHA-256 of the programs of this build. */\n"
                      f"#define PF_IMAGES_DIGEST {{{values}}}\n")


if __name__ == "__main__":
    main()
