"""A report as a comment on a pull request."""

from typing import Any

from hypothesis import given, settings
from markdown_it import MarkdownIt
from markdown_it.token import Token

from affidavit.records.candidate import Wording, Worth
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Severity
from affidavit.records.report import Gap, Report
from affidavit.render.markdown import MAX_LENGTH, render_markdown
from hostile import hostile_reports
from reports import a_candidate, a_finding, a_full_report, a_quote, a_report, a_withheld, an_impact_candidate

OPEN = "<details><summary>Proof in detail</summary>"
CLOSE = "</details>"


def tokens_of(markdown: str) -> list[Token]:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown)


def check_inert(markdown: str) -> None:
    """Nothing but our own folds is HTML, nothing is a link or an image, and every fold is closed."""
    tokens = tokens_of(markdown)
    html = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert html == [OPEN, CLOSE] * (len(html) // 2)
    kinds = {child.type for token in tokens for child in token.children or []}
    assert not kinds & {"html_inline", "link_open", "image"}


def test_the_comment_reads_like_this() -> None:
    assert render_markdown(a_report(a_candidate(), not_run=())) == (
        """\
**Changes requested: 1 finding blocks.** Gate (high or worse): failed → exit 1.

Reviewed: Prices in several currencies (`a1b2c3d4..e5f6a7b8`, 3 files, +6 -2)

### `shop/cart.py`

**HIGH** `total` is not defined (line 12, correctness, blocks)

```python
def add(items):
    for item in items:
        total += item.price
    return total
```

`add` reads `total` before anything is assigned to it, so a call raises NameError.

- When: add(\\[Item(price=3)\\])
- Then: NameError: name 'total' is not defined

**Do:** Set `total = 0` before the loop.

Proof: proven by an analyser (ruff F821), new with this change · quote found in the commit

<details><summary>Proof in detail</summary>

- ruff 0.17.4 reports F821 at head and not at base
- quote found in the commit, at shop/cart.py:10-13

Fingerprint: `3f9a1c0be2d4`

</details>

---

- skipped: poetry.lock (lock)
- coverage: 2 of 2 files, 2 of 2 hunks examined by ruff and ty
"""
    )


@settings(deadline=None)  # the first example pays for imports
@given(hostile_reports())
def test_nothing_breaks_out(report: Report) -> None:
    markdown = render_markdown(report, show_withheld=True, show_nits=True)
    check_inert(markdown)
    assert not any(line.startswith("/") for line in markdown.split("\n"))


@settings(deadline=None)  # the first example pays for imports
@given(hostile_reports())
def test_the_blocks_are_those_of_a_harmless_report(report: Report) -> None:
    headings = [token.tag for token in tokens_of(render_markdown(report)) if token.type == "heading_open"]
    assert set(headings) == {"h3"}


def test_an_impact_finding_shows_the_changed_definition() -> None:
    markdown = render_markdown(a_report(an_impact_candidate()))
    assert "Caused by `price_of` in `shop/prices.py`, line 8 (- old, + new):" in markdown
    assert "```diff\n-def price_of(item):\n+def price_of(item, currency):\n```" in markdown


def test_maybes_are_folded_into_one_line_each() -> None:
    maybes = [
        a_candidate(
            number, worth=Worth.MAYBE, finding=a_finding(severity=Severity.LOW, title=f"Perhaps {number}")
        )
        for number in range(2)
    ]
    markdown = render_markdown(a_report(*maybes))
    said = "`add` reads `total` before anything is assigned to it, so a call raises NameError."
    first = f"- low `shop/cart.py:12` Perhaps 0. {said}"
    assert f"#### Smaller points\n\n{first}\n- low" in markdown


def test_withheld_findings_are_counted_and_listed_when_asked_for() -> None:
    report = a_full_report()
    counts = "1 about a file outside the change, 1 refuted, 1 too small to act on"
    assert f"withheld: 3 findings: {counts}" in render_markdown(report)
    assert "set in line 3" not in render_markdown(report)
    assert "set in line 3" in render_markdown(report, show_withheld=True)


def test_nits_are_shown_when_asked_for() -> None:
    report = a_report(a_withheld(0, Reason.NIT, finding=a_finding(title="Unused import")))
    assert "Unused import" not in render_markdown(report)
    assert render_markdown(report, show_nits=True, show_withheld=True).count("Unused import") == 1


def test_what_did_not_run_is_said() -> None:
    parts = {
        "not_run": (Gap(name="ty", reason="not installed", advice="Install it."),),
        "incomplete": (Gap(name="ruff", reason="crashed"),),
    }
    markdown = render_markdown(a_report(**parts))
    assert "- incomplete: ruff: crashed\n- not run: ty: not installed. Install it.\n" in markdown


def test_many_findings_are_cut_and_the_cut_is_stated() -> None:
    markdown = render_markdown(a_report(*(a_candidate(number) for number in range(500))))
    shown = markdown.count("**HIGH**")
    assert len(markdown) < MAX_LENGTH
    assert 30 < shown < 500
    assert f"**{500 - shown} findings left out here, because a comment has no room for more.**" in markdown
    assert "coverage:" in markdown
    check_inert(markdown)


def huge(number: int) -> Any:
    noise = "`<U>@#12 " * 20_000
    finding = a_finding(title=noise, message=noise, suggestion=noise, file=f"{number}{noise}")
    return a_candidate(
        number, finding=finding, quote=a_quote(code=noise.replace(" ", "\n")), fingerprint=noise
    )


def test_huge_texts_are_cut_and_the_comment_stays_whole() -> None:
    parts = tuple(Gap(name="x" * 5_000, reason="y" * 5_000) for _ in range(50))
    markdown = render_markdown(
        a_report(huge(0), huge(1), incomplete=parts, not_run=parts), show_withheld=True, show_nits=True
    )
    assert len(markdown) < MAX_LENGTH
    assert "notes left out here" in markdown
    assert markdown.count("**HIGH**") >= 1
    check_inert(markdown)


def test_a_suggestion_that_is_a_code_block_stays_one() -> None:
    finding = a_finding(suggestion="```python\ntotal = 0\n```")
    markdown = render_markdown(a_report(a_candidate(finding=finding)))
    assert "**Do:**\n\n```python\ntotal = 0\n```" in markdown


def test_words_that_were_shortened_are_in_the_fold() -> None:
    first = Wording(title="A title that went on and on", message="A <b>message</b> of many words.")
    text = render_markdown(a_report(a_candidate(first_wording=first)))
    assert text.index(OPEN) < text.index("First wording:") < text.index("went on and on") < text.index(CLOSE)
    check_inert(text)


def test_the_proof_says_as_what_a_finding_was_claimed() -> None:
    milder = a_candidate(
        kind="model", finding=a_finding(severity=Severity.MEDIUM), claimed_severity=Severity.HIGH
    )
    assert "· claimed as high" in render_markdown(a_report(milder))


def test_a_duplicate_names_the_finding_that_stands_for_it_as_the_report_does() -> None:
    same = a_withheld(1, Reason.DUPLICATE_OF, "ruff:0")
    text = render_markdown(a_report(a_candidate(), same), show_withheld=True)
    assert "duplicate of another finding: shop/cart.py:12" in text.replace("\\", "")
    assert "ruff:0" not in text
