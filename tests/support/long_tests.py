"""What `make test` tries in part and `make test-all` whole, and the chance that chooses the part."""

import os
import random
import sys

IS_LONG = bool(os.environ.get("AFFIDAVIT_LONG_TESTS"))


def examples(whole: int) -> int:
    """How many made-up examples a property is tried with, of those that `make test-all` tries."""
    return whole if IS_LONG else max(20, whole // 3)


def tell(line: str) -> None:
    """Shown where a test fails, or with -s."""
    sys.stdout.write(line + "\n")


def seeded_chance() -> random.Random:
    """Another one in each run; AFFIDAVIT_SEED repeats one."""
    seed = int(os.environ.get("AFFIDAVIT_SEED") or random.randrange(10_000))
    tell(f"AFFIDAVIT_SEED={seed}")
    return random.Random(seed)
