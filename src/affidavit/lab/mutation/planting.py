"""From a repository to labelled cases: choose commits, plant one known bug in each, keep what stands."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from affidavit.analysers.task import ResultCache
from affidavit.diff.between import files_between
from affidavit.errors import InputError
from affidavit.git.command import Location
from affidavit.git.confined.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.git.repository import GitRepository
from affidavit.git.tree import GitTree
from affidavit.lab.mutation.calls import CALL_OPERATORS
from affidavit.lab.mutation.case_folders import (
    PlantedBug,
    lines_of,
    prepare_folder,
    write_cases,
    write_planted_commit,
)
from affidavit.lab.mutation.checks import TypeCheck, check_types, fault_of, run_tests
from affidavit.lab.mutation.commits import PLANTABLE_LANGUAGES, PlantableCommit, read_commit, recent_commits
from affidavit.lab.mutation.conditions import CONDITIONS
from affidavit.lab.mutation.guards import FAILURES, GUARDS
from affidavit.lab.mutation.mutant import Mutant, Operator, mutants
from affidavit.lab.mutation.names import BOUNDS, NAME_OPERATORS
from affidavit.records.change import Change, Revision
from affidavit.records.finding import NEAR_LINES

OPERATORS = (*CONDITIONS, *GUARDS, *BOUNDS, *CALL_OPERATORS, *FAILURES, *NAME_OPERATORS)
"""Every way to plant a bug."""
NOT_IN_THE_CHANGE = "undoes the change, so that no changed line shows it"
TYPE_ERROR = "a type checker refuses it"
CAUGHT = "the repository's tests catch it"
# A lost guard or cleanup stands beside the lines that are left of the change.
MAX_TRIES = 12


@dataclass(frozen=True)
class PlantingRequest:
    """What to make cases from, and how many."""

    repository: Path | None
    out: Path
    commits: int = 20
    since: str | None = None
    languages: Sequence[str] = PLANTABLE_LANGUAGES
    seed: int = 0
    per_commit: int = 1
    test_command: str | None = None
    cache: Path | None = None
    operators: Sequence[Operator] = OPERATORS


@dataclass
class PlantingSummary:
    """What was planted, and what became of the rest."""

    bugs: list[PlantedBug] = field(default_factory=list)
    commits_read: int = 0
    commits_unsuited: Counter[str] = field(default_factory=Counter)
    candidates: int = 0
    tried: int = 0
    discarded: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)

    @property
    def commits(self) -> int:
        """How many commits have a bug now."""
        return len({bug.commit for bug in self.bugs})


ReportLine = Callable[[str], None]


async def plant_bugs(request: PlantingRequest, *, report: ReportLine = lambda _text: None) -> PlantingSummary:
    """Write cases with planted bugs and their clean twins below `out`; the user's repository is only read."""
    location = find_repository(request.repository)
    prepare_folder(request.out)
    with ObjectStore(location) as store:
        planter = _Planter(request, store, location)
        for commit in recent_commits(store, location, request.since, request.commits, request.seed):
            if planter.summary.commits >= request.commits:
                break
            await planter.plant_in(commit, report)
        summary = planter.summary
        if summary.bugs:
            write_cases(request.out, store, location, summary.bugs)
        return summary


@dataclass(frozen=True)
class _Kept:
    """A mutant whose tree was written and found good."""

    tree: GitTree
    checks: tuple[str, ...]


