"""Make labelled cases from a repository: choose commits and plant one known bug in each."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from affidavit.analysers.engine.task import ResultCache
from affidavit.diff.between import files_between
from affidavit.diff.skipping import mark_skipped
from affidavit.errors import InputError, UnknownRevisionError
from affidavit.git.command import Location
from affidavit.git.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.git.repository import GitRepository, commit_tree
from affidavit.git.revisions import find_commit, first_parent, one_commit, resolve_commit
from affidavit.git.tree import GitTree
from affidavit.lab.mutation.case_folders import (
    PlantedBug,
    prepare_folder,
    write_cases,
    write_planted_commit,
)
from affidavit.lab.mutation.checks import TypeCheck, check_types, fault_of
from affidavit.lab.mutation.mutant import (
    FAMILIES,
    Mutant,
    Operator,
    PlantingGround,
    is_unsuited,
    mutants,
    open_ground,
)
from affidavit.lab.mutation.operators import OPERATORS
from affidavit.languages.registry import LANGUAGES
from affidavit.records.change import Change, FileChange, Revision
from affidavit.records.finding import NEAR_LINES

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
        """Return the language of a changed file."""
        file = self.change.file_at(path)
        return file.language if file else ""


def recent_commits(
    store: ObjectStore, location: Location, since: str | None, wanted: int, seed: int
) -> list[str]:
    """Return recent commits in a random order, fixed by the seed."""
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
    """Return the commit with its parsed files, or the reason why it is unsuitable."""
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
    # The names of the files rule out most commits, so trees are read only for the rest.
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
    # A name that is not valid text cannot be written to the files of a case.
    is_plain = file.path.isprintable() and "\\" not in file.path
    return is_text and is_plain and file.language in languages and not is_unsuited(file.path)


def _grounds(files: list[FileChange], repository: GitRepository) -> Iterator[PlantingGround]:
    for file in files:
        text = repository.head.read(file.path)
        ground = open_ground(file.path, text, frozenset(file.changed_lines("head"))) if text else None
        if ground is not None:
            yield ground


def read_languages(text: str | None) -> tuple[str, ...]:
    """Split a list of languages; raise InputError for one in which no bug can be planted."""
    names = tuple(part.strip().lower() for part in (text or "").split(",") if part.strip())
    for name in names:
        if name not in PLANTABLE_LANGUAGES:
            raise InputError(
                f"no bug can be planted in {name!r}; known languages: {', '.join(PLANTABLE_LANGUAGES)}"
            )
    return names or PLANTABLE_LANGUAGES


NOT_IN_THE_CHANGE = "undoes the change, so that no changed line shows it"
TYPE_ERROR = "a type checker refuses it"
NO_PLACE = "no bug could be planted in it"
MAX_TRIES = 12


@dataclass(frozen=True)
class PlantingRequest:
    """The repository and the number of cases."""

    repository: Path | None
    out: Path
    commits: int = 20
    since: str | None = None
    languages: Sequence[str] = PLANTABLE_LANGUAGES
    seed: int = 0
    cache: Path | None = None
    operators: Sequence[Operator] = OPERATORS


@dataclass
class PlantingSummary:
    """The planted bugs, and counts of what was rejected for which reason."""

    bugs: list[PlantedBug] = field(default_factory=list)
    commits_read: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    """Why commits got no bug, and why mutants were discarded."""


ReportLine = Callable[[str], None]


async def plant_bugs(request: PlantingRequest, *, report: ReportLine = lambda _text: None) -> PlantingSummary:
    """Write cases with planted bugs and their clean twins below `out`; only read the user's repository."""
    location = find_repository(request.repository)
    prepare_folder(request.out)
    with ObjectStore(location) as store:
        planter = _Planter(request, store, location)
        summary = planter.summary
        for commit in recent_commits(store, location, request.since, request.commits, request.seed):
            if len(summary.bugs) >= request.commits:
                break
            bug = await planter.plant_in(commit)
            if bug is not None:
                summary.bugs.append(bug)
                report(f"{bug.case_id}: {bug.mutant.path}:{bug.mutant.line}: {bug.mutant.description}")
        if summary.bugs:
            write_cases(request.out, store, location, summary.bugs)
        return summary


