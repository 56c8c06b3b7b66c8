"""One thing that the tests lost between two sides, and the rules that name it."""

from dataclasses import dataclass

from affidavit.analysers.rule import Rule
from affidavit.records.finding import Category, Severity
from affidavit.records.record import Side

_OUTCOME = "What the test was there to notice is not noticed any more."


def _rule(name: str, title: str, meaning: str) -> Rule:
    return Rule(
        id=f"tests/{name}",
        severity=Severity.HIGH,
        category=Category.TEST,
        title=title,
        meaning=meaning,
        failing_input="A bug in the code under test.",
        wrong_outcome=_OUTCOME,
        suggestion="Restore the test as it was, and change the code under test instead.",
    )


TEST_RULES: tuple[Rule, ...] = (
    _rule("deleted", "Deleted tests of `{name}`", "The file and its tests are gone."),
    _rule("removed", "Removed test `{name}`", "No changed file has this test under another name."),
    _rule("skipped", "Skipped test: `{name}`", "The line keeps tests from being run."),
    _rule(
        "weakened",
        "Weakened test `{name}`",
        "It asserts less, never gets there, or asserts what always holds.",
    ),
    _rule("unselected", "Deselected tests: `{name}`", "The settings of the tests leave them out."),
)


@dataclass(frozen=True)
class Loss:
    """One thing that the tests lost."""

    rule: str
    path: str
    side: Side
    line: int
    end: int
    name: str
