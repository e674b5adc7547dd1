"""What cmake/build_cache.py and cmake/split_image.py promise to the build.

usage: test_build_cache.py
"""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))

import build_cache  # noqa: E402
from split_image import FIRST, split  # noqa: E402
from wasm_image import Refused  # noqa: E402


class Cache(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "not" / "there yet"
        self.cache = build_cache.Cache(self.folder)

    def test_borders_of_parts_count(self) -> None:
        self.assertNotEqual(build_cache.key("ab", "c"), build_cache.key("a", "bc"))
        self.assertNotEqual(build_cache.key("a"), build_cache.key("a", ""))
        self.assertEqual(build_cache.key("a"), build_cache.key(b"a"))

    def test_what_is_stored_comes_back(self) -> None:
        self.assertIsNone(self.cache.fetch("one"))
        self.cache.store("one", {"x.c": b"int x;", "x.wasm": bytes(5000)})
        self.assertEqual(self.cache.fetch("one"), {"x.c": b"int x;", "x.wasm": bytes(5000)})

    def test_a_damaged_entry_is_none(self) -> None:
        self.cache.store("one", {"x.c": b"int x;"})
        whole = (self.folder / "one").read_bytes()
        turned = [whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:] for at in (33, 35, 38)]
        for damaged in (b"", whole[:-30], *turned):
            (self.folder / "one").write_bytes(damaged)
            self.assertIsNone(self.cache.fetch("one"))

    def test_without_a_folder_nothing_is_kept(self) -> None:
        cache = build_cache.Cache(None)
        cache.store("one", {"x.c": b"int x;"})
        self.assertIsNone(cache.fetch("one"))

    def test_a_folder_that_cannot_be_is_no_error(self) -> None:
        cache = build_cache.Cache(pathlib.Path("/dev/null/folder"))
        cache.store("one", {"x.c": b"int x;"})
        self.assertIsNone(cache.fetch("one"))


def program(*names: str, calls: dict[str, str]) -> str:
    """C in wasm2c's shape: functions that call each other, and an export of the first."""
    prototypes = "".join(f"static u32 w2c_{name}(Z_m_instance_t*);\n" for name in names)
    bodies = "".join(
        f"static u32 w2c_{name}(Z_m_instance_t* instance) {{\n"
        f"  return w2c_{calls.get(name, name)}(instance) + 1;\n}}\n\n" for name in names)
    export = f"u32 Z_mZ_run(Z_m_instance_t* instance) {{\n  return w2c_{names[0]}(instance);\n}}\n"
    return f'#include "m.h"\n{FIRST}static u32 func_types[3];\n\n{prototypes}\n{bodies}{export}'


class Split(unittest.TestCase):
    NAMES = [f"f{i}" for i in range(40)]

    def test_each_function_is_in_one_part(self) -> None:
        header, parts = split(program(*self.NAMES, calls={"f3": "f30"}), "m", 4)
        self.assertEqual(len(parts), 4)
        for name in self.NAMES:
            defined = [part for part in parts if f"w2c_{name}(Z_m_instance_t* instance) {{" in part]
            self.assertEqual(len(defined), 1, name)
        # Seen by others: what is exported, and what another part calls. The rest is static.
        self.assertIn('u32 w2c_f0(Z_m_instance_t*) __asm__("w2c.m.f0");', header)
        self.assertIn('u32 w2c_f30(Z_m_instance_t*) __asm__("w2c.m.f30");', header)
        self.assertEqual(header.count("__asm__"), 3)  # and the table of types
        self.assertNotIn("static u32 w2c_f30(", "".join(parts))

    def test_a_changed_function_changes_one_part(self) -> None:
        text = program(*self.NAMES, calls={})
        before = split(text, "m", 5)
        after = split(text.replace("w2c_f20(instance) + 1;", "w2c_f20(instance) + 2;"), "m", 5)
        self.assertEqual(before[0], after[0])
        self.assertEqual(sum(a != b for a, b in zip(before[1], after[1], strict=True)), 1)

    def test_other_shapes_are_refused(self) -> None:
        text = program(*self.NAMES, calls={})
        for wrong in (text.replace(FIRST, ""), text.replace("static u32 func_types[3];\n", ""),
                      text.replace("static u32 w2c_f7(Z_m_instance_t*);\n", ""),
                      text.replace("w2c_f8(Z_m_instance_t* instance) {", "w2c_f9(Z_m_instance_t* instance) {")):
            with self.assertRaises(Refused):
                split(wrong, "m", 3)


if __name__ == "__main__":
    unittest.main()
