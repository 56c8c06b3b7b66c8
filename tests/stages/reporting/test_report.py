from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.config.baseline import Dismissal
from affidavit.config.settings import FolderSettings, Settings
from affidavit.prompts import current_prompts
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change, Hunk, SkipReason
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket
from affidavit.records.finding import Category, Severity
from affidavit.records.report import Gap, Reply, ReplySummary, Report
from affidavit.render.formats import FORMATS, render
from affidavit.render.wording import gate_words, headline
from affidavit.stages.report import compile_report
from claims import candidate, case_of, change_of, file_change, finding

MODELS = {"verifier": "some-model"}


def proven(index: int = 0, **fields: Any) -> Candidate:
    claim = {"severity": "high", "category": "correctness", "file": "app.py", "rule_id": None}
    ours = {name: fields.pop(name) for name in list(fields) if name in claim}
    defaults = {
        "status": "verified",
        "worth": "act",
        "id": f"logic-{index}",
        "index": index,
        "fingerprint": "f" * 16,
    }
    return candidate(finding(**{**claim, **ours}), **{**defaults, **fields})


def report_of(*candidates: Candidate, settings: Settings | None = None, **given_: Any) -> Report:
    """The report of these; somebody called reader looks at Python files."""
    dismissals, models = given_.pop("dismissals", {}), given_.pop("models", MODELS)
    change = given_.pop("change", change_of("app.py"))
    files = tuple(file.path for file in change.files if file.path.endswith(".py"))
    reader = Reply(specialist="reader", kind="mechanical", text=None, files=files, claims=files)
    summary = ReplySummary(specialist="reader", kind="mechanical", state="clean")
    docket = Docket(**{"candidates": candidates, "replies": (summary,), **given_})
    case = case_of(change, replies=(reader,))
    return compile_report(docket, case, settings or Settings(), dismissals, models, current_prompts())


@pytest.mark.parametrize(
    ("fields", "decision"),
    [
        ({"severity": "critical"}, "request_changes"),
        ({"severity": "high"}, "request_changes"),
        ({"severity": "medium"}, "comment"),
        ({"severity": "high", "status": "likely"}, "comment"),
        ({"severity": "high", "status": "unverified"}, "comment"),
        ({"severity": "high", "worth": "maybe"}, "comment"),
        ({"severity": "high", "worth": "nit"}, "approve"),
        ({"severity": "critical", "category": "style"}, "comment"),
    ],
)
def test_the_verdict_follows_what_is_proven_and_worth_acting_on(
    fields: dict[str, Any], decision: str
) -> None:
    assert report_of(proven(**fields)).verdict.decision == decision


def test_a_whole_review_with_nothing_to_say_approves() -> None:
    report = report_of()
    assert (report.verdict.decision, report.gate.exit_code) == ("approve", 0)


def skipping(excused: bool) -> Change:
    locked = file_change("package-lock.json").model_copy(
        update={"skipped": SkipReason.LOCK, "excused": excused}
    )
    change = change_of("app.py")
    return change.model_copy(update={"files": (*change.files, locked)})


def test_what_base_excuses_is_no_gap_and_is_named_in_an_approval_that_is_less_sure() -> None:
    report = report_of(change=skipping(excused=True))
    assert (report.verdict.decision, report.gate.exit_code) == ("approve", 0)
    assert report.verdict.confidence == 0.6
    assert report.verdict.summary == (
        "Nothing to report; every part of the review completed, except package-lock.json (lock)."
    )


def test_what_is_skipped_and_not_excused_is_not_approved() -> None:
    report = report_of(change=skipping(excused=False))
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 0)
    assert report.verdict.confidence == 0.3
    assert report.verdict.summary == "Nothing to report; not looked at: package-lock.json (lock)."


# A feedback document asks for changes, and here is nothing to ask for.
@pytest.mark.parametrize("form", [form for form in FORMATS if form != "feedback"])
def test_a_skipped_file_is_named_in_every_format(form: str) -> None:
    report = report_of(change=skipping(excused=True))
    assert "package-lock.json" in render(report, form)


def test_a_review_without_a_model_never_approves() -> None:
    report = report_of(models={})
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 0)
    assert report.verdict.summary == "No problems found (linters only, no model)."


def test_a_review_without_a_model_says_so_beside_what_it_found_and_what_it_lacks() -> None:
    assert report_of(proven(), models={}).verdict.summary.endswith("before merging. Linters only, no model.")
    unread = report_of(models={}, change=skipping(excused=False)).verdict.summary
    assert unread.startswith("No problems found (linters only, no model); not looked at: ")


def test_an_incomplete_review_never_approves_and_says_so_in_the_exit_code() -> None:
    report = report_of(incomplete=(Gap(name="ty", reason="crashed"),))
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 3)
    assert "not completed: ty" in report.verdict.summary


