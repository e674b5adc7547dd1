"""``pinfold serve``: sandboxes over HTTP, for programs that are not in this process.

`config` says who the tenants are, `authority` what a token may do, `session` is one sandbox and the
run that is on, `sessions` all of them and the store behind them, `api` the routes, `client` the
other end. Needs ``pip install "pinfold[service]"``.

What the service acknowledged is in the store: a run that is complete, a call that was handed out,
an answer that was taken. So a server that is killed loses nothing of that, and what it had not
acknowledged did not happen: it is asked for again.
"""
