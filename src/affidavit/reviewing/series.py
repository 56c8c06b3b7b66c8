"""Find the earlier review of a change, in the store or in a report that the user names."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from affidavit.config.places import state_folder
from affidavit.errors import InputError, SettingsError, StoreError, UnreadableReportError
from affidavit.git.command import Git, Location
from affidavit.git.location import is_same_address, is_shared_address, repository_name
from affidavit.git.revisions import branch_named, is_part_of
from affidavit.iterations.review_summary import summary_of
from affidavit.iterations.scope import earlier_of, for_repetition
from affidavit.records.iteration import DEFAULT_TENANT, Earlier, IterationSummary, StoredIteration
from affidavit.records.report import Report
from affidavit.reviewing.options import ReviewOptions, Say
from affidavit.stages.intake import OpenedChange
from affidavit.store.open import Store, open_store

MAX_REPORT_BYTES = 500_000_000


@dataclass(frozen=True)
class Followed:
    """The series that a review belongs to, and the review before it; one without a name is not kept."""

    repository: str = ""
    series: str = ""
    earlier: Earlier | None = None


def followed_by(
    opened: OpenedChange, options: ReviewOptions, say: Say | None = None, posted: bytes | None = None
) -> Followed:
    """Find the review to follow: the posted report, `--previous`, or the store's newest of the series."""
    named, looks_at_all = options.previous, options.all
    tree, earlier = opened.change.head.tree, None
    repository, series = repository_of(opened), series_of(opened, options)
    if named or posted:
        content = posted or _read_previous(Path(named or ""))
        report = _parsed(content, named)
        _refuse_other_repository(report, opened)
        earlier = earlier_of(
            report, sha256(content).hexdigest(), series=series, looks_at_all=looks_at_all, tree=tree
        )
        is_signed = named is not None and _is_signed(Path(named), content, opened)
        is_trusted = posted is not None or is_signed or _is_kept(report, options)
        earlier = earlier.model_copy(update={"is_trusted": is_trusted})
        return Followed(repository, series, earlier)
    if not series or options.no_store:
        return Followed(repository, series)
    store = open_store(options.data or state_folder())
    try:
        before = newest_of(store, repository, series) if store.exists() else None
        if before is not None and not is_merged(before, opened):
            earlier = earlier_in(store, before, series=series, tree=tree, looks_at_all=looks_at_all)
    except StoreError as error:
        if say:
            say(f"no earlier review is followed, since {error}")
    return Followed(repository, series, earlier)


def newest_of(
    store: Store, repository: str, series: str, tenant: str = DEFAULT_TENANT
) -> StoredIteration | None:
    known = store.kept.of(repository, series, tenant)
    return known[-1] if known else None


def keep_iteration(report: Report, followed: Followed, folder: Path | None, warn: Say) -> None:
    if followed.series:
        from affidavit.render.formats import render  # noqa: PLC0415

        digest = sha256(render(report, "report").encode()).hexdigest()
        keep_summary(summary_of(report, digest), followed, folder, warn)


def keep_summary(summary: IterationSummary, followed: Followed, folder: Path | None, warn: Say) -> None:
    try:
        store = open_store(folder or state_folder())
        store.kept.add(followed.repository, followed.series, summary)
    except StoreError as error:
        warn(f"the review was not added to its series: {error}")


def free_series(repository: str, wanted: str, folder: Path | None) -> str:
    """Return a name for the series of a new loop, with the first free number."""
    store = open_store(folder or state_folder())
    kept = store.iterations.series() if store.exists() else []
    known = {one.series for one in kept if one.repository == repository}
    names = [f"{wanted} (refine)", *(f"{wanted} (refine {number})" for number in range(2, 100_000))]
    return next(name for name in names if name not in known)


def series_of(opened: OpenedChange, options: ReviewOptions) -> str:
    """Return the name of the series: the user's, the request's, or the branch's; empty without one."""
    named = options.series
    if named is not None:
        if not str(named).strip():
            raise SettingsError("--series needs a name")
        if options.no_store:
            raise SettingsError("--series needs the store: leave --no-store out, or name --previous REPORT")
        return str(named).strip()
    change = opened.change
    if change.request:
        return change.request
    if change.source == "range":
        return branch_named(opened.repository.store.git, change.head.name)
    if change.source in ("working_tree", "staged"):
        branch = branch_named(opened.repository.store.git, "HEAD")
        base = (change.base.commit or "")[:12]
        what = "staged" if change.source == "staged" else "not committed"
        return f"{branch} ({what}, on {base})" if branch and base else ""
    return ""


