"""Draw a posted review as a forge would show it: its markdown through a real renderer, into docs/posted.png.

.venv/bin/python tools/posted_picture.py        needs Chromium
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from affidavit.forges.github.forge import LIMITS  # noqa: E402 - the tests' reports are found first
from affidavit.forges.marks import Mark  # noqa: E402
from affidavit.forges.posting.actions import PostReview, PostSummary  # noqa: E402
from affidavit.forges.posting.options import PostOptions  # noqa: E402
from affidavit.forges.posting.plan import plan_actions  # noqa: E402
from affidavit.forges.standing import OwnNote, Person, Said, Standing  # noqa: E402
from affidavit.records.candidate import Worth  # noqa: E402
from affidavit.records.diagnostics import Reason  # noqa: E402
from affidavit.records.finding import Category, Severity  # noqa: E402
from affidavit.records.report import Report, RoleUsage  # noqa: E402
from reports import a_candidate, a_finding, a_report, a_withheld, an_impact_candidate  # noqa: E402

STYLE = """
body{font:14px/1.5 'Segoe UI',Helvetica,Arial,sans-serif;color:#1f2328;max-width:860px;margin:20px auto}
.box{border:1px solid #d1d9e0;border-radius:6px;margin:16px 0}
.top{background:#f6f8fa;border-bottom:1px solid #d1d9e0;padding:6px 14px;border-radius:6px 6px 0 0}
.in{padding:6px 16px} h2{border-bottom:1px solid #d1d9e0} a{color:#0969da;text-decoration:none}
code{background:#818b981f;border-radius:6px;padding:.2em .4em;font:85% ui-monospace,Menlo,monospace}
pre{background:#f6f8fa;padding:12px;border-radius:6px} pre code{background:none;padding:0}
hr{border:0;height:.25em;background:#d1d9e0} sub{font-size:75%} details{margin:8px 0}
"""


def sample() -> Report:
    """A review with a bit of everything."""
    slow = a_finding(
        id="f3",
        severity=Severity.LOW,
        category=Category.PERFORMANCE,
        title="`lines` is rebuilt for every row",
        line=11,
    )
    spent = RoleUsage(
        role="verifier", model="m", requests=14, input_tokens=176_000, output_tokens=9_000, cost_usd=0.31
    )
    return a_report(
        a_candidate(1, fingerprint="0123456789abcdef"),
        an_impact_candidate(2, fingerprint="1123456789abcdef"),
        a_candidate(3, fingerprint="2123456789abcdef", worth=Worth.MAYBE, finding=slow),
        a_withheld(4, Reason.NIT, fingerprint="3123456789abcdef"),
        a_withheld(5, Reason.REFUTED, fingerprint="4123456789abcdef"),
        models={"planner": "m", "verifier": "m"},
        not_run=(),
        usage=(spent,),
    )


def standing() -> Standing:
    """What stands there from the review before."""
    url = "https://github.com/owner/repo/pull/1#discussion_r"
    said = Said(
        id="9", by=Person(name="mel", lifting="lifts"), body="/affidavit dismiss comes with the next change"
    )
    known = Mark(kind="finding", fingerprint="0123456789abcdef")
    gone = Mark(kind="finding", fingerprint="9123456789abcdef", rule="ruff/F401", by="machine")
    notes = (
        OwnNote(id="1", mark=known, url=f"{url}1", path="shop/cart.py", thread="T1", replies=(said,)),
        OwnNote(id="2", mark=gone, url=f"{url}2", path="shop/cart.py", thread="T2"),
    )
    return Standing(account="affidavit[bot]", author="ada", notes=notes)


def page() -> str:
    """The summary of the second run, and the comment of the first."""
    options = PostOptions(digest="5d1f" * 16, is_rechecked=True, signer="SHA256:Jx0Yv1c1")
    again = plan_actions(sample(), standing(), LIMITS, options)
    first = plan_actions(sample(), Standing(account="affidavit[bot]"), LIMITS, options)
    boxes = [("<b>affidavit</b> commented", one.body) for one in again if isinstance(one, PostSummary)]
    comments = [comment for one in first if isinstance(one, PostReview) for comment in one.comments]
    boxes += [(f"<b>{one.path}</b> line {one.line}", one.body) for one in comments]
    write = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render
    shown = "".join(
        f"<div class=box><div class=top>{title}</div><div class=in>{write(body)}</div></div>"
        for title, body in boxes
    )
    return f"<meta charset=utf-8><style>{STYLE}</style>{shown}"


def main() -> None:
    """Draw it."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.html").write_text(page())
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=920,1420")
        places = (f"--user-data-dir={folder}/user", f"--screenshot={ROOT / 'docs' / 'posted.png'}")
        subprocess.run(
            ["chromium", *options, *places, f"file://{folder}/page.html"],  # noqa: S607 - a tool
            check=True,
            capture_output=True,
        )


if __name__ == "__main__":
    main()
