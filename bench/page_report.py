"""A large report for the page: 300 findings in 20,000 lines, as a report and as the text of a diff."""

from collections.abc import Iterator

from affidavit.records.candidate import Candidate, Judgement, Status
from affidavit.records.change import Change, FileChange, FileStatus, Hunk, Revision
from affidavit.records.evidence import QuoteCheck
from affidavit.records.finding import Category, Finding, Severity, Verification
from affidavit.records.report import Counts, FileCoverage, Gate, HunkCoverage, Report, Verdict

FILES = 20
HUNKS = 10
LINES = 100
FINDINGS = 300


def report() -> Report:
    """The report; its findings are spread evenly over the diff."""
    files = tuple(_file(number) for number in range(FILES))
    candidates = tuple(_candidate(number, files) for number in range(FINDINGS))
    severities = [one.finding.severity for one in candidates if one.finding]
    counts = Counts(
        candidates=FINDINGS,
        shown=FINDINGS,
        folded=0,
        withheld=0,
        blocking=0,
        by_severity={severity: severities.count(severity) for severity in Severity},
        withheld_by_code={},
    )
    return Report(
        affidavit_version="bench",
        id="large",
        created_at="2026-01-01T00:00:00Z",
        duration_ms=60_000,
        schema_version="1.2",
        prompt_version="1.0.0",
        change=Change(
            source="range",
            target="HEAD~1..HEAD",
            title="Rewrite twenty modules",
            base=Revision(tree="0" * 40),
            head=Revision(tree="1" * 40),
            files=files,
        ),
        settings={},
        candidates=candidates,
        replies=(),
        verdict=Verdict(decision="comment", summary="Many findings.", confidence=0.9, counts=counts),
        gate=Gate(fail_on=Severity.CRITICAL, exit_code=0),
        coverage=tuple(_covered(file) for file in files),
    )


def diff_text(large: Report) -> str:
    """The same diff as git writes it."""
    return "".join(_lines_of(large))


def _lines_of(large: Report) -> Iterator[str]:
    for file in large.change.files:
        yield f"diff --git a/{file.path} b/{file.path}\nindex 1111111..2222222 100644\n"
        yield f"--- a/{file.path}\n+++ b/{file.path}\n"
        for hunk in file.hunks:
            yield f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@\n"
            yield from (f"{line}\n" for line in hunk.lines)


def _file(number: int) -> FileChange:
    return FileChange(
        path=f"shop/part_{number:02}.py",
        status=FileStatus.MODIFIED,
        language="python",
        hunks=tuple(_hunk(index) for index in range(HUNKS)),
    )


def _hunk(index: int) -> Hunk:
    start = index * 200 + 1
    lines = [_line(index, row) for row in range(LINES)]
    return Hunk(
        old_start=start,
        old_count=sum(line[0] != "+" for line in lines),
        new_start=start,
        new_count=sum(line[0] != "-" for line in lines),
        lines=tuple(lines),
    )


def _line(index: int, row: int) -> str:
    mark = " -+"[row % 3]
    return (
        f'{mark}    total_{row} = price_of(items[{row}], "EUR", rate={index}.5) or Decimal(0)  # item {row}'
    )


def _candidate(number: int, files: tuple[FileChange, ...]) -> Candidate:
    file = files[number % FILES]
    hunk = file.hunks[number // FILES % HUNKS]
    line = hunk.new_start + 7 + number // (FILES * HUNKS) * 20
    quote = next(text for mark, _, new, text in hunk.numbered() if new == line)
    finding = Finding(
        id=f"f{number}",
        severity=list(Severity)[number % 4],
        category=Category.CORRECTNESS,
        title=f"The price of item {number} is rounded before it is added",
        file=file.path,
        line=line,
        message="Each price is rounded to a cent and then added: the sum is off by up to a cent an item.",
        suggestion="Add first, round once.",
        verification=Verification(
            code_examined=quote,
            line_range_examined=(line, line),
            verification_method="followed the sum",
            checked_for_handling_elsewhere=False,
            failing_input="three items of 0.335",
            wrong_outcome="1.02 instead of 1.01",
        ),
    )
    return Candidate(
        id=f"logic-{number}",
        specialist="logic",
        kind="model",
        index=number,
        finding=finding,
        fingerprint=f"{number:016x}",
        quote=QuoteCheck(outcome="exact", file=file.path, side="head", start=line, end=line, code=quote),
        judgements=(Judgement(by="verifier", answer="CONFIRMED", reason="It is so.", model="m"),),
        status=Status.VERIFIED,
        confidence="high",
    )


def _covered(file: FileChange) -> FileCoverage:
    hunks = tuple(
        HunkCoverage(
            new_start=hunk.new_start,
            new_count=hunk.new_count,
            old_start=hunk.old_start,
            old_count=hunk.old_count,
            examined_by=("logic",),
        )
        for hunk in file.hunks
    )
    return FileCoverage(path=file.path, state="examined", hunks=hunks)
