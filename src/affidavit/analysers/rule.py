"""What one rule of an analyser means to the user: how bad it is, what happens, what to do."""

import re
from dataclasses import dataclass

from affidavit.records.candidate import Worth
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

QUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Rule:
    """One rule. The texts are templates over `{message}`, `{name}`, `{second}`, `{file}` and `{line}`."""

    id: str
    severity: Severity
    category: Category
    worth: Worth
    title: str
    meaning: str
    """What it means for the user, in a sentence."""
    failing_input: str
    wrong_outcome: str
    suggestion: str
    equivalents: tuple[str, ...] = ()
    """Rules of other analysers that report the same problem."""
    raises: tuple[str, ...] = ()
    """The exceptions that it leads to; code that expects one of them is left alone."""
    counts_in_tests: bool = True


def names_in(message: str) -> list[str]:
    """What a message puts in back quotes."""
    return QUOTED.findall(message)


def fill(template: str, diagnostic: AnalyserDiagnostic) -> str:
    """A template of a rule, filled in from one diagnostic."""
    names = [*names_in(diagnostic.message), "this", "this"]
    return template.format_map(
        {
            "message": diagnostic.message.strip().rstrip("."),
            "name": names[0],
            "second": names[1],
            "file": diagnostic.path,
            "line": diagnostic.line,
        }
    )