def repository_at(location: Location) -> str:
    git = Git(location.common_dir).having({"GIT_DIR": str(location.common_dir)})
    return _owner(repository_name(git, location), location.work_tree)


def repository_of(opened: OpenedChange) -> str:
    return _owner(opened.change.repository or "", opened.repository.folder)


def _owner(named: str, folder: Path | None) -> str:
    """Return the address of a repository, or its folder: many have the same name."""
    return named if is_shared_address(named) or folder is None else str(folder.resolve())


def is_merged(before: StoredIteration, opened: OpenedChange) -> bool:
    base, head = opened.change.base.commit, before.summary.head
    # What was not committed is named by its tree.
    return (
        base is not None
        and head != before.summary.tree
        and is_part_of(opened.repository.store.git, head, base)
    )


def earlier_in(
    store: Store, before: StoredIteration, *, series: str, tree: str, looks_at_all: bool
) -> Earlier | None:
    """Load a kept review for the next one to follow; None if its report is gone by now.

    `tree` is the new head's. A review of the same head is repeated, not continued: models examine what
    they examined then, and findings that they do not repeat are carried over.
    """
    content = store.kept.load_bytes(before.report_id)
    if content is None:
        return None
    try:
        report = Report.model_validate_json(content)
    except ValueError as error:
        raise UnreadableReportError(f"report {before.report_id} was stored by another version") from error
    digest = sha256(content).hexdigest()
    earlier = earlier_of(report, digest, series=series, looks_at_all=looks_at_all, tree=tree)
    return for_repetition(earlier, report) if report.change.head.tree == tree else earlier


def _is_kept(report: Report, options: ReviewOptions) -> bool:
    store = open_store(options.data or state_folder())
    return not options.no_store and store.exists() and store.reports.load(report.id) == report


def _is_signed(path: Path, content: bytes, opened: OpenedChange) -> bool:
    from affidavit.proof.signature import check_signature, signature_path  # noqa: PLC0415 - few sign
    from affidavit.rechecking.signers import allowed_signers  # noqa: PLC0415

    beside = signature_path(path)
    if not beside.is_file():
        return False
    trust = allowed_signers(opened.repository)
    return check_signature(content, beside.read_bytes(), trust.lists).state == "trusted"


def _read_previous(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_REPORT_BYTES:
            raise InputError(f"--previous: {path} is larger than any report")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"--previous: {path}: {error.strerror}") from error


def _parsed(content: bytes, named: Path | None) -> Report:
    try:
        return Report.model_validate_json(content)
    except ValueError as error:
        advice = f"{named} is not a native report: name a file of `review --format report=FILE`"
        raise InputError(
            f"--previous: {advice if named else 'the posted report was written by another version'}"
        ) from error


def _refuse_contradiction(report: Report) -> None:
    """Refuse a report whose parts do not fit each other: it was edited."""
    known, counts = {one.id for one in report.candidates}, report.verdict.counts
    now = {one.now for one in report.follow_up.decisions if one.now} if report.follow_up else set()
    named = {*report.verdict.blocking, *report.gate.failed_by, *now}
    is_counted = counts.candidates == len(known) and counts.shown == len(report.shown)
    if named - known or not is_counted or counts.blocking != len(report.verdict.blocking):
        raise InputError(
            "--previous: that report contradicts itself: its verdict, gate or counts name findings that "
            "it does not have; name the file as `review --format report=FILE` wrote it"
        )


def _refuse_other_repository(report: Report, opened: OpenedChange) -> None:
    """Refuse a report of another change, which would turn all of its findings into fixed ones."""
    _refuse_contradiction(report)
    now, then = opened.change.repository or "", report.change.repository or ""
    is_named_alike = "/" in now and is_same_address(now, then)
    commits = [one for one in (report.change.head.commit, report.change.base.commit) if one]
    git = opened.repository.store.git
    is_known = any(git.attempt("cat-file", "-e", f"{one}^{{commit}}").returncode == 0 for one in commits)
    if commits and not is_known and not is_named_alike:
        raise InputError(
            f"--previous: that report is of another repository ({then or 'without a name'}): neither its "
            "head nor its base is known here; name the report of an earlier review of this change"
        )
    files = {file.base_path for file in report.change.files} | {file.path for file in report.change.files}
    known = opened.repository.base.entries().keys() | opened.repository.head.entries().keys()
    if files and known and not files & known:
        raise InputError(
            "--previous: that report is about files that are nowhere in this repository; "
            "name the report of an earlier review of this change"
        )
