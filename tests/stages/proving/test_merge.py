from dataclasses import dataclass
from itertools import permutations
from typing import Any

from affidavit.ports import Case
from affidavit.proof.fingerprints import add_fingerprints
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket
from affidavit.records.evidence import QuoteCheck, ReproductionCheck
from affidavit.stages.merge import group_duplicates
from claims import candidate, case_of, change_of, file_change, finding, opened
from repositories import Repo


def of(specialist: str, index: int = 0, kind: str = "model", **fields: Any) -> Candidate:
    quote = QuoteCheck(outcome="exact", file="app.py", side="head")
    claim = finding(fields.pop("evidence", None), **{"id": f"{specialist}{index}", **fields})
    name = f"{specialist}-{index}"
    return candidate(claim, id=name, specialist=specialist, index=index, kind=kind, quote=quote)


@dataclass(frozen=True)
class Merged:
    """The candidates after grouping, by id, and whom each member stands behind."""

    candidates: dict[str, Candidate]
    leaders: dict[str, str]

    def __getitem__(self, name: str) -> Candidate:
        return self.candidates[name]


def merge(docket: Docket, case: Case) -> Merged:
    grouped = add_fingerprints(group_duplicates(docket), case)
    # Whatever a step returns, another process can go on with it.
    assert Docket.model_validate_json(grouped.model_dump_json()) == grouped
    leaders = {member: group.leader for group in grouped.groups for member in group.members}
    return Merged({item.id: item for item in grouped.candidates}, leaders)


def merged(repo: Repo, *candidates: Candidate, head: str = "a\nb\nc\nd\n", **change: Any) -> Merged:
    with opened(repo, {"app.py": "a\n"}, {"app.py": head}) as repository:
        case = case_of(change_of("app.py", **change), repository)
        return merge(Docket(candidates=candidates), case)


def test_distinct_specialists_that_say_the_same_agree(repo: Repo) -> None:
    result = merged(repo, of("logic"), of("security"))
    assert result["logic-0"].agreed_by == ("security",)
    assert result.leaders == {"security-0": "logic-0"}


def test_who_says_the_same_is_grouped_and_not_withheld(repo: Repo) -> None:
    result = merged(repo, of("logic"), of("security"))
    assert [one.withheld for one in result.candidates.values()] == [None, None]


def test_of_two_models_the_one_who_tells_more_stays(repo: Repo) -> None:
    told = "The total starts with one and grows. "
    fuller = of("security", message=told + "Refunds are also affected by that.")
    result = merged(repo, of("logic", message=told), fuller)
    assert result["security-0"].agreed_by == ("logic",)
    assert "logic-0" in result.leaders


def test_of_two_models_the_one_whose_program_showed_it_leads_whatever_its_severity(repo: Repo) -> None:
    shown = of("experimenter", severity="medium")
    shown = shown.model_copy(update={"reproduction": ReproductionCheck(outcome="reproduced")})
    assert merged(repo, of("logic", severity="high"), shown).leaders == {"logic-0": "experimenter-0"}


def test_one_specialist_twice_is_joined_and_is_no_agreement(repo: Repo) -> None:
    result = merged(repo, of("logic", 0), of("logic", 1))
    assert result["logic-0"].agreed_by == ()
    assert "logic-1" in result.leaders


def test_equivalent_rules_of_two_analysers_are_one_problem(repo: Repo) -> None:
    result = merged(
        repo,
        of("ty", kind="mechanical", rule_id="ty/unresolved-reference", title="other words altogether"),
        of("ruff", kind="mechanical", rule_id="ruff/F821"),
    )
    assert result["ruff-0"].agreed_by == ("ty",)


def test_two_rules_on_one_line_are_two_problems(repo: Repo) -> None:
    result = merged(
        repo,
        of("ruff", 0, kind="mechanical", rule_id="ruff/F821"),
        of("ruff", 1, kind="mechanical", rule_id="ruff/S608"),
    )
    assert result.leaders == {}


def test_two_problems_of_one_rule_on_one_line_stay_two_and_each_finds_its_twin(repo: Repo) -> None:
    rules = {"ruff": "ruff/F821", "ty": "ty/unresolved-reference"}
    found = [
        of(name, index, kind="mechanical", rule_id=rules[name], title=f"`{what}` is not defined")
        for name in rules
        for index, what in enumerate(("a", "b") if name == "ruff" else ("b", "a"))
    ]
    result = merged(repo, *found)
    assert result.leaders == {"ty-0": "ruff-1", "ty-1": "ruff-0"}
    assert result["ruff-0"].agreed_by == result["ruff-1"].agreed_by == ("ty",)


def test_the_machines_finding_stays_and_the_models_duplicate_goes(repo: Repo) -> None:
    result = merged(
        repo, of("logic", severity="critical"), of("ruff", kind="mechanical", rule_id="ruff/F821")
    )
    assert "ruff-0" not in result.leaders
    assert "logic-0" in result.leaders


CLOSED = {
    "title": "handle() closes the stream that the request reads lazily",
    "message": "The new finally closes the body file before the view reads it, which raises ValueError.",
}
SAME = {
    "title": "Request body is closed before the view can read it",
    "message": "The stream is read lazily; finally closes the file before the view, which raises ValueError.",
}
OTHER = {
    "title": "A failed upload leaves temporary files behind",
    "message": "Nothing removes what was spooled to disk when the client disconnects in the middle.",
}


