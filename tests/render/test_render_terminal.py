"""What somebody reads on a terminal, or in the log of a build."""

import re
from io import BytesIO, StringIO, TextIOWrapper
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from affidavit.records.candidate import Candidate, Judgement, Status, Wording, Worth
from affidavit.records.change import SkipReason
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.evidence import SearchRun
from affidavit.records.finding import Search, Severity
from affidavit.records.report import Gap, Gate, Report
from affidavit.render.formats import RenderOptions
from affidavit.render.markdown import render_markdown
from affidavit.render.terminal import render_terminal
from hostile import hostile_reports
from reports import (
    a_candidate,
    a_change,
    a_file,
    a_finding,
    a_full_report,
    a_quote,
    a_report,
    a_verification,
    a_withheld,
    an_impact_candidate,
)


def printed(report: Report, *, width: int = 80, **options: Any) -> str:
    page = StringIO()
    console = Console(file=page, width=width, force_terminal=False, color_system=None)
    render_terminal(report, console=console, options=RenderOptions(**options))
    return page.getvalue()


def coloured(report: Report, width: int = 80) -> str:
    page = StringIO()
    console = Console(file=page, width=width, force_terminal=True, color_system="truecolor", no_color=False)
    render_terminal(report, console=console, options=RenderOptions(show_withheld=True, show_nits=True))
    return page.getvalue()


def in_ascii(report: Report) -> str:
    page = TextIOWrapper(BytesIO(), encoding="ascii")
    render_terminal(
        report,
        console=Console(file=page, width=80),
        options=RenderOptions(show_withheld=True, show_nits=True),
    )
    page.flush()
    raw: Any = page.buffer
    return bytes(raw.getvalue()).decode("ascii")


def test_the_whole_report_reads_like_this() -> None:
    assert printed(a_report(a_candidate(0, agreed_by=("ty",)))) == (
        """\
▸ Prices in several currencies
  a1b2c3d4..e5f6a7b8 · 3 files · +6 -2

── shop/cart.py ────────────────────────────────────────────────────────────────

  HIGH  `total` is not defined
  shop/cart.py:12 · correctness · blocks · id 3f9a1c0be2d4

    10 new │ def add(items):
    11 new │     for item in items:
  ▸ 12 new │         total += item.price
    13 new │     return total

  `add` reads `total` before anything is assigned to it, so a call raises
  NameError.

  when        add([Item(price=3)])
  then        NameError: name 'total' is not defined
  do          Set `total = 0` before the loop.
  proof       proven by an analyser (ruff F821), new with this change · quote
              found in the commit · also found by ty

not run       model: no model is configured. Set `model` to have one look.
skipped       poetry.lock (lock)
coverage      2 of 2 files, 2 of 2 hunks examined by ruff and ty
report        r-1

changes requested: 1 finding blocks · gate (high or worse): failed → exit 1
"""
    )


def test_a_review_with_nothing_to_say_is_short() -> None:
    text = printed(a_report())
    said = "No problems found (linters only, no model)\ngate (high or worse): passed → exit 0\n"
    assert text.endswith(said)
    assert len(text.splitlines()) <= 10


def test_a_complete_review_by_a_model_with_nothing_to_say_approves() -> None:
    verdict = a_report().verdict.model_copy(update={"decision": "approve"})
    text = printed(a_report(models={"logic": "some-model"}, not_run=(), verdict=verdict))
    assert "approved: nothing found" in text
    assert "no model" not in text


def test_an_impact_finding_shows_the_caller_and_the_changed_definition() -> None:
    text = printed(a_report(an_impact_candidate()))
    assert "▸ 41 │     return price_of(item)" in text
    assert "caused by   `price_of` in shop/prices.py, line 8" in text
    assert "8 old │ def price_of(item):\n    8 new │ def price_of(item, currency):" in text
    assert "outside the change" in text


def test_findings_are_grouped_by_file_and_the_worst_comes_first() -> None:
    def one(number: int, file: str, severity: Severity) -> Any:
        title = f"{severity} in {file}"
        return a_candidate(number, finding=a_finding(file=file, severity=severity, title=title))

    text = printed(
        a_report(
            one(0, "a.py", Severity.LOW), one(1, "b.py", Severity.MEDIUM), one(2, "b.py", Severity.CRITICAL)
        )
    )
    places = [text.index(title) for title in ("critical in b.py", "medium in b.py", "low in a.py")]
    assert places == sorted(places)
    assert text.count("b.py ──") == 1


def test_what_is_worth_a_maybe_is_one_line_below_the_others() -> None:
    maybe = a_candidate(0, worth=Worth.MAYBE, finding=a_finding(severity=Severity.LOW, title="Perhaps this"))
    text = printed(a_report(maybe, a_candidate(1)))
    assert text.index("proof") < text.index("smaller points")
    assert "  low      shop/cart.py:12  Perhaps this\n" in text


