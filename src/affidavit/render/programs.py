"""Put into words what programs showed about findings and behaviour."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from affidavit.proof.running.outputs import MAX_LINES, both_ends, printed_lines
from affidavit.records.candidate import Candidate
from affidavit.records.evidence import ReproductionCheck, ReproductionOutcome
from affidavit.records.finding import Reproduction
from affidavit.records.program_runs import KeptRun, ProbeRun, Program, ProgramRun
from affidavit.records.record import Record
from affidavit.records.report import BehaviourRow, ProbeState, Report
from affidavit.render.wording import SIDES, counted, title_of

OUTCOMES: dict[ReproductionOutcome, str] = {
    "reproduced": "shown by running a program: fails after the change, not before",
    "reproduced_new": "shown by running a program, in code that is new",
    "promised": "shown by running a program: the change says that it is fixed, and it is not",
    "not_reproduced": "its program did not show it",
    "also_at_base": "its program does the same before the change",
    "flaky": "its program does not do the same twice",
    "could_not_run": "its program could not be run",
}
INDENT = "    "


def reproduction_of(candidate: Candidate) -> Reproduction | None:
    evidence = candidate.finding.verification if candidate.finding else None
    return evidence.reproduction if evidence else None


def outcome_words(check: ReproductionCheck) -> str:
    """Return what running showed; that the code is new only if base itself reported it missing."""
    from affidavit.proof.running.reproduction import NOT_DECLARED  # noqa: PLC0415 - few run programs

    if check.outcome == "reproduced_new" and check.base and check.detail.startswith(NOT_DECLARED):
        before = f"before it, where nothing was expected: {check.base.summary}"
        return f"shown by running a program after the change; {before}"
    return OUTCOMES[check.outcome]


def runs_of(check: ReproductionCheck) -> list[ProgramRun]:
    """Return the runs on both sides, base first; of two equal runs at head only one."""
    from affidavit.proof.running.reproduction import VARIES  # noqa: PLC0415 - few run programs

    heads = check.head if check.outcome == "flaky" or check.detail.endswith(VARIES) else check.head[:1]
    return [*([check.base] if check.base else []), *heads]


def ending_words(run: ProgramRun) -> str:
    return f"{SIDES[run.side]}: {run.summary}"


def how_to_repeat(report_id: str) -> str:
    return f"affidavit recheck {report_id[:8]} --run"


class Part(Record):
    """A heading of ours with the text of a program or its output."""

    heading: str
    text: str = ""
    is_output: bool = False
    """Output has a bar before each line."""


def program_parts(candidate: Candidate, report_id: str, most: int = MAX_LINES) -> list[Part]:
    decided = [part for kept in decided_by(candidate)[:1] for part in _decided(kept, most)]
    return [*_offered(candidate, report_id, most), *decided]


def program_text(candidate: Candidate, report_id: str, most: int | None = None) -> str:
    """Return the parts as plain text, on demand with a limit of lines for each.

    Only our own words begin at the margin, so that no output can pass for them.
    """
    return parts_text(program_parts(candidate, report_id, most or MAX_LINES), most)


def parts_text(parts: Sequence[Part], most: int | None = None) -> str:
    return "\n\n".join("\n".join([part.heading, *_set_off(part, most)]) for part in parts)


def _set_off(part: Part, most: int | None) -> list[str]:
    lines = part.text.splitlines()
    if part.is_output:
        return lines
    return [f"{INDENT}{line}".rstrip() for line in (both_ends(lines, most) if most else lines)]


def parts_of(program: Program, runs: Iterable[ProgramRun], most: int = MAX_LINES) -> Iterator[Part]:
    yield Part(heading=f"{' '.join(program.language.split())}:", text=program.text.rstrip("\n"))
    for file in program.files:
        yield Part(heading=f"with the file {' '.join(file.path.split())}:", text=file.content.rstrip("\n"))
    for run in runs:
        detail = f", {' '.join(run.detail.split())}" if run.detail else ""
        printed = "\n".join(printed_lines(run.output, most))
        yield Part(heading=f"{ending_words(run)}{detail}", text=printed, is_output=True)


def decided_by(candidate: Candidate) -> list[KeptRun]:
    return [one.run for one in candidate.judgements if one.run]


def _decided(kept: KeptRun, most: int) -> Iterator[Part]:
    yield Part(heading="the verifier's own program")
    yield from parts_of(kept.program, filter(None, (kept.base, kept.head)), most)


def _offered(candidate: Candidate, report_id: str, most: int) -> Iterator[Part]:
    check, reproduction = candidate.reproduction, reproduction_of(candidate)
    if check is None or reproduction is None:
        return
    detail = f" ({' '.join(check.detail.split())})" if check.detail else ""
    yield Part(heading=f"{outcome_words(check)}{detail}")
    yield from parts_of(reproduction.as_program, runs_of(check), most)
    if check.patched:
        printed = "\n".join(printed_lines(check.patched.output, most))
        yield Part(heading=f"with its patch: {check.patched.summary}", text=printed, is_output=True)
    yield Part(heading="again:", text=how_to_repeat(report_id))


COUNTED: dict[ProbeState, tuple[str, str]] = {
    "alike": ("alike", "alike"),
    "announced": ("differs as announced", "differ as announced"),
    "reported": ("differs (a finding)", "differ (findings)"),
    "differs": ("differs unexplained", "differ unexplained"),
    "flaky": ("not the same twice", "not the same twice"),
    "untouched": ("read no changed file", "read no changed file"),
    "could_not_run": ("could not be run", "could not be run"),
}
"""Singular and plural of each state, in the order of the sentence."""

READ_FIRST: tuple[ProbeState, ...] = (
    *("reported", "differs", "announced", "flaky", "could_not_run", "untouched", "alike"),
)


class Compared(Record):
    name: str
    outcome: str
    why: str
    parts: tuple[Part, ...]
    is_alike: bool
    findings: tuple[tuple[str, str], ...] = ()
    """The id and the title of each finding about it."""

    @property
    def in_short(self) -> str:
        return "; ".join(filter(None, [self.why, *(title for _, title in self.findings)]))


def behaviour_sentence(report: Report) -> str:
    counts = Counter(row.state for row in report.behaviour)
    said = [f"{counts[state]} {COUNTED[state][counts[state] > 1]}" for state in COUNTED if counts[state]]
    ran = f"{counted(len(report.behaviour), 'program')} run before and after the change"
    return f"{ran}: {', '.join(said)}" if said else ""


def compared(report: Report) -> list[Compared]:
    return [_compared(row, report) for row in sorted(report.behaviour, key=_reading_order)]


def _reading_order(row: BehaviourRow) -> int:
    return READ_FIRST.index(row.state)


def _compared(row: BehaviourRow, report: Report) -> Compared:
    probe = _probe(row, report)
    found = [(one.id, _about(one)) for one in report.candidates if one.id in row.candidates]
    return Compared(
        name=row.name,
        outcome=COUNTED[row.state][0],
        why=_why(row),
        parts=tuple(parts_of(probe.program, (*probe.base[:1], *probe.head[:1]))) if probe else (),
        is_alike=row.state == "alike",
        findings=tuple(found),
    )


def _why(row: BehaviourRow) -> str:
    if row.detail:
        return f"nothing was compared: {row.detail}"
    return f"the change says: {row.announced}" if row.announced else ""


def _about(candidate: Candidate) -> str:
    ended = f" (withheld: {candidate.withheld.code})" if candidate.withheld else ""
    return f"{title_of(candidate)}{ended}"


def _probe(row: BehaviourRow, report: Report) -> ProbeRun | None:
    replies = report.inputs.replies
    found = (
        probe
        for reply in replies
        if reply.specialist == row.specialist
        for probe in reply.probes
        if probe.name == row.name
    )
    return next(found, None)
