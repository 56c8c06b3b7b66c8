"""How much the service is loaded with: variables of the environment in, numbers out."""

import os
from dataclasses import dataclass

CHAIN = ("plan", "read", "look", "read to verify", "verify", "words")
"""The calls of a review that must wait for each other; whether the verifier answers is tried beside them."""
CALLS = len(CHAIN) + 1


@dataclass(frozen=True)
class Sizes:
    """One size of the bench."""

    reviews: int
    at_once: int
    """Of each of two workers."""
    latency_seconds: float
    clients: int
    day_reviews: int
    day_events: int
    """Of each of these reviews."""

    @property
    def ideal_seconds(self) -> float:
        """What the limits allow: all workers always have as many reviews as they may, which only wait."""
        return self.reviews * len(CHAIN) * self.latency_seconds / (2 * self.at_once)


def sizes() -> Sizes:
    """The full size, unless the environment says otherwise: `AFFIDAVIT_BENCH_REVIEWS=20`."""

    def said(name: str, default: float) -> float:
        return float(os.environ.get(f"AFFIDAVIT_BENCH_{name}") or default)

    return Sizes(
        reviews=int(said("REVIEWS", 200)),
        at_once=int(said("AT_ONCE", 8)),
        latency_seconds=said("LATENCY", 3.0),
        clients=int(said("CLIENTS", 500)),
        day_reviews=int(said("DAY_REVIEWS", 2_000)),
        day_events=int(said("DAY_EVENTS", 150)),
    )
