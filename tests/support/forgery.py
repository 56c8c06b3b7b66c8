"""Repositories as an archive may bring them: objects under names that are not theirs."""

import zlib
from pathlib import Path

from repositories import Repo


def forge_object(repo: Repo, name: str, kind: str, content: bytes) -> None:
    """Put a loose object into the repository under the name of another."""
    place = _place(repo, name)
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    place.write_bytes(zlib.compress(f"{kind} {len(content)}\0".encode() + content))


def object_content(repo: Repo, kind: str, name: str) -> bytes:
    """What an object holds."""
    text = zlib.decompress(_place(repo, name).read_bytes())
    assert text.startswith(kind.encode())
    return text.split(b"\0", 1)[1]


def forge_commit_graph(repo: Repo, old_tree: str, new_tree: str) -> None:
    """Have git's own summary of the commits name another tree for the commits that have one."""
    repo.git("commit-graph", "write", "--reachable")
    place = repo.path / ".git" / "objects" / "info" / "commit-graph"
    content = place.read_bytes()
    assert bytes.fromhex(old_tree) in content
    place.unlink()
    place.write_bytes(content.replace(bytes.fromhex(old_tree), bytes.fromhex(new_tree)))


def _place(repo: Repo, name: str) -> Path:
    return repo.path / ".git" / "objects" / name[:2] / name[2:]
