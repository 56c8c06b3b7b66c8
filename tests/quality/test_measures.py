import pytest
from kept_reports import report_of, shown

from affidavit.quality.labels import add_label
from affidavit.quality.measures import measure_headline, measure_quality, with_measured
from affidavit.quality.statistics import rate_of
from affidavit.records.candidate import Candidate, Status, Withheld
from affidavit.records.diagnostics import Reason
from affidavit.records.evidence import QuoteCheck, SearchRun
from affidavit.records.finding import Search
from affidavit.records.measure import Label
from affidavit.records.report import Report, RoleUsage
from affidavit.store.open import Store
from claims import finding


def labelled(store: Store, *labels: Label, review_id: str = "r1", on: str = "2026-03-04") -> Report:
    """A kept report with a finding of its own for every label."""
    candidates = [shown(f"logic-{number}", f"{review_id}-{number}") for number in range(len(labels))]
    report = report_of(candidates, review_id, on=on)
    for one, label in zip(candidates, labels, strict=True):
        add_label(store, report, one, label)
    return report


def withheld(name: str, code: Reason, **fields: object) -> Candidate:
    return shown(name, withheld=Withheld(code=code), **fields)


def test_an_installation_without_labels_is_not_measured(store: Store) -> None:
    store.reports.save(report_of([shown("logic-0")]))
    quality = measure_quality(store)
    assert measure_headline(store) is None
    assert (quality.wrong, quality.nit, quality.shown, quality.labelled) == (None, None, 1, 0)


def test_the_rate_is_wrong_among_shown_and_labelled(store: Store) -> None:
    report = labelled(store, Label.WRONG, Label.VALID, Label.NIT, Label.VALID)
    hidden = withheld("logic-9", Reason.REFUTED)
    store.reports.save(report.model_copy(update={"candidates": (*report.candidates, shown("x"), hidden)}))
    add_label(store, report, hidden, Label.WRONG)
    quality = measure_quality(store)
    assert quality.wrong == measure_headline(store) == rate_of(1, 4)
    assert quality.nit == rate_of(1, 4)
    assert (quality.shown, quality.labelled) == (5, 4)


def test_a_problem_seen_in_several_reports_counts_once_with_its_newest_label(store: Store) -> None:
    one = shown("logic-0", "same")
    for review_id, label in (("r1", Label.WRONG), ("r2", Label.WRONG), ("r3", Label.VALID)):
        add_label(store, report_of([one], review_id), one, label)
    quality = measure_quality(store)
    assert quality.wrong == rate_of(0, 1)
    assert quality.shown == 1
    assert quality.fates.shown == 3


def test_the_same_fingerprint_in_another_repository_is_another_problem(store: Store) -> None:
    one = shown("logic-0", "same")
    for repository in ("/srv/shop", "/srv/till", None):
        report = report_of([one], f"in {repository}", repository=repository)
        add_label(store, report, one, Label.WRONG)
    assert measure_headline(store) == rate_of(3, 3)


def test_findings_without_a_fingerprint_are_never_taken_for_one(store: Store) -> None:
    nameless = [shown(f"logic-{number}").model_copy(update={"fingerprint": ""}) for number in range(3)]
    report = report_of(nameless)
    for one in nameless:
        add_label(store, report, one, Label.VALID)
    assert measure_headline(store) == rate_of(0, 3)


def test_a_withheld_finding_labelled_valid_is_told_and_not_in_the_rate(store: Store) -> None:
    hidden = withheld("logic-0", Reason.REFUTED)
    add_label(store, report_of([hidden]), hidden, Label.VALID)
    quality = measure_quality(store)
    assert quality.wrong is None
    assert (quality.withheld_labelled, quality.withheld_valid) == (1, 1)


def test_since_leaves_out_reviews_before_the_date(store: Store) -> None:
    labelled(store, Label.WRONG, review_id="old", on="2026-01-31")
    labelled(store, Label.VALID, Label.VALID, review_id="new", on="2026-02-01")
    quality = measure_quality(store, since="2026-02-01")
    assert (quality.reports, quality.wrong) == (1, rate_of(0, 2))
    assert (quality.first, quality.last) == ("2026-02-01", "2026-02-01")


