"""Every rule of the scanner is on or has a reason; what is on finds its secret, and no report shows it."""

import json
import subprocess
from base64 import b64encode, urlsafe_b64encode
from collections import Counter
from importlib.metadata import version

from affidavit.analysers.kingfisher import KINGFISHER, invoke_kingfisher, own_rules_if_enough
from affidavit.analysers.kingfisher_rules import OFF, ON, OWN, identifier_of, name_of
from affidavit.redaction.text import redact_lines
from commands import AFFIDAVIT
from long_tests import examples, seeded_chance
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


def given():
    return invoke_kingfisher(None, ()).arguments


def is_light(text, made_by=""):
    chosen = own_rules_if_enough(given(), made_by or version("kingfisher-bin"), [text])
    assert chosen == given() or {"--load-builtins=false", f"--rule={OWN}canary"} <= set(chosen)
    return chosen != given()


def test_the_built_in_rules_are_left_out_where_none_of_them_can_match(listed_rules):
    known = [rule for rule in listed_rules if rule["id"] in ON]
    needed = {
        name: text.encode() for name, text in shaped_lines(known).items() if not name.startswith("affidavit")
    }
    assert [name for name, text in needed.items() if is_light(text)] == []
    encoded = {name: b"x: " + b64encode(b64encode(text + b"\n\n\n")) for name, text in needed.items()}
    assert [name for name, text in encoded.items() if is_light(text)] == []
    assert is_light("def total(prices):\n    return 'h\u00e9'  # a secret key\n".encode())


def test_the_table_of_another_version_of_the_scanner_leaves_nothing_out():
    assert is_light(b"a")
    assert not is_light(b"a", "2.13.0")


def test_a_long_text_is_left_to_the_scanner():
    assert not is_light(b"word " * 50_000)


ODD = (
    "\u00e9",
    "\v",
    "\u00a0",
    "\u212a",
    "\0",
    "\f",
    "\r",
    " ",
    "=",
    "-",
    "_",
    "\n",
    "'",
    "x",
    "\u017f",
    "\\n",
)
WRAPPED = (
    bytes,
    lambda text: b"k: " + b64encode(text),
    lambda text: b"k-" + urlsafe_b64encode(text) + b"\n",
    lambda text: b64encode(b"a: " + b64encode(text) + b"\n"),
)


def test_what_the_scanner_finds_in_odd_texts_is_never_left_out(listed_rules, tmp_path):
    chance = seeded_chance()
    lines = list(shaped_lines([rule for rule in listed_rules if rule["id"] in ON]).values())
    (tmp_path / "code").mkdir()
    for name, text in invoke_kingfisher(None, ()).outside.items():
        (tmp_path / name).write_bytes(text)
    texts = {}
    for number in range(examples(6_000)):
        line = chance.choice(lines)
        for _ in range(chance.randint(0, 2)):
            at = chance.randrange(len(line) + 1)
            line = line[:at] + chance.choice(ODD) + line[at + chance.randint(0, 1) :]
        texts[str(number)] = chance.choice(WRAPPED)(line.encode())
        (tmp_path / "code" / str(number)).write_bytes(texts[str(number)])
    command = [AFFIDAVIT.with_name("kingfisher"), *given()]
    done = subprocess.run(command, cwd=tmp_path / "code", capture_output=True, check=False, timeout=300)
    found = [
        (row["finding"]["path"].rpartition("/")[2], row["rule"]["id"])
        for row in json.loads(done.stdout)["findings"]
    ]
    built_in = {path: rule for path, rule in found if not rule.startswith(OWN)}
    assert len(built_in) > len(texts) / 4
    assert {path: (rule, texts[path]) for path, rule in built_in.items() if is_light(texts[path])} == {}
