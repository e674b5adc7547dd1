"""The page that shows a recording: `pinfold trace` writes it, `pinfold debug` serves it."""

#: Headers of each answer that shows a recording or a sandbox: nothing is kept, framed or passed on.
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
