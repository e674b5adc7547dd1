"""The standard tools of models, served by a sandbox: Anthropic's bash and text editor, OpenAI's
shell and apply_patch. A call comes in as the block or item of the model's answer, and what goes back
to the model comes out; what the model did wrong is words for it, never an exception.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from .content import Content
from .definitions import arguments_of
from .editor import EditError
from .patching import Operation, created, operations, updated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .sandbox_tool import SandboxTool

EDITORS = ("str_replace_based_edit_tool", "str_replace_editor")
ANTHROPIC: list[dict[str, Any]] = [
    {"type": "bash_20250124", "name": "bash"},
    {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
]
OPENAI: list[dict[str, Any]] = [{"type": "shell"}, {"type": "apply_patch"}]


class Script:
    """What a call wants to have run."""

    def __init__(self, code: str, language: str) -> None:
        self.code = code
        self.language = language


def plain(given: Any) -> dict[str, Any]:
    """A block or item as a dictionary: that of an SDK, or a dictionary."""
    if hasattr(given, "model_dump"):
        given = given.model_dump(exclude_none=True)
    if not isinstance(given, Mapping):
        raise TypeError(f"a tool call is a mapping or an object of the SDK, not {given!r}")
    return dict(given)


# ------------------------------------------------------------------ Anthropic


def anthropic_script(tool: SandboxTool, block: dict[str, Any]) -> Script | None:
    """The script that a ``tool_use`` block wants to have run; ``None`` for an edit."""
    name, given = block.get("name"), block.get("input") or {}
    if name in EDITORS:
        return None
    if name != "bash" or "language" in given:
        return Script(*arguments_of(given))
    if given.get("restart"):
        return Script("echo The shell was restarted.; exit", "shell")
    if not isinstance(given.get("command"), str):
        raise EditError("bash needs command, a string, or restart")
    return Script(given["command"], "shell")


def anthropic_result(block: dict[str, Any], content: Content, failed: bool) -> dict[str, Any]:
    result = {
        "type": "tool_result",
        "tool_use_id": block.get("id"),
        "content": content.anthropic(),
    }
    return {**result, "is_error": True} if failed else result


# ------------------------------------------------------------------ OpenAI


def openai_patch(tool: SandboxTool, item: dict[str, Any]) -> str | None:
    """Does what a patch asks for; ``None`` when the item is no patch."""
    if item.get("type") == "apply_patch_call":
        return _operate(tool, [_operation(item.get("operation"))])
    if (
        item.get("type") in ("function_call", "custom_tool_call")
        and item.get("name") == "apply_patch"
    ):
        given = item.get("arguments", item.get("input"))
        return _operate(tool, operations(_patch_text(given)))
    return None


def openai_commands(item: dict[str, Any]) -> list[str] | None:
    """The commands of a shell call, each a text for the shell; ``None`` for any other item."""
    action = item.get("action") or {}
    if item.get("type") == "shell_call":
        commands = action.get("commands")
        if not isinstance(commands, list) or not all(isinstance(c, str) for c in commands):
            raise EditError("a shell call has commands, a list of strings")
        return commands
    if item.get("type") == "local_shell_call":
        command = action.get("command")
        if not isinstance(command, list) or not all(isinstance(c, str) for c in command):
            raise EditError("a local shell call has command, a list of strings")
        folder = action.get("working_directory")
        names = [
            f"{name}={shlex.quote(value)}" for name, value in (action.get("env") or {}).items()
        ]
        code = " ".join([*names, shlex.join(command)])
        return [f"(cd {shlex.quote(folder)} && {code})" if folder else code]
    return None


def openai_output(item: dict[str, Any], output: Any, failed: bool = False) -> dict[str, Any]:
    """The item that answers another one."""
    kind = str(item.get("type", "function_call"))
    if kind == "local_shell_call":
        return {"type": "local_shell_call_output", "id": item.get("id"), "output": output}
    answer = {"type": f"{kind}_output", "call_id": item.get("call_id"), "output": output}
    if kind == "apply_patch_call":
        answer["status"] = "failed" if failed else "completed"
    return answer


def _operation(given: Any) -> Operation:
    if not isinstance(given, Mapping):
        raise EditError("apply_patch has an operation")
    kind, path = given.get("type"), given.get("path")
    if kind not in ("create_file", "update_file", "delete_file") or not isinstance(path, str):
        raise EditError(f"an operation creates, updates or deletes a file at a path: {dict(given)}")
    return Operation(str(kind), path, str(given.get("diff") or ""))


def _patch_text(given: Any) -> str:
    if isinstance(given, str) and not given.lstrip().startswith("*** "):
        try:
            given = json.loads(given)
        except ValueError as error:
            raise EditError(f"the arguments are not JSON: {error}") from None
    if isinstance(given, Mapping):
        given = next((given[name] for name in ("input", "patch") if name in given), None)
    if not isinstance(given, str):
        raise EditError("apply_patch takes the text of a patch, as input")
    return given


def _operate(tool: SandboxTool, todo: list[Operation]) -> str:
    """All of it, or nothing: what cannot be applied is found before anything is written."""
    editor = tool.editor
    writes: dict[str, bytes | None] = {}
    lines: list[str] = []
    for operation in todo:
        path = editor._path({"path": operation.path})
        if operation.type == "create_file":
            writes[path] = created(operation.diff).encode()
            lines.append(f"A {path}")
            continue
        known = writes.get(path)
        text = known.decode() if known is not None else editor.text(path)
        if operation.type == "delete_file":
            writes[path] = None
            lines.append(f"D {path}")
            continue
        made = updated(text, operation.diff).encode()
        if operation.move_to is None:
            writes[path] = made
            lines.append(f"M {path}")
        else:
            target = editor._path({"path": operation.move_to})
            writes[path], writes[target] = None, made
            lines.append(f"R {path} {target}")
    for path, data in writes.items():
        if data is None:
            editor.remove(path)
        else:
            editor.write(path, data)
    return "\n".join(["Done!", *lines])
