"""Which classes of Python build on a class: all of them by name, or nothing where one may be overlooked."""

import re
from collections.abc import Iterable

from affidavit.specialists.broken_references.ground import MAX_HITS, WORD, Ground
from affidavit.specialists.broken_references.members.python_classes import PythonClass, PythonClasses

NAMED = (
    r"^\s*class\s+\w+\s*\(.*\b(?:{0})\b|^\s*(?:\w+,\s*)*(?:\w+\.)*(?:{0})\b[^(]*$"
    r"|\b(?:{0})\s+as\s|=\s*(?:\w+\.)*(?:{0})\s*(?:#.*)?$"
)
"""Where a line may have a class among the bases of another, give it another name, or go on with a list."""
HEADER = re.compile(rb"^\s*class\s+(\w+)\s*\(([^:]*)\)\s*:", re.MULTILINE)
RENAMED = r"\b{0}\s+as\s+(?!{0}\b)|^\s*\w+\s*(?::[^=\n]*)?=\s*(?:\w+\.)*{0}\s*(?:#.*)?$"
MAX_BELOW = 200
MAX_SEARCHED = 100


class Heirs:
    """Searches for many classes at once, and for each only once."""

    def __init__(self, ground: Ground, classes: PythonClasses) -> None:
        self._ground = ground
        self._classes = classes
        self._paths: dict[str, set[str] | None] = {}

    def load(self, names: Iterable[str]) -> None:
        """Search for the files that may build on classes of these names."""
        wanted = sorted(set(names) - self._paths.keys())
        for start in range(0, len(wanted), MAX_SEARCHED):
            some = wanted[start : start + MAX_SEARCHED]
            hits = self._ground.search(some, NAMED)
            is_whole = len(hits) < MAX_HITS
            self._paths.update({name: set() if is_whole else None for name in some})
            for hit in (one for one in hits if one.path.endswith(".py")):
                for word in set(WORD.findall(hit.text)) & set(some):
                    paths = self._paths[word]
                    if paths is not None:
                        paths.add(hit.path)

    def family(self, owner: PythonClass) -> list[PythonClass] | None:
        """The class and all that build on it; None where there may be more than are found."""
        family, level = [owner], [owner]
        while level:
            self.load(one.name for one in level)
            found = [self._directly(one) for one in level]
            if any(heirs is None for heirs in found) or len(family) > MAX_BELOW:
                return None
            level = [one for heirs in found for one in heirs or () if one not in family]
            family += level
        return family

    def _directly(self, owner: PythonClass) -> list[PythonClass] | None:
        found: list[PythonClass] = []
        paths = self._paths[owner.name]
        for path in sorted(paths or ()):
            heirs = self._in_file(owner, path)
            if heirs is None:
                return None
            found += heirs
        return None if paths is None else found

    def _in_file(self, owner: PythonClass, path: str) -> list[PythonClass] | None:
        """The heirs that a file defines; None where it may have more, or another name for the class."""
        text = self._ground.repository.head.read(path) or b""
        word = re.compile(rb"\b" + re.escape(owner.name.encode()) + rb"\b")
        known = self._classes.of(path)
        heirs = []
        for header in HEADER.finditer(text):
            if not word.search(header[2]):
                continue
            one = known.get(header[1].decode())
            if one is None or owner.name not in one.bases:
                return None
            meant = self._classes.resolve(path, owner.name)
            if meant is None:
                return None
            heirs += [one] if meant is owner else []
        renamed = re.compile(RENAMED.format(re.escape(owner.name)).encode(), re.MULTILINE)
        return None if renamed.search(text) else heirs
