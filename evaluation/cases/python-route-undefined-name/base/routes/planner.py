"""The length of a tour."""

from itertools import pairwise

from routes.distance import distance_km


def tour_length_km(stops: list[tuple[float, float]]) -> float:
    return sum(distance_km(start, end) for start, end in pairwise(stops))
