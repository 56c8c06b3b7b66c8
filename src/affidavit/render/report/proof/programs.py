"""What programs showed of a finding, in words: a candidate in, lines for every format out."""

from affidavit.proof.running.reproduction import NOT_DECLARED
from affidavit.records.candidate import Candidate
from affidavit.records.evidence import ReproductionCheck, ReproductionOutcome
from affidavit.records.finding import Expected, Reproduction
from affidavit.records.runs.run import KeptRun, ProgramRun
from affidavit.render.report.wording import SIDES

OUTCOMES: dict[ReproductionOutcome, str] = {
    "reproduced": "shown by running a program: fails after the change, not before",
    "reproduced_new": "shown by running a program, in code that is new",
    "not_reproduced": "its program did not show it",
    "also_at_base": "its program does the same before the change",
    "flaky": "its program does not do the same twice",
    "could_not_run": "its program could not be run",
}
MAX_OUTPUT_LINES = 30


def reproduction_of(candidate: Candidate) -> Reproduction | None:
    """What the finding offers as its proof."""
    evidence = candidate.finding.verification if candidate.finding else None
    return evidence.reproduction if evidence else None


def outcome_words(check: ReproductionCheck) -> str:
    """What running showed; that base lacks the code only where base itself said so."""
    if check.outcome == "reproduced_new" and check.base and check.detail.startswith(NOT_DECLARED):
        before = f"before it, where nothing was expected: {check.base.summary}"
        return f"shown by running a program after the change; {before}"
    return OUTCOMES[check.outcome]


def expected_words(expected: Expected | None) -> str:
    """What a program had to do on one side."""
    if expected is None:
        return "nothing: base lacks the code"
    ending = "not to end in time" if expected.exit_code == 124 else f"exit code {expected.exit_code}"
    return f"{ending} and output like {expected.output}" if expected.output else ending


def runs_of(check: ReproductionCheck) -> list[ProgramRun]:
    """Base first; of two runs at head that did the same, one."""
    heads = check.head if check.outcome == "flaky" else check.head[:1]
    return [*([check.base] if check.base else []), *heads]


def ending_words(run: ProgramRun) -> str:
    """On which side it was run, and how it ended there."""
    return f"{SIDES[run.side]}: {run.summary}"


def output_lines(run: ProgramRun) -> list[str]:
    """What a run printed, cut where it is long."""
    lines = run.output.splitlines()
    if len(lines) <= MAX_OUTPUT_LINES:
        return lines
    left_out = len(lines) - MAX_OUTPUT_LINES
    half = MAX_OUTPUT_LINES // 2
    return [*lines[:half], f"… {left_out} lines left out …", *lines[-half:]]


def how_to_repeat(candidate: Candidate, report_id: str) -> str:
    """The command that runs it again."""
    return f"affidavit reproduce {report_id[:8]} {candidate.fingerprint or candidate.id}"


def program_text(candidate: Candidate, report_id: str) -> str:
    """Everything about it as plain text: the program, its outputs, how to repeat it."""
    parts = [_offered_text(candidate, report_id), *map(_decided_text, decided_by(candidate)[:1])]
    return "\n\n".join(part for part in parts if part)


def decided_by(candidate: Candidate) -> list[KeptRun]:
    """The programs by which verifiers decided, as the machine ran them."""
    return [one.run for one in candidate.judgements if one.run]


def _decided_text(kept: KeptRun) -> str:
    lines = ["the verifier's own program", "", f"{kept.program.language}:", *kept.program.text.splitlines()]
    for run in filter(None, (kept.base, kept.head)):
        lines += ["", ending_words(run), *output_lines(run)]
    return "\n".join(lines)


def _offered_text(candidate: Candidate, report_id: str) -> str:
    check, reproduction = candidate.reproduction, reproduction_of(candidate)
    if check is None or reproduction is None:
        return ""
    lines = [f"{outcome_words(check)}{f' ({check.detail})' if check.detail else ''}"]
    lines += ["", f"{reproduction.language}:", *reproduction.program.splitlines()]
    for file in reproduction.files:
        lines += ["", f"{file.path}:", *file.content.splitlines()]
    for run in runs_of(check):
        lines += ["", ending_words(run), *output_lines(run)]
    return "\n".join([*lines, "", f"again: {how_to_repeat(candidate, report_id)}"])
