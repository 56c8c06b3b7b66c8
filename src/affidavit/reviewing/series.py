"""Which review is the one before this one: by name in the store, or a report that the user names."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from affidavit.config.places import state_folder
from affidavit.errors import InputError, SettingsError, StoreError
from affidavit.git.repository import GitRepository
from affidavit.iterations.feedback.summary import summary_of
from affidavit.iterations.following.earlier import earlier_of
from affidavit.records.iteration import Earlier, StoredIteration
from affidavit.records.report import Report
from affidavit.render.formats import render
from affidavit.reviewing.options import Say
from affidavit.stages.intake import OpenedChange
from affidavit.store.open import Store, open_store

MAX_REPORT_BYTES = 500_000_000
NAMES_OF_HERE = ("HEAD", "@")


@dataclass(frozen=True)
class Followed:
    """The row that a review belongs to, and the review before it; a row without a name is not kept."""

    repository: str = ""
    series: str = ""
    earlier: Earlier | None = None


def followed_by(opened: OpenedChange, options: Mapping[str, Any], say: Say | None = None) -> Followed:
    """What this review follows: `--previous` first, then what the store has under the change's name."""
    named, looks_at_all = options.get("previous"), bool(options.get("all"))
    repository, series = _repository_of(opened), series_of(opened, options)
    if named:
        report, digest = _read_previous(Path(named))
        _refuse_other_repository(report, opened)
        earlier = earlier_of(report, digest, series=series, looks_at_all=looks_at_all)
        return Followed(repository, series, earlier)
    if not series or options.get("no_store"):
        return Followed(repository, series)
    store = open_store(options.get("data") or state_folder())
    try:
        before = _before(store, repository, series, opened) if store.exists() else None
        report_bytes = store.reports.load_bytes(before.report_id) if before else None
    except StoreError as error:
        if say:
            say(f"no earlier review is followed, since {error}")
        return Followed(repository, series)
    if before is None or report_bytes is None:
        return Followed(repository, series)
    try:
        report = Report.model_validate_json(report_bytes)
    except ValueError:
        if say:
            say(f"no earlier review is followed: report {before.report_id} was kept by another version")
        return Followed(repository, series)
    digest = sha256(report_bytes).hexdigest()
    return Followed(repository, series, earlier_of(report, digest, series=series, looks_at_all=looks_at_all))


def keep_iteration(report: Report, followed: Followed, folder: Path | None, warn: Say) -> None:
    """Note the kept report as the next of its row."""
    if not followed.series:
        return
    digest = sha256(render(report, "report").encode()).hexdigest()
    try:
        store = open_store(folder or state_folder())
        store.iterations.add(followed.repository, followed.series, summary_of(report, digest))
    except StoreError as error:
        warn(f"the review was not added to its row: {error}")


def series_of(opened: OpenedChange, options: Mapping[str, Any]) -> str:
    """The name of the row: the user's, the request's, or the branch's; empty where there is none."""
    named = options.get("series")
    if named is not None:
        if not str(named).strip():
            raise SettingsError("--series needs a name")
        if options.get("no_store"):
            raise SettingsError("--series needs the store: leave --no-store out, or name --previous REPORT")
        return str(named).strip()
    change = opened.change
    if change.request:
        return change.request
    if change.source == "range":
        return _branch(opened.repository, change.head.name)
    if change.source in ("working_tree", "staged"):
        branch = _branch(opened.repository, "HEAD")
        base = (change.base.commit or "")[:12]
        return f"{branch} (not committed, on {base})" if branch and base else ""
    return ""


def _repository_of(opened: OpenedChange) -> str:
    """Where it comes from; without such an address its folder, for many are called alike."""
    folder, named = opened.repository.folder, opened.change.repository or ""
    return named if "/" in named or folder is None else str(folder.resolve())


def _branch(repository: GitRepository, name: str) -> str:
    """The branch that a name stands for; empty for a commit's id, a tag or anything computed."""
    git = repository.store.git
    if name in NAMES_OF_HERE:
        done = git.attempt("symbolic-ref", "--quiet", "--short", "HEAD")
        return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
    short = name.removeprefix("refs/heads/").removeprefix("refs/remotes/")
    for prefix in ("refs/heads/", "refs/remotes/"):
        done = git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{prefix}{short}")
        if done.returncode == 0:
            return short if prefix == "refs/heads/" else short.partition("/")[2]
    return ""


def _before(store: Store, repository: str, series: str, opened: OpenedChange) -> StoredIteration | None:
    """The newest review of another head; none where that head is part of this one's base by now."""
    tree = opened.change.head.tree
    others = [one for one in store.iterations.of(repository, series) if one.tree != tree]
    newest = others[-1] if others else None
    return None if newest is None or _is_merged(newest, opened) else newest


def _is_merged(before: StoredIteration, opened: OpenedChange) -> bool:
    base = opened.change.base.commit
    if base is None:
        return False
    git = opened.repository.store.git
    done = git.attempt("merge-base", "--is-ancestor", before.summary.head, base)
    return done.returncode == 0


def _read_previous(path: Path) -> tuple[Report, str]:
    try:
        if path.stat().st_size > MAX_REPORT_BYTES:
            raise InputError(f"--previous: {path} is larger than any report")
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"--previous: {path}: {error.strerror}") from error
    try:
        return Report.model_validate_json(content), sha256(content).hexdigest()
    except ValueError as error:
        raise InputError(
            f"--previous: {path} is not a native report: name a file of `review --format report=FILE`"
        ) from error


def _refuse_other_repository(report: Report, opened: OpenedChange) -> None:
    """A report of another change would turn all of its findings into fixed ones."""
    files = {file.base_path for file in report.change.files} | {file.path for file in report.change.files}
    known = opened.repository.base.entries().keys() | opened.repository.head.entries().keys()
    if files and known and not files & known:
        raise InputError(
            "--previous: that report speaks of files that are nowhere in this repository; "
            "name the report of an earlier review of this change"
        )
