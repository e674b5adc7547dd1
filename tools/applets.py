#!/usr/bin/env python3
"""The commands of a multicall image, from the comments that open their source files.

usage: applets.py --list DIR [NAME]           the commands, separated by ;
       applets.py --list-file DIR OUT        the same in a file, which is written if that changes it
       applets.py --table DIR OUT.c [NAME]    a C table of their names, main functions and --help texts

With NAME only the commands that the same file serves.
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
            if names and not heading and line != "end":
                sys.exit(f"{path}: the help of {names[0]} is cut off by a line that is not indented: {line}")
            while text and not text[-1]:
                text.pop()
            for name in names:
                yield name, path.stem + "_main", "\n".join(text).replace("@NAME@", name).replace("@*@", "*") + "\n"
            names, text = (heading.group(1).split() if heading else []), []


def c_string(text):
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return "\n".join(f'        "{line}\\n"' for line in quoted.rstrip("\n").split("\n"))


def chosen(folder, only):
    """The commands in order; those of the file that serves `only`, if it is given."""
    found = sorted(commands(folder))
    mains = {main for name, main, _ in found if name == only}
    return [command for command in found if only is None or command[1] in mains]


def table(folder, out, only):
    found = chosen(folder, only)
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
    arguments = sys.argv[1:]
    if len(arguments) in (2, 3) and arguments[0] == "--list":
        print(";".join(name for name, _, _ in chosen(arguments[1], *arguments[2:] or [None])))
    elif len(arguments) == 3 and arguments[0] == "--list-file":
        names, out = ";".join(name for name, _, _ in chosen(arguments[1], None)), pathlib.Path(arguments[2])
        if not out.exists() or out.read_text() != names:
            out.write_text(names)
    elif len(arguments) in (3, 4) and arguments[0] == "--table":
        table(arguments[1], arguments[2], *arguments[3:] or [None])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
