"""The key to sign with: what the user names, or git's own setting, in; the path of a key out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from affidavit.errors import SettingsError
from affidavit.git.command import Git

Command = TypeVar("Command", bound=Callable[..., Any])
ASKED_WITHOUT_KEY = "-"
"""`--sign` alone: the key is git's."""


def sign_option(what: str) -> Callable[[Command], Command]:
    """Add --sign to a command; `what` is signed with the key."""
    return click.option(
        "--sign",
        is_flag=False,
        flag_value=ASKED_WITHOUT_KEY,
        type=click.Path(path_type=Path),
        metavar="[KEY]",
        help=f"Sign {what}; default: git's user.signingKey.",
    )


def signing_key(named: Path | None) -> Path:
    """The key that is named, else the one that git signs the user's commits with."""
    if named is not None and str(named) != ASKED_WITHOUT_KEY:
        return named.expanduser()
    git = Git(Path.cwd())
    # The repository's own configuration does not count: it may have come in an archive.
    form = git.attempt("config", "--global", "--get", "gpg.format").stdout.strip()
    key = git.attempt("config", "--global", "--type=path", "--get", "user.signingKey")
    path = key.stdout.decode("utf-8", "replace").strip()
    if form != b"ssh" or key.returncode != 0 or not path or path.startswith("key::"):
        raise SettingsError(
            "no key to sign with: name one (--sign KEY, or `affidavit sign --key KEY`), or set git's "
            "gpg.format to ssh and user.signingKey to a file with --global"
        )
    return Path(path)
