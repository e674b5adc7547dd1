"""Looks whether git's way to its waits is Asyncify's as a whole: a function that is missing on the list would be
lost when a process is unwound. Who calls a wait is read from the linked module; calls by address are `JUMPS`.

usage: test_git_waits.py WASM-OBJDUMP LINKED-MODULE FUNCTION...
"""

import collections
import re
import subprocess
import sys

WAITS = ["wait_child", "wait_tool", "read_stdin", "out_wait"]
# Who is called by its address on the way: commands and their verbs by run_command() and tables, libgit2's transports.
JUMPS = {
    "git_remote_connect_ext": ["git_smart__connect"],
    "git_fetch_negotiate": ["git_smart__negotiate_fetch"],
    "git_fetch_download_pack": ["git_smart__download_pack"],
    "git_push_finish": ["git_smart__push"],
    "git_smart__recv": ["stream_read"],
    "cmd_remote": ["remote_add", "remote_prune", "remote_set_head", "remote_show", "remote_update"],
    "cmd_worktree": ["worktree_new"],
}
LIBC = {"pf_start", "__pf_run_main", "__pf_call", "pf_tool_wait", "read", "write", "waitpid", "wait4"}


def calls_of(objdump, module):
    """Names by index, and who calls whom."""
    text = subprocess.run([objdump, "-d", module], capture_output=True, text=True, check=True).stdout
    names, calls, now = {}, collections.defaultdict(set), None
    for line in text.splitlines():
        if head := re.match(r"[0-9a-f]+ func\[(\d+)\] <(.*)>:", line):
            now = int(head[1])
            names[now] = head[2]
        elif call := re.search(r"\|\s+call (\d+) <", line):
            calls[int(call[1])].add(now)
    return names, calls


def main():
    objdump, module, *listed = sys.argv[1:]
    names, callers = calls_of(objdump, module)
    by_name = collections.defaultdict(list)
    for index, name in names.items():
        by_name[name].append(index)
    for caller, called in JUMPS.items():
        for name in called:
            for index in by_name[name]:
                callers[index].update(by_name[caller])
    way, todo = set(), [i for name in [*WAITS, "run_command"] for i in by_name[name]]
    while todo:
        index = todo.pop()
        if index not in way:
            way.add(index)
            todo += callers[index]
    wanted, known = {names[i] for i in way}, {name.rstrip("?") for name in listed}
    wrong = [f"{name} waits and is not on the list" for name in wanted - known - LIBC]
    wrong += [f"{name} is on the list and does not wait" for name in (known & by_name.keys()) - wanted - LIBC]
    wrong += [f"{name} is the name of several functions" for name in wanted if len(by_name[name]) > 1]
    wrong += [f"{name} is not there" for name in WAITS if not by_name[name]]
    print("\n".join(sorted(wrong)) or f"{len(wanted)} functions on the way")
    return bool(wrong)


sys.exit(main())