def test_withheld_findings_are_counted_by_reason() -> None:
    text = printed(a_report(a_withheld(0), a_withheld(1), a_withheld(2, Reason.BELOW_THRESHOLD)))
    assert "3 findings: 2 refuted, 1 below the severity threshold" in text
    assert "--show-withheld" in text


def test_what_an_analysers_own_part_dropped_is_counted_and_listed_when_asked_for() -> None:
    note = Diagnostic(code=Reason.FINDING_DROPPED, detail="S602 at a.py:3: not parsed", specialist="ruff")
    report = a_report().model_copy(update={"diagnostics": (note,)})
    assert "1 result of analysers, set aside (--show-withheld" in printed(report, width=120)
    assert "ruff: S602 at a.py:3: not parsed" in printed(report, show_withheld=True)
    assert "ruff: S602 at a.py:3: not parsed" in render_markdown(report, show_withheld=True)


def test_withheld_findings_are_listed_with_their_reasons_when_asked_for() -> None:
    text = " ".join(printed(a_full_report(), show_withheld=True).split())
    assert "refuted: `total` is a global, set in line 3" in text
    assert "logic #6 Wrong file" in text
    assert "about a file outside the change: nowhere.py" in text
    assert "--show-withheld" not in text


def test_nits_are_shown_like_findings_when_asked_for() -> None:
    report = a_report(a_withheld(0, Reason.NIT, finding=a_finding(title="Unused import")))
    assert "Unused import" not in printed(report)
    text = printed(report, show_nits=True, show_withheld=True)
    assert text.count("Unused import") == 1
    assert "3f9a1c0be2d4" in text


def test_what_did_not_run_and_what_is_incomplete_come_with_advice() -> None:
    text = printed(
        a_report(
            not_run=(Gap(name="ty", reason="not installed", advice="Install ty."),),
            incomplete=(Gap(name="ruff", reason="crashed"), Gap(name="logic", reason="budget")),
        )
    )
    assert "not run       ty: not installed. Install ty.\n" in text
    assert "incomplete    ruff: crashed\n              logic: budget\n" in text
    assert "No problems found (linters only, no model); the review is incomplete" in text


def test_blocking_findings_that_are_not_shown_are_said_to_exist() -> None:
    report = a_report(a_withheld(0, Reason.OUT_OF_FOCUS))
    verdict = report.verdict.model_copy(update={"decision": "request_changes", "blocking": ("ruff:0",)})
    gate = report.gate.model_copy(update={"failed_by": ("ruff:0",), "exit_code": 1})
    text = printed(report.model_copy(update={"verdict": verdict, "gate": gate}))
    assert "changes requested: 1 finding blocks (not shown)" in text


def test_a_gate_that_is_off_is_said() -> None:
    assert "gate: off → exit 0" in printed(a_report(gate=Gate(fail_on=None, exit_code=0)))


def test_files_that_nobody_looked_at_are_named() -> None:
    report = a_report()
    unseen = report.coverage[0].model_copy(update={"state": "not_examined", "reason": "no analyser for it"})
    text = printed(report.model_copy(update={"coverage": (unseen, *report.coverage[1:])}))
    assert "not examined  shop/cart.py (no analyser for it)" in text


def test_skipped_files_are_listed_by_reason() -> None:
    reasons = {"a.lock": SkipReason.LOCK, "b.bin": SkipReason.BINARY, "c.lock": SkipReason.LOCK}
    files = [a_file(path, skipped=reason) for path, reason in reasons.items()]
    text = printed(a_report(change=a_change(files)))
    assert "a.lock, c.lock (lock); b.bin (binary)" in text


def test_many_skipped_files_are_counted() -> None:
    files = [a_file(f"{number}.lock", skipped=SkipReason.LOCK) for number in range(30)]
    assert "20 more" in printed(a_report(change=a_change(files)))


def test_the_proof_names_searches_judgements_and_where_the_quote_was_found() -> None:
    candidate = a_candidate(
        quote=a_quote(outcome="relocated"),
        searches=(SearchRun(search=Search(pattern="close\\(", paths=("shop",)), state="nothing_found"),),
        judgements=(Judgement(by="verifier", answer="CONFIRMED", qualified=True, model="m-1", reason="yes"),),
        status=Status.LIKELY,
    )
    short = " ".join(printed(a_report(candidate)).split())
    assert (
        "proof proven by an analyser (ruff F821), new with this change · quote found elsewhere in the file"
        " · 1 search run again ·"
        " does not block: the verifier has a reservation"
    ) in short
    text = " ".join(printed(a_report(candidate), is_verbose=True).split())
    assert "quote found at shop/cart.py:10-13, not where it was claimed" in text
    assert "searched for `close\\(` in shop: nothing found" in text
    assert "confirmed by m-1, with a reservation: yes" in text
    assert "· likely" in text


