"""The kinds of rules that all analysers share: each makes rules from codes and the words that differ."""

from dataclasses import dataclass

from affidavit.analysers.rule import Rule
from affidavit.records.candidate import Worth
from affidavit.records.finding import Category, Severity

REACHED = "Any input that reaches {file}:{line}."


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
        worth: Worth = Worth.ACT,
        category: Category | None = None,
        failing_input: str = "",
        in_tests: bool = True,
        says_message: bool = True,
        equivalents: tuple[str, ...] = (),
    ) -> list[Rule]:
        """One rule for each code."""
        return [
            Rule(
                id=f"{self.analyser}/{code}",
                severity=severity,
                category=category or self.category,
                worth=worth,
                title=title,
                meaning=f"{{message}}. {outcome}" if says_message else outcome,
                failing_input=failing_input or self.failing_input,
                wrong_outcome=outcome,
                suggestion=fix,
                counts_in_tests=in_tests,
                equivalents=equivalents,
            )
            for code in codes.split()
        ]
