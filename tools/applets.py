#!/usr/bin/env python3
"""The commands of a multicall image, from the comments that open their source files.

usage: applets.py --list DIR           the commands, separated by ;
       applets.py --table DIR OUT.c    a C table of their names, main functions and --help texts

A source file FILE.c serves one or more commands and defines `int FILE_main(int argc, char **argv)`.
Its first comment holds, for each command or group of commands, a line "help NAME...:" and below it
the --help text, indented by two spaces more than that line; the text ends at the first line that is
indented less. In it, @NAME@ becomes the command's name
and @*@ a star (a comment cannot hold one before a slash). Nothing else in the build lists commands.
"""
import pathlib
import re
import sys


def commands(folder):
    """Yields (command, main function, help text) for every command of the folder."""
    for path in sorted(pathlib.Path(folder).glob("*.c")):
        source = path.read_text()
        comment = re.match(r"/\*(.*?)\*/", source, re.S)
        if not comment:
            continue
        lines = [re.sub(r"^ \* ?", "", line) for line in comment.group(1).split("\n")]
        names, text = [], []
        for line in lines + ["end"]:
            heading = re.match(r"help (\S.*):$", line)
            if names and not heading and (line.startswith("  ") or not line.strip()):
                text.append(line[2:].rstrip())
                continue
            while text and not text[-1]:
                text.pop()
            for name in names:
                yield name, path.stem + "_main", "\n".join(text).replace("@NAME@", name).replace("@*@", "*") + "\n"
            names, text = (heading.group(1).split() if heading else []), []


def c_string(text):
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return "\n".join(f'        "{line}\\n"' for line in quoted.rstrip("\n").split("\n"))


def table(folder, out):
    found = sorted(commands(folder))
    mains = sorted({main for _, main, _ in found})
    with open(out, "w") as f:
        f.write('/* Made by tools/applets.py; changes belong into the commands\' files. */\n')
        f.write('#include "applets.h"\n\n')
        for main in mains:
            f.write(f"int {main}(int argc, char **argv);\n")
        f.write("\nconst struct applet applets[] = {\n")
        for name, main, text in found:
            f.write(f'    {{"{name}", {main},\n{c_string(text)}}},\n')
        f.write("};\nconst unsigned applet_count = sizeof applets / sizeof *applets;\n")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--list":
        print(";".join(sorted(name for name, _, _ in commands(sys.argv[2]))))
    elif len(sys.argv) == 4 and sys.argv[1] == "--table":
        table(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
