"""Open the change of a pull request: fetch its commits and let git compare them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from affidavit.config.places import cache_folder
from affidavit.diff.rebuild import OpenedChange
from affidavit.errors import ForgeError, InputError
from affidavit.forges.address import PullRequestAddress, known_hosts, parse_change_url
from affidavit.forges.clones import (
    DEEPER,
    FIRST_DEPTH,
    Clone,
    MissingCommitError,
    is_commit_id,
    locked,
    open_clone,
    remote_of,
)
from affidavit.forges.credentials import NOBODY, Credentials
from affidavit.forges.pull_request import PullRequest
from affidavit.records.change import Change, Comment
from affidavit.stages.intake import ChangeRequest, open_change

FIRST_PARENT = "^1"


@dataclass(frozen=True)
class FetchContext:
    """The folder to fetch into, the credentials and the environment."""

    credentials: Credentials = NOBODY
    cache: Path | None = None
    """None: the user's cache folder."""
    environment: Mapping[str, str] | None = None

    def clone_of(self, address: PullRequestAddress) -> Clone:
        environment = os.environ if self.environment is None else self.environment
        remote = remote_of(address.host, address.clone_url, self.credentials, environment)
        return open_clone(self.cache or cache_folder(environment), remote)


@dataclass(frozen=True)
class UserText:
    """Title, description and comments from the user, instead of the pull request's or beside them."""

    title: str = ""
    description: str = ""
    discussion: tuple[Comment, ...] = ()


def open_pull_request(
    pull: PullRequest, ground: FetchContext, words: UserText | None = None, *, has_full_history: bool = False
) -> OpenedChange:
    """Open the change of a pull request. The caller closes it."""
    words = words or UserText()
    clone = ground.clone_of(pull.address)
    with locked(clone.folder):
        base = fetch_change(clone, pull, has_full_history=has_full_history)
    opened = open_change(
        ChangeRequest(
            target=f"{base}...{pull.head}",
            repo=clone.folder,
            title=words.title or pull.title,
            description=words.description or pull.whole_description,
            discussion=(*pull.discussion, *words.discussion),
            address=pull.address.url,
            dismissals=pull.dismissals,
            may_be_empty=True,
        )
    )
    change = opened.change
    named = {
        "target": pull.address.url,
        "base": change.base.model_copy(update={"name": pull.base_branch}),
        "head": change.head.model_copy(update={"name": pull.head_branch}),
        "tip": change.tip and change.tip.model_copy(update={"name": pull.base_branch}),
    }
    notices = (*pull.notices, *opened.notices)
    return replace(opened, change=change.model_copy(update=named), notices=notices)


def fetch_change(clone: Clone, pull: PullRequest, *, has_full_history: bool = False) -> str:
    """Fetch both sides as deep as needed; return the commit to compare with."""
    names = _Names(pull.address.number)
    _fetch_head(clone, pull, names)
    for source in pull.bases:
        try:
            base = _fetch_base(clone, source, names)
        except MissingCommitError:
            continue
        settled = _deepen(clone, base, pull.head, names, has_full_history=has_full_history)
        # The branch contains a merged request, so an earlier commit is its base.
        if settled and settled != pull.head:
            return base
    raise InputError(
        f"{pull.address.url}: nothing to compare with: its commits are all part of "
        f"{pull.base_branch}, or that branch is gone"
    )


def address_of(change: Change, environment: Mapping[str, str] | None = None) -> PullRequestAddress:
    """Return the pull request of a recorded change; its forge must be a known one."""
    if not change.request:
        raise InputError("the report is not of a pull request: name its repository with --repo")
    return parse_change_url(change.request, known_hosts(os.environ if environment is None else environment))


def fetch_recorded(change: Change, ground: FetchContext) -> Path:
    """Fetch the commits of a recorded change from its forge; return the repository's folder."""
    address = address_of(change, ground.environment)
    # The target's tip, if known, also leads to the merge base.
    base, head = (change.tip or change.base).commit, change.head.commit
    if not base or not head or not is_commit_id(base) or not is_commit_id(head):
        raise InputError("the report names no commits that could be fetched")
    clone = ground.clone_of(address)
    names = _Names(address.number)
    with locked(clone.folder):
        wanted = {names.head: head, names.base: base}
        missing = {name: commit for name, commit in wanted.items() if not clone.has(commit)}
        if missing:
            clone.fetch(missing, f"--depth={FIRST_DEPTH}")
        clone.git.run("update-ref", names.base, base)
        _deepen(clone, base, head, names, has_full_history=False)
    return clone.folder


