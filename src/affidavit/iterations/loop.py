"""Run the loop: review, let an agent follow the feedback, review again."""

import asyncio
import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from affidavit.errors import InputError
from affidavit.iterations.feedback_document import Assessment, assess
from affidavit.iterations.guard import suppressed_since
from affidavit.iterations.review_summary import find_alerts, summary_of
from affidavit.iterations.scope import earlier_of
from affidavit.iterations.scores import REPEATED
from affidavit.iterations.workplace import AgentRun, Workplace, run_agent
from affidavit.records.iteration import Earlier, IterationSummary
from affidavit.records.record import Record
from affidavit.records.report import Report
from affidavit.render.formats import render
from affidavit.system.private_files import make_private_folder, write_private_file

FILE, LOCK = "journal.json", "lock"


class Turn(Record):
    """One iteration of the loop: a commit, its review, and what the agent then did."""

    number: int
    commit: str
    report: str = ""
    """The file of its report; empty while it is not reviewed."""
    digest: str = ""
    summary: IterationSummary | None = None
    blocking: int = 0
    held_back: tuple[str, ...] = ()
    """Why only a person may accept it; empty if the loop may."""
    diff: str = ""
    """The file with all of the agent's work so far, for that person; empty if nothing is held back."""
    agent: AgentRun | None = None
    """None until the agent is asked."""
    result: str = ""
    """The commit of the agent's work; empty if it changed nothing."""


class Journal(Record):
    repository: str
    target: str
    base: str
    start: str
    agent: str
    """A digest of the agent's command: it may name a key."""
    max: int
    series: str = ""
    """The series of its reviews: each loop has its own."""
    turns: tuple[Turn, ...] = ()
    spent_usd: float = 0
    spent_tokens: int = 0
    stopped: str = ""
    """Why the loop ended; empty while it goes on."""
    best: int = Field(default=0, ge=0)
    branch: str = ""
    """The branch with the best iteration; empty if none was better than the start."""

    def with_turn(self, turn: Turn) -> "Journal":
        kept = tuple(one for one in self.turns if one.number != turn.number)
        return self.model_copy(update={"turns": (*kept, turn)})


def read_journal(folder: Path) -> Journal | None:
    """Read the journal of a folder; None if there is none that can be read."""
    try:
        return Journal.model_validate_json((folder / FILE).read_bytes())
    except (OSError, ValidationError):
        return None


