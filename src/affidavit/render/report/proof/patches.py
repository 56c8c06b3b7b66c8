"""The patch of a finding as text, and what became of it: a candidate in, words for every format out."""

from affidavit.records.candidate import Candidate


def patch_text(candidate: Candidate) -> str:
    """The patch that a finding brings; empty where it has none."""
    evidence = candidate.finding.verification if candidate.finding else None
    return (evidence.patch or "").rstrip("\n") if evidence else ""


def patch_words(candidate: Candidate) -> str:
    """Whether it was tried; only one that holds may be offered to be committed."""
    trial = candidate.patch_trial
    if trial is None:
        return "A patch that nobody has tried, as text"
    if trial.holds and trial.untried:
        return f"A patch that holds as far as it was tried (not tried: {', '.join(trial.untried)})"
    if trial.holds:
        return "A patch that was tried and holds"
    return "A patch that was tried and fails, as text"


def trial_lines(candidate: Candidate) -> list[str]:
    """What was tried, one line each."""
    marks = {True: "passed", False: "failed", None: "not tried"}
    steps = candidate.patch_trial.steps if candidate.patch_trial else ()
    return [f"{marks[step.passed]}: {step.name}: {step.detail}" for step in steps]
