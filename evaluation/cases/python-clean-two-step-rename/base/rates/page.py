"""The table of rates."""

from rates import source


def table() -> list[str]:
    return [f"{name}: {source.get(name)}" for name in sorted(source.RATES)]