@dataclass(frozen=True)
class _Names:
    """The refs that keep both sides of a request from git's garbage collection."""

    number: int

    @property
    def head(self) -> str:
        return f"refs/affidavit/{self.number}/head"

    @property
    def base(self) -> str:
        return f"refs/affidavit/{self.number}/base"


def _depth(clone: Clone) -> list[str]:
    """Return the options for the depth: a new clone begins shallow, a full one stays full."""
    is_new = not clone.git.run("for-each-ref", "--count=1")
    return [f"--depth={FIRST_DEPTH}"] if is_new or clone.is_shallow else []


def _fetch_head(clone: Clone, pull: PullRequest, names: _Names) -> None:
    if clone.has(pull.head):
        clone.git.run("update-ref", names.head, pull.head)
        return
    depth = _depth(clone)
    try:
        clone.fetch({names.head: pull.head}, *depth)
    except MissingCommitError:
        # The forge gives no commit by its id, or the commit was pushed away a moment ago.
        clone.fetch({names.head: pull.address.head_ref}, *depth)
    if clone.commit_of(names.head) != pull.head:
        raise ForgeError(
            f"{pull.address.url} was pushed to while it was read: {pull.head[:12]} is no longer its head; "
            "run again",
            retryable=True,
        )


def _fetch_base(clone: Clone, source: str, names: _Names) -> str:
    """Fetch a base: a commit, a branch, or the first parent of a commit (`COMMIT^1`)."""
    wanted = source.removesuffix(FIRST_PARENT)
    if not (is_commit_id(wanted) and clone.has(wanted)):
        clone.fetch({names.base: wanted}, *_depth(clone))
    else:
        clone.git.run("update-ref", names.base, wanted)
    name = f"{names.base}{FIRST_PARENT}" if source.endswith(FIRST_PARENT) else names.base
    commit = clone.commit_of(name)
    if commit is None:
        raise MissingCommitError(f"{clone.remote.url}: {source} has no parent here", status=404)
    return commit


def _deepen(clone: Clone, base: str, head: str, names: _Names, *, has_full_history: bool) -> str | None:
    """Deepen the history until the merge base and all since are known; return the merge base."""
    both = {names.head: head, names.base: clone.commit_of(names.base) or base}
    if has_full_history and clone.is_shallow:
        clone.fetch_all(both)
    for depth in DEEPER:
        found = _parted(clone, base, head)
        if not clone.is_shallow or (found and _is_stable(clone, found, head)):
            return found
        clone.fetch(both, f"--depth={depth}")
    found = _parted(clone, base, head)
    if clone.is_shallow and not (found and _is_stable(clone, found, head)):
        clone.fetch_all(both)
        found = _parted(clone, base, head)
    return found


def _parted(clone: Clone, base: str, head: str) -> str | None:
    done = clone.git.attempt("merge-base", base, head)
    return done.stdout.decode().split()[0] if done.returncode == 0 else None


def _is_stable(clone: Clone, base: str, head: str) -> bool:
    """Check that a longer history would list the same commits between the two."""
    edge = set((clone.folder / "shallow").read_text().split())
    listed = _dated(clone, [f"{base}..{head}"])
    if not listed or edge & listed.keys():
        return not listed
    at_edge = _dated(clone, sorted(edge), "--no-walk")
    return bool(at_edge) and max(at_edge.values()) <= min(listed.values())


def _dated(clone: Clone, what: Sequence[str], *more: str) -> dict[str, int]:
    options = ("--ignore-missing", "--timestamp", *more, "--stdin")
    printed = clone.git.run("rev-list", *options, stdin="".join(f"{line}\n" for line in what).encode())
    rows = (row.split() for row in printed.decode().splitlines())
    return {row[1]: int(row[0]) for row in rows if len(row) == 2}
