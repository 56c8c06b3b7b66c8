"""A shop whose prices change, and what is found broken by that."""

from collections.abc import Mapping

from affidavit.analysers.references.specialist import BrokenReferences
from python_changes import Case

Files = Mapping[str, str | None]


def found(case: Case) -> set[tuple[str, str, int]]:
    """Rule, path and line of each broken reference."""
    breaks = BrokenReferences().look(case.case).breaks
    return {(one.rule.removeprefix("references/"), one.path, one.line) for one in breaks}


PYTHON = {
    "shop/__init__.py": "",
    "shop/prices.py": "import os\n\nLIMIT = 3\n\n\ndef total(items):\n    return sum(items)\n",
}
GONE = {"shop/prices.py": "LIMIT = 3\n"}