def test_a_line_of_code_that_is_too_long_is_cut_and_not_wrapped() -> None:
    text = printed(a_report(a_candidate(quote=a_quote(code="x = " + "1" * 500, start=12, end=12))))
    (line,) = [line for line in text.splitlines() if "│" in line]
    assert len(line) == 80
    assert line.endswith("1…")


def test_a_long_quote_keeps_what_is_near_the_guilty_line() -> None:
    code = "\n".join(f"line_{number}" for number in range(1, 101))
    text = printed(
        a_report(a_candidate(finding=a_finding(line=60), quote=a_quote(code=code, start=1, end=100)))
    )
    assert "▸ 60 │ line_60\n" in text
    assert "line_10\n" not in text
    assert "(54 more lines)" in text
    assert "(34 more lines)" in text


@settings(deadline=None)  # the first example pays for imports
@given(hostile_reports(), st.integers(20, 140))
def test_no_control_character_reaches_the_terminal(report: Report, width: int) -> None:
    text = printed(report, width=width, show_withheld=True, show_nits=True)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]", text)


@settings(deadline=None)  # the first example pays for imports
@given(hostile_reports(), st.integers(30, 140))
def test_no_line_is_wider_than_the_terminal(report: Report, width: int) -> None:
    lines = printed(report, width=width, show_withheld=True, show_nits=True).split("\n")
    assert max(cell_len(line) for line in lines) <= width
    assert not any(line != line.rstrip() for line in lines)


@settings(deadline=None)  # the first example pays for imports
@given(hostile_reports())
def test_colour_is_the_only_thing_that_the_terminal_is_told(report: Report) -> None:
    text = re.sub(r"\x1b\[[0-9;]*m", "", coloured(report))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


@settings(deadline=None)  # the first example pays for imports
@given(hostile_reports())
def test_a_terminal_that_knows_ascii_only_gets_ascii_only(report: Report) -> None:
    assert "gate (" in in_ascii(report)


def test_colour_changes_nothing_but_backticks() -> None:
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured(a_full_report(), 200))
    plain = printed(a_full_report(), width=200, show_withheld=True, show_nits=True)
    squeezed = [" ".join(text.replace("`", "").split()) for text in (bare, plain)]
    assert squeezed[0] == squeezed[1]


def test_markup_in_a_title_is_inert() -> None:
    finding = a_finding(title="[red]x[/red] :smile:", message="[bold]y", file="[link=http://e]z.py")
    text = printed(a_report(a_candidate(finding=finding)))
    for inert in ("[red]x[/red] :smile:", "[bold]y", "[link=http://e]z.py"):
        assert inert in text


@pytest.mark.parametrize("language", ["python", "", "no-such-language"])
def test_code_of_any_language_is_shown(language: str) -> None:
    change = a_change([a_file("shop/cart.py", language=language)])
    assert "total" in coloured(a_report(a_candidate(), change=change))


def test_a_report_can_be_recorded_as_a_picture() -> None:
    console = Console(file=StringIO(), record=True, width=100, force_terminal=True, color_system="truecolor")
    render_terminal(a_full_report(), console=console)
    assert "price_of" in console.export_svg(title="affidavit review")


def test_a_finding_without_quote_or_evidence_is_still_shown() -> None:
    bare = a_candidate(
        finding=a_finding(verification=None), quote=None, fingerprint="", status=Status.UNVERIFIED
    )
    text = " ".join(printed(a_report(bare)).split())
    assert "(ruff F821), new with this change · no quote · does not block: not verified" in text


def test_several_findings_begin_with_a_line_for_each() -> None:
    text = printed(a_report(a_candidate(0), a_candidate(1, finding=a_finding(title="Another", line=11))))
    lines = text.splitlines()
    at = lines.index("  high     shop/cart.py:11  Another (blocks)")
    assert lines[at + 1] == "  high     shop/cart.py:12  `total` is not defined (blocks)"
    assert text.index("Another (blocks)") < text.index("shop/cart.py ──")


def test_what_is_folded_is_in_full_when_asked_for() -> None:
    small = a_candidate(0, folded=True, finding=a_finding(severity=Severity.LOW, title="A small one"))
    assert "proof" not in printed(a_report(small))
    assert "proof" in printed(a_report(small), is_verbose=True)


