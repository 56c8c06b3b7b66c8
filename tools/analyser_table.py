"""The table of analysers for the documentation, made from what describes them."""

import sys
from collections import Counter

from affidavit.analysers.analyser import Analyser
from affidavit.analysers.registry import ANALYSERS
from affidavit.records.finding import Severity

HEADING = "| analyser | languages | version tried | looks for | on by default | run on | package | or |"
RULER = "| --- | --- | --- | --- | --- | --- | --- | --- |"
EXTENT = {"file": "changed files", "project": "both whole sides"}


def analyser_table() -> str:
    """One row for each analyser."""
    return "\n".join([HEADING, RULER, *(_row(analyser) for analyser in ANALYSERS)]) + "\n"


def _row(analyser: Analyser) -> str:
    cells = (
        analyser.name,
        ", ".join(analyser.languages),
        analyser.version_tried,
        analyser.subject,
        _rules(analyser),
        EXTENT[analyser.scope],
        f"`{analyser.distribution}`",
        analyser.elsewhere,
    )
    return f"| {' | '.join(cells)} |"


def _rules(analyser: Analyser) -> str:
    counts = Counter(rule.severity for rule in analyser.rules.values())
    named = ", ".join(f"{counts[severity]} {severity}" for severity in Severity if counts[severity])
    return f"{len(analyser.rules)} rules: {named}"


if __name__ == "__main__":
    sys.stdout.write(analyser_table())
