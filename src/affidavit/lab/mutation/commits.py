"""Choose commits to plant bugs in: recent ones, no merges, of a size that a review is about."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from random import Random

from affidavit.diff.between import files_between
from affidavit.diff.skipping import mark_skipped
from affidavit.errors import InputError, UnknownRevisionError
from affidavit.git.command import Location
from affidavit.git.objects import ObjectStore
from affidavit.git.repository import GitRepository, commit_tree
from affidavit.git.revisions import find_commit, first_parent, one_commit, resolve_commit
from affidavit.lab.mutation.mutant import FAMILIES, PlantingGround, is_unsuited, open_ground
from affidavit.languages.registry import LANGUAGES
from affidavit.records.change import Change, FileChange, Revision

PLANTABLE_LANGUAGES = tuple(one.name for one in LANGUAGES if one.grammars and one.family in FAMILIES)
POOL_PER_COMMIT = 25
SMALLEST_POOL = 200
MAX_FILES = 40
MIN_LINES, MAX_LINES = 3, 600


@dataclass(frozen=True)
class PlantableCommit:
    """A commit with its parent, and the files of it in which a bug can be planted."""

    commit: str
    parent: str
    change: Change
    repository: GitRepository
    grounds: tuple[PlantingGround, ...]

    def language_of(self, path: str) -> str:
        """The language of a changed file."""
        file = self.change.file_at(path)
        return file.language if file else ""


def recent_commits(
    store: ObjectStore, location: Location, since: str | None, wanted: int, seed: int
) -> list[str]:
    """The recent commits in a random order that the seed decides."""
    if find_commit(store, "HEAD") is None:
        raise InputError("the repository has no commit yet: there is nothing to plant a bug in")
    span = (f"^{resolve_commit(store, location, since)}",) if since else ()
    pool = max(SMALLEST_POOL, wanted * POOL_PER_COMMIT)
    listed = store.git.run("rev-list", "--no-merges", f"--max-count={pool}", "HEAD", *span, "--")
    commits = listed.decode().split()
    if not commits:
        raise InputError(
            f"there is no commit after {since!r} that is not a merge" if since else "no commit found"
        )
    Random(seed).shuffle(commits)  # noqa: S311 - a choice that can be made again, not a secret
    return commits


def read_commit(
    store: ObjectStore, location: Location, commit: str, languages: Collection[str]
) -> PlantableCommit | str:
    """The commit with its grounds, or the reason why it is not suited."""
    try:
        parent = first_parent(store, location, commit)
    except UnknownRevisionError:
        return "its parent is not in this clone"
    if parent is None:
        return "it has no parent"
    repository = GitRepository(store, commit_tree(store, parent), commit_tree(store, commit))
    files = files_between(store, repository.base, repository.head)
    if len(files) > MAX_FILES:
        return f"it changes more than {MAX_FILES} files"
    change = _change(store, parent, commit, files)
    # Most commits are not suited by their files' names; only the others are worth a look at their trees.
    if reason := _unsuited(change, languages):
        return reason
    change = mark_skipped(change, repository)
    if reason := _unsuited(change, languages):
        return reason
    grounds = tuple(_grounds(_suited_files(change, languages), repository))
    return PlantableCommit(commit, parent, change, repository, grounds)


def _unsuited(change: Change, languages: Collection[str]) -> str | None:
    suited = _suited_files(change, languages)
    lines = sum(len(file.changed_lines("head")) for file in suited)
    if not suited:
        return "it changes no code in a supported language"
    if not MIN_LINES <= lines <= MAX_LINES:
        return f"it writes fewer than {MIN_LINES} or more than {MAX_LINES} lines of code"
    return None


def _suited_files(change: Change, languages: Collection[str]) -> list[FileChange]:
    return [file for file in change.reviewed_files() if _is_suited(file, languages)]


def _change(store: ObjectStore, parent: str, commit: str, files: tuple[FileChange, ...]) -> Change:
    own = one_commit(store, commit)
    return Change(
        source="commit",
        target=commit,
        title=own[0].subject if own else "",
        description=own[0].body if own else "",
        base=Revision(tree=parent, commit=parent),
        head=Revision(tree=commit, commit=commit),
        commits=own,
        files=files,
    )


def _is_suited(file: FileChange, languages: Collection[str]) -> bool:
    is_text = file.head_path is not None and not (file.is_binary or file.is_submodule or file.is_link)
    # A name that is not plain text cannot be written into a case's files.
    is_plain = file.path.isprintable() and "\\" not in file.path
    return is_text and is_plain and file.language in languages and not is_unsuited(file.path)


def _grounds(files: list[FileChange], repository: GitRepository) -> Iterator[PlantingGround]:
    for file in files:
        text = repository.head.read(file.path)
        ground = open_ground(file.path, text, frozenset(file.changed_lines("head"))) if text else None
        if ground is not None:
            yield ground


def read_languages(text: str | None) -> tuple[str, ...]:
    """The languages of a list with commas; raises InputError for one in which no bug can be planted."""
    names = tuple(part.strip().lower() for part in (text or "").split(",") if part.strip())
    for name in names:
        if name not in PLANTABLE_LANGUAGES:
            raise InputError(
                f"no bug can be planted in {name!r}; known languages: {', '.join(PLANTABLE_LANGUAGES)}"
            )
    return names or PLANTABLE_LANGUAGES
