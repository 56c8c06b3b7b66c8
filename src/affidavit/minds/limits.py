"""How hard and how long a model is asked."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """How hard and how long a model is asked."""

    attempts: int = 4
    first_delay_seconds: float = 1.0
    longest_delay_seconds: float = 60.0
    """A provider that asks for a longer wait is not waited for."""
    longest_reply_chars: int = 2_000_000
    at_once: int = 8
    """Requests to one provider at the same time."""
