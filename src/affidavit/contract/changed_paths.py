"""Match the paths that a reply names with the files of the change."""

import posixpath
from collections.abc import Collection


def normalise_path(path: str) -> str | None:
    """A path relative to the repository in its plain form; None for one that leaves the repository."""
    path = path.replace("\\", "/")
    if not path or path.startswith("/") or "\0" in path:
        return None
    plain = posixpath.normpath(path)
    return None if plain in (".", "..") or plain.startswith("../") else plain


class ChangedPaths:
    """The files of the change, found by any spelling that means the same path."""

    def __init__(self, paths: Collection[str]) -> None:
        self._exact = frozenset(path for path in paths if normalise_path(path) is not None)
        self._by_plain_form: dict[str, str] = {}
        for path in sorted(self._exact):
            plain = normalise_path(path)
            if plain is not None:
                # Two files may share a plain form: the one that is spelled so wins.
                self._by_plain_form.setdefault(plain, plain if plain in self._exact else path)

    def __contains__(self, path: object) -> bool:
        return path in self._exact

    def match(self, path: str) -> str | None:
        """The changed file that a path means, as the change spells it."""
        if path in self._exact:
            return path
        plain = normalise_path(path)
        return None if plain is None else self._by_plain_form.get(plain)
