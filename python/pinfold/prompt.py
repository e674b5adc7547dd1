"""Words for models: what the sandbox is, what scripts can call, and CodeAct."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .sandbox_tool import SandboxTool

_ABOUT = (
    "Runs a script in a sandbox and returns what it prints."
    ' language "javascript": a program with top-level await; a returned value is printed.'
    ' language "shell": bash with the usual Unix commands.'
    " Files under /workspace and /tmp last from run to run and are shared by both;"
    " there is no network."
)

_CALLS = (
    "Scripts call these functions; each takes one object and gives a promise. Do many steps in"
    " one script, in parallel with Promise.all, and print only what you need."
    " In shell: `tool NAME --param value`, which prints JSON. In JavaScript integers beyond 2^53"
    " are BigInt (123n), in results and in arguments; `return` and console.log show them exactly."
)


def describe_sandbox(tool: SandboxTool) -> str:
    """The description of the sandbox as a tool, with the functions that scripts can call."""
    types = tool_types(tool)
    return f"{_ABOUT}\n\n{_CALLS}\n\n{types}" if types else _ABOUT


def tool_types(tool: SandboxTool) -> str:
    """The functions as TypeScript declarations, as /tools/tools.d.ts has them; "" without any.

    >>> from pinfold import create_sandbox_tool
    >>> def greet(name: str) -> str:
    ...     \"\"\"Greets.\"\"\"
    >>> print(tool_types(create_sandbox_tool(tools=[greet])))
    declare const tools: {
      /** Greets. */
      "greet"(params: { name: string }): Promise<any>;
    };
    declare const greet: (typeof tools)["greet"];
    """
    if not tool.tools:
        return ""
    text = tool.sandbox.files.text("/tools/tools.d.ts")
    return text.partition("\n")[2].strip()


_CODEACT = """\
You solve the user's task by writing programs. Answer with exactly one block of code to run it; \
you are shown what it prints and go on from there. Answer without a block of code when you are done.

```javascript
const rows = await list_rows({table: "orders"});
console.log(rows.filter(row => row.open).length);
```

Programs are JavaScript (a block marked `javascript`, with top-level await) or bash (a block \
marked `shell`). Variables do not last from program to program, files in /workspace do."""


def codeact_prompt(tool: SandboxTool) -> str:
    """A system prompt for a model that acts by writing code."""
    types = tool_types(tool)
    return f"{_CODEACT}\n\n{_CALLS}\n\n{types}" if types else _CODEACT


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
