"""A service of a test's own: in this process, or one that can be killed."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time

from pinfold import MethodCapability, Store
from pinfold.tokens import Issuer


def issued(issuer, *capabilities, **how):
    from pinfold.service.authority import encoded

    granted = list(capabilities) or [MethodCapability("**")]
    return encoded(issuer.issue(granted, expires_in=how.get("expires_in", 3600)))


class Service:
    """In a thread: its `home` can be looked into."""

    def __init__(self, place, tenants, server=None, admin=None, **how):
        import uvicorn

        from pinfold.service.api import create_app
        from pinfold.service.config import config
        from pinfold.service.sessions import Sessions

        settings = config({"tenants": tenants, "server": server or {}})
        self.store = Store(place, **how)
        self.home = Sessions(settings, self.store, "this server")
        self.app = create_app(settings, self.home, admin)
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self._server = uvicorn.Server(uvicorn.Config(self.app, log_config=None, access_log=False))
        self._thread = threading.Thread(target=lambda: self._server.run(sockets=[listening]), daemon=True)
        self._thread.start()
        ready(self.url)

    def stop(self):
        self.home.stop_soon()
        self._server.should_exit = True
        self._thread.join(30)


class Process:
    """A real one, by its command line."""

    def __init__(self, folder, place, config, port=0, advertise=False, announced=False):
        if advertise:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
        self.log = open(os.path.join(folder, "log"), "ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pinfold", "serve", "--config", config, "--store", place, "--port", str(port)]
            + (["--advertise", f"http://127.0.0.1:{port}"] if advertise or announced else []),
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self.url = self.process.stdout.readline().strip()
        assert self.url, open(os.path.join(folder, "log")).read()[-2000:]
        ready(self.url)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def terminate(self):
        self.process.terminate()
        status = self.process.wait(40)
        self.log.close()
        return status


def ready(url):
    import httpx

    until = time.monotonic() + 60
    while True:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{url}/readyz", trust_env=False).status_code == 200:
                return
        assert time.monotonic() < until
        time.sleep(0.02)


def configured(folder, issuer, peers=None, **tenant):
    """A file for `Process`, of the tenant acme."""
    path = os.path.join(folder, "service.toml")
    lines = ["[server]", "idle_seconds = 5", "grace_seconds = 5", "lease_seconds = 6", "[tenants.acme]"]
    if peers is not None:
        lines.insert(1, f"peers = {json.dumps(peers)}")
    lines += [f"keys = [{json.dumps(issuer.public_key.hex())}]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in tenant.items()]
    with open(path, "w") as file:
        file.write("\n".join(lines))
    return path


__all__ = ["Issuer", "Process", "Service", "configured", "issued", "ready"]
