"""Kingfisher: find passwords, tokens and private keys in added lines; no secret is tried."""

import json
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from affidavit.analysers.engine.analyser import Analyser, Canary, Inspection, Invocation
from affidavit.analysers.kingfisher_rules import KEYS, KINGFISHER_RULES, ON, OWN, name_of
from affidavit.analysers.kingfisher_values import ON_ORDER, named_part, place_of, split_tokens, why_no_secret
from affidavit.analysers.registry import listed
from affidavit.ports import Tree
from affidavit.records.change import Change
from affidavit.records.evidence import IN_NAME, AnalyserDiagnostic
from affidavit.redaction.forms import with_decoded
from affidavit.redaction.shapes import has_shape, scanner

CANARY_ID = "affidavit.canary"
CANARY_LINE = b"affidavit_canary_5d3a91c7"
OWN_FILE = "own-rules.yml"
# Examples are put together here, so that no scanner of this repository stumbles over them.
_KEY = "q7Zp2Lx9" * 5
_PRIVATE = "PRIVATE"
# As ADO.NET, ODBC and others have it: a server, a user or a database, a password. Quotes are doubled in YAML.
_PART = "[^;\"''<>\\r\\n]*;"
_CONNECTION = (
    rf"(?i)\b(?:server|data source|host|addr|address)\s?=\s?{_PART}(?:{_PART}){{0,10}}?"
    r"\s?(?:user id|userid|user name|username|user|uid|database|initial catalog)"
    rf"\s?=\s?{_PART}(?:{_PART}){{0,10}}?"
    "\\s?(?:password|pwd)\\s?=\\s?([^\\s;\"''<>]{3,200})"
)
_COMMENTED = (
    r"(-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----)"
    r"[\s\S]{0,300}?-----END[\s\S]{0,300}?[A-Za-z0-9+/]{40}"
)
OWN_RULES = f"""\
rules:
  - name: Read to its end
    id: {CANARY_ID}
    pattern: '\\b(affidavit_canary_[0-9a-f]{{8}})\\b'
    min_entropy: 0.0
    confidence: high
    examples: ["{CANARY_LINE.decode()}"]
  - name: A password in the address of a service, with the driver in its scheme
    id: affidavit.credential-uri
    pattern: '(?i)\\b[a-z][a-z0-9]{{1,20}}\\+[a-z0-9_]{{2,20}}://[^\\s:/@"<>]{{0,100}}:([^\\s/@"<>]{{3,200}})@[\\w.\\[-]'
    min_entropy: 2.0
    confidence: medium
    examples: ["postgresql+psycopg2://a:{_KEY[:12]}@db.b.io/c"]
  - name: A password in the address of a database
    id: affidavit.jdbc-password
    pattern: '(?i)\\bjdbc:[a-z0-9:]{{2,40}}//[^\\s"<>]{{1,300}}?[?&;](?:password|pwd)=([^\\s"&;<>]{{3,200}})'
    min_entropy: 2.0
    confidence: medium
    examples: ["jdbc:postgresql://db.b.io/c?user=a&password={_KEY[:12]}"]
  - name: A password in the settings of a database connection
    id: affidavit.connection-password
    pattern: '{_CONNECTION}'
    min_entropy: 2.0
    confidence: medium
    examples: ["Server=db.b.io;Database=c;User Id=a;Password={_KEY[:12]};"]
  - name: A private key with the mark of its end in a comment before its lines
    id: affidavit.commented-private-key
    pattern: '{_COMMENTED}'
    min_entropy: 0.0
    confidence: high
    examples: ["-----BEGIN {_PRIVATE} KEY-----\\n# -----END x\\n{_KEY}"]
  - name: An API key of Google in an address
    id: affidavit.google-key-in-address
    pattern: '[?&]key=(AIza[\\w-]{{35}})\\b'
    min_entropy: 3.0
    confidence: high
    examples: ["https://a.b/c?key=AIza{_KEY[:35]}&d=e"]
  - name: A secret access key of AWS
    id: affidavit.aws-secret-key
    pattern: '(?i)\\baws_?secret_?(?:access_?)?key["'']?\\s?[:=]\\s?["'']?([a-z0-9/+]{{40}})(?:[^\\w/+=]|$)'
    min_entropy: 4.0
    confidence: high
    examples: ["aws_secret_access_key = {_KEY[:20]}Ab3+{_KEY[:16]}"]
  - name: A webhook of Discord
    id: affidavit.discord-webhook
    pattern: '(https://(?:\\w{{1,10}}\\.)?discord(?:app)?\\.com/api/webhooks/\\d{{17,20}}/[\\w-]{{60,80}})'
    min_entropy: 3.0
    confidence: high
    examples: ["https://discord.com/api/webhooks/{"8" * 18}/{_KEY}{_KEY[:28]}"]
""".encode()


