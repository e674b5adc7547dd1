"""Examples in docstrings (``>>>``) as blocks of code: an extension of griffe, for the site (mkdocs.yml)."""

import re
from typing import Any

import griffe

#: From a line with >>> to the next empty line.
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class DoctestFences(griffe.Extension):
    """Markdown would have them as quotations within quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", text)
