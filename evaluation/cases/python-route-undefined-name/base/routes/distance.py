"""Distances on the globe."""

from math import asin, cos, radians, sin, sqrt

EARTH_RADIUS_KM = 6371.0


def distance_km(start: tuple[float, float], end: tuple[float, float]) -> float:
    """The great-circle distance between two places, each latitude and longitude in degrees."""
    (lat1, lon1), (lat2, lon2) = (tuple(map(radians, place)) for place in (start, end))
    half = sin((lat2 - lat1) / 2) ** 2 + cos(lat1) * cos(lat2) * sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS_KM * asin(sqrt(half))