BLOCKS = frozenset(map(name_of, KEYS)) | {
    "gcp-service-account",
    "gcp-application-default-credentials",
}
"""Secrets of several lines."""
IN_BLOCKS = re.compile(rb"(?i)-----begin|\"private_key\"|\"client_secret\"")
"""In every text that the rules of blocks match, which the table of shapes does not have."""
BUILT_IN = frozenset(name_of(rule) for rule in ON if not rule.startswith(OWN))
MANY_BYTES = 200_000
"""Kingfisher searches more text than this sooner than Python."""
ALL = "--load-builtins=true"
MOST_RULES = 8
"""No value is reported by more rules than this."""


def invoke_kingfisher(_base: Tree, _paths: Sequence[str]) -> Invocation:
    """Run our rules only, without network, history or archives; secrets are not printed."""
    return Invocation(
        (
            "scan",
            "--no-validate",
            "--no-update-check",
            "--no-rule-cache",
            "--no-extract-archives",
            "--git-history=none",
            "--no-dedup",
            # A change that brings a secret must not excuse it.
            "--no-ignore",
            "--redact",
            "--quiet",
            "--jobs=1",
            "--format=json",
            ALL,
            f"--rules-path=../{OWN_FILE}",
            f"--rule={CANARY_ID}",
            *(f"--rule={rule}" for rule in ON),
            ".",
        ),
        outside={OWN_FILE: OWN_RULES},
    )


def own_rules_if_enough(arguments: Sequence[str], version: str, texts: Sequence[bytes]) -> Sequence[str]:
    """Leave out the built-in rules, which take long to load, where none of them matches."""
    if sum(map(len, texts)) > MANY_BYTES or scanner() != f"kingfisher {version}":
        return arguments
    decoded = chain.from_iterable(map(with_decoded, texts))
    if any(IN_BLOCKS.search(text) or has_shape(text, BUILT_IN) for text in decoded):
        return arguments
    builtin = {f"--rule={rule}" for rule in ON if not rule.startswith(OWN)}
    return ["--load-builtins=false" if one == ALL else one for one in arguments if one not in builtin]


def read_kingfisher(text: str) -> list[AnalyserDiagnostic]:
    """Read the findings without their values; a value that several rules find counts once."""
    rows = [(row["rule"], row["finding"]) for row in json.loads(text)["findings"]]
    rows.sort(key=lambda row: (row[1]["path"], row[1]["line"], ON_ORDER.get(row[0]["id"], 0)))
    kept: list[tuple[Any, Any]] = []
    for rule, found in rows:
        if not any(_is_same_value(found, other) for _, other in kept[-MOST_RULES:]):
            kept.append((rule, found))
    return [_diagnostic(rule, found) for rule, found in kept]


def _is_same_value(one: Any, other: Any) -> bool:
    return (
        (one["path"], one["line"]) == (other["path"], other["line"])
        and one["column_start"] <= other["column_end"]
        and other["column_start"] <= one["column_end"]
    )


