"""What a rule of an analyser means to the user: how bad it is, what happens, what to do."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from affidavit.languages.test_files import EXAMPLE_PLACE, TEST_PLACE
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

PUT_IN = re.compile(
    r"\{([A-Za-z_][\w.]{0,50})[!:}]|[\"']\s*[%+]\s*\(?([A-Za-z_][\w.]{0,50})(?![\w.(\[])"
    r"|\.format\(([A-Za-z_][\w.]{0,50})\)"
)
"""The names that a text of Python is put together from: `f"{a}"`, `"" % a`, `"" + a`, `"".format(a)`."""
QUOTED = re.compile(r"`([^`]+)`")
MERGE_CONFLICT = "merge-conflict"
REACHED = "Any input that reaches {file}:{line}."


@dataclass(frozen=True)
class Rule:
    """One rule. The texts are templates over what `fill` knows."""

    id: str
    severity: Severity
    category: Category
    title: str
    meaning: str
    """What it means for the user, in a sentence."""
    failing_input: str
    wrong_outcome: str
    suggestion: str
    equivalents: tuple[str, ...] = ()
    """Rules of other analysers that report the same problem."""
    silenced_as: tuple[str, ...] = ()
    """Rules of tools that we do not run by which people may have silenced it; a star: all of a tool."""
    raises: tuple[str, ...] = ()
    """The exceptions that it leads to; code that expects one of them is left alone."""
    counts_in_tests: bool = True
    counts_in_examples: bool = True
    is_own: bool = False
    """A check of our own beside the analyser's; the tool does not report it."""

    def counts_at(self, path: str) -> bool:
        """Whether the problem matters in this file: some do not in tests, some not in examples."""
        return (self.counts_in_tests or TEST_PLACE.search(path) is None) and (
            self.counts_in_examples or EXAMPLE_PLACE.search(path) is None
        )

    def severity_of(self, diagnostic: AnalyserDiagnostic) -> Severity:
        """How bad one diagnostic is: as the rule says, unless a linter of the user's says it itself."""
        return diagnostic.severity or self.severity


WhyOff = Callable[[str, str], str | None]
"""From a rule and a path to the reason why the settings switch the rule off there; None: it counts."""


def nothing_is_off(_rule: str, _path: str) -> str | None:
    """Count every rule, where there are no settings."""
    return None


def same_problem(rule_a: str, rule_b: str, rules: Mapping[str, Rule]) -> bool:
    """Return whether two rules, reported at the same place, describe one problem."""
    if rule_a == rule_b:
        return True
    first, second = rules.get(rule_a), rules.get(rule_b)
    return (first is not None and rule_b in first.equivalents) or (
        second is not None and rule_a in second.equivalents
    )


def is_meant_by(rule_id: str, named: str, rules: Mapping[str, Rule]) -> bool:
    """Return whether somebody who silences the named rule silences this one, too."""
    rule = rules.get(rule_id)
    return same_problem(rule_id, named, rules) or (rule is not None and named in rule.silenced_as)


def names_in(message: str) -> list[str]:
    """What a message puts in back quotes."""
    return QUOTED.findall(message)


def fill(template: str, diagnostic: AnalyserDiagnostic, quoted: str = "") -> str:
    """A template of a rule, filled in from one diagnostic and the code that it is about."""
    put_in = {next(filter(None, found)) for found in PUT_IN.findall(quoted)}
    names = [*names_in(diagnostic.message), "this", "this"]
    return template.format_map(
        {
            "message": diagnostic.message.strip().rstrip("."),
            "name": names[0],
            "second": names[1],
            "file": diagnostic.path,
            "line": diagnostic.line,
            "through": f" through `{put_in.pop()}`" if len(put_in) == 1 else "",
        }
    )


@dataclass(frozen=True)
class RuleMaker:
    """Makes the rules of one analyser, one call for all codes that mean the same to a user."""

    analyser: str
    failing_input: str = REACHED
    category: Category = Category.CORRECTNESS

    def __call__(  # noqa: PLR0913 - a row of the table has as many columns
        self,
        codes: str,
        title: str,
        outcome: str,
        fix: str,
        *,
        severity: Severity = Severity.MEDIUM,
        category: Category | None = None,
        meaning: str = "",
        failing_input: str = "",
        in_tests: bool = True,
        equivalents: tuple[str, ...] = (),
        silenced_as: tuple[str, ...] = (),
        raises: tuple[str, ...] = (),
        is_own: bool = False,
    ) -> list[Rule]:
        """One rule for each code, whose code does not do what it seems to do."""
        return [
            Rule(
                id=f"{self.analyser}/{code}",
                severity=severity,
                category=category or self.category,
                title=title,
                meaning=meaning or "{message}.",
                failing_input=failing_input or self.failing_input,
                wrong_outcome=outcome,
                suggestion=fix,
                equivalents=equivalents,
                silenced_as=silenced_as,
                raises=raises,
                counts_in_tests=in_tests,
                is_own=is_own,
            )
            for code in codes.split()
        ]

    def each(self, titles: Mapping[str, str], outcome: str, fix: str, **columns: Any) -> list[Rule]:
        """One rule for each code, each with a title of its own."""
        return [rule for code, title in titles.items() for rule in self(code, title, outcome, fix, **columns)]

    def raising(
        self,
        codes: str,
        exception: str,
        title: str,
        fix: str,
        *,
        meaning: str = "",
        equivalents: tuple[str, ...] = (),
    ) -> list[Rule]:
        """One rule for each code, whose code raises an exception of Python as soon as it runs."""
        return self(
            codes,
            title,
            f"{exception} is raised.",
            fix,
            severity=Severity.HIGH,
            meaning=meaning,
            equivalents=equivalents,
            raises=tuple(exception.split(" or ")),
        )

    def conflict(self, *others: str) -> list[Rule]:
        """The rule of every analyser that says when a file does not parse; `others` read the same files."""
        return self(
            MERGE_CONFLICT,
            "Unresolved merge conflict",
            "Whatever reads the file refuses the whole of it.",
            "Choose one of the two versions, or join them, and delete the marks.",
            severity=Severity.CRITICAL,
            failing_input="Reading {file}.",
            equivalents=tuple(f"{other}/{MERGE_CONFLICT}" for other in others),
        )

    def not_compiling(
        self, codes: str, fix: str, *, meaning: str = "", equivalents: tuple[str, ...] = ()
    ) -> list[Rule]:
        """One rule for each code, whose Python file does not even compile."""
        return self(
            codes,
            "Syntax error",
            "Python refuses the whole file, so it cannot be imported or run.",
            fix,
            severity=Severity.CRITICAL,
            meaning=meaning,
            failing_input="Importing or running {file}.",
            equivalents=equivalents,
        )
