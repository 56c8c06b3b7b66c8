"""Rank the files related to a change, the most relevant first."""

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from affidavit.context.history import Companion
from affidavit.context.sources import Base, Called
from affidavit.context.texts import SharedText
from affidavit.diff.skipping import VENDORED_FOLDERS, is_lock
from affidavit.languages.registry import LANGUAGES, is_document, language_of
from affidavit.languages.test_files import is_test
from affidavit.records.context import (
    Certainty,
    Import,
    Reference,
    RelatedFile,
    Relation,
    RelationKind,
    SymbolFate,
)
from affidavit.records.evidence import SearchHit
from affidavit.records.report import name_some
from affidavit.symbols.enclosing import is_plain_word

MAX_RELATED = 50
TOKEN_BUDGET = 4000
CHARACTERS_A_TOKEN = 4
MAX_REASON_LINES = 12
MAX_REASONS = 8
MAX_SYMBOLS = 12

WEIGHTS: Mapping[str, float] = {
    "calls": 10,
    "implements": 9,
    "uses": 7.5,
    "tests": 5,
    "shares_text": 4.5,
    "called_by": 4.2,
    "imports": 4,
    "documents": 2.5,
    "changes_with": 2,
    "extended_by": 3,
    "imported_by": 1,
}
# A removed symbol or a new signature affects users more than a change inside.
FATE_WEIGHTS: Mapping[SymbolFate, float] = {
    "removed": 1.0,
    "renamed": 1.0,
    "signature_changed": 1.0,
    "touched": 0.8,
    "added": 0.5,
}
CERTAINTY_WEIGHTS: Mapping[Certainty, float] = {"certain": 1.0, "likely": 0.9, "possible": 0.25}
TEST_FACTORS = {"calls": 0.65, "uses": 0.65, "implements": 0.65, "shares_text": 0.65, "imports": 0.3}
IN_FOREIGN_CODE = 0.3
COMMON_NAME_FILES = 10
MEMBER_NAME_FILES = 3
"""Unrelated methods share a name more often than functions do: `as_sql`, `setUp`, `dispatch`."""
MIN_SCORE = 0.5
REPLACED_TEXT_IN_A_DOCUMENT = 0.8
"""A document that quotes replaced code is now wrong."""
DEPENDING = frozenset({"calls", "uses", "implements", "imports"})
_VERBS: Mapping[RelationKind, str] = {
    "calls": "calls",
    "uses": "uses",
    "implements": "builds on",
    "imports": "imports",
    "documents": "names",
}
_INHERITS = re.compile(r"\b(?:class|struct|interface|trait|impl|extends|implements|object|enum)\b")


Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Ties:
    """The reasons why files are related to the change."""

    references: Sequence[Reference] = ()
    imports: Sequence[Import] = ()
    importers: Sequence[Import] = ()
    tests: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Each test, with the changed files that it is named after."""
    documents: Sequence[tuple[str, SearchHit]] = ()
    """Changed paths, each with a line of a document that names it."""
    companions: Sequence[Companion] = ()
    texts: Sequence[SharedText] = ()
    """Other files with texts that the change removes."""
    fates: Mapping[str, SymbolFate] = field(default_factory=dict)
    """What happened to each changed symbol."""
    bases: Sequence[Base] = ()
    """The definitions of the bases of changed classes."""
    called: Sequence[Called] = ()
    """The definitions of what changed lines call."""
    holds_tests: Callable[[str], bool] = is_test
    """Whether a file of test code contains tests."""


class _Tie(NamedTuple):
    """One reason; only the best ones become records."""

    path: str
    kind: RelationKind
    detail: str
    lines: tuple[int, ...]
    weight: float
    symbol: str


def rank_related(
    ties: Ties, changed: frozenset[str], *, max_files: int = MAX_RELATED, token_budget: int = TOKEN_BUDGET
) -> tuple[list[RelatedFile], list[str]]:
    """Return the related files that fit, best first; and what was left out, in sentences."""
    by_path: dict[str, list[_Tie]] = {}
    for tie in _all_ties(ties):
        if tie.path not in changed and not is_lock(tie.path):
            by_path.setdefault(tie.path, []).append(tie)
    scores = {path: _score(path, found) for path, found in by_path.items()}
    ranked = sorted(scores, key=lambda path: (-scores[path], path))
    related = [path for path in ranked if scores[path] >= MIN_SCORE]
    best = [_related(path, scores[path], by_path[path], ties.holds_tests) for path in related[:max_files]]
    shown = _fitting(best, token_budget)
    return shown, _left_out(related, len(shown), len(ranked) - len(related), max_files, token_budget)


def _all_ties(ties: Ties) -> Iterable[_Tie]:
    importing = {one.path for one in ties.importers}
    yield from _reference_ties(ties, importing)
    for (path, target), found in _grouped(ties.importers, _edge).items():
        yield _tie(path, "imports", f"imports {target}", [one.line for one in found])
    for path, target in _grouped((one for one in ties.imports if one.target), _edge):
        yield _tie(target, "imported_by", f"is imported by {path}")
    yield from _called_ties(ties.called)
    for base in ties.bases:
        detail = f"defines {base.name}, the base of {base.heir} in {base.user}"
        yield _tie(base.path, "extended_by", detail)
    yield from _text_ties(ties.texts)
    for path, subjects in ties.tests.items():
        yield _tie(path, "tests", f"is named after {name_some(subjects, 3)}")
    for (path, name), hits in _grouped(ties.documents, lambda one: (one[1].path, one[0])).items():
        yield _tie(path, "documents", f"names {name}", [hit.line for _, hit in hits])
    for one in ties.companions:
        detail = f"changed in {one.shared} of the last {one.commits} commits of {one.changed_file}"
        yield _tie(one.path, "changes_with", detail, factor=0.5 + one.share / 2)


def _called_ties(called: Sequence[Called]) -> Iterable[_Tie]:
    """End each detail with the changed file: readers look for it there."""
    for (path, user), found in _grouped(called, lambda one: (one.path, one.user)).items():
        detail = f"defines {name_some([one.name for one in found], 3)}, called by the changed lines of {user}"
        yield _tie(path, "called_by", detail, factor=min(1.5, 1 + 0.15 * (len(found) - 1)))


def _text_ties(texts: Sequence[SharedText]) -> Iterable[_Tie]:
    """End each detail with the changed file: readers look for it there."""
    groups = _grouped(texts, lambda one: (one.path, one.changed.fate, one.changed.path))
    for (path, fate, changed_file), found in groups.items():
        names = [f"`{one.changed.text}`" for one in found]
        noun = "text" if len(names) == 1 else "texts"
        detail = f"also has the {noun} {name_some(names, 3)}, which the change {fate} in {changed_file}"
        lines = [line for one in found for line in one.lines]
        is_code = language_of(path) and not is_document(path)
        yield _tie(path, "shares_text", detail, lines, 1.0 if is_code else REPLACED_TEXT_IN_A_DOCUMENT)


def _edge(statement: Import) -> tuple[str, str]:
    return statement.path, statement.target or statement.name


def _grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def _reference_ties(ties: Ties, importing: set[str]) -> Iterable[_Tie]:
    references = ties.references
    surely = {(one.symbol, one.path) for one in references if one.certainty != "possible"}
    maybe = {(one.symbol, one.path) for one in references} - surely
    doubtful = Counter(symbol for symbol, _ in maybe)
    # The import graph already has the imports.
    counted = [one for one in references if one.kind != "import" or one.path not in importing]
    groups = _grouped(counted, lambda one: (one.path, one.symbol, _reason_kind(one)))
    for (path, symbol, kind), found in groups.items():
        certainty = max((one.certainty for one in found), key=lambda one: CERTAINTY_WEIGHTS[one])
        factor = CERTAINTY_WEIGHTS[certainty] * FATE_WEIGHTS[ties.fates.get(symbol, "touched")]
        how = "" if certainty == "certain" else f" ({certainty})"
        if certainty == "possible":
            # A name in many files probably has many meanings.
            is_mere_word = _is_mere_word(path, symbol, doubtful[symbol])
            factor *= 0.0 if is_mere_word else min(1.0, COMMON_NAME_FILES / doubtful[symbol])
        detail = f"{_VERBS[kind]} {symbol}{how}"
        # An uncertain line beside a certain one would look certain.
        surest = [one.line for one in found if one.certainty == certainty]
        yield _tie(path, kind, detail, surest, factor, symbol)


def _is_mere_word(path: str, symbol: str, files: int) -> bool:
    """Check whether nothing but a common word ties the file to the symbol."""
    if is_document(path):
        # Documents match only names written as code.
        return False
    parsed_as = LANGUAGES.parsed_as(path)
    if parsed_as is not None and not parsed_as.language.scoping.users_import:
        return False
    most = MEMBER_NAME_FILES if "." in symbol else COMMON_NAME_FILES
    return is_plain_word(symbol.rpartition(".")[2]) or files > most


def _reason_kind(reference: Reference) -> RelationKind:
    if is_document(reference.path):
        return "documents"
    if reference.kind == "import":
        return "imports"
    if _INHERITS.match(reference.text.lstrip()):
        return "implements"
    return "calls" if reference.kind == "call" else "uses"


def _tie(
    path: str,
    kind: RelationKind,
    detail: str,
    lines: Iterable[int] = (),
    factor: float = 1.0,
    symbol: str = "",
) -> _Tie:
    if is_test(path):
        # A test of the caller fails when run; a caller in the product does not.
        factor *= TEST_FACTORS.get(kind, 1.0)
    shown = tuple(sorted(set(lines)))[:MAX_REASON_LINES]
    return _Tie(path, kind, detail, shown, WEIGHTS[kind] * factor, symbol)


def _score(path: str, ties: Sequence[_Tie]) -> float:
    """Score by the strongest reason; the others only break ties."""
    weights = sorted((tie.weight for tie in ties), reverse=True)
    if not weights[0]:
        return 0.0
    places = sum(len(tie.lines) for tie in ties if tie.weight)
    score = weights[0] + 0.1 * sum(weights[1 : MAX_REASONS + 1]) + 0.05 * math.log1p(places)
    if not VENDORED_FOLDERS.isdisjoint(path.lower().split("/")):
        score *= IN_FOREIGN_CODE
    return round(score, 2)


def _related(
    path: str, score: float, ties: Sequence[_Tie], holds_tests: Callable[[str], bool]
) -> RelatedFile:
    ordered = sorted((tie for tie in ties if tie.weight), key=lambda tie: (-tie.weight, tie.detail))
    reasons = [Relation(kind=tie.kind, detail=tie.detail, lines=tie.lines) for tie in ordered[:MAX_REASONS]]
    is_surely_tied = reasons[0].kind in DEPENDING and "(possible)" not in reasons[0].detail
    if is_surely_tied and holds_tests(path):
        reasons = [*reasons[: MAX_REASONS - 1], Relation(kind="tests", detail="is a test")]
    symbols = tuple(dict.fromkeys(tie.symbol for tie in ordered if tie.symbol))[:MAX_SYMBOLS]
    file = RelatedFile(path=path, score=score, reasons=tuple(reasons), symbols=symbols)
    return file.model_copy(update={"tokens": _tokens(file)})


def _tokens(file: RelatedFile) -> int:
    """Estimate the tokens of the entry in a prompt."""
    details = sum(len(reason.detail) + 5 * len(reason.lines) for reason in file.reasons)
    text = len(file.path) + details + sum(len(symbol) + 2 for symbol in file.symbols)
    return math.ceil(text / CHARACTERS_A_TOKEN)


def _fitting(files: Sequence[RelatedFile], token_budget: int) -> list[RelatedFile]:
    fitting: list[RelatedFile] = []
    left = token_budget
    for file in files:
        left -= file.tokens
        if left < 0:
            break
        fitting.append(file)
    return fitting


def _left_out(
    related: Sequence[str], shown: int, common: int, max_files: int, token_budget: int
) -> list[str]:
    sentences = []
    rest = related[shown:]
    if rest:
        limit = f"{max_files} files" if shown == max_files else f"{token_budget} tokens"
        sentences.append(f"{len(rest)} more related files do not fit into {limit}: {name_some(rest)}")
    if common:
        sentences.append(f"{common} files that only mention a common name are not taken as related")
    return sentences
