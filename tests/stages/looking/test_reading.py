"""A specialist is believed to have looked where its calls show that it did."""

from collections.abc import Iterator

import pytest

from affidavit.git.repository import GitRepository
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket
from affidavit.records.evidence import ToolUse
from affidavit.records.plan import Chunk, Plan
from affidavit.records.report import Reply
from affidavit.stages.evidence import check_claimed_reads
from claims import bare_finding, candidate, case_of, change_of, finding, opened
from repositories import Repo

FILES: dict[str, str | bytes | None] = {
    "app.py": "x = 1\n",
    "shop/cart.py": "y = 1\n",
    "shop/tests/cart.py": "y = 2\n",
    "Makefile": "all:\n",
}
PLAN = Plan(chunks=(Chunk(number=1, paths=("app.py",), tokens=1),))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitRepository]:
    repo = Repo(tmp_path_factory.mktemp("repo"))
    with opened(repo, FILES, {"app.py": "x = 2\n"}) as repository:
        yield repository


def compared(
    repository: GitRepository,
    where: str | None,
    uses: tuple[ToolUse, ...] | None,
    *,
    has_checked: bool = True,
) -> Docket:
    claim = finding({"checked_for_handling_elsewhere": has_checked, "where_checked": where})
    reply = Reply(specialist="logic", kind="model", text="", uses=uses, chunk=1)
    case = case_of(change_of("app.py"), repository, plan=PLAN, replies=(reply,))
    return check_claimed_reads(Docket(candidates=(candidate(claim),)), case)


def is_believed(outcome: Docket) -> bool:
    (one,) = outcome.candidates
    assert one.finding is not None
    assert one.finding.verification is not None
    flag = one.finding.verification.checked_for_handling_elsewhere
    assert flag != bool(outcome.diagnostics)
    return flag


READ_CART = ToolUse(tool="get_file_context", read=("shop/cart.py",))


@pytest.mark.parametrize(
    ("where", "uses"),
    [
        ("shop/cart.py", (READ_CART,)),
        ("the callers in cart.py:3, lines 1-5", (READ_CART,)),
        ("./shop/cart.py.", (READ_CART,)),
        ("everything below shop/", (READ_CART,)),
        ("app.py", ()),
        ("callers and middleware", (READ_CART,)),
        (None, (READ_CART,)),
        ("shop/cart.py", (ToolUse(tool="search", searched=("shop",)),)),
        ("shop/cart.py", (ToolUse(tool="search", searched=("shop/**/*.py",)),)),
        ("self.save and items.total, os.path", (READ_CART,)),
    ],
)
def test_a_look_that_a_call_shows_is_believed(
    repository: GitRepository, where: str | None, uses: tuple[ToolUse, ...]
) -> None:
    assert is_believed(compared(repository, where, uses))


@pytest.mark.parametrize(
    ("where", "uses"),
    [
        ("shop/cart.py", ()),
        ("shop/cart.py", (ToolUse(tool="get_file_context", read=("app.py",)),)),
        ("shop/tests/cart.py", (READ_CART,)),
        ("app.py and shop/cart.py", ()),
        ("shop/", (ToolUse(tool="search"),)),
        ("shop/cart.py", (ToolUse(tool="search", searched=("other",)),)),
        ("callers and middleware", ()),
        (None, ()),
    ],
)
def test_a_look_that_no_call_shows_is_noted_and_not_believed(
    repository: GitRepository, where: str | None, uses: tuple[ToolUse, ...]
) -> None:
    outcome = compared(repository, where, uses)
    assert not is_believed(outcome)
    (noted,) = outcome.diagnostics
    assert (noted.code, noted.specialist, noted.id) == (Reason.CLAIMED_LOOK_NOT_MADE, "logic", "f1")
    assert outcome.candidates[0].is_shown
    assert outcome.candidates[0].steps[-1].what == f"not believed: {noted.detail}"


def test_the_file_that_was_not_read_is_named(repository: GitRepository) -> None:
    (noted,) = compared(repository, "app.py, Makefile, shop/cart.py", ()).diagnostics
    assert "shop/cart.py" in noted.detail
    assert "app.py" not in noted.detail


def test_who_claims_nothing_and_who_was_not_watched_is_left_alone(repository: GitRepository) -> None:
    assert not compared(repository, None, (), has_checked=False).diagnostics
    assert not compared(repository, "shop/cart.py", None).diagnostics
    bare = Docket(candidates=(candidate(bare_finding()),))
    plain = check_claimed_reads(bare, case_of(change_of("app.py"), repository))
    assert not plain.diagnostics
