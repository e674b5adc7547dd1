"""A sandbox as the backend of deepagents: its file tools and its command `execute`."""

from __future__ import annotations

import uuid
from typing import Any

from deepagents.backends.protocol import (
    ExecuteResponse,
    FileDownloadResponse,
    FileUploadResponse,
)
from deepagents.backends.sandbox import BaseSandbox

from ..sandbox_tool import SandboxTool


class PinfoldBackend(BaseSandbox):
    """``create_deep_agent(backend=PinfoldBackend())``; commands run in the sandbox's session."""

    def __init__(self, tool: SandboxTool | None = None) -> None:
        self.tool = SandboxTool() if tool is None else tool
        self._id = f"pinfold-{uuid.uuid4()}"

    @property
    def id(self) -> str:
        return self._id

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        result = self.tool.sandbox.run(command, timeout=timeout)
        output = result.stdout + result.stderr
        if result.limit is not None:
            output += f"\n[stopped at the limit {result.limit}]"
        return ExecuteResponse(output, result.exit_code, truncated=bool(result.truncated))

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        return [FileUploadResponse(path, error=self._put(path, data)) for path, data in files]

    def _put(self, path: str, data: bytes) -> Any:
        try:
            self.tool.sandbox.files[path] = data
        except IsADirectoryError:
            return "is_directory"
        except (OSError, ValueError):
            return "invalid_path"
        return None

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        return [self._get(path) for path in paths]

    def _get(self, path: str) -> FileDownloadResponse:
        try:
            return FileDownloadResponse(path, content=self.tool.sandbox.files[path])
        except KeyError:
            return FileDownloadResponse(path, error="file_not_found")
        except IsADirectoryError:
            return FileDownloadResponse(path, error="is_directory")
        except (OSError, ValueError):
            return FileDownloadResponse(path, error="invalid_path")
