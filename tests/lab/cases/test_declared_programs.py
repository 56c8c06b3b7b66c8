"""Every program that the starter set declares is run on both sides and comes to what its case says."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from affidavit.config.settings import Settings
from affidavit.lab.cases.claims import load_claims
from affidavit.lab.cases.folders import CaseFolder, read_cases
from affidavit.lab.cases.repositories import CaseRepositories
from affidavit.lab.records import KnownClaim
from affidavit.proof.running.own_names import own_names
from affidavit.records.evidence import ReproductionCheck
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.running import opened_runner
from affidavit.sandbox.choice import Choice
from affidavit.sandbox.copies import find_language
from affidavit.stages.intake import ChangeRequest, open_change
from affidavit.stages.reproduce import run_aside
from sandboxes import demanded, needed_sandbox

EVALUATION = Path(__file__).parents[3] / "evaluation"
CASES = [
    one
    for one in read_cases([EVALUATION / "cases"])
    if any(claim.reproduction for claim in (*one.case.expected, *one.case.known_wrong))
]
AT_ONCE = 3
"""More than there are cores: one of them sleeps, and all wait for the kernel now and then."""
EVERYWHERE = {"python", "node", "typescript", "shell"}
"""What the lock file and any Linux bring."""
Ran = dict[str, list[tuple[KnownClaim, ReproductionCheck]]]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """What became of every program, by case."""
    needed_sandbox()
    repositories = CaseRepositories(tmp_path_factory.mktemp("built"))

    async def run_all() -> Ran:
        places = asyncio.Semaphore(AT_ONCE)
        done = await asyncio.gather(*(run_case(held, repositories, places) for held in CASES))
        return dict(zip((held.case.id for held in CASES), done, strict=True))

    return asyncio.run(run_all())


async def run_case(
    held: CaseFolder, repositories: CaseRepositories, places: asyncio.Semaphore
) -> list[tuple[KnownClaim, ReproductionCheck]]:
    async with places:
        request = ChangeRequest(target="base..head", repo=await repositories.locate(held))
        with (
            await asyncio.to_thread(open_change, request) as opened,
            opened_runner(opened.repository, Settings(run=True), ReviewOptions()) as running,
        ):
            assert running.runner is not None
            own = own_names(opened.repository)
            return [
                (claim, await run_aside(claim.reproduction, running.runner, own))
                for claim in (*held.case.expected, *held.case.known_wrong)
                if claim.reproduction
            ]


def declared() -> list[tuple[str, KnownClaim, str]]:
    """List, claim and language of each program."""
    return [
        (about, claim, language_of(claim))
        for held in CASES
        for about, claims in (("expected", held.case.expected), ("known_wrong", held.case.known_wrong))
        for claim in claims
        if claim.reproduction
    ]


def language_of(claim: KnownClaim) -> str:
    named = find_language(claim.reproduction.language) if claim.reproduction else None
    assert named is not None
    return "shell" if named in ("sh", "bash") else named


def test_every_program_does_what_its_case_says(ran: Ran) -> None:
    runs = [(held, claim, check) for held in CASES for claim, check in ran[held.case.id]]
    otherwise = [
        (held.case.id, check.outcome, check.detail, [one.output for one in check.head])
        for held, claim, check in runs
        if check.outcome != claim.outcome
        # There may be no Go here; every other language comes with the tests.
        and not (language_of(claim) == "go" and check.outcome == "could_not_run")
    ]
    assert otherwise == []
    assert {language_of(claim) for _, claim, check in runs if check.outcome == claim.outcome} >= EVERYWHERE
    assert len(runs) == len(declared())
    alike = [check for _, _, check in runs if check.outcome == "also_at_base"]
    assert [(check.base and check.base.exit_code, check.head[0].exit_code) for check in alike] == [(1, 1)]


def test_at_least_twenty_fail_at_head_and_pass_at_base_in_four_languages() -> None:
    shown = Counter(
        language
        for about, claim, language in declared()
        if about == "expected" and claim.outcome == "reproduced" and language in EVERYWHERE
    )
    assert shown.keys() == EVERYWHERE
    assert shown.total() >= 20


def test_the_document_counts_them_right() -> None:
    shown = Counter((claim.outcome, language) for about, claim, language in declared() if about == "expected")
    words = {"python": "Python", "typescript": "TypeScript", "shell": "shell", "node": "JavaScript"}
    counts = ", ".join(f"{shown['reproduced', name]} in {word}" for name, word in words.items())
    here = sum(shown["reproduced", name] for name in words)
    new = sum(count for (outcome, _), count in shown.items() if outcome == "reproduced_new")
    go = shown["reproduced", "go"]
    sentence = (
        f"{shown.total()} of the problems come with a program: {here} fail at head and pass at base "
        f"({counts}), {new} show code that base lacks, and {go} more need Go."
    )
    page = (EVALUATION.parent / "docs/measuring.md").read_text()
    assert sentence in page
    for held in CASES:
        for claim in (one for one in held.case.known_wrong if one.reproduction):
            (row,) = (line for line in page.splitlines() if line.startswith(f"| `{held.case.id}` |"))
            assert row.endswith(f"| `{claim.outcome}` |")


def test_there_is_a_program_for_each_way_to_prove_nothing() -> None:
    # What is reproduced among them raises on purpose: a machine sees what it is told to see.
    ways = {claim.outcome for about, claim, _ in declared() if about == "known_wrong"}
    assert ways == {"also_at_base", "not_reproduced", "flaky", "reproduced"}


def test_a_verifier_is_asked_about_each_program_that_proves_nothing() -> None:
    known = {
        (held.case.id, claim.reproduction)
        for held in CASES
        for claim in held.case.known_wrong
        if claim.reproduction
    }
    claims = [
        (one.ground.case.id, claim)
        for one in load_claims(EVALUATION / "claims")
        for claim in one.claims
        if claim.finding.verification and claim.finding.verification.reproduction
    ]
    offered = {
        (name, one.finding.verification and one.finding.verification.reproduction) for name, one in claims
    }
    assert offered == known
    assert {claim.judgement for _, claim in claims} == {"REFUTED"}


def test_a_missing_sandbox_is_a_failure_in_ci_and_never_a_success() -> None:
    lacking = Choice(None, reason="no user namespaces")
    with pytest.raises(pytest.fail.Exception, match="no user namespaces"):
        demanded(lacking, {"CI": "true"}, user=1000)
    with pytest.raises(pytest.skip.Exception):
        demanded(lacking, {}, user=1000)
