"""The pairing against assignments made by hand, and against trying every one."""

from itertools import combinations, permutations

from hypothesis import given
from hypothesis import strategies as st

from affidavit.lab.evaluation.matching import Pair, assign

ROW = st.lists(st.none() | st.integers(0, 3), min_size=4, max_size=4)
PAIRS = st.lists(ROW, min_size=2, max_size=4).map(
    lambda rows: {
        (left, right): cost
        for left, row in enumerate(rows)
        for right, cost in enumerate(row)
        if cost is not None
    }
)


def best_by_trying_all(costs: dict[Pair, int]) -> tuple[int, int]:
    """The most pairs, and the least that so many can cost."""
    lefts, rights = sorted({pair[0] for pair in costs}), sorted({pair[1] for pair in costs})
    for size in range(min(len(lefts), len(rights)), 0, -1):
        totals = [
            sum(costs[pair] for pair in zip(some, chosen, strict=True))
            for some in combinations(lefts, size)
            for chosen in permutations(rights, size)
            if all(pair in costs for pair in zip(some, chosen, strict=True))
        ]
        if totals:
            return size, min(totals)
    return 0, 0


def test_nothing_possible_pairs_nothing() -> None:
    assert assign({}) == {}


def test_the_only_partner_of_one_is_left_to_it_though_another_is_nearer() -> None:
    # By greed 0 takes 0, and 1, which can have nothing else, is left alone.
    assert assign({(0, 0): 0, (0, 1): 3, (1, 0): 2}) == {0: 1, 1: 0}


def test_a_chain_of_three_is_passed_on_to_its_end() -> None:
    costs = {(0, 0): 0, (0, 1): 0, (1, 1): 0, (1, 2): 0, (2, 0): 0}
    assert assign(costs) == {0: 1, 1: 2, 2: 0}


def test_among_equally_many_pairs_the_nearest_win() -> None:
    assert assign({(0, 0): 0, (0, 1): 2, (1, 0): 2, (1, 1): 0}) == {0: 0, 1: 1}
    assert assign({(0, 0): 3, (0, 1): 1, (1, 0): 1, (1, 1): 3}) == {0: 1, 1: 0}


def test_what_is_given_up_on_the_way_counts() -> None:
    # 0 takes 1 first. To let 1 have it, 0 goes to 2 for as much; 1 taking 0 instead would cost more.
    assert assign({(0, 1): 1, (0, 2): 1, (1, 0): 2, (1, 1): 1}) == {0: 2, 1: 1}


def test_of_several_partners_for_one_the_nearest_is_taken() -> None:
    assert assign({(0, 0): 3, (0, 1): 0, (0, 2): 1}) == {0: 1}


@given(PAIRS)
def test_no_other_assignment_has_more_pairs_or_costs_less(costs: dict[Pair, int]) -> None:
    matched = assign(costs)
    assert all(pair in costs for pair in matched.items())
    assert len(set(matched.values())) == len(matched)
    assert (len(matched), sum(costs[pair] for pair in matched.items())) == best_by_trying_all(costs)
