"""Draw a posted review as a forge would show it, its markdown through a real renderer, into docs/.

.venv/bin/python tools/posted_picture.py        needs Chromium; `make screenshots` runs it, too
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from affidavit.forges.github.forge import LIMITS
from affidavit.forges.posting.actions import Inline, PostOptions, PostReview, PostSummary
from affidavit.forges.posting.bodies import finding_body, fixed_body
from affidavit.forges.posting.plan import plan_actions
from affidavit.forges.standing import Mark, OwnNote, Person, Said, Standing
from affidavit.records.candidate import Worth
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Category, Severity
from affidavit.records.report import Report, RoleUsage
from browser import chromium
from reports import a_candidate, a_finding, a_report, a_withheld, an_impact_candidate

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


OPTIONS = PostOptions(digest="5d1f" * 16, is_rechecked=True, signer="SHA256:Jx0Yv1c1")
Box = tuple[str, str]
"""A title, and markdown."""


def posted() -> list[Box]:
    """The summary of the second run, and the comment of the first."""
    again = plan_actions(sample(), standing(), LIMITS, OPTIONS)
    boxes = [("<b>affidavit</b> commented", one.body) for one in again if isinstance(one, PostSummary)]
    return [*boxes, *((f"<b>{one.path}</b> line {one.line}", one.body) for one in comments())]


def comments() -> list[Inline]:
    """On the lines of the diff, when nothing stands there."""
    first = plan_actions(sample(), Standing(account="affidavit[bot]"), LIMITS, OPTIONS)
    return [comment for one in first if isinstance(one, PostReview) for comment in one.comments]


def threads() -> list[Box]:
    """A comment with a patch, the answers that we give in threads, and the summary of a clean review."""
    report = sample()
    candidate = report.shown[0]
    patch = "```suggestion\n    total = 0\n```"
    clean = plan_actions(a_report(not_run=()), Standing(account="affidavit[bot]"), LIMITS, OPTIONS)
    return [
        ("<b>shop/cart.py</b> line 10", finding_body(candidate, report, LIMITS.body_length, patch)),
        (
            "<b>affidavit</b> answers",
            fixed_body(candidate.fingerprint, "ruff/F821 no longer reports it", report),
        ),
        *(("<b>affidavit</b> found nothing", one.body) for one in clean if isinstance(one, PostSummary)),
    ]


def page(boxes: list[Box], *, is_open: bool = False) -> str:
    """The boxes as a forge shows them, with the folds closed or open."""
    write = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render
    shown = "".join(
        f"<div class=box><div class=top>{title}</div><div class=in>{write(body)}</div></div>"
        for title, body in boxes
    )
    shown = shown.replace("<details>", "<details open>") if is_open else shown
    return f"<meta charset=utf-8><style>{STYLE}</style>{shown}"


def draw(name: str, html: str, height: int) -> None:
    """Let a browser take the picture."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.html").write_text(html)
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars")
        places = (f"--user-data-dir={folder}/user", f"--screenshot={ROOT / 'docs' / name}")
        subprocess.run(
            [
                chromium() or "chromium",
                *options,
                f"--window-size=920,{height}",
                *places,
                f"file://{folder}/page.html",
            ],
            check=True,
            capture_output=True,
        )
    # Few colours, so that it is small.
    file = ROOT / "docs" / name
    Image.open(file).convert("RGB").quantize(160, dither=Image.Dither.NONE).save(file, optimize=True)


def main() -> None:
    """Draw both."""
    draw("posted.png", page(posted()), 1380)
    draw("posted-threads.png", page(threads(), is_open=True), 1760)


if __name__ == "__main__":
    main()
