"""Memory that is a file does not exist here."""

raise ImportError(
    "a sandbox has no mmap: read the file, or parts of it with seek() and read()", name="mmap"
)
