"""The page that shows a recording: `pinfold trace` writes it, `pinfold debug` serves it."""
