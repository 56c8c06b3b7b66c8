"""Which fields of a report came when: what a report lacks because it is older is no difference.

A report says by its version which fields it can have. A field that came later is not compared where the
record lacks it, and it alone: all that follows from it is derived and compared as ever, so that nothing is
won by deleting one.
"""

import re
from dataclasses import dataclass

from affidavit.config.readers import ROLES
from affidavit.recheck.fields import FieldPath, Row
from affidavit.records.report import REPORT_VERSION

_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
ReportVersion = tuple[int, int]


@dataclass(frozen=True)
class Added:
    """A field, as in the table of fields, and the first version of a report that has it."""

    pattern: str
    since: ReportVersion


RUNS = (
    "inputs.programs.reproductions.*.check.base",
    "inputs.programs.reproductions.*.check.head.*",
    "candidates.*.reproduction.base",
    "candidates.*.reproduction.head.*",
    "inputs.replies.*.probes.*.base.*",
    "inputs.replies.*.probes.*.head.*",
    "inputs.judgements.*.judgement.run.base",
    "inputs.judgements.*.judgement.run.head",
    "candidates.*.judgements.*.run.base",
    "candidates.*.judgements.*.run.head",
)
"""Wherever a report keeps what a program did."""
ADDED: tuple[Added, ...] = (
    Added("settings.fold", (2, 1)),
    Added("change.title_from", (2, 1)),
    Added("change.description_from", (2, 1)),
    Added("inputs.joiner", (2, 2)),
    Added("candidates.*.carries", (2, 2)),
    Added("candidates.*.claimed_severity", (2, 2)),
    Added("candidates.*.first_wording", (2, 2)),
    Added("candidates.*.judgements.*.scenario", (2, 2)),
    Added("candidates.*.judgements.*.severity", (2, 2)),
    Added("settings.run", (2, 2)),
    Added("settings.run_seconds", (2, 2)),
    Added("settings.run_image", (2, 2)),
    Added("candidates.*.reproduction.**", (2, 2)),
    Added("candidates.*.finding.verification.reproduction.**", (2, 2)),
    Added("candidates.*.finding.verification.patch", (2, 2)),
    Added("inputs.programs.**", (2, 2)),
    Added("settings.max_iterations", (2, 3)),
    Added("candidates.*.place.**", (2, 3)),
    Added("candidates.*.carried.**", (2, 3)),
    Added("coverage.*.carried_from", (2, 3)),
    Added("coverage.*.hunks.*.examined_before", (2, 3)),
    Added("coverage.*.hunks.*.parts.*.examined_before", (2, 3)),
    Added("inputs.earlier.**", (2, 3)),
    Added("follow_up.**", (2, 3)),
    Added("inputs.submitted_by", (2, 3)),
    Added("change.dismissals", (2, 4)),
    Added("inputs.programs.runs", (2, 5)),
    Added("inputs.programs.patches.**", (2, 5)),
    Added("candidates.*.patch_trial.**", (2, 5)),
    Added("inputs.programs.duration_ms", (2, 5)),
    Added("inputs.replies.*.probes.**", (2, 5)),
    Added("inputs.judgements.*.judgement.run.**", (2, 5)),
    Added("candidates.*.judgements.*.run.**", (2, 5)),
    Added("replies.*.differences.**", (2, 5)),
    Added("behaviour.**", (2, 5)),
    Added("settings.run_at_once", (2, 6)),
    Added("inputs.dependency_quotes.**", (2, 6)),
    Added("candidates.*.dependency_quotes.**", (2, 6)),
    Added("candidates.*.finding.verification.dependency_quotes.**", (2, 6)),
    Added("follow_up.returned.**", (2, 7)),
    Added("inputs.earlier.history.*.back", (2, 7)),
    Added("behaviour.*.detail", (2, 7)),
    Added("inputs.earlier.history.*.incomplete", (2, 8)),
    Added("inputs.earlier.history.*.left_out", (2, 8)),
    Added("inputs.earlier.history.*.conditions", (2, 8)),
    *(Added(f"{run}.missing", (2, 7)) for run in RUNS),
    *(Added(f"{run}.unreached", (2, 8)) for run in RUNS),
    *(Added(f"{run}.altered.**", (2, 8)) for run in RUNS),
    Added("diagnostics.*.set_aside.**", (2, 9)),
    Added("diagnostics.*.unlisted.**", (2, 9)),
    Added("inputs.replies.*.diagnostics.*.set_aside.**", (2, 9)),
    Added("inputs.replies.*.diagnostics.*.unlisted.**", (2, 9)),
    Added("verdict.counts.set_aside", (2, 9)),
    Added("settings.base_url", (2, 10)),
    *(Added(f"settings.{role}_base_url", (2, 10)) for role in ROLES),
    Added("inputs.earlier.is_trusted", (2, 10)),
    Added("notice", (2, 10)),
    Added("settings.linters.*.blocks", (2, 10)),
    Added("change.files.*.came_from", (2, 10)),
    Added("change.tip.**", (2, 10)),
    Added("settings.at_base.**", (2, 10)),
)


def parse_version(text: str) -> ReportVersion | None:
    """None where the text is not `major.minor`."""
    match = _VERSION.fullmatch(text)
    return (int(match[1]), int(match[2])) if match else None


def can_be_derived(version: str) -> bool:
    """Whether all fields of a report of this version are known here: the same major, and no later minor."""
    then, now = parse_version(version), parse_version(REPORT_VERSION)
    return then is not None and now is not None and then[0] == now[0] and then <= now


def is_later_than(version: str, path: FieldPath) -> bool:
    """Whether the field came after this version of the report."""
    then = parse_version(version)
    return then is not None and any(
        then < one.since and Row(one.pattern, "derived", "").matches(path) for one in ADDED
    )