def test_removed_code_is_located_before_the_change() -> None:
    gone = a_finding(verification=a_verification(side="base"))
    text = printed(a_report(a_candidate(finding=gone, quote=a_quote(side="base"))))
    assert "shop/cart.py:12 (before the change)" in text


def a_models_candidate(**fields: Any) -> Candidate:
    """A finding of a model that its verifier confirmed."""
    said = Judgement(by="verifier", answer="CONFIRMED", model="m-1", reason="cart.py:12 says so")
    defaults: dict[str, Any] = {
        "id": "logic@2-0",
        "specialist": "logic@2",
        "kind": "model",
        "finding": a_finding(rule_id=None, verification=a_verification(verification_method="read it")),
        "judgements": (said,),
    }
    return a_candidate(0, **{**defaults, **fields})


def squeezed(report: Report, **options: Any) -> str:
    return " ".join(printed(report, **options).split())


def test_the_proof_names_a_specialist_without_the_number_of_its_part() -> None:
    text = squeezed(a_report(a_models_candidate(agreed_by=("security@3", "security", "logic"))))
    assert "· found by a model (logic) · verifier confirmed · also found by security " in text
    assert "@" not in text


def test_the_proof_says_as_what_a_finding_was_claimed_that_the_verifier_called_milder() -> None:
    milder = a_models_candidate(
        finding=a_finding(severity=Severity.MEDIUM, rule_id=None), claimed_severity=Severity.HIGH
    )
    assert "· verifier confirmed · claimed as high" in squeezed(a_report(milder))
    assert "claimed as high; the verifier says medium" in squeezed(a_report(milder), is_verbose=True)


def test_two_verifiers_are_named_as_people_call_them() -> None:
    first = Judgement(by="verifier", answer="CONFIRMED", model="m-1", reason="yes")
    second = Judgement(
        by="verifier", answer="CONFIRMED", model="m-2", role="second_verifier", reason="it is so"
    )
    ruling = Judgement(by="ruling", answer="CONFIRMED")
    both = a_report(a_models_candidate(judgements=(first, second, ruling)))
    assert "· both verifiers confirmed" in squeezed(both)
    assert "confirmed by m-2, the second verifier: it is so" in squeezed(both, is_verbose=True)
    assert "second_verifier" not in printed(both, is_verbose=True)
    silent = Judgement(by="verifier", outcome="failed", model="m-2", role="second_verifier", reason="lost")
    alone = a_models_candidate(
        judgements=(first, silent, ruling.model_copy(update={"qualified": True})), status=Status.LIKELY
    )
    assert "· one of two verifiers confirmed with a reservation · does not block" in squeezed(a_report(alone))


def test_the_line_of_proof_stays_short_however_much_a_verifier_says() -> None:
    reason = "It cannot be decided, since " + "nobody calls it and " * 40
    unsure = a_models_candidate(
        judgements=(Judgement(by="verifier", outcome="failed", model="one", reason=reason),)
    )
    short = printed(a_report(unsure), width=120)
    lines = short[short.index("  proof ") :].split("\n\n")[0].splitlines()
    assert len(lines) <= 3
    assert "…" in lines[-1]
    assert squeezed(a_report(unsure), is_verbose=True).count("nobody calls it") > 40


def test_words_that_were_shortened_are_kept_for_those_who_want_them() -> None:
    first = Wording(title="A title that went on and on", message="A message of many words.")
    report = a_report(a_models_candidate(first_wording=first))
    assert "went on and on" not in printed(report)
    assert "first said A title that went on and on A message of many words." in squeezed(
        report, is_verbose=True
    )


def test_a_grave_finding_among_the_smaller_points_says_why_it_does_not_block() -> None:
    maybe = a_models_candidate(worth=Worth.MAYBE)
    assert "smaller points" in printed(a_report(maybe))
    assert "is not defined (does not block: perhaps not worth acting on)" in squeezed(a_report(maybe))


def test_a_duplicate_names_the_finding_that_stands_for_it_as_the_report_does() -> None:
    same = a_withheld(1, Reason.DUPLICATE_OF, "logic@2-0")
    text = squeezed(a_report(a_models_candidate(), same), show_withheld=True)
    assert "duplicate of another finding: shop/cart.py:12 `total` is not defined (3f9a1c0be2d4)" in text
    assert "logic@2-0" not in text


def test_a_finding_fits_half_a_screen() -> None:
    long_quote = a_quote(code="\n".join(f"line_{number}" for number in range(1, 101)), start=1, end=100)
    finding = a_finding(line=60, message="word " * 60, rule_id=None)
    text = printed(a_report(a_models_candidate(finding=finding, quote=long_quote)), width=100)
    block = text[text.index("  HIGH") : text.index("not run")]
    assert len(block.rstrip().splitlines()) <= 30
