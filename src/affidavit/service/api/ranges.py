"""A range of a repository that the server knows: names of revisions in, commits with a merge base out."""

from dataclasses import dataclass
from pathlib import Path

from affidavit.git.confined.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.git.revisions import branch_named, merge_base, resolve_commit
from affidavit.service.problems import Refusal
from affidavit.system.folders import bytes_in


@dataclass(frozen=True)
class CheckedRange:
    """Two commits that have one in common."""

    base: str
    head: str
    branch: str
    """The branch that the head was named by; empty where it was a commit's id, a tag or anything computed."""


def check_range(folder: Path, base: str, head: str, most_bytes: int) -> CheckedRange:
    """The two commits; refuses what is unknown, unrelated or too large, before anything is queued."""
    location = find_repository(folder)
    size = bytes_in(location.objects)
    if size > most_bytes:
        raise Refusal(
            413,
            f"the repository has {size:,} bytes; this server takes {most_bytes:,}",
            "Send the diff alone, or ask the operator to raise --repository-bytes.",
        )
    store = ObjectStore(location)
    try:
        old, new = (resolve_commit(store, location, name) for name in (base, head))
        merge_base(store, location, old, new)
        return CheckedRange(old, new, branch_named(store.git, head))
    finally:
        store.close()
