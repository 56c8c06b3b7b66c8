"""List the rules of kingfisher that are on, what they mean, and why the others are off."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files

from affidavit.analysers.engine.rule import Rule, RuleMaker
from affidavit.records.finding import Category, Severity

_LISTED = json.loads(files("affidavit.analysers").joinpath("kingfisher_rules.json").read_bytes())
TOKENS: Sequence[str] = _LISTED["tokens"]
"""Values with a shape of their own, such as a prefix that nothing else has."""
CONNECTIONS: Sequence[str] = _LISTED["connections"]
"""Passwords in addresses and settings of services."""
KEYS: Sequence[str] = _LISTED["keys"]
OFF: Mapping[str, Sequence[str]] = _LISTED["off"]
"""Why a rule is off, and which ones are."""
VENDORS: Mapping[str, str] = _LISTED["vendors"]
"""How a vendor writes its name, by how the names of its rules begin."""
BETTERLEAKS, VELES, OWN = "betterleaks.", "veles.secrets/", "affidavit."


def identifier_of(name: str) -> str:
    """Return the name by which kingfisher knows a rule of these lists."""
    return name if name.startswith((VELES, OWN)) else BETTERLEAKS + name


def name_of(identifier: str) -> str:
    """Return the name of a rule of kingfisher's, without the collection that it comes from."""
    return identifier.removeprefix(BETTERLEAKS).removeprefix(VELES).removeprefix(OWN)


def _codes(names: Sequence[str]) -> str:
    return " ".join(map(name_of, names))


KINDS = ("webhook", "password", "cookie", "token", "secret", "key", "credentials")


def title_of(name: str) -> str:
    """Return the title of a token's rule: `Hard-coded GitHub token`."""
    start = next((start for start in VENDORS if name.startswith(start)), name.partition("-")[0])
    kind = next((kind for kind in KINDS if kind in name.removeprefix(start)), "token")
    return f"Hard-coded {VENDORS.get(start, start.capitalize())} {kind}"


_leaked = RuleMaker("kingfisher", category=Category.SECURITY, failing_input="Anybody who can read {file}.")
KINGFISHER_RULES: tuple[Rule, ...] = (
    *_leaked.each(
        {name: title_of(name) for name in map(name_of, TOKENS)},
        "They can use it, now or later.",
        "Take it from the environment. Revoke it if it was ever committed: the history keeps it.",
        severity=Severity.CRITICAL,
        in_tests=False,
    ),
    *_leaked(
        _codes(CONNECTIONS),
        "Hard-coded password in a connection address",
        "They can log in with it, now or later.",
        "Take it from the environment. Change it if it was ever committed: the history keeps it.",
        severity=Severity.CRITICAL,
        in_tests=False,
    ),
    *_leaked(
        _codes(KEYS),
        "Private key in the repository",
        "They can act as its owner, now or later.",
        "Keep it outside the repository. Replace it if it was ever committed: the history keeps it.",
        severity=Severity.HIGH,
        in_tests=False,
    ),
)
ON = tuple(map(identifier_of, (*TOKENS, *CONNECTIONS, *KEYS)))