def test_months_are_told_apart_in_their_order(store: Store) -> None:
    labelled(store, Label.WRONG, review_id="b", on="2026-02-10")
    labelled(store, Label.VALID, Label.WRONG, review_id="a", on="2026-01-10")
    store.reports.save(report_of([shown("x")], "c", on="2026-03-01"))
    months = measure_quality(store, dimensions=["month"]).by["month"]
    assert [(one.value, one.shown, one.wrong) for one in months] == [
        ("2026-01", 2, rate_of(1, 2)),
        ("2026-02", 1, rate_of(1, 1)),
        ("2026-03", 1, None),
    ]


def test_findings_are_counted_by_who_raised_them_and_how(store: Store) -> None:
    by_machine = shown("ruff-0", specialist="ruff", kind="mechanical", claim=finding(severity="low"))
    by_model = shown("security-0", specialist="security", claim=finding(category="security"))
    report = report_of([by_machine, by_model], models={"specialist": "acme:large", "verifier": "acme:small"})
    add_label(store, report, by_model, Label.WRONG)
    by = measure_quality(store).by
    assert {one.value: one.wrong for one in by["specialist"]} == {"ruff": None, "security": rate_of(1, 1)}
    assert {one.value for one in by["model"]} == {"no model", "acme:large"}
    assert {one.value for one in by["prompt_version"]} == {"no model", report.prompt_version}
    assert [one.value for one in by["severity"]] == ["high", "low"]
    assert {one.value: one.wrong for one in by["category"]}["security"] == rate_of(1, 1)


def test_a_problem_belongs_to_the_report_in_which_it_was_labelled(store: Store) -> None:
    one = shown("logic-0", "same")
    store.reports.save(report_of([one], "r1", on="2026-01-01"))
    add_label(store, report_of([one], "r2", on="2026-02-01"), one, Label.WRONG)
    store.reports.save(report_of([one], "r3", on="2026-03-01"))
    months = measure_quality(store, dimensions=["month"]).by["month"]
    assert [(group.value, group.wrong) for group in months] == [("2026-02", rate_of(1, 1))]


def test_quotes_are_counted_by_their_outcome_withheld_ones_too(store: Store) -> None:
    def quoted(name: str, outcome: str, **fields: object) -> Candidate:
        return shown(name, quote=QuoteCheck(outcome=outcome, file="app.py", side="head"), **fields)

    gone = Withheld(code=Reason.EVIDENCE_NOT_FOUND)
    store.reports.save(
        report_of(
            [
                *(quoted(f"e{number}", "exact") for number in range(3)),
                quoted("moved", "relocated"),
                quoted("gone", "not_found", withheld=gone),
            ]
        )
    )
    assert measure_quality(store).quotes_found == rate_of(4, 5)


def test_a_shown_absence_claim_without_a_search_is_named(store: Store) -> None:
    missing = finding({"is_absence_finding": True})
    ran = SearchRun(search=Search(pattern="x"), state="nothing_found")
    failed = SearchRun(search=Search(pattern="("), state="failed")
    store.reports.save(
        report_of(
            [
                shown("searched", claim=missing, searches=(ran,)),
                shown("unsearched", claim=missing),
                shown("failed", claim=missing, searches=(ran, failed)),
                withheld("honest", Reason.ABSENCE_NOT_SEARCHED, claim=missing),
            ]
        )
    )
    absences = measure_quality(store).absences
    assert absences.searched == rate_of(1, 3)
    assert absences.unsearched == ("r1 unsearched", "r1 failed")
    assert absences.withheld == 1


def test_dropped_refuted_and_unverified_are_counted(store: Store) -> None:
    dropped = withheld("logic-1", Reason.FINDING_DROPPED).model_copy(update={"finding": None})
    sure = shown("logic-2", status=Status.VERIFIED)
    refuted = [withheld("logic-3", Reason.REFUTED), withheld("logic-4", Reason.ABSENCE_DISPROVED)]
    store.reports.save(report_of([shown("logic-0"), dropped, sure, *refuted]))
    fates = measure_quality(store).fates
    assert (fates.candidates, fates.shown, fates.dropped, fates.refuted, fates.unverified) == (5, 2, 1, 2, 1)
    assert fates.withheld == {"finding_dropped": 1, "refuted": 1, "absence_disproved": 1}


