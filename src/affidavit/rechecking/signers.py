"""Find the lists of allowed signers that a user trusts."""

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
    """The lists that count, and why the repository's own does not."""

    lists: tuple[Signers, ...]
    refused: str = ""


def allowed_signers(repository: GitRepository, trusted: str | None = None) -> Trust:
    """Return the lists that count; not that of the repository's configuration, which may come in an archive.

    A report names its base itself, and whoever can push a branch can bring a list along. So the list at base
    counts only if base is part of what the user trusts, and without the lines that were removed since.
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
    base = (repository.base.commit or repository.base.revision)[:12]
    the_list = f"{SIGNERS_AT_BASE} of the base commit {base}"
    refused = _why_refused(repository, named, revision)
    if refused or revision is None:
        return Trust(lists, f"{the_list} does not count: {refused}")
    now = commit_tree(repository.store, revision).read(SIGNERS_AT_BASE) or b""
    # A project revokes its trust by removing a line.
    still = b"\n".join(line for line in at_base.splitlines() if line in now.splitlines())
    is_whole = still == b"\n".join(at_base.splitlines())
    signers = Signers(f"{the_list}, part of {named} ({revision[:12]})", still + b"\n")
    return Trust((*lists, signers), "" if is_whole else f"{the_list}: {named} has removed lines from it")


def _why_refused(repository: GitRepository, named: str, revision: str | None) -> str:
    """Say why the list at base does not count; empty if it counts."""
    if repository.base.commit is None or not repository.base.is_committed:
        return "the base is not a commit of this repository"
    if revision is None:
        advice = "name the branch or commit that you trust with --trust-base"
        return f"there is no {named} here; {advice}"
    part = repository.store.git.attempt("merge-base", "--is-ancestor", repository.base.commit, revision)
    return "" if part.returncode == 0 else f"{named} ({revision[:12]}) does not contain that commit"


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
