"""Whether a test checks less than it did: it before and now in."""

from collections import defaultdict

from affidavit.specialists.lost_tests.checks import Size, TestCase
from affidavit.specialists.lost_tests.strength import asks_less


def is_weaker(one: TestCase, now: TestCase) -> bool:
    """Fewer cases, assertions or rounds of them, some that may not be reached, or that ask for less."""
    is_folded = now.cases == Size() and now.goes_through >= one.cases.count
    has_fewer_cases = one.name == now.name and now.cases.is_less_than(one.cases) and not is_folded
    does_nothing = one.does and not now.does
    if has_fewer_cases or does_nothing or _count_now(one, now) < one.count:
        return True
    return (
        _has_fewer_rounds(one, now) or _may_not_get_there(one, now) or asks_less(one.strength, now.strength)
    )


def _count_now(one: TestCase, now: TestCase) -> int:
    """How many things are checked: what is new may check in rounds, cases or at once what others did."""
    known = {check.text for check in one.checks}
    cases = now.room // one.room if now.cases.source == one.cases.source or one.room == 1 else 1
    return sum(
        check.parts if check.text in known else check.most * max(check.rounds.count, 1) * max(cases, 1)
        for check in now.checks
    )


def _has_fewer_rounds(one: TestCase, now: TestCase) -> bool:
    looped = {check.text for check in one.checks if check.rounds != Size()}
    before, after = _rounds(one), _rounds(now)
    return any(text in after and after[text].is_less_than(before[text]) for text in looped)


def _rounds(test: TestCase) -> dict[str, Size]:
    """How often each assertion is made, where the same one stands in several places all together."""
    found: dict[str, list[Size]] = defaultdict(list)
    for check in test.checks:
        found[check.text].append(check.rounds)
    return {
        text: Size(sum(one.count for one in sizes), "|".join(sorted({one.source for one in sizes} - {""})))
        for text, sizes in found.items()
    }


def _may_not_get_there(one: TestCase, now: TestCase) -> bool:
    """An assertion that was always made is still there, and made only sometimes."""
    sure = {check.text for check in one.checks if check.is_sure}
    still = {check.text for check in now.checks if check.is_sure}
    return any(check.text in sure and check.text not in still for check in now.checks)