def test_cost_and_duration_are_told_as_median_and_total(store: Store) -> None:
    for number, cost in enumerate([0.1, 0.5, None]):
        usage = (
            RoleUsage(role="planner", model="m", input_tokens=10, cost_usd=0.1),
            RoleUsage(role="verifier", model="m", output_tokens=5, cost_usd=cost),
        )
        report = report_of([], f"r{number}", duration_ms=1000 * (number + 1), usage=usage)
        store.reports.save(report)
    store.reports.save(report_of([], "mechanical", duration_ms=100))
    quality = measure_quality(store)
    assert quality.duration_ms is not None
    assert (quality.duration_ms.median, quality.duration_ms.total) == (1500, 6100)
    assert quality.cost_usd is not None
    assert quality.cost_usd.n == 2
    assert quality.cost_usd.median == pytest.approx(0.4)
    assert quality.unpriced == 1
    assert quality.tokens is not None
    assert (quality.tokens.n, quality.tokens.total) == (3, 45)


def test_an_empty_store_is_measured_as_empty(store: Store) -> None:
    quality = measure_quality(store)
    assert quality.reports == 0
    assert quality.absences.searched is None
    assert (quality.duration_ms, quality.cost_usd, quality.first) == (None, None, None)


def test_a_report_of_another_version_is_counted_and_left_out(store: Store) -> None:
    labelled(store, Label.VALID)
    store.reports.save(report_of([], "x"), b'{"new": 1}')
    quality = measure_quality(store)
    assert (quality.reports, quality.unreadable) == (1, 1)


def test_a_report_is_given_the_rate_of_the_moment(store: Store) -> None:
    report = labelled(store, Label.WRONG, *[Label.VALID] * 18)
    assert with_measured(report, store).measured == "too few labels"
    add_label(store, report_of([shown("x", "ffff")], "r2"), shown("x", "ffff"), Label.VALID)
    assert with_measured(report, store).measured == rate_of(1, 20)


def test_mistakes_are_told_with_the_newest_label_first(store: Store) -> None:
    one, two = shown("logic-0", "aaaa"), shown("logic-1", "bbbb", claim=finding(title="Another"))
    report = report_of([one, two])
    add_label(store, report, one, Label.WRONG)
    add_label(store, report, two, Label.WRONG, why="the caller checks it")
    add_label(store, report_of([two], "r2"), one, Label.VALID)
    told = [(mistake.title, mistake.why) for mistake in measure_quality(store).mistakes]
    assert told == [("Another", "the caller checks it"), ("The total is wrong", "")]
    add_label(store, report_of([one], "r3"), one, Label.WRONG, why="again")
    assert [mistake.why for mistake in measure_quality(store).mistakes] == ["again", "the caller checks it"]


def test_each_review_is_a_point_in_time_with_what_became_of_its_candidates(store: Store) -> None:
    refuted = withheld("logic-1", Reason.REFUTED)
    moved = QuoteCheck(outcome="relocated", file="app.py", side="head", start=1, end=1, code="x")
    usage = (RoleUsage(role="verifier", model="m", requests=1, cost_usd=0.5),)
    later = report_of([shown("logic-0", quote=moved), refuted], "r2", on="2026-03-05", usage=usage)
    store.reports.save(later)
    store.reports.save(report_of([shown("logic-0")], "r1", on="2026-03-04"))
    first, second = measure_quality(store).over_time
    assert (first.report_id, first.cost_usd, first.candidates, first.refuted) == ("r1", None, 1, 0)
    assert (second.report_id, second.cost_usd, second.candidates, second.shown) == ("r2", 0.5, 2, 1)
    assert (second.refuted, second.relocated, second.dropped) == (1, 1, 0)
