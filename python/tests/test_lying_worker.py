"""A worker that lies gets nothing: the seeds of tests/fuzz/seeds/worker, each lie by itself, and
some recipes at random. `make fuzz` goes on (tests/fuzz/fuzz_worker)."""

import random
from pathlib import Path

import lying
import pytest

SEEDS = Path(__file__).resolve().parents[2] / "tests/fuzz/seeds/worker"


@pytest.mark.parametrize("seed", sorted(path.name for path in SEEDS.iterdir()))
def test_seeds(seed):
    lying.check((SEEDS / seed).read_text())


@pytest.mark.parametrize("lie", lying.LIES)
def test_every_lie(lie):
    at = random.Random(lie).randrange(1, 5)
    lying.check(f"{at} {lie} {at}\n{at + 1} {lie} {at + 77}\n")


def test_a_worker_that_does_not_lie_is_believed():
    """Else the rest would show nothing."""
    embedder = lying.Embedder()
    with embedder.sandbox() as sandbox:
        for scene in lying.SCENES[:1] + lying.SCENES[3:]:
            scene(sandbox, embedder)
    assert embedder.made["pay"] == 3 and embedder.made["note"] >= 5


def test_recipes_at_random():
    rng = random.Random(1)
    for _ in range(5):
        lying.check(lying.random_recipe(rng))
