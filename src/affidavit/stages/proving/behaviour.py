"""The table of what differs between base and head: probes and how they are explained in, a row each out."""

from collections.abc import Iterator, Mapping

from affidavit.ports import Case
from affidavit.proof.running.own_names import NOTHING_OWN, OwnNames, own_names
from affidavit.proof.running.reproduction import not_compared, state_of
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.program_runs import ProbeRun
from affidavit.records.report import BehaviourRow, Explained, Reply, Report

MIN_WORDS = 2
"""Words that announce something; one alone stands in any change."""
MARKS = frozenset({"#", "//", "*", "--", ";", '"""'})
NOT_EXPLAINED = Explained(probe="")


def compare_behaviour(case: Case, report: Report) -> tuple[BehaviourRow, ...]:
    """A row for each probe that the machine ran; only its own runs count, and words only where they stand."""
    explained = {one.specialist: one.differences for one in report.replies}
    said = _folded("\n".join(_announcements(case.change)))
    probes = [(reply, probe) for reply in case.replies for probe in reply.probes]
    own = own_names(case.repository) if probes else NOTHING_OWN
    return tuple(
        _row(
            reply,
            probe,
            own,
            {one.probe: one for one in explained.get(reply.specialist, ())},
            said,
            report,
        )
        for reply, probe in probes
    )


def _row(
    reply: Reply,
    probe: ProbeRun,
    own: OwnNames,
    explained: Mapping[str, Explained],
    said: str,
    report: Report,
) -> BehaviourRow:
    row = BehaviourRow(
        specialist=reply.specialist,
        name=probe.name,
        state=state_of(probe, own),
        detail=not_compared(probe, own),
    )
    if row.state != "differs":
        return row
    word = explained.get(probe.name, NOT_EXPLAINED)
    finding = _found(reply, word.finding, report)
    if finding is not None:
        return row.model_copy(update={"state": "reported", "candidate": finding.id})
    quoted = _folded(word.announced).strip("\"'`“”… .")
    if len(quoted.split()) >= MIN_WORDS and quoted in said:
        return row.model_copy(update={"state": "announced", "announced": " ".join(word.announced.split())})
    return row


def _found(reply: Reply, name: str, report: Report) -> Candidate | None:
    """The finding that a specialist calls by this name."""
    mine = (one for one in report.candidates if name and one.specialist == reply.specialist)
    return next((one for one in mine if one.finding and one.finding.id == name), None)


def _announcements(change: Change) -> Iterator[str]:
    """Everything in which a change can say what it does: its words, and every line that it adds."""
    yield change.title
    yield change.description
    for commit in change.commits:
        yield commit.subject
        yield commit.body
    for file in change.files:
        for hunk in file.hunks:
            yield "\n".join(line[1:] for line in hunk.lines if line.startswith("+"))


def _folded(text: str) -> str:
    """Words without their line ends, and without the marks of comments between them."""
    return " ".join(word for word in text.casefold().split() if word not in MARKS)