def test_one_problem_in_other_words_and_another_category_is_one_finding(repo: Repo) -> None:
    result = merged(repo, of("logic", **CLOSED), of("quality", category="reliability", line=4, **SAME))
    assert result["logic-0"].agreed_by == ("quality",)


def test_two_problems_on_one_line_are_two_findings(repo: Repo) -> None:
    failure = {"failing_input": "a client that goes away", "wrong_outcome": "the disk fills up"}
    result = merged(repo, of("logic", **CLOSED), of("security", evidence=failure, **OTHER))
    assert result.leaders == {}


def test_the_same_words_far_away_are_two_findings(repo: Repo) -> None:
    result = merged(repo, of("logic", line=1), of("security", line=9), head="x\n" * 12)
    assert result.leaders == {}


IMPACT = {"is_impact_finding": True, "caused_by": {"file": "app.py", "symbol": "handle"}}


def test_a_cause_and_what_it_breaks_elsewhere_are_one_finding_told_where_the_change_is(repo: Repo) -> None:
    result = merged(repo, of("codebase-fit", file="guide.md", evidence=IMPACT, **SAME), of("logic", **CLOSED))
    assert result["logic-0"].agreed_by == ("codebase-fit",)
    assert "codebase-fit-0" in result.leaders


def test_two_places_that_one_cause_breaks_are_two_findings(repo: Repo) -> None:
    places = [of("logic", n, file=f"caller{n}.py", evidence=IMPACT, **SAME) for n in range(2)]
    assert merged(repo, *places).leaders == {}


def test_something_else_that_the_change_breaks_stays(repo: Repo) -> None:
    outside = of("codebase-fit", file="guide.md", evidence=IMPACT, **OTHER)
    assert merged(repo, outside, of("logic", **CLOSED)).leaders == {}


def test_the_same_words_about_another_file_are_two_findings(repo: Repo) -> None:
    assert merged(repo, of("a", file="b.py"), of("logic")).leaders == {}


def test_a_fingerprint_survives_lines_added_above(repo: Repo) -> None:
    before = merged(repo, of("logic"), head="a\nb = 1\nc\n")
    after = merged(repo, of("logic", line=5), head="\n\n\na\nb =  1\nc\n")
    assert before["logic-0"].fingerprint == after["logic-0"].fingerprint


def test_a_fingerprint_survives_a_rename(repo: Repo) -> None:
    before = merged(repo, of("logic"))
    with opened(repo, {"app.py": "a\n"}, {"app.py": None, "new.py": "a\nb\nc\nd\n"}) as repository:
        change = change_of(files=(file_change("new.py", old_path="app.py", status="renamed"),))
        after = merge(Docket(candidates=(of("logic", file="new.py"),)), case_of(change, repository))
    assert before["logic-0"].fingerprint == after["logic-0"].fingerprint


def test_equal_findings_on_equal_lines_have_distinct_fingerprints(repo: Repo) -> None:
    result = merged(repo, of("logic", 0, line=1), of("logic", 1, line=3), head="x\ny\nx\n")
    assert result["logic-0"].fingerprint != result["logic-1"].fingerprint


def test_a_duplicate_has_a_fingerprint_of_its_own_and_leaves_those_that_stay_alone(repo: Repo) -> None:
    """It may be shown yet, where the finding that stands for it is refuted."""
    kept = of("logic", title="The total starts with one")
    duplicate = of("quality", title="The total starts with one")
    other = of("security", title="Refunds ignore their currency", message="Nobody converts")
    alone = merged(repo, kept, other)
    together = merged(repo, kept, duplicate, other)
    assert together.leaders == {"quality-0": "logic-0"}
    assert len({one.fingerprint for one in together.candidates.values()}) == 3
    names = list(alone.candidates)
    assert [together[one].fingerprint for one in names] == [alone[one].fingerprint for one in names]


def test_another_rule_has_another_fingerprint(repo: Repo) -> None:
    result = merged(
        repo, of("a", kind="mechanical", rule_id="r/1"), of("a", 1, kind="mechanical", rule_id="r/2")
    )
    assert result["a-0"].fingerprint != result["a-1"].fingerprint


def test_what_ended_before_is_passed_on_untouched(repo: Repo) -> None:
    ended = of("logic").withhold("evidence", Reason.EVIDENCE_NOT_FOUND)
    result = merged(repo, ended, of("security"))
    assert result["logic-0"].withheld == ended.withheld
    assert result["security-0"].agreed_by == ()


def test_the_groups_do_not_depend_on_the_order_in_which_findings_come(repo: Repo) -> None:
    found = [
        of("logic", **CLOSED),
        of("quality", line=4, **SAME),
        of("codebase-fit", file="guide.md", evidence=IMPACT, **SAME),
        of("security", **OTHER),
        of("ruff", kind="mechanical", rule_id="ruff/F821"),
    ]
    with opened(repo, {"app.py": "a\n"}, {"app.py": "a\nb\nc\nd\n", "guide.md": "x\ny\n"}) as repository:
        case = case_of(change_of("app.py"), repository)
        results = [
            add_fingerprints(group_duplicates(Docket(candidates=order)), case)
            for order in permutations(found)
        ]
    assert all(result == results[0] for result in results)
    assert len(results[0].groups) == 1
