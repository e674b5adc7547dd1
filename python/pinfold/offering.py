"""How a `SandboxTool` is offered: to models as definitions, to frameworks as their tools."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .sandbox_tool import SandboxTool


class Offering:
    """The part of `SandboxTool` that others are given."""

    def _whole(self) -> SandboxTool:
        """What this is a part of."""
        return self  # type: ignore[return-value]

    @property
    def description(self) -> str:
        """What a model is told of the sandbox: what it runs, and the functions scripts can call."""
        from .prompt import describe_sandbox

        return describe_sandbox(self._whole())

    def codeact_prompt(self) -> str:
        """A system prompt for a model that acts by writing code; `pinfold.prompt.extract_code`
        finds the program in its answers."""
        from .prompt import codeact_prompt

        return codeact_prompt(self._whole())

    def as_codeact_eval(self, *, asynchronous: bool = False) -> Callable[[str, Any], Any]:
        """The ``eval_fn`` of ``langgraph_codeact.create_codeact``, with `codeact_prompt` as its
        ``prompt``: runs the JavaScript that a model wrote. What a program leaves for the next one
        lies in files, so the context of variables stays as it is.

        >>> SandboxTool().as_codeact_eval()("return 6 * 7", {})
        ('42', {})
        """

        def evaluate(code: str, context: Any) -> tuple[str, dict[str, Any]]:
            return self._whole().run(code, "javascript"), {}

        async def aevaluate(code: str, context: Any) -> tuple[str, dict[str, Any]]:
            return await self._whole().arun(code, "javascript"), {}

        return aevaluate if asynchronous else evaluate

    def as_openai_tool(self, name: str = "sandbox", *, api: str = "chat") -> dict[str, Any]:
        """The definition for OpenAI: ``api`` is ``"chat"`` or ``"responses"``. `handle` runs what
        the model then asks for."""
        from .definitions import openai_tool

        return openai_tool(name, self.description, api)

    def as_anthropic_tool(self, name: str = "sandbox") -> dict[str, Any]:
        """The definition for Anthropic; `handle` runs what the model then asks for."""
        from .definitions import anthropic_tool

        return anthropic_tool(name, self.description)

    def as_anthropic_tools(self, name: str = "sandbox") -> list[dict[str, Any]]:
        """The sandbox with Anthropic's standard tools, bash and the text editor, which
        `handle_anthropic` serves on the same files."""
        from .standard import ANTHROPIC

        return [self.as_anthropic_tool(name), *ANTHROPIC]

    def as_openai_tools(self, name: str = "sandbox") -> list[dict[str, Any]]:
        """The sandbox with OpenAI's standard tools for responses, shell and apply_patch, which
        `handle_openai` serves on the same files."""
        from .standard import OPENAI

        return [self.as_openai_tool(name, api="responses"), *OPENAI]

    def as_langchain_tool(self, name: str = "sandbox") -> Any:
        """One LangChain tool with the arguments ``code`` and ``language``, sync and async."""
        from .langchain import as_langchain_tool

        return as_langchain_tool(self._whole(), name, self.description)

    def as_langchain_tools(self, name: str = "sandbox") -> list[Any]:
        """Two LangChain tools, ``sandbox_js`` and ``sandbox_shell``."""
        from .langchain import as_langchain_tools

        return as_langchain_tools(self._whole(), name)

    def as_pydantic_ai_tool(self, name: str = "sandbox") -> Any:
        """One PydanticAI tool."""
        from .pydantic_ai import as_pydantic_ai_tool

        return as_pydantic_ai_tool(self._whole(), name, self.description)

    def as_mcp_server(self, name: str = "pinfold") -> Any:
        """A server of the MCP SDK. Each of its sessions is a sandbox with all the settings of this
        one and fresh files; they and this one spend the budgets (``max_calls``) together. A session
        of what is recorded as ``run.jsonl`` is recorded as ``run.1.jsonl``, and so on."""
        from .mcp_server import server_of

        return server_of(self._whole(), name)
