"""Prove, judge and report findings that another agent submits."""

import asyncio
import time
from dataclasses import dataclass, replace

from affidavit.config.settings import Settings
from affidavit.events import Emit, ignore_events, pipeline_completed
from affidavit.pipeline import conclude
from affidavit.ports import Case, Dependencies
from affidavit.records.candidate import SpecialistKind
from affidavit.records.change import FileChange
from affidavit.records.report import Reply, Report
from affidavit.stages.intake import OpenedChange
from affidavit.stages.parse import docket_of, read_replies, redacted_reply
from affidavit.stages.plan import plan_by_size
from affidavit.stages.reproduce import LiveReproducer
from affidavit.stages.review import Crew, Looked, begin_case, collect_replies, docket_of_submission

SUBMITTED = "submitted"
MAX_NAME = 80


@dataclass(frozen=True)
class Submission:
    """A `ReviewResult` as text, and the agent that submits it."""

    text: str
    agent: str = "another agent"
    name: str = SUBMITTED
    kind: SpecialistKind = "outside"

    def examines(self, _file: FileChange) -> bool:
        """Return False: what the agent read is not known."""
        return False

    async def examine(self, _case: Case) -> Reply:
        """Return its reply, which goes through the same parser as every other."""
        return Reply(specialist=self.name, kind=self.kind, text=self.text)


async def judge_submission(
    opened: OpenedChange,
    settings: Settings,
    crew: Crew,
    submission: Submission,
    emit: Emit = ignore_events,
    dependencies: Dependencies | None = None,
) -> Report:
    """Check the submission and what analysers find; without models nobody judges it.

    What it quotes of packages is looked up in these, or in those that the models read.
    """
    started = time.monotonic()
    runner = crew.watched_runner(emit)
    case = begin_case(opened.change, opened.repository, settings, emit)
    case = replace(case, runner=runner, dependencies=dependencies)
    case = crew.with_packages(case)
    heard = await collect_replies([*crew.specialists, submission], case)
    replies = [redacted_reply(one) if one.kind == "outside" else one for one in heard]
    briefing = await asyncio.to_thread(crew.panel.brief, case) if crew.panel else None
    plan = plan_by_size(briefing.change, (), (), briefing.context.symbols) if briefing else None
    docket = docket_of(
        read_replies(replies, case.change), replies, docket_of_submission(is_judged=plan is not None)
    )
    looked = Looked(
        replace(case, plan=plan, replies=tuple(replies)),
        docket,
        briefing,
        submitted_by=submission.agent[:MAX_NAME] or SUBMITTED,
    )
    reproducer = LiveReproducer.of(runner, crew.programs, case, crew.try_patch)
    report = await conclude(looked, *crew.judges(looked), settings, crew.models, crew.prompts, reproducer)
    report = report.model_copy(update={"duration_ms": round((time.monotonic() - started) * 1000)})
    emit(pipeline_completed(report))
    return report
