"""A PostgreSQL of a test's own: a cluster in a temporary directory, run by an ordinary user on a
free port of the loopback interface, which can be killed and started again."""

import contextlib
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid

import pytest


def program(name):
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda p: int(p.split("/")[4]))
    return found[-1] if found else shutil.which(name)


def missing():
    """Why there can be none here, or None."""
    try:
        import psycopg  # noqa: F401
        import zstandard  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed"
    if program("initdb") is None or program("postgres") is None:
        return "PostgreSQL is not installed"
    return None


class Postgres:
    def __init__(self):
        memory = os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free > 2 << 30
        self.folder = tempfile.mkdtemp(prefix="pinfold-pg-", dir="/dev/shm" if memory else "/tmp")
        self.data = os.path.join(self.folder, "data")
        self.user = {}
        if os.getuid() == 0:  # which PostgreSQL refuses
            who = pwd.getpwnam("postgres" if _exists("postgres") else "nobody")
            os.chown(self.folder, who.pw_uid, who.pw_gid)
            self.user = {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        subprocess.run(
            [program("initdb"), "-D", self.data, "-U", "pinfold", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"],
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self.user,
        )
        self.process = None
        self.start()

    def start(self):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [program("postgres"), "-D", self.data, "-h", "127.0.0.1", "-p", str(self.port), "-k", self.folder,
                 "-c", "max_connections=200"],
                stdout=log, stderr=log, cwd=self.folder, **self.user,
            )
        import psycopg

        until = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > until or self.process.poll() is not None:
                    with open(os.path.join(self.folder, "log")) as log:
                        raise RuntimeError(log.read()[-2000:]) from None
                time.sleep(0.05)

    def kill(self):
        """As when the machine loses power: no process of it says goodbye."""
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        for pid in [self.process.pid, *map(int, children.stdout.split())]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def url(self, database):
        return f"postgresql://pinfold@127.0.0.1:{self.port}/{database}"

    def database(self):
        """The URL of a new, empty one."""
        import psycopg

        name = f"t{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
        return self.url(name)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _exists(user):
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


@contextlib.contextmanager
def running():
    """One for a test; skips the test where there can be none."""
    why = missing()
    if why is not None:
        pytest.skip(why)
    server = Postgres()
    yield server
    server.stop()
