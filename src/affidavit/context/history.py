"""Ask the history: who wrote the lines that a change replaces, and what usually changes with its files."""

import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby, islice, pairwise

from affidavit.diff.skipping import is_lock
from affidavit.errors import GitError
from affidavit.git.blame import BlamedLine, blame
from affidavit.git.command import Git, complaint
from affidavit.git.repository import GitRepository
from affidavit.git.text import decode_path
from affidavit.languages.test_files import is_code
from affidavit.records.change import Change, FileChange
from affidavit.records.context import BlameOrigin

BLAME_SECONDS = 10.0
"""Limit for all files together."""
BLAME_WORKERS = 2
MAX_BLAMED_FILES = 100
MAX_RANGES = 100
MAX_ORIGINS_OF_FILE = 30
MAX_ORIGINS = 300

LOG_SECONDS = 8.0
# An empty diff.orderFile in the user's settings would make this command fail.
LOG = ("log", "-z", "-O/dev/null", "--name-only", "--full-diff", "--no-renames", "--no-merges")
MAX_COMMITS = 1000
MAX_LOGGED_FILES = 200
LARGE_COMMIT = 30
MIN_SHARED_COMMITS = 3
MIN_SHARE = 0.25
_COMMIT_MARK = re.compile(rb"\x01[0-9a-f]{40,64}")


@dataclass(frozen=True)
class Companion:
    """A file that usually changes together with a changed one."""

    path: str
    changed_file: str
    shared: int
    commits: int
    """How many commits touched the changed file; large ones do not count."""

    @property
    def share(self) -> float:
        """Return in how many of the changed file's commits it took part."""
        return self.shared / self.commits


def find_origins(
    change: Change, repository: GitRepository, *, timeout_seconds: float = BLAME_SECONDS
) -> tuple[list[BlameOrigin], list[str]]:
    """Return who wrote the replaced lines, and sentences about what is unknown."""
    commit = repository.base.commit
    files = [file for file in change.reviewed_files() if _has_replaced_lines(file)]
    # If not all files can be blamed, code comes before translations and data.
    files.sort(key=lambda file: not is_code(file.path))
    if not files:
        return [], []
    if commit is None:
        return [], ["who wrote the replaced lines is not known: the diff came without its history"]
    deadline = time.monotonic() + timeout_seconds
    with ThreadPoolExecutor(BLAME_WORKERS) as pool:
        answers = list(
            pool.map(lambda file: _blame(file, commit, repository, deadline), files[:MAX_BLAMED_FILES])
        )
    left_out = [sentence for _, sentences in answers for sentence in sentences]
    if len(files) > MAX_BLAMED_FILES:
        left_out.append(f"the replaced lines of {len(files) - MAX_BLAMED_FILES} more files were not blamed")
    origins = [origin for found, _ in answers for origin in found]
    origins, sentences = _without_edge(origins, repository)
    if len(origins) > MAX_ORIGINS:
        left_out.append(f"{len(origins) - MAX_ORIGINS} more origins of replaced lines are not listed")
    return origins[:MAX_ORIGINS], [*left_out, *sentences]


def _has_replaced_lines(file: FileChange) -> bool:
    is_text = not (file.is_binary or file.is_submodule or file.is_partial)
    return is_text and file.base_path is not None and bool(file.changed_lines("base"))


def _blame(
    file: FileChange, commit: str, repository: GitRepository, deadline: float
) -> tuple[list[BlameOrigin], list[str]]:
    path = file.base_path or file.path
    entry = repository.base.entry(path)
    seconds = deadline - time.monotonic()
    if entry is None or seconds <= 0:
        return [], [f"the replaced lines of {path} were not blamed: the time for it was used up"]
    ranges = line_ranges(file.changed_lines("base"))
    try:
        lines = list(blame(repository.store, commit, entry.raw_path, ranges[:MAX_RANGES], seconds))
    except GitError as error:
        return [], [f"the replaced lines of {path} were not blamed: {error}"]
    origins = list(_origins(path, lines))
    sentences = []
    if len(ranges) > MAX_RANGES or len(origins) > MAX_ORIGINS_OF_FILE:
        sentences.append(f"{path} replaces lines in many places, and not all of their origins are listed")
    return origins[:MAX_ORIGINS_OF_FILE], sentences


def line_ranges(lines: Iterable[int]) -> list[tuple[int, int]]:
    """Return the runs of neighbouring line numbers, each as first and last."""
    runs: list[tuple[int, int]] = []
    for line in sorted(lines):
        if runs and line <= runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], line)
        else:
            runs.append((line, line))
    return runs


