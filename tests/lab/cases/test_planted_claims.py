"""The planted claims are what they should be: exact quotes, readable findings, facts that are there."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from affidavit.contract.parser import parse_reply
from affidavit.diff.rebuild import OpenedChange
from affidavit.lab.cases.claims import CLAIM_SCHEMA_VERSION, CaseClaims, fact_places, load_claims
from affidavit.lab.cases.folders import read_cases
from affidavit.lab.cases.repositories import build_history
from affidavit.lab.records import ClaimKind, Trap
from affidavit.ports import Case
from affidavit.records.candidate import Candidate
from affidavit.records.docket import Docket
from affidavit.records.plan import Plan
from affidavit.stages.evidence import check_causes, locate_quotes, run_searches
from affidavit.stages.intake import ChangeRequest, open_change

CLAIMS = Path(__file__).parents[3] / "evaluation/claims"
SET = load_claims(CLAIMS)
ALL = [claim for one in SET for claim in one.claims]

each_file = pytest.mark.parametrize("one", SET, ids=[one.ground.case.id for one in SET])


@dataclass
class Grounds:
    """The changes of the cases, each built and opened once."""

    folder: Path
    opened: dict[str, OpenedChange]

    def change(self, one: CaseClaims) -> OpenedChange:
        name = one.ground.case.id
        if name not in self.opened:
            build_history(one.ground.folder, self.folder / name)
            request = ChangeRequest(target="base..head", repo=self.folder / name)
            self.opened[name] = open_change(request)
        return self.opened[name]


@pytest.fixture(scope="module")
def grounds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grounds]:
    made = Grounds(tmp_path_factory.mktemp("grounds"), {})
    yield made
    for opened in made.opened.values():
        opened.close()


def test_there_are_enough_claims_of_each_kind() -> None:
    kinds = Counter(claim.kind for claim in ALL)
    assert kinds[ClaimKind.WRONG] >= 20
    assert kinds[ClaimKind.TRUE] >= 10
    assert kinds[ClaimKind.TRIVIAL] >= 6


def test_the_document_counts_them_right() -> None:
    page = (CLAIMS.parents[1] / "docs/measuring.md").read_text()
    for kind, count in Counter(claim.kind for claim in ALL).items():
        assert re.search(rf"^\| {kind} \|.*\| {count} \|$", page, re.MULTILINE), (kind, count)
    assert [trap for trap in Trap if f"| `{trap}` |" not in page] == []


def test_every_trap_is_set_and_many_languages_are_there() -> None:
    assert {claim.trap for claim in ALL} - {None} == set(Trap)
    assert len({one.ground.case.language for one in SET}) >= 5


def test_every_id_is_unique_and_gives_no_kind_away() -> None:
    assert len({claim.id for claim in ALL}) == len(ALL)
    hints = {*ClaimKind, "clean", "refuted", "confirmed", "nit"}
    assert [claim.id for claim in ALL if hints & set(claim.id.split("-"))] == []


def test_the_grounds_of_their_own_are_cases_that_a_claim_names() -> None:
    own = {one.case.id for one in read_cases([CLAIMS / "grounds"])}
    assert own - {one.ground.case.id for one in SET} == set()


@each_file
def test_a_file_is_named_after_its_case(one: CaseClaims) -> None:
    assert (CLAIMS / f"{one.ground.folder.name}.json").is_file()


@each_file
def test_title_and_description_of_a_case_are_those_of_its_commit(one: CaseClaims, grounds: Grounds) -> None:
    change, case = grounds.change(one).change, one.ground.case
    assert (change.title, change.description) == (case.title, case.description)


@each_file
def test_the_contract_reads_every_claim_without_a_word(one: CaseClaims, grounds: Grounds) -> None:
    written = json.loads((CLAIMS / f"{one.ground.folder.name}.json").read_bytes())["claims"]
    reply = {
        "schema_version": CLAIM_SCHEMA_VERSION,
        "prompt_version": "1.0.0",
        "findings": [claim["finding"] for claim in written],
    }
    changed = grounds.change(one).change.changed_files
    parsed = parse_reply(json.dumps(reply), schema_version=CLAIM_SCHEMA_VERSION, changed_files=changed)
    assert parsed.diagnostics == ()
    assert parsed.result is not None
    assert list(parsed.result.findings) == [claim.finding for claim in one.claims]


@each_file
def test_every_quote_is_exact_and_no_claim_is_withheld_before_the_verifier(
    one: CaseClaims, grounds: Grounds
) -> None:
    opened = grounds.change(one)
    candidates = [
        Candidate(id=claim.id, specialist="planted", kind="model", index=index, finding=claim.finding)
        for index, claim in enumerate(one.claims)
    ]
    case = Case(opened.change, opened.repository, plan=Plan())
    checked = Docket(candidates=tuple(candidates))
    for check in (locate_quotes, check_causes, run_searches):
        checked = check(checked, case)
    assert checked.diagnostics == ()
    for candidate in checked.candidates:
        assert candidate.quote is not None
        assert (candidate.id, candidate.quote.outcome) == (candidate.id, "exact")
        assert candidate.withheld is None


@each_file
def test_every_reason_names_lines_that_are_there(one: CaseClaims, grounds: Grounds) -> None:
    repository = grounds.change(one).repository
    for claim in one.claims:
        for place in fact_places(claim.why):
            lines = repository.side(place.side).lines(place.file)
            assert lines is not None, (claim.id, place)
            assert place.line <= len(lines), (claim.id, place)
            assert lines[place.line - 1].strip(), (claim.id, place)


@each_file
def test_a_search_that_a_wrong_claim_declares_can_be_run(one: CaseClaims, grounds: Grounds) -> None:
    repository = grounds.change(one).repository
    for claim in one.claims:
        evidence = claim.finding.verification
        assert evidence is not None
        assert evidence.is_absence_finding == bool(evidence.searches), claim.id
        for search in evidence.searches:
            hits = repository.side(search.side).search(search.pattern, search.paths, max_hits=1)
            assert list(hits) == [], claim.id
