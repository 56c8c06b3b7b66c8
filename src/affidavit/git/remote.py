"""Where a repository came from: its store in, an address that can be shown out."""

import re
from urllib.parse import urlsplit

from affidavit.git.command import Git, Location


def repository_name(git: Git, location: Location) -> str:
    """The address of the remote called origin, without credentials; else the folder's name."""
    done = git.attempt("config", "--local", "--no-includes", "--get", "remote.origin.url")
    address = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode == 0 and address:
        return without_credentials(address)
    folder = location.work_tree or location.git_dir
    return folder.name.removesuffix(".git") or folder.name


def without_credentials(address: str) -> str:
    """An address that can be shown: no user, no password, no query."""
    if "://" not in address:
        # host:path, perhaps with a user; only the customary one says nothing.
        return address if address.startswith("git@") else re.sub(r"^[^/@]*@", "", address)
    try:
        parts = urlsplit(address)
    except ValueError:
        return address.split("://", 1)[0] + "://"
    return parts._replace(netloc=parts.netloc.rsplit("@", 1)[-1], query="", fragment="").geturl()


def is_shared_address(name: str) -> bool:
    """Whether a repository's name is an address that all its clones have, and no folder."""
    return "/" in name and not name.startswith(("/", ".", "~", "file:"))


def is_same_address(one: str, other: str) -> bool:
    """Two ways to write where a repository comes from: by https, by ssh, with `.git` or without."""
    return _bare(one) == _bare(other)


def _bare(address: str) -> str:
    plain = re.sub(r"^[a-z+]+://", "", address.strip().lower())
    plain = re.sub(r"^[^/@]*@", "", plain)
    host, colon, path = plain.partition(":")
    joined = f"{host}/{path.lstrip('/')}" if colon and "/" not in host else plain
    return joined.rstrip("/").removesuffix(".git")