def test_a_failed_gate_comes_before_an_incomplete_review() -> None:
    assert report_of(proven(), incomplete=(Gap(name="ty", reason="crashed"),)).gate.exit_code == 1


@pytest.mark.parametrize(
    ("fail_on", "severity", "exit_code"),
    [
        ("high", "high", 1),
        ("high", "medium", 0),
        ("low", "medium", 1),
        ("critical", "high", 0),
        (None, "critical", 0),
    ],
)
def test_the_gate_fails_from_its_severity_on(fail_on: str | None, severity: str, exit_code: int) -> None:
    settings = Settings(fail_on=Severity(fail_on) if fail_on else None)
    assert report_of(proven(severity=severity), settings=settings).gate.exit_code == exit_code


def test_a_refuted_finding_neither_blocks_nor_keeps_from_approval() -> None:
    refuted = proven().withhold("verify", Reason.REFUTED, status="false_positive")
    report = report_of(refuted)
    assert (report.verdict.decision, report.gate.exit_code) == ("approve", 0)
    assert report.verdict.counts.withheld_by_code == {Reason.REFUTED: 1}


HIDING = [
    (Settings(severity_threshold=Severity.CRITICAL), Reason.BELOW_THRESHOLD),
    (Settings(focus=frozenset({Category.SECURITY})), Reason.OUT_OF_FOCUS),
    (
        Settings(folders=(FolderSettings(folder="sub", severity_threshold=Severity.CRITICAL),)),
        Reason.BELOW_THRESHOLD,
    ),
]


@pytest.mark.parametrize(("settings", "code"), HIDING)
def test_what_is_hidden_by_choice_is_listed_and_still_blocks(settings: Settings, code: Reason) -> None:
    report = report_of(
        proven(file="sub/app.py", rule_id="ruff/F821"), settings=settings, change=change_of("sub/app.py")
    )
    assert [item.withheld.code for item in report.withheld if item.withheld] == [code]
    assert (report.verdict.decision, report.gate.exit_code) == ("request_changes", 1)


def test_a_folders_settings_do_not_reach_other_folders() -> None:
    settings = Settings(folders=(FolderSettings(folder="sub", severity_threshold=Severity.CRITICAL),))
    assert len(report_of(proven(file="subway/app.py"), settings=settings).shown) == 1


def test_a_dismissed_finding_is_withheld_with_the_maintainers_reason() -> None:
    dismissal = Dismissal(fingerprint="f" * 16, why="known and accepted", by="Ada in 1a2b3c4d")
    report = report_of(proven(severity="high"), dismissals={dismissal.fingerprint: dismissal})
    (hidden,) = report.withheld
    assert hidden.withheld is not None
    assert hidden.withheld.code is Reason.DISMISSED
    assert hidden.withheld.detail == "by Ada in 1a2b3c4d: known and accepted"
    assert (report.verdict.decision, report.gate.exit_code) == ("approve", 0)


def test_style_can_be_switched_off() -> None:
    report = report_of(proven(category="style", severity="low"), settings=Settings(include_style=False))
    assert report.verdict.counts.withheld_by_code == {Reason.STYLE_OFF: 1}


def test_nits_are_withheld_until_asked_for() -> None:
    nit = proven(worth="nit")
    assert report_of(nit).verdict.counts.withheld_by_code == {Reason.NIT: 1}
    shown = report_of(nit, settings=Settings(nits=True))
    assert (len(shown.shown), shown.verdict.decision) == (1, "approve")


def test_a_finding_in_a_skipped_file_is_withheld() -> None:
    change = change_of(files=(file_change(skipped="generated"),))
    assert report_of(proven(), change=change).verdict.counts.withheld_by_code == {Reason.OUT_OF_FOCUS: 1}


def test_findings_are_in_the_order_in_which_they_are_read() -> None:
    report = report_of(
        proven(0, file="b.py", severity="medium"),
        proven(1, file="b.py", severity="critical"),
        proven(2, file="a.py", worth="maybe"),
        proven(3, file="a.py", worth="nit"),
    )
    assert [item.id for item in report.candidates] == ["logic-1", "logic-0", "logic-2", "logic-3"]


