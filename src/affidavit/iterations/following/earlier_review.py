"""A finished report in, what the next review of the same change needs of it out."""

from affidavit.iterations.feedback.document import times_of
from affidavit.iterations.feedback.summary import key_of, settings_digest, summary_of
from affidavit.iterations.following.trace import digests_of
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.iteration import (
    HISTORY_WINDOW,
    Earlier,
    EarlierFile,
    EarlierFinding,
    EarlierHunk,
)
from affidavit.records.report import FileCoverage, HunkCoverage, Report


def earlier_of(
    report: Report, digest: str, *, series: str = "", looks_at_all: bool = False, tree: str = ""
) -> Earlier:
    """What a review that follows this report depends on; the digest is that of the report's bytes.

    `tree` is the new head's. Where it is the report's own, nothing was pushed: the new review takes the
    place of that one, and nothing counts a second time.
    """
    before = report.inputs.earlier
    number = report.follow_up.iteration if report.follow_up else 1
    is_same_head = tree == report.change.head.tree
    history = before.history if before else ()
    history = history if is_same_head else (*history, summary_of(report, digest))
    found = tuple(_finding(one, report) for one in report.candidates if one.is_open)
    return Earlier(
        report_id=report.id,
        digest=digest,
        series=series,
        number=number - is_same_head,
        base=report.change.base,
        head=report.change.head,
        models=report.models,
        prompt_version=report.prompt_version,
        settings=settings_digest(report.settings),
        is_complete=not report.incomplete,
        files=_files(report),
        findings=tuple(_once_less(one) for one in found) if is_same_head else found,
        dismissed=tuple(_finding(one, report) for one in report.candidates if _is_dismissed(one)),
        history=history[-HISTORY_WINDOW:],
        decided=report.follow_up.decisions if report.follow_up and is_same_head else (),
        looks_at_all=looks_at_all,
    )


def as_looked_then(earlier: Earlier, report: Report) -> Earlier:
    """Of a review of the same head that is done again: by what its models looked at, not by what they saw.

    They are asked the same once more, word for word, so that a recording of that review is one of this.
    """
    before = report.inputs.earlier
    if before is None:
        return earlier.model_copy(update={"looks_at_all": True})
    names = ("base", "models", "prompt_version", "settings", "is_complete", "files")
    kept = {name: getattr(before, name) for name in names}
    return earlier.model_copy(update={**kept, "looks_at_all": earlier.looks_at_all or before.looks_at_all})


def _once_less(one: EarlierFinding) -> EarlierFinding:
    return one.model_copy(update={"times": one.times - 1})


def _is_dismissed(candidate: Candidate) -> bool:
    return candidate.withheld is not None and candidate.withheld.code is Reason.DISMISSED


def _finding(candidate: Candidate, report: Report) -> EarlierFinding:
    under = [
        one
        for one in report.candidates
        if one.finding
        and one.withheld
        and one.withheld.code is Reason.DUPLICATE_OF
        and one.withheld.detail == candidate.id
    ]
    return EarlierFinding(
        candidate=_kept(candidate),
        key=key_of(candidate, report),
        times=times_of(candidate, report),
        places=tuple(map(_kept, under)),
    )


def _kept(candidate: Candidate) -> Candidate:
    """Without its way through that review, which stands in that report."""
    return candidate.model_copy(update={"steps": (), "raw": None, "withheld": None, "folded": False})


def _files(report: Report) -> tuple[EarlierFile, ...]:
    models = {one.specialist for one in report.replies if one.kind == "model"}
    coverage = {one.path: one for one in report.coverage}
    return tuple(
        EarlierFile(
            path=file.path,
            base_path=file.base_path,
            old_blob=file.old_blob,
            new_blob=file.new_blob,
            hunks=tuple(
                EarlierHunk(
                    digests=digests_of(hunk),
                    examined_by=_seen_by(coverage.get(file.path), number, models),
                )
                for number, hunk in enumerate(file.hunks)
            ),
        )
        for file in report.change.files
    )


def _seen_by(file: FileCoverage | None, number: int, models: set[str]) -> tuple[str, ...]:
    """The models that saw a hunk whole, then or before."""
    if file is None or number >= len(file.hunks):
        return ()
    hunk = file.hunks[number]
    if hunk.parts and not hunk.examined_before:
        # Seen in parts: by those that saw one, where each was seen by somebody.
        seen = [_models_of(part, models) for part in hunk.parts]
        return tuple(dict.fromkeys(name for names in seen for name in names)) if all(seen) else ()
    return _models_of(hunk, models)


def _models_of(hunk: HunkCoverage, models: set[str]) -> tuple[str, ...]:
    now = [name.partition("@")[0] for name in hunk.examined_by if name in models]
    return tuple(dict.fromkeys([*now, *hunk.examined_before]))
