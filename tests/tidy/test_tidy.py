#!/usr/bin/env python3
"""Each rule of tidy.py finds what is against it, and nothing else."""
import unittest
import unittest.mock

import tidy

GOOD = {
    "host/base/buf.h": "/* buf.h: bytes that grow. */\n",
    "host/machine/loop.h": "/* loop.h: the loop. */\n",
    "host/base/buf.c": '/* buf.c: see buf.h. */\n#include "buf.h"\n#include <stdio.h>\nint f(void) {\n    return 1;\n}\n',
    "tools/x.py": '#!/usr/bin/env python3\n"""What it is for."""\n',
}


class Tidy(unittest.TestCase):
    def found(self, name: str, text: str) -> list[str]:
        lines = tidy.check({**GOOD, name: text})
        return [line for line in lines if "is not needed any more" not in line]

    def test_what_is_right(self) -> None:
        self.assertEqual(self.found("tools/y.py", '"""Why."""\n'), [])

    def test_a_purpose(self) -> None:
        self.assertIn("tools/y.py: begins without a docstring", self.found("tools/y.py", "import os\n")[0])
        self.assertIn("lib/y.c: begins without a comment", self.found("lib/y.c", "#include <stdio.h>\n")[0])

    def test_columns(self) -> None:
        line = "/* y.c: " + "x" * 100 + " */\n"
        self.assertIn("cli/y.c:1: has 111 columns", self.found("cli/y.c", line)[0])
        self.assertEqual(self.found("guest/programs/git/y.c", line), [])

    def test_long_functions(self) -> None:
        text = "/* y.c: why. */\nint g(void) {\n" + "    f();\n" * 118 + "}\n"
        self.assertEqual(self.found("cli/y.c", text), [])
        self.assertIn("cli/y.c: g: has 121 lines", self.found("cli/y.c", text.replace("{\n", "{\n    f();\n"))[0])

    def test_comments_of_prototypes(self) -> None:
        text = "/* y.h: why. */\n\n/* lex.c */\nint f(int a,\n      int b);\nint g(void); /* One. */\n"
        self.assertEqual(len(self.found("lib/y.h", text)), 1)
        self.assertIn("lib/y.h: f: has no comment", self.found("lib/y.h", text)[0])
        self.assertEqual(self.found("lib/y.h", text.replace("lex.c", "Reads.")), [])

    def test_limits(self) -> None:
        said = {tidy.LIMITS: "/* machine.h: why. */\n    X(cpu_ms, 10 * 1000ull) \\\n    X(files, 5ull)\n",
                "cli/arguments.c": "/* cpu_seconds, files */\n",
                "python/pinfold/limits.py": '"""Why."""\n    "cpu_seconds": 10.0,\n    "files": 5,\n'}
        self.assertEqual(list(tidy.limits(said)), [])
        found = [what for _, what in tidy.limits({**said, "cli/arguments.c": "/* cpu_seconds */\n"})]
        self.assertEqual(found, ["does not tell of the limit files of host/machine/machine.h"])
        other = said["python/pinfold/limits.py"].replace("5", "6")
        found = [what for _, what in tidy.limits({**said, "python/pinfold/limits.py": other})]
        self.assertEqual(found, ["has another default of files than host/machine/machine.h: 5"])

    def test_layers(self) -> None:
        text = '/* y.c: why. */\n#include "host/machine/loop.h"\n'
        self.assertIn("a file of host/base includes only from", self.found("host/base/y.c", text)[0])
        self.assertIn("a file of guest includes only from", self.found("guest/lib/y.c", text)[0])
        self.assertEqual(self.found("host/trace/y.c", text), [])

    def test_exceptions_are_exact(self) -> None:
        with unittest.mock.patch.object(tidy, "LONG_FUNCTIONS", {"cli/y.c: gone"}):
            self.assertIn("the exception 'cli/y.c: gone' is not needed any more", tidy.check(GOOD)[0])
        self.assertEqual(tidy.check(GOOD), [])


if __name__ == "__main__":
    unittest.main()