@pytest.mark.parametrize(
    ("fold", "fail_on", "fields", "is_folded"),
    [
        ("low", "high", {"severity": "medium"}, False),
        ("low", "high", {"severity": "medium", "status": "unverified"}, False),
        ("low", "high", {"severity": "low"}, True),
        ("low", "high", {"severity": "info"}, True),
        ("low", "low", {"severity": "low"}, False),
        ("low", "low", {"severity": "info"}, True),
        ("low", "high", {"severity": "high", "worth": "maybe"}, True),
        ("medium", "high", {"severity": "medium"}, True),
        (None, "high", {"severity": "info"}, False),
        (None, "high", {"severity": "info", "worth": "maybe"}, True),
    ],
)
def test_what_is_small_or_a_maybe_is_said_in_one_line(
    fold: str | None, fail_on: str, fields: dict[str, Any], is_folded: bool
) -> None:
    settings = Settings(fold=Severity(fold) if fold else None, fail_on=Severity(fail_on))
    (shown,) = report_of(proven(**fields), settings=settings).shown
    assert shown.folded is is_folded


def test_coverage_says_who_looked_at_which_hunk() -> None:
    hunk = Hunk(old_start=1, old_count=1, new_start=1, new_count=1, lines=("-a", "+b"))
    change = change_of(
        files=(
            file_change("app.py", hunks=(hunk,)),
            file_change("notes.txt", hunks=(hunk,)),
            file_change("x.lock", skipped="lock"),
        )
    )
    replies = (ReplySummary(specialist="reader", kind="mechanical", state="clean"),)
    app, notes, lock = report_of(change=change, replies=replies).coverage
    assert (app.state, app.hunks[0].examined_by) == ("examined", ("reader",))
    assert (notes.state, notes.reason) == ("not_examined", "no specialist reads this kind of file")
    assert (lock.state, lock.reason) == ("skipped", "lock")


def test_a_specialist_that_did_not_answer_covers_nothing() -> None:
    replies = (ReplySummary(specialist="reader", kind="mechanical", state="none"),)
    report = report_of(replies=replies)
    (app,) = report.coverage
    assert (app.state, app.reason) == ("not_examined", "not examined by reader")
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 3)


def test_the_report_goes_to_json_and_back() -> None:
    report = report_of(proven(), proven(1, worth="nit"))
    assert Report.model_validate_json(report.model_dump_json()) == report


claims = st.fixed_dictionaries(
    {
        "severity": st.sampled_from(list(Severity)),
        "category": st.sampled_from(list(Category)),
        "status": st.sampled_from(["verified", "likely", "unverified"]),
        "worth": st.sampled_from(["act", "maybe", "nit"]),
    }
)
choices = st.builds(
    Settings,
    severity_threshold=st.sampled_from(list(Severity)),
    focus=st.frozensets(st.sampled_from(list(Category))),
    include_style=st.booleans(),
    nits=st.booleans(),
)


@given(st.lists(claims, max_size=8), choices)
def test_no_finding_is_lost_and_no_choice_changes_the_verdict(
    fields: list[dict[str, Any]], settings: Settings
) -> None:
    candidates = [proven(index, **one) for index, one in enumerate(fields)]
    chosen, plain = report_of(*candidates, settings=settings), report_of(*candidates)
    counts = chosen.verdict.counts
    assert counts.candidates == len(candidates) == counts.shown + counts.withheld
    assert sum(counts.by_severity.values()) == counts.shown == len(chosen.shown)
    assert sum(counts.withheld_by_code.values()) == counts.withheld
    assert (chosen.verdict.decision, chosen.gate.exit_code) == (plain.verdict.decision, plain.gate.exit_code)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"status": "unverified"}, "not verified"),
        ({"status": "likely"}, "the verifier has a reservation"),
        ({"worth": "maybe"}, "perhaps not worth acting on"),
        ({"category": "style"}, "style"),
    ],
)
def test_the_last_line_says_which_findings_do_not_count_and_why(fields: dict[str, Any], reason: str) -> None:
    settings = Settings(fail_on=Severity.MEDIUM)
    report = report_of(proven(severity="medium", **fields), settings=settings)
    said = f"1 medium finding does not count for the gate: {reason}"
    assert report.gate.exit_code == 0
    for form in ("terminal", "markdown", "html"):
        assert said in " ".join(render(report, form).split())


def test_findings_that_do_not_count_are_gathered_by_severity_and_reason() -> None:
    settings = Settings(fail_on=Severity.MEDIUM)
    found = [proven(index, severity="medium", status="unverified", file=f"{index}.py") for index in range(2)]
    likely, low = proven(2, status="likely", file="2.py"), proven(3, severity="low", file="3.py")
    report = report_of(*found, likely, low, settings=settings)
    assert gate_words(report, "→")[1:] == [
        "1 high finding does not count for the gate: the verifier has a reservation",
        "2 medium findings do not count for the gate: not verified",
    ]


def test_a_headline_over_a_failed_gate_does_not_say_that_nothing_blocks() -> None:
    found = [proven(index, severity="medium", file=f"{index}.py") for index in range(2)]
    report = report_of(*found, proven(2, severity="low"), settings=Settings(fail_on=Severity.MEDIUM))
    assert headline(report) == "3 findings, 2 block"
