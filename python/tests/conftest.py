"""What the tests of the Python package share."""

import signal

import postgres_server
import pytest

from pinfold import Sandbox

# Whoever runs the tests in the background of a shell without job control ignores Ctrl-C, and so
# would Python.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def sandbox():
    with Sandbox() as made:
        yield made


@pytest.fixture(scope="module")
def chromium():
    import browser

    with browser.chromium() as made:
        yield made


@pytest.fixture
def visit(chromium):
    import browser

    with browser.visiting(chromium) as made:
        yield made


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server of the tests' own."""
    with postgres_server.running() as server:
        yield server


@pytest.fixture
def place(tmp_path):
    """Where a store is: in a new file, and in test_store_postgres.py on a server."""
    return str(tmp_path / "agents.db")
