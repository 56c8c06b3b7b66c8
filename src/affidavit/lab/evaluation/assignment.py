"""Pair two sides one to one: as many pairs as can be, and among those the nearest."""

from collections.abc import Mapping

Pair = tuple[int, int]
Path = tuple[Pair, ...]


def assign(costs: Mapping[Pair, int]) -> dict[int, int]:
    """Left to right, out of the pairs that are possible and what each costs.

    Cheapest augmenting paths, one after the other. A case has a handful of problems and of findings beside
    them, for which the libraries that do this (scipy, networkx) would be larger than all of Affidavit.
    """
    matched: dict[int, int] = {}
    while path := _cheapest_path(costs, matched):
        # Along the path each left gives up its right to the one before and takes the next.
        matched.update(path)
    return matched


def _cheapest_path(costs: Mapping[Pair, int], matched: Mapping[int, int]) -> Path:
    """The cheapest way to match one more; empty where there is none."""
    owners = {right: left for left, right in matched.items()}
    reached: dict[int, tuple[int, Path]] = {left: (0, ()) for left, _ in costs if left not in matched}
    ends: dict[int, tuple[int, Path]] = {}
    is_settled = False
    while not is_settled:
        is_settled = True
        for (left, right), cost in sorted(costs.items()):
            if left not in reached or matched.get(left) == right:
                continue
            so_far, path = reached[left]
            if right in ends and ends[right][0] <= so_far + cost:
                continue
            ends[right] = (so_far + cost, (*path, (left, right)))
            is_settled = False
            if right in owners:
                given_up = costs[owners[right], right]
                reached[owners[right]] = (so_far + cost - given_up, ends[right][1])
    free = [(cost, right) for right, (cost, _) in ends.items() if right not in owners]
    return ends[min(free)[1]][1] if free else ()
