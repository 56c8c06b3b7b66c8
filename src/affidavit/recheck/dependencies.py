"""Prove what a report quotes of packages again, where the very same file is here; else it is on its word."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from affidavit.dependencies.found import find_packages
from affidavit.dependencies.open_packages import OpenPackages
from affidavit.git.repository import GitRepository
from affidavit.proof.quoting.dependency_quotes import PackageFile, check_dependency, still_follows
from affidavit.recheck.proofs import Proof
from affidavit.records.candidate import Candidate
from affidavit.records.evidence import DependencyCheck
from affidavit.records.finding import DependencyQuote
from affidavit.records.report import Report


def prove_dependencies(
    report: Report, repository: GitRepository, environments: Sequence[Path] = ()
) -> tuple[list[Proof], list[str]]:
    """The proofs, and what could not be looked at: that never fails, and never counts as proven."""
    if not any(one.dependency_quotes or _quotes(one) for one in report.candidates):
        return [], []
    found = find_packages(repository.folder, repository.base, environments, is_tracked=repository.tracks)
    proofs: list[Proof] = []
    words: list[str] = []
    with OpenPackages(found) as packages:
        for candidate in report.candidates:
            for said in _proven(candidate, packages):
                if isinstance(said, str):
                    words.append(said)
                else:
                    proofs.append(said)
    return proofs, words


def _proven(candidate: Candidate, packages: OpenPackages) -> Iterator[Proof | str]:
    quotes, checks = _quotes(candidate), candidate.dependency_quotes
    if candidate.finding is None or (candidate.withheld and not checks):
        # What ended before its quotes were looked up has none on record.
        return
    if len(quotes) != len(checks):
        yield _proof(candidate, holds=False, detail="the report does not say what became of each quote")
        return
    for quote, check in zip(quotes, checks, strict=True):
        if not still_follows(quote, check):
            detail = f"what is recorded of {check.file} of {check.package} is not what the finding quotes"
            yield _proof(candidate, holds=False, detail=detail)
        else:
            yield _compared(candidate, quote, check, packages.file(quote.package, quote.file))


def _compared(
    candidate: Candidate, quote: DependencyQuote, then: DependencyCheck, file: PackageFile | str
) -> Proof | str:
    if isinstance(file, str) or file.sha256 != then.sha256.lower():
        why = "that package is not here" if isinstance(file, str) else "another file is here"
        name = f"{then.package} {then.version} {then.file}"
        return f"what {candidate.id} quotes of {name}, sha256 {then.sha256[:12]}: {why}"
    now = check_dependency(quote, file)
    place = (now.outcome, now.start, now.end, now.code)
    if place == (then.outcome, then.start, then.end, then.code):
        return _proof(candidate, holds=True, detail=f"looked up again: it {now.summary}")
    if then.outcome in ("not_here", "other_file"):
        return _proof(candidate, holds=True, detail=f"not looked up then; looked up here: it {now.summary}")
    detail = f"looked up again, it {now.summary}; the report says that it {then.summary}"
    return _proof(candidate, holds=False, detail=detail)


def _quotes(candidate: Candidate) -> tuple[DependencyQuote, ...]:
    evidence = candidate.finding.verification if candidate.finding else None
    return evidence.dependency_quotes if evidence else ()


def _proof(candidate: Candidate, *, holds: bool, detail: str) -> Proof:
    title = candidate.finding.title if candidate.finding else ""
    return Proof(finding=candidate.id, title=title, kind="dependency", holds=holds, detail=detail)
