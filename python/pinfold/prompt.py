"""Words for models: what the sandbox is, what scripts can call, and CodeAct."""

from __future__ import annotations

import re

from .catalog import declarations, describe_calls
from .grants import granting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from .sandbox_tool import SandboxTool

_ABOUT = (
    "Runs a script in a sandbox and returns what it prints.{languages}"
    " Files under /workspace and /tmp last from run to run and are shared by all;"
    " there is no network{web}."
)
_LANGUAGES_ABOUT = {
    "javascript": ' language "javascript": a program with top-level await; a returned value is'
    " printed; each program starts afresh.",
    "python": ' language "python": CPython 3.11, a notebook\'s cell with top-level await, names last'
    " from run to run; the value of a last expression is shown.",
    "shell": ' language "shell": bash with the usual Unix commands; {shell}.',
}
_WEB = (
    " but for requests of HTTP as http_request below allows them: curl, wget, fetch() and Python's"
    " urllib.request make them"
)
_REQUEST = "http/request"
_SHELL = "variables, functions and the working directory last from run to run, {options}"
_ENDING = "options (set, shopt) end with the run"
_KEPT = "and so do options (set, shopt)"
_OUTPUT = (
    " Output over {budget} characters is shortened in the middle; all of it is then in a file that"
    " the text names."
)


def describe_sandbox(tool: SandboxTool, languages: Collection[str] | None = None) -> str:
    """The description of the sandbox as a tool, with the functions that scripts can call.
    ``languages`` are those that it may be written in; None: all."""
    web = _WEB if granting(_REQUEST, tool.sandbox.capabilities) and _has_web(tool) else ""
    told = [
        text.format(shell=_what_lasts(tool))
        for name, text in _LANGUAGES_ABOUT.items()
        if languages is None or name in languages
    ]
    about = _ABOUT.format(languages="".join(told), web=web)
    if tool.output_characters is not None:
        about += _OUTPUT.format(budget=tool.output_characters)
    calls = describe_calls(tool.sandbox, tool.description_characters)
    return f"{about}\n\n{calls}" if calls else about


def _has_web(tool: SandboxTool) -> bool:
    return any(made.name == _REQUEST for made in tool.tools)


def _what_lasts(tool: SandboxTool) -> str:
    return _SHELL.format(options=_KEPT if tool.session_options else _ENDING)


def tool_types(tool: SandboxTool) -> str:
    """The functions that may be called as TypeScript declarations; "" without any.
    /tools/tools.d.ts inside has all that are declared.

    >>> from pinfold import create_sandbox_tool
    >>> def greet(name: str) -> str:
    ...     \"\"\"Greets.\"\"\"
    >>> print(tool_types(create_sandbox_tool(tools=[greet])))
    /** Greets. */
    declare function greet(params: { name: string }): Promise<string>;
    """
    return declarations(tool.sandbox)


_CODEACT = """\
You solve the user's task by writing programs. Answer with exactly one block of code to run it; \
you are shown what it prints and go on from there. Answer without a block of code when you are done.

```javascript
const rows = await list_rows({{table: "orders"}});
console.log(rows.filter(row => row.open).length);
```

Programs are JavaScript (a block marked `javascript`, with top-level await), Python (`python`) or \
bash (`shell`). Each JavaScript program starts afresh. In Python names last from block to block. \
In shell {shell}. \
Files in /workspace and /tmp last for all."""


def codeact_prompt(tool: SandboxTool) -> str:
    """A system prompt for a model that acts by writing code."""
    about = _CODEACT.format(shell=_what_lasts(tool))
    calls = describe_calls(tool.sandbox, tool.description_characters)
    return f"{about}\n\n{calls}" if calls else about


#: A block as CommonMark has it: three or more ` or ~, perhaps indented or in a list, and closed by
#: as many or more of the same, or by the end of the text.
_BLOCK = re.compile(
    r"""^(?P<indent>[ \t]*)(?:[-*+][ ]+|\d+[.)][ ]+)?
    (?P<fence>(?P<mark>[`~])(?P=mark){2,})[ \t]*(?P<name>[\w+#-]*)[^`\n]*\n
    (?P<code>.*?)
    (?:^(?:(?P=indent)[ ]{0,3}|[ \t]{0,3})(?P=fence)(?P=mark)*[ \t\r]*$|\Z)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_LANGUAGES = {
    "": "javascript",
    "javascript": "javascript",
    "js": "javascript",
    "node": "javascript",
    "typescript": "typescript",
    "ts": "typescript",
    "python": "python",
    "python3": "python",
    "py": "python",
    "shell": "shell",
    "bash": "shell",
    "sh": "shell",
}


def extract_code(text: str) -> tuple[str, str] | None:
    """The program in a model's answer as (code, language); ``None`` when it has none. Several
    blocks of one language are one program. A block may be indented, as in a list, and lack its end,
    as when the answer stops there.

    >>> extract_code("Let me look.\\n```shell\\nls\\n```")
    ('ls\\n', 'shell')
    """
    blocks = [
        (_dedented(block), _LANGUAGES[block["name"].lower()])
        for block in _BLOCK.finditer(text)
        if block["name"].lower() in _LANGUAGES and block["code"].strip()
    ]
    if not blocks:
        return None
    language = blocks[0][1]
    return "\n".join(code for code, kind in blocks if kind == language), language


def _dedented(block: re.Match[str]) -> str:
    """The code without what its fence is indented by."""
    width = block.start("fence") - block.start()
    lines = block["code"].splitlines(keepends=True)
    return "".join(line[min(width, _blanks(line)) :] for line in lines)


def _blanks(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
