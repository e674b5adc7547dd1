"""How a `SandboxTool` serves the standard tools of models, and gives images."""

from __future__ import annotations

from .content import Content, printed_images
from .definitions import arguments_of
from .shown import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from .editor import Editor
    from .result import Result
    from .sandbox import Sandbox
    from .sandbox_tool import SandboxTool
    from .typed import ToolRunSettings


class Handling:
    """The part of `SandboxTool` that does what a model's answer asks for."""

    def _whole(self) -> SandboxTool:
        """What this is a part of."""
        return self  # type: ignore[return-value]

    sandbox: Sandbox
    output_characters: int | None
    _editor: Editor | None

    def run(self, code: str, language: str, **how: Unpack[ToolRunSettings]) -> str:
        raise NotImplementedError

    async def arun(self, code: str, language: str, **how: Unpack[ToolRunSettings]) -> str:
        raise NotImplementedError

    def run_result(
        self, code: str, language: str, **how: Unpack[ToolRunSettings]
    ) -> tuple[str, Result]:
        raise NotImplementedError

    async def arun_result(
        self, code: str, language: str, **how: Unpack[ToolRunSettings]
    ) -> tuple[str, Result]:
        raise NotImplementedError

    def _mistake(self, error: ValueError) -> str:
        raise NotImplementedError

    @property
    def editor(self) -> Editor:
        """The text editor behind the models' editing tools. What it can undo lasts as long as this
        object; it is in no snapshot."""
        if self._editor is None:
            from .editor import Editor

            self._editor = Editor(self.sandbox)
        return self._editor

    def run_content(self, code: str, language: str) -> Content:
        """As `run`, with the images whose absolute paths the script printed: `Content` has them in
        the forms of Anthropic, OpenAI and MCP."""
        try:
            text, result = self.run_result(code, language)
        except ValueError as error:
            return Content(self._mistake(error))
        return Content(text, printed_images(self.sandbox, result.stdout))

    async def arun_content(self, code: str, language: str) -> Content:
        """As `run_content`, async."""
        try:
            text, result = await self.arun_result(code, language)
        except ValueError as error:
            return Content(self._mistake(error))
        return Content(text, printed_images(self.sandbox, result.stdout))

    def handle_anthropic(self, block: Any) -> dict[str, Any]:
        """Serves a ``tool_use`` block of Anthropic's and gives its ``tool_result`` block: for this
        sandbox as a tool, for Anthropic's bash tool, and for its text editor.

        >>> tool = SandboxTool()
        >>> edit = {"command": "create", "path": "/workspace/a", "file_text": "hello"}
        >>> block = {"type": "tool_use", "id": "t1", "name": "str_replace_based_edit_tool"}
        >>> tool.handle_anthropic({**block, "input": edit})["content"][0]["text"]
        'File created successfully at: /workspace/a'
        >>> block = {"type": "tool_use", "id": "t2", "name": "bash", "input": {"command": "cat a"}}
        >>> tool.handle_anthropic(block)["content"]
        [{'type': 'text', 'text': 'hello'}]
        """
        from . import standard

        given = standard.plain(block)
        try:
            script = standard.anthropic_script(self._whole(), given)
            if script is None:
                content = Content(self.editor.handle(given.get("input") or {}))
            else:
                content = self.run_content(script.code, script.language)
        except ValueError as error:
            return standard.anthropic_result(given, Content(self._mistake(error)), True)
        return standard.anthropic_result(given, content, False)

    async def ahandle_anthropic(self, block: Any) -> dict[str, Any]:
        """As `handle_anthropic`, async."""
        from . import standard

        given = standard.plain(block)
        try:
            script = standard.anthropic_script(self._whole(), given)
        except ValueError as error:
            return standard.anthropic_result(given, Content(self._mistake(error)), True)
        if script is None:
            edited: dict[str, Any] = await self.sandbox._offload(self.handle_anthropic, given)
            return edited
        content = await self.arun_content(script.code, script.language)
        return standard.anthropic_result(given, content, False)

    def handle_openai(self, item: Any) -> dict[str, Any]:
        """Serves an item of OpenAI's responses and gives the one that answers it: a
        ``function_call`` of this sandbox as a tool, a ``shell_call`` or ``local_shell_call``, an
        ``apply_patch_call``, and a function or custom tool named ``apply_patch``.

        >>> call = {"type": "shell_call", "call_id": "c1", "action": {"commands": ["echo hi"]}}
        >>> SandboxTool().handle_openai(call)["output"]
        [{'stdout': 'hi\\n', 'stderr': '', 'outcome': {'type': 'exit', 'exit_code': 0}}]
        """
        from . import standard

        given = standard.plain(item)
        try:
            done = standard.openai_patch(self._whole(), given)
            if done is not None:
                return standard.openai_output(given, done)
            commands = standard.openai_commands(given)
            if commands is None:
                code, language = arguments_of(given.get("arguments") or "")
                return standard.openai_output(given, self.run_content(code, language).openai())
            if given["type"] == "local_shell_call":
                return standard.openai_output(given, self.run(commands[0], "shell"))
            outputs = [self._shell_output(self.run_result(code, "shell")[1]) for code in commands]
            return standard.openai_output(given, outputs)
        except ValueError as error:
            return standard.openai_output(given, self._mistake(error), failed=True)

    async def ahandle_openai(self, item: Any) -> dict[str, Any]:
        """As `handle_openai`, async."""
        from . import standard

        given = standard.plain(item)
        try:
            commands = standard.openai_commands(given)
            if commands is not None and given["type"] == "local_shell_call":
                return standard.openai_output(given, await self.arun(commands[0], "shell"))
            if commands is not None:
                outputs = []
                for code in commands:
                    result = (await self.arun_result(code, "shell"))[1]
                    outputs.append(self._shell_output(result))
                return standard.openai_output(given, outputs)
            if given.get("type") == "function_call" and given.get("name") != "apply_patch":
                code, language = arguments_of(given.get("arguments") or "")
                content = await self.arun_content(code, language)
                return standard.openai_output(given, content.openai())
        except ValueError as error:
            return standard.openai_output(given, self._mistake(error), failed=True)
        patched: dict[str, Any] = await self.sandbox._offload(self.handle_openai, given)
        return patched

    def _shell_output(self, result: Result) -> dict[str, Any]:
        """A run as the output of one command of a shell call."""
        outcome: dict[str, Any] = {"type": "exit", "exit_code": result.exit_code}
        if result.limit in ("cpu_seconds", "wall_seconds"):
            outcome = {"type": "timeout"}
        most = self.output_characters
        stdout, stderr = (
            text if most is None or len(text) <= most else shorten(text, most)
            for text in (result.stdout, result.stderr)
        )
        return {"stdout": stdout, "stderr": stderr, "outcome": outcome}
