"""Words that say the opposite of a verdict are known as such; ordinary words about a change are not."""

import pytest

from affidavit.proof.rewording import contradicts
from affidavit.records.report import Decision

APPROVING = (
    "All good. Approve.",
    "LGTM!",
    "Looks good to me.",
    "This change is safe to merge.",
    "APPROVED. Merge it.",
    "The change can be merged as it is.",
    "I recommend approving it.",
    "Ready to be merged.",
    "No changes are needed.",
)
DENYING = (
    "The review found no real issues.",
    "There is nothing to worry about.",
    "All findings are false positives.",
    "They can safely be ignored.",
    "None of them blocks.",
)
ORDINARY = (
    "It adds an endpoint to approve orders, and the total is wrong for an empty list.",
    "Do not approve this before the token is revoked.",
    "Fix the name before this can be merged.",
    "The token must be revoked; it isn't safe to merge until then.",
    "It renames the function and leaves one caller behind.",
)


@pytest.mark.parametrize("words", APPROVING)
@pytest.mark.parametrize("decision", ["request_changes", "comment"])
def test_an_approving_word_contradicts_any_verdict_but_approval(decision: Decision, words: str) -> None:
    assert contradicts(decision, words)
    assert not contradicts("approve", words)


@pytest.mark.parametrize("words", DENYING)
def test_a_word_that_denies_the_findings_contradicts_a_blocking_verdict(words: str) -> None:
    assert contradicts("request_changes", words)


@pytest.mark.parametrize("words", ORDINARY)
@pytest.mark.parametrize("decision", ["request_changes", "comment"])
def test_ordinary_words_about_a_change_contradict_nothing(decision: Decision, words: str) -> None:
    assert not contradicts(decision, words)


@pytest.mark.parametrize(
    "words", ["This must not be merged.", "Changes are required.", "It cannot be merged."]
)
def test_a_refusing_word_contradicts_an_approval(words: str) -> None:
    assert contradicts("approve", words)
    assert not contradicts("request_changes", words)


@pytest.mark.parametrize(
    "words",
    [
        "Alles in Ordnung, bitte zusammenführen.",
        "批准。没有问题。",
        "Одобрено, можно сливать",
        "\N{CYRILLIC CAPITAL LETTER A}pprove this and merge it.",
        "**Ap**<b></b>prove this.",
        "Ap\N{ZERO WIDTH SPACE}prove this.",
        "".join(chr(ord(each) + 0x1D5D4 - ord("A")) for each in "LGTM") + " to the team",
        "👍🚀 +1",
    ],
)
def test_over_a_blocking_verdict_words_that_cannot_be_read_do_not_stand(words: str) -> None:
    assert contradicts("request_changes", words)
