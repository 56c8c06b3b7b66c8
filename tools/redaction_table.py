"""Write the table of secrets' shapes that the package redacts by: from the scanner's rules to shapes.json.

Run it after an update of kingfisher: `python tools/redaction_table.py`.
"""

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from re import _constants, _parser
from typing import Any

import re2

PLACE = Path(__file__).parents[1] / "src/affidavit/redaction/shapes.json"
PROGRAM = Path(sys.executable).with_name("kingfisher")
HELPERS_THAT_ARE_SECRETS = (
    "alibaba-sts-security-token",
    "aws-secret-access-key",
    "exoscale-api-secret",
    "ovh-consumer-key",
    "polymarket-api-secret",
    "polymarket-passphrase",
)
"""Rules that kingfisher uses beside another one only, and does not report; what they find opens doors."""
OTHERWISE = (
    "gcp-application-default-credentials",
    "gcp-service-account",
    "hashicorp-tf-password",
    "kubernetes-secret-yaml",
    "private-key",
)
"""Found by names and by blocks: more of it, and of an object only what is secret in it."""
WHOLE = ("jwt-base64", "microsoft-teams-webhook")
"""Groups in these are no secrets by themselves."""
GROUPS = {"azure-app-configuration-connection-string": [3], "sonar-api-token": [2]}
SECRET_GROUPS = ("password", "GIT_PASSWORD", "TOKEN")
END = r"""(?:\\?['"\x60]|[\s;]|\\[nr]|$)"""
WIDER_END = "(?:[^0-9A-Za-z_-]|$)"
"""The same and more: a bracket, a comma or a mark of a markup ends a value, too."""


def name_of(rule: str) -> str:
    """The name of a rule without the list that it comes from."""
    return rule.removeprefix("betterleaks.").removeprefix("veles.secrets/")


def written_pattern(pattern: str) -> str:
    """The pattern in the syntax of RE2, which has neither free spacing nor counts beyond a thousand."""
    return pattern.removeprefix("(?x)").replace("{16,2048}", "{16,}").replace(END, WIDER_END)


def hidden_groups(name: str, pattern: str) -> list[int]:
    """Which groups of a pattern are the secret; 0 is all of it."""
    if name in GROUPS or name in WHOLE:
        return GROUPS.get(name, [0])
    compiled = re2.compile(pattern)
    named = [compiled.groupindex[group] for group in SECRET_GROUPS if group in compiled.groupindex]
    if named:
        return named[:1]
    return outermost(pattern) or [0]


def outermost(pattern: str) -> list[int]:
    """The numbers of the groups that lie in no other group."""
    found: list[int] = []
    opened: list[bool] = []
    number = at = 0
    in_class = False
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            at += 2
            continue
        if in_class:
            in_class = sign != "]"
        elif sign == "[":
            in_class = True
            at += pattern[at + 1 : at + 2] == "^"
            at += pattern[at + 1 : at + 2] == "]"
        elif sign == "(":
            captures = pattern[at + 1 : at + 2] != "?" or pattern[at + 2 : at + 4] == "P<"
            number += captures
            if captures and not any(opened):
                found.append(number)
            if not pattern.startswith(("(?i)", "(?s)"), at):
                opened.append(captures)
            else:
                at += 3
        elif sign == ")":
            opened.pop()
        at += 1
    return found


REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
LONG_ENOUGH = 4
"""A longer word is not better: it is not rarer in a text that has no secret."""


def parsed(pattern: str) -> Sequence[Any]:
    """The parts of a pattern; which of them ignore case does not matter for words in lower case."""
    plain = re.sub(r"\(\?[ims]+\)", "", pattern)
    with warnings.catch_warnings(action="ignore"):
        return _parser.parse(re.sub(r"\(\?[ims]+:", "(?:", plain).replace(r"\z", r"\Z"))


def word_sets(parts: Sequence[Any]) -> Iterator[set[str]]:
    """Sets of words in lower case: whatever matches the parts has at least one word of each set."""
    run = ""
    for kind, value in [*parts, (None, None)]:
        if kind is _constants.LITERAL:
            run += chr(value).lower()
            continue
        if kind is _constants.SUBPATTERN and all(one is _constants.LITERAL for one, _ in value[3]):
            run += "".join(chr(sign).lower() for _, sign in value[3])
            continue
        if kind is _constants.AT:
            continue
        if run:
            yield {run}
        run = ""
        if kind is _constants.SUBPATTERN:
            yield from word_sets(value[3])
        elif kind in REPEATS and value[0] > 0:
            yield from word_sets(value[2])
        elif kind is _constants.BRANCH:
            each = [rarest(word_sets(one)) for one in value[1]]
            if all(each):
                yield set().union(*each)
        elif kind is _constants.IN and all(one is _constants.LITERAL for one, _ in value):
            yield {chr(sign).lower() for _, sign in value}


def rarest(found: Iterator[set[str]]) -> set[str]:
    """The set whose words are the rarest in other texts; empty if there is none."""

    def rarity(words: set[str]) -> tuple[int, int, int, list[str]]:
        shortest = min(map(len, words))
        return min(shortest, LONG_ENOUGH), -len(words), shortest, sorted(words)

    return max(found, key=rarity, default=set())


def needed_words(pattern: str) -> list[str]:
    """Words in lower case, one of which is in every text that the pattern matches."""
    return sorted(rarest(word_sets(parsed(pattern)))) or [""]


def always_has(parts: Sequence[Any], words: Sequence[str]) -> bool:
    """Whether whatever matches the parts has one of the words, in any case."""
    inner = [
        value[3] if kind is _constants.SUBPATTERN else value[2]
        for kind, value in parts
        if kind is _constants.SUBPATTERN or (kind in REPEATS and value[0] > 0)
    ]
    branches = [value[1] for kind, value in parts if kind is _constants.BRANCH]
    return (
        "" in words
        or any(all(any(word in one for word in words) for one in found) for found in word_sets(parts))
        or any(always_has(each, words) for each in inner)
        or any(all(always_has(one, words) for one in each) for each in branches)
    )


def make_table(rules: list[dict[str, Any]], version: str) -> dict[str, Any]:
    """The table: each rule by its name, its pattern, the groups that are hidden, and words that it needs."""
    shapes = []
    for rule in rules:
        name = name_of(rule["id"])
        if (rule["visible"] or name in HELPERS_THAT_ARE_SECRETS) and name not in OTHERWISE:
            pattern = written_pattern(rule["pattern"])
            shapes.append([name, pattern, hidden_groups(name, pattern), needed_words(pattern)])
    return {"made_from": version, "shapes": shapes}


def listed_rules() -> list[dict[str, Any]]:
    """What the installed scanner knows."""
    done = subprocess.run(
        [PROGRAM, "rules", "list", "--format", "json", "--quiet"], check=True, capture_output=True
    )
    rules: list[dict[str, Any]] = json.loads(done.stdout)
    return rules


def main() -> None:
    """Write the file anew."""
    version = subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout
    table = make_table(listed_rules(), version.strip())
    rows = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in table["shapes"])
    made_from = json.dumps(table["made_from"])
    PLACE.write_text(f'{{\n "made_from": {made_from},\n "shapes": [\n{rows}\n ]\n}}\n')


if __name__ == "__main__":
    main()
