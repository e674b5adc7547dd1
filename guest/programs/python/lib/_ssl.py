"""There is no network."""

raise ImportError(
    "ssl is for connections, and a sandbox has no network: call a tool for what lies "
    "outside; hashlib and hmac are here",
    name="_ssl",
)
