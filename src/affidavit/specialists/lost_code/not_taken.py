"""The specialist that looks for what the changed code needs and no branch has: ignored files, large ones."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from affidavit.contract.schema import ASKED_SCHEMA_VERSION
from affidavit.contract.versions import NO_PROMPT_VERSION
from affidavit.languages.engine.tree_files import TreeFiles, join, parent
from affidavit.languages.registry import LANGUAGES
from affidavit.ports import Case, Tree
from affidavit.records.candidate import SpecialistKind
from affidavit.records.change import FileChange
from affidavit.records.report import Reply
from affidavit.specialists.lost_code.rules import NOT_TAKEN, Place, finding_of

NAME = "not-taken"
MAX_NEEDED = 20
_PATH = re.compile(r"[\w./@+-]*[\w+-]\.\w+")
"""What looks like the name of a file."""


@dataclass(frozen=True)
class NotTaken:
    """Looks whether changed files import or name what an agent left and was not taken."""

    paths: frozenset[str]
    name = NAME
    kind: SpecialistKind = "mechanical"

    def examines(self, file: FileChange) -> bool:
        """All that may need a file, where there is one to be needed."""
        path = file.head_path
        is_read = path is not None and not LANGUAGES.of(path).is_document and not path.endswith(".gitignore")
        return bool(self.paths) and file.skipped is None and is_read

    async def examine(self, case: Case) -> Reply:
        """Every line that is new and needs such a file."""
        needed = list(self._needed(case))[:MAX_NEEDED]
        result = {
            "schema_version": ASKED_SCHEMA_VERSION,
            "prompt_version": NO_PROMPT_VERSION,
            "findings": [
                finding_of(NOT_TAKEN, number, at, name, case, NAME)
                for number, (at, name) in enumerate(needed)
            ],
        }
        return Reply(specialist=NAME, kind="mechanical", text=json.dumps(result))

    def _needed(self, case: Case) -> Iterator[tuple[Place, str]]:
        head = case.repository.head
        absent = frozenset(path for path in self.paths if head.entry(path) is None)
        files = TreeFiles(head, absent)
        for file in case.change.files:
            if not self.examines(file) or not absent or file.head_path is None:
                continue
            known = _imported(file.base_path, case.repository.base, files) if file.base_path else {}
            now = _imported(file.head_path, head, files)
            lines = _named(file, head, absent)
            found = {**lines, **{path: line for path, line in now.items() if path not in known}}
            for line in sorted({line for path, line in found.items() if path in absent}):
                names = sorted(path for path, at in found.items() if at == line and path in absent)
                yield Place(file.head_path, line, "head"), ", ".join(names)


def _imported(path: str, tree: Tree, files: TreeFiles) -> dict[str, int]:
    """The files that a file imports, and the line that does so first."""
    parsed_as, text = LANGUAGES.parsed_as(path), tree.read(path)
    rules = parsed_as.language.imports if parsed_as else None
    extract = rules.extract(parsed_as.grammar, text) if parsed_as and rules and text is not None else None
    if rules is None or extract is None:
        return {}
    resolve = rules.resolver(files, {path: extract})
    found: dict[str, int] = {}
    for one in extract.statements:
        for target in [target for meant in resolve(path, one) for target in meant.targets]:
            found.setdefault(target, one.line)
    return found


def _named(file: FileChange, head: Tree, absent: frozenset[str]) -> dict[str, int]:
    """The files that new lines name by a path: from the root, from their own folder, or the end of it."""
    path = file.head_path or ""
    lines = head.redacted_lines(path) or []
    by_name: dict[str, list[str]] = {}
    for one in absent:
        by_name.setdefault(PurePosixPath(one).name, []).append(one)
    found: dict[str, int] = {}
    for number in file.changed_lines("head"):
        for match in _PATH.finditer(lines[number - 1]) if number <= len(lines) else ():
            said = match[0]
            if (module := f"{said.replace('.', '/')}.py") in absent:
                found.setdefault(module, number)
            for one in by_name.get(PurePosixPath(said).name, ()):
                if _means(said, one, parent(path)):
                    found.setdefault(one, number)
    return found


def _means(said: str, path: str, folder: str) -> bool:
    """Whether a written path is that of a file; a bare name is one in the same folder or at the root."""
    bare = said.lstrip("./")
    return path in (bare, join(folder, said)) or ("/" in bare and path.endswith(f"/{bare}"))
