"""Tables of analysers and of the rules for secrets in the documentation, made from what describes them."""

import sys
from collections import Counter

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.kingfisher_rules import CONNECTIONS, KEYS, OFF, TOKENS
from affidavit.analysers.registry import all_analysers
from affidavit.records.finding import Severity

HEADING = "| analyser | languages | version tried | looks for | on by default | run on | package | or |"
RULER = "| --- | --- | --- | --- | --- | --- | --- | --- |"
EXTENT = {"file": "changed files", "project": "both whole sides"}


def analyser_table() -> str:
    """One row for each analyser."""
    return "\n".join([HEADING, RULER, *(_row(analyser) for analyser in all_analysers())]) + "\n"


def _row(analyser: Analyser) -> str:
    cells = (
        analyser.name,
        ", ".join(analyser.languages),
        analyser.version_tried,
        analyser.subject,
        _rules(analyser),
        "what the change can affect" if analyser.choose_part else EXTENT[analyser.scope],
        f"`{analyser.distribution}`" if analyser.distribution else "",
        analyser.elsewhere,
    )
    return f"| {' | '.join(cells)} |"


def _rules(analyser: Analyser) -> str:
    counts = Counter(rule.severity for rule in analyser.rules.values())
    named = ", ".join(f"{counts[severity]} {severity}" for severity in Severity if counts[severity])
    return f"{len(analyser.rules)} rules: {named}"


def secret_rules() -> str:
    """How many rules of the secret scanner are on, and why the others are off."""
    on = {
        "values with a shape of their own": TOKENS,
        "passwords in addresses": CONNECTIONS,
        "private keys": KEYS,
    }
    rows = [("on", what, names) for what, names in on.items()]
    rows += [("off", why, sorted(names)) for why, names in OFF.items()]
    table = [f"| {state} | {what} | {len(names)} |" for state, what, names in rows]
    return "\n".join(["| | which | rules |", "| --- | --- | --- |", *table]) + "\n"


if __name__ == "__main__":
    sys.stdout.write(f"{analyser_table()}\n{secret_rules()}")
