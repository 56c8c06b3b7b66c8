"""Who may sign reports: the user's own git settings and the base commit in, lists of allowed signers out."""

from pathlib import Path

from affidavit.git.repository import GitRepository
from affidavit.proof.signature import SIGNERS_AT_BASE, Signers

USER_SETTING = "gpg.ssh.allowedSignersFile"
MAX_LIST_BYTES = 4_000_000


def allowed_signers(repository: GitRepository) -> list[Signers]:
    """The lists that count. The repository's own configuration does not: it may have come in an archive."""
    lists = [_users_list(repository, scope) for scope in ("--global", "--system")]
    at_base = repository.base.read(SIGNERS_AT_BASE)
    if at_base is not None:
        lists.append(Signers(f"{SIGNERS_AT_BASE} of the base commit", at_base))
    return [one for one in lists if one is not None]


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
