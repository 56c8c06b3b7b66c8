"""A report with the same text in every place that a change or a specialist can fill."""

from hypothesis import strategies as st

from affidavit.records.candidate import Candidate, Judgement, Status, Step, Withheld, Worth
from affidavit.records.change import FileChange, FileStatus
from affidavit.records.diagnostics import Reason
from affidavit.records.evidence import SearchHit, SearchRun
from affidavit.records.finding import Cause, Search
from affidavit.records.report import FileCoverage, Gap, ReplySummary, Report, RoleUsage
from hostile import dropped
from reports import a_change, a_file, a_finding, a_hunk, a_quote, a_report, a_verification

PIECES = (
    "<script>alert(1)</script>",
    "</script>",
    "</style>",
    "</title>",
    "--><!--",
    "<![CDATA[",
    "]]>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "<svg/onload=alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "[x](javascript:alert(1))",
    "`<b>`",
    "```\n<b>\n```",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "{# x #}",
    "${7*7}",
    "&lt;&amp;",
    "&#x3c;",
    "expression(alert(1))",
    "}*{display:none}",
    "\u202e",
    "\u2028",
    "\x00",
    "\x0b",
    "\x1b[31m",
    "\ufffe",
    "\ud800",
    "\udcff",
    "\n",
    "\r",
    "\t",
    "%SRCROOT%",
    "../../etc",
    "http://evil.example/",
    "漢字",
    "word",
)
ALL_OF_THEM = "".join(PIECES)
any_text = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=6).map("".join)


def report_of(text: str) -> Report:
    """Shown, folded, outside the hunks, outside the change, withheld and dropped: all of them say `text`."""
    said = text if text.strip() else text + "x"
    return a_report(
        _candidate(0, said),
        _candidate(1, said, worth=Worth.MAYBE, folded=True),
        _candidate(2, said, line=900),
        _impact(3, said),
        _candidate(4, said, withheld=Withheld(code=Reason.NIT, detail=said)),
        _candidate(5, said, withheld=Withheld(code=Reason.REFUTED, detail=said)),
        _candidate(6, said, finding=None, raw={said: [said]}, withheld=Withheld(code=Reason.FINDING_DROPPED)),
        change=a_change(
            [_file(said), _coloured(said)], title=said, target=said, repository=said, description=said
        ),
        id=said,
        affidavit_version=said,
        incomplete=(Gap(name=said, reason=said, advice=said),),
        not_run=(Gap(name=said, reason=said, advice=said),),
        coverage=(FileCoverage(path=said, state="partly", reason=said),),
        diagnostics=(dropped(said, said, said), dropped(said, said, said, unlisted={said: 2})),
        replies=(ReplySummary(specialist=said, kind="model", state="accepted", findings=1, dropped=1),),
        usage=(RoleUsage(role=said, model=said, cost_usd=0.1),),
    )


def _file(said: str) -> FileChange:
    line = said.replace("\n", " ")
    hunk = a_hunk(f" {line}", f"+{line}", f"-{line}", "+" + "y" * 3_000, "+\r", heading=said)
    return a_file(said, hunk, status=FileStatus.RENAMED, old_path=f"old/{said}", language=said)


def _coloured(said: str) -> FileChange:
    """A file whose language is known, with the text in a string, in a comment and as code."""
    line = said.replace("\n", " ")
    return a_file("known.py", a_hunk(f"+x = '{line}'", f" # {line}", f"-{line}", f"+def f(): {line}"))


def _candidate(number: int, said: str, line: int = 2, **fields: object) -> Candidate:
    verification = a_verification(
        verification_method=said, failing_input=said, wrong_outcome=said, where_checked=said
    )
    finding = a_finding(
        id=said, title=said, file=said, line=line, message=said, suggestion=said, rule_id=said,
        verification=verification,
    )  # fmt: skip
    defaults = {
        "finding": finding,
        "fingerprint": said,
        "quote": a_quote(file=said, code=said, start=line, end=line, detail=said),
        "searches": (
            SearchRun(
                search=Search(pattern=said, paths=(said,)),
                state="hits",
                hits=(SearchHit(path=said, line=1, text=said),),
            ),
        ),
        "judgements": (Judgement(by="verifier", answer="CONFIRMED", reason=said, model=said),),
        "agreed_by": (said,),
        "status": Status.VERIFIED,
        "steps": (Step(stage=said, what=said),),
    }
    return Candidate(
        id=f"{said}:{number}", specialist=said, kind="model", index=number, **{**defaults, **fields}
    )


def _impact(number: int, said: str) -> Candidate:
    one = _candidate(number, said)
    assert one.finding is not None
    verification = a_verification(is_impact_finding=True, caused_by=Cause(file=said, symbol=said))
    finding = one.finding.model_copy(update={"file": f"x/{said}", "verification": verification})
    return one.model_copy(update={"finding": finding})
