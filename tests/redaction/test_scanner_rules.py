"""Whatever the scanner finds by its own rules, the redaction takes out: its rules are the table."""

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from affidavit.analysers.kingfisher_rules import name_of
from affidavit.redaction.forms import WAYS
from affidavit.redaction.linear import FEW_BYTES, PatternSet
from affidavit.redaction.names import NAME, WORDS
from affidavit.redaction.text import redact_text
from redaction_table import (
    PLACE,
    PROGRAM,
    always_has,
    listed_rules,
    make_table,
    needed_words,
    outermost,
    parsed,
)
from secret_shapes import BY_HAND, shaped_lines

FEWEST_RULES = 300
"""Of a line for each rule, so many are believed by the scanner; others need more around them."""
OPTIONS = (
    *("scan", "--no-validate", "--no-update-check", "--no-rule-cache", "--no-extract-archives"),
    *("--git-history=none", "--no-dedup", "--no-ignore", "--quiet", "--jobs=1", "--format=json", "."),
)
WITHIN = ("private_key", "client_secret", "refresh_token")
"""What is secret in an object that the scanner reports whole."""


def scanned(folder: Path) -> list[dict[str, Any]]:
    """What the scanner finds in a folder with all of its rules, values included."""
    done = subprocess.run([PROGRAM, *OPTIONS], cwd=folder, capture_output=True, check=False, timeout=300)
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return findings


def test_the_table_has_the_rules_of_the_installed_scanner() -> None:
    table = json.loads(PLACE.read_text())
    assert table == make_table(listed_rules(), table["made_from"])


@pytest.mark.parametrize(
    ("pattern", "groups"),
    [
        ("a(b)c", [1]),
        ("a(b(c))(?:d(e))", [1, 3]),
        (r"[(](a)[]()](b)\((c)", [1, 2, 3]),
        ("(?i)(?P<x>a)(?i:(b))", [1, 2]),
        ("(?:a)", []),
    ],
)
def test_the_groups_of_a_pattern_are_counted_as_they_open(pattern: str, groups: list[int]) -> None:
    assert outermost(pattern) == groups


def test_whatever_the_scanner_finds_is_redacted(tmp_path: Path) -> None:
    lines = {**shaped_lines(rule for rule in listed_rules() if rule["visible"]), **BY_HAND}
    for name, text in lines.items():
        tmp_path.joinpath(name.replace("/", "_")).write_text(f"x = 1\n{text}\n")
    found = scanned(tmp_path)
    left = [
        (name_of(one["rule"]["id"]), one["finding"]["snippet"])
        for one in found
        if not _is_gone(one["finding"], tmp_path)
    ]
    assert left == []
    assert len({one["rule"]["id"] for one in found}) > FEWEST_RULES


@cache
def _redacted(file: Path) -> str:
    return redact_text(file.read_text())


def _is_gone(finding: dict[str, Any], folder: Path) -> bool:
    shown = _redacted(folder / finding["path"])
    lines = [line for line in finding["snippet"].split("\n") if line.strip() and "-----" not in line]
    if finding["snippet"].startswith("{"):
        lines = [line for line in lines if any(name in line for name in WITHIN)]
    return "REDACTED_" in shown and not any(line in shown for line in lines)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("ops_[a-z]{9}", ["ops_"]),
        ("(?i)(?:Alpha|BETA)[0-9]", ["alpha", "beta"]),
        ("a(?:bc)d[x]?longer?", ["longe"]),
        (r"\d{15}(\||%)", ["%", "|"]),
        ("[a-z]*", [""]),
    ],
)
def test_the_words_that_a_pattern_needs_are_in_all_that_it_matches(pattern: str, words: list[str]) -> None:
    assert needed_words(pattern) == words
    assert always_has(parsed(pattern), words)


def test_no_expression_is_passed_over_for_words_that_it_does_not_need() -> None:
    shapes = json.loads(PLACE.read_text())["shapes"]
    needing = [(pattern, words) for _, pattern, _, words in shapes]
    needing += [(way.pattern, way.words.split()) for way in WAYS] + [(NAME, WORDS.split())]
    assert [pattern for pattern, words in needing if not always_has(parsed(pattern), words)] == []
    assert not always_has(parsed(NAME), ["pass", "secret"])


def test_few_and_many_bytes_are_searched_by_the_same_expressions() -> None:
    rows = [(pattern, words) for _, pattern, _, words in json.loads(PLACE.read_text())["shapes"]]
    few, many = PatternSet(rows), PatternSet(rows)
    list(many.possible(b" " * FEW_BYTES))

    def matching(patterns: PatternSet, text: bytes) -> list[int]:
        return [number for number, pattern in patterns.possible(text) if pattern.search(text)]

    lines = list(shaped_lines(rule for rule in listed_rules() if rule["visible"]).values())
    assert sum(map(len, lines)) < FEW_BYTES
    found = [matching(few, line.encode()) for line in lines]
    assert found == [matching(many, line.encode()) for line in lines]
    assert len({number for each in found for number in each}) > FEWEST_RULES
