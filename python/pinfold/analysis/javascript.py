"""JavaScript: which tools, commands and files a program names. What it gets at by a name that is
computed is not known: anything could be reached that way, the compiler included."""

from __future__ import annotations

import re
from typing import Any

from .calls import canonical
from .facts import UNKNOWN, FileUse, ToolUse
from .scopes import FUNCTIONS, Numbers, Tree, children, declared, opens_scope
from .shell import Look

#: What reaches nothing beyond the program and its output.
_HARMLESS = set(
    "AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt"
    " BigInt64Array BigUint64Array Boolean"
    " Buffer CapabilityError DOMException DataView Date Error EvalError Event EventTarget"
    " FinalizationRegistry"
    " Float16Array Float32Array Float64Array Infinity Int16Array Int32Array Int8Array"
    " InternalError Intl Iterator JSON"
    " Map Math NaN Number Object Promise RangeError ReferenceError RegExp Set"
    " SharedArrayBuffer String Symbol"
    " SyntaxError TextDecoder TextEncoder ToolError TypeError URIError URL URLSearchParams"
    " Uint16Array Uint32Array"
    " Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet __dirname __filename arguments"
    " atob btoa clearImmediate"
    " clearInterval clearTimeout console crypto decodeURI decodeURIComponent encodeURI"
    " encodeURIComponent escape"
    " exports getToolInfo isFinite isNaN listTools parseFloat parseInt performance"
    " queueMicrotask setImmediate"
    " setInterval setTimeout structuredClone undefined unescape Blob File FormData Headers".split()
)
_PROCESS = set(
    "argv argv0 env exit exitCode cwd stdout stderr stdin hrtime platform nextTick on once"
    " off memoryUsage uptime"
    " version versions pid ppid arch title release execPath cpuUsage".split()
)
_MODULES = set(
    "path os util url events assert crypto buffer querystring string_decoder timers"
    " perf_hooks zlib stream"
    " timers/promises stream/promises util/types assert/strict path/posix punycode"
    " async_hooks console".split()
)
#: Names by which a function's maker is found, or a property whatever it is called.
_MAKERS = {"constructor", "getOwnPropertyDescriptor", "getOwnPropertyDescriptors",
           "__lookupGetter__", "prepareStackTrace", "callee", "caller"}  # fmt: skip
_READS = set(
    "readFile readFileSync createReadStream readdir readdirSync stat statSync lstat"
    " lstatSync access accessSync"
    " exists existsSync readlink readlinkSync realpath realpathSync opendir opendirSync".split()
)
_WRITES = set(
    "writeFile writeFileSync createWriteStream mkdir mkdirSync rm rmSync rmdir rmdirSync"
    " unlink unlinkSync"
    " truncate truncateSync chmod chmodSync utimes utimesSync mkdtemp mkdtempSync".split()
)
_APPENDS = {"appendFile", "appendFileSync"}
_BOTH = set(
    "copyFile copyFileSync rename renameSync link linkSync symlink symlinkSync cp cpSync".split()
)
_FS = ("fs", "fs/promises")
_CONSUMING = {
    "BinaryExpression",
    "UnaryExpression",
    "UpdateExpression",
    "TemplateLiteral",
    "ExpressionStatement",
}


def look_at(look: Look, code: str, line: int) -> None:
    """A program that starts on this line of the script."""
    tree = look.parsers.tree(code, "javascript")
    if tree["type"] == "Error":
        return look.unknown("a syntax error", line)
    return _Program(look, tree, line).walk(tree, [declared(tree)], [])


def literal(node: Tree | None) -> Any:
    """The value of an expression that is written out; `UNKNOWN` for any other."""
    if node is None:
        return UNKNOWN
    kind = node["type"]
    if kind == "Literal":
        return UNKNOWN if "regex" in node or "bigint" in node else node["value"]
    if kind == "TemplateLiteral" and not node["expressions"]:
        return node["quasis"][0]["value"].get("cooked")
    if kind == "ArrayExpression":
        if any(each is None or each["type"] == "SpreadElement" for each in node["elements"]):
            return UNKNOWN
        return [literal(each) for each in node["elements"]]
    if kind == "ObjectExpression":
        return _object(node)
    if kind == "UnaryExpression" and node["operator"] == "-":
        value = literal(node["argument"])
        return -value if isinstance(value, (int, float)) else UNKNOWN
    return UNKNOWN


