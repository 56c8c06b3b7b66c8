"""Who may sign reports: the user's own git settings and what they trust in, lists of allowed signers out."""

from dataclasses import dataclass
from pathlib import Path

from affidavit.errors import UnknownRevisionError
from affidavit.git.repository import GitRepository, commit_tree
from affidavit.git.revisions import find_commit
from affidavit.proof.signature import SIGNERS_AT_BASE, Signers

USER_SETTING = "gpg.ssh.allowedSignersFile"
MAX_LIST_BYTES = 4_000_000


TRUSTED_BY_DEFAULT = "refs/remotes/origin/HEAD"
"""The default branch of the remote that was cloned."""


@dataclass(frozen=True)
class Trust:
    """The lists that count, and why that of the repository does not, where it does not."""

    lists: tuple[Signers, ...]
    refused: str = ""


def allowed_signers(repository: GitRepository, trusted: str | None = None) -> Trust:
    """The lists that count. The repository's own configuration does not: it may have come in an archive.

    A report names its base itself, and whoever can push a branch can bring a list along. So the list at
    base counts only where base is part of what the user trusts, and as far as it still stands there.
    """
    lists = tuple(
        one for scope in ("--global", "--system") if (one := _users_list(repository, scope)) is not None
    )
    at_base = repository.base.read(SIGNERS_AT_BASE)
    named = trusted or TRUSTED_BY_DEFAULT
    revision = find_commit(repository.store, named) if repository.store.location else None
    if trusted and revision is None:
        raise UnknownRevisionError(f"--trust-base: there is no commit called {trusted!r} here")
    if at_base is None:
        return Trust(lists)
    refused = _why_refused(repository, named, revision)
    if refused or revision is None:
        return Trust(lists, refused)
    now = commit_tree(repository.store, revision).read(SIGNERS_AT_BASE) or b""
    # Taking a line out is how a project takes its trust back.
    still = b"\n".join(line for line in at_base.splitlines() if line in now.splitlines())
    origin = f"{SIGNERS_AT_BASE} of the base commit {_base(repository)}, part of {named} ({revision[:12]})"
    refused = "" if still == b"\n".join(at_base.splitlines()) else f"{named} has taken lines out of it"
    return Trust((*lists, Signers(origin, still + b"\n")), refused and f"{_the_list(repository)}: {refused}")


def _why_refused(repository: GitRepository, named: str, revision: str | None) -> str:
    """Why the list at base does not count; empty where it does."""
    advice = "name the branch or commit that you trust with --trust-base"
    if repository.base.commit is None or not repository.base.is_committed:
        return f"{_the_list(repository)} does not count: the base is no commit of this repository"
    if revision is None:
        return f"{_the_list(repository)} does not count: there is no {named} here; {advice}"
    part = repository.store.git.attempt("merge-base", "--is-ancestor", repository.base.commit, revision)
    if part.returncode == 0:
        return ""
    return f"{_the_list(repository)} does not count: {named} ({revision[:12]}) does not contain that commit"


def _the_list(repository: GitRepository) -> str:
    return f"{SIGNERS_AT_BASE} of the base commit {_base(repository)}"


def _base(repository: GitRepository) -> str:
    return (repository.base.commit or repository.base.revision)[:12]


def _users_list(repository: GitRepository, scope: str) -> Signers | None:
    done = repository.store.git.attempt("config", scope, "--type=path", "--get", USER_SETTING)
    named = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode != 0 or not named:
        return None
    path = Path(named)
    try:
        content = path.read_bytes()[:MAX_LIST_BYTES]
    except OSError:
        return None
    return Signers(f"{path.name} (git's {USER_SETTING})", content)
