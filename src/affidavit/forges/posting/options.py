"""What the user allows the poster to do, and what is known of the report that it posts."""

from affidavit.records.record import Record


class PostOptions(Record):
    """Nothing that binds people is allowed unless it is asked for."""

    may_approve: bool = False
    may_block: bool = False
    nits: bool = False
    sets_gate: bool = True
    digest: str = ""
    """SHA-256 of the report's very bytes."""
    unproven: tuple[str, ...] = ()
    """What a recheck could not prove again; named in the summary."""
    is_rechecked: bool = False
    signer: str = ""
    """The key that signed the report."""
    run: str = ""
    """The job that posts, and keeps the report as its artifact, where the next run finds it by this."""
    refused: frozenset[str] = frozenset()
    """Places that the forge did not take a comment on: what was to stand there goes into the summary."""