def _object(node: Tree) -> Any:
    found = {}
    for each in node["properties"]:
        if each["type"] != "Property" or each["computed"]:
            return UNKNOWN
        key = each["key"]
        found[str(key.get("name", key.get("value")))] = literal(each["value"])
    return found


class _Program:
    def __init__(self, look: Look, tree: Tree, line: int) -> None:
        self.look = look
        self._first = line - 1
        self._numbers = Numbers(tree)
        #: The program's names for modules of files, and for functions of theirs.
        self._files: dict[str, str] = {}

    def unknown(self, what: str, node: Tree) -> None:
        self.look.unknown(what, self._first + node["loc"])

    # -------------------------------------------------------------------- the tree

    def walk(self, node: Tree, scopes: list[set[str]], above: list[Tree]) -> None:
        kind = node["type"]
        if opens_scope(node):
            scopes = [*scopes, declared(node)]
        if kind == "Identifier":
            return self._name(node, scopes, above)
        if kind == "ThisExpression":
            return self._this(node, above)
        if kind == "WithStatement":
            self.unknown("what with makes of names", node)
        if kind == "ImportExpression" and not self._harmless_module(node["source"]):
            self.unknown("what is imported", node)
        if kind == "ImportDeclaration" or (kind.startswith("Export") and node.get("source")):
            self._import(node)
            return None
        if kind in ("MemberExpression", "Property", "PropertyDefinition", "MethodDefinition"):
            self._member(node, above)
        for role, child in children(node):
            if role in ("property", "key") and not node.get("computed"):
                continue
            if role == "label" or kind == "MetaProperty" or (role == "id" and kind in FUNCTIONS):
                continue
            if kind in ("ExportSpecifier", "ImportSpecifier"):
                continue
            self.walk(child, scopes, [*above, node])
        return None

    def _member(self, node: Tree, above: list[Tree]) -> None:
        is_access = node["type"] == "MemberExpression"
        if not is_access and above and above[-1]["type"] != "ObjectPattern":
            return
        key = node["property"] if is_access else node["key"]
        name = literal(key) if node["computed"] else key.get("name", key.get("value"))
        if name in _MAKERS:
            self.unknown(f"what is reached by .{name}", node)
        elif name is UNKNOWN and not self._numbers.is_number(key):
            if not is_access or not self._is_consumed(node, above):
                self.unknown("what is at a computed name", node)

    def _is_consumed(self, node: Tree, above: list[Tree]) -> bool:
        """Is a value that may be anything used as data only?"""
        inner = node
        for outer in reversed(above):
            kind = outer["type"]
            if kind == "AssignmentExpression" and outer["left"] is inner:
                return (
                    outer["operator"] not in ("&&=", "||=", "??=")
                    or above[-2]["type"] == "ExpressionStatement"
                )
            if kind == "MemberExpression" and outer["object"] is inner and not outer["computed"]:
                return outer["property"].get("name") not in ("call", "apply", "bind", "prototype")
            if kind in _CONSUMING:
                return True
            if (
                kind in ("IfStatement", "WhileStatement", "ConditionalExpression")
                and outer["test"] is inner
            ):
                return True
            if kind == "ForOfStatement" and outer["right"] is inner:
                return True
            if kind == "CallExpression" and inner is not outer["callee"]:
                text = _dotted(outer["callee"])
                return text in ("String", "Number", "Boolean", "JSON.stringify") or text.startswith(
                    "console."
                )
            if kind not in ("LogicalExpression", "ChainExpression", "AwaitExpression"):
                return kind == "ReturnStatement" and not any(
                    each["type"] in FUNCTIONS for each in above
                )
            inner = outer
        return False

    def _this(self, node: Tree, above: list[Tree]) -> None:
        """In a function that is called by itself it is the global object; not so in a class."""
        if not any(each["type"] == "ClassBody" for each in above):
            self.unknown("what this is", node)

    # -------------------------------------------------------------------- names

    def _name(self, node: Tree, scopes: list[set[str]], above: list[Tree]) -> None:
        name = node["name"]
        if name in self._files and any(name in scope for scope in scopes):
            return self._file(node, above, self._files[name])
        if any(name in scope for scope in scopes):
            return None
        if name in ("globalThis", "global"):
            return self._global(node, above)
        if name in _HARMLESS:
            return None
        return self._free(name, node, above)

    def _global(self, node: Tree, above: list[Tree]) -> None:
        outer = above[-1] if above else node
        name = (
            _static_name(outer)
            if outer["type"] == "MemberExpression" and outer["object"] is node
            else None
        )
        if name is None:
            return self.unknown("what is done with the global object", node)
        return None if name in _HARMLESS else self._free(name, outer, above[:-1])

    def _free(self, name: str, node: Tree, above: list[Tree]) -> None:
        if name == "process":
            if _static_name(above[-1] if above else node) not in _PROCESS:
                self.unknown("what is done with process", node)
        elif name == "fs":
            self._file(node, above, "fs")
        elif name == "require":
            self._require(node, above)
        elif name == "module":
            if _static_name(above[-1] if above else node) != "exports":
                self.unknown("what is done with module", node)
        elif name in ("shell", "$"):
            self._shell(node, above)
        elif name == "fetch":
            call = _call_of(node, above)
            url = literal(call["arguments"][0]) if call and call["arguments"] else UNKNOWN
            self._tool("http/request", {"url": url} if isinstance(url, str) else None, node)
        elif name in ("tools", "tool"):
            self._path("", node, above)
        elif name in ("eval", "Function", "Reflect", "Proxy", "WebAssembly", "Worker"):
            self.unknown(f"what {name} reaches", node)
        else:
            self._path(name, node, above)

    def _path(self, path: str, node: Tree, above: list[Tree]) -> None:
        """A tool by its dotted path, or by tools["id"]."""
        inner, place = node, len(above) - 1
        known = set(self.look.tools.values())
        prefixes = {id.split("/")[0] for id in known}
        if known and path and path not in prefixes and path not in self.look.tools:
            return None  # there is nothing of this name
        if path in self.look.tools:
            path = self.look.tools[path]
        while place >= 0 and above[place]["type"] in ("MemberExpression", "ChainExpression"):
            outer = above[place]
            if outer["type"] == "MemberExpression":
                segment = _static_name(outer) if outer["object"] is inner else None
                if segment is None:
                    return self.unknown("which tool is called", node)
                if path and (path in known or segment in ("call", "apply", "bind")):
                    return self._tool(path, None, node)
                path = f"{path}/{canonical(segment)}".lstrip("/")
            inner, place = outer, place - 1
        if not path or (known and path not in known):
            return self.unknown("which tool is called", node)
        call = _call_of(inner, above[: place + 1])
        if call is None:
            return self._tool(path, None, node)
        arguments = literal(call["arguments"][0]) if len(call["arguments"]) == 1 else {}
        return self._tool(path, arguments if isinstance(arguments, dict) else None, node)

    def _tool(self, name: str, arguments: dict[str, Any] | None, node: Tree) -> None:
        self.look.found.tools.append(
            ToolUse(name, arguments, self.look.at(self._first + node["loc"]))
        )

    # -------------------------------------------------------------------- modules, files, commands

    def _harmless_module(self, source: Tree) -> bool:
        name = literal(source)
        return isinstance(name, str) and name.removeprefix("node:") in _MODULES

    def _import(self, node: Tree) -> None:
        name = str(literal(node["source"])).removeprefix("node:")
        if name in _FS and node["type"] == "ImportDeclaration":
            for each in node["specifiers"]:
                imported = each.get("imported")
                method = (
                    "fs"
                    if imported is None or imported.get("name") in ("default", "promises")
                    else imported["name"]
                )
                self._files[each["local"]["name"]] = method
        elif name not in _MODULES:
            self.unknown(f"what the module {name} does", node)

    def _require(self, node: Tree, above: list[Tree]) -> None:
        call = _call_of(node, above)
        name = (
            str(literal(call["arguments"][0])).removeprefix("node:")
            if call and call["arguments"]
            else ""
        )
        if name in _MODULES:
            return None
        if name not in _FS:
            return self.unknown(
                f"what the module {name} does" if name else "what is required", node
            )
        target = None
        for outer in reversed(above):
            if (
                outer["type"] == "MemberExpression"
                and outer is not call
                and _static_name(outer) != "promises"
            ):
                return self._file(call or node, above[: above.index(outer) + 1], "fs")
            if outer["type"] == "VariableDeclarator":
                target = outer["id"]
                break
        if target is not None and target["type"] == "Identifier":
            self._files[target["name"]] = "fs"
        elif target is not None and target["type"] == "ObjectPattern":
            for each in target["properties"]:
                if (
                    each["type"] != "Property"
                    or each["computed"]
                    or each["value"]["type"] != "Identifier"
                ):
                    return self.unknown("which files are used", node)
                method = each["key"].get("name")
                self._files[each["value"]["name"]] = "fs" if method == "promises" else str(method)
        else:
            self.unknown("which files are used", node)
        return None

    def _file(self, node: Tree, above: list[Tree], method: str) -> None:
        """A use of the module fs, or of a function of it."""
        if (
            above
            and above[-1]["type"] in ("VariableDeclarator", "Property")
            and above[-1].get("init") is not node
        ):
            return None  # where it gets its name
        place = len(above) - 1
        while method == "fs":
            outer = above[place] if place >= 0 else node
            name = (
                _static_name(outer)
                if outer["type"] == "MemberExpression" and outer["object"] is node
                else None
            )
            if name is None:
                return self.unknown("which files are used", node)
            node, place = outer, place - 1
            if name == "constants":
                return None
            method = "fs" if name == "promises" else name
        call = _call_of(node, above[: place + 1])
        line = self.look.at(self._first + node["loc"])
        mode = "read" if method in _READS else "append" if method in _APPENDS else "write"
        if call is None or method not in _READS | _WRITES | _APPENDS | _BOTH:
            return self.unknown("which files are used", node)
        for place, argument in enumerate(call["arguments"][: 2 if method in _BOTH else 1]):
            path = literal(argument)
            used = ("read", "write")[place] if method in _BOTH else mode
            self.look.found.files.append(
                FileUse(path if isinstance(path, str) else None, used, line)
            )
            if not isinstance(path, str):
                self.unknown("which file is used", node)
        return None

    def _shell(self, node: Tree, above: list[Tree]) -> None:
        line = self._first + node["loc"]
        outer = above[-1] if above else node
        if outer["type"] == "TaggedTemplateExpression" and outer["tag"] is node:
            texts = [each["value"].get("cooked") for each in outer["quasi"]["quasis"]]
            if None in texts:
                return self.unknown("which command is run", node)
            return self.look.script(
                " $_value ".join(texts) if _apart(texts) else "$_value".join(texts), line
            )
        if (
            outer["type"] == "MemberExpression"
            and _static_name(outer) == "run"
            and outer["object"] is node
        ):
            node, above = outer, above[:-1]
        call = _call_of(node, above)
        text = literal(call["arguments"][0]) if call and call["arguments"] else UNKNOWN
        if not isinstance(text, str):
            return self.unknown("which command is run", node)
        return self.look.script(text, line)


def _apart(texts: list[str]) -> bool:
    """Do values stand as words of their own?"""
    return all(re.search(r"(\s|^)\Z", text) for text in texts[:-1])


def _static_name(node: Tree) -> str | None:
    """The name by which a member is got at, when it is written out."""
    if node["type"] != "MemberExpression":
        return None
    if not node["computed"]:
        name: str | None = node["property"].get("name")
        return name
    value = literal(node["property"])
    return value if isinstance(value, str) else None


def _call_of(node: Tree, above: list[Tree]) -> Tree | None:
    """The call whose function this is."""
    outer = above[-1] if above else node
    is_call = outer["type"] == "CallExpression" and outer["callee"] is node
    if not is_call or any(each["type"] == "SpreadElement" for each in outer["arguments"]):
        return None
    return outer


def _dotted(node: Tree) -> str:
    if node["type"] == "Identifier":
        return str(node["name"])
    name = _static_name(node)
    return f"{_dotted(node['object'])}.{name}" if name is not None else "?"
