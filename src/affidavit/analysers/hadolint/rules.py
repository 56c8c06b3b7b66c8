"""The hadolint rules that count, and what each means: builds that fail, and instructions without effect."""

from affidavit.analysers.rule import Rule
from affidavit.analysers.rule_kinds import RuleMaker
from affidavit.analysers.shellcheck.rules import shell_rules
from affidavit.records.candidate import Worth
from affidavit.records.finding import Category, Severity

HIGH = Severity.HIGH
_wrong = RuleMaker("hadolint", failing_input="Building {file}.")

HADOLINT_RULES: tuple[Rule, ...] = (
    *_wrong(
        "DL1000",
        "The Dockerfile cannot be parsed",
        "The build stops before its first step.",
        "Correct the syntax.",
        severity=HIGH,
    ),
    *_wrong(
        "DL3021 DL3023 DL3024 DL3043 DL3061",
        "Docker refuses this instruction",
        "The build fails at this instruction.",
        "Correct the instruction.",
        severity=HIGH,
    ),
    *_wrong(
        "DL3011",
        "This is no port",
        "The build fails: ports go from 0 to 65535.",
        "Correct the number.",
        severity=HIGH,
    ),
    *_wrong(
        "DL3014 DL3030 DL3034 DL3038",
        "The package manager waits for an answer that nobody gives",
        "The build stops at the question, or the package is not installed.",
        "Add `-y`.",
    ),
    *_wrong(
        "DL3012 DL4003 DL4004",
        "An earlier instruction of this kind has no effect",
        "Only the last one counts.",
        "Keep the one that is meant.",
    ),
    *_wrong(
        "DL3044",
        "The variable is used in the instruction that sets it",
        "It has its old value here, or none.",
        "Set it in an instruction of its own before.",
    ),
    *_wrong(
        "DL3004",
        "`sudo` is used while building",
        "It is usually not there, and what it does to signals and terminals is not defined.",
        "Use `USER` to change the user.",
        severity=Severity.LOW,
        worth=Worth.MAYBE,
        category=Category.RELIABILITY,
    ),
    *shell_rules("hadolint"),
)