def _origins(path: str, lines: Iterable[BlamedLine]) -> Iterator[BlameOrigin]:
    ordered = sorted(lines, key=lambda one: one.line)
    # Neighbours of one commit keep the same difference between line number and position.
    numbered = groupby(enumerate(ordered), key=lambda pair: (pair[1].commit, pair[1].line - pair[0]))
    for _, run in numbered:
        group = [line for _, line in run]
        first = group[0]
        yield BlameOrigin(
            path=path,
            first_line=first.line,
            last_line=group[-1].line,
            author=first.about.get("author", ""),
            date=first.date,
            commit=first.commit,
            summary=first.about.get("summary", ""),
        )


def _without_edge(
    origins: Sequence[BlameOrigin], repository: GitRepository
) -> tuple[list[BlameOrigin], list[str]]:
    """Leave out the oldest commit of a shallow clone, which git blames for everything older."""
    edge = _edge_commits(repository)
    known = [origin for origin in origins if origin.commit not in edge]
    unknown = len(origins) - len(known)
    if not unknown:
        return known, []
    return known, [f"who wrote {unknown} of the replaced parts is not known: this clone is shallow"]


def _edge_commits(repository: GitRepository) -> frozenset[str]:
    location = repository.store.location
    if location is None or not location.is_shallow:
        return frozenset()
    try:
        return frozenset((location.common_dir / "shallow").read_text(encoding="ascii").split())
    except (OSError, UnicodeDecodeError):
        return frozenset()


def find_companions(
    change: Change, repository: GitRepository, *, timeout_seconds: float = LOG_SECONDS
) -> tuple[list[Companion], list[str]]:
    """Return files that usually change together with the changed ones, the closest first."""
    commit = repository.base.commit
    paths = {file.base_path for file in change.reviewed_files() if file.base_path}
    entries = [entry for path in sorted(paths) if (entry := repository.base.entry(path))]
    if commit is None or not entries:
        return [], []
    limits = (f"--max-count={MAX_COMMITS}", "--format=%x01%H", commit, "--")
    places = [b":(literal)" + entry.raw_path for entry in islice(entries, MAX_LOGGED_FILES)]
    try:
        printed, was_cut = read_for(repository.store.git, (*LOG, *limits, *places), timeout_seconds)
    except GitError as error:
        return [], [f"files that change together are not known: {error}"]
    left_out = ["only the newest part of the history was searched for files that change together"] * was_cut
    if len(entries) > MAX_LOGGED_FILES:
        left_out.append(f"files that change together were looked for with {MAX_LOGGED_FILES} files only")
    return _companions(commit_files(printed, is_cut=was_cut), paths, repository), left_out


def read_for(git: Git, args: Sequence[str | bytes], seconds: float) -> tuple[bytes, bool]:
    """Return what git prints within this time, and whether it was stopped."""
    with git.start(args) as process:
        try:
            printed, stderr = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.communicate()[0], True
    if process.returncode != 0:
        raise GitError(f"git {args[0]!r} failed: {complaint(stderr)}")
    return printed, False


def commit_files(printed: bytes, *, is_cut: bool = False) -> list[list[str]]:
    """Return the files of each commit in `git log -z --name-only --format=%x01%H`."""
    fields = printed.split(b"\0")
    starts = [number for number, field in enumerate(fields) if _COMMIT_MARK.fullmatch(field)]
    commits = [fields[start + 1 : end] for start, end in pairwise([*starts, len(fields)])]
    whole = commits[:-1] if is_cut else commits
    names = [[field.removeprefix(b"\n") for field in commit] for commit in whole]
    return [[decode_path(name) for name in commit if name] for commit in names]


def _companions(
    commits: Iterable[Sequence[str]], changed: set[str], repository: GitRepository
) -> list[Companion]:
    touched: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    for files in commits:
        # A commit that touches everything does not relate any two files.
        if len(files) > LARGE_COMMIT:
            continue
        ours = [path for path in files if path in changed]
        touched.update(ours)
        together.update((path, other) for path in ours for other in files if other not in changed)
    found = [
        Companion(path=other, changed_file=path, shared=shared, commits=touched[path])
        for (path, other), shared in together.items()
        if shared >= MIN_SHARED_COMMITS and shared / touched[path] >= MIN_SHARE
    ]
    present = [one for one in found if repository.head.entry(one.path) and not is_lock(one.path)]
    return sorted(present, key=lambda one: (-one.share, -one.shared, one.path, one.changed_file))
