"""What is back: findings that nobody knew in the review before, and an older one of the series had named."""

from collections.abc import Sequence

from affidavit.proof.judging.likeness import SAME_WORDS, words_in_common
from affidavit.records.candidate import Candidate
from affidavit.records.iteration import IterationSummary, RememberedItem, Returned


def find_returned(fresh: Sequence[Candidate], history: Sequence[IterationSummary]) -> tuple[Returned, ...]:
    """Of the findings that are not in the review before, those that the memory has; none is back twice."""
    found: list[Returned] = []
    for candidate in fresh:
        taken = {one.key for one in found}
        known = _last_stood(candidate, history, taken)
        if known is not None:
            number, item = known
            found.append(Returned(now=candidate.id, key=item.key, review=number, times=item.times + 1))
    return tuple(found)


def _last_stood(
    candidate: Candidate, history: Sequence[IterationSummary], taken: set[str]
) -> tuple[int, RememberedItem] | None:
    """The newest review in which it stood: by its name, else, of a model's, by its file and words."""
    for is_same in (_has_same_name, _has_same_words):
        for summary in reversed(history):
            for item in summary.open:
                if item.key not in taken and is_same(candidate, item):
                    return summary.number, item
    return None


def _has_same_name(candidate: Candidate, item: RememberedItem) -> bool:
    return item.key in (candidate.fingerprint, *candidate.carries)


def _has_same_words(candidate: Candidate, item: RememberedItem) -> bool:
    """A model's rule and words are free; what an analyser says of one name it says of every other."""
    finding = candidate.finding
    if finding is None or candidate.kind == "mechanical":
        return False
    is_same_file = item.place.rpartition(":")[0] == finding.file
    return is_same_file and words_in_common(finding.title, item.title) >= SAME_WORDS
