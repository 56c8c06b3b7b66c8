"""Runs rows through the steps of a pipeline."""

from importer.steps import STEPS, Row

DEFAULT = ("strip", "lower_keys")


def run(rows: list[Row], names: tuple[str, ...] = DEFAULT) -> list[Row]:
    for name in names:
        rows = [STEPS[name](row) for row in rows]
    return rows