def keep_journal(folder: Path, journal: Journal) -> None:
    """Write the journal, whole or not at all."""
    write_private_file(folder / FILE, journal.model_dump_json(indent=1) + "\n")


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Lock the loop against other processes."""
    make_private_folder(folder)
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError("this loop is running already, in another process") from error
        yield


Stop = Literal[
    "accepted",
    "escalated",
    "rejected",
    "plateau",
    "oscillation",
    "limit",
    "budget",
    "agent",
    "undone",
    "incomplete",
]
Review = Callable[[str, Earlier | None, Journal], Report]
"""Reviews a commit, following the review before."""
Guard = Callable[[Journal, str, Report], list[str]]
"""Returns why only a person may accept a commit, from the journal and the first report."""
Keep = Callable[[IterationSummary, Journal], None]
"""Adds a review to the series of its loop."""


@dataclass(frozen=True)
class Budget:
    """Limit of spending for the whole loop; None: no limit."""

    usd: float | None = None
    tokens: int | None = None

    def is_spent(self, journal: Journal) -> bool:
        is_money_gone = self.usd is not None and journal.spent_usd >= self.usd
        return is_money_gone or (self.tokens is not None and journal.spent_tokens >= self.tokens)


@dataclass(frozen=True)
class Loop:
    """Everything that a loop works with; each step is kept before the next one begins."""

    folder: Path
    """The folder of the journal, the reports and the feedback documents."""
    workplace: Workplace
    agent: str
    review: Review
    guard: Guard
    keep: Keep
    agent_seconds: float
    budget: Budget
    say: Callable[[str], None]

    def run(self, journal: Journal) -> Journal:
        """Run until something ends the loop; the journal says what and why."""
        while not journal.stopped:
            turn = journal.turns[-1] if journal.turns else Turn(number=1, commit=journal.start)
            if not turn.report:
                journal = self._kept(self._reviewed(journal, turn))
            elif turn.agent is None:
                journal = self._kept(self._refined(journal, turn))
            else:
                following = Turn(number=turn.number + 1, commit=turn.result)
                journal = self._kept(journal.with_turn(following))
        return journal

    def _kept(self, journal: Journal) -> Journal:
        keep_journal(self.folder, journal)
        return journal

    def _reviewed(self, journal: Journal, turn: Turn) -> Journal:
        report = self.review(turn.commit, self._earlier(journal), journal)
        text = render(report, "report")
        file = self.folder / f"report-{turn.number}.json"
        write_private_file(file, text)
        write_private_file(self._feedback(turn.number), render(report, "feedback") or "")
        assessment = assess(report, journal.max)
        is_limit = assessment.verdict == "escalate" and assess(report, turn.number + 1).verdict == "refine"
        turn = self._held_back(journal, turn, report)
        # Only a person may accept edited tests, whatever the review says.
        verdict = "escalate" if turn.held_back and assessment.verdict == "accept" else assessment.verdict
        digest = sha256(text.encode()).hexdigest()
        summary = summary_of(report, digest).model_copy(update={"number": turn.number, "verdict": verdict})
        turn = turn.model_copy(
            update={
                "report": file.name,
                "digest": digest,
                "summary": summary,
                "blocking": len(report.verdict.blocking),
            }
        )
        journal = journal.with_turn(turn).model_copy(
            update={
                "spent_usd": journal.spent_usd + (summary.spent_usd or 0),
                "spent_tokens": journal.spent_tokens + summary.tokens,
            }
        )
        self.keep(summary, journal)
        lacks = f" ({assessment.lacks})" if assessment.lacks else ""
        self.say(f"review {turn.number}: score {summary.score:.2f}, {summary.verdict}{lacks}")
        best = best_of(journal).number
        stopped: Stop | str = "limit" if is_limit else self._why_stop(journal, assessment)
        return journal.model_copy(update={"stopped": stopped, "best": best})

    def _held_back(self, journal: Journal, turn: Turn, report: Report) -> Turn:
        """Note why only a person may accept the turn, and keep the agent's work for that person."""
        if turn.number == 1:
            return turn
        first = self._report(journal.turns[0])
        why = [*self.guard(journal, turn.commit, first), *suppressed_since(report, first)]
        if not why:
            return turn
        file = self.folder / f"iteration-{turn.number}.diff"
        file.write_bytes(self.workplace.diff(journal.start, turn.commit))
        return turn.model_copy(update={"held_back": tuple(why), "diff": str(file)})

    def _refined(self, journal: Journal, turn: Turn) -> Journal:
        """Run the agent, and commit its work however it ended."""
        self.workplace.prepare(turn.commit)
        self.say(f"agent: working on the feedback of review {turn.number}")
        feedback = self._feedback(turn.number)
        ended = asyncio.run(run_agent(self.agent, self.workplace.copy, feedback, self.agent_seconds))
        # Without the agent's command: it may name a key.
        message = (
            f"Follow the feedback of review {turn.number}\n\nMade by a coding agent in affidavit refine."
        )
        result = self.workplace.commit(turn.commit, message) or ""
        update = {"agent": ended, "result": result}
        journal = journal.with_turn(turn.model_copy(update=update))
        if result and self.workplace.is_same(result, journal.base):
            self.say("the agent undid the change: nothing is left to review")
            return journal.model_copy(update={"stopped": "undone"})
        if result:
            return journal
        became = "changed nothing" if ended.state == "ended" else ended.state.replace("_", " ")
        why = f"the agent {became}"
        self.say(f"{why}: {ended.output[-300:]}" if ended.output else why)
        return journal.model_copy(update={"stopped": "plateau" if ended.state == "ended" else "agent"})

    def _earlier(self, journal: Journal) -> Earlier | None:
        done = [one for one in journal.turns if one.report]
        if not done:
            return None
        content = (self.folder / done[-1].report).read_bytes()
        return earlier_of(Report.model_validate_json(content), sha256(content).hexdigest())

    def _report(self, turn: Turn) -> Report:
        return Report.model_validate_json((self.folder / turn.report).read_bytes())

    def _why_stop(self, journal: Journal, assessment: Assessment) -> str:
        series = [one.summary for one in journal.turns if one.summary]
        newest = series[-1]
        if newest.verdict == "escalate" and assessment.lacks and assessment.most_times < REPEATED:
            return "budget" if self.budget.is_spent(journal) else "incomplete"
        ends = {"accept": "accepted", "escalate": "escalated", "reject": "rejected"}
        if newest.verdict in ends:
            return ends[newest.verdict]
        if newest.number >= journal.max:
            return "limit"
        if self.budget.is_spent(journal):
            return "budget"
        alerts = {one.kind for one in find_alerts(series)}
        return "oscillation" if "oscillation" in alerts else "plateau" if "stuck" in alerts else ""

    def _feedback(self, number: int) -> Path:
        return self.folder / f"feedback-{number}.json"


def best_of(journal: Journal) -> Turn:
    """Return the best iteration: not held back, accepted, complete, highest score, fewest blocking."""
    done = [one for one in journal.turns if one.summary]
    return max(done, key=_goodness)


def _goodness(turn: Turn) -> tuple[float, ...]:
    summary = turn.summary
    if summary is None:
        return (-1.0,)
    return (
        not turn.held_back,
        summary.verdict == "accept",
        not summary.incomplete,
        summary.score,
        -turn.blocking,
        -turn.number,
    )
