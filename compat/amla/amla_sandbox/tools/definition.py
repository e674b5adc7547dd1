"""`ToolDefinition`: what a tool is called, does and takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass
class ToolDefinition:
    name: str
    description: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.parameters,
        }

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        parameters = written.get("inputSchema", written.get("parameters"))
        return cls(
            name=written["name"],
            description=written.get("description", ""),
            parameters=dict(parameters or {}),
        )
