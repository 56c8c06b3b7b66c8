"""Paths as git has them (bytes) and as Affidavit shows them (text), and which of them are safe to write."""

import unicodedata


def decode_path(raw: bytes) -> str:
    """A path as text: UTF-8, and escapes for bytes that are not."""
    return raw.decode("utf-8", "backslashreplace")


def is_safe_path(path: str) -> bool:
    """Writing this path below a folder cannot leave the folder or forge a repository."""
    if not path or path.startswith("/") or "\0" in path or "\\" in path:
        return False
    return all(_is_safe_part(part) for part in path.split("/"))


def _is_safe_part(part: str) -> bool:
    # File systems that ignore case, invisible letters, trailing dots or short names take more for .git.
    visible = part if part.isascii() else "".join(c for c in part if unicodedata.category(c) != "Cf")
    plain = visible.lower().rstrip(". ")
    return bool(plain) and plain not in ("..", ".", ".git", "git~1") and not plain.startswith(".git:")
