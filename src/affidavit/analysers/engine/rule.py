"""Describe a rule of an analyser: its severity, its effect, and what to do."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from affidavit.languages.test_files import EXAMPLE_PLACE, TEST_PLACE
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

PUT_IN = re.compile(
    r"\{([A-Za-z_][\w.]{0,50})[!:}]|[\"']\s*[%+]\s*\(?([A-Za-z_][\w.]{0,50})(?![\w.(\[])"
    r"|\.format\(([A-Za-z_][\w.]{0,50})\)"
)
"""The names in a formatted Python string: `f"{a}"`, `"" % a`, `"" + a`, `"".format(a)`."""
QUOTED = re.compile(r"`([^`]+)`")
MERGE_CONFLICT = "merge-conflict"
REACHED = "Any input that reaches {file}:{line}."


@dataclass(frozen=True)
class Rule:
    """One rule. Its texts are templates for `fill`."""

    id: str
    severity: Severity
    category: Category
    title: str
    meaning: str
    """Its effect on the user, in a sentence."""
    failing_input: str
    wrong_outcome: str
    suggestion: str
    equivalents: tuple[str, ...] = ()
    """Rules of other analysers that report the same problem."""
    silenced_as: tuple[str, ...] = ()
    """Rules of tools that we do not run, whose suppression comments count; a star: all of a tool."""
    raises: tuple[str, ...] = ()
    """The exceptions that it raises; code that expects one of them is not reported."""
    counts_in_tests: bool = True
    counts_in_examples: bool = True
    is_own: bool = False
    """Our own check; the tool does not report it."""

    def counts_at(self, path: str) -> bool:
        """Return whether the rule counts in this file: some do not in tests or examples."""
        return (self.counts_in_tests or TEST_PLACE.search(path) is None) and (
            self.counts_in_examples or EXAMPLE_PLACE.search(path) is None
        )

    def folder_of_tests(self, path: str) -> re.Match[str] | None:
        """Find the folder by which a file is one of tests; None if its name or an example says so."""
        found = (
            None
            if self.counts_in_tests or TEST_PLACE.search(path.rpartition("/")[2])
            else TEST_PLACE.search(path)
        )
        return found if found and found[0].endswith("/") else None

    def severity_of(self, diagnostic: AnalyserDiagnostic) -> Severity:
        """Return the severity of the rule, unless a linter of the user gives one."""
        return diagnostic.severity or self.severity


def same_problem(rule_a: str, rule_b: str, rules: Mapping[str, Rule]) -> bool:
    """Return whether two rules, reported at the same place, describe one problem."""
    if rule_a == rule_b:
        return True
    first, second = rules.get(rule_a), rules.get(rule_b)
    return (first is not None and rule_b in first.equivalents) or (
        second is not None and rule_a in second.equivalents
    )


def is_suppressed_with(rule_id: str, named: str, rules: Mapping[str, Rule]) -> bool:
    """Return whether suppressing the named rule also suppresses this one."""
    rule = rules.get(rule_id)
    return same_problem(rule_id, named, rules) or (rule is not None and named in rule.silenced_as)


def names_in(message: str) -> list[str]:
    """Return the names in back quotes."""
    return QUOTED.findall(message)


def fill(template: str, diagnostic: AnalyserDiagnostic, quoted: str = "") -> str:
    """Fill a template of a rule from one diagnostic and its code."""
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
    """Makes the rules of one analyser: one call for all codes with the same meaning."""

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
        """Return one rule for each code."""
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
        """Return one rule for each code, with its own title."""
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
        """Return one rule for each code that reports a Python exception."""
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
        """Return the rule for merge conflicts; the analysers in `others` read the same files."""
        return self(
            MERGE_CONFLICT,
            "Unresolved merge conflict",
            "Every reader refuses the whole file.",
            "Choose one of the two versions, or join them, and delete the marks.",
            severity=Severity.CRITICAL,
            failing_input="Reading {file}.",
            equivalents=tuple(f"{other}/{MERGE_CONFLICT}" for other in others),
        )

    def not_compiling(
        self, codes: str, fix: str, *, meaning: str = "", equivalents: tuple[str, ...] = ()
    ) -> list[Rule]:
        """Return one rule for each code that reports a Python file that does not compile."""
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
