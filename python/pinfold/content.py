"""What a run gives a model beside text: the images whose paths it printed."""

from __future__ import annotations

import base64
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .sandbox import Sandbox

#: How many images of one run are shown, and how large one may be.
IMAGES = 4
IMAGE_BYTES = 5 << 20
_LOOKED_AT = 50  # files: a script may print as many names as it likes

_PATH = re.compile(r"(?:^|(?<=[\s'\"`(=:]))/[\w./+@%-]*\.(?:png|jpe?g|gif|webp)\b", re.ASCII | re.I)
#: What files begin with that are no text: in words, as a suffix, and the media type of an image
#: that models take.
KINDS: tuple[tuple[bytes, str, str, str | None], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image", "png", "image/png"),
    (b"\xff\xd8\xff", "a JPEG image", "jpg", "image/jpeg"),
    (b"GIF8", "a GIF image", "gif", "image/gif"),
    (b"%PDF-", "a PDF document", "pdf", None),
    (b"PK\x03\x04", "a zip archive", "zip", None),
    (b"\x1f\x8b", "gzip data", "gz", None),
    (b"BZh", "bzip2 data", "bz2", None),
    (b"\xfd7zXZ\x00", "xz data", "xz", None),
    (b"\x28\xb5\x2f\xfd", "zstd data", "zst", None),
    (b"SQLite format 3\x00", "an SQLite database", "sqlite", None),
)


class Image:
    """An image that a script left."""

    __slots__ = ("path", "media_type", "data")

    def __init__(self, path: str, media_type: str, data: bytes) -> None:
        self.path = path
        self.media_type = media_type
        self.data = data

    @property
    def base64(self) -> str:
        return base64.b64encode(self.data).decode()

    def __repr__(self) -> str:
        return f"<Image {self.path}, {self.media_type}, {len(self.data)} bytes>"


class Content:
    """Text and images for a model, in the form of its interface."""

    __slots__ = ("text", "images")

    def __init__(self, text: str, images: list[Image] | None = None) -> None:
        self.text = text
        self.images = images or []

    def anthropic(self) -> list[dict[str, Any]]:
        """Content blocks of a ``tool_result``."""
        parts: list[dict[str, Any]] = [{"type": "text", "text": self.text}]
        for image in self.images:
            source = {"type": "base64", "media_type": image.media_type, "data": image.base64}
            parts.append({"type": "image", "source": source})
        return parts

    def openai(self) -> str | list[dict[str, Any]]:
        """The ``output`` of a ``function_call_output``."""
        if not self.images:
            return self.text
        parts: list[dict[str, Any]] = [{"type": "input_text", "text": self.text}]
        for image in self.images:
            url = f"data:{image.media_type};base64,{image.base64}"
            parts.append({"type": "input_image", "image_url": url})
        return parts

    def mcp(self) -> list[Any]:
        """Content of a tool's result, as the MCP SDK has it."""
        from mcp import types

        parts: list[Any] = [types.TextContent(type="text", text=self.text)]
        for image in self.images:
            given = {"type": "image", "data": image.base64, "mimeType": image.media_type}
            parts.append(types.ImageContent.model_validate(given))
        return parts


def printed_images(sandbox: Sandbox, stdout: str) -> list[Image]:
    """The images inside whose absolute paths a script printed, the first few."""
    found: dict[str, Image | None] = {}
    for match in _PATH.finditer(stdout[-(1 << 20) :]):
        path = match[0]
        if path not in found:
            found[path] = _image(sandbox, path)
        images = [image for image in found.values() if image is not None]
        if len(images) == IMAGES or len(found) == _LOOKED_AT:
            break
    return [image for image in found.values() if image is not None]


def _image(sandbox: Sandbox, path: str) -> Image | None:
    from .errors import BoundError

    try:
        data = sandbox.files.read(path, max_bytes=IMAGE_BYTES)
    except (KeyError, OSError, ValueError, BoundError):
        return None
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Image(path, "image/webp", data)
    media_type = next((kind for mark, *_, kind in KINDS if data.startswith(mark)), None)
    return None if media_type is None else Image(path, media_type, data)
