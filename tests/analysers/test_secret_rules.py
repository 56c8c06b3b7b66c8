"""Every rule of the scanner is on or has a reason; what is on finds its secret, and no report shows it."""

from collections import Counter

from affidavit.analysers.kingfisher import KINGFISHER
from affidavit.analysers.kingfisher_rules import OFF, ON, OWN, identifier_of, name_of
from affidavit.redaction.text import redact_lines
from secret_shapes import BY_HAND, shaped_lines


def test_every_rule_of_the_installed_scanner_is_on_or_has_a_reason_to_be_off(listed_rules):
    off = [identifier_of(name) for names in OFF.values() for name in names]
    decided = Counter([*ON, *off])
    assert {rule for rule, count in decided.items() if count > 1} == set()
    ours = {rule for rule in decided if rule.startswith(OWN)}
    assert decided.keys() - ours == {rule["id"] for rule in listed_rules}


def test_every_rule_that_is_on_has_a_name_of_its_own():
    names = [name_of(rule) for rule in ON]
    assert len(names) == len(set(names)) == len(KINGFISHER.rules)


def test_a_secret_of_every_shape_is_found_and_stands_in_no_report(listed_rules, case, ask):
    known = [rule for rule in listed_rules if rule["id"] in ON]
    lines = {**shaped_lines(known), **{name: BY_HAND[name] for name in map(name_of, ON) if name in BY_HAND}}
    assert lines.keys() == set(map(name_of, ON))
    found = ask(
        KINGFISHER, case({"x": ""}, {f"deploy/{name}": f"x = 1\n{text}\n" for name, text in lines.items()})
    )
    assert {finding["file"].removeprefix("deploy/") for finding in found} == lines.keys()
    shown = {name: "\n".join(redact_lines(text.split("\n"))) for name, text in lines.items()}
    assert [name for name, text in shown.items() if "REDACTED_" not in text] == []
