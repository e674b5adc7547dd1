/*
 * host/capability/reserved.c: see reserved.h.
 *
 * A tool of such a name is not refused: it is reachable as `tool NAME` and tools["id"]. Words are
 * in the order of their bytes, which a test checks.
 */
#include "reserved.h"

#include <string.h>

/* clang-format off */
/* Reserved words, and what scripts find in the global object. */
static const char *const js[] = {
    "$", "AbortController", "AbortSignal", "AggregateError", "Array", "ArrayBuffer", "Atomics",
    "BigInt", "BigInt64Array", "BigUint64Array", "Boolean", "Buffer", "CapabilityError",
    "DOMException", "DataView", "Date", "Error", "EvalError", "Event", "EventTarget",
    "FinalizationRegistry", "Float16Array", "Float32Array", "Float64Array", "Function", "Infinity",
    "Int16Array", "Int32Array", "Int8Array", "InternalError", "Intl", "Iterator", "JSON", "Map",
    "Math", "NaN", "Number", "Object", "Promise", "Proxy", "RangeError", "ReferenceError",
    "Reflect", "RegExp", "Set", "SharedArrayBuffer", "String", "Symbol", "SyntaxError",
    "TextDecoder", "TextEncoder", "ToolError", "TypeError", "URIError", "URL", "URLSearchParams",
    "Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap", "WeakRef",
    "WeakSet", "__defineGetter__", "__defineSetter__", "__dirname", "__filename",
    "__lookupGetter__", "__lookupSetter__", "__proto__", "arguments", "async", "atob", "await",
    "break", "btoa", "case", "catch", "class", "clearImmediate", "clearInterval", "clearTimeout",
    "console", "const", "constructor", "continue", "crypto", "debugger", "decodeURI",
    "decodeURIComponent", "default", "delete", "do", "else", "encodeURI", "encodeURIComponent",
    "enum", "escape", "eval", "export", "exports", "extends", "false", "finally", "for", "fs",
    "function", "getToolInfo", "global", "globalThis", "hasOwnProperty", "if", "implements",
    "import", "in", "instanceof", "interface", "isFinite", "isNaN", "isPrototypeOf", "let",
    "listTools", "module", "new", "null", "package", "parseFloat", "parseInt", "performance",
    "private", "process", "propertyIsEnumerable", "protected", "public", "queueMicrotask",
    "require", "return", "setImmediate", "setInterval", "setTimeout", "shell", "static",
    "structuredClone", "super", "switch", "this", "throw", "toLocaleString", "toString", "tool",
    "tools", "true", "try", "typeof", "undefined", "unescape", "valueOf", "var", "void", "while",
    "with", "yield",
};

/* Reserved words, builtins, and the commands that scripts take for granted: the everyday ones of
 * POSIX and GNU, and those for data. Any other command yields its name to a tool
 * (host/machine/toolfiles.c), so a new command of the sandbox takes no name from a tool. */
static const char *const shell[] = {
    "alias", "awk", "b2sum", "base32", "base64", "basename", "bash", "bc", "bg", "bind", "break",
    "builtin", "bunzip2", "bzcat", "bzip2", "caller", "case", "cat", "cd", "chgrp", "chmod",
    "chown", "cksum", "clear", "cmp", "column", "comm", "command", "compgen", "complete", "compopt",
    "continue", "coproc", "cp", "csplit", "cut", "date", "dd", "declare", "df", "diff", "dirname",
    "dirs", "disown", "do", "done", "du", "echo", "egrep", "elif", "else", "enable", "env",
    "envsubst", "esac", "eval", "exec", "exit", "expand", "export", "expr", "factor", "false", "fc",
    "fg", "fgrep", "fi", "file", "find", "fmt", "fold", "for", "free", "function", "gawk", "getopt",
    "getopts", "grep", "groups", "gunzip", "gzip", "hash", "head", "help", "hexdump", "history",
    "hostname", "iconv", "id", "if", "in", "install", "jobs", "join", "jq", "js", "kill", "less",
    "let", "link", "ln", "local", "logout", "ls", "mapfile", "md5sum", "mkdir", "mkfifo", "mktemp",
    "more", "mv", "nice", "nl", "node", "nohup", "nproc", "numfmt", "od", "paste", "patch", "pgrep",
    "pkill", "popd", "pr", "printenv", "printf", "ps", "pushd", "pwd", "python", "python3", "read",
    "readarray", "readlink", "readonly", "realpath", "return", "rev", "rg", "rm", "rmdir", "sed",
    "select", "seq", "set", "sh", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum",
    "shift", "shopt", "shuf", "sleep", "sort", "source", "split", "sqlite3", "stat", "stdbuf",
    "strings", "sum", "suspend", "tac", "tail", "tar", "tee", "test", "then", "time", "timeout",
    "times", "tool", "touch", "tput", "tr", "trap", "tree", "true", "truncate", "tsort", "type",
    "typeset", "ulimit", "umask", "unalias", "uname", "unexpand", "uniq", "unlink", "unset",
    "until", "unxz", "unzip", "unzstd", "uuidgen", "wait", "wc", "which", "while", "whoami",
    "xargs", "xxd", "xz", "xzcat", "yes", "zcat", "zip", "zstd", "zstdcat",
};
/* clang-format on */

static bool find(const char *const *words, size_t count, const char *name, size_t len) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strncmp(name, words[middle], len);
        if (order == 0 && words[middle][len] == '\0') return true;
        if (order <= 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

bool cap_reserved_js(const char *name, size_t len) {
    return find(js, sizeof js / sizeof *js, name, len);
}

bool cap_reserved_shell(const char *name, size_t len) {
    return find(shell, sizeof shell / sizeof *shell, name, len);
}
