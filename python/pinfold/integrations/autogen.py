"""A sandbox as AutoGen's executor of code blocks."""

from __future__ import annotations

import asyncio
from typing import Any

from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock, CodeExecutor, CodeResult
from pydantic import BaseModel

from ..prompt import _LANGUAGES
from ..sandbox_tool import SandboxTool


class PinfoldConfig(BaseModel):
    """How an executor is made: without tools, which no configuration can name."""


class PinfoldCodeExecutor(CodeExecutor):
    """Runs blocks of shell, JavaScript and Python one after the other, up to the first that fails.
    Files and the shell's state last until `restart`."""

    component_config_schema = PinfoldConfig

    def __init__(self, tool: SandboxTool | None = None) -> None:
        self._tool = SandboxTool() if tool is None else tool

    @property
    def tool(self) -> SandboxTool:
        """The sandbox behind it."""
        return self._tool

    async def execute_code_blocks(
        self, code_blocks: list[CodeBlock], cancellation_token: CancellationToken
    ) -> CodeResult:
        outputs, status = [], 0
        for block in code_blocks:
            language = _LANGUAGES.get(block.language.lower())
            if language is None:
                return CodeResult(1, f"unknown language {block.language}")
            run = asyncio.ensure_future(self._tool.arun_result(block.code, language))
            cancellation_token.link_future(run)
            text, result = await run
            outputs.append(text)
            status = result.exit_code
            if status != 0:
                break
        return CodeResult(status, "\n".join(outputs))

    async def start(self) -> None:
        """There is nothing to start."""

    async def stop(self) -> None:
        self._tool.close()

    async def restart(self) -> None:
        fresh = self._tool._another()
        self._tool.close()
        self._tool = fresh

    def _to_config(self) -> PinfoldConfig:
        if self._tool.tools:
            raise ValueError("an executor whose sandbox has tools has no configuration")
        return PinfoldConfig()

    @classmethod
    def _from_config(cls, config: Any) -> PinfoldCodeExecutor:
        return cls()