class _Planter:
    """The work of one request, commit by commit."""

    def __init__(self, request: PlantingRequest, store: ObjectStore, location: Location) -> None:
        self.summary = PlantingSummary()
        self._request = request
        self._store = store
        self._location = location
        self._used: Counter[str] = Counter()
        self._cache = ResultCache(request.cache)

    async def plant_in(self, commit: str, report: ReportLine) -> None:
        """Plant up to `per_commit` bugs of different kinds, each in a commit of its own."""
        self.summary.commits_read += 1
        read = read_commit(self._store, self._location, commit, self._request.languages)
        if isinstance(read, str):
            self.summary.commits_unsuited[read] += 1
            return
        found = self._sound_mutants(read)
        if not found:
            self.summary.commits_unsuited["no operator has a place in it"] += 1
            return
        if not await self._tests_pass(read):
            self.summary.commits_unsuited["its tests fail without a bug"] += 1
            return
        planted = await self._plant(read, found)
        for bug in planted:
            report(f"{bug.case_id}: {bug.mutant.path}:{bug.mutant.line}: {bug.mutant.description}")
        if not planted:
            self.summary.commits_unsuited["every bug that was tried was discarded"] += 1

    def _sound_mutants(self, commit: PlantableCommit) -> dict[str, list[Mutant]]:
        """The mutants of each operator that parse, and compile as far as the text shows."""
        found: dict[str, list[Mutant]] = {}
        for operator in self._request.operators:
            for ground in commit.grounds:
                for mutant in mutants(operator, ground):
                    self.summary.candidates += 1
                    fault = fault_of(ground, mutant)
                    if fault:
                        self.summary.discarded[fault] += 1
                    else:
                        found.setdefault(operator.name, []).append(mutant)
        return found

    async def _plant(self, commit: PlantableCommit, found: dict[str, list[Mutant]]) -> list[PlantedBug]:
        chance = Random(f"{self._request.seed}:{commit.commit}")  # noqa: S311 - no secret
        order = sorted(found, key=lambda name: (self._used[name], chance.random()))
        planted: list[PlantedBug] = []
        tries = 0
        for name in order:
            for mutant in chance.sample(found[name], k=min(len(found[name]), 3)):
                if len(planted) >= self._request.per_commit or tries >= MAX_TRIES:
                    return planted
                tries += 1
                self.summary.tried += 1
                kept = await self._examine(commit, mutant)
                if isinstance(kept, str):
                    self.summary.discarded[kept] += 1
                    continue
                self._used[name] += 1
                bug = self._bug(commit, mutant, kept)
                planted.append(bug)
                self.summary.bugs.append(bug)
                self.summary.checks.update(kept.checks)
                break
        return planted

    async def _examine(self, commit: PlantableCommit, mutant: Mutant) -> _Kept | str:
        """Write the mutant's tree and look at it; the reason where it is no good."""
        tree = self._tree_with(commit, mutant)
        if not _shows(commit, tree, mutant, self._store):
            return NOT_IN_THE_CHANGE
        types = await self._check_types(commit, tree, mutant)
        if types.state == "refused":
            return TYPE_ERROR
        checks = [
            "parses",
            f"types: {types.said}" if types.state == "clean" else f"types not checked: {types.said}",
        ]
        if self._request.test_command is not None:
            trial = await run_tests(tree, self._request.test_command)
            if not trial.passed:
                return CAUGHT
            checks.append("the repository's tests pass with it")
        return _Kept(tree, tuple(checks))

    def _tree_with(self, commit: PlantableCommit, mutant: Mutant) -> GitTree:
        entry = commit.repository.head.entry(mutant.path)
        if entry is None:
            raise InputError(f"{mutant.path} is not in commit {commit.commit[:12]}")
        blob = self._store.write_blobs([mutant.text])[0]
        tree = self._store.write_tree(commit.repository.head.revision, {entry.raw_path: (entry.mode, blob)})
        return GitTree(self._store, tree, None)

    async def _check_types(self, commit: PlantableCommit, tree: GitTree, mutant: Mutant) -> TypeCheck:
        sides = GitRepository(self._store, commit.repository.head, tree)
        change = _change_between(self._store, sides.base, sides.head)
        language = commit.language_of(mutant.path)
        return await check_types(
            language, mutant.path, change, sides, cache=self._cache, reviewed_folder=self._location.work_tree
        )

    async def _tests_pass(self, commit: PlantableCommit) -> bool:
        """Tests that fail already cannot catch anything."""
        if self._request.test_command is None:
            return True
        return (await run_tests(commit.repository.head, self._request.test_command)).passed

    def _bug(self, commit: PlantableCommit, mutant: Mutant, kept: _Kept) -> PlantedBug:
        return PlantedBug(
            case_id=f"{commit.commit[:12]}-{mutant.operator.replace('_', '-')}",
            commit=commit.commit,
            parent=commit.parent,
            planted=write_planted_commit(self._store, commit.commit, kept.tree.revision),
            title=commit.change.title,
            description=commit.change.description,
            language=commit.language_of(mutant.path),
            mutant=mutant,
            after=lines_of(mutant.text, mutant.line, mutant.end_line),
            checks=kept.checks,
        )


def _shows(commit: PlantableCommit, tree: GitTree, mutant: Mutant, store: ObjectStore) -> bool:
    """The change from the parent to the mutant has a changed line where the bug stands."""
    files = files_between(store, commit.repository.base, tree)
    file = next((one for one in files if one.head_path == mutant.path), None)
    near = range(mutant.line - NEAR_LINES, mutant.end_line + NEAR_LINES + 1)
    return file is not None and not set(near).isdisjoint(file.changed_lines("head"))


def _change_between(store: ObjectStore, base: GitTree, head: GitTree) -> Change:
    return Change(
        source="commit",
        target="",
        base=Revision(tree=base.revision),
        head=Revision(tree=head.revision),
        files=files_between(store, base, head),
    )


def describe_planting(summary: PlantingSummary, out: Path) -> str:
    """The counts of a planting, and what to do next."""
    kinds = Counter(bug.mutant.operator for bug in summary.bugs)
    languages = Counter(bug.language for bug in summary.bugs)
    planted = f"{_counted(len(summary.bugs), 'bug')} planted in {_counted(summary.commits, 'commit')}"
    lines = [
        f"{planted}, with {_counted(summary.commits, 'clean twin')}: {out}",
        *_listed("kinds", kinds),
        *_listed("languages", languages),
        f"{_counted(summary.commits_read, 'commit')} read; "
        f"not suited: {sum(summary.commits_unsuited.values())}",
        *_reasons(summary.commits_unsuited),
        f"{_counted(summary.candidates, 'candidate')} found, {summary.tried} tried; "
        f"discarded: {sum(summary.discarded.values())}",
        *_reasons(summary.discarded),
        "checked in what was planted:",
        *_reasons(summary.checks),
        f"Next: affidavit eval {out}",
    ]
    return "\n".join(lines)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _listed(heading: str, counts: Counter[str]) -> list[str]:
    shown = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in _ordered(counts))
    return [f"  {heading}: {shown}"] if shown else []


def _reasons(counts: Counter[str]) -> list[str]:
    return [f"  {_counted(count, 'time')}: {reason}" for reason, count in _ordered(counts)]


def _ordered(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
