"""What teams send in through the web form."""

from importer.pipelines import run
from importer.steps import Row


def import_rows(rows: list[Row]) -> list[Row]:
    return run(rows)
