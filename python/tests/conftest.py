"""What the tests of the Python package share."""

import pytest

from pinfold import Sandbox


@pytest.fixture
def sandbox():
    with Sandbox() as made:
        yield made
