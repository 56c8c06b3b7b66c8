"""What models sent in recorded reviews, role by role: the runs on which the estimate is fitted."""

from dataclasses import dataclass

from affidavit.ports import Role


@dataclass(frozen=True)
class RecordedRole:
    """What one role sent in one review."""

    role: Role
    conversations: int
    opening_tokens: int
    """Of the first request of a conversation, on average."""
    requests: int
    input_tokens: int


@dataclass(frozen=True)
class RecordedRun:
    """One review that was recorded whole."""

    change: str
    changed_lines: int
    roles: tuple[RecordedRole, ...]

    @property
    def input_tokens(self) -> int:
        """All that was sent."""
        return sum(one.input_tokens for one in self.roles)


RECORDED: tuple[RecordedRun, ...] = (
    RecordedRun(
        "django/django 358fd21c47",
        58,
        (
            RecordedRole("planner", 1, 5_226, 2, 11_551),
            RecordedRole("specialist", 4, 7_603, 10, 98_044),
            RecordedRole("verifier", 8, 4_877, 16, 98_520),
            RecordedRole("joiner", 1, 1_714, 1, 1_714),
            RecordedRole("reporter", 1, 893, 1, 893),
        ),
    ),
)
"""A run that is recorded with `--record` can be added here; a test holds the estimate against each."""