class _Planter:
    """Plant the bugs of one request, commit by commit."""

    def __init__(self, request: PlantingRequest, store: ObjectStore, location: Location) -> None:
        self.summary = PlantingSummary()
        self._request = request
        self._store = store
        self._location = location
        self._used: Counter[str] = Counter()
        self._cache = ResultCache(request.cache)

    async def plant_in(self, commit: str) -> PlantedBug | None:
        """Plant one bug in a copy of the commit, by the operator used least so far; None if none fits."""
        self.summary.commits_read += 1
        read = read_commit(self._store, self._location, commit, self._request.languages)
        if isinstance(read, str):
            self.summary.rejected[read] += 1
            return None
        found = self._sound_mutants(read)
        chance = Random(f"{self._request.seed}:{commit}")  # noqa: S311 - no secret
        order = sorted(found, key=lambda name: (self._used[name], chance.random()))
        drawn = [one for name in order for one in chance.sample(found[name], k=min(len(found[name]), 3))]
        for mutant in drawn[:MAX_TRIES]:
            bug = await self._planted(read, mutant)
            if isinstance(bug, PlantedBug):
                self._used[mutant.operator] += 1
                return bug
            self.summary.rejected[bug] += 1
        self.summary.rejected[NO_PLACE] += 1
        return None

    def _sound_mutants(self, commit: PlantableCommit) -> dict[str, list[Mutant]]:
        """List the mutants of each operator that parse, and compile as far as the text shows."""
        found: dict[str, list[Mutant]] = {}
        for operator in self._request.operators:
            for ground in commit.grounds:
                for mutant in mutants(operator, ground):
                    fault = fault_of(ground, mutant)
                    if fault:
                        self.summary.rejected[fault] += 1
                    else:
                        found.setdefault(operator.name, []).append(mutant)
        return found

    async def _planted(self, commit: PlantableCommit, mutant: Mutant) -> PlantedBug | str:
        """Write the mutant as a commit and check it; return the reason if it is unsuitable."""
        tree = self._tree_with(commit, mutant)
        if not _shows(commit, tree, mutant, self._store):
            return NOT_IN_THE_CHANGE
        types = await self._check_types(commit, tree, mutant)
        if types.state == "refused":
            return TYPE_ERROR
        return PlantedBug(
            case_id=f"{commit.commit[:12]}-{mutant.operator.replace('_', '-')}",
            commit=commit.commit,
            parent=commit.parent,
            planted=write_planted_commit(self._store, commit.commit, tree.revision),
            title=commit.change.title,
            description=commit.change.description,
            language=commit.language_of(mutant.path),
            mutant=mutant,
            checked=types.said if types.state == "clean" else f"not checked: {types.said}",
        )

    def _tree_with(self, commit: PlantableCommit, mutant: Mutant) -> GitTree:
        entry = commit.repository.head.entry(mutant.path)
        if entry is None:
            raise InputError(f"{mutant.path} is not in commit {commit.commit[:12]}")
        blob = self._store.write_blobs([mutant.text])[0]
        tree = self._store.write_tree(commit.repository.head.revision, {entry.raw_path: (entry.mode, blob)})
        return GitTree(self._store, tree, None)

    async def _check_types(self, commit: PlantableCommit, tree: GitTree, mutant: Mutant) -> TypeCheck:
        sides = GitRepository(self._store, commit.repository.head, tree)
        change = Change(
            source="commit",
            target="",
            base=Revision(tree=sides.base.revision),
            head=Revision(tree=sides.head.revision),
            files=files_between(self._store, sides.base, sides.head),
        )
        language = commit.language_of(mutant.path)
        return await check_types(
            language, mutant.path, change, sides, cache=self._cache, reviewed_folder=self._location.work_tree
        )


def _shows(commit: PlantableCommit, tree: GitTree, mutant: Mutant, store: ObjectStore) -> bool:
    """Check that the change from the parent to the mutant touches the lines of the bug."""
    files = files_between(store, commit.repository.base, tree)
    file = next((one for one in files if one.head_path == mutant.path), None)
    near = range(mutant.line - NEAR_LINES, mutant.end_line + NEAR_LINES + 1)
    return file is not None and not set(near).isdisjoint(file.changed_lines("head"))
