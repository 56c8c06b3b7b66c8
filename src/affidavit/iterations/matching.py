"""Match the findings of a review with the earlier ones, by place, quoted code and words."""

import re
from collections.abc import Callable, Sequence
from functools import partial

from affidavit.iterations.trace import Trace, own_code
from affidavit.proof.quotes import fold
from affidavit.proof.sameness import (
    SAME_WORDS,
    SIMILAR_WORDS,
    Distance,
    is_alike,
    likeness,
    lines_apart,
    names_of,
    pair,
    words_in_common,
)
from affidavit.records.candidate import Candidate
from affidavit.records.finding import NEAR_LINES, Finding
from affidavit.records.iteration import EarlierFinding, IterationSummary, RememberedItem, Returned

SAME_CODE = 12
"""Characters that two quotes must share to be called the same code."""
_NAME = re.compile(r"`([^`]+)`|\"([^\"]+)\"|'([^']+)'")
_DEFINES = re.compile(r"\b(?:def|class|fn|func|function|interface|struct|type)\s+(?P<name>\w+)")


def match_findings(
    earlier: Sequence[EarlierFinding], traces: Sequence[Trace], candidates: Sequence[Candidate]
) -> dict[int, Candidate]:
    """Map the position of an earlier finding to the new candidate that is the same problem."""
    free = [one for one in candidates if one.finding]
    free.sort(key=lambda one: one.id)
    checks = (_has_same_name, _is_same_claim, _is_same_place)
    return pair(
        list(zip(earlier, traces, strict=True)),
        free,
        [partial(_distance, is_pair) for is_pair in checks],
    )


def fingerprints_of(one: EarlierFinding) -> frozenset[str]:
    return names_of(one.candidate) | ({one.key} - {""})


def _has_same_name(one: EarlierFinding, _trace: Trace, other: Candidate) -> bool:
    names = fingerprints_of(one) | {place.fingerprint for place in one.places}
    return other.fingerprint in names and _is_by_same_kind(one, other)


def _is_same_claim(one: EarlierFinding, trace: Trace, other: Candidate) -> bool:
    """Check for the same code and words, or the same rule of the same analyser."""
    then, now = one.candidate.finding, other.finding
    if then is None or now is None or then.side != now.side or not _is_by_same_kind(one, other):
        return False
    is_same_code = _shares_code(one.candidate, other) or (_is_there(trace, now) and trace.is_somewhere)
    if one.candidate.kind == "mechanical":
        is_same_code = is_same_code or _is_same_line(one.candidate, other)
        is_same_words = then.rule_id == now.rule_id and _subject(one.candidate) == _subject(other)
        return is_same_words and is_same_code and now.file == trace.path
    return is_same_code and is_alike(then, now)


def _is_same_place(one: EarlierFinding, trace: Trace, other: Candidate) -> bool:
    """Check for the same lines and the same kind of problem."""
    then, now = one.candidate.finding, other.finding
    if then is None or now is None or not _is_by_same_kind(one, other) or not trace.is_somewhere:
        return False
    if one.candidate.kind == "mechanical":
        return then.rule_id == now.rule_id and trace.outcome == "changed" and _is_there(trace, now)
    is_alike = then.category == now.category and likeness(then, now) >= SIMILAR_WORDS / 2
    return then.side == now.side and _is_there(trace, now) and is_alike


def _is_by_same_kind(one: EarlierFinding, other: Candidate) -> bool:
    """Check for the same analyser, or for two models."""
    if one.candidate.kind == "mechanical" or other.kind == "mechanical":
        return one.candidate.kind == other.kind and one.candidate.specialist == other.specialist
    return True


def _is_there(trace: Trace, now: Finding) -> bool:
    return now.file == trace.path and lines_apart((trace.start, trace.end), now.lines) <= NEAR_LINES


def _shares_code(one: Candidate, other: Candidate) -> bool:
    """Check whether one quote contains the other, white space folded."""
    texts = [fold(each.quote.code) if each.quote else "" for each in (one, other)]
    shorter, longer = sorted(texts, key=len)
    return len(shorter) >= SAME_CODE and shorter in longer


def _is_same_line(one: Candidate, other: Candidate) -> bool:
    """Compare the lines that the findings are about, without the quoted context."""
    texts = [fold(own_code(each)) for each in (one, other)]
    return texts[0] != "" and texts[0] == texts[1]


def is_about_another(one: Candidate, other: Candidate) -> bool:
    """Check whether two findings make the same claim about different names."""
    then, now = _subject(one), _subject(other)
    return then[0] == now[0] and then[1] != now[1]


def _subject(candidate: Candidate) -> tuple[str, list[str]]:
    """Return the title without names and numbers, and the names; skip renamed definitions."""
    title = candidate.finding.title if candidate.finding else ""
    defined = {match["name"] for match in _DEFINES.finditer(own_code(candidate))}
    names = ["".join(match.groups("")) for match in _NAME.finditer(title)]
    kept = [name for name in names if name not in defined and re.search(r"[^\W\d]", name)]
    return re.sub(r"\d+", "0", _NAME.sub("``", title)), kept


def _distance(
    is_pair: Callable[[EarlierFinding, Trace, Candidate], bool],
    then: tuple[EarlierFinding, Trace],
    other: Candidate,
) -> Distance | None:
    (one, trace), now = then, other.finding
    if not is_pair(one, trace, other) or is_about_another(one.candidate, other):
        return None
    return (now.file != trace.path, abs(now.line - trace.start)) if now else (True, 0)


def find_returned(fresh: Sequence[Candidate], history: Sequence[IterationSummary]) -> tuple[Returned, ...]:
    """Find new findings that an older review of the series had."""
    found: list[Returned] = []
    for candidate in fresh:
        taken = {one.key for one in found}
        known = _last_review_with(candidate, history, taken)
        if known is not None:
            number, item = known
            found.append(Returned(now=candidate.id, key=item.key, review=number, times=item.times + 1))
    return tuple(found)


def _last_review_with(
    candidate: Candidate, history: Sequence[IterationSummary], taken: set[str]
) -> tuple[int, RememberedItem] | None:
    """Return the newest review that had it: by name, else for a model's finding by file and words."""
    for is_same in (_has_same_key, _has_same_words):
        for summary in reversed(history):
            for item in summary.open:
                if item.key not in taken and is_same(candidate, item):
                    return summary.number, item
    return None


def _has_same_key(candidate: Candidate, item: RememberedItem) -> bool:
    return item.key in names_of(candidate)


def _has_same_words(candidate: Candidate, item: RememberedItem) -> bool:
    """Compare file and words; an analyser uses the same words for every name."""
    finding = candidate.finding
    if finding is None or candidate.kind == "mechanical":
        return False
    is_same_file = item.place.rpartition(":")[0] == finding.file
    return is_same_file and words_in_common(finding.title, item.title) >= SAME_WORDS
