"""Reports in which every text that a change or a specialist can choose is hostile."""

from typing import Any

from hypothesis import strategies as st

from affidavit.records.change import FileChange
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.finding import Cause
from affidavit.records.report import Gap, Report
from reports import (
    a_candidate,
    a_change,
    a_file,
    a_finding,
    a_hunk,
    a_quote,
    a_report,
    a_set_aside,
    a_verification,
    a_withheld,
)

PIECES = (
    "\x1b[31m",
    "\x9b2J",
    "\x1b]8;;http://evil\x07",
    "\u202e",
    "\u200b",
    "\ufeff",
    "\U000e0041",
    "[red]",
    "[/]",
    ":smile:",
    "`",
    "```",
    "````\n",
    "~~~",
    "\n",
    "\r",
    "\t",
    "<script>",
    "</details>",
    "<!--",
    "![x](http://e/i.png)",
    "[x](javascript:1)",
    "<http://e>",
    "www.evil.example",
    "https://evil.example/x",
    "@everyone",
    "a@b.example",
    "#12",
    "GH-7",
    "!3",
    "deadbeef1",
    "\n/close",
    "\n# head",
    "\n    code",
    "\n---\n",
    "|",
    "\\",
    "*b*",
    "_i_",
    "~s~",
    "&amp;",
    "$x$",
    "- [ ] ",
    "1. ",
    "漢字",
    "e\u0301",
    " ",
    "word",
)

hostile_text = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=8).map("".join)
some_text = hostile_text.map(lambda text: text if text.strip() else text + "x")


@st.composite
def hostile_reports(draw: st.DrawFn) -> Report:
    """A report with a finding, an impact finding, a nit and a dropped one, all with chosen texts."""
    path, code, title, message = (draw(some_text) for _ in range(4))
    lines = [draw(st.sampled_from("+- ")) + line.replace("\n", "") for line in (code, message, title)]
    candidates = (_finding(0, path, code, title, message), _impact(1, path, title, message, code))
    withheld = (
        _finding(2, path, code, title, message, withheld=a_withheld(2, Reason.NIT, message).withheld),
        a_withheld(3, Reason.REFUTED, message, finding=a_finding(title=title, file=path)),
        a_withheld(4, Reason.FINDING_DROPPED, message, finding=None, raw={"title": title}),
    )
    return a_report(
        *candidates,
        *withheld,
        change=a_change(files=_files(path, lines), title=title, target=message),
        diagnostics=(dropped(path, title, message), dropped(path, title, message, unlisted={code: 2})),
        incomplete=(Gap(name=title, reason=message, advice=code),),
        not_run=(Gap(name=message, reason=code, advice=title),),
    )


def dropped(path: str, title: str, message: str, **fields: Any) -> Diagnostic:
    """What an analyser set aside, with any words everywhere."""
    result = a_set_aside(rule=title, file=path, message=message, reason=title)
    said = {"set_aside": result, **fields}
    return Diagnostic(code=Reason.FINDING_DROPPED, specialist=title, detail=message).model_copy(update=said)


def _files(path: str, lines: list[str]) -> list[FileChange]:
    return [
        a_file(path, a_hunk(*lines)),
        a_file("poetry.lock" + path, skipped="lock"),
    ]


def _finding(number: int, path: str, code: str, title: str, message: str, **fields: Any) -> Any:
    verification = a_verification(
        verification_method=message, failing_input=title, wrong_outcome=code, code_examined=code
    )
    finding = a_finding(
        id=f"f{number}",
        title=title,
        file=path,
        message=message,
        suggestion=code,
        verification=verification,
    )
    quote = a_quote(file=path, code=code)
    return a_candidate(number, finding=finding, quote=quote, fingerprint=title, agreed_by=(title,), **fields)


def _impact(number: int, path: str, title: str, message: str, code: str) -> Any:
    verification = a_verification(is_impact_finding=True, caused_by=Cause(file=path, symbol=title))
    finding = a_finding(
        id=f"f{number}", title=title, file="x/" + path, message=message, verification=verification
    )
    return a_candidate(number, finding=finding, quote=a_quote(file=finding.file, code=code))
