"""Define the rules of the search for broken references."""

from functools import partial

from affidavit.analysers.engine.rule import Rule, RuleMaker
from affidavit.records.finding import Category, Severity

_LOADED = "Any run that loads {file}."
_wrong = RuleMaker("references")
_removed = partial(
    _wrong,
    severity=Severity.HIGH,
    silenced_as=(
        "oxlint/*",
        "oxlint/import/named",
        "oxlint/import/default",
        "oxlint/import/namespace",
        "oxlint/import/no-unresolved",
        "oxlint/n/no-missing-import",
        "oxlint/n/no-missing-require",
        "tsc/*",
    ),
)
REFERENCE_RULES: tuple[Rule, ...] = (
    *_removed(
        "removed-import",
        "Import of the removed `{name}`",
        "The import of `{name}` fails.",
        "Keep `{name}` where it was, or change this import with it.",
        failing_input=_LOADED,
        equivalents=("ty/import-not-found", "ty/missing-attribute"),
        raises=("ImportError",),
    ),
    *_removed(
        "removed-type-import",
        "Import of the removed type `{name}`",
        "The type checker refuses the import; nothing fails at run time.",
        "Keep `{name}` where it was, or change this import with it.",
        severity=Severity.MEDIUM,
        failing_input="Checking the types of {file}.",
        equivalents=("ty/import-not-found", "ty/missing-attribute"),
    ),
    *_removed(
        "removed-module",
        "Import of the removed module `{name}`",
        "The import of `{name}` fails.",
        "Change this import to where the code is now, or remove it.",
        failing_input=_LOADED,
        equivalents=("ty/import-not-found",),
        raises=("ImportError", "ModuleNotFoundError"),
    ),
    *_removed(
        "removed-attribute",
        "Use of the removed `{name}`",
        "The line fails: there is no `{name}`.",
        "Keep `{name}` where it was, or change this use with it.",
        equivalents=("ty/missing-attribute",),
        raises=("AttributeError",),
    ),
    *_wrong(
        "unimplemented-method",
        "Missing method `{name}` of {second}",
        "It does not compile, or fails when `{name}` is called.",
        "Implement `{name}` here, or give it a default in {second}.",
        severity=Severity.HIGH,
        failing_input="Building or creating what is at {file}:{line}.",
    ),
    *_wrong(
        "stale-document",
        "Outdated documentation of `{name}`",
        "`{name}` is not there any more.",
        "Change the text with the code.",
        severity=Severity.LOW,
        category=Category.MAINTAINABILITY,
        failing_input="A reader who follows {file}:{line}.",
    ),
)
