"""The kinds of ruff rules: each makes rules from codes and the words that differ."""

from affidavit.analysers.rule import Rule
from affidavit.records.candidate import Worth
from affidavit.records.finding import Category, Severity


def raising(
    codes: str,
    exception: str,
    title: str,
    fix: str,
    *,
    severity: Severity = Severity.HIGH,
    when: str = "running this line",
) -> list[Rule]:
    """Rules whose code raises an exception as soon as it runs."""
    return [
        Rule(
            id=f"ruff/{code}",
            severity=severity,
            category=Category.CORRECTNESS,
            worth=Worth.ACT,
            title=title,
            meaning=f"{{message}}: {when} raises {exception}.",
            failing_input="Any input that reaches {file}:{line}.",
            wrong_outcome=f"{exception} is raised.",
            suggestion=fix,
            raises=tuple(exception.split(" or ")),
        )
        for code in codes.split()
    ]


def not_compiling(
    codes: str,
    fix: str,
    *,
    meaning: str = "{message}: Python refuses the whole file with SyntaxError, so it cannot be imported.",
) -> list[Rule]:
    """Rules whose code does not even compile."""
    return [
        Rule(
            id=f"ruff/{code}",
            severity=Severity.CRITICAL,
            category=Category.CORRECTNESS,
            worth=Worth.ACT,
            title="This file does not compile",
            meaning=meaning,
            failing_input="Importing or running {file}.",
            wrong_outcome="SyntaxError is raised before any code of the file runs.",
            suggestion=fix,
            equivalents=("ty/invalid-syntax",),
        )
        for code in codes.split()
    ]


def wrong(  # noqa: PLR0913 - a row of the table has as many columns
    codes: str,
    title: str,
    outcome: str,
    fix: str,
    *,
    severity: Severity = Severity.MEDIUM,
    worth: Worth = Worth.ACT,
    category: Category = Category.CORRECTNESS,
    in_tests: bool = True,
    equivalents: tuple[str, ...] = (),
) -> list[Rule]:
    """Rules whose code runs, but does not do what it seems to do."""
    return [
        Rule(
            id=f"ruff/{code}",
            severity=severity,
            category=category,
            worth=worth,
            title=title,
            meaning=f"{{message}}. {outcome}",
            failing_input="Any input that reaches {file}:{line}.",
            wrong_outcome=outcome,
            suggestion=fix,
            counts_in_tests=in_tests,
            equivalents=equivalents,
        )
        for code in codes.split()
    ]


def insecure(
    codes: str,
    title: str,
    attack: str,
    outcome: str,
    fix: str,
    *,
    severity: Severity = Severity.HIGH,
    worth: Worth = Worth.ACT,
) -> list[Rule]:
    """Rules whose code can be abused; tests are run by their authors, so they are left alone."""
    return [
        Rule(
            id=f"ruff/{code}",
            severity=severity,
            category=Category.SECURITY,
            worth=worth,
            title=title,
            meaning=f"{title}. {outcome}",
            failing_input=attack,
            wrong_outcome=outcome,
            suggestion=fix,
            counts_in_tests=False,
        )
        for code in codes.split()
    ]
