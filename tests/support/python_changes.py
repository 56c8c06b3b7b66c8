"""A change between two commits of a test repository, with its repository, as a specialist gets it."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from affidavit import ports
from affidavit.diff.parse import FileDiff, parse_diff
from affidavit.events import Event
from affidavit.git.repository import GitRepository, open_repository
from affidavit.languages.registry import language_of
from affidavit.records.change import Change, FileChange, FileStatus, Revision
from repositories import Repo, run_git

Files = Mapping[str, str | bytes | None]


def read_change(folder: Path, base: str, head: str) -> Change:
    """The change between two commits, read with git's own diff."""
    options = ("--no-color", "--no-ext-diff", "--full-index", "-M", "--src-prefix=a/", "--dst-prefix=b/")
    diff = run_git(folder, "-c", "core.quotePath=false", "diff", *options, base, head)
    return Change(
        source="range",
        target=f"{base}..{head}",
        repository=str(folder),
        base=Revision(tree=base, commit=base),
        head=Revision(tree=head, commit=head),
        files=tuple(_file(file) for file in parse_diff(diff)) if diff else (),
    )


def _file(file: FileDiff) -> FileChange:
    old, new = ((name or b"").decode() for name in (file.old_name, file.new_name))
    is_moved = file.status in (FileStatus.RENAMED, FileStatus.COPIED)
    return FileChange(
        path=new or old,
        old_path=old if is_moved else None,
        status=file.status,
        old_blob=file.old_blob,
        new_blob=file.new_blob,
        is_binary=file.is_binary,
        is_submodule=file.is_submodule,
        language=language_of(new or old),
        hunks=tuple(hunk.to_record() for hunk in file.hunks),
    )


class Case:
    """A change with its repository and the events that were emitted."""

    def __init__(self, repo: Repo, base: str, head: str) -> None:
        self.repo = repo
        self.change = read_change(repo.path, base, head)
        self.repository: GitRepository = open_repository(repo.path, base, head)
        self.events: list[Event] = []

    @property
    def case(self) -> ports.Case:
        """What a specialist is given."""
        return ports.Case(self.change, self.repository, self.events.append)


def make_case(repo: Repo, before: Files, after: Files) -> Case:
    """Commit `before`, then `after` on top of it, and open the change between the two."""
    base = repo.commit("Before", before)
    return Case(repo, base, repo.commit("After", after))


Open = Callable[[Files, Files], Case]


def opened_cases(repo: Repo) -> Iterator[Open]:
    """The body of a fixture that makes cases; their processes end with the test."""
    made: list[Case] = []

    def build(before: Files, after: Files) -> Case:
        made.append(make_case(repo, before, after))
        return made[-1]

    yield build
    for one in made:
        one.repository.close()