def _diagnostic(rule: Any, found: Any) -> AnalyserDiagnostic:
    return AnalyserDiagnostic(
        rule=f"kingfisher/{name_of(rule['id'])}",
        message=rule["description"].rstrip("."),
        path=found["path"],
        line=found["line"],
        column=found["column_start"] + 1,
    )


def find_in_parts(path: str, text: str) -> Iterator[AnalyserDiagnostic]:
    """Find tokens that are written in parts, which the scanner does not put together as redaction does.

    Only these have an `end_line`.
    """
    for one in split_tokens(text.encode()):
        yield AnalyserDiagnostic(
            rule=f"kingfisher/{one.name}",
            message="A token that is written in parts",
            path=path,
            line=one.line,
            end_line=one.end_line,
            column=one.column,
        )


def may_be_new(diagnostic: AnalyserDiagnostic, change: Change) -> bool:
    """Return False for a secret in a line that was there before, in a file that kept its name."""
    file = change.file_at(diagnostic.path)
    is_one_line = diagnostic.end_line is None and diagnostic.rule.partition("/")[2] not in BLOCKS
    is_compared = file is not None and bool(file.hunks) and file.old_path is None
    if file is None or not is_compared or not is_one_line or diagnostic.line == IN_NAME:
        return True
    return diagnostic.line in file.changed_lines("head")


def judge_kingfisher(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    """Return why a secret is not a finding: the change did not add it, or it is a placeholder."""
    file = inspection.change.file_at(diagnostic.path)
    place = place_of(diagnostic, inspection.head)
    if file is None or place is None:
        return "the file is not part of the change"
    name = diagnostic.rule.partition("/")[2]
    if diagnostic.line == IN_NAME:
        part = named_part(diagnostic)
        before = inspection.base.entries()
        if any(path == part or path.startswith(f"{part}/") for path in before):
            return "the name was there before the change"
    # The parts may be older than the change that joins them: the value says whether it is new.
    elif file.hunks and diagnostic.end_line is None:
        height = place.block.count("\n") + 1 if name in BLOCKS else 1
        rule = inspection.rules[diagnostic.rule]
        was_silent = file.old_path is not None and not rule.counts_at(file.old_path)
        lines = range(diagnostic.line, diagnostic.line + height)
        if not was_silent and set(file.changed_lines("head")).isdisjoint(lines):
            return "the line was there before the change"
    return why_no_secret(name, place)


def join_names(diagnostics: Sequence[AnalyserDiagnostic]) -> list[AnalyserDiagnostic]:
    """Report a secret in the name of a folder once, however many files the folder has."""
    kept: dict[Hashable, AnalyserDiagnostic] = {}
    for number, one in enumerate(diagnostics):
        kept.setdefault((one.rule, named_part(one)) if one.line == IN_NAME else number, one)
    return list(kept.values())


def identify_secret(diagnostic: AnalyserDiagnostic, tree: Tree) -> Hashable:
    """Return the value: the same value at another place is not new."""
    place = place_of(diagnostic, tree)
    if place is None:
        return None
    return place.block if diagnostic.rule.partition("/")[2] in BLOCKS else place.login or place.token


KINGFISHER = Analyser(
    **listed("kingfisher"),
    executable="kingfisher",
    invoke=invoke_kingfisher,
    read_output=read_kingfisher,
    rules={rule.id: replace(rule, counts_in_examples=False) for rule in KINGFISHER_RULES},
    elsewhere="take it from https://github.com/mongodb/kingfisher/releases",
    subject="passwords, tokens and private keys in added lines",
    version_tried="2.14.0",
    distribution="kingfisher-bin",
    join=join_names,
    adds=find_in_parts,
    judge=judge_kingfisher,
    may_be_new=may_be_new,
    identify=identify_secret,
    # 200: something was found.
    accepted_exit_codes=frozenset({0, 200}),
    lighten=own_rules_if_enough,
    compiled_rules=("--no-rule-cache", "--rule-cache-dir="),
    canary=Canary(f"kingfisher/{name_of(CANARY_ID)}", CANARY_LINE),
)
